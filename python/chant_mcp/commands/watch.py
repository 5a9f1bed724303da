"""Runs as they are, again and again until they end."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from chant_mcp._core import Answer, ChantProject
from chant_mcp.errors import ChantError
from chant_mcp.paging import EVERYTHING, Data, gathered

_PAUSE = 0.25
"""Seconds between two looks."""

_GRACE = 2.0
"""Seconds for who stops a run to write its end; after that it is a crash, to be looked after."""

_TIMEOUT = 30.0
"""Seconds for an end to be written of a run whose runner is gone."""

_OWN_AGENT = ("single", "split")
"""Modes of runs that have an agent of their own."""

_STAMP = re.compile(r"^\S+Z (?:out|err|run) ?", re.MULTILINE)
"""What stands before each line that an agent wrote."""


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """A run at one moment."""

    run: Data
    """Its entry in the list of runs."""
    title: str
    """The title of its spec."""
    line: str
    """What its agent wrote last; empty when it is not at work."""
    criteria: Data | None
    """How many criteria were ticked when that was last known."""
    is_under_way: bool

    @property
    def name(self) -> str:
        """What distinguishes it from all others."""
        return self.run["process_id"]

    @property
    def spec_id(self) -> str:
        """The spec that it was started with."""
        return self.run["spec_id"]

    @property
    def is_of_several(self) -> bool:
        """Whether it has other runs work on specs."""
        return self.run["mode"] not in _OWN_AGENT

    @property
    def state(self) -> str:
        """Where it stands, in one word."""
        return state_of(self.run)

    @property
    def seconds(self) -> int:
        """How long it has been under way, or was."""
        end = None if self.is_under_way else self.run["completed_at"]
        return seconds_between(self.run["started_at"], end)


def state_of(run: Data) -> str:
    """Say in one word where a run stands; `stale` when its runner is gone without an end."""
    if run.get("end_state"):
        return run["end_state"]
    return "stale" if run["stale"] else run["status"]


def agent_of(run: Data) -> str:
    """Name the agent of a run, and the machine that it works on where that is another one."""
    agent: str = run.get("agent") or ""
    if (placed := run.get("placed")) is None:
        return agent
    return f"{agent} on {placed.get('worker') or placed['target']}".strip()


def seconds_between(start: str | None, end: str | None) -> int:
    """Count the seconds from one moment to another, or to now."""
    if start is None:
        return 0
    until = datetime.now(timezone.utc) if end is None else _moment(end)
    return max(0, int((until - _moment(start)).total_seconds()))


def local_time(stamp: str) -> str:
    """Write the time of day of a moment, and its date where that is another day."""
    moment = _moment(stamp).astimezone()
    return moment.strftime(
        "%H:%M" if moment.date() == datetime.now().astimezone().date() else "%Y-%m-%d %H:%M"
    )


def _moment(stamp: str) -> datetime:
    # Python before 3.11 knows no `Z`.
    return datetime.fromisoformat(stamp.replace("Z", "+00:00"))


def listed(chant: ChantProject, *, ended: bool, process_id: str | None = None) -> tuple[str, Data]:
    """Ask for runs, however many; with a name for that run and those below it."""

    def page(_: int, offset: int) -> Answer:
        return chant.work_list(process_id=process_id, include_completed=ended, offset=offset)

    return gathered(page, EVERYTHING, "processes")


def without_stamps(log: str) -> str:
    """Leave out of a log what stands before each line."""
    return _STAMP.sub("", log)


class Watch:
    """Looks at runs, and at those that they begin."""

    def __init__(self, chant: ChantProject, names: Collection[str]) -> None:
        """Take the names of the runs; nothing is asked yet."""
        self._chant = chant
        self._names = tuple(names)
        self._titles: dict[str, str] = {}
        self._criteria: dict[str, Data] = {}
        self._gone_since: float | None = None

    def moments(self) -> Iterator[list[WatchedRun]]:
        """Give the runs in the order in which they began, until those that were named have ended."""
        while True:
            seen = self._look()
            yield seen
            if not any(one.is_under_way for one in self.named(seen)):
                return
            time.sleep(_PAUSE)

    def named(self, seen: Sequence[WatchedRun]) -> list[WatchedRun]:
        """Pick the runs that were named."""
        return [one for one in seen if one.name in self._names]

    def _look(self) -> list[WatchedRun]:
        runs = self._runs()
        is_gone = any(state_of(run) == "stale" for run in runs)
        self._gone_since = (self._gone_since or time.monotonic()) if is_gone else None
        if self._gone_for() > _GRACE:
            self._chant.recover()
            runs = self._runs()
        return [self._seen(run) for run in runs]

    def _runs(self) -> list[Data]:
        runs: dict[str, Data] = {}
        for name in self._names:
            _, data = listed(self._chant, ended=True, process_id=name)
            for run in data["processes"]:
                if name in (run["process_id"], run.get("parent")):
                    runs[run["process_id"]] = run
        return sorted(runs.values(), key=lambda run: run["started_at"] or "")

    def _seen(self, run: Data) -> WatchedRun:
        is_waited_for = state_of(run) == "stale" and self._gone_for() <= _TIMEOUT
        is_under_way = run["status"] == "running" or is_waited_for
        if run.get("criteria"):
            # While the work is merged its worktree goes away.
            self._criteria[run["process_id"]] = run["criteria"]
        criteria = self._criteria.get(run["process_id"])
        line = self._line(run) if is_under_way else ""
        return WatchedRun(run, self._title(run["spec_id"]), line, criteria, is_under_way)

    def _gone_for(self) -> float:
        return 0 if self._gone_since is None else time.monotonic() - self._gone_since

    def _title(self, spec_id: str) -> str:
        if spec_id not in self._titles:
            try:
                spec: Data = self._chant.spec_get(spec_id, max_chars=1).data
            except ChantError:  # gone, or cannot be read just now: its run is what is shown
                return ""
            self._titles[spec_id] = spec["title"] or ""
        return self._titles[spec_id]

    def _line(self, run: Data) -> str:
        if run["mode"] not in _OWN_AGENT or run["log_modified"] is None:
            return ""
        try:
            log: Data = self._chant.log(run["spec_id"], lines=1).data
        except ChantError:  # it is about to begin
            return ""
        return without_stamps(log["content"]) if _STAMP.match(log["content"]) else ""
