"""The stream of versions: one watch waits for changes, and all open pages hear of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

import anyio.to_thread

from chant_mcp.change_watch import ChangeWatch
from chant_mcp.errors import ChantError, NotInitializedError
from chant_mcp.session import Session

_TURN = 1.0
"""Seconds after which runs and questions are looked at, which no watch reports."""

_KEEP_ALIVE = 15.0
"""Seconds of silence after which a stream says that it is alive, so that a dead one is noticed."""

_STREAMS = 64
"""The most pages that listen at once."""


class VersionFeed:
    """Versions of what the board shows, for any number of pages of one event loop; else nothing runs."""

    def __init__(self, session: Session) -> None:
        """Take the project; nothing is listened to yet."""
        self._session = session
        self._listeners: set[asyncio.Event] = set()
        self._watch: ChangeWatch | None = None
        self._looks: asyncio.Task[None] | None = None
        self._version = 0

    async def follow(self) -> AsyncIterator[int | None]:
        """Give the version from which on nothing is missed, then each later one; `None` after some silence.

        Versions that come faster than they are taken are skipped: the last one counts.
        """
        if len(self._listeners) >= _STREAMS:
            return
        changed, seen = asyncio.Event(), self._version - bool(self._listeners)
        self._listeners.add(changed)
        self._start()
        try:
            while True:
                changed.clear()
                if self._version != seen:
                    seen = self._version
                    yield seen
                elif not await _is_set_within(changed, _KEEP_ALIVE):
                    yield None
        finally:
            self._listeners.discard(changed)
            self._stop_unheard()

    def _start(self) -> None:
        if self._watch is None:
            loop = asyncio.get_running_loop()

            def report() -> None:
                with suppress(RuntimeError):  # the server ends, and its loop is closed
                    loop.call_soon_threadsafe(self._announce)

            self._watch = ChangeWatch(self._session, report)
            self._watch.begin()
            self._looks = asyncio.ensure_future(self._look_at_runs())

    def _stop_unheard(self) -> None:
        if not self._listeners and self._watch is not None and self._looks is not None:
            self._watch.end()
            self._looks.cancel()
            self._watch = self._looks = None

    async def _look_at_runs(self) -> None:
        """Announce what becomes of runs and questions."""
        before: str | None = None
        while True:
            now = await anyio.to_thread.run_sync(self._runs_and_questions)
            if before is not None and now != before:
                self._announce()
            before = now
            await asyncio.sleep(_TURN)

    def _runs_and_questions(self) -> str:
        """Give what is another when a run or a question is."""
        chant, speckit = self._session.chant, self._session.speckit
        return _json_of(lambda: chant.work_list(include_completed=False).json) + _json_of(
            lambda: speckit.questions().json
        )

    def _announce(self) -> None:
        self._version += 1
        for changed in self._listeners:
            changed.set()


def _json_of(ask: Callable[[], str | None]) -> str:
    try:
        return ask() or ""
    except NotInitializedError:
        return ""
    except ChantError as error:
        return str(error)


async def _is_set_within(event: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), seconds)
    except asyncio.TimeoutError:
        return False
    return True
