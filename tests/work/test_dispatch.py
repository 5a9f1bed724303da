"""Which spec an orchestrator starts next, and how many run at once, as people see it."""

from __future__ import annotations

import pytest
from chant_mcp.cli import program
from chant_mcp.errors import ChantError
from click.testing import CliRunner
from harness import Caller, user_config
from work import teller
from work.kit import FOURTH, ID, OTHER, THIRD, Record, Workshop, wait_for

pytestmark = pytest.mark.anyio


def below(shop: Workshop, parent: str) -> list[str]:
    """Give the specs of the runs below another run, in the order in which they began."""
    return [record["spec_id"] for record in shop.records() if record["parent"] == parent]


async def started(shop: Workshop, call: Caller, number: int, parallel: int) -> tuple[Record, list[str]]:
    """Work on the first spec and others, and give the run and the specs that are at work at once."""
    run = await call.data("chant_work_start", id=ID, parallel=parallel)
    wait_for(lambda: len(below(shop, run["process_id"])) == number, lambda: f"{shop.records()}")
    return run, below(shop, run["process_id"])


async def test_what_shares_a_file_comes_later_and_is_counted(shop: Workshop, call: Caller) -> None:
    (shop.root / "a.txt").write_text("a\n", encoding="utf-8")
    commit = shop.commit("Work of the completed specs")
    for number in range(3):
        done = f"2026-01-21-00{number}-old"
        shop.spec(done, status="completed", labels=["io"], commits=[commit[:9]], targets=[f"{number}.txt"])
    # The label says that the second one will touch the file of the first, too.
    shop.spec(ID, "wait", targets=["a.txt"])
    shop.spec(OTHER, labels=["demo:wait", "io"])
    shop.spec(THIRD, "wait")
    shop.commit()
    run, specs = await started(shop, call, 2, parallel=2)
    assert specs == [ID, THIRD]
    shop.go(THIRD)
    wait_for(lambda: len(below(shop, run["process_id"])) == 3, "the third start")
    shop.said(OTHER, "out waiting")
    listed = await call.data("chant_work_list", process_id=run["process_id"])
    [entry] = [entry for entry in listed["processes"] if entry["process_id"] == run["process_id"]]
    assert entry["foreseen_conflicts"] == 1
    shop.go(ID)
    shop.ended(ID)
    shop.go(OTHER)
    reason = shop.ended(run["process_id"])["reason"]
    assert "; 1 conflict was foreseen: a pair of specs at work at once" in reason


async def test_spare_waits_while_anything_else_runs(shop: Workshop, call: Caller) -> None:
    shop.configure("dispatch: spare\n")
    same = ["a.txt", "b.txt", "c.txt"]
    for id, targets in ((ID, same), (OTHER, same), (THIRD, ["d.txt"])):
        shop.spec(id, "wait", targets=targets)
    shop.commit()
    run, specs = await started(shop, call, 2, parallel=3)
    assert specs == [ID, THIRD]
    shop.go(THIRD)
    shop.ended(THIRD)
    assert below(shop, run["process_id"]) == [ID, THIRD]
    shop.go(ID, OTHER)
    assert shop.ended(run["process_id"])["reason"] == "3 of 3 specs completed"
    assert below(shop, run["process_id"]) == [ID, THIRD, OTHER]


def accounts(yaml: str) -> None:
    """Write the user's own configuration, which alone names accounts."""
    path = user_config()
    rest = path.read_text(encoding="utf-8").removeprefix("---\n")
    path.write_text(f"---\naccounts: {yaml}\n{rest}", encoding="utf-8")


async def test_runs_are_divided_among_accounts(shop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    accounts(
        "{team-a: {max: 1, variables: {DEMO_KEY: TEAM_A}}, team-b: {max: 2, agents: [demo]}, "
        "other: {max: 9, agents: [codex]}, unset: {max: 9, variables: {DEMO_KEY: NO_SUCH_KEY}}}"
    )
    for id in (ID, OTHER, THIRD, FOURTH):
        shop.spec(id, "secret", "wait")
    shop.commit()
    monkeypatch.setenv("TEAM_A", "sesame-of-team-a")
    handle = shop.handle()
    for id in (ID, OTHER, THIRD):
        handle.work_start(id)
    assert [shop.record(id)["account"] for id in (ID, OTHER, THIRD)] == ["team-b", "team-a", "team-b"]
    with pytest.raises(ChantError, match=r"team-a 1 of 1; team-b 2 of 2; unset 0 of 9\. Wait until") as full:
        handle.work_start(FOURTH)
    assert "There is no room for another run of agent 'demo'" in str(full.value)
    shop.said(OTHER, "waiting")
    assert "DEMO_KEY=" in shop.log(OTHER)
    assert "DEMO_KEY=" not in shop.log(ID)
    assert "sesame" not in shop.log(OTHER)
    monkeypatch.chdir(shop.root)
    shown = CliRunner().invoke(program, ["runs"], catch_exceptions=False, prog_name="chant-mcp").stdout
    assert "Accounts: other 0 of 9; team-a 1 of 1; team-b 2 of 2; unset 0 of 9" in " ".join(shown.split())
    assert "demo (team-a)" in shown
    counts = handle.status().data["accounts"]
    assert [(one["name"], one["running"], one["allowed"]) for one in counts[1:3]] == [
        ("team-a", 1, 1),
        ("team-b", 2, 2),
    ]
    shop.go(ID, OTHER, THIRD)
    for id in (ID, OTHER, THIRD):
        assert shop.ended(id)["end_state"] == "completed"


async def test_a_rate_limit_halves_the_number_while_the_run_waits(shop: Workshop, call: Caller) -> None:
    accounts("{team: {max: 8}}")
    retries = "watch: {failure: {max_retries: 2, retry_delay_ms: 100}}\n"
    shop.configure(
        f"{teller.agents()}{retries}accounts: {{mine: {{max: 99}}}}\n", provider="claude-busy-once"
    )
    shop.spec(ID)
    shop.commit()
    run = await call.data("chant_work_start", id=ID)
    ended = shop.ended(run["process_id"])
    assert (ended["end_state"], ended["account"]) == ("completed", "team")
    [team] = (await call.data("chant_work_list"))["accounts"]
    until = team.pop("limited_until")
    assert team == {"name": "team", "kind": "account", "running": 0, "allowed": 4, "max": 8}
    assert until > ended["completed_at"]
