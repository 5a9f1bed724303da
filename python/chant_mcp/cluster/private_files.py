"""Files that only their owner reads."""

from __future__ import annotations

import os
from pathlib import Path


def write_new_file(path: Path, data: bytes) -> None:
    """Write a file of mode 0600 that is not there yet.

    Raises:
        FileExistsError: It is there, if only as a link.
        OSError: It cannot be written.
    """
    _write(path, data, os.O_EXCL)


def replace_file(path: Path, data: bytes) -> None:
    """Write a file of mode 0600 in one step, in place of what is there.

    Raises:
        OSError: It cannot be written.
    """
    new = path.with_name(f"{path.name}.new")
    _write(new, data, os.O_TRUNC)
    new.replace(path)


LARGEST_LOG = 1024 * 1024
"""The bytes of a log that is bounded."""
_KEPT_OF_LOG = 64 * 1024


def bound_log(path: Path, descriptor: int) -> None:
    """Keep only the end of a log that has become too long.

    Args:
        path: The log.
        descriptor: What is open for writing there; nothing is done where it is something else.

    Raises:
        OSError: It cannot be read or written.
    """
    if os.fstat(descriptor).st_size <= LARGEST_LOG or not os.path.samestat(path.stat(), os.fstat(descriptor)):
        return
    with path.open("rb") as log:
        log.seek(-_KEPT_OF_LOG, os.SEEK_END)
        end = log.read(_KEPT_OF_LOG).partition(b"\n")[2]
    os.ftruncate(descriptor, 0)
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.write(descriptor, end)


def _write(path: Path, data: bytes, how: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | how, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
