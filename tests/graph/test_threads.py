"""Long work of the core leaves the interpreter to other threads now and then."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import perf_counter

from chant_mcp.graph import Graph


def longest_silence(work: Callable[[], object]) -> float:
    """Say for which part of some work another thread stood still at most, from 0 to 1."""
    over, started = threading.Event(), threading.Event()
    gaps: list[float] = []

    def watch() -> None:
        last = perf_counter()
        started.set()
        while not over.wait(0.001):
            now = perf_counter()
            gaps.append(now - last)
            last = now
        gaps.append(perf_counter() - last)

    thread = threading.Thread(target=watch)
    thread.start()
    started.wait()
    begin = perf_counter()
    work()
    took = perf_counter() - begin
    over.set()
    thread.join()
    return min(max(gaps) / took, 1.0)


def test_other_threads_go_on_while_a_graph_is_made_of_pairs_and_gives_its_keys() -> None:
    names = [f"item-{number}" for number in range(100_030)]
    pairs = [(names[at], names[at + step]) for at in range(100_000) for step in (1, 7, 30)]
    graph = Graph.from_edges(pairs)
    for work in (lambda: Graph.from_edges(pairs), lambda: list(graph.edges)):
        # Others use the machine, too: one of some tries is undisturbed.
        assert min(longest_silence(work) for _ in range(6)) < 0.5
    assert longest_silence(lambda: sorted(pairs * 3)) > 0.5, "this keeps the interpreter"
