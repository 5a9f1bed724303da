"""Setting one member of a JSON document in place: every other byte stays as it is.

Where its readers take comments and trailing commas, these are read as blanks, so that each member
stands where it stood.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from chant_mcp.errors import InvalidDocumentError

_BLANK = re.compile(r"[ \t\r\n]*")
_NO_VALUE = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|(?P<comma>,)(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])""",
    re.DOTALL,
)
"""Texts, comments, and commas behind which no member stands."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object: its name, and where its name and its value stand."""

    name: str
    start: int
    value_start: int
    value_end: int


def value_at(text: str, path: tuple[str, ...], file: str, *, has_comments: bool = False) -> Any:
    """Read the value that nested objects hold under a path of names; none when there is none.

    Raises:
        InvalidDocumentError: When the text is no JSON object, or a value on the way is none.
    """
    value: Any = _parsed(_as_read(text, has_comments), file, has_comments)
    for depth, name in enumerate(path):
        members = as_object(value)
        if members is None:
            where = f"`{'.'.join(path[:depth])}` in `{file}`" if depth else f"`{file}`"
            raise InvalidDocumentError(f"{where} is not a JSON object. Nothing was changed.")
        if name not in members:
            return None
        value = members[name]
    return value


def with_value(text: str, path: tuple[str, ...], value: Any, file: str, *, has_comments: bool = False) -> str:
    """Give the text with a value under a path of names; objects missing on the way are made.

    The value is indented as the rest of the document is.

    Raises:
        InvalidDocumentError: As `value_at`; or a name on the way stands twice.
    """
    value_at(text, path, file, has_comments=has_comments)
    read = _as_read(text, has_comments)
    start = _skip(read, 1 if text.startswith("\ufeff") else 0)
    style = _style(text)
    for depth, name in enumerate(path):
        members = list(_members(read, start))
        at = _place(members, name, file)
        if at is None:
            nested = value
            for inner in reversed(path[depth + 1 :]):
                nested = {inner: nested}
            return _with_member(text, read, start, members, name, nested, style, depth)
        found = members[at]
        if depth == len(path) - 1:
            return text[: found.value_start] + style.written(value, depth + 1) + text[found.value_end :]
        start = found.value_start
    return text


def without(text: str, path: tuple[str, ...], file: str, *, has_comments: bool = False) -> str:
    """Give the text without the member under a path of names; as it is where there is none.

    Raises:
        InvalidDocumentError: As `with_value`.
    """
    value_at(text, path, file, has_comments=has_comments)
    read = _as_read(text, has_comments)
    start = _skip(read, 1 if text.startswith("\ufeff") else 0)
    members = list(_members(read, start))
    for name in path[:-1]:
        if (outer := _place(members, name, file)) is None:
            return text
        start = members[outer].value_start
        members = list(_members(read, start))
    if (at := _place(members, path[-1], file)) is None:
        return text
    if len(members) == 1:
        return text[: start + 1] + text[_skip(text, members[0].value_end) :]
    if at == 0:
        return text[: members[0].start] + text[members[1].start :]
    return text[: members[at - 1].value_end] + text[members[at].value_end :]


def _place(members: list[Member], name: str, file: str) -> int | None:
    """Find a member; none when there is none of this name.

    Raises:
        InvalidDocumentError: When there are two.
    """
    places = [at for at, member in enumerate(members) if member.name == name]
    if len(places) > 1:
        raise InvalidDocumentError(f"`{name}` stands twice in `{file}`. Nothing was changed.")
    return places[0] if places else None


def as_object(value: object) -> dict[str, Any] | None:
    """Give a JSON value that is an object; none for any other."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _as_read(text: str, has_comments: bool) -> str:
    """Give a text with blanks in place of what carries no value, as long as before."""
    if not has_comments:
        return text

    def blank(found: re.Match[str]) -> str:
        return found[0] if found["text"] else re.sub(r"[^\r\n]", " ", found[0])

    return _NO_VALUE.sub(blank, text)


def _parsed(text: str, file: str, has_comments: bool) -> Any:
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (json.JSONDecodeError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        what = "JSON" if has_comments else "plain JSON"
        told = "" if has_comments else ": comments and trailing commas are not allowed"
        raise InvalidDocumentError(
            f"`{file}` is not {what}{where}{told}. "
            "Nothing was changed.\nAdd the server by hand, or fix the file and run this again."
        ) from error


def _members(text: str, start: int) -> Iterator[Member]:
    """Walk over the members of the object that begins at `start`; the text is valid JSON."""
    decoder = json.JSONDecoder()
    at = _skip(text, start + 1)
    while text[at] != "}":
        name, after = decoder.raw_decode(text, at)
        value_start = _skip(text, _skip(text, after) + 1)
        _, value_end = decoder.raw_decode(text, value_start)
        yield Member(name, at, value_start, value_end)
        at = _skip(text, value_end)
        if text[at] == ",":
            at = _skip(text, at + 1)


def _with_member(
    text: str, read: str, start: int, members: list[Member], name: str, value: Any, style: _Style, depth: int
) -> str:
    """Add a member at the end of the object that begins at `start`, spaced as its members are.

    Where comments stand before its end, they stay behind the last member.
    """
    member = f"{json.dumps(name, ensure_ascii=False)}: {style.written(value, depth + 1)}"
    if not members:
        # Comments in an empty object stay where they are, behind ours.
        end = _skip(text, start + 1)
        return f"{text[: start + 1]}{style.margin(depth + 1)}{member}{style.margin(depth)}{text[end:]}"
    first, last = members[0].start, members[-1].value_end
    between = text[start + 1 : first] or " "
    if read[start + 1 : first] != between:
        between = style.margin(depth + 1) or " "
    return f"{text[:last]},{between}{member}{text[last:]}"


@dataclass(frozen=True, slots=True)
class _Style:
    """How a document is laid out."""

    indent: str | None
    """What a level adds to the margin; none for a document on one line."""
    line_end: str

    def margin(self, depth: int) -> str:
        """Give what stands before a line at some depth, the line break included."""
        return "" if self.indent is None else self.line_end + self.indent * depth

    def written(self, value: Any, depth: int) -> str:
        """Write a value that stands at some depth."""
        text = json.dumps(value, indent=self.indent, ensure_ascii=False)
        return text.replace("\n", self.margin(depth))


def _style(text: str) -> _Style:
    line_end = "\r\n" if "\r\n" in text else "\n"
    is_one_line = "\n" not in text.strip() and '"' in text
    found = re.search(r"^([ \t]+)\"", text, re.MULTILINE)
    return _Style(None if is_one_line else found[1] if found else "  ", line_end)


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at
