"""Answers of graphs and workspaces as Python's own protocols see them."""

from __future__ import annotations

import dataclasses
import inspect
import pickle
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

import chant_mcp
import pytest
from chant_mcp import Graph, Workspace, _core, api, errors, graph, graph_answers, picture, tables, what_if
from hypothesis import given
from hypothesis import strategies as st

KEYS = st.lists(st.text("abc", max_size=2))

LIVE = {
    "Changes": "waits for what changes",
    "ChantProject": "holds an open project; a workspace is opened again",
    "ClusterLook": "is finished once",
    "Columns": "is given as a mapping",
    "Export": "is taken once",
    "FleetGraph": "is that of the core; a fleet is read again",
    "Network": "is tested in a graph",
    "NetworkDraft": "is tested in a what-if",
    "PlanCriterion": "is tried in tests/plans",
    "PlanItem": "is tried in tests/plans",
    "Review": "is that of one moment; it is asked for again",
    "RunNetwork": "connects to servers of a run while it lasts",
    "Selection": "is tested in a list of handles",
    "SpeckitFeatures": "holds open files",
    "TicketProjects": "holds open files",
    "Transaction": "ends where it began",
    "VineFiles": "holds open files",
    "WorkerMachine": "holds processes",
    "Workspace": "is that of the core; the one of scripts is opened again",
}
"""Public classes that are no answers, each with the reason."""


@given(KEYS, st.integers(-9, 9), st.integers(-9, 9), st.sampled_from([-2, -1, 1, 2]))
def check_items(keys: list[str], start: int, stop: int, step: int) -> None:
    items, part = _core.Items(keys), slice(start, stop, step)
    assert list(items) == keys
    assert list(items[part]) == keys[part]
    assert list(reversed(items)) == keys[::-1]
    assert items == _core.Items(keys)
    assert hash(items) == hash(_core.Items(keys))
    assert (items == _core.Items([*keys, "a"])) is False
    for key in ("a", "bb"):
        assert (items.count(key), key in items) == (keys.count(key), key in keys)
        if key in keys:
            assert items.index(key) == keys.index(key)
            assert items.index(key, -len(keys)) == keys.index(key)
        else:
            with pytest.raises(ValueError, match="not in list"):
                items.index(key)


def test_items_are_a_sequence() -> None:
    assert isinstance(_core.Items([]), Sequence)
    check_items()


def test_edges_and_layers_are_sequences() -> None:
    asked = Graph.from_edges([("a", "b"), ("a", "c")])
    edges, layers = asked.network.edges(), asked.layers()
    assert isinstance(edges, Sequence)
    assert isinstance(layers, Sequence)
    assert list(reversed(edges)) == [("a", "c"), ("a", "b")]
    assert (edges.index(("a", "c")), edges.count(("c", "a")), ("a", "b") in edges) == (1, 0, True)
    assert ("c", "a") not in edges
    assert "ab" not in edges
    assert [list(layer) for layer in reversed(layers)] == [["b", "c"], ["a"]]
    assert (layers.index(layers[1]), layers.count(layers[0]), layers[0] in layers) == (1, 1, True)
    assert layers[-1:] == [layers[1]]
    assert _core.Items(["x"]) not in layers
    with pytest.raises(IndexError):
        layers[2]


def test_scores_are_a_mapping() -> None:
    asked = Graph.from_edges([("a", "b")], attributes={"days": {"a": 2}})
    scores = asked.slack("days")
    wanted = {"a": 0.0, "b": 0.0}
    assert isinstance(scores, Mapping)
    assert scores == wanted
    assert wanted == scores
    assert dict(scores) == {**scores} == wanted
    assert scores != {"a": 0.0}
    assert scores != ["a", "b"]
    assert (scores.get("a"), scores.get("x"), scores.get("x", "no")) == (0.0, None, "no")
    assert 3 not in scores
    with pytest.raises(KeyError):
        scores[3]


def found_in(answer: Any, seen: set[int]) -> Iterator[Any]:
    """An answer, and the answers in it."""
    if id(answer) in seen:
        return
    seen.add(id(answer))
    yield answer
    inside: list[Any] = []
    if dataclasses.is_dataclass(answer):
        inside = [getattr(answer, field.name) for field in dataclasses.fields(answer)]
    elif isinstance(answer, Mapping):
        inside = list(answer.values())
    elif isinstance(answer, Sequence) and not isinstance(answer, str):
        inside = list(answer)
    for one in inside:
        yield from found_in(one, seen)


def asked_for(ws: Workspace) -> Iterator[Any]:
    """Answers of all kinds that there are."""
    whole = ws.graph()
    changed = whole.what_if().add("New", weight=2.0)
    yield from (ws, whole, whole.nodes, whole.edges, whole.runs, whole.nodes.table(), whole.frontier())
    yield from (whole.attributes, whole.blocked(), whole.layers(), whole.slack(), whole.redundant_edges())
    yield from (whole.critical_path(), whole.schedule(rounds=3), changed, changed.delta(), whole.show())
    yield from (whole.diff(changed.graph()), tables.ITEM_COLUMNS)
    yield from (ws.items, ws.specs, ws.vines, ws.features, *ws.items, *ws.vines, *ws.features)
    yield from (
        ws.spec("aaa").sections,
        ws.spec("aaa").criteria,
        ws.ticket("DEM-7").sections,
        ws.vine("plan").problems,
    )
    together = chant_mcp.open([ws.root])
    fleet = chant_mcp.Fleet([ws.root, ws.root / "nowhere"])
    yield from (together, together.graph().attributes, fleet, fleet.repositories, fleet.problems)
    yield api.FleetRepository("app", "/src/app", "0" * 40)
    yield tables.ProblemRow(None, "nowhere", None, None, "nothing is there")
    yield api.Problem("a.md", 1, "It is empty.")
    yield api.Approval(required=True, status="approved", by="ada", decided_at="2026-01-22")
    yield api.Attachment("artifact", "text/plain", "file://a")
    yield api.Change(("a",), (), ())
    yield api.RecentCommit("0" * 40, datetime(2026, 1, 22, tzinfo=timezone.utc), "Begin")
    yield ws.ticket("DEM-7").section(ws.ticket("DEM-7").sections[0].name)
    yield _core.Answer("It is so.", '{"a": 1}')
    yield errors.NotFoundError("Gone.", '{"key": "a"}', hint='{"agents": " A."}')


def data_of(answer: Any) -> Any:
    """What an answer says, to be compared."""
    if isinstance(answer, Graph):
        return answer.to_json(), dict(answer.learned), answer.workspace
    if isinstance(answer, _core.Table):
        return answer.columns(), [answer.column(name) for name in answer.columns()]
    if isinstance(answer, (graph.Nodes, graph.EdgeList, graph.RunList)):
        return data_of(answer.table())
    if isinstance(answer, what_if.WhatIf):
        return answer.changes, data_of(answer.graph())
    if isinstance(answer, chant_mcp.Fleet):
        return answer.repositories, data_of(answer.graph()), data_of(answer.problems)
    if isinstance(answer, _core.Answer):
        return answer.text, answer.data
    if isinstance(answer, Exception):
        return type(answer), str(answer), answer.__dict__
    if isinstance(answer, Mapping):
        return {key: data_of(value) for key, value in answer.items()}
    if isinstance(answer, Sequence) and not isinstance(answer, str):
        return [data_of(one) for one in answer]
    return answer


def public_classes() -> set[type]:
    """All classes that scripts may meet."""
    modules = (chant_mcp, api, graph, graph_answers, picture, tables, what_if, _core)
    named = {(module, name) for module in modules for name in module.__all__}
    found = {getattr(module, name) for module, name in named}
    return {one for one in found if inspect.isclass(one) and one.__module__.startswith("chant_mcp")}


def test_all_answers_can_be_pickled(ws: Workspace) -> None:
    kinds: set[type] = set()
    for answer in asked_for(ws):
        again = pickle.loads(pickle.dumps(answer))
        assert data_of(again) == data_of(answer), answer
        kinds.update(base for one in found_in(answer, set()) for base in type(one).__mro__)
    missing = {kind.__name__ for kind in public_classes() - kinds}
    assert missing == set(LIVE), "a new public class is an answer, to be tried above, or in `LIVE`"


def test_a_pickled_table_keeps_its_types() -> None:
    import pyarrow as pa

    own: dict[str, dict[str, Any]] = {"cost": {"a": 3}, "note": {}, "share": {"a": 0.5}, "late": {"a": True}}
    for nodes in (Graph.from_edges([("a", "b")], attributes=own).nodes, Graph.from_edges([]).nodes):
        table = nodes.table()
        assert pa.table(pickle.loads(pickle.dumps(table))).equals(pa.table(table), check_metadata=True)
