"""How parts of the board read: bars, cards, rows of trees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from chant_mcp.board.feed import Data
from chant_mcp.commands.rich_console import plain
from chant_mcp.commands.speckit_display import box

MEANINGS = {
    "can_begin": ("▸", "Can begin", "Begin", "bright_cyan"),
    "being_worked_on": ("◐", "Being worked on", "At work", "yellow"),
    "waits_for_you": ("!", "Needs you", "Needs you", "red"),
    "waits": ("⋯", "Blocked", "Blocked", "magenta"),
    "done": ("✓", "Done", "Done", "green"),
}
"""Shape, words, short words and colour of the columns."""

WHY = {"approve": "approve?", "attention": "needs attention", "merge": "ready to merge", "question": "asks"}
"""What a person has to do, where the core's own word does not say it."""

_DAY = re.compile(r"^\d{4}-\d\d-\d\d-")

_TONES = {"●": "green", "◕": "bright_green", "◑": "yellow", "◔": "cyan", "○": "", "⊘": "red", "↗": "blue"}
"""Colours of the core's symbols."""


def bar(done: int, total: int, width: int) -> Text:
    """Draw how much of something is done."""
    filled = width * done // total if total else 0
    return Text.assemble(plain("━" * filled, "green"), plain("━" * (width - filled), "bright_black"))


def symbol(of: str) -> Text:
    """Draw how far an item is."""
    return plain(of, _TONES.get(of, ""))


def meaning(of: str) -> Text:
    """Write what the items of a column mean to a person: a shape and words, besides the colour."""
    shape, name, _, tone = MEANINGS[of]
    return Text.assemble(plain(shape, f"bold {tone}"), " ", name)


def card(item: Data, width: int) -> Text:
    """Make a card of a column: the title; below it the ID's end, and what a person has to do or wait for.

    Args:
        item: The item.
        width: The cells that a line may take; a longer title ends at a word.
    """
    shown = _cut(" ".join(item["title"].split()), width - 2)
    title = plain(shown, "bold") if shown else plain("(no title)", "dim")
    text = Text.assemble(symbol(item["symbol"]), " ", title, "\n  ", plain(short_id(item["id"]), "dim"))
    if why := item.get("why"):
        text.append_text(plain(f" {WHY.get(why, why)}", "bold yellow"))
    elif item["waits"]:
        text.append_text(plain(f" ⋯{item['waits']}", "magenta"))
    if (criteria := item.get("criteria")) is not None:
        text.append_text(plain(f" {criteria['done']}/{criteria['total']}", "dim"))
    return text


def _cut(text: str, width: int) -> str:
    """Cut a text at the last word that fits; one word that is too long is cut inside."""
    if cell_len(text) <= width:
        return text
    room = set_cell_size(text, max(1, width - 1)).rstrip()
    words, _, _ = room.rpartition(" ")
    is_whole = text[len(room) :][:1] == " "
    return f"{room if is_whole or not words else words}…"


def short_id(id: str) -> str:
    """Give the end of an ID, which is what distinguishes it: without the day, without the folder."""
    return _DAY.sub("", id.rpartition("/")[2])


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
    text = Text.assemble("  ", box(found["status"]).to_rich(), name)
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
