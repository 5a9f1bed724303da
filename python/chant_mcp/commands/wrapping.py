"""Messages on lines of a terminal's width: wrapped between words, commands and paths whole."""

from __future__ import annotations

import re
import shutil
import unicodedata

_WIDEST = 80
_PIECE = re.compile(r"`[^`\n]*`[^\s`]*|[^\s`]+(?:`[^`\n]*`[^\s`]*)*|\S")
"""A word, or what stands between backquotes with what touches it."""


def width_of_messages() -> int:
    """Give the columns that a message may take: those of the terminal, where that is known; at most 80."""
    return min(shutil.get_terminal_size((_WIDEST, 24)).columns, _WIDEST)


def wrapped(text: str, width: int | None = None) -> str:
    """Wrap the lines of a message between words.

    What stands between backquotes, and words longer than a line, stay whole. Lines behind the first of a
    paragraph are indented as it is.

    Args:
        text: The message.
        width: Columns; else those of the terminal.
    """
    most = max(width or width_of_messages(), 20)
    return "\n".join(_wrapped(line, most) for line in text.split("\n"))


def _wrapped(line: str, most: int) -> str:
    if _columns(line) <= most:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    lines, end = [indent], len(indent)
    for found in _PIECE.finditer(line):
        gap, end = line[end : found.start()], found.end()
        is_first = lines[-1] == indent
        if not is_first and gap and _columns(lines[-1] + gap + found[0]) > most:
            lines.append(indent + found[0])
        else:
            lines[-1] += gap + found[0]
    return "\n".join(lines)


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(one) else 1 + (unicodedata.east_asian_width(one) in "WF") for one in text
    )
