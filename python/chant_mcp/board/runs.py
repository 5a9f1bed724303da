"""Agents at work, and what they write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import OptionList, RichLog, Static

from chant_mcp.board import words
from chant_mcp.board.feed import Data, Log
from chant_mcp.board.listing import Listing, Row
from chant_mcp.commands import run_display
from chant_mcp.commands.rich_console import plain
from chant_mcp.commands.run_display import clock
from chant_mcp.commands.watch import agent_of, seconds_between, state_of
from chant_mcp.terminal import coloured

_BAR = 10
_STATE = 18
"""Cells of the column of states."""

_LONGEST_LOG = 5_000
"""Lines of a log that are kept."""


class Runs(Vertical):
    """Runs above the log of the one that is chosen."""

    @dataclass
    class Chosen(Message):
        """The log of a spec is wanted."""

        spec: str | None

    def __init__(self, *, id: str) -> None:
        """Begin without runs."""
        super().__init__(id=id)
        self._runs: dict[str, Data] = {}

    @property
    def spec(self) -> str | None:
        """The spec of the run that is chosen."""
        run = self._runs.get(self.query_one(Listing).key or "")
        return run["spec_id"] if run else None

    def compose(self) -> ComposeResult:
        """Put the runs above the log, and above them how busy accounts and machines are."""
        yield Static(id="load")
        yield Listing(id="run-list")
        log = RichLog(id="log", max_lines=_LONGEST_LOG, wrap=True, min_width=20)
        log.border_title = "Log"
        yield log

    def fill(self, runs: Sequence[Data], load: Sequence[str]) -> None:
        """Show runs, those at work first, and how busy accounts and machines are."""
        busy = self.query_one("#load", Static)
        busy.display = bool(load)
        busy.update(plain(" · ".join(load), "dim"))
        self._runs = {run["process_id"]: run for run in runs}
        ordered = sorted(runs, key=lambda run: run["status"] != "running")
        listing = self.query_one(Listing)
        listing.fill([Row(run["process_id"], run_row(run)) for run in ordered])
        if listing.highlighted is None and runs:
            listing.highlighted = 0

    def write(self, log: Log | None) -> None:
        """Add what is new in the log; who scrolled back stays there."""
        out = self.query_one(RichLog)
        if log is None:
            return
        if log.has_started:
            out.clear()
            out.border_title = plain(f"Log of {log.spec}")
        if log.text:
            is_at_end = out.is_vertical_scroll_end
            out.write(Text.from_ansi(coloured(log.text)), scroll_end=is_at_end)

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Report whose log is wanted."""
        event.stop()
        self.post_message(self.Chosen(self.spec))


def run_row(run: Data) -> Text:
    """Show a run: where it stands, how far it is, what it used, and what can be done when it failed."""
    is_at_work = run["status"] == "running" and not run["stale"]
    state = run_display.words(state_of(run)).to_rich()
    text = Text.assemble(state, " " * max(1, _STATE - state.cell_len))
    text.append_text(plain(run["spec_id"], "bold"))
    if run.get("agent"):
        text.append_text(plain(f" {agent_of(run)}", "dim"))
    if run.get("target"):
        text.append_text(plain(f" → {run['target']}", "dim"))
    if run["mode"] != "single":
        text.append_text(plain(f" {run['mode']}", "dim"))
    until = None if is_at_work else run["completed_at"]
    if is_at_work or until:
        text.append_text(plain(f" {clock(seconds_between(run['started_at'], until))}"))
    if criteria := run.get("criteria"):
        text.append_text(Text.assemble(" ", words.bar(criteria["checked"], criteria["total"], _BAR)))
        text.append_text(plain(f" {criteria['checked']}/{criteria['total']}"))
    if specs := run.get("specs"):
        text.append_text(Text.assemble(" ", words.bar(specs["completed"], specs["total"], _BAR)))
        text.append_text(plain(f" {specs['completed']}/{specs['total']} specs"))
    if used := run_display.used_words(run.get("usage")):
        text.append_text(plain(f" {used}", "dim"))
    if run.get("reason"):
        text.append_text(plain(f"\n  {run['reason']}", "dim"))
    if (step := run_display.next_step(run)) is not None:
        text.append_text(plain(f"\n  → {step}", "dim"))
    return text
