"""What a running call and its caller report to each other."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TextIO

from chant_mcp._core import report_progress_to

on_step: ContextVar[Callable[[str], object] | None] = ContextVar("on_step", default=None)
"""Takes a few words on each step; none where no one wants to know. Set for one call."""

counted: ContextVar[Callable[[str, int, int], object] | None] = ContextVar("counted", default=None)
"""Takes what long work does, how many of its steps are done and how many there are, from any thread; none
where that is not wanted. Set for one call."""

has_left: ContextVar[Callable[[], bool] | None] = ContextVar("has_left", default=None)
"""Says whether the caller has stopped waiting; none where that is not known. Set for one call."""

agent: ContextVar[str | None] = ContextVar("agent", default=None)
"""The name of the client that asked for it. Set for one call."""

agreed: ContextVar[str | None] = ContextVar("agreed", default=None)
"""Names what a person agreed to when the tool asked; none where no one did. Set for one call."""


@contextmanager
def reported() -> Generator[None]:
    """Have the core report long work of this thread to `counted`."""
    report = counted.get()
    if report is None:
        yield
        return
    report_progress_to(report)
    try:
        yield
    finally:
        report_progress_to(None)


def report_on(terminal: TextIO) -> None:
    """Have the core report long work of this thread on one line of a terminal, which is empty at its end."""

    def report(name: str, done: int, total: int) -> None:
        text = f"{name}: {done:,} of {total:,}" if done < total else ""
        terminal.write(f"\r{text:<60}\r")
        terminal.flush()

    report_progress_to(report)


def report_nowhere() -> None:
    """Have the core report long work of this thread no more."""
    report_progress_to(None)
