"""Where tests keep their folders: in memory, on machines that have room and let programs run there.

The Makefile asks for the Rust tests, `conftest.py` for those in Python.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

MEMORY = Path("/dev/shm")
"""A file system in memory, on Linux."""

ROOM = 2 << 30
"""Bytes that have to be free there."""


def memory_folder() -> Path | None:
    """Give the folder; none where the usual one for temporary files has to do."""
    try:
        room = os.statvfs(MEMORY)
    except (AttributeError, OSError):
        return None
    # Containers often let no program run there, and tests write programs.
    is_apt = os.access(MEMORY, os.W_OK) and not room.f_flag & os.ST_NOEXEC
    return MEMORY if is_apt and room.f_bavail * room.f_frsize > ROOM else None


if __name__ == "__main__":
    sys.stdout.write(f"{memory_folder() or ''}\n")
