"""What edits and looks of a script cost in projects of two sizes, by processor time in interleaved rounds.

`python -m bench.script_edits 5000 20000` prints for each the median of a call at both sizes and how it grows;
and what a transaction costs beside as many single edits.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import chant_mcp

from bench.corpus import build
from bench.quiet import quiet

if TYPE_CHECKING:
    from chant_mcp import Workspace

_ROUNDS = 9
_EDITS = (1, 10, 100)


class ScriptedProject:
    """A project of so many specs, as a script has it open."""

    def __init__(self, folder: Path, count: int) -> None:
        self.ids = build(folder, count, commits=1).sample
        self.workspace: Workspace = chant_mcp.open(folder)
        self._number = 0

    def update(self) -> None:
        """Change a label of a spec, each time of another one."""
        self._number += 1
        spec = self.ids[self._number * 37 % len(self.ids)]
        self.workspace.spec(spec).update(labels=[f"label-{self._number}"])

    def single(self, count: int) -> None:
        """Make so many changes one by one."""
        for _ in range(count):
            self.update()

    def together(self, count: int) -> None:
        """Make so many changes in one transaction."""
        with self.workspace.transaction():
            self.single(count)

    def calls(self) -> dict[str, Callable[[], object]]:
        """All calls by the names that the table shows."""
        workspace = self.workspace
        return {
            **{f"{count} edits one by one": lambda count=count: self.single(count) for count in _EDITS},
            **{f"{count} edits together": lambda count=count: self.together(count) for count in _EDITS},
            "ws.add": lambda: workspace.add("New work"),
            "where(label) without a hit": lambda: len(workspace.items.where(label="nowhere")),
            "ws.ready[0]": lambda: workspace.ready[0],
            "an edit, then graph().frontier()": lambda: (self.update(), workspace.graph().frontier()),
        }


def processor_seconds(call: Callable[[], object]) -> float:
    """Seconds of processor time, of all threads, that a call takes."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def main(sizes: list[int]) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder, quiet():
        projects = [ScriptedProject(Path(folder) / str(size), size) for size in sizes]
        tables = [project.calls() for project in projects]
        taken: dict[str, list[list[float]]] = {name: [[] for _ in projects] for name in tables[0]}
        for _ in range(_ROUNDS):
            for name, of_sizes in taken.items():
                for table, times in zip(tables, of_sizes, strict=True):
                    times.append(processor_seconds(table[name]))
        medians = {
            name: [statistics.median(times[1:]) for times in of_sizes] for name, of_sizes in taken.items()
        }
    rows = [["call, ms at", *map(str, sizes), "growth"]]
    for name, of_sizes in medians.items():
        growth = of_sizes[-1] / of_sizes[0]
        rows.append([f"{name}:", *(f"{seconds * 1000:.2f}" for seconds in of_sizes), f"{growth:.2f}"])
    for count in _EDITS:
        one, all = medians[f"{count} edits one by one"], medians[f"{count} edits together"]
        ratios = (f"{b / a:.2f}" for a, b in zip(one, all, strict=True))
        rows.append([f"{count} together / one by one:", *ratios])
    sys.stdout.writelines(" ".join(row) + "\n" for row in rows)


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [5_000, 20_000])
