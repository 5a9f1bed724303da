"""Prints what operations do in projects of two sizes: `python -m bench.cost`; see bench/README.md."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import cast

from rich import box
from rich.console import Console
from rich.table import Table

from bench.cost.operations import FILES_OF_MANY, LEFT_OUT, Operation, operations
from bench.cost.ratios import GROWTH, Growth, growths
from bench.cost.scene import make_scene

_WORK = ("opened", "read", "written", "listed", "visited", "resolved")


def _chosen(names: list[str]) -> list[Operation]:
    wanted = [one for one in operations() if not names or any(name in one.name for name in names)]
    if not wanted:
        raise SystemExit(f"no operation is called {' or '.join(names)}")
    return wanted


def _table(found: list[Growth], size: int) -> Table:
    table = Table(box=box.MARKDOWN)
    for name in ("operation", *_WORK, f"ms at {size:,}", f"ms at {size * GROWTH:,}", "by nature of all"):
        table.add_column(name, justify="left" if name in ("operation", "by nature of all") else "right")
    for one in found:
        counts = [f"{one.small.work[name]:,} / {one.large.work[name]:,}" for name in _WORK]
        seconds = [f"{cost.seconds * 1e3:.2f}" for cost in (one.small, one.large)]
        style = "bold red" if one.excess() else ""
        table.add_row(one.operation.name, *counts, *seconds, one.operation.whole, style=style)
    return table


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.cost", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the names of operations; all without any")
    parser.add_argument("--items", type=int, default=1_000, help="items of each kind in the smaller project")
    given = parser.parse_args()
    size, console = cast(int, given.items), Console(width=200)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        small = make_scene(root / "small", size, root / "home")
        large = make_scene(root / "large", GROWTH * size, root / "home")
        found = growths(_chosen(cast("list[str]", given.names)), small, large)
    console.print(_table(found, size))
    over = {one.operation.name: one.excess() for one in found if one.excess()}
    for name, counts in over.items():
        console.print(f"{name} grows more than it may: {'; '.join(counts)}")
    console.print(f"{len(found)} operations, {len(over)} of them grow more than they may. {FILES_OF_MANY}.")
    console.print(f"Not counted: {', '.join(LEFT_OUT)}.")


if __name__ == "__main__":
    main()
