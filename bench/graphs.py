"""Graph questions beside networkx, rustworkx, scipy, igraph and networkit, on the same graph in one run.

`python -m bench.graphs [--items N …] [--threads N]`. Each question is asked in turns, fresh each time where
a library keeps answers; garbage is collected before and not within. A cell has the medians of wall and
processor time, and how many times faster the core is by both. `bench.graph_questions` says what is
compared; libraries that are not installed are named.

`--quadratic` asks for betweenness and transitive reduction at 10,000 and 30,000, and for a sample at a
million. `--silence` says for how long other threads stand still at most while the core works. `--files`
makes a graph of specs on disk, files in the page cache; the others have no parser for them, so that theirs
is our parse and then their `add_edges_from`.
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import resource
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from bench.corpus import kept

if TYPE_CHECKING:
    from bench.graph_questions import GraphQuestion

LIBRARIES = ["networkx", "rustworkx", "scipy", "igraph", "networkit"]

WANTED = {"networkx": 20.0, "rustworkx": 2.0}
"""So many times faster the core has to be; than others not more than 1.2 times slower."""

_ENOUGH = 8.0
"""So many seconds are spent on one question to one library, but for the first time."""


@dataclass(frozen=True, slots=True)
class TimeTaken:
    """Medians, in seconds."""

    wall: float
    processor: float
    """Of all threads together."""


def _once(question: Callable[[], object]) -> TimeTaken:
    gc.collect()
    gc.disable()
    wall, processor = time.perf_counter(), time.process_time()
    answer = question()
    taken = TimeTaken(time.perf_counter() - wall, time.process_time() - processor)
    gc.enable()
    del answer
    return taken


def _in_turns(questions: dict[str, Callable[[], object]], rounds: int) -> dict[str, TimeTaken]:
    """The medians of questions that are asked one after the other, round by round."""
    taken: dict[str, list[TimeTaken]] = {name: [] for name in questions}
    for _ in range(rounds):
        for name, question in questions.items():
            if sum(one.wall for one in taken[name]) < _ENOUGH:
                taken[name].append(_once(question))
    return {
        name: TimeTaken(
            statistics.median(one.wall for one in times), statistics.median(one.processor for one in times)
        )
        for name, times in taken.items()
    }


def _cell(library: str, ours: TimeTaken, theirs: TimeTaken | None, least: float) -> str:
    if theirs is None:
        return "–"
    wall = theirs.wall / ours.wall
    processor = theirs.processor / max(ours.processor, 1e-6)
    text = f"{theirs.wall * 1e3:,.2f} ({theirs.processor * 1e3:,.2f}) {wall:.1f} × ({processor:.1f} ×)"
    return f"[bold red]{text}[/]" if wall < least else text


def _ask(table: Table, items: int, asked: Sequence[GraphQuestion], rounds: int, is_alone: bool) -> None:
    """Ask all libraries and show what they took."""
    for one in asked:
        found = _in_turns({"ours": one.ours, **one.theirs}, rounds)
        ours = found["ours"]
        # With one thread on both sides the core is only not to be behind rustworkx.
        wanted = {**WANTED, "rustworkx": 1.0} if is_alone else WANTED
        if one.name == "PageRank":
            wanted = {**wanted, "networkx": 1 / 1.2}  # it is scipy underneath
        cells = [
            _cell(library, ours, found.get(library), wanted.get(library, 1 / 1.2)) for library in LIBRARIES
        ]
        own = f"{ours.wall * 1e3:,.2f} ({ours.processor * 1e3:,.2f})"
        table.add_row(f"{items:,}", one.name, one.kind, own, *cells)


def _built_from_files(specs: int) -> GraphQuestion:
    """A graph of specs on disk."""
    import chant_mcp
    import networkx
    import rustworkx

    from bench.graph_questions import GraphQuestion

    root = kept(Path(tempfile.gettempdir()) / "chant-mcp-bench", specs).root
    pairs = list(chant_mcp.open(root).graph().edges)
    places = {key: index for index, key in enumerate(dict.fromkeys(key for pair in pairs for key in pair))}

    def parsed() -> object:
        return chant_mcp.open(root).core.version()

    def by_networkx() -> object:
        parsed()
        graph: networkx.DiGraph[str] = networkx.DiGraph()
        graph.add_edges_from(pairs)
        return graph

    def by_rustworkx() -> object:
        parsed()
        graph: rustworkx.PyDiGraph[str, None] = rustworkx.PyDiGraph()
        graph.add_nodes_from(list(places))
        graph.add_edges_from_no_data([(places[before], places[after]) for before, after in pairs])
        return graph

    return GraphQuestion(
        f"built from files, {len(pairs):,} edges",
        "keys",
        lambda: chant_mcp.open(root).graph(),
        {"networkx": by_networkx, "rustworkx": by_rustworkx},
    )


def _named_stream(items: int) -> Iterator[tuple[str, str]]:
    """Three edges an item, made one after the other."""
    chance = random.Random(1)
    for item in range(1, items):
        for _ in range(3):
            yield f"item-{max(0, item - chance.randrange(1, 30)):07}", f"item-{item:07}"


def memory(items: int) -> str:
    """What a process that makes a graph and asks all questions of it has at most."""
    from chant_mcp.graph import Graph

    graph = Graph.from_edges(_named_stream(items))
    graph.frontier()
    graph.layers()
    graph.critical_path()
    graph.slack()
    graph.descendants("item-0000010")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{len(graph):,} items and {len(graph.edges):,} edges: at most {peak:,.0f} MB, Python with it"


def longest_silence(work: Callable[[], object]) -> float:
    """For how many seconds another thread that wants to go on stands still at most while this one works."""
    longest, is_over, begun = 0.0, threading.Event(), threading.Event()

    def look() -> None:
        nonlocal longest
        last = time.perf_counter()
        while not is_over.is_set():
            now = time.perf_counter()
            longest = max(longest, now - last)
            last = now
            begun.set()

    watcher = threading.Thread(target=look)
    watcher.start()
    begun.wait()
    gc.disable()
    answer = work()
    gc.enable()
    is_over.set()
    watcher.join()
    del answer
    return longest


def _silences(items: int, rounds: int) -> Table:
    """What answers of a graph of so many items cost other threads."""
    from chant_mcp.graph import Graph

    pairs = list(_named_stream(items))
    before = [max(0, item - 7) for item in range(items)]
    graph = Graph.from_edges(pairs)
    ranks, layers = graph.pagerank(), graph.layers()
    weights = [1.0] * len(graph)

    def python() -> object:
        return [item * 2 for item in before for _ in range(3)]

    works: dict[str, Callable[[], object]] = {
        "Python alone: a loop over three million": python,
        f"build from {len(pairs):,} pairs": lambda: Graph.from_edges(pairs),
        f"build from {items:,} numbers in lists": lambda: Graph.from_arrays(items, before, before),
        "all keys": lambda: graph.nodes[:].keys(),
        "all edges as pairs of keys": lambda: graph.network.edges().pairs(),
        "all edges as pairs of numbers": lambda: graph.network.edges().indices(),
        "layers": lambda: [list(layer) for layer in graph.layers()],
        "layers as numbers": layers.indices,
        "PageRank as a list": lambda: graph.pagerank().values(),
        "ranks by their keys": ranks.items,
        "critical path with weights": lambda: graph.network.critical_path(weights),
        "part of it": lambda: graph.network.subgraph(list(graph)),
        "column of a table": lambda: graph.nodes.table().column("key"),
    }
    table = Table("work", "longest silence, ms")
    for name, work in works.items():
        found = [longest_silence(work) for _ in range(rounds)]
        table.add_row(name, f"{statistics.median(found) * 1e3:.1f}")
    return table


def _linear(table: Table, sizes: Sequence[int], rounds: int, is_alone: bool, only: str) -> None:
    from bench.graph_questions import linear_questions

    for items in sizes:
        asked = [one for one in linear_questions(items) if one.name.startswith(only)]
        _ask(table, items, asked, rounds, is_alone)


def _quadratic(table: Table, rounds: int, is_alone: bool) -> None:
    from bench.graph_questions import quadratic_questions

    for items, is_small in ((10_000, True), (30_000, False)):
        _ask(table, items, quadratic_questions(items, is_small=is_small), rounds, is_alone)


def _sampled(console: Console, items: int, sample: int) -> None:
    from bench.graph_questions import sampled_error

    found = sampled_error(items, sample)
    errors = ", ".join(f"{name} {value:.4f}" for name, value in found.items() if name != "seconds")
    console.print(
        f"betweenness of {items:,} from {sample} sources: {found['seconds']:.1f} s; errors: {errors}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.graphs", description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--only", default="", help="linear questions that begin so, such as `build`")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, help="as many for each library")
    parser.add_argument("--quadratic", action="store_true", help="betweenness and transitive reduction")
    parser.add_argument("--files", action="store_true", help="a graph of specs on disk")
    parser.add_argument("--silence", action="store_true", help="how long other threads stand still")
    parser.add_argument("--memory", type=int, help="only make a graph of so many items and print the memory")
    wishes = parser.parse_args()
    console = Console(width=230)
    if wishes.threads:  # read when a library is first imported
        for name in ("RAYON_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ[name] = str(wishes.threads)
    if wishes.memory:
        console.print(memory(wishes.memory))
        return
    if wishes.silence:
        console.print(_silences(max(wishes.items), wishes.rounds))
        return
    from bench.graph_questions import MISSING

    if MISSING:
        console.print(f"not installed, so that nothing is compared with them: {', '.join(MISSING)}")
    table = Table("items", "question", "as", "ours, ms (processor)", *LIBRARIES)
    is_alone = wishes.threads == 1
    if wishes.files:
        _ask(table, 10_000, [_built_from_files(10_000)], 3 * wishes.rounds, is_alone)
    elif wishes.quadratic:
        _quadratic(table, wishes.rounds, is_alone)
    else:
        _linear(table, wishes.items, wishes.rounds, is_alone, wishes.only)
    console.print(table)
    if wishes.quadratic:
        _sampled(console, max(wishes.items), 64)


if __name__ == "__main__":
    main()
