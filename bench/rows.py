"""Rows of the table: samples, what they are compared with, what was promised."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

Unit = Literal["seconds", "bytes"]


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was measured."""

    name: str
    specs: int
    """How many specs the project has; 0 where that plays no part."""
    samples: Sequence[float]
    unit: Unit = "seconds"
    plain: float | None = None
    """The plain call of the same run, where a ratio to it says something."""
    promise: str = ""
    """In words; empty for a row that is shown for information."""
    most: float | None = None
    """What the median may be at most, in the row's unit."""
    is_of_p90: bool = False
    """Whether that is promised of nine of ten samples, not of the median."""

    @property
    def median(self) -> float:
        """The middle of the samples."""
        return statistics.median(self.samples)

    @property
    def p90(self) -> float:
        """What nine of ten samples stay below."""
        return statistics.quantiles(self.samples, n=10)[-1] if len(self.samples) > 1 else self.median

    @property
    def ratio(self) -> float | None:
        """How many plain calls it costs."""
        return self.median / self.plain if self.plain else None

    @property
    def is_met(self) -> bool | None:
        """Whether the promise was kept; `None` where nothing was promised."""
        judged = self.p90 if self.is_of_p90 else self.median
        return None if self.most is None else judged <= self.most

    def cells(self) -> tuple[str, ...]:
        """The row as the table shows it."""
        ratio, is_met = self.ratio, self.is_met
        return (
            self.name,
            f"{self.specs:,}" if self.specs else "",
            shown(self.median, self.unit),
            shown(self.p90, self.unit),
            "" if ratio is None else f"{ratio:.2f}",
            self.promise,
            "" if is_met is None else "yes" if is_met else "NO",
        )

    def facts(self) -> dict[str, Any]:
        """The row as JSON tells it."""
        return {
            "name": self.name,
            "specs": self.specs,
            "unit": self.unit,
            "samples": len(self.samples),
            "median": self.median,
            "p90": self.p90,
            "ratio": self.ratio,
            "promise": self.promise,
            "most": self.most,
            "met": self.is_met,
        }


def shown(value: float, unit: Unit) -> str:
    """A time in milliseconds or a size in megabytes."""
    if unit == "bytes":
        return f"{value / 1e6:.0f} MB"
    return f"{value * 1e3:.0f} ms" if value >= 0.1 else f"{value * 1e3:.3f} ms"


@dataclass(frozen=True, slots=True)
class Limits:
    """What is promised up to 10,000 and up to 100,000 specs; `None` where nothing is."""

    at_10_000: float | None
    at_100_000: float | None = None

    def at(self, specs: int) -> float | None:
        """What is promised for a project of this size."""
        if specs <= 10_000:
            return self.at_10_000
        return self.at_100_000 if specs <= 100_000 else None


NOTHING = Limits(None)
"""For rows that are shown for information."""


def compared(name: str, specs: int, samples: Sequence[float], plain: float, limits: Limits = NOTHING) -> Row:
    """A row whose promise is a multiple of the plain call."""
    times = limits.at(specs)
    if times is None:
        return Row(name, specs, samples, plain=plain)
    promise = "not slower than plain" if times == 1 else f"≤ {times:g} × plain"
    return Row(name, specs, samples, plain=plain, promise=promise, most=times * plain)


def absolute(name: str, specs: int, samples: Sequence[float], limits: Limits, unit: Unit = "seconds") -> Row:
    """A row whose promise is a time or a size."""
    most = limits.at(specs)
    promise = "" if most is None else f"≤ {shown(most, unit)}"
    return Row(name, specs, samples, unit, promise=promise, most=most)
