"""Graph questions beside networkx and rustworkx, on the same graph in one run.

`python -m bench.graphs [--items N …]`. Each question is asked in turns, fresh objects each time where a
library keeps answers; a line shows the medians and how many times faster the core is. Results are what
each library gives: ours are lazy sequences over numbers; what making their keys costs has a line of its
own. A graph of specs on disk is made again each time, files in the page cache; the others have no parser for
them, so that theirs is our parse and then their `add_edges_from`.
"""

from __future__ import annotations

import argparse
import gc
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import chant_mcp
import networkx
import rustworkx
from chant_mcp.graph import Graph
from rich.console import Console
from rich.table import Table

from bench.corpus import kept

nx: Any = networkx
rx: Any = rustworkx

Question = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as each of the three is asked; `None` where a library has no such function."""

    name: str
    ours: Question
    networkx: Question | None
    rustworkx: Question | None


def edges(items: int, arrows: int, seed: int = 1) -> list[tuple[str, str]]:
    """Edges of work that is cut into areas: most lead to something near, a few far away."""
    chance = random.Random(seed)
    made: set[tuple[int, int]] = set()
    while len(made) < arrows:
        before = chance.randrange(items - 1)
        step = chance.randrange(1, 30) if chance.random() < 0.9 else chance.randrange(1, items)
        if before + step < items:
            made.add((before, before + step))
    return [(f"item-{before:07}", f"item-{after:07}") for before, after in sorted(made)]


def questions(items: int) -> list[Asked]:
    """The questions of every size."""
    pairs = edges(items, 3 * items)
    names = [f"item-{index:07}" for index in range(items)]
    done = set(names[: items // 5])
    graph = Graph.from_edges(pairs, nodes=names, done=done)
    theirs: Any = nx.DiGraph()
    theirs.add_nodes_from(names)
    theirs.add_edges_from(pairs)
    rust: Any = graph.to_rustworkx()
    middle = items // 100
    is_done = [name in done for name in names]

    def frontier_nx() -> object:
        return [n for n in theirs if n not in done and all(p in done for p in theirs.pred[n])]

    def frontier_rx() -> object:
        inward = rust.predecessor_indices
        free: list[int] = []
        for item in range(items):
            before: list[int] = inward(item)
            if not is_done[item] and all(is_done[other] for other in before):
                free.append(item)
        return free

    weights = [0.0 if flag else 1.0 for flag in is_done]

    def path_nx() -> object:
        return nx.dag_longest_path(theirs, default_weight=1)

    def weight(_before: int, after: int, _edge: object) -> float:
        return weights[after]

    def path_rx() -> object:
        return rx.dag_weighted_longest_path(rust, weight)

    return [
        Asked("frontier", graph.frontier, frontier_nx, frontier_rx),
        Asked(
            "layers",
            graph.layers,
            lambda: list(nx.topological_generations(theirs)),
            lambda: list(rx.topological_generations(rust)),
        ),
        Asked("critical path", graph.critical_path, path_nx, path_rx),
        Asked(
            "impact",
            lambda: graph.descendants(names[middle]),
            lambda: nx.descendants(theirs, names[middle]),
            lambda: rx.descendants(rust, middle),
        ),
        Asked("keys of the impact", lambda: graph.descendants(names[middle]).keys(), None, None),
    ]


def built(specs: int) -> Asked:
    """A graph of specs on disk."""
    root = kept(Path(tempfile.gettempdir()) / "chant-mcp-bench", specs).root
    pairs = list(chant_mcp.open(root).graph().edges)
    places = {key: index for index, key in enumerate(dict.fromkeys(key for pair in pairs for key in pair))}

    def parsed() -> object:
        return chant_mcp.open(root).core.version()

    def by_networkx() -> object:
        parsed()
        graph: Any = nx.DiGraph()
        graph.add_edges_from(pairs)
        return graph

    def by_rustworkx() -> object:
        parsed()
        graph: Any = rx.PyDiGraph()
        graph.add_nodes_from(list(places))
        graph.add_edges_from_no_data([(places[before], places[after]) for before, after in pairs])
        return graph

    name = f"built from files, {len(pairs):,} edges"
    return Asked(name, lambda: chant_mcp.open(root).graph(), by_networkx, by_rustworkx)


def betweenness(items: int, arrows: int) -> Asked:
    """The question that takes longest."""
    graph = Graph.from_edges(edges(items, arrows))
    theirs, rust = graph.to_networkx(), graph.to_rustworkx()
    return Asked(
        f"betweenness, {arrows:,} edges",
        graph.betweenness,
        lambda: nx.betweenness_centrality(theirs),
        lambda: rx.digraph_betweenness_centrality(rust),
    )


def median(question: Question | None, rounds: int) -> float | None:
    """Seconds that a question takes."""
    if question is None:
        return None
    taken: list[float] = []
    for _ in range(rounds):
        gc.collect()
        begin = time.perf_counter()
        question()
        taken.append(time.perf_counter() - begin)
    return statistics.median(taken)


def line(table: Table, items: int, asked: Asked, rounds: int, rounds_nx: int) -> None:
    """Ask all three and show what they took."""
    ours = median(asked.ours, rounds) or 0.0
    show(table, items, asked.name, ours, (median(asked.networkx, rounds_nx), median(asked.rustworkx, rounds)))


def show(table: Table, items: int, name: str, ours: float, theirs: tuple[float | None, ...]) -> None:
    """Show what one question took, in seconds."""
    shown = [f"{items:,}", name, f"{ours * 1e3:.3f}"]
    for value in theirs:
        shown += ["–", "–"] if value is None else [f"{value * 1e3:.2f}", f"{value / ours:.1f} ×"]
    table.add_row(*shown)


def line_of_files(table: Table, specs: int, rounds: int) -> None:
    """Make graphs of files in turns and show what that took."""
    asked = built(specs)
    taken: list[list[float]] = []
    for _ in range(rounds):
        turn = (asked.ours, asked.networkx, asked.rustworkx)
        taken.append([median(question, 1) or 0.0 for question in turn])
    ours, networkx, rustworkx = (statistics.median(column) for column in zip(*taken, strict=True))
    show(table, specs, asked.name, ours, (networkx, rustworkx))


def stream(items: int) -> Iterator[tuple[str, str]]:
    """Three edges an item, made one after the other."""
    chance = random.Random(1)
    for item in range(1, items):
        for _ in range(3):
            yield f"item-{max(0, item - chance.randrange(1, 30)):07}", f"item-{item:07}"


def memory(items: int) -> str:
    """What a process that makes a graph and asks all questions of it has at most."""
    graph = Graph.from_edges(stream(items))
    graph.frontier()
    graph.layers()
    graph.critical_path()
    graph.slack()
    graph.descendants("item-0000010")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"{len(graph):,} items and {len(graph.edges):,} edges: at most {peak:,.0f} MB, Python with it"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.graphs", description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-betweenness", action="store_true")
    parser.add_argument("--memory", type=int, help="only make a graph of so many items and print the memory")
    wishes = parser.parse_args()
    console = Console()
    if wishes.memory:
        console.print(memory(wishes.memory))
        return
    table = Table("items", "question", "ours, ms", "networkx, ms", "×", "rustworkx, ms", "×")
    line_of_files(table, 10_000, 3 * wishes.rounds)
    for items in wishes.items:
        for asked in questions(items):
            line(table, items, asked, wishes.rounds, 1 if items > 100_000 else wishes.rounds)
    if not wishes.no_betweenness:
        line(table, 10_000, betweenness(10_000, 30_000), 3, 1)
    console.print(table)


if __name__ == "__main__":
    main()
