"""Event readers of packages: what they find in an agent's output counts as what the agent reports."""

from __future__ import annotations

import os
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.plugins import AgentReport
from chant_mcp.plugins.event_stream import GarbageReport, read_reports
from cli.at_work import FIRST, AtWork, nothing_left
from cli.kit import Cli
from harness import user_config
from plugins.conftest import Install

READER = """
from chant_mcp.plugins import AgentReport

def ferry(lines):
    for line in lines:
        word, *counts = line.split()
        if word == "USED":
            read, wrote = map(int, counts)
            yield AgentReport(turns=1, input_tokens=read, output_tokens=wrote, cost_usd=0.25)
        if word == "SUNK":
            yield AgentReport(failure="no credit left", status=402)

def falls(lines):
    yield AgentReport(turns=1, input_tokens=int(next(lines).split()[1]))
    raise ValueError("no such harbour")
"""

AGENT = "#!/bin/sh\necho USED 100 20\necho USED 30 4\n"


@pytest.fixture
def agents(cli: Cli) -> Iterator[AtWork]:
    """The command line in a project for agents; they may not outlive the test."""
    with nothing_left(os.environ["HOME"]):
        yield AtWork(cli.project)


def run_of(agents: AtWork, folder: Path, events: str, script: str = AGENT, keys: str = "") -> Any:
    """Have an agent of the user's configuration work, and give the entry of its run when it has ended."""
    program = folder / "agent"
    program.write_text(script, "utf-8")
    program.chmod(0o755)
    settings = user_config()
    text = settings.read_text("utf-8").removesuffix("---\n")
    agent = f"agents: {{ferry: {{command: [{program}], events: {events}}}}}\n"
    settings.write_text(f"{text}{agent}{keys}---\n", "utf-8")
    agents.spec(FIRST, "Sail")
    agents.begin()
    agents.run("work", FIRST, "--agent", "ferry")
    return agents.until(FIRST, "failed")


def test_what_a_reader_finds_is_what_the_agent_used(agents: AtWork, install: Install, tmp_path: Path) -> None:
    install(READER, event_readers=["ferry"])
    run = run_of(agents, tmp_path, "ferry", f"{AGENT}echo SUNK\n")
    used = {name: run["usage"][name] for name in ("turns", "input_tokens", "output_tokens", "cost_usd")}
    assert used == {"turns": 2, "input_tokens": 130, "output_tokens": 24, "cost_usd": 0.5}
    assert run["cause"] == "out_of_credit"
    assert "USED 100 20" in agents.run("log", FIRST).stdout


def test_a_reader_that_fails_is_named_in_the_log_and_ends_no_run_without_limits(
    agents: AtWork, install: Install, tmp_path: Path
) -> None:
    install(READER, event_readers=["falls"])
    run = run_of(agents, tmp_path, "falls")
    assert run["usage"]["input_tokens"] == 100
    log = " ".join(agents.run("log", FIRST).stdout.split())
    assert (
        "event reader `falls` of ferry-rules 1.0 raised ValueError: no such harbour (ferry_rules.py:" in log
    )
    assert run.get("cause") != "events_unread"


def test_an_agent_with_limits_ends_when_its_reader_is_missing(agents: AtWork, tmp_path: Path) -> None:
    run = run_of(agents, tmp_path, "gone", "#!/bin/sh\nexec sleep 60\n", "limits: {tokens: 1000}\n")
    assert run["cause"] == "events_unread"
    assert "event reader `gone` is not installed here" in " ".join(agents.run("log", FIRST).stdout.split())


def test_lines_are_bounded_and_only_reports_are_taken() -> None:
    ended: list[bool] = []
    output = b"one\r\n" + b"x" * (3 << 20) + b"\ntwo"

    def read(lines: Iterator[str]) -> Iterator[AgentReport]:
        for line in lines:
            yield AgentReport(model=line, turns=0)

    found = list(read_reports(read, BytesIO(output), lambda: ended.append(True)))
    assert found == [
        {"type": "report", "model": word, "turns": 0, "has_ended": False} for word in ("one", "two")
    ]
    assert ended
    garbage: Any = lambda lines: [str(lines)]  # noqa: E731
    with pytest.raises(GarbageReport, match="gave `str` where an `AgentReport` was expected"):
        list(read_reports(garbage, BytesIO(b"a\n"), lambda: None))
