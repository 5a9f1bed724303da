"""Notices that no one reads any more, also while nothing is written."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import Callable
from contextlib import suppress

from chant_mcp.pipe_ends import has_reader


class ReaderWatch:
    """Reports once when no one reads any more."""

    def __init__(self, fd: int, on_gone: Callable[[], object]) -> None:
        """Begin to watch, where that can be done: pipes and sockets of POSIX systems."""
        self._fd = fd
        self._on_gone = on_gone
        self._loop: asyncio.AbstractEventLoop | None = None
        if sys.platform == "win32" or not _is_pipe(fd):
            return
        self._loop = asyncio.get_running_loop()
        # The end for writing becomes readable when the other one is closed.
        self._loop.add_reader(fd, self._look)

    def _look(self) -> None:
        is_gone = not has_reader(self._fd)
        self.stop()  # a socket that has something to read would report that for ever
        if is_gone:
            self._on_gone()

    def stop(self) -> None:
        """Watch no longer."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.remove_reader(self._fd)
            self._loop = None


def _is_pipe(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)
