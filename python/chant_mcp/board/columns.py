"""Items by their states: a column each, and how far each dialect is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
from chant_mcp.commands import run_display
from chant_mcp.commands.display import plain

_BAR = 12
_SHORTEST_BAR = 4
"""Cells of a dialect's bar."""

_NARROWEST, _WIDEST = 26, 44
"""Cells of a column."""

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
        room = self.size.width - sum(len(name) + len(count) + 1 for name, count, _ in texts)
        width = max(_SHORTEST_BAR, min(_BAR, room // max(1, len(texts))))
        line = Text()
        for name, count, of in texts:
            line.append_text(plain(name, "reverse bold" if of["dialect"] == self._dialect else ""))
            line.append(" ").append_text(words.bar(of["done"], of["total"], width)).append(count)
        self.update(line)


class Column(Vertical):
    """The items in one state."""

    def __init__(self, status: str) -> None:
        """Take the state; it has no cards yet."""
        super().__init__(classes="column")
        self.status = status
        self.total = 0

    def compose(self) -> ComposeResult:
        """Put the heading above the cards."""
        yield Static(classes="heading")
        yield Cards()

    @property
    def cards(self) -> Cards:
        """The list of cards."""
        return self.query_one(Cards)

    def fill(self, heading: Data, page: Data) -> None:
        """Show a page of cards."""
        self.total = page["total"]
        name = run_display.words(self.status)
        count = plain(f" {heading['count']}", "bold")
        self.query_one(".heading", Static).update(
            Text.assemble(words.symbol(heading["symbol"]), " ", name, count)
        )
        self.cards.fill([Row(item["key"], words.card(item)) for item in page["items"]])


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
    """All columns of a dialect."""

    @dataclass
    class Chosen(Message):
        """A card was chosen."""

        key: str | None

    @dataclass
    class Short(Message):
        """More cards of a column are needed."""

        status: str
        wanted: int

    @property
    def _columns(self) -> dict[str, Column]:
        return {column.status: column for column in self.query(Column)}

    async def fill(self, headings: list[Data], cards: Mapping[str, Data]) -> None:
        """Show these columns; those that stay keep what is chosen in them."""
        with_cards = {heading["status"]: heading for heading in headings if heading["count"]}
        if list(self._columns) != list(with_cards):
            await self._arrange(list(with_cards))
        for status, column in self._columns.items():
            column.fill(with_cards[status], cards.get(status, {"items": [], "total": 0}))
        self._share_width()

    def on_resize(self) -> None:
        """Share the width anew."""
        self._share_width()

    def _share_width(self) -> None:
        columns = self.query(Column)
        width = max(_NARROWEST, min(_WIDEST, self.size.width // max(1, len(columns))))
        for column in columns:
            column.styles.width = width

    async def _arrange(self, statuses: list[str]) -> None:
        old = self._columns
        for status, column in old.items():
            if status not in statuses:
                await column.remove()
        for at, status in enumerate(statuses):
            # The order is that of the core's states, so that those that stay keep theirs.
            if status not in old:
                await self.mount(Column(status), before=at if at < len(self.children) else None)

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

    def chosen(self) -> Iterator[str]:
        """Give the key of the card that the keyboard is on."""
        for cards in self.query(Cards):
            if cards.has_focus and cards.key is not None:
                yield cards.key

    def on_descendant_focus(self) -> None:
        """Tell what is chosen in the column that the keyboard came to."""
        self.post_message(self.Chosen(next(self.chosen(), None)))

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Tell what was chosen, and ask for more before the cards end."""
        event.stop()
        cards = event.option_list
        column = cards.parent
        if isinstance(column, Column):
            if cards.has_focus:
                self.post_message(self.Chosen(next(self.chosen(), None)))
            count = cards.option_count
            if event.option_index + _AHEAD >= count and count < column.total:
                self.post_message(self.Short(column.status, count + PAGE))
