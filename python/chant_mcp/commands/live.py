"""Runs shown while they are watched: as a view that changes at a terminal, else as lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.progress_bar import ProgressBar
from rich.table import Table

from chant_mcp.commands.display import Output, plain
from chant_mcp.commands.run_display import (
    clock,
    describe_start,
    ended,
    is_known,
    provider_wait,
    ticked,
    words,
)
from chant_mcp.commands.text_layout import Text
from chant_mcp.commands.watch import Watch, WatchedRun
from chant_mcp.paging import Data
from chant_mcp.terminal import counted

_BAR = 12
"""Columns of a progress bar."""


def follow(watch: Watch, out: Output) -> list[WatchedRun]:
    """Show runs until those that were named have ended, and give these.

    How a run ended is printed as soon as it has, but for those that were named and did not complete:
    the caller reports that.
    """
    seen: list[WatchedRun] = []
    reported: set[str] = set()
    with _View(out) if out.is_terminal else _Lines(out) as shown:
        for seen in watch.moments():
            named = watch.named(seen)
            over = [one for one in seen if not one.is_under_way and one.name not in reported]
            ends = [one for one in over if one.state == "completed" or one not in named]
            ends.sort(key=lambda one: one.is_of_several)  # specs before what they were started by
            shown.show(seen, [ended(one) for one in ends])
            reported.update(one.name for one in ends)
    return watch.named(seen)


class _Lines:
    """A line for each change."""

    def __init__(self, out: Output) -> None:
        self._out = out
        self._started: set[str] = set()
        self._told: dict[tuple[str, str], Text] = {}

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave everything as it is."""

    def show(self, seen: Sequence[WatchedRun], ends: Sequence[Text]) -> None:
        """Print what is new."""
        for one in seen:
            if one.name not in self._started and is_known(one):
                self._started.add(one.name)
                self._print(describe_start(one))
            if one.name in self._started:
                self._tell(one, "criteria", ticked(one))
                self._tell(one, "wait", provider_wait(one.run))
        for end in ends:
            self._print(end)

    def _tell(self, one: WatchedRun, about: str, said: Text | None) -> None:
        """Print what is said about a run, unless it was said before."""
        if said is not None and self._told.get((one.name, about)) != said:
            self._told[one.name, about] = said
            self._print(said)

    def _print(self, text: Text) -> None:
        self._out.print(text, soft_wrap=True)


class _View:
    """Lines that change in their place, below those that stay."""

    def __init__(self, out: Output) -> None:
        self._live = Live(console=out.terminal, auto_refresh=False, transient=True)
        self._shown: object = None

    def __enter__(self) -> _View:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def show(self, seen: Sequence[WatchedRun], ends: Sequence[Text]) -> None:
        """Draw the runs again where anything changed, the seconds included."""
        for end in ends:
            self._live.console.print(end, soft_wrap=True)
        now = [(one, one.seconds) for one in seen if one.is_under_way]
        if now != self._shown:
            self._shown = now
            self._live.update(at_work(seen), refresh=True)


def at_work(seen: Sequence[WatchedRun]) -> RenderableType:
    """Show the runs that are under way: the specs of a run of several as a bar, two lines for an agent."""
    working = [one for one in seen if one.is_under_way]
    several = [_several(one) for one in working if one.is_of_several]
    agents = [_agent(one) for one in working if not one.is_of_several]
    advice = [plain("Ctrl-C ends the watching; the work goes on.", "dim")] if working else []
    return Group(*several, *agents, *advice)


def _several(one: WatchedRun) -> RenderableType:
    specs: Data = one.run.get("specs") or {"total": 0, "completed": 0, "ended": 0}
    over = specs["completed"] + specs["ended"]
    said = f"{over} of {counted(specs['total'], 'spec')}"
    if specs["ended"]:
        said += f", {specs['ended']} not done"
    grid = _grid()
    grid.add_row(
        plain(one.run["mode"], "bold"),
        plain(said),
        words(one.state),
        plain(clock(one.seconds)),
        ProgressBar(specs["total"] or 1, over, width=_BAR * 2),
    )
    return grid


def _agent(one: WatchedRun) -> RenderableType:
    criteria: Data = one.criteria or {"total": 0, "checked": 0}
    total, checked = criteria["total"], criteria["checked"]
    grid = _grid()
    grid.add_column(no_wrap=True, min_width=len("0 of 0"), justify="right")
    grid.add_row(
        plain(one.spec_id, "bold"),
        plain(one.title),
        words(one.state),
        plain(clock(one.seconds)),
        ProgressBar(total or 1, checked, width=_BAR),
        plain(f"{checked} of {total}" if total else ""),
    )
    line = provider_wait(one.run) or plain(one.line or "…", "dim")
    cut = line.to_rich()
    cut.no_wrap, cut.overflow = True, "ellipsis"
    return Group(grid, Padding(cut, (0, 0, 0, 2)))


def _grid() -> Table:
    grid = Table.grid(padding=(0, 2, 0, 0), expand=True)
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True, justify="right")
    grid.add_column(no_wrap=True)
    return grid
