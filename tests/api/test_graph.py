"""The workspace as a graph, and changes of it that are written."""

from __future__ import annotations

import pickle

import pytest
from api.projects import FIRST, SECOND
from chant_mcp import Graph, Workspace, errors
from chant_mcp.graph_answers import Attributes
from harness import Project

KEY, OTHER = f"chant:{FIRST}", f"chant:{SECOND}"


def test_the_graph_holds_all_dialects_with_their_keys(ws: Workspace, project: Project) -> None:
    project.spec("2026-01-22-003-ccc", depends_on=["tickets:DEM-7"])
    graph = ws.graph()
    assert set(ws.items.keys()) <= set(graph)
    assert ("tickets:DEM-007", "chant:2026-01-22-003-ccc") in list(graph.edges)
    assert graph.attribute(KEY, "title") == "First"
    assert list(graph.blocked()[OTHER]) == [KEY]


def test_items_of_a_graph_have_the_names_they_have_in_the_workspace(ws: Workspace) -> None:
    graph = ws.graph()
    assert graph.key("001") == graph.key(FIRST) == graph.key(KEY) == KEY
    assert list(graph.descendants("001")) == list(graph.descendants(KEY)) == [OTHER]
    assert graph.attribute("aaa", "title") == "First"
    assert graph.show(color="slack", focus="001", depth=2).items == graph.show(focus=KEY, depth=2).items
    change = graph.what_if().add("New", before=["DEM-7"], after=["bbb"]).finish("001", "New")
    assert [word for word, *_ in change.changes] == ["add", "finish", "finish"]
    assert OTHER in change.delta().freed
    with pytest.raises(errors.NotFoundError):
        graph.show(focus="nothing")
    with pytest.raises(errors.AmbiguousIdError):
        graph.descendants("2026-01-22")


def test_a_pickled_graph_is_the_same_graph(ws: Workspace, project: Project) -> None:
    project.spec("2026-01-22-003-ccc", depends_on=["2026-01-22-009-zzz"])
    graph = ws.graph()
    again = pickle.loads(pickle.dumps(graph))
    assert again.to_json() == graph.to_json()
    assert list(again.frontier()) == list(graph.frontier())
    assert not graph.diff(again)
    assert again.schedule(rounds=0).unplanned == ("chant:2026-01-22-003-ccc",)
    assert again.workspace == ws


def test_a_schedule_counts_the_median_for_what_has_no_duration(ws: Workspace) -> None:
    network, found, _ = ws.core.network()
    columns = dict(Attributes(found))
    columns["duration"] = [30.0 if key == KEY else None for key in ws.graph()]
    graph = Graph(network, columns, learned={"median": 100.0, "spread": 0.25})
    slots = {slot.key: slot.end - slot.start for slot in graph.schedule(1, rounds=0).slots}
    assert (slots[KEY], slots[OTHER]) == (30.0, 100.0)
    unknown = Graph(network, {**columns, "duration": [None] * len(graph)}, learned={"median": None})
    assert unknown.schedule(1, rounds=0).slots[0].end == 1.0


def test_few_runs_make_a_wider_plan_than_many(ws: Workspace) -> None:
    network = ws.graph().network

    def width(runs: int, spread: float | None = None) -> float:
        graph = Graph(network, learned={"runs": runs, "median": 100.0, "ratios": [1.0, 1.3] * runs})
        plan = graph.schedule(1, seed=3, spread=spread)
        assert plan == graph.schedule(1, seed=3, spread=spread)
        assert plan.p50
        assert plan.p90
        return plan.p90 / plan.p50

    assert width(1) > 1.5 * width(100)
    assert width(1, spread=0.1) == width(100, spread=0.1)
    learned = ws.graph().learned
    assert (learned["runs"], learned["ratios"]) == (0, [])
    columns = {"expected": [7.0, *[None] * (len(network) - 1)], "duration": [5.0] * len(network)}
    mixed = Graph(network, columns, learned={"median": 100.0})
    assert mixed.durations() == [7.0, *[5.0] * (len(network) - 1)]


def test_a_graph_of_the_past_is_compared_and_not_written(ws: Workspace, project: Project) -> None:
    project.repository()
    ws.spec("aaa").check("Tests added").update(status="in_progress").finalize()
    now = ws.graph()
    past = now.read_revision("HEAD")
    assert past.diff(now).finished == [KEY]
    assert past.read_revision("HEAD").diff(past).finished == []
    with pytest.raises(errors.RefusedError, match="does not come from"):
        past.what_if().finish(KEY).commit()
    with pytest.raises(errors.RefusedError, match="no history"):
        Graph.from_edges([("a", "b")]).read_revision("HEAD")
    with pytest.raises(errors.ChantError):
        now.read_revision("nothing")


def test_changes_of_the_graph_are_written_to_the_specs(ws: Workspace, project: Project) -> None:
    project.spec("2026-01-22-003-ccc", body="# Old", depends_on=[SECOND])
    plan = ws.graph().what_if()
    plan.add("New API", before=[KEY], after=[OTHER]).split(OTHER, ["Left", "Right"], in_a_row=True)
    plan.depend_on("chant:2026-01-22-003-ccc", "Right", "tickets:DEM-007")
    made = plan.commit()
    assert list(made) == ["New API", "Left", "Right"]
    assert [ws[key].title for key in made.values()] == ["New API", "Left", "Right"]
    assert ws.spec(made["New API"]).depends_on == (KEY,)
    assert ws.spec(made["Left"]).depends_on == (KEY, made["New API"])
    assert ws.spec(made["Right"]).depends_on == (made["Left"],)
    assert ws.spec("bbb").status == "cancelled"
    assert ws.spec("ccc").depends_on == (made["Right"], "tickets:DEM-007")
    assert len(plan) == 0


def test_a_commit_that_a_rule_forbids_writes_nothing(ws: Workspace, project: Project) -> None:
    texts = {id: project.text(id) for id in (FIRST, SECOND)}
    plan = ws.graph().what_if().drop(OTHER).finish(KEY)
    with pytest.raises(errors.RefusedError, match="Tests added"):
        plan.commit()
    with pytest.raises(errors.RefusedError, match="is not a spec"):
        ws.graph().what_if().drop(OTHER).finish("tickets:DEM-007").commit()
    assert {id: project.text(id) for id in (FIRST, SECOND)} == texts
    assert len(plan) == 2
    ws.spec("aaa").check("Tests added")
    plan.commit()
    assert (project.status(FIRST), project.status(SECOND)) == ("completed", "cancelled")


def test_a_graph_without_files_has_nothing_to_write_to() -> None:
    with pytest.raises(errors.RefusedError, match="does not come from"):
        Graph.from_edges([("a", "b")]).what_if().finish("a").commit()


def test_a_notebook_shows_lists_and_items_as_tables_and_the_workspace_as_a_picture(
    ws: Workspace, project: Project
) -> None:
    project.spec("2026-01-22-003-ccc", body="# Broken <b>", status="failed")
    bundle = ws.specs._repr_mimebundle_()
    assert list(bundle) == ["text/html", "text/plain"]
    assert "Broken &lt;b&gt;" in bundle["text/html"]
    assert KEY in bundle["text/plain"]
    assert OTHER not in ws.spec("aaa")._repr_mimebundle_()["text/plain"].splitlines()[0]
    assert repr(ws.specs.where(status="failed")) == "<1 spec>"
    picture = ws._repr_mimebundle_()["image/svg+xml"]
    assert "1 failed" in picture, "states are distinguished"
    freed = ws.graph().what_if().finish(KEY).add("new", before=[OTHER])
    shown = freed.graph().show().svg
    assert "1 failed" in shown
    assert "1 done" in shown


def test_mappings_name_items_as_everything_else_does(ws: Workspace) -> None:
    graph = ws.graph()
    lengths = {graph.critical_path({name: 500.0}).length for name in ("001", FIRST, KEY)}
    assert len(lengths) == 1
    assert lengths.pop() > 500.0
    with pytest.raises(errors.InvalidArgumentError, match="has a value already"):
        graph.critical_path({"001": 5.0, KEY: 4.0})
