"""What agents ask, the dialog that answers, and what they reported before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.console import Group
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from chant_mcp.board.feed import Data
from chant_mcp.board.listing import Listing, Row
from chant_mcp.commands.rich_console import plain
from chant_mcp.commands.speckit_display import event_table


class Questions(Vertical):
    """Open questions above the events."""

    def compose(self) -> ComposeResult:
        """Put the questions above the events."""
        yield Static(id="no-questions")
        yield Listing(id="question-list")
        with VerticalScroll(id="activity") as activity:
            activity.border_title = "What agents reported"
            yield Static(id="events")

    def fill(self, questions: Sequence[Data]) -> None:
        """Show the questions, the oldest first."""
        self.query_one("#no-questions", Static).update("" if questions else "No agent waits for an answer.")
        self.query_one("#no-questions").display = not questions
        listing = self.query_one(Listing)
        listing.display = bool(questions)
        listing.fill([Row(one["id"], _row(one)) for one in questions])

    def tell(self, events: Sequence[Data]) -> None:
        """Show the events, the newest first."""
        shown = Group(*event_table(events[::-1])) if events else plain("Nothing yet.", "dim")
        self.query_one("#events", Static).update(shown)


def _row(question: Data) -> Text:
    about = plain(f"\n  {_asker(question)}", "dim")
    return Text.assemble(plain("? ", "bold yellow"), plain(question["prompt"]), about)


def _asker(question: Data) -> str:
    about = [question["agent"] or question["session"], question["run"], question["feature"]]
    return " · ".join([*filter(None, about), question["asked_at"][:19].replace("T", " ")])


@dataclass(frozen=True, slots=True)
class Reply:
    """What a person decided about a question."""

    question: str
    text: str | None
    """The answer; `None` to cancel the question."""


class AnswerField(Input):
    """Where the answer is typed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "submit", "Send")]


class AnswerDialog(ModalScreen["Reply | None"]):
    """Asks for an answer; the keyboard is its own as long as it is open."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+x", "cancel_question", "Cancel the question", priority=True),
        Binding("escape", "later", "Later"),
    ]

    def __init__(self, question: Data, place: str) -> None:
        """Take the question and where it stands among others, such as `1 of 3`."""
        super().__init__()
        self.question = question
        self._place = place

    def compose(self) -> ComposeResult:
        """Put the field below the question."""
        with Vertical(id="dialog") as dialog:
            dialog.border_title = f"Question {self._place}"
            yield Static(plain(_asker(self.question), "dim"))
            with VerticalScroll(id="prompt"):
                yield Static(plain(self.question["prompt"], "bold"))
            yield AnswerField(placeholder="Your answer", id="answer")
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Begin in the field."""
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send what was typed, unless that is nothing."""
        event.stop()
        if event.value.strip():
            self.dismiss(Reply(self.question["id"], event.value))
        else:
            self.notify("Type an answer, or press Ctrl+X to cancel the question.", severity="warning")

    def action_cancel_question(self) -> None:
        """Report to the agent that no one will answer."""
        self.dismiss(Reply(self.question["id"], None))

    def action_later(self) -> None:
        """Leave the question open."""
        self.dismiss(None)
