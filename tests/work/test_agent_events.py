"""What agents tell of themselves: why they failed, what they cost, and which limits hold them."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any

import anyio
import chant_mcp
import pytest
from chant_mcp.board.runs import run_row
from chant_mcp.cli import program
from cli.kit import read_data
from click.testing import CliRunner
from harness import Caller
from state_folder import part
from work import teller
from work.kit import FIFTH, FOURTH, ID, OTHER, THIRD, Record, Workshop

pytestmark = pytest.mark.anyio

_RETRIES = "watch: {failure: {max_retries: 2, retry_delay_ms: 300, retryable_patterns: [API Error]}}\n"


def _configure(shop: Workshop, limits: str = "") -> None:
    shop.configure(f"{teller.agents()}{_RETRIES}{limits}", provider="claude-works")


def _started(shop: Workshop, scenes: dict[str, str]) -> None:
    for id in scenes:
        shop.spec(id)
    shop.commit()
    handle = shop.handle()
    for id, scene in scenes.items():
        handle.work_start(id, agent=f"claude-{scene}")


def _entry(shown: dict[str, list[Record]], id: str) -> Record:
    [entry] = [run for run in shown["processes"] if run["spec_id"] == id]
    return entry


SCENES = {ID: "wrong-key", THIRD: "denied", FOURTH: "works", FIFTH: "spends", OTHER: "busy-once"}
WORKED = {"turns": 3, "input_tokens": 100, "cached_tokens": 300, "output_tokens": 50, "cost_usd": 0.25}


async def test_agents_are_understood_by_what_they_tell(
    shop: Workshop, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.root)
    _configure(shop, "limits: {tokens: 1000, cost_usd: 9}\n")
    began = time.monotonic()
    _started(shop, SCENES)
    waited: list[str] = []
    while shop.record(OTHER)["status"] == "running":
        waited.append(shop.record(OTHER)["reason"] or "")
        time.sleep(0.01)
    records = {id: shop.ended(id) for id in SCENES}
    assert time.monotonic() - began < 120, "no agent was waited for in vain"
    shown = await call.data("chant_work_list", include_completed=True)

    refused, entry = records[ID], _entry(shown, ID)
    assert (refused["end_state"], refused["cause"]) == ("failed", "not_logged_in")
    reason = "The agent is not logged in, or its key is wrong or expired (401 authentication_failed). "
    assert refused["reason"].startswith(reason)
    assert entry["next_step"].startswith("Start 'claude-wrong-key' in a terminal of your own and log in")
    diagnosis = await call.data("chant_diagnose", id=ID)
    assert diagnosis["suggestion"] == entry["next_step"], "nothing else is proposed"
    assert f"then `chant-mcp work {ID}` goes on." in " ".join(_run("runs", "--all").split())

    again = records[OTHER]
    assert again["end_state"] == "completed"
    assert {reason.split(";")[0] for reason in waited} == {"", "rate limit"}
    assert any("; next try at 20" in reason for reason in waited)
    assert [record["attempt"] for record in shop.records() if record["spec_id"] == OTHER] == [1]
    assert shop.log(OTHER).count("# New Run") == 1
    both = {"turns": 4, "input_tokens": 140, "cached_tokens": 300, "output_tokens": 60, "cost_usd": 0.375}
    assert again["usage"] == both
    assert not {"cause", "next_try"} & set(again)

    denied = records[THIRD]
    assert (denied["end_state"], denied["exit_code"], denied["cause"]) == ("failed", 0, "permission_denied")
    words = "the agent made no commit; the agent was refused a tool (Bash: touch [31mwork.txt)"
    assert denied["reason"].endswith(words)
    assert _entry(shown, THIRD)["denials"] == [{"tool": "Bash", "message": "touch [31mwork.txt"}]

    worked = _entry(shown, FOURTH)
    assert (worked["end_state"], worked["usage"]) == ("completed", WORKED)
    assert (worked["session"], worked["model"]) == (teller.SESSION, teller.MODEL)
    assert shop.record(FOURTH)["agent"]["session"] == teller.SESSION
    (kept,) = shop.handle().receipt_show(FOURTH).data["receipts"]
    assert kept["receipt"]["model"] == teller.MODEL
    counts = {name: number for name, number in WORKED.items() if name != "cost_usd"}
    assert kept["receipt"]["cost"] == {**counts, "usd_millionths": 250_000}

    spent = records[FIFTH]
    assert (spent["end_state"], spent["cause"]) == ("failed", "budget_reached")
    assert "ended at 1200 tokens of `limits.tokens` (1000)" in spent["reason"]
    assert "cost_usd" not in spent["usage"], "what is not reported is not 0"


def test_what_runs_cost_is_shown_expected_and_limited(
    shop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.root)
    _configure(shop)
    shop.spec(FIFTH, depends_on=[FOURTH])
    _started(shop, dict.fromkeys((ID, OTHER), "works"))
    for id in (ID, OTHER):
        assert shop.ended(id)["end_state"] == "completed"
    shop.spec(FOURTH)

    few = _json("work", FOURTH, "--parallel", "3", "--dry-run")
    assert (few["duration_seconds"], few["tokens"], few["cost_usd"]) == (None, None, None)
    assert few["note"].startswith("2 completed runs are known, and at least 3 are needed")
    _started(shop, {THIRD: "works"})
    assert shop.ended(THIRD)["end_state"] == "completed"

    with shop.nothing_begins():
        found = _json("work", FOURTH, "--parallel", "3", "--dry-run")
        shown = _run("work", FOURTH, "--parallel", "3", "--dry-run")
    assert (found["specs"], found["agents"], found["known_runs"]) == ([FOURTH, FIFTH], 3, 3)
    tokens, cost = found["tokens"], found["cost_usd"]
    assert (tokens["known_runs"], cost["known_runs"]) == (3, 3)
    assert tokens["p50"] == pytest.approx(900, rel=0.25)
    assert 1200 < tokens["p90"] < 4500, "three runs alike do not say that all are"
    assert cost["p90"] / cost["p50"] == pytest.approx(tokens["p90"] / tokens["p50"])
    assert 0 < found["duration_seconds"]["p50"] <= found["duration_seconds"]["p90"]
    assert f"${cost['p50']:.2f} (P50), ${cost['p90']:.2f} (P90), by 3 runs" in shown
    of_python = chant_mcp.open(shop.root).spec(FOURTH).forecast(parallel=3)
    assert of_python["cost_usd"] == found["cost_usd"]

    listed = _json("runs", "--all")["processes"]
    assert [run["usage"] for run in listed] == [WORKED] * 3
    table = _run("runs", "--all")
    assert table.count(" 450 ") == table.count(" $0.25") == 3
    assert "3 turns, 450 tokens, $0.25" in run_row(listed[0]).plain

    _configure(shop, "limits: {cost_usd_per_day: 0.75}\n")
    with shop.nothing_begins():
        result = CliRunner().invoke(program, ["work", FOURTH])
    assert result.exit_code == 1
    assert "used $0.75 in 24 hours of `limits.cost_usd_per_day` ($0.75)" in result.stderr

    shop.configure(
        "agents:\n  codex-other: {command: [sh, -c, exit 0]}\nlimits: {cost_usd: 1}\n", provider="codex-other"
    )
    with shop.nothing_begins():
        result = CliRunner().invoke(program, ["work", FOURTH])
    assert "cannot hold agent 'codex-other': it does not report money" in " ".join(result.stderr.split())

    # So records go after a week.
    _configure(shop)
    for record in part(shop.root, "processes").glob("*.json"):
        record.unlink()
    later = _json("work", FOURTH, "--parallel", "3", "--dry-run")
    assert (later["known_runs"], later["tokens"], later["cost_usd"]) == (3, tokens, cost)


def _run(*words: str) -> str:
    result = CliRunner().invoke(program, words, catch_exceptions=False, prog_name="chant-mcp")
    assert result.exit_code == 0, result.output
    return result.stdout


def _json(*words: str) -> Any:
    return read_data(_run(*words, "--json"))


async def test_an_agent_that_waits_for_its_provider_is_shown_with_the_time(
    shop: Workshop, call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.root)
    _configure(shop)
    _started(shop, {ID: "limited"})
    entry = await until_told(call)
    assert entry["waits_because"] == "Rate limit: the agent's provider was asked too often"
    shown = " ".join(CliRunner().invoke(program, ["runs"]).output.split())
    assert re.search(rf"{ID} is waiting until (\S+ )?\d\d:\d\d: Rate limit: the agent's provider", shown), (
        shown
    )
    (Path(os.environ["HOME"]) / ".config" / "traces" / "limit-is-over").touch()
    assert shop.ended(ID)["end_state"] == "completed"
    [ended] = (await call.data("chant_work_list", include_completed=True))["processes"]
    assert "waits_until" not in ended


async def until_told(call: Caller) -> Record:
    """Ask for the only run until its agent says that it waits."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        [entry] = (await call.data("chant_work_list"))["processes"]
        if "waits_until" in entry:
            return entry
        await anyio.sleep(0.05)
    raise AssertionError("the wait is not shown")
