"""Folders that one process at a time uses: a worker's, and that of a local cluster."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

_LOCK = "lock"


@contextmanager
def folder_in_use(folder: Path, *, waits: bool) -> Generator[None, None, None]:
    """Use a folder alone; it is made if it is missing.

    Args:
        folder: The folder; a file `lock` in it says that it is used.
        waits: Whether to wait for another process, rather than to fail.

    Raises:
        BlockingIOError: Another process uses it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
        yield
    finally:
        os.close(descriptor)


def is_in_use(folder: Path) -> bool:
    """Say whether a process uses a folder."""
    try:
        with folder_in_use(folder, waits=False):
            return False
    except BlockingIOError:
        return True
