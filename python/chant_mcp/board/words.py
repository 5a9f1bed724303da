"""How parts of the board read: bars, cards, rows of trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from chant_mcp.board.feed import Data
from chant_mcp.commands.display import plain
from chant_mcp.commands.speckit_display import box

_TONES = {"●": "green", "◕": "bright_green", "◑": "yellow", "◔": "cyan", "○": "", "⊘": "red", "↗": "blue"}
"""Colours of the core's symbols."""


def bar(done: int, total: int, width: int) -> Text:
    """Draw how much of something is done."""
    filled = width * done // total if total else 0
    return Text.assemble(plain("━" * filled, "green"), plain("━" * (width - filled), "bright_black"))


def symbol(of: str) -> Text:
    """Draw how far an item is."""
    return plain(of, _TONES.get(of, ""))


def card(item: Data) -> Text:
    """Make a card of a column: what it is called, whether it is ready or waits; below it the title."""
    text = Text.assemble(symbol(item["symbol"]), " ", plain(item["id"], "bold"))
    if item["ready"]:
        text.append_text(plain(" ▸", "bold bright_cyan"))
    elif item["waits"]:
        text.append_text(plain(f" ⋯{item['waits']}", "magenta"))
    return text.append("\n  ").append_text(
        _line(item["title"]) if item["title"] else plain("(no title)", "dim")
    )


def tree(rows: Sequence[Data], is_more: bool) -> Iterator[Text]:
    """Draw rows of a tree of items."""
    for row in rows:
        name = plain(row["key"].partition(":")[2] or row["key"], "bold")
        indent = "  " * (row["depth"] - 1)
        line = Text.assemble(indent, symbol(row["symbol"]), " ", name, " ", _line(row["title"]))
        if row["leads"] != "here":
            line.append_text(plain(f" (see {row['leads']})", "dim"))
        yield line
    if is_more:
        yield plain("… and more farther away", "dim")


def task(found: Data) -> Text:
    """Make a row of a task of a feature."""
    is_settled = found["status"] in ("done", "skipped")
    name = plain(f" {found['id']} ", "dim" if is_settled else "bold")
    text = Text.assemble("  ", box(found["status"]), name)
    if found["parallel"]:
        text.append_text(plain("[P] ", "magenta"))
    for story in found["stories"]:
        text.append_text(plain(f"[{story}] ", "blue"))
    text.append_text(_line(found["description"], "dim" if is_settled else ""))
    if found["waits_for"]:
        text.append_text(plain(f"  waits for {', '.join(found['waits_for'])}", "magenta"))
    return text


def progress(of: Data, width: int) -> Text:
    """Write how far a list of tasks is."""
    total = of["done"] + of["open"] + of["partial"]
    return Text.assemble(bar(of["done"], total, width), f" {of['progress']}")


def _line(text: str, style: str = "") -> Text:
    return plain(" ".join(text.split()), style)
