"""Measures the speed that the project promises: `python -m bench.run`; see README.md."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from rich import box
from rich.console import Console
from rich.table import Table

from bench import measures, tickets, vine
from bench.corpus import kept
from bench.quiet import Bystanders
from bench.rows import Row
from bench.wire import Era

_COLUMNS = ("row", "specs", "median", "p90", "× plain", "promise", "met")


@dataclass(frozen=True, slots=True)
class _Wishes:
    """What the command line asks for."""

    specs: list[int]
    rounds: int
    folder: Path
    era: Era
    json: Path | None
    markdown: bool
    bytes: bool
    quick: bool
    clean: bool


def _wishes() -> _Wishes:
    parser = argparse.ArgumentParser(prog="python -m bench.run", description=__doc__)
    parser.add_argument("--specs", type=int, nargs="+", default=[10_000, 100_000], help="sizes of projects")
    parser.add_argument("--rounds", type=int, default=300, help="samples of each call")
    parser.add_argument("--quick", action="store_true", help="1,000 specs, few rounds: does it run at all?")
    parser.add_argument("--era", choices=("handshake", "modern"), default="handshake", help="of the protocol")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows there too")
    parser.add_argument("--markdown", action="store_true", help="print the table as markdown")
    parser.add_argument("--bytes", action="store_true", help="also count what smaller answers save")
    folder = Path(tempfile.gettempdir()) / "chant-mcp-bench"
    parser.add_argument("--folder", type=Path, default=folder, help="where projects are kept")
    parser.add_argument("--clean", action="store_true", help="remove kept projects and do nothing else")
    given = parser.parse_args()
    quick = cast(bool, given.quick)
    return _Wishes(
        specs=[1_000] if quick else cast("list[int]", given.specs),
        rounds=min(cast(int, given.rounds), 40) if quick else cast(int, given.rounds),
        folder=cast(Path, given.folder).absolute(),
        era=cast(Era, given.era),
        json=cast("Path | None", given.json),
        markdown=cast(bool, given.markdown),
        bytes=cast(bool, given.bytes),
        quick=quick,
        clean=cast(bool, given.clean),
    )


def _measure(wishes: _Wishes, progress: Console, bystanders: Bystanders) -> list[Row]:
    rows: list[Row] = []
    few = 3 if wishes.quick else 11
    wishes.folder.mkdir(parents=True, exist_ok=True)
    for size in sorted(wishes.specs):
        progress.print(f"project of {size:,} specs in {wishes.folder} …")
        corpus = kept(wishes.folder, size)
        os.sync()
        progress.print(f"measuring at {size:,} specs …")
        with bystanders.during(f"index at {size:,}"):
            indexing = measures.index(corpus, few)
        with bystanders.during(f"reads at {size:,}"):
            rows += measures.reads(corpus, wishes.rounds, wishes.era)
        with bystanders.during(f"writes at {size:,}"):
            rows += measures.writes(corpus, wishes.rounds // 2, wishes.era)
        rows += indexing
        with bystanders.during(f"changed files at {size:,}"):
            rows += measures.changed(corpus, few, indexing[0].median, wishes.era)
        with bystanders.during(f"starts at {size:,}"):
            rows += measures.starts(corpus, few)
        with bystanders.during(f"vine at {size:,}"):
            rows += vine.vine(wishes.folder / f"vine-{size}", size, wishes.rounds, wishes.era)
    for size in _ticket_sizes(wishes):
        progress.print(f"measuring at {size:,} tickets …")
        with bystanders.during(f"tickets at {size:,}"):
            rows += tickets.tickets(_ticket_folder(wishes, size), size, wishes.rounds, wishes.era)
    return rows


def _ticket_sizes(wishes: _Wishes) -> list[int]:
    return sorted({min(size, tickets.MOST) for size in wishes.specs})


def _ticket_folder(wishes: _Wishes, size: int) -> Path:
    return wishes.folder / f"tickets-{size}"


def table(rows: list[Row], *, markdown: bool) -> Table:
    """Lay rows out, for a terminal or as markdown."""
    table = Table(box=box.MARKDOWN if markdown else box.SIMPLE_HEAD, show_edge=markdown)
    for name in _COLUMNS:
        table.add_column(name, justify="right" if name in _COLUMNS[1:5] else "left", no_wrap=True)
    for before, row in zip([None, *rows], rows, strict=False):
        if before and before.specs and row.specs and before.specs != row.specs and not markdown:
            table.add_section()
        table.add_row(*row.cells(), style="bold red" if row.is_met is False else "")
    return table


def _savings(wishes: _Wishes) -> Table:
    """The bytes of smaller answers, counted in the largest project of tickets."""
    size = _ticket_sizes(wishes)[-1]
    table = Table(box=box.MARKDOWN if wishes.markdown else box.SIMPLE_HEAD, show_edge=wishes.markdown)
    for name in ("call", "bytes", "saved", "the seed says"):
        table.add_column(name, justify="left" if name == "call" else "right", no_wrap=True)
    for saving in tickets.savings(_ticket_folder(wishes, size), size):
        table.add_row(saving.call, f"{saving.taken:,.0f}", f"{saving.share:.0%}", saving.seed)
    return table


def _machine(wishes: _Wishes) -> dict[str, object]:
    return {
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release().split('-')[0]}",
        "python": platform.python_version(),
        "rounds": wishes.rounds,
        "era": wishes.era,
    }


def main() -> None:
    """Measure and print the table; it says which promises are missed, the exit code does not."""
    wishes = _wishes()
    if wishes.clean:
        shutil.rmtree(wishes.folder, ignore_errors=True)
        return
    bystanders = Bystanders()
    rows = _measure(wishes, Console(stderr=True), bystanders)
    console = Console(width=140)
    console.print(table(rows, markdown=wishes.markdown))
    if wishes.bytes:
        console.print(_savings(wishes))
    missed = [row for row in rows if row.is_met is False]
    kept_promises = sum(row.is_met is True for row in rows)
    console.print(f"{kept_promises} promises kept, {len(missed)} missed. {_machine(wishes)}")
    for complaint in bystanders.complaints():
        console.print(complaint)
    if wishes.json:
        facts = {
            "machine": _machine(wishes),
            "others": bystanders.shares,
            "rows": [row.facts() for row in rows],
        }
        wishes.json.write_text(json.dumps(facts, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
