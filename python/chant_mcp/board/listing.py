"""A list in which only what changed is drawn again, and the chosen row stays chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.widgets import OptionList
from textual.widgets.option_list import Option


@dataclass(frozen=True, slots=True)
class Row:
    """A row; those without a key are headings and cannot be chosen."""

    key: str | None
    text: Text


class Listing(OptionList):
    """Rows of which one is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "cursor_down", show=False),
        Binding("k", "cursor_up", show=False),
        Binding("g", "first", show=False),
        Binding("G", "last", show=False),
    ]

    def __init__(self, *, id: str | None = None) -> None:
        """Begin without rows."""
        super().__init__(id=id, markup=False)
        self._rows: list[Row] = []

    @property
    def key(self) -> str | None:
        """The key of the chosen row."""
        return None if self.highlighted is None else self._rows[self.highlighted].key

    def fill(self, rows: Sequence[Row]) -> None:
        """Show these rows."""
        old, new = self._rows, list(rows)
        if old == new:
            return
        if [row.key for row in new[: len(old)]] == [row.key for row in old]:
            self._rows = new
            for at, (before, after) in enumerate(zip(old, new, strict=False)):
                if before.text != after.text:
                    self.replace_option_prompt_at_index(at, after.text)
            self.add_options(map(_option, new[len(old) :]))
            return
        key, at, top = self.key, self.highlighted, self.scroll_offset.y
        self._rows = new
        self.set_options(map(_option, new))
        self.scroll_to(y=top, animate=False, immediate=True)
        self.choose(key)
        if self.highlighted is None and at is not None and new:
            self.highlighted = min(at, len(new) - 1)

    def choose(self, key: str | None) -> None:
        """Choose a row; nothing happens where there is no such row."""
        keys = [row.key for row in self._rows]
        if key is not None and key in keys:
            self.highlighted = keys.index(key)

    def on_focus(self) -> None:
        """Choose something when the keyboard comes here."""
        if self.highlighted is None and self._rows:
            self.action_first()


def _option(row: Row) -> Option:
    return Option(row.text, disabled=row.key is None)
