"""The questions of `bench.graphs`, as each library is asked them.

Answers of libraries that give Python lists (networkx, rustworkx, igraph) are compared as lists of numbers,
ours made by `indices()` and `values()`; those of libraries that give arrays (scipy, networkit) as numpy
arrays, ours made by `to_numpy()`. What a library gives lazily or in a type of its own is made a list or an
array within its time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import networkx
import rustworkx
from chant_mcp.graph import Graph

__all__ = ["MISSING", "GraphQuestion", "linear_questions", "quadratic_questions", "sampled_error"]

Question = Callable[[], object]


def _imported(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


nx: Any = networkx
numpy: Any = import_module("numpy")
rx: Any = rustworkx
sparse: Any = _imported("scipy.sparse")
csgraph: Any = _imported("scipy.sparse.csgraph")
igraph: Any = _imported("igraph")
networkit: Any = _imported("networkit")

MISSING = [
    name
    for name, module in (("scipy", sparse), ("igraph", igraph), ("networkit", networkit))
    if module is None
]
"""Libraries that are not installed; their columns stay empty."""


@dataclass(frozen=True, slots=True)
class GraphQuestion:
    """One question with its answers of one kind."""

    name: str
    kind: str
    """`lists`, `keys` or `arrays`: what all answers are."""
    ours: Question
    theirs: Mapping[str, Question] = field(default_factory=dict[str, Question])
    """By the name of the library."""


@dataclass(frozen=True, slots=True)
class _Graphs:
    """The same graph in each library; `None` where it is not installed."""

    count: int
    pairs: list[tuple[int, int]]
    sources: Any
    targets: Any
    ours: Graph
    networkx: Any
    rustworkx: Any
    scipy: Any
    igraph: Any
    networkit: Any


def edges(items: int, arrows: int, seed: int = 1) -> list[tuple[int, int]]:
    """Edges of work that is cut into areas: most lead to something near, a few far away."""
    chance = random.Random(seed)
    made: set[tuple[int, int]] = set()
    while len(made) < arrows:
        before = chance.randrange(items - 1)
        step = chance.randrange(1, 30) if chance.random() < 0.9 else chance.randrange(1, items)
        if before + step < items:
            made.add((before, before + step))
    return sorted(made)


def with_cycles(pairs: list[tuple[int, int]], seed: int = 2) -> list[tuple[int, int]]:
    """The same edges, one in five hundred of them turned round: a large component, and many small ones."""
    chance = random.Random(seed)
    turned = [(after, before) if chance.random() < 0.002 else (before, after) for before, after in pairs]
    return sorted(set(turned))


def _graphs(count: int, pairs: list[tuple[int, int]]) -> _Graphs:
    ends = numpy.asarray(pairs, dtype="int64")
    sources, targets = ends[:, 0].copy(), ends[:, 1].copy()
    return _Graphs(
        count,
        pairs,
        sources,
        targets,
        Graph.from_arrays(count, sources, targets),
        _of_networkx(range(count), pairs),
        _of_rustworkx(range(count), pairs),
        _of_scipy(count, sources, targets) if sparse else None,
        _of_igraph(count, ends) if igraph else None,
        _of_networkit(count, sources, targets) if networkit else None,
    )


def _of_networkx(nodes: Any, pairs: Any) -> Any:
    graph = nx.DiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from(pairs)
    return graph


def _of_rustworkx(nodes: Any, pairs: Any) -> Any:
    graph = rx.PyDiGraph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from_no_data(pairs)
    return graph


def _of_scipy(count: int, sources: Any, targets: Any) -> Any:
    ones = numpy.ones(len(sources), dtype="float64")
    return sparse.csr_array((ones, (sources, targets)), shape=(count, count))


def _of_igraph(count: int, ends: Any) -> Any:
    return igraph.Graph(count, ends, directed=True)


def _of_networkit(count: int, sources: Any, targets: Any) -> Any:
    return networkit.GraphFromCoo((sources, targets), count, directed=True)


def _known(**theirs: tuple[Any, Question]) -> dict[str, Question]:
    """The questions of libraries that are installed."""
    return {name: question for name, (graph, question) in theirs.items() if graph is not None}


def linear_questions(count: int) -> list[GraphQuestion]:
    """Questions whose cost is that of the edges, or nearly so."""
    pairs = edges(count, 3 * count)
    graphs, cyclic = _graphs(count, pairs), _graphs(count, with_cycles(pairs))
    return [
        *_builds(graphs),
        *_orders(graphs),
        *_reach(graphs),
        *_components("components, no cycle", graphs),
        *_components("components, cycles", cyclic),
        *_paths(graphs),
        *_ranks(graphs),
    ]


def _builds(graphs: _Graphs) -> list[GraphQuestion]:
    count, pairs, sources, targets = graphs.count, graphs.pairs, graphs.sources, graphs.targets
    ends = numpy.stack([sources, targets], axis=1)
    names = [f"item-{index:07}" for index in range(count)]
    named = [(names[before], names[after]) for before, after in pairs]

    def named_rustworkx() -> object:
        places = {name: index for index, name in enumerate(names)}
        return _of_rustworkx(names, [(places[before], places[after]) for before, after in named])

    return [
        GraphQuestion(
            "build from numbers",
            "lists",
            lambda: Graph.from_arrays(count, sources, targets),
            _known(
                networkx=(nx, lambda: _of_networkx(range(count), pairs)),
                rustworkx=(rx, lambda: _of_rustworkx(range(count), pairs)),
                igraph=(igraph, lambda: _of_igraph(count, ends)),
            ),
        ),
        GraphQuestion(
            "build from numbers",
            "arrays",
            lambda: Graph.from_arrays(count, sources, targets),
            _known(
                scipy=(sparse, lambda: _of_scipy(count, sources, targets)),
                networkit=(networkit, lambda: _of_networkit(count, sources, targets)),
            ),
        ),
        GraphQuestion(
            "build from pairs of keys",
            "keys",
            lambda: Graph.from_edges(named, nodes=names),
            _known(
                networkx=(nx, lambda: _of_networkx(names, named)),
                rustworkx=(rx, named_rustworkx),
                igraph=(igraph, lambda: igraph.Graph.TupleList(named, directed=True)),
            ),
        ),
    ]


def _orders(graphs: _Graphs) -> list[GraphQuestion]:
    ours, theirs, rust = graphs.ours, graphs.networkx, graphs.rustworkx
    names = [f"item-{index:07}" for index in range(graphs.count)]
    named = [(names[before], names[after]) for before, after in graphs.pairs]
    with_keys = Graph.from_edges(named, nodes=names)
    return [
        GraphQuestion(
            "layers",
            "lists",
            lambda: ours.layers().indices(),
            _known(
                networkx=(nx, lambda: list(nx.topological_generations(theirs))),
                rustworkx=(rx, lambda: [list(layer) for layer in rx.topological_generations(rust)]),
            ),
        ),
        GraphQuestion(
            "layers",
            "keys",
            lambda: [list(layer) for layer in with_keys.layers()],
            _known(
                networkx=(
                    nx,
                    lambda: _named(names, nx.topological_generations(theirs)),
                ),
                rustworkx=(
                    rx,
                    lambda: _named(names, rx.topological_generations(rust)),
                ),
            ),
        ),
        GraphQuestion(
            "topological order",
            "lists",
            lambda: ours.layers().order().indices(),
            _known(
                networkx=(nx, lambda: list(nx.topological_sort(theirs))),
                rustworkx=(rx, lambda: list(rx.topological_sort(rust))),
                igraph=(igraph, lambda: graphs.igraph.topological_sorting()),
                networkit=(networkit, lambda: networkit.graphtools.topologicalSort(graphs.networkit)),
            ),
        ),
    ]


def _reach(graphs: _Graphs) -> list[GraphQuestion]:
    ours, start = graphs.ours, graphs.count // 100
    key = str(start)

    def by_networkit() -> object:
        return (
            networkit.distance.BFS(graphs.networkit, start, storePaths=False).run().getDistances(asarray=True)
        )

    return [
        GraphQuestion(
            "reach",
            "lists",
            lambda: ours.descendants(key).indices(),
            _known(
                networkx=(nx, lambda: list(nx.descendants(graphs.networkx, start))),
                rustworkx=(rx, lambda: list(rx.descendants(graphs.rustworkx, start))),
                igraph=(igraph, lambda: graphs.igraph.subcomponent(start, mode="out")),
            ),
        ),
        GraphQuestion(
            "reach",
            "arrays",
            lambda: ours.descendants(key).to_numpy(),
            _known(
                scipy=(
                    sparse,
                    lambda: csgraph.breadth_first_order(graphs.scipy, start, return_predecessors=False),
                ),
                networkit=(networkit, by_networkit),
            ),
        ),
    ]


def _components(name: str, graphs: _Graphs) -> list[GraphQuestion]:
    ours = graphs.ours

    def by_networkit() -> object:
        found = networkit.components.StronglyConnectedComponents(graphs.networkit).run()
        return numpy.asarray(found.getPartition().getVector())

    return [
        GraphQuestion(
            name,
            "lists",
            lambda: ours.components().indices(),
            _known(
                networkx=(
                    nx,
                    lambda: [list(found) for found in nx.strongly_connected_components(graphs.networkx)],
                ),
                rustworkx=(
                    rx,
                    lambda: [list(found) for found in rx.strongly_connected_components(graphs.rustworkx)],
                ),
                igraph=(igraph, lambda: list(graphs.igraph.connected_components(mode="strong"))),
            ),
        ),
        GraphQuestion(
            name,
            "arrays",
            lambda: ours.components().to_numpy(),
            _known(
                scipy=(
                    sparse,
                    lambda: csgraph.connected_components(graphs.scipy, directed=True, connection="strong")[1],
                ),
                networkit=(networkit, by_networkit),
            ),
        ),
    ]


def _paths(graphs: _Graphs) -> list[GraphQuestion]:
    ours = graphs.ours
    chance = random.Random(3)
    weights = [chance.random() for _ in range(graphs.count)]
    weighted_nx, weighted_rx = nx.DiGraph(), rx.PyDiGraph()
    weighted_nx.add_weighted_edges_from((before, after, weights[after]) for before, after in graphs.pairs)
    weighted_rx.add_nodes_from(range(graphs.count))
    weighted_rx.add_edges_from([(before, after, weights[after]) for before, after in graphs.pairs])

    def weight(_before: int, _after: int, weight: float) -> float:
        return weight

    return [
        GraphQuestion(
            "longest path",
            "lists",
            lambda: ours.critical_path().items.indices(),
            _known(
                networkx=(nx, lambda: nx.dag_longest_path(graphs.networkx)),
                rustworkx=(rx, lambda: list(rx.dag_longest_path(graphs.rustworkx))),
            ),
        ),
        GraphQuestion(
            "critical path",
            "lists",
            lambda: ours.network.critical_path(weights)[0].indices(),
            _known(
                networkx=(nx, lambda: nx.dag_longest_path(weighted_nx)),
                rustworkx=(rx, lambda: list(rx.dag_weighted_longest_path(weighted_rx, weight))),
            ),
        ),
    ]


def _ranks(graphs: _Graphs) -> list[GraphQuestion]:
    ours, count = graphs.ours, graphs.count
    # All end when ranks change by less than this together.
    change = 1e-6
    mean = change / count

    def by_networkit() -> object:
        sinks = networkit.centrality.SinkHandling.DistributeSinks
        found = networkit.centrality.PageRank(graphs.networkit, 0.85, change, distributeSinks=sinks)
        found.norm = networkit.centrality.Norm.L1_NORM
        return numpy.asarray(found.run().scores())

    return [
        GraphQuestion(
            "PageRank",
            "lists",
            lambda: ours.pagerank(tol=mean).values(),
            _known(
                networkx=(sparse, lambda: list(nx.pagerank(graphs.networkx, tol=mean).values())),
                rustworkx=(rx, lambda: list(rx.pagerank(graphs.rustworkx, tol=mean).values())),
                igraph=(igraph, lambda: graphs.igraph.pagerank()),
            ),
        ),
        GraphQuestion(
            "PageRank",
            "arrays",
            lambda: ours.pagerank(tol=mean).to_numpy(),
            _known(networkit=(networkit, by_networkit)),
        ),
    ]


def quadratic_questions(count: int, *, is_small: bool) -> list[GraphQuestion]:
    """Betweenness and transitive reduction; networkx is asked where the graph is small."""
    graphs = _graphs(count, edges(count, 3 * count))
    ours = graphs.ours

    def by_networkit() -> object:
        return numpy.asarray(networkit.centrality.Betweenness(graphs.networkit).run().scores())

    def reduced_by_rustworkx() -> object:
        return list(rx.transitive_reduction(graphs.rustworkx)[0].edge_list())

    return [
        GraphQuestion(
            "betweenness",
            "lists",
            lambda: ours.betweenness().values(),
            _known(
                networkx=(
                    nx if is_small else None,
                    lambda: list(nx.betweenness_centrality(graphs.networkx).values()),
                ),
                rustworkx=(rx, lambda: list(rx.digraph_betweenness_centrality(graphs.rustworkx).values())),
                igraph=(igraph, lambda: graphs.igraph.betweenness()),
            ),
        ),
        GraphQuestion(
            "betweenness",
            "arrays",
            lambda: ours.betweenness().to_numpy(),
            _known(networkit=(networkit, by_networkit)),
        ),
        GraphQuestion(
            "transitive reduction",
            "lists",
            lambda: ours.redundant_edges().indices(),
            _known(
                networkx=(
                    nx if is_small else None,
                    lambda: list(nx.transitive_reduction(graphs.networkx).edges),
                ),
                rustworkx=(rx, reduced_by_rustworkx),
            ),
        ),
    ]


def sampled_error(count: int, sample: int) -> dict[str, float]:
    """How far betweenness of a sample of sources lies from that of another, eight times as large.

    The error of each is that of a mean over sources, so that the larger has about a third of it. Errors are
    shares of the largest value.
    """
    ours = _graphs_of_ours(count)
    begin = time.perf_counter()
    small = ours.betweenness(k=sample, seed=1).to_numpy()
    seconds = time.perf_counter() - begin
    large = ours.betweenness(k=8 * sample, seed=2).to_numpy()
    highest = float(large.max())
    off = numpy.abs(small - large) / highest
    best = set(numpy.argsort(-large)[:100].tolist())
    found = len(best & set(numpy.argsort(-small)[:100].tolist()))
    return {
        "seconds": seconds,
        "mean": float(off.mean()),
        "99th percentile": float(numpy.quantile(off, 0.99)),
        "largest": float(off.max()),
        "of the first hundred": found / 100,
    }


def _named(names: Any, layers: Any) -> list[list[str]]:
    return [[names[at] for at in layer] for layer in layers]


def _graphs_of_ours(count: int) -> Graph:
    ends = numpy.asarray(edges(count, 3 * count), dtype="int64")
    return Graph.from_arrays(count, ends[:, 0].copy(), ends[:, 1].copy())
