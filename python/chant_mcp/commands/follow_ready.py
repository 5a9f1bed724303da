"""`work --all --follow`: agents on all that is ready, and on what becomes ready, until a person ends it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from types import TracebackType

from chant_mcp._core import ChantProject
from chant_mcp.commands.watch import Watch
from chant_mcp.errors import ChantError
from chant_mcp.paging import EVERYTHING
from chant_mcp.parameters import StartRequestOfPerson
from chant_mcp.session import Session
from chant_mcp.terminal import say

_POLL = 2.0
"""Seconds between two reads of what is ready while nothing is."""

_AGAIN = 60.0
"""Seconds until specs are tried again that could not be started."""

_LOOK_LIMITS = (1.0, 30.0)
"""The least and the most seconds between two looks at the remote."""


def follow_ready(session: Session, start: StartRequestOfPerson) -> int:
    """Work on all specs that are ready, again and again, until it is interrupted; give the exit code."""
    from chant_mcp.commands import display, live, run_display

    if on := start.get("on"):
        session.prepare_cluster(on)
    out, err = display.console(), display.console(for_errors=True)
    starter = ReadyStarter(session.chant, start)
    with RemoteFollower(session.chant) as follower:
        try:
            while True:
                if (run := starter.start()) is None:
                    follower.wait(_POLL)
                    continue
                for one in live.follow(Watch(session.chant, [run]), out):
                    if one.state != "completed":
                        err.print(run_display.ended(one), soft_wrap=True)
        except KeyboardInterrupt:
            say("Nothing more is started. Agents at work go on: `chant-mcp runs -f` shows them.", err=True)
            return 0


class ReadyStarter:
    """Starts work on whatever is ready. What could not be started is tried again after a while."""

    def __init__(self, chant: ChantProject, start: StartRequestOfPerson) -> None:
        """Take a project and how work is started."""
        self._chant = chant
        self._start = start
        self._tried: dict[str, float] = {}
        self._said: set[str] = set()

    def start(self) -> str | None:
        """Start a run above others and give its name; None while nothing that is ready can be started."""
        ready = self._ready()
        now = time.monotonic()
        fresh = [id for id in ready if now - self._tried.get(id, -_AGAIN) >= _AGAIN]
        request: StartRequestOfPerson = {**self._start, "takes_any": True}
        request["parallel"] = request.get("parallel") or max(1, len(ready))
        for id in fresh:
            self._tried[id] = now
            try:
                started = self._chant.work_start(id, **request)
            except ChantError as error:
                ready = self._ready()
                if id in ready:
                    self._say(str(error))
                elif not ready:
                    return None  # other clones were faster
                continue
            # Those that it does not take are other clones', or could not be started.
            self._tried.update(dict.fromkeys(ready, now))
            return started.data["process_id"]
        return None

    def _ready(self) -> list[str]:
        return [spec["id"] for spec in self._chant.ready(limit=EVERYTHING).data["specs"]]

    def _say(self, why: str) -> None:
        """Say once why something could not be started."""
        if why not in self._said:
            self._said.add(why)
            say(why, err=True)


class RemoteFollower:
    """Keeps a checkout up to the remote that clones share, in a thread; where they share none it only waits.

    Example:
        with RemoteFollower(session.chant) as follower:
            follower.wait(2.0)
    """

    def __init__(self, chant: ChantProject) -> None:
        """Take the project whose checkout follows."""
        self._chant = chant
        self._ends = threading.Event()
        self._moved = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="remote-follower", daemon=True)

    def __enter__(self) -> RemoteFollower:
        self._chant.status(brief=True)  # reads the configuration, which the next line asks
        if self._chant.may_look_at_leases():
            self._bring_up(())
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ends.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=5.0)

    def wait(self, seconds: float) -> None:
        """Wait for a time, or until the checkout has moved."""
        self._moved.wait(seconds)
        self._moved.clear()

    def _follow(self) -> None:
        least, most = _LOOK_LIMITS
        beat: float = self._chant.leases().data["beat_seconds"]
        said: tuple[str, ...] = ()
        while not self._ends.wait(min(max(beat, least), most)):
            said = self._bring_up(said)

    def _bring_up(self, said: Iterable[str]) -> tuple[str, ...]:
        """Bring the checkout up; say once what keeps it from that."""
        try:
            text = self._chant.follow_remote().text
        except ChantError as error:
            why = str(error)
            if why not in said:
                say(why, err=True)
            return (why,)
        if text.startswith("Brought"):
            self._moved.set()
        return ()
