"""How features, tasks, questions and events look to people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from chant_mcp.commands import display
from chant_mcp.commands.display import plain
from chant_mcp.commands.text_layout import Shown, Table, Text
from chant_mcp.paging import Data

_BAR = 20
"""Characters of a progress bar."""

_BOXES = {
    "open": ("[ ]", ""),
    "partial": ("[~]", "yellow"),
    "done": ("[x]", "green"),
    "skipped": ("[-]", "dim"),
}
"""How a task stands."""

_PLACES = {"at", "event", "session", "agent", "run", "feature", "worktree"}
"""Keys of an event that say where it came from, not what happened."""


def context_fields(found: Data) -> Table:
    """Make a table of what is known of the current feature."""

    def text(key: str) -> Text | None:
        return None if found[key] is None else plain(found[key])

    why, boxes = found["why"], found["checklists"]
    return display.fields_table(
        [
            ("Feature", text("spec_dir") or plain("none", "dim")),
            ("Found by", None if why["feature"] is None else plain(why["feature"])),
            ("Branch", text("branch")),
            ("Phase", text("phase")),
            ("Progress", None if found["progress"] is None else progress_text(found["progress"])),
            ("Documents", plain(", ".join(found["artifacts"])) if found["artifacts"] else None),
            ("Checklists", None if boxes is None else plain(f"{boxes['open']} of {boxes['total']} open")),
            ("Unclear", plain(found["needs_clarification"]) if found["needs_clarification"] else None),
            ("Project", plain(f"{found['root']} ({why['root']})")),
            ("Tried", display.lines(why["tried"])),
            ("Warnings", display.lines(found["warnings"])),
        ]
    )


def progress_text(progress: Data) -> Text:
    """Say how far a list of tasks is, as a bar and in words."""
    done = progress["done"]
    total = done + progress["open"] + progress["partial"]
    filled = _BAR * done // total if total else 0
    bar = plain("█" * filled, "green") + plain("░" * (_BAR - filled), "dim")
    beside = [f"{progress[key]} {key}" for key in ("partial", "skipped") if progress[key]]
    more = f" ({', '.join(beside)})" if beside else ""
    return bar + plain(f" {progress['progress']} tasks complete{more}")


def feature_table(features: Sequence[Data]) -> Iterator[Shown]:
    """Make a table of features."""
    table = Table()
    table.add_column("", no_wrap=True)
    display.id_column(table, "Feature", (feature["spec_dir"] for feature in features))
    table.add_column("Phase", no_wrap=True)
    table.add_column("Tasks", no_wrap=True)
    for feature in features:
        mark = plain("▶", "green") if feature["current"] else plain("")
        tasks = "" if feature["progress"] is None else feature["progress"]["progress"]
        table.add_row(mark, plain(feature["spec_dir"], "bold"), plain(feature["phase"]), plain(tasks))
    yield table


def task_list(found: Data) -> Iterator[Shown]:
    """Show tasks under their phases."""
    yield plain(found["feature"], "bold")
    yield progress_text(found)
    phases = {phase["title"]: phase for phase in found["phases"]}
    for title, tasks in groupby(found["tasks"], key=lambda task: task["phase"]):
        yield plain("")
        if title is not None:
            progress = f" [{phases[title]['progress']}]" if title in phases else ""
            yield plain(title, "bold") + plain(progress, "dim")
        yield _tasks(list(tasks))
    yield from _problems(found)


def _problems(found: Data) -> Iterator[Shown]:
    for problem in found.get("problems", ()):
        yield plain(f"\n{problem}", "yellow")


def next_tasks(found: Data) -> Iterator[Shown]:
    """Show what can be done now, and below it what waits for what."""
    yield progress_text(found)
    if found["ready"]:
        yield plain("\nCan be done now, all at once:", "bold")
        yield _tasks(found["ready"])
    if found["waiting"]:
        yield plain("\nWaiting:", "bold")
        yield _tasks(found["waiting"])
    if not found["ready"] and not found["waiting"]:
        yield plain("Nothing is left to do.")
    yield from _problems(found)


def _tasks(tasks: Sequence[Data]) -> Table:
    table = Table(has_headings=False, gap=1)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    for task in tasks:
        table.add_row(box(task["status"]), plain(task["id"], "cyan bold"), _task_text(task))
    return table


def box(status: str) -> Text:
    """Draw how a task stands."""
    return plain(*_BOXES.get(status, ("?", "")))


def _task_text(task: Data) -> Text:
    text = plain("")
    if task["parallel"]:
        text.append_text(plain("[P] ", "magenta"))
    for story in task["stories"]:
        text.append_text(plain(f"[{story}] ", "blue"))
    for label in task["labels"]:
        text.append_text(plain(f"[{label}] ", "dim"))
    text.append_text(plain(task["description"].partition("\n")[0]))
    if task["waits_for"]:
        text.append_text(plain(f"\nwaits for {', '.join(task['waits_for'])}", "dim"))
    return text


def question_list(questions: Sequence[Data]) -> Iterator[Shown]:
    """Show questions with what they ask and who asked them."""
    for question in questions:
        asker = question["agent"] or question["session"]
        about = [question["feature"], question["run"], question["asked_at"]]
        yield plain(question["id"], "bold") + plain(f" {question['state']}", "yellow")
        yield plain(f"  {question['prompt']}")
        yield plain(f"  asked by {', '.join([asker, *filter(None, about)])}", "dim")


def event_table(events: Sequence[Data]) -> Iterator[Shown]:
    """Make a table of events."""
    table = Table()
    table.add_column("At", no_wrap=True)
    table.add_column("Event", no_wrap=True)
    table.add_column("What", overflow="fold", ratio=1)
    for event in events:
        said = [f"{key}={_value(value)}" for key, value in event.items() if key not in _PLACES and value]
        about = [event.get("agent"), event.get("feature"), event.get("run")]
        what = plain("; ".join(said)) + plain(f" ({', '.join(filter(None, about))})", "dim")
        table.add_row(plain(event.get("at", "")[:19]), plain(event.get("event", "")), what)
    yield table


def _value(value: object) -> str:
    if isinstance(value, list):
        entries = [entry if isinstance(entry, str) else f"{entry['name']} {entry['how']}" for entry in value]  # type: ignore[index]
        return ", ".join(entries)
    return str(value)
