"""How an import looks to people."""

from __future__ import annotations

from collections.abc import Iterator

from chant_mcp.commands import display
from chant_mcp.commands.display import plain, status_text
from chant_mcp.commands.text_layout import Shown, Table
from chant_mcp.paging import Data
from chant_mcp.terminal import counted

_ITEMS_SHOWN = 5
"""Items that a line names for one and the same reason."""


def imported(found: Data) -> Iterator[Shown]:
    """Show the new specs, what was there already, and what did not map."""
    created: list[Data] = found["created"]
    if created:
        table = Table()
        display.id_column(table, "ID", (entry["id"] or "" for entry in created))
        table.add_column("From", overflow="fold")
        table.add_column("Status", no_wrap=True)
        table.add_column("Title", overflow="fold", ratio=1)
        for entry in created:
            id = plain(entry["id"] or "", "bold")
            table.add_row(id, plain(entry["from"]), status_text(entry["status"]), plain(entry["title"]))
        yield table
    said = "would be imported; nothing was written" if found["dry_run"] else "imported"
    yield plain(f"{len(created)} {said}, {len(found['present'])} were here before.")
    yield from _updates(found)
    yield from _unmapped(found["unmapped"])
    total = [
        counted(found["records"], "record"),
        counted(found["edges"], "edge"),
        f"{counted(found['edges_lost'], 'edge')} lost",
        f"{counted(len(found['unmapped']), 'note')}",
    ]
    yield plain(f"Total: {', '.join(total)}.", "bold")


def _updates(found: Data) -> Iterator[Shown]:
    """Show what was taken over from a source that changed, what was not, and what the source lost."""
    for row in found["updated"]:
        verb = "would change" if found["dry_run"] else "changed"
        yield plain(row["id"], "bold") + plain(f" {verb}: {', '.join(row['changed'])} (from {row['from']})")
    if found["conflicts"]:
        yield plain("\nChanged here and in the source; your text was kept:", "bold yellow")
    for row in found["conflicts"]:
        there = f"; the source has `{row['there']}`" if row["there"] else ""
        here = row["here"] if row["key"] == "spec" else f"`{row['here']}`"
        yield plain(f"  {row['id']}: ", "bold") + plain(f"{row['key']}: ", "dim") + plain(f"{here}{there}")
    if found["gone"]:
        names = ", ".join(found["gone"][:_ITEMS_SHOWN])
        more = len(found["gone"]) - _ITEMS_SHOWN
        yield plain(f"No longer in the source: {names}" + (f" and {more} more" if more > 0 else ""))


def _unmapped(entries: list[Data]) -> Iterator[Shown]:
    """Show what did not map, the same of several items once."""
    if not entries:
        return
    yield plain("\nDid not map:", "bold yellow")
    reasons: dict[tuple[str, str], list[str]] = {}
    for entry in entries:
        reasons.setdefault((entry["key"], entry["why"]), []).append(entry["item"])
    for (key, why), items in reasons.items():
        more = len(items) - _ITEMS_SHOWN
        names = ", ".join(items[:_ITEMS_SHOWN]) + (f" and {more} more" if more > 0 else "")
        yield plain(f"  {names}: ", "bold") + plain(f"{key}: ", "dim") + plain(why)
