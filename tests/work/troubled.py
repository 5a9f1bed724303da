"""Processes whose writes fail and whose clock jumps, for tests; bench/torture/trouble.c makes it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from bench.torture.trouble import Trouble, is_possible

WORDS = (
    *(os.strerror(number).lower() for number in (errno.ENOSPC, errno.EIO)),
    "out of diskspace",
    "a full disk is reported like that",
)
"""What the system, the git program and its library say of a write that failed."""


def trouble_for(folder: Path, below: Path, lacks: str = "") -> Trouble:
    """Make trouble for what lies below a folder; skip where that cannot be done."""
    if not is_possible():
        pytest.skip("processes are troubled on Linux only, with a C compiler")
    return Trouble(folder, below, lacks)


def is_told(words: str) -> bool:
    """Return whether somebody says that a write failed, in the system's words."""
    return any(word in words.lower() for word in WORDS)
