"""The consoles of rich: what they print steers no terminal, whatever it holds."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import Markdown
from rich.segment import Segment
from rich.text import Text

from chant_mcp.terminal import harmless

_PIPE_WIDTH = 1_000_000
"""Columns of lines that are never wrapped."""


class _Harmless:
    """Something whose texts are harmless however they came to be: Markdown knows entities, too."""

    def __init__(self, shown: RenderableType) -> None:
        self._shown = shown

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from _without_harm(console.render(self._shown, options))


class _Console(Console):
    """A console that prints nothing else, whatever it is given."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Give the pieces of what is printed."""
        return _without_harm(super().render(renderable, options))


def _without_harm(segments: Iterable[Segment]) -> Iterable[Segment]:
    for segment in segments:
        yield segment if segment.control else Segment(harmless(segment.text), segment.style)


def make_console(*, is_error: bool, prints_lines: bool) -> Console:
    """Make the console for standard output or error; texts of documents are never taken for markup."""
    width = _PIPE_WIDTH if prints_lines else None
    return _Console(highlight=False, markup=False, emoji=False, stderr=is_error, width=width)


def markdown(text: str) -> RenderableType:
    """Render Markdown for a terminal."""
    return _Harmless(Markdown(harmless(text), hyperlinks=False))


def plain(value: object, style: str = "") -> Text:
    """Make a text of a value, of which nothing is taken for markup."""
    return Text(harmless(str(value)), style=style)
