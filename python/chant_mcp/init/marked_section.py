"""A section of ours in a text file of others, between two marks; the first holds its hash."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

BEGIN = b"<!-- chant:begin"
END = b"<!-- chant:end -->"

_BEGIN_LINE = re.compile(rb"<!-- chant:begin(?: sha256=([0-9a-f]{16}))? -->\s*")
_FENCE = re.compile(rb" {0,3}(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class MarkedSection:
    """Where our section stands."""

    start: int
    """The first byte of its first mark."""
    end: int
    """The byte behind its last mark; a line break may follow."""
    is_ours: bool
    """Whether it says what we wrote: the hash in its first mark is right."""


def section_bytes(text: bytes, line_end: bytes = b"\n") -> bytes:
    """Write a section with its marks; no line break stands at its end."""
    lines = text.strip().splitlines()
    return line_end.join([b"%s sha256=%s -->" % (BEGIN, _hash(lines)), *lines, END])


def find_section(content: bytes) -> MarkedSection | None:
    """Find the section; none where there is no mark.

    Marks count where they are a whole line and stand in no block of code.

    Raises:
        ValueError: When the marks do not enclose one section.
    """
    begins: list[tuple[int, bytes | None]] = []
    ends: list[int] = []
    for start, line in lines_outside_of_code(content):
        if found := _BEGIN_LINE.fullmatch(line):
            begins.append((start, found[1]))
        elif line.strip() == END:
            ends.append(start)
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or ends[0] < begins[0][0]:
        raise ValueError("the marks do not enclose one section")
    (start, written), end = begins[0], ends[0]
    body = content[start:end].splitlines()[1:]
    return MarkedSection(start, end + len(END), written is not None and written == _hash(body))


def lines_outside_of_code(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Give each line that stands in no fenced block, with the byte that it begins at."""
    start, fence = 0, b""
    for line in content.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            is_closed = mark is not None and mark[1].startswith(fence) and not line[mark.end() :].strip()
            fence = b"" if is_closed else fence
        elif mark is not None:
            fence = mark[1]
        else:
            yield start, line
        start += len(line)


def line_end_of(content: bytes) -> bytes:
    """Say how most lines of a file end."""
    return b"\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else b"\n"


def appended(content: bytes, addition: bytes) -> bytes:
    """Give a file with lines at its end, a blank line before them; they end with a line break."""
    line_end = line_end_of(content)
    if not content:
        return addition + line_end
    gap = line_end if content.endswith(b"\n") else line_end * 2
    return content + gap + addition + line_end


def without_addition(content: bytes, start: int, end: int) -> bytes:
    """Take out lines that `appended` has written, whatever stands behind them."""
    line_end = line_end_of(content)
    if content.startswith(line_end, end):
        end += len(line_end)
    if content.endswith(line_end * 2, 0, start):
        start -= len(line_end)
    return content[:start] + content[end:]


def _hash(lines: list[bytes]) -> bytes:
    """Hash what a section says, however its lines end."""
    return hashlib.sha256(b"\n".join(lines)).hexdigest()[:16].encode()
