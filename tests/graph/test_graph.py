"""Questions about graphs from Python, beside the answers of networkx."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import rustworkx as rx
from chant_mcp import errors
from chant_mcp.graph import Graph
from hypothesis import given
from hypothesis import strategies as st

Edges = list[tuple[str, str]]


@st.composite
def orders_of_work(draw: st.DrawFn) -> Edges:
    """Edges without loops between a dozen items, in no order."""
    names = draw(st.permutations([chr(97 + index) for index in range(12)]))
    pairs = draw(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=30))
    return [(names[min(pair)], names[max(pair)]) for pair in pairs if pair[0] != pair[1]]


def small() -> Graph:
    """Plan and build wait in a row, docs beside them; ship waits for all."""
    edges = [("plan", "build"), ("plan", "docs"), ("build", "ship"), ("docs", "ship"), ("plan", "ship")]
    attributes = {"days": {"plan": 1, "build": 5, "docs": 2, "ship": 1}}
    return Graph.from_edges(edges, nodes=["plan"], done=[], attributes=attributes)


@given(orders_of_work())
def test_measures_agree_with_networkx(edges: Edges) -> None:
    graph = Graph.from_edges(edges)
    other = graph.to_networkx()
    assert [sorted(layer) for layer in graph.layers()] == [
        sorted(layer) for layer in nx.topological_generations(other)
    ]
    assert graph.critical_path().length == (nx.dag_longest_path_length(other) + 1 if other else 0)
    reduced = nx.transitive_reduction(other)
    assert set(graph.redundant_edges()) == set(other.edges) - set(reduced.edges)
    for key in graph:
        assert set(graph.descendants(key)) == nx.descendants(other, key)
        assert set(graph.ancestors(key)) == nx.ancestors(other, key)
    for ours, theirs in (
        (graph.betweenness(), nx.betweenness_centrality(other)),
        (graph.betweenness(normalized=False), nx.betweenness_centrality(other, normalized=False)),
    ):
        assert dict(ours.items()) == pytest.approx(theirs)
    if other:
        ranks = graph.pagerank(tol=1e-12, max_iter=500)
        theirs = rx.pagerank(graph.to_rustworkx(), tol=1e-12, max_iter=500)
        assert ranks.values() == pytest.approx([theirs[index] for index in range(len(graph))], abs=1e-8)


def test_rank_flows_to_what_is_waited_for_when_reversed() -> None:
    graph = Graph.from_edges([("a", "b"), ("a", "c"), ("c", "d")])
    turned = Graph.from_edges([("b", "a"), ("c", "a"), ("d", "c")])
    ranks, theirs = dict(graph.pagerank(reverse=True).items()), dict(turned.pagerank().items())
    assert ranks == pytest.approx(theirs)
    assert max(ranks, key=lambda key: ranks[key]) == "a"


def test_what_is_free_and_what_is_blocked_by_what() -> None:
    graph = Graph.from_edges([("a", "c"), ("b", "c"), ("c", "d")], done=["a"])
    assert list(graph.frontier()) == ["b"]
    assert {key: list(unmet) for key, unmet in graph.blocked().items()} == {"c": ["b"], "d": ["c"]}
    assert "b" not in graph.blocked()
    assert graph.is_done("a")
    assert list(graph.before("c")) == ["a", "b"]
    assert list(graph.after("c")) == ["d"]


def test_weights_come_from_an_attribute_a_mapping_or_a_function() -> None:
    graph = small()
    path = graph.critical_path("days")
    assert (list(path), path.length) == (["plan", "build", "ship"], 7.0)
    assert list(graph.critical_path({"docs": 9.0})) == ["plan", "docs", "ship"]
    assert graph.critical_path(len).length == len("plan") + len("build") + len("ship")
    assert dict(graph.slack("days").items()) == {"plan": 0.0, "build": 0.0, "docs": 3.0, "ship": 0.0}


def test_what_cannot_be_answered_is_an_exception_with_fields() -> None:
    with pytest.raises(errors.CycleError) as loop:
        Graph.from_edges([("a", "b"), ("b", "c"), ("c", "a")]).layers()
    assert loop.value.details == {"cycle": ["a", "b", "c", "a"]}
    with pytest.raises(errors.NotFoundError, match="Did you mean `plan`") as unknown:
        small().descendants("plna")
    assert unknown.value.details["similar"] == ["plan"]
    with pytest.raises(errors.InvalidArgumentError, match="`docs` is -1"):
        small().critical_path({"docs": -1.0})
    with pytest.raises(errors.InvalidArgumentError, match="`docs` is NaN"):
        small().slack({"docs": math.nan})
    with pytest.raises(errors.InvalidArgumentError, match="`k` is 5"):
        small().betweenness(k=5)
    with pytest.raises(errors.InvalidArgumentError, match="`key` is 3, expected a text"):
        Graph.from_edges([("a", 3)])  # type: ignore[list-item]


def test_all_loops_are_listed() -> None:
    graph = Graph.from_edges([("a", "b"), ("b", "a"), ("b", "c"), ("d", "d")])
    assert [list(group) for group in graph.cycles()] == [["a", "b"], ["d"]]


def test_a_schedule_names_who_does_what_when() -> None:
    plan = small().schedule(2, duration="days", spread=0.3, rounds=100, seed=4)
    assert [(slot.key, slot.start, slot.end) for slot in plan.slots] == [
        ("plan", 0.0, 1.0),
        ("build", 1.0, 6.0),
        ("docs", 1.0, 3.0),
        ("ship", 6.0, 7.0),
    ]
    assert (plan.finish, plan.utilisation) == (7.0, 9 / 14)
    assert plan.p50 is not None
    assert plan.p90 is not None
    assert 5 < plan.p50 < plan.p90 < 15
    assert plan == small().schedule(2, duration="days", spread=0.3, rounds=100, seed=4)
    assert small().schedule(1, duration="days").finish == 9.0


def test_what_if_changes_a_copy_and_tells_what_it_would_mean() -> None:
    graph = small()
    change = graph.what_if().finish("plan").split("build", ["core", "shell"], weight=2.0)
    delta = change.delta("days")
    assert delta.freed == ["docs", "core", "shell"]
    assert delta.held == ["plan"]
    assert list(delta.path) == ["docs", "ship"]
    assert (delta.finish_before, delta.finish, delta.saved) == (7.0, 3.0, 4.0)
    assert list(graph.frontier()) == ["plan"], "the graph itself stays"
    found = graph.diff(change.graph())
    assert (found.added, found.removed, found.finished) == (["core", "shell"], ["build"], ["plan"])
    with pytest.raises(errors.NotFoundError):
        change.drop("docs", "nothing")
    assert "docs" in change.graph(), "a change that does not fit leaves nothing behind"
    change.add("review", before=["docs"], after=["ship"], weight=3).depend_on("shell", "review")
    assert list(change.graph().before("shell")) == ["review"]
    assert change.delta("days", agents=1).finish == 2 + 3 + 2 + 2 + 1
    change.discard()
    assert not graph.diff(change.graph())


def test_what_is_new_weighs_what_it_says_wherever_it_is_asked() -> None:
    changed = Graph.from_edges([("a", "b")]).what_if().add("c", before=["b"], weight=5.0)
    graph = changed.graph()
    assert graph.critical_path().length == changed.delta().path.length == 7.0
    assert graph.schedule(1, rounds=0).finish == 7.0
    assert graph is changed.graph()
    changed.discard()
    assert list(changed.graph()) == ["a", "b"]
    changed.drop("a").add("a", after=["b"], weight=5.0).discard()
    assert changed.delta().finish == 2.0, "weights are taken back, too"


def test_other_libraries_read_nodes_and_edges() -> None:
    import json

    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    graph = small()
    table = pa.table(graph.nodes)
    assert table.to_pydict() == {
        "key": ["plan", "build", "docs", "ship"],
        "repo": [None] * 4,
        "done": [False] * 4,
        "elsewhere": [False] * 4,
        "days": [1, 5, 2, 1],
    }
    assert pl.DataFrame(graph.edges).select("before", "after").rows() == list(graph.edges)
    assert pd.DataFrame.from_arrow(graph.nodes)["days"].sum() == 9  # type: ignore[attr-defined]
    nodes = graph.nodes.table()
    rows = duckdb.from_arrow(pa.table(nodes)).filter("days > 1").project("key").fetchall()
    assert rows == [("build",), ("docs",)]
    assert nodes.column("days") == [1, 5, 2, 1]
    other = graph.to_networkx()
    assert other.nodes["build"] == {"done": False, "days": 5}
    assert set(other.edges) == set(graph.edges)
    rust = graph.to_rustworkx()
    assert [rust[index] for index in rust.node_indices()] == list(graph)
    assert {(rust[a], rust[b]) for a, b in rust.edge_list()} == set(graph.edges)
    assert json.loads(graph.to_json())["edges"] == [list(edge) for edge in graph.edges]


def test_answers_are_sequences() -> None:
    items = small().nodes
    assert (len(items), items[0], items[-1], list(items[1:3])) == (4, "plan", "ship", ["build", "docs"])
    assert list(items[::-2]) == ["ship", "build"]
    with pytest.raises(IndexError):
        items[4]
    scores = small().slack("days")
    assert scores.top(1) == [("docs", 3.0)]
    assert "nothing" not in scores
    with pytest.raises(KeyError):
        scores["nothing"]
    many = Graph.from_edges([], nodes=[str(index) for index in range(30)])
    assert repr(many.frontier()).endswith("… 20 more]")


def web(count: int) -> Graph:
    """A graph large enough for a question that takes a while."""
    edges = [(str(index), str(index + step)) for index in range(count) for step in (1, 7, 30)]
    return Graph.from_edges(edges)


def test_a_long_question_tells_progress_and_an_exception_stops_it() -> None:
    told: list[tuple[int, int]] = []

    def tell(done: int, total: int) -> None:
        told.append((done, total))
        raise KeyboardInterrupt

    graph = web(20_000)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        graph.betweenness(progress=tell)
    assert time.monotonic() - begin < 20, "the rest was not worked through"
    assert len(told) == 1
    assert told[0][1] == len(graph)


def test_other_threads_work_while_a_question_is_answered() -> None:
    graph, turns, ended = web(2_000), 0, threading.Event()

    def ask() -> None:
        graph.betweenness()
        ended.set()

    worker = threading.Thread(target=ask)
    worker.start()
    while not ended.is_set():
        turns += 1
    worker.join()
    assert turns > 1000
    sampled = graph.betweenness(k=100, seed=3)
    assert sampled.values() == graph.betweenness(k=100, seed=3).values()


def test_a_graph_says_what_it_is() -> None:
    graph = small()
    assert repr(graph) == "<Graph of 4 items and 5 edges>"
    assert graph.attribute("build", "days") == 5
    values: list[Any] = [graph.attribute(key, "days") for key in graph]
    assert values == [1, 5, 2, 1]
    with pytest.raises(errors.NotFoundError):
        graph.attribute("nothing", "days")


def test_a_notebook_shows_a_picture_and_a_text() -> None:
    graph = Graph.from_edges(
        [("a", "b"), ("b", "c")], done=["a"], attributes={"title": {"a": "First <one>", "b": "Second"}}
    )
    bundle = graph._repr_mimebundle_()
    assert list(bundle) == ["text/html", "image/svg+xml", "text/plain"]
    assert "First &lt;one&gt;" in bundle["image/svg+xml"]
    assert bundle["text/plain"].startswith("<Graph of 3 items and 2 edges>\n")
    assert list(graph._repr_mimebundle_(include=["text/vnd.mermaid"])) == ["text/vnd.mermaid"]
    assert list(graph._repr_mimebundle_(exclude=["image/svg+xml"])) == ["text/html", "text/plain"]
    loop = Graph.from_edges([("a", "b"), ("b", "a")])
    assert "image/svg+xml" in loop._repr_mimebundle_(), "a loop is shown, too"


def test_a_picture_can_be_about_something(tmp_path: Path) -> None:
    graph = small()
    shown = graph.show(color="slack", focus="docs", depth=1, theme="light")
    assert set(shown.items) == {"plan", "docs", "ship"}
    assert "slack" in shown.svg
    assert shown.save(tmp_path / "plan.svg").read_text("utf-8") == shown.svg
    assert shown.mermaid.startswith("flowchart")
    by_days = graph.show(color="days")
    assert by_days.svg != graph.show(color={"plan": 1.0}).svg
    with pytest.raises(errors.NotFoundError):
        graph.show(focus="nothing")
    with pytest.raises(errors.NotFoundError, match="'colour'; there are: days"):
        graph.show(color="colour")
    assert graph.to_dot().startswith("digraph")
    assert "plan" in graph.to_mermaid()


def test_without_a_weight_the_attribute_of_that_name_counts_everywhere() -> None:
    edges = [("a", "b"), ("b", "c")]
    weights = {"a": 1.0, "b": 0.0, "c": 4.0}
    graph = Graph.from_edges(edges, attributes={"weight": weights})
    assert graph.critical_path().length == 5.0
    assert graph.schedule(2, rounds=0).finish == 5.0
    delta = graph.what_if().add("d", before=["c"], weight=2.0).delta(agents=2)
    assert (delta.finish_before, delta.finish) == (5.0, 7.0)


def test_schedules_and_what_if_count_the_same() -> None:
    edges = [("a", "b"), ("b", "c")]
    known = {"duration": {"a": 600.0, "b": 300.0}, "weight": {"b": 2.0, "c": 3.0}}
    graph = Graph.from_edges(edges, attributes=known)
    plan, delta = graph.schedule(1, rounds=0), graph.what_if().delta(agents=1)
    assert (plan.finish, plan.unit) == (903.0, "seconds")
    assert (delta.finish_before, delta.path_before.length) == (903.0, 903.0)
    assert {delta.unit, delta.path.unit, delta.path_before.unit} == {"seconds"}
    longer = graph.what_if().add("d", before=["c"], weight=7.0).delta(agents=1)
    assert longer.finish == 910.0
    by_weight = graph.what_if().delta("weight", agents=1)
    assert (by_weight.finish, by_weight.unit) == (6.0, "weight")
    assert (graph.critical_path().length, graph.critical_path().unit) == (903.0, "seconds")
    assert (graph.critical_path("weight").length, graph.critical_path("weight").unit) == (6.0, "weight")
    assert graph.slack()["a"] == 0.0
    assert "slack, seconds" in graph.show(color="slack").svg
    bare = Graph.from_edges(edges)
    assert (bare.schedule(1, rounds=0).unit, bare.what_if().delta(agents=1).unit) == ("weight", "weight")
    given = bare.what_if().add("d", before=["c"]).delta({"a": 5.0, "d": 2.0}, agents=1)
    assert (given.finish_before, given.finish, given.unit) == (7.0, 9.0, "given")


def test_names_in_mappings_mean_items_or_are_refused() -> None:
    graph = Graph.from_edges([("alpha", "beta")])
    wrong: list[Callable[[], object]] = [
        lambda: graph.critical_path({"alpah": 5.0}),
        lambda: graph.slack({"alpah": 5.0}),
        lambda: graph.schedule(1, duration={"alpah": 5.0}),
        lambda: graph.show(color={"alpah": 5.0}),
        lambda: graph.what_if().delta({"alpah": 5.0}),
        lambda: Graph.from_edges([("alpha", "beta")], attributes={"weight": {"alpah": 1.0}}),
    ]
    for ask in wrong:
        with pytest.raises(errors.NotFoundError, match=r"`alpah`.*`alpha`"):
            ask()
