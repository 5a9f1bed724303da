"""Runs shown while they are watched: as a view that changes at a terminal, else as lines."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.text import Text

from chant_mcp.commands import run_display
from chant_mcp.commands.watch import Seen, Watch


def follow(watch: Watch, out: Console) -> list[Seen]:
    """Show runs until those that were named have ended, and give these.

    How a run ended is printed as soon as it has, but for those that were named and did not complete:
    that is for the caller to tell.
    """
    seen: list[Seen] = []
    printed: set[str] = set()
    with _View(out) if out.is_terminal else _Lines(out) as shown:
        for seen in watch.moments():
            shown.show(seen)
            named = watch.named(seen)
            for one in seen:
                is_news = not one.is_under_way and one.name not in printed
                if is_news and (one not in named or one.state == "completed"):
                    printed.add(one.name)
                    shown.tell(run_display.ended(one))
    return watch.named(seen)


class _Lines:
    """A line for each change."""

    def __init__(self, out: Console) -> None:
        self._out = out
        self._told: dict[str, list[Text | None]] = {}

    def __enter__(self) -> _Lines:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def show(self, seen: list[Seen]) -> None:
        """Print what is new."""
        for one in seen:
            told = self._told.setdefault(one.name, [])
            for line in (run_display.begun(one), run_display.ticked(one)):
                if line is not None and line not in told:
                    told.append(line)
                    self.tell(line)

    def tell(self, text: Text) -> None:
        """Print a text."""
        self._out.print(text, soft_wrap=True)


class _View:
    """Lines that change in their place, below those that stay."""

    def __init__(self, out: Console) -> None:
        self._live = Live(console=out, auto_refresh=False, transient=True)
        self._shown: object = None

    def __enter__(self) -> _View:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def show(self, seen: list[Seen]) -> None:
        """Draw the runs anew where anything changed, the seconds included."""
        now = [(one, one.seconds) for one in seen if one.is_under_way]
        if now != self._shown:
            self._shown = now
            self._live.update(run_display.at_work(seen), refresh=True)

    def tell(self, text: Text) -> None:
        """Print a text that stays."""
        self._live.console.print(text)
