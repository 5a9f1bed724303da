"""How task graphs look to people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from chant_mcp.commands import display
from chant_mcp.commands.display import plain, status_text
from chant_mcp.commands.text_layout import Shown, Table, Text
from chant_mcp.paging import Data

_BAR = 20
"""Characters of a progress bar."""

_DIFF = {"+": "green", "-": "red", "@": "cyan"}

STATUSES = ("complete", "started", "reviewing", "planning", "notstarted", "blocked")


def plan_fields(plan: Data) -> Table:
    """Make a table of what is said of a whole plan."""
    progress = plan["progress"]
    root = plan["nodes"][0]
    return display.fields_table(
        [
            ("Title", None if plan["title"] is None else plain(plan["title"], "bold")),
            ("Root", plain(f"{root['id']}: {root['shortName']} (") + status_text(status(root)) + plain(")")),
            ("Total tasks", plain(progress["total"])),
            ("Leaf tasks", plain(plan["leaves"])),
            ("Progress", progress_text(progress)),
            ("Statuses", _counts(progress)),
        ]
    )


def progress_text(progress: Data) -> Text:
    """Say how much is complete, as a bar and in words."""
    complete, total = progress["complete"], progress["total"]
    filled = _BAR * complete // total
    bar = plain("█" * filled, "green") + plain("░" * (_BAR - filled), "dim")
    return bar + plain(f" {complete} of {total} complete ({progress['percentage']} %)")


def _counts(progress: Data) -> Text:
    """Count the tasks of each status that there are any of, and the references."""
    counts: Data = {name: progress["by_status"][name] for name in STATUSES}
    counts["ref"] = progress["total"] - sum(counts.values())
    parts = [plain(f"{count} ") + status_text(name) for name, count in counts.items() if count]
    return Text(", ").join(parts)


def status(node: Data) -> str:
    """Give a node's status; `ref` for a reference."""
    return node.get("status", "ref")


def task_table(nodes: Sequence[Data]) -> Table:
    """Make a table of tasks and references."""
    table = Table()
    display.id_column(table, "ID", (node["id"] for node in nodes))
    table.add_column("NAME", overflow="fold", ratio=1)
    table.add_column("STATUS", no_wrap=True)
    for node in nodes:
        table.add_row(plain(node["id"], "bold"), name_text(node), status_text(status(node)))
    return table


def name_text(node: Data) -> Text:
    """Name a node, with the file of a reference and the owner of a task."""
    name = plain(node["shortName"])
    if "vine" in node:
        name.append_text(plain(f" ({node['vine']})", "dim"))
    if owners := node.get("annotations", {}).get("owner"):
        name.append_text(display.mention_text(*owners))
    return name


def task_fields(task: Data) -> Table:
    """Make a table of all that is said of one task beside its description."""
    annotations = task.get("annotations", {})
    return display.fields_table(
        [
            ("ID", plain(task["id"], "bold")),
            ("Name", plain(task["shortName"])),
            ("Status", status_text(status(task))),
            ("File", plain(task["vine"]) if "vine" in task else None),
            ("Annotations", display.lines(f"@{key}({', '.join(annotations[key])})" for key in annotations)),
            ("Decisions", display.lines(task["decisions"])),
            ("Attachments", display.lines(_attachments(task))),
            ("Depends on", builds_on(task["resolved_dependencies"])),
            ("Needed by", _joined(_line(node) for node in task.get("dependant_tasks", ()))),
        ]
    )


def builds_on(dependencies: Iterable[Data]) -> Text | None:
    """Name dependencies with what was decided and made in them; none without any."""
    said: list[Text] = []
    for node in dependencies:
        said.append(_line(node))
        said += [plain(f"  > {decision}") for decision in node["decisions"]]
        said += [plain(f"  {attachment}") for attachment in _attachments(node)]
    return _joined(said)


def _joined(texts: Iterable[Text]) -> Text | None:
    texts = list(texts)
    return Text("\n").join(texts) if texts else None


def _line(node: Data) -> Text:
    file = f" ({node['vine']})" if "vine" in node else ""
    return plain(f"{node['id']} (") + status_text(status(node)) + plain(f"): {node['shortName']}{file}")


def _attachments(node: Data) -> list[str]:
    return [f"@{part['class']} {part['mime']} {part['uri']}" for part in node.get("attachments", ())]


def show_task(out: display.Output, task: Data) -> None:
    """Print all that is said of one task, its description rendered."""
    out.print(task_fields(task))
    description: str = task["description"]
    if description.strip():
        out.print()
        out.print(display.rendered(description))


def frontier(plan: Data, limit: int, command: str) -> Iterator[Shown]:
    """Say what can be done now, list by list, and how far the plan is.

    Args:
        plan: All that is known of it.
        limit: Show at most this many entries of each list.
        command: A command on the plan, with `{}` for its name.
    """
    claim, expand, change = (command.format(name) for name in ("claim", "expand", "set"))
    ways = [
        ("needs_expansion", "Needs expansion", f"{expand} ID"),
        ("ready_to_complete", "Ready to complete", f"check, then {change} ID complete"),
        ("ready_to_start", "Ready to start", f"{claim} ID"),
        ("blocked", "Blocked", f"get help, then {change} ID notstarted"),
    ]
    progress: Data = plan["progress"]
    if progress["complete"] == progress["total"]:
        yield plain("Nothing is left to do: all is complete.")
    elif not any(plan[key] for key, _, _ in ways):
        yield plain("Nothing can be done now but what is in progress.\n")
    nodes: dict[str, Data] = {node["id"]: node for node in plan["nodes"]}
    for key, heading, what_to_do in (*ways, ("in_progress", "In progress", "leave it to those at work")):
        rows = [(id, name_text(nodes[id])) for id in plan[key][:limit]]
        yield from _section(heading, what_to_do, rows, len(plan[key]))
    waiting = [(wait["id"], plain(f"for {', '.join(wait['waits_for'])}")) for wait in plan["waiting"][:limit]]
    yield from _section("Waiting", "until that is in review or complete", waiting, len(plan["waiting"]))
    yield progress_text(progress)


def _section(heading: str, what_to_do: str, rows: Sequence[tuple[str, Text]], total: int) -> Iterator[Shown]:
    """Give a list of IDs with what is said of each, and how many it leaves out; nothing for none."""
    if not total:
        return
    yield plain(heading, "bold") + plain(f": {what_to_do}", "dim")
    table = Table(has_headings=False, pad_edge=False, indent=2)
    display.id_column(table, "", (id for id, _ in rows))
    table.add_column(overflow="fold", ratio=1)
    for id, said in rows:
        table.add_row(plain(id, "bold"), said)
    yield table
    if left_out := total - len(rows):
        yield plain(f"  … {left_out} more; --limit {total} shows them.", "dim")
    yield plain("")


def change_text(id: str, old: str, new: str) -> Text:
    """Say which status a task had and has."""
    return plain(f"{id}: ") + status_text(old) + plain(" → ") + status_text(new)


def diff_text(diff: str) -> Text:
    """Make a unified diff readable."""
    lines = diff.splitlines()
    return Text("\n").join(plain(line, _DIFF.get(line[:1], "")) for line in lines)


def problem_headline(problem: Data) -> Text:
    """Say what is wrong and where, as `file:line:column: error[rule]: message`."""
    place = ":".join(
        str(part) for part in (problem["file"], problem["line"], problem["column"]) if part is not None
    )
    error = plain(f"error[{problem['constraint']}]", "bold red")
    return plain(f"{place}: ", "bold") + error + plain(f": {problem['message']}")


def excerpt(problem: Data, width: int) -> Text:
    """Show the line that a problem is about, the piece meant marked, within so many columns."""
    from rich.cells import cell_len, set_cell_size

    gutter = f"{problem['line']:>5} │ "
    room = max(width - len(gutter), _BAR)
    source: str = problem["source"].replace("\t", " ")
    start = problem["column"] - 1
    if cell_len(source[:start]) > room // 2:
        cut = start - room // 4
        source, start = f"…{source[cut:]}", room // 4 + 1
    piece = source[start : start + problem["length"]]
    shown = plain(source if cell_len(source) <= room else f"{set_cell_size(source, room - 1)}…")
    before = cell_len(source[:start])
    marks = "^" * max(1, min(cell_len(piece), room - before))
    under = plain(" " * (len(gutter) - 2) + "│ ", "dim") + plain(" " * before + marks, "red")
    return plain(gutter, "dim") + shown + plain("\n") + under
