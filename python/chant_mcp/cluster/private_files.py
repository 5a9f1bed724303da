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


def _write(path: Path, data: bytes, how: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | how, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
