"""Items by what they mean to a person: a column each, a strip of all, and how far each dialect is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import HorizontalScroll, Vertical
from textual.message import Message
from textual.widgets import OptionList, Static

from chant_mcp.board import words
from chant_mcp.board.feed import PAGE, Data
from chant_mcp.board.listing import Listing, Row
from chant_mcp.commands.rich_console import plain

_BAR = 12
_SHORTEST_BAR = 4
"""Cells of a dialect's bar."""

_NARROWEST, _WIDEST = 26, 44
"""Cells of a column."""

_CARD_LINES, _CARD_EDGE, _FRAME_LINES = 2, 2, 8
"""Lines of a card, cells beside its text, and lines of the screen above and below the cards."""

_SHORT_NAMES = {meaning: short for meaning, (_, _, short, _) in words.MEANINGS.items()}

_AHEAD = 20
"""So many cards before the last one the next page is asked for."""


class Bars(Static):
    """How far each dialect is; the one shown is marked."""

    def __init__(self, *, id: str) -> None:
        """Begin without bars."""
        super().__init__(id=id)
        self._of: list[Data] = []
        self._dialect: str | None = None

    def fill(self, board: Data, dialect: str | None) -> None:
        """Draw the bars."""
        self._of, self._dialect = board["dialects"], dialect
        self._draw()

    def on_resize(self) -> None:
        """Draw them as long as there is room now."""
        self._draw()

    def _draw(self) -> None:
        texts = [(f" {of['dialect']} ", f" {of['done']}/{of['total']}  ", of) for of in self._of]
        is_several = len(texts) > 1
        line = plain(" all ", "reverse bold" if self._dialect is None else "") if is_several else Text()
        room = self.size.width - line.cell_len
        room -= sum(len(name) + len(count) + 1 for name, count, _ in texts)
        width = max(_SHORTEST_BAR, min(_BAR, room // max(1, len(texts))))
        for name, count, of in texts:
            line.append_text(plain(name, "reverse bold" if of["dialect"] == self._dialect else ""))
            line.append(" ").append_text(words.bar(of["done"], of["total"], width)).append(count)
        self.update(line)


class MeaningStrip(Static):
    """All five columns with their counts, also those that are empty or out of sight."""

    def __init__(self, *, id: str) -> None:
        """Begin without counts."""
        super().__init__(id=id)
        self._counts: dict[str, int] = {}
        self._current: str | None = None

    def fill(self, columns: list[Data]) -> None:
        """Show these counts."""
        self._counts = {column["meaning"]: column["count"] for column in columns}
        self._draw()

    def mark(self, meaning: str | None) -> None:
        """Mark the column that the keyboard is in."""
        if meaning != self._current:
            self._current = meaning
            self._draw()

    def on_resize(self) -> None:
        """Write short words where there is little room, and shapes alone where there is less."""
        self._draw()

    def _draw(self) -> None:
        no_names = dict.fromkeys(_SHORT_NAMES, "")
        lines = [self._line({}), self._line(_SHORT_NAMES), self._line(_SHORT_NAMES, 1), self._line(no_names)]
        fitting = [line for line in lines if line.cell_len <= self.size.width]
        self.update((fitting or lines[-1:])[0])

    def _line(self, names: dict[str, str], gap: int = 2) -> Text:
        line = Text(no_wrap=True, overflow="ellipsis")
        for meaning, count in self._counts.items():
            shape, long, _, tone = words.MEANINGS[meaning]
            name = names.get(meaning, long)
            text = f"{name} {count}" if name else f"{count}"
            style = "reverse bold" if meaning == self._current else "" if count else "dim"
            line.append_text(plain(shape, tone if count else "dim"))
            line.append_text(plain(f" {text}", style)).append(" " * gap)
        line.right_crop(gap)
        return line


class Column(Vertical):
    """The items of one meaning."""

    def __init__(self, meaning: str) -> None:
        """Take the meaning; it has no cards yet."""
        super().__init__(classes="column")
        self.meaning = meaning
        self.total = 0
        self._items: list[Data] = []
        self._card_width = _WIDEST

    def compose(self) -> ComposeResult:
        """Put the heading above the cards."""
        yield Static(classes="heading")
        yield Cards()

    @property
    def cards(self) -> Cards:
        """The list of cards."""
        return self.query_one(Cards)

    def fill(self, column: Data) -> None:
        """Show the first cards."""
        self.total = column["count"]
        count = plain(f" {column['count']}", "bold")
        self.query_one(".heading", Static).update(words.meaning(self.meaning).append_text(count))
        self._items = column["items"]
        self._draw_cards()

    def share(self, width: int, seen: int) -> None:
        """Take a width in cells, of which `seen` are never out of sight."""
        self.styles.width = width
        if self._card_width != seen - _CARD_EDGE:
            self._card_width = seen - _CARD_EDGE
            if self._items:
                self._draw_cards()

    def _draw_cards(self) -> None:
        is_scrolled = len(self._items) * _CARD_LINES > self.screen.size.height - _FRAME_LINES
        width = self._card_width - is_scrolled * self.cards.styles.scrollbar_size_vertical
        self.cards.fill([Row(item["key"], words.card(item, width)) for item in self._items])


class Cards(Listing):
    """The cards of a column."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "select", "Open"),
        Binding("left,h", "beside(-1)", "Column", key_display="←→"),
        Binding("right,l", "beside(1)", show=False),
    ]

    def action_beside(self, step: int) -> None:
        """Go to the next column."""
        columns = list(self.screen.query(Cards))
        at = columns.index(self) + step
        if 0 <= at < len(columns):
            columns[at].focus()


class Columns(HorizontalScroll, can_focus=False):
    """The columns in which there is something; the strip above them names all."""

    @dataclass
    class Chosen(Message):
        """A card was chosen."""

        key: str | None
        meaning: str | None = None
        """The column it stands in."""

    @dataclass
    class Short(Message):
        """More cards of a column are needed."""

        meaning: str
        wanted: int

    @property
    def _columns(self) -> dict[str, Column]:
        return {column.meaning: column for column in self.query(Column)}

    async def fill(self, columns: list[Data]) -> None:
        """Show these columns; those that stay keep what is chosen in them."""
        with_cards = {column["meaning"]: column for column in columns if column["count"]}
        if list(self._columns) != list(with_cards):
            await self._arrange(list(with_cards))
        for meaning, column in self._columns.items():
            column.fill(with_cards[meaning])
        self._share_width()
        # A column that came or went has moved the others, and what keys act on has to be seen.
        self.call_after_refresh(self._show_focused)

    def _show_focused(self) -> None:
        for cards in self.query(Cards):
            if cards.has_focus and isinstance(cards.parent, Column):
                self.scroll_to_widget(cards.parent, animate=False)

    def on_resize(self) -> None:
        """Divide the width among the columns."""
        self._share_width()
        self.call_after_refresh(self._show_focused)

    def _share_width(self) -> None:
        columns = self.query(Column)
        at_once = max(1, min(len(columns), self.size.width // _NARROWEST))
        # Rounded up: no strip of the next column is left, and the last one loses a cell of its edge.
        width = min(_WIDEST, -(-self.size.width // at_once))
        for column in columns:
            column.share(width, min(width, self.size.width // at_once))

    async def _arrange(self, meanings: list[str]) -> None:
        old = self._columns
        for meaning, column in old.items():
            if meaning not in meanings:
                await column.remove()
        for at, meaning in enumerate(meanings):
            # The order is the core's, so that those that stay keep theirs.
            if meaning not in old:
                await self.mount(Column(meaning), before=at if at < len(self.children) else None)

    @property
    def is_in_use(self) -> bool:
        """Whether the keyboard is in a column."""
        return any(cards.has_focus for cards in self.query(Cards))

    def take_keyboard(self, key: str | None = None) -> None:
        """Bring the keyboard to the column in which a card is chosen, else to the first."""
        columns = list(self.query(Cards))
        holding = [cards for cards in columns if key is not None and cards.key == key]
        for cards in (holding or columns)[:1]:
            cards.focus()

    def _report(self) -> None:
        for column in self.query(Column):
            if column.cards.has_focus:
                self.post_message(self.Chosen(column.cards.key, column.meaning))
                return
        self.post_message(self.Chosen(None))

    def on_descendant_focus(self) -> None:
        """Report what is chosen in the column that the keyboard came to."""
        self._report()

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Report what was chosen, and ask for more before the cards end."""
        event.stop()
        cards = event.option_list
        column = cards.parent
        if isinstance(column, Column):
            if cards.has_focus:
                self._report()
            count = cards.option_count
            if event.option_index + _AHEAD >= count and count < column.total:
                self.post_message(self.Short(column.meaning, count + PAGE))
