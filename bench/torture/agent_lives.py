"""When agents of a trial lived: what they say of themselves, and what the process table says."""

from __future__ import annotations

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

_LOOK = 0.2
"""Seconds between two looks at the process table."""
_STILL = (psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD, psutil.STATUS_STOPPED)
"""States in which a process does nothing."""


@dataclass
class AgentLife:
    """An agent, and the spans of time in which it was alive and did not stand still."""

    spec: str
    pid: int
    key: str
    """Its job's."""
    machine: str
    spans: list[tuple[float, float]]
    commit: str | None = None
    is_still: bool = False
    is_over: bool = False

    @property
    def token(self) -> int:
        """The run's; a job's key ends with its run, its token and a nonce."""
        return int(self.key.split(".")[-2])

    def outlived(self, newer: AgentLife) -> float:
        """Give the seconds for which it was at work once a newer agent had begun."""
        begun = newer.spans[0][0]
        return sum(max(0.0, end - max(begin, begun)) for begin, end in self.spans)


@dataclass
class AgentLives:
    """Watches the agents that write files into a folder, from a thread of its own."""

    folder: Path
    lives: dict[str, AgentLife] = field(default_factory=dict[str, AgentLife])
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> AgentLives:
        self._watching = ThreadPoolExecutor().submit(self._watch)
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._watching.result()

    def at_work(self, machine: str) -> list[AgentLife]:
        """Name the agents of a machine that have committed and not ended."""
        lives = list(self.lives.values())
        return [one for one in lives if one.machine == machine and one.commit and not one.is_over]

    def outlived(self) -> dict[str, float]:
        """Give for each spec on which two agents were at work at once for how long the older one was."""
        found: dict[str, float] = {}
        lives = sorted(self.lives.values(), key=lambda life: life.spans[0])
        for older, newer in itertools.combinations(lives, 2):
            if older.spec == newer.spec and (seconds := older.outlived(newer)):
                found[older.spec] = max(seconds, found.get(older.spec, 0.0))
        return found

    def _watch(self) -> None:
        is_last = False
        while not is_last:
            is_last = self._over.wait(_LOOK)
            for file in self.folder.iterdir():
                life = self.lives.get(file.name) or _begun(file)
                if life is not None and not life.is_over:
                    self.lives[file.name] = life
                    _look_at(life, file)


def _begun(file: Path) -> AgentLife | None:
    lines = file.read_text(encoding="utf-8").split("\n")
    if len(lines) < 2:
        return None
    _, began, folder = lines[0].split(" ", 2)
    spec, _, pid = file.name.rpartition(".")
    # Below the trial's home: machines/NAME/jobs/KEY/…
    parts = Path(folder).relative_to(file.parents[1]).parts
    return AgentLife(spec, int(pid), parts[3], parts[1], [(float(began), float(began))])


def _look_at(life: AgentLife, file: Path) -> None:
    """Add to the spans of an agent what it and the process table say now."""
    now, state = time.time(), _state(life)
    said = _said(file)
    life.commit = said.get("commit")
    begin, last = life.spans[-1]
    if state is None:
        life.is_over = True
        life.spans[-1] = (begin, float(said.get("end", last)))
    elif state in _STILL:
        life.is_still = True
    elif life.is_still:
        life.is_still = False
        life.spans.append((now, now))
    else:
        life.spans[-1] = (begin, now)


def _said(file: Path) -> dict[str, str]:
    """Read the lines of an agent that are whole, by their first words."""
    *lines, _ = file.read_text(encoding="utf-8").split("\n")
    return dict(line.split(" ")[:2] for line in lines)


def _state(life: AgentLife) -> str | None:
    """Give the state of an agent's process; `None` if it has ended, and the number may be another's."""
    with suppress(psutil.Error):
        process = psutil.Process(life.pid)
        is_agent = any(word.endswith("agent.sh") for word in process.cmdline())
        # The table's times are exact to a tick of a clock.
        if is_agent and process.create_time() < life.spans[0][0] + 1:
            return process.status()
    return None
