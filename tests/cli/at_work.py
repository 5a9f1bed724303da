"""A project in git whose specs the demo agent works on, and what it may not leave behind."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cli.kit import PATIENCE, Cli

FIRST = "2026-01-22-001-x7m"
SECOND = "2026-01-22-002-k3f"
THIRD = "2026-01-22-003-b2b"

CONFIG = "defaults:\n  provider: demo\n  main_branch: main\n"
IGNORED = "processes/\nlogs/\n.locks/\ndemo-go/\n"
BODY = "# {}\n\nA form with a name and a password.\n\n## Acceptance Criteria\n\n- [ ] Works\n- [ ] Tested"


class AtWork(Cli):
    """The command line in a project whose specs the demo agent works on."""

    def spec(self, id: str, title: str, *behaviours: str, **keys: Any) -> None:
        """Write a spec with two criteria and a file of its own, and how its agent behaves."""
        labels = [f"demo:{behaviour}" for behaviour in behaviours]
        self.project.spec(
            id, **{"body": BODY.format(title), "labels": labels, "target_files": [f"{id}.txt"], **keys}
        )

    def begin(self) -> AtWork:
        """Commit everything."""
        self.project.config(CONFIG)
        (self.project.root / ".chant" / ".gitignore").write_text(IGNORED, encoding="utf-8")
        self.project.repository()
        return self

    def go(self, id: str) -> None:
        """Let an agent go on that waits."""
        file = self.project.root / ".chant" / "demo-go" / id
        file.parent.mkdir(exist_ok=True)
        file.touch()

    def until(self, id: str, state: str) -> Any:
        """Wait until the newest run of a spec is in a state, and give its entry."""

        def newest() -> Any:
            runs = self.json("runs", id, "--all")["processes"]
            return max(runs, key=lambda run: run["started_at"]) if runs else {"status": "none"}

        eventually(lambda: newest().get("end_state", newest()["status"]) == state)
        return newest()

    def until_waiting(self, id: str) -> None:
        """Wait until an agent says that it waits."""
        eventually(lambda: "out waiting" in self.run("log", id).stdout)


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, "it never came true"
        time.sleep(0.02)


@contextmanager
def nothing_left(home: str) -> Iterator[None]:
    """End the processes that a test left behind, and fail when there were any.

    Args:
        home: The home folder of the test, by which its processes are known.
    """
    try:
        yield
    finally:
        until = time.monotonic() + 5
        while (left := _processes(home)) and time.monotonic() < until:
            time.sleep(0.02)
        for number in left:
            os.kill(number, signal.SIGKILL)
    assert not left, f"processes were left behind: {left}"


def _processes(home: str) -> list[int]:
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes()
        except OSError:
            continue
        if f"HOME={home}\0".encode() in environment:
            found.append(int(folder.name))
    return found
