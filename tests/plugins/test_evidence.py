"""Evidence checks of packages, asked when a run's work is judged."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest
from cli.at_work import FIRST, SECOND, THIRD, AtWork, nothing_left
from cli.kit import Cli
from plugins.conftest import Install

CHECKS = f"""
from chant_mcp.plugins import EvidenceVerdict

def has_work(evidence):
    assert evidence.spec.id == evidence.run.split("@")[0][:len(evidence.spec.id)]
    assert "[x]" in evidence.spec_text and evidence.log.exists()
    paths = [path for commit in evidence.commits for path in commit["paths"]]
    holds = evidence.spec.id != {SECOND!r}
    return EvidenceVerdict(holds, f"{{evidence.branch}} changes {{len(paths) > 0}} work")

def falls(evidence):
    if evidence.spec.id == {THIRD!r}:
        raise ValueError("no such harbour")
    return True
"""


@pytest.fixture
def agents(cli: Cli) -> Iterator[AtWork]:
    """The command line in a project for agents; they may not outlive the test."""
    with nothing_left(os.environ["HOME"]):
        yield AtWork(cli.project)


def test_a_check_that_the_user_names_decides(
    agents: AtWork, install: Install, choose: Callable[[str], None]
) -> None:
    install(CHECKS, evidence_checks=["has-work", "falls"])
    choose("{evidence_checks: [has-work, falls]}")
    for id, title in ((FIRST, "Sail"), (SECOND, "Land"), (THIRD, "Rest")):
        agents.spec(id, title)
    agents.begin()
    for id in (FIRST, SECOND, THIRD):
        agents.run("work", id)
    assert agents.until(FIRST, "completed")["status"] == "completed"
    reason = agents.until(SECOND, "failed")["reason"]
    assert reason == f"evidence check 'has-work' says no: chant/{SECOND} changes True work"
    reason = agents.until(THIRD, "failed")["reason"]
    assert reason.startswith("evidence check 'falls' raised ValueError: no such harbour (ferry_rules.py:")


def test_a_check_that_is_missing_fails_the_run_and_one_that_is_not_named_is_not_asked(
    agents: AtWork, install: Install, choose: Callable[[str], None]
) -> None:
    install(CHECKS, evidence_checks=["falls"])
    choose("{evidence_checks: [gone]}")
    agents.spec(THIRD, "Rest")
    agents.begin()
    agents.run("work", THIRD)
    reason = agents.until(THIRD, "failed")["reason"]
    assert reason == "evidence check 'gone' is not installed here"
