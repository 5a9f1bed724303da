"""Files that a process holds as long as it lives, so that others can see whether it does."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    _AT = 1 << 30  # beyond the content, which others may read

    def _lock(file: int, *, wait: bool) -> None:
        os.lseek(file, _AT, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        os.lseek(file, 0, os.SEEK_SET)

else:
    import fcntl

    def _lock(file: int, *, wait: bool) -> None:
        fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def hold(path: Path) -> int:
    """Open a file, made for its owner alone if it is not there, and hold it until it is closed.

    Raises:
        BlockingIOError: When a process that lives holds it.
        OSError: When it cannot be opened.
    """
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(file, wait=False)
    except OSError as error:
        os.close(file)
        raise BlockingIOError(str(path)) from error
    return file


@contextmanager
def turn(path: Path) -> Generator[None]:
    """Wait until no one else holds a file, then hold it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        _lock(file, wait=True)
        yield
    finally:
        os.close(file)
