"""How items of whatever dialect look to people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chant_mcp.commands import display
from chant_mcp.commands.display import lines, plain, status_text
from chant_mcp.commands.text_layout import Shown, Table, Text
from chant_mcp.paging import Data


def item_table(items: Sequence[Data]) -> Table:
    """Make a table of items as lists give them."""
    table = Table()
    display.id_column(table, "Key", (item["key"] for item in items))
    table.add_column("Status", no_wrap=True)
    table.add_column("Title", overflow="fold", ratio=1)
    for item in items:
        title = plain(item["title"]) if item["title"] else plain("(no title)", "dim")
        if item["type"] not in ("code", "task"):
            title.append_text(plain(f" ({item['type']})", "dim"))
        if item["assignee"]:
            title.append_text(display.mention_text(item["assignee"]))
        for label in item["labels"]:
            title.append_text(plain(f" #{label}", "dim"))
        if (there := display.remote_word(item)) is not None:
            title.append_text(there)
        table.add_row(plain(item["key"], "bold"), status_text(item["status"]), title)
    return table


def states_table(dialects: Sequence[Data]) -> Table:
    """Make a table of how many items of each dialect are in each state."""
    table = Table()
    table.add_column("Format", no_wrap=True)
    table.add_column("Status", no_wrap=True)
    table.add_column("Items", justify="right")
    for of in dialects:
        for at, column in enumerate(of["columns"]):
            name = plain(of["dialect"] if at == 0 else "", "bold")
            table.add_row(name, status_text(column["status"]), plain(column["count"]))
        done = f"{of['done']} of {of['total']} done"
        table.add_row(plain("" if of["columns"] else of["dialect"]), plain(done, "dim"), plain(""))
        table.add_section()
    return table


def item_fields(item: Data) -> Table:
    """Make a table of what is known of an item beside its text."""

    def text(key: str) -> Text | None:
        return plain(item[key]) if item[key] else None

    return display.fields_table(
        [
            ("Key", plain(item["key"], "bold")),
            ("Title", text("title")),
            ("Status", status_text(item["status"])),
            ("Type", text("type")),
            ("Priority", text("priority")),
            ("Assignee", text("assignee")),
            ("Depends on", lines(item["depends_on"])),
            ("Waiting for", lines(item["waits_for"])),
            ("Needed by", lines(item["needed_by"])),
            ("File", text("path")),
        ]
    )


def waits(picture: Data) -> Iterator[Shown]:
    """Draw what waits for what, and report cycles and what is left out."""
    if picture["rows"]:
        from chant_mcp.commands import trees  # draws with rich, which lists need not

        yield from trees.drawn(picture["rows"], id="key", name="title", statuses=())
    else:
        yield plain("Nothing waits for anything.")
    for cycle in picture["cycles"]:
        yield plain("A cycle: ", "bold red") + plain(" waits for ".join([*cycle, cycle[0]]))
    shown, total = picture["shown"], picture["total"]
    if shown < total:
        yield plain(f"{shown} of {total} items shown; --all also shows what is done or waits alone.", "dim")
