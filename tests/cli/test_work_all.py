"""`work` without an ID: everything that is ready, after one question."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from contextlib import suppress

import pytest
from cli.at_work import FIRST, SECOND, THIRD, AtWork


def with_three(agents: AtWork) -> AtWork:
    """Make a spec that cannot be started, one that can, and one that waits for it."""
    agents.project.spec(FIRST, body="# Without criteria", target_files=["one.txt"])
    agents.spec(SECOND, "Login")
    agents.spec(THIRD, "Logout", depends_on=[SECOND])
    return agents.begin()


def test_a_script_has_to_say_all(agents: AtWork) -> None:
    with_three(agents)
    asked = agents.run("work")
    assert asked.exit_code == 2
    assert "2 specs are ready" in asked.stderr
    assert "--all" in asked.stderr
    assert agents.json("runs", "--all")["processes"] == []
    assert agents.run("work", FIRST, "--all").exit_code == 2


def test_all_works_on_what_becomes_ready_and_ends_with_it(agents: AtWork) -> None:
    with_three(agents)
    done = agents.run("work", "--all", "--wait")
    assert done.exit_code == 0, done.stdout + done.stderr
    states = {spec["id"]: spec["status"] for spec in agents.json("chant", "list", "--all")["specs"]}
    assert states == {FIRST: "pending", SECOND: "completed", THIRD: "completed"}
    assert agents.run("work", "--all").exit_code == 1, "the one that is left has no criteria"


def test_nothing_ready_is_no_failure(agents: AtWork) -> None:
    agents.begin()
    done = agents.run("work", "--all", "--wait")
    assert (done.exit_code, "No spec is ready" in done.stderr) == (0, True)


@pytest.mark.parametrize("answer", ["n", "y"])
def test_a_person_is_shown_the_list_and_asked_once(
    agents: AtWork, terminal: tuple[int, int], answer: str
) -> None:
    with_three(agents)
    master, slave = terminal
    printed = bytearray()

    def type_the_answer() -> None:
        while b"[y/N]" not in printed:
            printed.extend(os.read(master, 65536))
        os.write(master, f"{answer}\n".encode())
        # The pseudo-terminal has an end with its last writer.
        with suppress(OSError):
            while True:
                printed.extend(os.read(master, 65536))

    typist = threading.Thread(target=type_the_answer, daemon=True)
    typist.start()
    command = [sys.executable, "-P", "-m", "chant_mcp", "work", "--wait"]
    asked = subprocess.run(
        command, cwd=agents.project.root, stdin=slave, stdout=slave, stderr=slave, timeout=60
    )
    assert asked.returncode == (0 if answer == "y" else 1)
    assert printed.count(b"[y/N]") == 1
    assert b"Login" in printed
    assert len(agents.json("runs", "--all")["processes"]) == (3 if answer == "y" else 0)
