"""One thread for each project that a client listens to: it waits in the core for what changes there."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from chant_mcp._core import Changes
from chant_mcp.errors import ChantError
from chant_mcp.session import Session

logger = logging.getLogger("chant_mcp.server")

_TOGETHER = 0.1
"""Seconds for which changes are gathered before they are announced."""

_AGAIN = 5.0
"""Seconds after which a project that could not be read is tried once more."""

_LONG = 3_600.0
"""Seconds of one wait; a change or the end comes before."""


@dataclass(slots=True)
class News:
    """What changed in a project since the last announcement."""

    keys: list[str] = field(default_factory=list[str])
    """Keys of the items that are new, others or gone; each once."""
    come_or_go: bool = False
    """Whether some are new or gone."""
    around: bool = False
    """Whether the formats that there are may be others."""
    unknown: bool = False
    """Whether more changed than is known."""

    def take_in(self, found: dict[str, Any]) -> None:
        """Add what the core found."""
        known = set(self.keys)
        self.keys += [change["key"] for change in found["changes"] if change["key"] not in known]
        self.come_or_go |= bool(found["added"] or found["removed"] or found["reset"])
        self.around |= found["around"]
        self.unknown |= found["reset"]


class ProjectWatch:
    """Waits for changes in the project of a session, from now until it is ended."""

    def __init__(self, session: Session, announce: Callable[[News], Coroutine[Any, Any, None]]) -> None:
        """Begin; to be made in the event loop.

        Args:
            session: The project, which may come to mean another one.
            announce: Takes what changed, in the event loop; the next changes wait until it is done.
        """
        self._session = session
        self._announce = announce
        self._loop = asyncio.get_running_loop()
        self._started = asyncio.Event()
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._changes: Changes | None = None
        self._place = session.place
        threading.Thread(target=self._run, name="chant-changes", daemon=True).start()

    async def started(self) -> None:
        """Wait until every change from now on is announced."""
        await self._started.wait()

    def follow(self) -> None:
        """Look at the project that the session means by now, if it is another one."""
        if self._session.place != self._place:
            self._stop_waiting()

    def end(self) -> None:
        """End, at once, in the event loop: nothing is announced from now on but what is being announced."""
        self._ended.set()
        self._stop_waiting()

    def _stop_waiting(self) -> None:
        with self._lock:
            if self._changes is not None:
                self._changes.stop()

    def _run(self) -> None:
        try:
            self._announce_all()
        except concurrent.futures.CancelledError:
            pass  # the server ends
        except Exception:
            if not self._loop.is_closed():  # else all who listened are gone
                logger.exception("changes are announced no more")
        self._in_loop(self._started.set)

    def _announce_all(self) -> None:
        is_first = True
        while not self._ended.is_set():
            changes = self._listened()
            if changes is not None and not is_first:
                self._hand_over(News(come_or_go=True, around=True, unknown=True))
            is_first = False
            self._in_loop(self._started.set)
            if changes is None or not self._follow_changes(changes):
                self._ended.wait(_AGAIN)

    def _listened(self) -> Changes | None:
        """Begin to listen in the project that is meant now; `None` where it cannot be read."""
        self._place = self._session.place
        try:
            changes = self._session.workspace_as_it_is.changes()
        except ChantError as error:
            self._warn("changes are not announced yet", error)
            return None
        with self._lock:
            self._changes = changes
            if self._ended.is_set():
                changes.stop()
        return changes

    def _follow_changes(self, changes: Changes) -> bool:
        """Announce what changes, until the project is another one; false where it cannot be read any more."""
        while not self._ended.is_set() and self._session.place == self._place:
            try:
                news = self._gathered(changes)
            except ChantError as error:
                self._warn("changes are not announced for a while", error)
                return False
            if news is not None and not self._ended.is_set():
                self._hand_over(news)
        return True

    def _warn(self, what: str, error: ChantError) -> None:
        """Log why nothing is announced, unless nothing shall be: a project may go once its server ended."""
        if not self._ended.is_set():
            logger.warning("%s: %s", what, error.message)

    def _gathered(self, changes: Changes) -> News | None:
        """Wait for a change, and take in what follows it at once."""
        found = changes.wait(_LONG, around=True)
        if found is None:
            return None
        news = News()
        news.take_in(found)
        self._ended.wait(_TOGETHER)
        if (more := changes.wait(0.0, around=True)) is not None:
            news.take_in(more)
        return news

    def _hand_over(self, news: News) -> None:
        announced = self._announce_unless_ended(news)
        try:
            done = asyncio.run_coroutine_threadsafe(announced, self._loop)
        except RuntimeError:
            announced.close()
            raise
        done.result()

    async def _announce_unless_ended(self, news: News) -> None:
        # A loop that closes still begins what came last. The threads that it would use would never be told to
        # end, and the process would wait for them.
        if not self._ended.is_set():
            await self._announce(news)

    def _in_loop(self, call: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # it is closed
            self._loop.call_soon_threadsafe(call)
