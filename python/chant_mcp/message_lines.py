"""Messages as lines: how an input is read, by whichever server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

LONGEST_MESSAGE = 16 * 1024 * 1024
"""Bytes of a message."""

LONGEST_TEXT = 10_000
"""Characters of an ID, and of a text outside of a tool's arguments; errors quote such texts."""

_LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a line that are kept; messages are shorter."""


def lines_of(source: BinaryIO) -> Iterator[bytes]:
    """Give the lines of an input until it ends; of one that is too long only the beginning."""
    for line in iter(lambda: source.readline(_LONGEST_LINE), b""):
        yield line
        rest = line
        while len(rest) == _LONGEST_LINE and not rest.endswith(b"\n"):
            rest = source.readline(_LONGEST_LINE)
