"""How often plans keep the P90 that was said before: `python -m bench.durations [--plans N] [--outside]`.

A plan is 20 to 50 items on 2 to 5 agents, each item waiting for up to two of the dozen before it. Some runs
are drawn from a family of durations, and the plan's P50 and P90 are asked of the core with nothing but these
runs known. Then the plan is worked off with durations of the same family, by a simulation of its own. A cell
shows how often that ended by the P90 and by the P50, and how many times as large the P90 is as that of one
who knows the family. `--outside` asks the same of families that are further from what runs usually are.
"""

from __future__ import annotations

import argparse
import heapq
import math
import random
import statistics
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from chant_mcp.graph import Graph
from rich.console import Console
from rich.table import Table

Family = Callable[[random.Random], float]
"""Draws the seconds of one item."""

COUNTS = (2, 3, 5, 20)
"""So many runs are known."""
TARGET = (0.85, 0.95)
"""So many plans are promised to keep their P90."""
_FUTURES = 5
"""So often each plan is worked off."""
_ORACLE = 200
"""So often every tenth plan is worked off to see its true P90."""


def lognormal(spread: float) -> Family:
    """Make a family of a median of 20 minutes, and this deviation of logarithms."""
    return lambda chance: 1200 * math.exp(spread * chance.gauss(0, 1))


def gamma(shape: float) -> Family:
    """Make a family with a mean of 25 minutes."""
    return lambda chance: chance.gammavariate(shape, 1500 / shape)


def two_humps(times: float) -> Family:
    """Make a family of which one half takes so many times as long as the other."""
    return lambda chance: 600 * chance.choice((1.0, times)) * math.exp(0.25 * chance.gauss(0, 1))


def outliers(times: float) -> Family:
    """Make a family of which one in ten takes so many times as long."""
    return lambda chance: 900 * math.exp(0.4 * chance.gauss(0, 1)) * (times if chance.random() < 0.1 else 1.0)


FAMILIES: dict[str, Family] = {
    "log-normal, deviation 0.6": lognormal(0.6),
    "gamma, shape 2": gamma(2),
    "two humps, 10 and 30 minutes": two_humps(3),
    "one in ten takes 4 times as long": outliers(4),
}
"""What durations are like; the core is not told."""

OUTSIDE: dict[str, Family] = {
    "log-normal, deviation 0.2": lognormal(0.2),
    "log-normal, deviation 1": lognormal(1),
    "gamma, shape 1": gamma(1),
    "two humps, 10 and 60 minutes": two_humps(6),
    "one in ten takes 8 times as long": outliers(8),
}
"""Families further away: narrower, wider, and with more that a few runs do not show."""


@dataclass(frozen=True, slots=True)
class SimulatedPlan:
    """Items that wait for one another, and those who work on them."""

    before: list[list[int]]
    agents: int

    @classmethod
    def drawn(cls, chance: random.Random) -> SimulatedPlan:
        """Draw a plan."""
        before: list[list[int]] = []
        for item in range(chance.randint(20, 50)):
            near = range(max(0, item - 12), item)
            before.append(sorted(chance.sample(near, min(len(near), chance.randint(0, 2)))))
        return cls(before, chance.randint(2, 5))

    def expected(self, runs: Sequence[float], seed: int) -> tuple[float, float]:
        """Ask the core for P50 and P90 when these runs are known."""
        names = [f"{item:02}" for item in range(len(self.before))]
        edges = [(names[one], names[item]) for item, waits in enumerate(self.before) for one in waits]
        network = Graph.from_edges(edges, nodes=names).network
        plan = Graph(network, learned=learned_from(runs)).schedule(self.agents, seed=seed)
        assert plan.p50 is not None
        assert plan.p90 is not None
        return plan.p50, plan.p90

    def end(self, durations: Sequence[float]) -> float:
        """Work the plan off: who is free takes the free item with the most items in a row behind it."""
        after: list[list[int]] = [[] for _ in self.before]
        for item, waits in enumerate(self.before):
            for one in waits:
                after[one].append(item)
        height = [0] * len(after)
        for item in reversed(range(len(after))):
            height[item] = 1 + max((height[other] for other in after[item]), default=0)
        left = [len(waits) for waits in self.before]
        free = [(-height[item], item) for item, waits in enumerate(left) if not waits]
        heapq.heapify(free)
        busy: list[tuple[float, int]] = []
        now = 0.0
        while free or busy:
            while free and len(busy) < self.agents:
                item = heapq.heappop(free)[1]
                heapq.heappush(busy, (now + durations[item], item))
            now, done = heapq.heappop(busy)
            for item in after[done]:
                left[item] -= 1
                if not left[item]:
                    heapq.heappush(free, (-height[item], item))
        return now


def learned_from(runs: Sequence[float]) -> dict[str, Any]:
    """Give what a workspace learns from runs of these durations."""
    median = statistics.median(runs)
    return {"runs": len(runs), "median": median, "ratios": [seconds / median for seconds in runs]}


@dataclass(frozen=True, slots=True)
class CoverageCell:
    """What came of the plans of one family and one number of runs."""

    p90_kept: float
    p50_kept: float
    width: float

    def is_met(self) -> bool:
        """Whether the P90 is kept as often as promised."""
        return TARGET[0] <= self.p90_kept <= TARGET[1]


def measure_coverage(family: Family, runs: int, plans: int, seed: int = 1) -> CoverageCell:
    """Learn, expect and work off so many plans."""
    chance = random.Random(seed * 1_000_003 + runs)
    kept: list[tuple[bool, bool]] = []
    widths: list[float] = []
    for place in range(plans):
        plan = SimulatedPlan.drawn(chance)
        p50, p90 = plan.expected([family(chance) for _ in range(runs)], seed=place)
        is_compared = place % 10 == 0
        ends = sorted(
            plan.end([family(chance) for _ in plan.before])
            for _ in range(_ORACLE if is_compared else _FUTURES)
        )
        kept += [(end <= p90, end <= p50) for end in chance.sample(ends, _FUTURES)]
        if is_compared:
            widths.append(p90 / ends[math.ceil(0.9 * _ORACLE) - 1])
    p90_kept, p50_kept = (statistics.fmean(column) for column in zip(*kept, strict=True))
    return CoverageCell(p90_kept, p50_kept, statistics.median(widths))


def _cell(asked: tuple[str, int, int]) -> CoverageCell:
    name, runs, plans = asked
    return measure_coverage({**FAMILIES, **OUTSIDE}[name], runs, plans)


def _measured(families: Sequence[str], plans: int) -> Iterator[tuple[str, list[CoverageCell]]]:
    asked = [(name, runs, plans) for name in families for runs in COUNTS]
    with ProcessPoolExecutor() as pool:
        cells = pool.map(_cell, asked)
        for name in families:
            yield name, [next(cells) for _ in COUNTS]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plans", type=int, default=2_000, help="so many plans a cell")
    parser.add_argument("--outside", action="store_true", help="the families further away")
    given = parser.parse_args()
    families = OUTSIDE if given.outside else FAMILIES
    table = Table("durations", *(f"{runs} runs" for runs in COUNTS))
    cells: list[CoverageCell] = []
    for name, row in _measured(list(families), given.plans):
        cells += row
        table.add_row(
            name, *(f"{cell.p90_kept:.1%}, {cell.p50_kept:.0%}, × {cell.width:.2f}" for cell in row)
        )
    console = Console(width=120)
    console.print(table)
    met = sum(cell.is_met() for cell in cells)
    console.print(
        f"P90 kept, P50 kept, × the P90 of one who knows; {met} of {len(cells)} P90 within {TARGET}"
    )


if __name__ == "__main__":
    main()
