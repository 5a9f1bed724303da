"""The view of agents at work: what a terminal shows while it changes, and what stays."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from chant_mcp import ChantProject
from chant_mcp.commands import live, run_display
from chant_mcp.commands.watch import Watch, WatchedRun
from cli.at_work import FIRST, SECOND, AtWork
from cli.kit import PATIENCE, Running, Start
from rich.console import Console

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Screen:
    """What a program writes to a terminal."""

    def __init__(self, descriptor: int, running: Running) -> None:
        self._descriptor = descriptor
        self.running = running
        self.written = ""

    @property
    def text(self) -> str:
        """Everything written so far without control sequences; each frame begins a line."""
        return _CONTROL.sub("", self.written.replace("\x1b[2K", "\n"))

    def until(self, *texts: str) -> None:
        """Read until these texts were written."""
        self._read(lambda: all(text in self.text for text in texts))

    def end(self) -> int:
        """Read until the program has ended, and give its exit code."""
        self._read(lambda: self.running.process.poll() is not None)
        while select.select([self._descriptor], [], [], 0)[0]:
            self.written += os.read(self._descriptor, 65_536).decode()
        return self.running.process.returncode

    def _read(self, is_enough: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE
        while not is_enough():
            assert time.monotonic() < until, self.text
            if select.select([self._descriptor], [], [], 0.05)[0]:
                self.written += os.read(self._descriptor, 65_536).decode()


@pytest.fixture
def show(
    agents: AtWork, start: Start, terminal: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Screen]:
    """Start a command at a terminal of a width."""
    monkeypatch.delenv("COLUMNS")
    monkeypatch.setenv("TERM", "xterm-256color")
    master, slave = terminal

    def show(*words: str, columns: int = 80) -> Screen:
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), slave)
        return Screen(master, start(agents.project.root, *words, **pipes))

    return show


def test_the_view_shows_each_agent_while_it_works_and_then_its_end(
    agents: AtWork, show: Callable[..., Screen]
) -> None:
    agents.spec(FIRST, "Log in", "wait")
    agents.begin()
    screen = show("work", "--wait", FIRST)
    screen.until(f"{FIRST}  Log in", "running", "0 of 2", "\n  waiting ", "0:01")
    assert "Ctrl-C ends the watching; the work goes on." in screen.text
    agents.go(FIRST)
    assert screen.end() == 0
    end = (
        rf"^✓ {FIRST} Log in: completed after 0:\d\d, 1 commit \([0-9a-f]{{7}} on main\), without any check$"
    )
    assert len(re.findall(end, screen.text, re.M)) == 1
    assert screen.written.rindex("\x1b[?25h") > screen.written.rindex("\x1b[?25l"), "the cursor is back"


@pytest.mark.parametrize("columns", [80, 120])
def test_work_in_parallel_is_a_bar_of_specs_above_the_agents(
    agents: AtWork, show: Callable[..., Screen], columns: int
) -> None:
    agents.spec(FIRST, "Log in with a name and a password " * 4, "wait")
    agents.spec(SECOND, "Log out", "wait")
    agents.begin()
    screen = show("work", "--wait", "--parallel", "2", FIRST, columns=columns)
    screen.until("parallel(2)", "0 of 2 specs", f"{FIRST}  Log in", f"{SECOND}  Log out")
    agents.go(SECOND)
    screen.until("1 of 2 specs", f"✓ {SECOND} Log out: completed")
    agents.go(FIRST)
    assert screen.end() == 0
    frames = [line for line in screen.text.splitlines() if "━" in line or "waiting" in line]
    assert {len(line) for line in frames if "━" in line} == {columns}
    assert max(map(len, frames)) <= columns
    assert "2 of 2 specs completed" in screen.text


def test_ctrl_c_at_the_terminal_leaves_the_work(agents: AtWork, show: Callable[..., Screen]) -> None:
    agents.spec(FIRST, "Log in", "wait")
    agents.begin()
    agents("work", FIRST)
    screen = show("runs", "-f")
    screen.until("waiting")
    screen.running.process.send_signal(2)
    assert screen.end() == 1
    assert "The work goes on. `chant-mcp runs -f` shows it again" in " ".join(screen.text.split())
    agents("cancel", FIRST)


def test_watching_an_agent_that_does_nothing_costs_next_to_nothing(
    agents: AtWork, show: Callable[..., Screen]
) -> None:
    agents.spec(FIRST, "Log in", "wait")
    agents.begin()
    agents("work", FIRST)
    screen = show("runs", "-f")
    screen.until("waiting")
    before = _cpu_seconds(screen.running.process.pid)
    began = time.monotonic()
    screen.until("0:03", "0:04", "0:05")
    spent = _cpu_seconds(screen.running.process.pid) - before
    assert spent < 0.1 * (time.monotonic() - began)
    agents("pause", FIRST)
    assert screen.end() == 1


def _cpu_seconds(number: int) -> float:
    fields = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _seen(**keys: Any) -> WatchedRun:
    run = {
        "process_id": f"{FIRST}-1",
        "spec_id": FIRST,
        "mode": "single",
        "status": "running",
        "stale": False,
        "started_at": "2026-01-22T10:00:00Z",
        "completed_at": "2026-01-22T11:02:03Z",
        "branch": None,
        **keys,
    }
    return WatchedRun(run, "Log in", "\x1b[2Jworking", {"total": 2, "checked": 1}, run["status"] == "running")


class _Merging:
    """A project whose one run is merged after the first look: its worktree is gone then."""

    def __init__(self) -> None:
        self.looks = 0

    def work_list(self, **_: Any) -> Any:
        self.looks += 1
        run = {**_seen().run, "log_modified": None}
        if self.looks == 1:
            run["criteria"] = {"total": 2, "checked": 2}
        return SimpleNamespace(text="", data={"processes": [run]})

    def spec_get(self, *_: Any, **__: Any) -> Any:
        return SimpleNamespace(data={"title": "Log in"})


def test_criteria_stay_in_view_while_the_work_is_merged() -> None:
    moments = Watch(cast("ChantProject", _Merging()), [f"{FIRST}-1"]).moments()
    for _ in range(2):
        (one,) = next(moments)
        assert "2 of 2" in _printed(live.at_work([one]))


def _printed(what: Any, columns: int = 80) -> str:
    out = Console(width=columns)
    with out.capture() as printed:
        out.print(what)
    return printed.get()


def test_what_an_agent_writes_does_not_steer_the_terminal() -> None:
    text = _printed(live.at_work([_seen()]))
    assert "\x1b" not in text
    assert "1 of 2" in text
    assert "\N{REPLACEMENT CHARACTER}[2Jworking" in text


@pytest.mark.parametrize(
    ("state", "said", "advice"),
    [
        (
            "needs_attention",
            "• {id} Log in: needs attention after 1:02:03",
            "Fix it in /, then `chant-mcp merge",
        ),
        ("awaiting_merge", "• {id} Log in: awaiting merge after", "When nothing is in its way any more"),
        (
            "awaiting_approval",
            "• {id} Log in: awaiting approval after",
            "` merges it, `chant-mcp reject",
        ),
        ("taken_over", "• {id} Log in: taken over after", "Go on in /, then `chant-mcp merge"),
        ("cancelled", "✗ {id} Log in: cancelled after", None),
    ],
)
def test_every_end_says_what_can_be_done(state: str, said: str, advice: str | None) -> None:
    ended = _seen(status="failed", end_state=state, reason="one\ntwo", worktree="/")
    text = _printed(run_display.ended(ended), 200)
    assert text.startswith(said.format(id=FIRST))
    assert "\n  one\n  two\n" in text
    assert advice in text if advice else "→" not in text
