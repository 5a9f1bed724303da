"""Answers as arrays, and the groups of items that wait for one another."""

from __future__ import annotations

import random
from typing import Any

import networkx
import numpy as np
import pytest
from chant_mcp.graph import Graph


def with_cycles(seed: int, count: int = 200) -> tuple[Graph, list[tuple[int, int]]]:
    """A graph of numbers in which some edges lead back."""
    chance = random.Random(seed)
    drawn = {(chance.randrange(count), chance.randrange(count)) for _ in range(count)}
    pairs = sorted((before, after) for before, after in drawn if before != after)
    ends = np.asarray(pairs, dtype="int64")
    return Graph.from_arrays(count, ends[:, 0].copy(), ends[:, 1].copy()), pairs


@pytest.mark.parametrize("seed", range(8))
def test_components_are_those_of_networkx_in_an_order_of_work(seed: int) -> None:
    graph, pairs = with_cycles(seed)
    theirs: Any = networkx.DiGraph()
    theirs.add_nodes_from(range(len(graph)))
    theirs.add_edges_from(pairs)
    found = graph.components().indices()
    assert {frozenset(group) for group in found} == set(
        map(frozenset, networkx.strongly_connected_components(theirs))
    )
    place = {item: number for number, group in enumerate(found) for item in group}
    assert all(place[before] <= place[after] for before, after in pairs)


def test_answers_are_arrays_of_numpy() -> None:
    graph, pairs = with_cycles(1)
    frontier, edges, ranks = graph.frontier(), graph.edges[:], graph.pagerank()
    assert frontier.to_numpy().tolist() == frontier.indices()
    assert sorted(map(tuple, edges.to_numpy().tolist())) == pairs
    assert ranks.to_numpy().tolist() == ranks.values()
    groups = graph.components()
    numbers = groups.to_numpy()
    assert len(numbers) == len(graph)
    assert all(len({int(numbers[item]) for item in group}) == 1 for group in groups.indices())
