"""Messages as lines: how an input is read, by whichever server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

_LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a line; whoever sends a longer one is not heard any more."""


def lines_of(source: BinaryIO) -> Iterator[bytes]:
    """Give the lines of an input until it ends; whoever sends one that is too long is not heard any more."""
    for line in iter(lambda: source.readline(_LONGEST_LINE), b""):
        if len(line) == _LONGEST_LINE:
            return
        yield line
