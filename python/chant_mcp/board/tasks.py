"""The tasks of a spec-kit feature by phase."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static

from chant_mcp.board import words
from chant_mcp.board.feed import BoardState, Data
from chant_mcp.board.listing import Listing, Row
from chant_mcp.commands.rich_console import plain

_BAR = 20
_SMALL_BAR = 10


class TaskList(Listing):
    """Tasks below their phases."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("x,space", "complete", "Complete task", key_display="x"),
        Binding("f", "feature", "Feature"),
    ]

    @dataclass
    class Done(Message):
        """A person says that a task is done."""

        task: str
        feature: str

    class NextFeature(Message):
        """A person wants to see another feature."""

    def __init__(self, *, id: str) -> None:
        """Begin without tasks."""
        super().__init__(id=id)
        self.is_read_only = False
        self.feature = ""
        self.features = 0
        self.ids: dict[str, str] = {}
        """IDs of tasks by the keys of their rows."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only what can be done."""
        if action == "complete":
            return not self.is_read_only
        if action == "feature":
            return self.features > 1
        return super().check_action(action, parameters)

    def action_complete(self) -> None:
        """Report which task is done."""
        if self.key is not None:
            self.post_message(self.Done(self.ids[self.key], self.feature))

    def action_feature(self) -> None:
        """Ask for the next feature."""
        self.post_message(self.NextFeature())


class Tasks(Vertical):
    """A feature and its tasks."""

    def compose(self) -> ComposeResult:
        """Put what is known of the feature above its tasks."""
        yield Static(id="feature")
        yield TaskList(id="task-list")

    def fill(self, seen: BoardState) -> None:
        """Show the feature, or why there is none."""
        self.query_one("#feature", Static).update(_feature(seen))
        listing = self.query_one(TaskList)
        listing.feature = seen.tasks["feature"] if seen.tasks else ""
        listing.features = len(seen.features)
        found: list[Data] = seen.tasks["tasks"] if seen.tasks else []
        # The same ID may stand on two lines; the core says so when it is completed.
        listing.ids = {str(task["line"]): task["id"] for task in found}
        listing.fill(list(_rows(seen.tasks)) if seen.tasks else [])
        if listing.highlighted is None:
            listing.choose(next((str(task["line"]) for task in found if task["ready"]), None))
        listing.refresh_bindings()


def _rows(tasks: Data) -> Iterator[Row]:
    phases = {phase["title"]: phase for phase in tasks["phases"]}
    for title, group in groupby(tasks["tasks"], key=lambda task: task["phase"]):
        if title is not None:
            bar = words.progress(phases[title], _SMALL_BAR)
            yield Row(None, Text.assemble(plain(f"{title}  ", "bold"), bar))
        for task in group:
            yield Row(str(task["line"]), words.task(task))


def _feature(seen: BoardState) -> Text:
    context = seen.context
    if context is None:
        return plain("")
    if context["spec_dir"] is None:
        tried = "".join(f"\n  {line}" for line in context["why"]["tried"])
        text = Text.assemble(plain("No feature is current here.", "bold"))
        text.append_text(plain(f"\nLooked for one in {context['root']}:{tried}" if tried else "", "dim"))
        if seen.features:
            text.append_text(plain("\nThere are others: f shows them.", "dim"))
        return text
    text = Text.assemble(plain(context["spec_dir"], "bold"), f" · phase {context['phase']}")
    if context["branch"]:
        text.append_text(plain(f" · branch {context['branch']}", "dim"))
    if seen.tasks:
        text.append("\n").append_text(words.progress(seen.tasks, _BAR))
        ready = [task["id"] for task in seen.tasks["tasks"] if task["ready"]]
        if ready:
            text.append_text(plain(f" · can be done now: {', '.join(ready)}", "bright_cyan"))
    if seen.tasks_note:
        text.append_text(plain(f"\n{seen.tasks_note}", "yellow"))
    for warning in context["warnings"]:
        text.append_text(plain(f"\n⚠ {warning}", "yellow"))
    return text
