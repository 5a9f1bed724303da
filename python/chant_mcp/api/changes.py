"""Waiting for what changes in a workspace."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import chant_mcp

_SLICE = 0.5
"""Seconds after which a wait looks whether anybody still waits."""


@dataclass(frozen=True, slots=True)
class Change:
    """What became of items since the last look, by their keys."""

    added: tuple[str, ...]
    """Keys of items that are new."""
    changed: tuple[str, ...]
    """Those whose documents say something else, or whose state is another because of others."""
    removed: tuple[str, ...]
    """Keys of items that are gone."""
    is_reset: bool = False
    """Whether more changed than is remembered, so that there are no keys: look at everything."""


class Changes:
    """What changes from the moment on at which this is made.

    On Linux local disks the kernel wakes a wait; elsewhere the stamps of the files are compared ten
    times a second. Everything is looked at once more after a second, because a folder may be new. Who
    asks gets all that happened since the last answer, as one change; nothing is lost in between, but of
    more than 4,096 changes only that there were so many.
    Several waits at once on one object take turns.
    """

    def __init__(self, workspace: chant_mcp.Workspace) -> None:
        """Read what there is now."""
        self._core = workspace.core.changes()
        self._found: deque[Change] = deque()

    def wait(self, seconds: float) -> Change | None:
        """Wait for a change, at most so long; `None` when there was none."""
        found = self._core.wait(seconds)
        if found is None:
            return None
        return Change(tuple(found["added"]), tuple(found["changed"]), tuple(found["removed"]), found["reset"])

    def __aiter__(self) -> Changes:
        return self

    async def __anext__(self) -> Change:
        while not self._found:
            await asyncio.to_thread(self._look)
        return self._found.popleft()

    def _look(self) -> None:
        # A thread cannot be cancelled, so that it must not wait for ever; and what it finds for somebody
        # who gave up is the next one's.
        change = self.wait(_SLICE)
        if change is not None:
            self._found.append(change)

    def __await__(self) -> Generator[Any, None, Change]:
        return self.__anext__().__await__()
