"""Dialogs that ask before an act, and the screen of all keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, OptionList, Static

from chant_mcp.board.keys import GROUPS
from chant_mcp.board.listing import Listing, Row
from chant_mcp.commands.rich_console import plain

_LEAVE = Binding("escape", "leave", "Leave")


class ConsentDialog(ModalScreen[bool]):
    """Shows what is about to be done; Enter does it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "agree", "Do it"), _LEAVE]

    def __init__(self, title: str, lines: Sequence[str]) -> None:
        """Take what is asked, and what has to be seen before."""
        super().__init__()
        self._title, self._lines = title, lines

    def compose(self) -> ComposeResult:
        """Put the lines where they can be scrolled."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = plain(self._title)
            with VerticalScroll(classes="prompt"):
                yield Static(plain("\n".join(self._lines)))
        yield Footer(show_command_palette=False)

    def action_agree(self) -> None:
        """Do it."""
        self.dismiss(True)

    def action_leave(self) -> None:
        """Leave everything as it is."""
        self.dismiss(False)


class TextDialog(ModalScreen["str | None"]):
    """Asks for a line of text, which has to be one."""

    BINDINGS: ClassVar[list[BindingType]] = [_LEAVE]

    def __init__(self, title: str, about: str, placeholder: str) -> None:
        """Take what is asked and about what."""
        super().__init__()
        self._title, self._about, self._placeholder = title, about, placeholder

    def compose(self) -> ComposeResult:
        """Put the field below what it is about."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = plain(self._title)
            yield Static(plain(self._about, "bold"))
            yield Input(placeholder=self._placeholder)
        yield Footer(show_command_palette=False)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give what was typed, unless that is nothing."""
        event.stop()
        if text := event.value.strip():
            self.dismiss(text)
        else:
            self.notify("Type a text, or press Esc.", severity="warning")

    def action_leave(self) -> None:
        """Leave everything as it is."""
        self.dismiss(None)


class ChoiceDialog(ModalScreen["str | None"]):
    """Asks for one of several values."""

    BINDINGS: ClassVar[list[BindingType]] = [_LEAVE]

    def __init__(self, title: str, choices: Sequence[tuple[str, str]]) -> None:
        """Take the values with their texts."""
        super().__init__()
        self._title, self._choices = title, choices

    def compose(self) -> ComposeResult:
        """Put the texts below each other."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = plain(self._title)
            yield Listing(id="choices")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin at the first one."""
        listing = self.query_one(Listing)
        listing.fill([Row(value, plain(" ".join(text.split()))) for value, text in self._choices])
        listing.choose(self._choices[0][0] if self._choices else None)
        listing.focus()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Give the value that was chosen."""
        event.stop()
        self.dismiss(self.query_one(Listing).key)

    def action_leave(self) -> None:
        """Leave everything as it is."""
        self.dismiss(None)


class KeysScreen(ModalScreen[None]):
    """All keys, by what they are for."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q", "dismiss", "Back", key_display="Esc"),
        Binding("g", "scroll_to('home')", show=False),
        Binding("G", "scroll_to('end')", show=False),
    ]

    def compose(self) -> ComposeResult:
        """Put the table where it can be scrolled."""
        with VerticalScroll(classes="dialog") as dialog:
            dialog.border_title = "Keys"
            yield Static(_table())
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Let the keys scroll."""
        self.query_one(VerticalScroll).focus()

    def action_scroll_to(self, end: str) -> None:
        """Go to the first or to the last key."""
        scroll = self.query_one(VerticalScroll)
        (scroll.scroll_home if end == "home" else scroll.scroll_end)(animate=False)


def _table() -> Table:
    table = Table.grid(padding=(0, 2))
    for group, keys in GROUPS.items():
        table.add_row(Text(group, "bold"), "")
        for key in keys:
            table.add_row(Text(key.shown, "bright_cyan"), Text(f"{key.label}: {key.help}"))
    return table
