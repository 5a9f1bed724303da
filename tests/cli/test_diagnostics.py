"""`CHANT_MCP_LOG`: events of the core on standard error, and nothing without it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from cli.at_work import FIRST, AtWork
from harness import Project


def _program(project: Project, *words: str) -> tuple[str, str]:
    ended = subprocess.run(
        [sys.executable, "-m", "chant_mcp", *words],
        cwd=project.root,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return ended.stdout, ended.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="no runs there")
def test_the_decisions_of_a_run_can_be_followed(agents: AtWork, monkeypatch: pytest.MonkeyPatch) -> None:
    agents.spec(FIRST, "Log in", "unticked")
    agents.begin()
    monkeypatch.setenv("CHANT_MCP_LOG", "chant_spec_runs=info,chant_work=info")
    out, events = _program(agents.project, "work", FIRST, "--wait")
    for decision in ("a run was created", "the evidence does not suffice"):
        assert decision in events, events
        assert decision not in out
    assert FIRST in next(line for line in events.splitlines() if "does not suffice" in line)
    assert "DEBUG" not in events


def test_nothing_is_written_unless_it_is_turned_on(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.spec("one")
    quiet, nothing = _program(project, "list")
    assert nothing == ""
    monkeypatch.setenv("CHANT_MCP_LOG", "loud")
    out, complaint = _program(project, "list")
    assert out == quiet
    assert complaint.startswith('CHANT_MCP_LOG="loud" is not understood. Expected a level (error, warn,')
    assert complaint.count("\n") == 1
