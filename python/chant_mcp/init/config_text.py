"""The text of `.chant/config.md`: made once, then edited a line at a time."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from datetime import date

from chant_mcp.errors import InvalidDocumentError

FILE = ".chant/config.md"

_PLAIN = re.compile(r"[A-Za-z_][\w./@+-]*( [\w./@+-]+)*", re.ASCII)
_WORDS = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")

_QUOTED = re.compile(r"""\"(?:\\.|[^"\\])*\"|'(?:''|[^'])*'""")
_UNQUOTED = re.compile(r"[^\s#](?:\S|[ \t]+[^\s#])*")

_BODY = """\

# {title}

Chant was set up here on {day}. Specs are in `specs/`, one markdown file each; prompt templates are in
`prompts/`. The keys above are the project's settings; this text is free.
"""


def new(name: str, provider: str | None, model: str | None, day: date) -> str:
    """Write a new configuration."""
    defaults = {"prompt": "standard", "provider": provider, "model": model}
    keys = "".join(f"  {key}: {scalar(value)}\n" for key, value in defaults.items() if value is not None)
    front = f"---\nproject:\n  name: {scalar(name)}\ndefaults:\n{keys}---\n"
    return front + _BODY.format(title=name, day=day.isoformat())


def scalar(text: str) -> str:
    """Write a text as a YAML value, quoted where it would not be read as that text."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


def value(text: str, block: str, key: str) -> str | None:
    """Read what a key of a block says, as it is written; none when it says nothing.

    Raises:
        InvalidDocumentError: As `with_value`.
    """
    lines = _lines(text)
    found = _find(lines, block, key)
    return None if found.line is None else _parts(lines[found.line])[1] or None


def with_value(text: str, block: str, key: str, new: str) -> str:
    """Give the text with a key of a block set; no other line changes.

    Raises:
        InvalidDocumentError: When the key has no line of its own and cannot be given one.
    """
    lines = _lines(text)
    line_end = "\r\n" if "\r\n" in text else "\n"
    found = _find(lines, block, key)
    written = scalar(new)
    if found.line is not None:
        before, old, after = _parts(lines[found.line])
        if old != written:
            gap = " " if after.startswith("#") else ""
            lines[found.line] = f"{before.rstrip()} {written}{gap}{after}"
    elif found.block is not None:
        lines.insert(found.block + 1, f"{found.indent}{key}: {written}{line_end}")
    elif found.end is not None:
        lines[found.end : found.end] = [f"{block}:{line_end}", f"  {key}: {written}{line_end}"]
    else:
        lines.insert(0, line_end.join(["---", f"{block}:", f"  {key}: {written}", "---", ""]))
    return "".join(lines)


@dataclass(frozen=True, slots=True)
class _Found:
    """Where in a file's lines a key is, or where it would go."""

    end: int | None = None
    """The closing fence; none without front matter."""
    block: int | None = None
    """The line that opens the block."""
    indent: str = "  "
    """What stands before the block's keys."""
    line: int | None = None
    """The line of the key."""


def _lines(text: str) -> list[str]:
    return io.StringIO(text, newline="\n").readlines()


def _find(lines: list[str], block: str, key: str) -> _Found:
    if not lines or lines[0].lstrip("\ufeff").rstrip() != "---":
        return _Found()
    end = next((at for at in range(1, len(lines)) if lines[at].rstrip() == "---"), None)
    if end is None:
        raise _refusal("its front matter has no closing `---`")
    top = [at for at in range(1, end) if re.match(r"[^\s#]", lines[at])]
    opening = [at for at in top if _is_key(lines[at], block)]
    if not opening:
        return _Found(end)
    if len(opening) > 1 or not re.fullmatch(rf"{re.escape(block)}:\s*(#.*)?\s*", lines[opening[0]]):
        raise _refusal(f"`{block}` is not written as a block with a line for each key")
    stop = next((at for at in top if at > opening[0]), end)
    inner = [at for at in range(opening[0] + 1, stop) if re.match(r"\s+[^\s#]", lines[at])]
    if not inner:
        return _Found(end, opening[0])
    indent = _margin(lines[inner[0]])
    keys = [at for at in inner if _margin(lines[at]) == indent and _is_key(lines[at].lstrip(), key)]
    if not keys:
        return _Found(end, opening[0], indent)
    after = next((at for at in inner if at > keys[0]), None)
    if len(keys) > 1 or (after is not None and len(_margin(lines[after])) > len(indent)):
        raise _refusal(f"`{block}.{key}` is not written on one line")
    return _Found(end, opening[0], indent, keys[0])


def _is_key(line: str, name: str) -> bool:
    return re.match(rf"""(['"]?){re.escape(name)}\1\s*:""", line) is not None


def _margin(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _parts(line: str) -> tuple[str, str, str]:
    """Split `key: value # remark` into what stands before the value, the value, and what follows."""
    start = line.index(":") + 1
    start += len(_margin(line[start:].rstrip("\r\n")))
    rest = line[start:]
    found = _QUOTED.match(rest) or _UNQUOTED.match(rest)
    length = found.end() if found else 0
    return line[:start], rest[:length], rest[length:]


def _refusal(why: str) -> InvalidDocumentError:
    return InvalidDocumentError(f"`{FILE}` cannot be edited without risk: {why}. Nothing was changed.")
