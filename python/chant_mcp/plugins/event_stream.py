"""An agent's output as it comes, and what a plugin's event reader finds in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from chant_mcp.plugins import AgentReport

_LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is handed on; a longer one holds a file, and no event."""


class GarbageReport(Exception):
    """An event reader gave something that is no report."""


def read_reports(
    read: Callable[[Iterator[str]], Iterable[Any] | None], stream: BinaryIO, note_end: Callable[[], None]
) -> Iterator[dict[str, Any]]:
    """Have an event reader read an agent's output; give its reports as they are sent on.

    Args:
        read: The plugin's function: it takes lines, and gives reports.
        stream: The agent's output, until it ends.
        note_end: Called at the end of the output.

    Raises:
        GarbageReport: It gave something else than a report.
    """
    for report in read(_lines(stream, note_end)) or ():
        if not isinstance(report, AgentReport):
            raise GarbageReport(f"gave `{type(report).__name__}` where an `AgentReport` was expected")
        said = {name: value for name, value in report._asdict().items() if value is not None}
        yield {"type": "report", **said}
    # What it did not read is read here: who writes is not kept waiting.
    for _ in _lines(stream, note_end):
        pass


def _lines(stream: BinaryIO, note_end: Callable[[], None]) -> Iterator[str]:
    is_whole = True
    while piece := stream.readline(_LONGEST_LINE):
        was_whole, is_whole = is_whole, piece.endswith(b"\n")
        if was_whole and (is_whole or len(piece) < _LONGEST_LINE):
            yield piece.decode("utf-8", "replace").rstrip("\r\n")
    note_end()
