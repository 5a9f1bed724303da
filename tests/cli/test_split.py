"""`split`: a proposal is asked for, shown, and written when a person wants it."""

from __future__ import annotations

import os
import select
import sys
import time
from pathlib import Path

import pytest
from cli.at_work import FIRST, AtWork
from cli.kit import PATIENCE, Start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

BODY = "# Log in\n\n## Acceptance Criteria\n\n- [ ] Form\n- [ ] Name\n- [ ] Password\n- [ ] Answer"

SHOWN = [
    f"Proposed members of {FIRST}",
    "1. Log in: part 1",
    "   - Form",
    "   - Name",
    "   - Password",
    f"   {FIRST}.txt",
    "2. Log in: part 2 (after 1)",
    "   - Answer",
]


def waiting(agents: AtWork) -> None:
    """Have a proposal made."""
    agents.spec(FIRST, "Log in", body=BODY)
    agents.begin()
    agents("split", FIRST, "--wait")


def test_a_split_that_is_waited_for_shows_its_proposal(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", body=BODY)
    agents.begin()
    lines = agents("split", "x7m", "--wait").splitlines()
    assert lines[0] == f"split from {FIRST}: started by demo" or lines[0].startswith(
        f"{FIRST} Log in: started"
    )
    assert lines[-9:] == [*SHOWN, f"→ `chant-mcp split {FIRST} --force` writes them."]
    assert not agents.project.path(f"{FIRST}.1").exists()


def test_a_proposal_that_waits_is_shown_and_forced(agents: AtWork) -> None:
    waiting(agents)
    assert agents("split", FIRST).splitlines()[:8] == SHOWN
    assert agents.json("split", FIRST)["proposal"]["members"][1]["depends_on"] == [1]
    assert agents("split", FIRST, "--force") == f"Split '{FIRST}' into 2 members: {FIRST}.1, {FIRST}.2\n"
    assert agents.project.path(f"{FIRST}.2").exists()
    assert agents.error("split", FIRST).startswith("Spec is already split\n")


def test_a_split_that_began_says_how_to_go_on(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", "wait", body=BODY)
    agents.begin()
    text = agents("split", FIRST)
    assert text.startswith("An agent is at work.\n")
    assert text.endswith(f"→ `chant-mcp split {FIRST}` shows what it proposes.\n")
    agents("pause", FIRST)


def test_a_split_that_fails_says_why_and_ends_with_1(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", "split-garbage", body=BODY)
    agents.begin()
    result = agents.run("split", FIRST, "--wait")
    assert result.exit_code == 1
    assert "No member specs found in agent output" in result.stderr
    assert f"`chant-mcp log {FIRST}` shows what its agent wrote." in result.stderr
    run = agents.json("split", FIRST, "--wait", code=1)
    assert (run["status"], run["mode"]) == ("failed", "split")


def test_force_and_wait_write_at_once(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in", body=BODY)
    agents.begin()
    text = agents("split", FIRST, "--force", "--wait")
    assert f"Split '{FIRST}' into 2 members: {FIRST}.1, {FIRST}.2" in text
    assert agents.project.path(f"{FIRST}.2").exists()


@pytest.mark.parametrize("typed", ["y", "n"])
def test_at_a_terminal_a_person_decides(
    agents: AtWork, start: Start, terminal: tuple[int, int], typed: str
) -> None:
    waiting(agents)
    person, program = terminal
    running = start(agents.project.root, "split", FIRST, stdin=program, stdout=program, stderr=program)
    read_until(person, b"Write these members?")
    os.write(person, f"{typed}\n".encode())
    running.process.wait(PATIENCE)
    assert Path(agents.project.path(f"{FIRST}.2")).exists() == (typed == "y")


def test_at_a_terminal_only_what_was_shown_is_written(
    agents: AtWork, start: Start, terminal: tuple[int, int]
) -> None:
    waiting(agents)
    person, program = terminal
    running = start(agents.project.root, "split", FIRST, stdin=program, stdout=program, stderr=program)
    read_until(person, b"Write these members?")
    agents("split", FIRST, "--fresh", "--wait")
    os.write(person, b"y\n")
    read_until(person, b"Nothing was written.")
    assert running.process.wait(PATIENCE) == 1
    assert not agents.project.path(f"{FIRST}.1").exists()


def read_until(terminal: int, words: bytes) -> None:
    """Read what a program writes to a terminal until it says something, wherever the lines are broken."""
    seen = b""
    until = time.monotonic() + PATIENCE
    while words not in b" ".join(seen.split()):
        ready, _, _ = select.select([terminal], [], [], max(0, until - time.monotonic()))
        assert ready, f"not said: {words!r}, after {seen!r}"
        seen += os.read(terminal, 1000)
