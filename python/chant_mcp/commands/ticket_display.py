"""How tickets look to people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from chant_mcp.commands import display, trees
from chant_mcp.commands.display import lines, plain, status_text, value_text
from chant_mcp.commands.text_layout import Shown, Table, Text
from chant_mcp.paging import Data

_STATUSES = (
    "Proposed",
    "Approved",
    "In Progress",
    "Partially Implemented",
    "Implemented",
    "Rejected",
    "On Hold",
)

_PRIORITY = {"critical": "bold red", "high": "yellow", "low": "dim"}

_FIELDS = {
    "code": "Code",
    "title": "Title",
    "status": "Status",
    "type": "Type",
    "priority": "Priority",
    "phaseEpic": "Phase or epic",
    "assignee": "Assignee",
    "dateCreated": "Created",
    "lastModified": "Modified",
    "dependsOn": "Depends on",
    "blocks": "Blocks",
    "relatedTickets": "Related",
}
"""What attributes of the documentation are called, in the order in which they are shown."""


def ticket_table(tickets: Sequence[Data]) -> Table:
    """Make a table of tickets as lists give them."""
    table = Table()
    display.id_column(table, "Code", (ticket["code"] for ticket in tickets))
    table.add_column("Status", no_wrap=True)
    table.add_column("Priority", no_wrap=True)
    table.add_column("Title", overflow="fold", ratio=1)
    for ticket in tickets:
        title = plain(ticket["title"]) + plain(f" ({ticket['type']})", "dim")
        if ticket["assignee"]:
            title.append_text(display.mention_text(ticket["assignee"]))
        if ticket["phaseEpic"]:
            title.append_text(plain(f" #{ticket['phaseEpic']}", "dim"))
        if "filePath" in ticket:
            title.append_text(plain(f"\n{ticket['filePath']}", "dim"))
        table.add_row(
            plain(ticket["code"], "bold"), status_text(ticket["status"]), _priority(ticket["priority"]), title
        )
    return table


def _priority(priority: str) -> Text:
    return plain(priority, _PRIORITY.get(priority.lower(), ""))


def ticket_fields(ticket: Data) -> Table:
    """Make a table of all that is said of a ticket beside its body."""
    cr: Data = ticket["cr"]
    further = {key: value for key, value in cr.items() if key not in _FIELDS}
    waits = [_wait(wait, cr["status"]) for wait in ticket["waitingFor"]]
    rows: list[tuple[str, Shown | None]] = [(name, _field(key, cr[key])) for key, name in _FIELDS.items()]
    rows += [
        ("Waiting for", plain("nothing: it is ready", "green") if ticket["ready"] else lines(waits)),
        ("Needed by", _joined(ticket["neededBy"])),
        *((key, value_text(value)) for key, value in further.items()),
        ("File", plain(ticket["filePath"])),
        ("All its files", lines(ticket.get("files", ()))),
    ]
    return display.fields_table(rows)


def _field(key: str, value: str | list[str] | None) -> Text | None:
    if isinstance(value, list):
        return _joined(value)
    if not value:
        return None
    if key == "status":
        return status_text(value)
    return _priority(value) if key == "priority" else plain(value, "bold" if key == "code" else "")


def _joined(codes: Sequence[str]) -> Text | None:
    return plain(", ".join(codes)) if codes else None


def _wait(wait: Data, status: str) -> str:
    if wait["reason"] == "ticket":
        return f"{wait['code']} ({wait['status'] or 'no ticket of this project'})"
    said = {
        "approval": "approval",
        "hold": "somebody to take it up again",
        "unknown_status": f"a status that is known, in place of {status}",
    }
    return said[wait["reason"]]


def section_table(sections: Sequence[Data]) -> Table:
    """Make a table of sections, each below the one that it is a part of."""
    table = Table()
    table.add_column("Section", overflow="fold", ratio=1)
    table.add_column("Characters", justify="right")
    top = min(section["level"] for section in sections)
    for section in sections:
        indent = "  " * (section["level"] - top)
        size = plain("empty", "dim") if section["empty"] else plain(section["chars"])
        table.add_row(plain(indent + section["header"]), size)
    return table


def waits(picture: Data) -> Iterator[Shown]:
    """Draw what waits for what, and report cycles and what is left out."""
    if picture["rows"]:
        yield from trees.drawn(picture["rows"], id="code", name="title", statuses=_STATUSES)
    else:
        yield plain("No ticket waits for another.")
    for cycle in picture["cycles"]:
        yield plain("A cycle: ", "bold red") + plain(" waits for ".join([*cycle, cycle[0]]))
    shown, total = picture["shown"], picture["total"]
    if shown < total:
        said = (
            f"{shown} of {total} tickets shown; the others neither wait nor are waited for. --all shows them."
        )
        yield plain(said, "dim")


def advice(found: Data) -> Iterator[Shown]:
    """Show a score, its parts, and what could be better."""
    yield plain("Score ", "bold") + plain(f"{found['overallScore']} of 10", "bold")
    parts = Table()
    parts.add_column("Part", no_wrap=True)
    parts.add_column("Score", justify="right", no_wrap=True)
    parts.add_column("Why", overflow="fold", ratio=1)
    for part in found["scoreParts"]:
        style = "" if part["score"] == part["outOf"] else "yellow"
        score = plain(f"{part['score']} of {part['outOf']}", style)
        parts.add_row(plain(part["part"]), score, plain(part["why"]))
    yield parts
    for suggestion in found["suggestions"]:
        head = _priority(suggestion["priority"]) + plain(f", {suggestion['category']}: ", "dim")
        yield plain("→ ") + head + plain(suggestion["suggestion"])
        yield plain(f"  {suggestion['reason']}", "dim")
    for strength in found["strengths"]:
        yield plain("✓ ", "green") + plain(strength)


def project_table(projects: Sequence[Data]) -> Table:
    """Make a table of ticket projects."""
    table = Table()
    display.id_column(table, "Code", (entry["project"]["code"] for entry in projects))
    table.add_column("Name", overflow="fold", ratio=1)
    table.add_column("Tickets in", overflow="fold")
    for entry in projects:
        project: Data = entry["project"]
        name = plain(project["name"]) + plain("" if project["active"] else " (not active)", "dim")
        if project.get("description"):
            name.append_text(plain(f"\n{project['description']}", "dim"))
        table.add_row(plain(project["code"], "bold"), name, plain(project["path"]))
    return table


def project_fields(entry: Data) -> Table:
    """Make a table of one ticket project and its numbers."""
    project, stats = entry["project"], entry["stats"]
    counts = [plain(f"{count} ") + status_text(status) for status, count in stats["byStatus"].items()]
    return display.fields_table(
        [
            ("Code", plain(project["code"], "bold")),
            ("Name", plain(project["name"])),
            ("Description", _field("description", project.get("description"))),
            ("Repository", _field("repository", project.get("repository"))),
            ("Folder", plain(project["root"])),
            ("Tickets in", plain(project["path"])),
            ("Active", None if project["active"] else plain("no", "dim")),
            ("Tickets", plain(stats["totalCRs"])),
            ("Statuses", Text(", ").join(counts) if counts else None),
        ]
    )


def changes_table(changed: Data) -> Table:
    """Make a table of attributes with their values before and after a change."""
    table = Table(has_headings=False, gap=1)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, change in changed.items():
        row = _value(change["from"]) + plain(" → ") + _value(change["to"])
        table.add_row(plain(name), row)
    return table


def _value(value: str | list[str] | None) -> Text:
    text = ", ".join(value) if isinstance(value, list) else value
    return plain(text) if text else plain("none", "dim")
