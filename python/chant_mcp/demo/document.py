"""A spec's text as the demo agent reads and changes it.

The agent does not ask the core for this: it is no part of what it works for, and must not lock, index or
recover anything. Of YAML and CommonMark it knows what specs are written with: lists in block and flow
style; headings with `#`, list items, code blocks and comments.
"""

from __future__ import annotations

import json
import re
from functools import cached_property

_FRONT = re.compile(
    r"\ufeff?(?:[ \t]*\r?\n)*---[ \t]*\r?\n(.*?)^---[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE
)
_STATUS = re.compile(r"^status[ \t]*:[^\r\n]*", re.MULTILINE)
_QUOTED = r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'"""
_BLOCK_ITEM = re.compile(rf"[ \t]*-[ \t]+({_QUOTED}|[^\s#]\S*(?:[ \t]+[^\s#]\S*)*)", re.ASCII)
_FLOW_ITEM = re.compile(
    rf"(?:[\s,]|#[^\n]*\n)*({_QUOTED}|[^\s,\]#][^\s,\]]*(?:[ \t]+[^\s,\]#][^\s,\]]*)*)", re.ASCII
)

_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)[ \t]*")
_BOX = re.compile(r"\[[ xX]\](?=[ \t]|$)")
_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*)|$)")
_FENCE = re.compile(r"`{3,}(?=[^`]*$)|~{3,}")
_COMMENT_END = re.compile(r".*-->")
_CODE = 4
"""Columns by which code is indented."""


class Document:
    """A spec's text. What is not changed stays as it is, line ends included."""

    def __init__(self, text: str) -> None:
        """Take the text; it never changes."""
        self.text = text

    @property
    def title(self) -> str | None:
        """What the first heading of level 1 says."""
        return self._body.title or None

    @property
    def criteria(self) -> list[int]:
        """Where the mark in the box of each criterion stands, in the order of the text."""
        return self._body.boxes

    @property
    def criteria_texts(self) -> list[str]:
        """What each criterion says on its own line."""
        behind = len("x]")
        return [_LINE.match(self.text, at + behind)[1].strip() for at in self.criteria]  # type: ignore[index]

    def values(self, key: str) -> list[str]:
        """Give the texts of a list in the front matter; none where there is no such list."""
        front = self._front[1] if self._front else ""
        found = re.search(rf"^{key}[ \t]*:[ \t]*", front, re.MULTILINE)
        if found is None:
            return []
        value = front[found.end() :]
        return _flow(value) if value.startswith("[") else _block(value)

    def value(self, key: str) -> str | None:
        """Give the text of a key in the front matter; none where there is no such key."""
        front = self._front[1] if self._front else ""
        found = re.search(rf"^{key}[ \t]*:[ \t]*({_QUOTED}|[^\s#][^\r\n]*?)[ \t]*$", front, re.MULTILINE)
        return _unquoted(found[1]) if found else None

    def ticked(self, most: int | None = None) -> Document:
        """Tick the criteria that are open, or only so many of them."""
        marks = list(self.text)
        for at in [at for at in self.criteria if marks[at] == " "][:most]:
            marks[at] = "x"
        return Document("".join(marks))

    def reworded(self) -> Document:
        """Make the first criterion easier."""
        behind = self.criteria[0] + len("x]")
        return Document(f"{self.text[:behind]} Nearly:{self.text[behind:]}")

    def without_last_criterion(self) -> Document:
        """Delete the line of the last criterion."""
        line = next(line for line in _LINE.finditer(self.text) if line.end() > self.criteria[-1])
        return Document(self.text[: line.start()] + self.text[line.end() :])

    def with_status(self, status: str) -> Document:
        """Change the status in the front matter, or say it there."""
        start, end = self._front.span(1) if self._front else (0, 0)
        line = _STATUS.search(self.text, start, end)
        if line is None:
            return Document(f"{self.text[:start]}status: {status}\n{self.text[start:]}")
        return Document(f"{self.text[: line.start()]}status: {status}{self.text[line.end() :]}")

    @cached_property
    def _front(self) -> re.Match[str] | None:
        return _FRONT.match(self.text)

    @cached_property
    def _body(self) -> _Body:
        body = _Body()
        start = self._front.end() if self._front else 0
        for line in _LINE.finditer(self.text, start):
            body.take(line[1].removeprefix("\ufeff"), line.end(1))
        return body


def _block(value: str) -> list[str]:
    items: list[str] = []
    for line in value.splitlines()[1:]:
        if item := _BLOCK_ITEM.match(line):
            items.append(_unquoted(item[1]))
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return items


def _flow(value: str) -> list[str]:
    items: list[str] = []
    at = len("[")
    while item := _FLOW_ITEM.match(value, at):
        items.append(_unquoted(item[1]))
        at = item.end()
    return items


def _unquoted(scalar: str) -> str:
    if scalar.startswith("'"):
        return scalar[1:-1].replace("''", "'")
    if not scalar.startswith('"'):
        return scalar
    try:
        return json.loads(scalar)
    except ValueError:  # an escape that only YAML knows
        return scalar[1:-1]


class _Body:
    """Reads title and criteria from the lines of a body."""

    def __init__(self) -> None:
        self.title: str | None = None
        self.boxes: list[int] = []
        self._section = 0
        """The level of the heading whose section of criteria is open, 0 without one."""
        self._items: list[int] = []
        """The columns where the contents of the open list items begin."""
        self._closing: re.Pattern[str] | None = None
        """What ends the open code block or comment."""

    def take(self, line: str, end: int) -> None:
        """Read the next line, whose end is so far into the text."""
        at = len(line) - len(line.lstrip(" \t"))
        if at == len(line):
            return
        column = _column(line, at)
        if self._closing and column >= self._edge:
            if self._closing.match(line, at):
                self._closing = None
            return
        # What is open ends with the list item it stands in.
        self._closing = None
        while column < self._edge:
            self._items.pop()
        at, is_item = self._enter_items(line, at)
        if _column(line, at) - self._edge < _CODE:
            self._take_words(line[at:], end - len(line) + at, is_item)

    @property
    def _edge(self) -> int:
        return self._items[-1] if self._items else 0

    def _enter_items(self, line: str, at: int) -> tuple[int, bool]:
        """Step over the markers of list items that begin here."""
        before = at
        while _column(line, at) - self._edge < _CODE and (item := _ITEM.match(line, at)):
            marker_end = _column(line, at + len(item[0].rstrip(" \t")))
            at = item.end()
            blanks = _column(line, at) - marker_end
            is_usual = 0 < blanks <= _CODE and at < len(line)
            self._items.append(marker_end + (blanks if is_usual else 1))
        return at, at > before

    def _take_words(self, words: str, start: int, is_item: bool) -> None:
        if is_item and _BOX.match(words):
            if self._section:
                self.boxes.append(start + len("["))
        elif fence := _FENCE.match(words):
            self._closing = re.compile(rf"{fence[0]}{fence[0][0]}*[ \t]*$")
        elif words.startswith("<!--") and "-->" not in words:
            self._closing = _COMMENT_END
        elif not self._items and (heading := _HEADING.match(words)):
            self._take_heading(len(heading[1]), (heading[2] or "").strip())

    def _take_heading(self, level: int, text: str) -> None:
        if level == 1 and self.title is None:
            self.title = text
        if level <= self._section:
            self._section = 0
        if level > 1 and not self._section and text.lower().startswith("acceptance criteria"):
            self._section = level


def _column(line: str, at: int) -> int:
    return len(line[:at].expandtabs(_CODE))
