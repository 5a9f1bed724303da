"""What scripts give wrongly is refused by name."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from datetime import datetime
from typing import Any

import networkx as nx
import numpy as np
import pytest
from chant_mcp import Graph, errors

SAME: list[tuple[Callable[..., Any], Callable[..., Any], set[str]]] = [
    (Graph.betweenness, nx.betweenness_centrality, {"k", "normalized", "seed"}),
    (Graph.pagerank, nx.pagerank, {"alpha", "tol", "max_iter"}),
    (Graph.critical_path, nx.dag_longest_path, {"weight"}),
    (Graph.subgraph, nx.DiGraph.subgraph, {"nodes"}),
]
"""Methods, the functions of networkx that are the same, and the arguments that both have."""

WRONG: list[tuple[str, Callable[[Graph], Any]]] = [
    ("`k` is 'x'", lambda g: g.betweenness(k="x")),  # type: ignore[arg-type]
    ("`k` is -1", lambda g: g.betweenness(k=-1)),
    ("`k` is 9", lambda g: g.betweenness(k=9)),
    ("`seed` is -1", lambda g: g.betweenness(seed=-1)),
    ("`alpha` is 'x'", lambda g: g.pagerank(alpha="x")),  # type: ignore[arg-type]
    ("`alpha` is 1.5", lambda g: g.pagerank(alpha=1.5)),
    ("`tol` is nan", lambda g: g.pagerank(tol=math.nan)),
    ("`max_iter` is 2.5", lambda g: g.pagerank(max_iter=2.5)),  # type: ignore[arg-type]
    ("`max_iter` is 0", lambda g: g.pagerank(max_iter=0)),
    ("`agents` is 0", lambda g: g.schedule(0)),
    ("`agents` is None", lambda g: g.schedule(None)),  # type: ignore[arg-type]
    ("`rounds` is -1", lambda g: g.schedule(rounds=-1)),
    ("`spread` is -1", lambda g: g.schedule(spread=-1)),
    ("`seed` is 'x'", lambda g: g.schedule(seed="x")),  # type: ignore[arg-type]
    ("`weight` is 3", lambda g: g.critical_path(3)),  # type: ignore[arg-type]
    ("weight of `a` is 'long'", lambda g: g.critical_path("note")),
    ("weight of `a` is None", lambda g: g.slack(lambda _: None)),  # type: ignore[arg-type, return-value]
    ("weight of `a` is 'x'", lambda g: g.slack({"a": "x"})),  # type: ignore[dict-item]
    ("attribute 'nothing'; there are: note", lambda g: g.slack("nothing")),
    ("attribute 'nothing'", lambda g: g.attribute("a", "nothing")),
    ("attribute 'nothing'", lambda g: g.show(color="nothing")),
    ("colour of `a` is 'long'", lambda g: g.show(color="note")),
    ("`limit` is 'x'", lambda g: g.show(limit="x")),  # type: ignore[arg-type]
    ("`depth` is -1", lambda g: g.show(focus="a", depth=-1)),
    ("`theme` is pink", lambda g: g.show(theme="pink")),
    ("`key` is 3", lambda g: g.descendants(3)),  # type: ignore[arg-type]
    ("`key` is None", lambda g: g.ancestors("a", None)),  # type: ignore[arg-type]
    ("No item `z`", lambda g: g.subgraph(["a", "z"])),
    ("`key` is 3", lambda g: g.subgraph([3])),  # type: ignore[list-item]
    ("`key` is 3", lambda g: g.what_if().drop(3)),  # type: ignore[arg-type]
    ("`edges` is 3", lambda _: Graph.from_edges(3)),  # type: ignore[arg-type]
    ("`edges` is \\('a',\\), expected pairs", lambda _: Graph.from_edges([("a",)])),  # type: ignore[list-item]
    ("`keys` is 3", lambda _: Graph.from_edges([], nodes=3)),  # type: ignore[arg-type]
    ("Column `x` holds \\[1\\], expected texts", lambda _: own([1]).nodes.table()),
    (
        "Column `x` holds datetime.*, expected .* times with a zone",
        lambda _: own(datetime(2026, 1, 2)).nodes.table(),
    ),
    ("Column `repo` holds 3, expected texts", lambda _: own(3, "repo").edges.table()),
    ("no column `nothing`, expected one of key", lambda g: g.nodes.table().column("nothing")),
]


def own(value: Any, name: str = "x") -> Graph:
    return Graph.from_edges([("a", "b")], attributes={name: {"a": value}})


def row() -> Graph:
    return Graph.from_edges([("a", "b"), ("b", "c")], attributes={"note": {"a": "long"}})


@pytest.mark.parametrize(("words", "ask"), WRONG)
def test_wrong_values_are_refused_by_their_names(words: str, ask: Callable[[Graph], Any]) -> None:
    with pytest.raises(errors.ChantError, match=words) as refused:
        ask(row())
    assert type(refused.value) in (errors.InvalidArgumentError, errors.NotFoundError)


def test_numbers_of_numpy_are_numbers() -> None:
    given: dict[str, Any] = {"agents": np.int64(2), "spread": np.float32(0.5), "rounds": np.uint8(3)}
    assert row().schedule(**given).finish == 3.0


def test_arguments_are_called_as_in_networkx() -> None:
    for ours, theirs, names in SAME:
        assert names <= set(inspect.signature(ours).parameters), ours
        assert names <= set(inspect.signature(theirs).parameters), theirs
