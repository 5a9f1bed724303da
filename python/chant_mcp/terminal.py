"""What texts of documents may do to a terminal: nothing.

Titles, bodies, log lines, names of branches and files, and what agents say are written by others. Printed as
they are, some of their characters would steer the terminal, turn text around, or hide it.
"""

from __future__ import annotations

import sys
from functools import cache

from chant_mcp.output_mode import MODE

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import TextIO

    from chant_mcp.errors import ChantError

_REPLACED = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and line break, DEL, C1
    "\u2028\u2029"  # separators of lines and paragraphs
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # the direction of text
    "\ufff9-\ufffb"  # annotations
    "\ud800-\udfff"  # halves of characters
)
_REMOVED = (
    "\u00ad\u180e\u200b-\u200d\u2060-\u2065\u206a-\u206f\ufeff"  # no width
    "\U000e0000-\U000e0fff"  # tags, and variants of nothing that is seen
)

_CODE = r"(?:[01234]|2[234]|39|[39][0-7]|38;5;\d{1,3}|38;2;\d{1,3};\d{1,3};\d{1,3})"
_COLOUR = rf"(\x1b\[(?:{_CODE}(?:;{_CODE})*)?m)"
"""Colours of letters and their weight: with these alone nothing can be written that is not seen."""


def harmless(text: str) -> str:
    """Replace the characters that would steer the terminal or turn text around; take out those not seen."""
    if _is_harmless(text):
        return text
    steered = _pattern(f"[{_REPLACED}]").sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))
    return _pattern(f"[{_REMOVED}]").sub("", steered)


def _is_harmless(text: str) -> bool:
    """Say quickly that there is none of these characters in most texts that have none."""
    seen = text.replace("\n", "").replace("\t", "")
    return seen.isprintable() and (seen.isascii() or max(seen) < "\U000e0000")


@cache
def _pattern(words: str) -> re.Pattern[str]:
    import re  # takes longer to import than most commands that only read

    return re.compile(words)


def coloured(text: str) -> str:
    """Make a log's text harmless but for the colours of its letters."""
    parts = _pattern(_COLOUR).split(text)
    kept = "".join(part if at % 2 else harmless(part) for at, part in enumerate(parts))
    return f"{kept}\x1b[0m" if len(parts) > 1 else kept


def harmless_json(text: str) -> str:
    """Write the same characters of a JSON text as escapes, so that none is lost."""
    return text if _is_harmless(text) else _pattern(f"[{_REPLACED}{_REMOVED}]").sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass")
    if len(units) == 2 and found[0] < " ":
        return found[0]  # between values it is layout; in a text JSON itself writes it as an escape
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: `1 line`, `2 lines`."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def say(text: str, *, nl: bool = True, err: bool = False) -> None:
    """Print a text, whatever it holds."""
    _write(harmless(text) + "\n" * nl, sys.stderr if err else sys.stdout)


JSON_SCHEMA = 1
"""The version of the envelope that commands print with `--json`; a key of another meaning raises it."""


def say_json(text: str) -> None:
    """Print a JSON text in the envelope of commands, whatever it holds: see `docs/guide/commands.md`."""
    _say_envelope(f'"ok": true,{_gap(text)}"data": {text}')


def say_json_error(error: ChantError) -> None:
    """Print an error in the envelope, if the command answers as JSON; standard error has its sentence."""
    if not MODE.prints_json:
        return
    import json

    said = {"code": error.code, "message": error.message, "details": error.details}
    _say_envelope(f'"ok": false, "error": {json.dumps(said, ensure_ascii=False)}')


def _gap(text: str) -> str:
    # What is one line stays one, for who reads lines as they come.
    return "\n" if "\n" in text else " "


def _say_envelope(rest: str) -> None:
    text = f'{{"schema": {JSON_SCHEMA}, "command": "{MODE.command}", {rest}}}'
    _write(f"{harmless_json(text)}\n", sys.stdout)


def _write(text: str, stream: TextIO | None) -> None:
    if stream is not None:  # a process without a console has none
        stream.write(text)
        stream.flush()
