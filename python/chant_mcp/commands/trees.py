"""How what waits for what looks to people: trees, and what their signs mean."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.tree import Tree

from chant_mcp.commands.display import plain, status_style, status_text
from chant_mcp.commands.text_layout import Shown, Text
from chant_mcp.paging import Data


def drawn(rows: Sequence[Data], *, id: str, name: str, statuses: Sequence[str]) -> Iterator[Shown]:
    """Draw the rows of a picture as trees, and say below them what their signs mean.

    Args:
        rows: The rows, from the top.
        id: Key of what others call an item.
        name: Key of what people call it.
        statuses: The statuses in the order in which they are listed; others stand behind them.
    """
    way: list[Tree] = []
    for row in rows:
        if row["depth"] == 0:
            yield from way[:1]
        del way[row["depth"] :]
        label = _label(row, row[id], row[name])
        way.append(way[-1].add(label) if way else Tree(label, guide_style="dim"))
    yield from way[:1]
    yield _legend(rows, statuses)


def _legend(rows: Sequence[Data], statuses: Sequence[str]) -> Text:
    symbols = {row["status"]: row["symbol"] for row in rows}
    names = [name for name in statuses if name in symbols]
    names += [name for name in symbols if name not in names]
    said = Text("  ").join(plain(f"{symbols[name]} ") + status_text(name) for name in names)
    arrows = {"above": "↑ shown above", "below": "↓ goes on below"}
    used = [said for leads, said in arrows.items() if any(row["leads"] == leads for row in rows)]
    return said + plain(f"\n{'  '.join(used)}" if used else "")


def _label(row: Data, id: str, name: str) -> Text:
    label = plain(f"{row['symbol']} ", status_style(row["status"])) + plain(id, "bold")
    if row["leads"] == "above":
        return label + plain(" ↑", "dim")
    below = plain(" ↓", "dim") if row["leads"] == "below" else Text()
    return label + plain(f" {name}") + below
