"""Runs shown while they are watched: as a view that changes at a terminal, else as lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.live import Live
from rich.text import Text

from chant_mcp.commands import run_display
from chant_mcp.commands.watch import Watch, WatchedRun


def follow(watch: Watch, out: Console) -> list[WatchedRun]:
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
            shown.show(seen, [run_display.ended(one) for one in ends])
            reported.update(one.name for one in ends)
    return watch.named(seen)


class _Lines:
    """A line for each change."""

    def __init__(self, out: Console) -> None:
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
            if one.name not in self._started and run_display.is_known(one):
                self._started.add(one.name)
                self._print(run_display.describe_start(one))
            if one.name in self._started:
                self._tell(one, "criteria", run_display.ticked(one))
                self._tell(one, "wait", run_display.provider_wait(one.run))
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

    def __init__(self, out: Console) -> None:
        self._live = Live(console=out, auto_refresh=False, transient=True)
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
            self._live.update(run_display.at_work(seen), refresh=True)
