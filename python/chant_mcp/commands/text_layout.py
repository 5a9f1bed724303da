"""Texts and tables as data: lines for another program, and what rich draws on a terminal.

Importing rich takes longer than most commands, and only a terminal needs it.
"""

from __future__ import annotations

from collections.abc import Iterable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    import rich.text
    from rich.console import ConsoleRenderable, RichCast

    Shown = ConsoleRenderable | RichCast | str
    """What is printed."""
else:
    Shown = object


class Text:
    """A text whose parts have styles, in the words of rich such as `bold red`."""

    __slots__ = ("_parts",)

    def __init__(self, text: str = "", style: str = "") -> None:
        """Begin with one part."""
        self._parts = [(text, style)] if text else []

    @property
    def plain(self) -> str:
        """The text without styles."""
        return "".join(text for text, _ in self._parts)

    def append_text(self, text: Text) -> Text:
        """Add the parts of another text at the end of this one."""
        self._parts += text._parts
        return self

    def join(self, texts: Iterable[Text]) -> Text:
        """Make a text of others, with this one between them."""
        joined = Text()
        for number, text in enumerate(texts):
            if number:
                joined.append_text(self)
            joined.append_text(text)
        return joined

    def __add__(self, other: Text) -> Text:
        return Text().append_text(self).append_text(other)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Text) and self._parts == other._parts

    def __bool__(self) -> bool:
        return bool(self.plain)

    def __str__(self) -> str:
        return self.plain

    def to_rich(self) -> rich.text.Text:
        """Give it as rich has it."""
        from rich.text import Text as RichText

        return RichText.assemble(*self._parts)

    __rich__ = to_rich


class Table:
    """Rows of cells below headings."""

    def __init__(
        self, *, has_headings: bool = True, gap: int = 2, pad_edge: bool = True, indent: int = 0
    ) -> None:
        """Make a table without columns.

        Args:
            has_headings: Whether the headings are shown, with a line below them.
            gap: Columns of the terminal between cells where there are no headings.
            pad_edge: Whether there is a gap behind the last cell, too.
            indent: Columns of the terminal before the table.
        """
        self._has_headings = has_headings
        self._gap = gap
        self._pad_edge = pad_edge
        self._indent = indent
        self._columns: list[dict[str, Any]] = []
        self._rows: list[tuple[Shown, ...]] = []
        self._ends_of_sections: list[int] = []

    def add_column(self, heading: str = "", **options: Any) -> None:
        """Add a column, with the options that columns of rich have."""
        self._columns.append({"header": heading, **options})

    def add_row(self, *cells: Shown) -> None:
        """Add a row."""
        self._rows.append(cells)

    def add_section(self) -> None:
        """Draw a line below the last row."""
        self._ends_of_sections.append(len(self._rows))

    def lines(self) -> Iterable[str]:
        """Write each row as a line, its cells parted by tabs."""
        for row in self._rows:
            yield "\t".join("; ".join(map(str.strip, _one_row(cell).splitlines())) for cell in row)

    def __rich__(self) -> ConsoleRenderable:
        from rich import box
        from rich.padding import Padding
        from rich.table import Table as RichTable

        if self._has_headings:
            table = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
        else:
            padding = (0, self._gap, 0, 0)
            table = RichTable(box=None, show_header=False, pad_edge=self._pad_edge, padding=padding)
        for column in self._columns:
            table.add_column(**column)
        for number, row in enumerate(self._rows, start=1):
            table.add_row(*row, end_section=number in self._ends_of_sections)
        return Padding(table, (0, 0, 0, self._indent)) if self._indent else table


def _one_row(cell: Shown) -> str:
    return str(cell).replace("\t", " ")


class Group:
    """Parts that stand below one another."""

    def __init__(self, *parts: Shown) -> None:
        """Take the parts in their order."""
        self.parts = parts

    def __rich__(self) -> ConsoleRenderable:
        from rich.console import Group as RichGroup

        return RichGroup(*self.parts)
