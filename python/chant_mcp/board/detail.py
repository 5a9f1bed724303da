"""All of one item: what it says, what it waits for and what waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.console import Group, RenderableType
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from chant_mcp.board import words
from chant_mcp.board.feed import Data
from chant_mcp.commands import run_display
from chant_mcp.commands.rich_console import markdown, plain

_LONGEST = 20_000
"""Characters of a text that are shown."""


class Detail(VerticalScroll, can_focus=True):
    """The item that is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", show=False),
        Binding("k", "scroll_up", show=False),
        Binding("g", "scroll_home", show=False),
        Binding("G", "scroll_end", show=False),
        Binding("escape", "app.close_detail", "Back"),
    ]

    def compose(self) -> ComposeResult:
        """Have one text, which is scrolled."""
        yield Static(id="item")

    def fill(self, item: Data | None) -> None:
        """Show an item; another one from its beginning."""
        self.query_one("#item", Static).update(Group(*_parts(item)) if item else "")

    def begin(self) -> None:
        """Go to the first line."""
        self.scroll_home(animate=False)


def _parts(item: Data) -> Iterator[RenderableType]:
    yield plain(item["title"] or "(no title)", "bold")
    yield plain(item["key"], "dim")
    yield _state(item)
    around = item["around"]
    for heading, name in (("Depends on", "waits_for"), ("Needed by", "needed_by")):
        if rows := list(words.tree(around[name], around[f"{name}_more"])):
            yield plain(f"\n{heading}", "bold underline")
            for row in rows:
                row.no_wrap, row.overflow = True, "ellipsis"
                yield row
    body = item["body"].strip().removeprefix(f"# {item['title']}\n").strip()
    if body:
        yield Text("")
        yield markdown(body[:_LONGEST])
        if len(body) > _LONGEST:
            yield plain(f"… {len(body) - _LONGEST} more characters in {item['path']}", "dim")
    yield plain(f"\n{item['path']}", "dim")


def _state(item: Data) -> Text:
    state = run_display.words(item["status"]).to_rich()
    if item["meaning"]:
        state.append(" · ").append_text(words.meaning(item["meaning"]))
    if why := item.get("why"):
        state.append_text(plain(f": {words.WHY.get(why, why)}", "bold yellow"))
    for name in ("priority", "assignee"):
        if item[name]:
            state.append_text(plain(f" · {name} {item[name]}", "dim"))
    for label in item["labels"]:
        state.append_text(plain(f" #{label}", "blue"))
    return state
