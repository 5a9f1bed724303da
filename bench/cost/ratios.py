"""Counts the work of operations in projects of two sizes, and says which grows more than it may."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chant_mcp._core import counted_work

from bench.cost.operations import Operation
from bench.cost.scene import Scene

GROWTH = 4
"""How much larger the second project is."""

MOST = 1.3
"""How much more an operation that touches one item may do there."""

_LINEAR = GROWTH * 1.15
"""How much more an operation that reads all may do there."""

_SLACK = {"opened": 2, "read": 600, "written": 600, "listed": 4, "visited": 12, "resolved": 16}
"""What counts for nothing: numbers have more digits in a larger project, and a tree has a level more."""

_OF_MANY = 16
"""How often the few files of many items of a project are opened for a comparison while they are young."""

_FEW = 2
"""Calls that are counted of each operation; the cheaper one counts: what happens now and then is left out."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a call of an operation takes."""

    work: Mapping[str, int]
    seconds: float


@dataclass(frozen=True, slots=True)
class Growth:
    """What an operation takes in two projects, of which one is larger."""

    operation: Operation
    small: Cost
    large: Cost

    def excess(self) -> list[str]:
        """The counters that grow more than they may, in words."""
        most = _LINEAR if self.operation.whole else MOST
        of_files = ("read", "written") if self.operation.looks_at_files_of_many else ()
        names = [name for name in self.small.work if name not in of_files]
        slack = {**_SLACK, "opened": _SLACK["opened"] + (_OF_MANY if of_files else 0)}
        over = [name for name in names if self.large.work[name] > most * self.small.work[name] + slack[name]]
        return [f"{name}: {self.small.work[name]} and {self.large.work[name]}" for name in over]

    def ratio(self) -> float:
        """How many times as many items it visits in the larger project."""
        return self.large.work["visited"] / max(self.small.work["visited"], 1)


def cost_of(operation: Operation, scene: Scene, numbers: Iterable[int]) -> Cost:
    """Call an operation a few times with other numbers; the first call is for warming up."""
    costs: list[Cost] = []
    for number in itertools.islice(numbers, _FEW + 1):
        before, begin = counted_work(), time.perf_counter()
        operation.work(scene, number)
        seconds, after = time.perf_counter() - begin, counted_work()
        costs.append(Cost({name: after[name] - before[name] for name in after}, seconds))
    measured = costs[1:]
    least = {name: min(cost.work[name] for cost in measured) for name in costs[0].work}
    return Cost(least, min(cost.seconds for cost in measured))


def growths(operations: Sequence[Operation], small: Scene, large: Scene) -> list[Growth]:
    """What operations take in two projects."""
    found: list[Growth] = []
    for at, operation in enumerate(operations):
        costs = [cost_of(operation, scene, itertools.count(at * 10)) for scene in (small, large)]
        found.append(Growth(operation, *costs))
    return found
