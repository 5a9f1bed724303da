"""A small line chart as SVG, so that notebooks of the guide need no library for charts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TypeAlias

Points: TypeAlias = Sequence[tuple[float, float]]

_WIDTH, _HEIGHT = 720, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 110, 44, 42
_COLORS = ("#3f7fd9", "#d9782d", "#3c9a62", "#a05fc4")
"""Colours that can be told apart on white and on black."""
_GREY = "#808890"


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines over common axes, which begin at 0 upwards; notebooks show it as a static picture.

    Example:
        >>> chart = LineChart("Open items", "day", {"open": [(0, 9), (1, 7), (2, 3)]})
        >>> chart.svg.startswith("<svg")
        True
    """

    title: str
    """What it shows, with the unit upwards."""
    across: str
    """What counts across, with its unit."""
    lines: Mapping[str, Points]
    """The points of each line by its name, from left to right; four lines at most."""
    marks: Mapping[str, float] = field(default_factory=dict[str, float])
    """Places across that get a dashed line, by their names."""

    @property
    def svg(self) -> str:
        """The picture, for white and for black pages."""
        parts = "\n".join((*self._axes(), *self._marks(), *self._lines()))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" '
            f'role="img" aria-label="{escape(self.title)}" font-family="sans-serif" font-size="12" '
            f'fill="{_GREY}">\n{parts}\n</svg>\n'
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """What a notebook shows."""
        names = ", ".join(self.lines)
        return {"image/svg+xml": self.svg, "text/plain": f"{self.title}: {names}, by {self.across}"}

    def _axes(self) -> Iterator[str]:
        (least, most), top = self._range()
        yield _text(_LEFT, _TOP - 28, self.title, anchor="start", weight="bold")
        yield _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 6, self.across)
        for value in _steps(0, top):
            y = self._y(value)
            yield _line(_LEFT, y, _WIDTH - _RIGHT, y, 'stroke-opacity="0.3"')
            yield _text(_LEFT - 8, y + 4, f"{value:g}", anchor="end")
        for value in _steps(least, most):
            yield _text(self._x(value), _HEIGHT - _BOTTOM + 18, f"{value:g}")

    def _marks(self) -> Iterator[str]:
        for name, value in self.marks.items():
            x = self._x(value)
            yield _line(x, _TOP, x, _HEIGHT - _BOTTOM, 'stroke-dasharray="4 4"')
            yield _text(x, _TOP - 6, name)

    def _lines(self) -> Iterator[str]:
        ends = _spread_out([self._y(points[-1][1]) for points in self.lines.values()])
        for (name, points), color, end in zip(self.lines.items(), _COLORS, ends, strict=False):
            drawn = " ".join(f"{self._x(x):.1f},{self._y(y):.1f}" for x, y in points)
            yield f'<polyline points="{drawn}" fill="none" stroke="{color}" stroke-width="2"/>'
            yield _text(_WIDTH - _RIGHT + 6, end + 4, name, anchor="start", color=color)

    def _range(self) -> tuple[tuple[float, float], float]:
        """The ends of the axis across, and the top."""
        points = [point for line in self.lines.values() for point in line]
        across = [x for x, _ in points] + list(self.marks.values())
        return (min(across), max(across)), max(y for _, y in points)

    def _x(self, value: float) -> float:
        (least, most), _ = self._range()
        return _LEFT + (value - least) / ((most - least) or 1) * (_WIDTH - _LEFT - _RIGHT)

    def _y(self, value: float) -> float:
        _, top = self._range()
        return _HEIGHT - _BOTTOM - value / (top or 1) * (_HEIGHT - _TOP - _BOTTOM)


def _steps(least: float, most: float) -> list[float]:
    """Five to ten round numbers from the least to the most."""
    span = (most - least) or 1
    power = 10 ** math.floor(math.log10(span / 5))
    step = next(size * power for size in (1, 2, 5, 10) if span / (size * power) <= 10)
    return [number * step for number in range(math.ceil(least / step), math.floor(most / step + 1e-9) + 1)]


def _spread_out(places: Sequence[float]) -> list[float]:
    """Move names down where they would cover one another."""
    moved = dict[int, float]()
    lowest = -math.inf
    for index in sorted(range(len(places)), key=places.__getitem__):
        lowest = moved[index] = max(places[index], lowest + 14)
    return [moved[index] for index in range(len(places))]


def _line(x1: float, y1: float, x2: float, y2: float, more: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{_GREY}" {more}/>'


def _text(
    x: float, y: float, text: str, *, anchor: str = "middle", color: str = _GREY, weight: str = "normal"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{color}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )
