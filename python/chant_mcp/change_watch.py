"""Waits for changes of a project's files in a thread of its own; nothing is asked while nothing changes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from chant_mcp._core import Changes
from chant_mcp.errors import ChantError
from chant_mcp.session import Session

logger = logging.getLogger("chant_mcp.board")

_TURN = 5.0
"""Seconds of one wait."""

_RETRY = 1.0
"""Seconds after which a project that cannot be read is tried again."""


class ChangeWatch:
    """Reports each change until it is ended."""

    def __init__(self, session: Session, report: Callable[[], object]) -> None:
        """Take the project and what to call, which is called in the thread of the watch."""
        self._session = session
        self._report = report
        self._ended = threading.Event()
        self._changes: Changes | None = None
        self._thread = threading.Thread(target=self._watch, name="board-changes", daemon=True)

    @property
    def is_active(self) -> bool:
        """Whether changes are reported at this time."""
        return self._changes is not None

    def begin(self) -> None:
        """Begin to wait."""
        self._thread.start()

    def end(self) -> None:
        """End the wait that is under way; nothing is reported any more."""
        self._ended.set()
        if (changes := self._changes) is not None:
            changes.stop()

    def _watch(self) -> None:
        while not self._ended.is_set():
            self._wait_for_changes()
            self._changes = None
            self._ended.wait(_RETRY)

    def _wait_for_changes(self) -> None:
        """Report changes until the watch is ended, or the project cannot be read."""
        try:
            self._changes = changes = self._session.workspace.changes()
            self._report()
            while not self._ended.is_set():
                if changes.wait(_TURN, around=True) is not None and not self._ended.is_set():
                    self._report()
        except ChantError as error:
            logger.debug("the board cannot wait for changes: %s", error)
