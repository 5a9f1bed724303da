"""Frames between a job client and its placer: lines of JSON, and bytes behind those that announce some."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from chant_mcp.cluster.received import as_table

LONGEST_LINE = 1024 * 1024
"""The bytes of a line."""
MAX_BYTES = (64 + 16) * 1024 * 1024
"""The bytes behind a line: a bundle and a log."""

Frame = dict[str, Any]


class FrameError(Exception):
    """What came is no frame; the connection ends."""


async def read_frame(reader: asyncio.StreamReader) -> tuple[Frame, bytes] | None:
    """Read a frame and the bytes behind it; `None` at the end of the connection.

    The reader must have been made with a limit of `LONGEST_LINE`.

    Raises:
        FrameError: It is none, or larger than agreed.
    """
    try:
        line = await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError as error:
        if error.partial:
            raise FrameError("the connection ended within a line") from error
        return None
    except asyncio.LimitOverrunError as error:
        raise FrameError(f"a line has at most {LONGEST_LINE} bytes") from error
    try:
        frame = as_table(json.loads(line))
    except ValueError as error:
        raise FrameError("a line is no JSON") from error
    if frame is None:
        raise FrameError("a line is no table")
    size = frame.get("bytes", 0)
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size <= MAX_BYTES:
        raise FrameError(f"behind a line there are at most {MAX_BYTES} bytes")
    try:
        return frame, await reader.readexactly(size)
    except asyncio.IncompleteReadError as error:
        raise FrameError("the connection ended within the bytes of a line") from error


async def write_frame(writer: asyncio.StreamWriter, frame: Frame, *parts: bytes) -> None:
    """Write a frame with the bytes behind it, and wait until the system has taken them.

    Raises:
        ConnectionError: The other side is gone.
    """
    size = sum(map(len, parts))
    writer.write(json.dumps({**frame, "bytes": size} if size else frame).encode() + b"\n")
    for part in parts:
        writer.write(part)
    await writer.drain()
