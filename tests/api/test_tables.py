"""Tables of projects with values and without, in the libraries that read them."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import chant_mcp
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import state_folder
from api.projects import FIRST, fill
from chant_mcp import Graph, Workspace
from chant_mcp.api.handles import FoundItems
from chant_mcp.errors import InvalidArgumentError
from harness import Project

KEY = f"chant:{FIRST}"
STARTED = datetime(2126, 1, 23, 10, tzinfo=timezone.utc)
RECORD = {
    "schema": 1,
    "process_id": f"{FIRST}-9",
    "spec_id": FIRST,
    "pid": 9,
    "status": "completed",
    "mode": "single",
    "generation": 1,
    "started_at": "2126-01-23T10:00:00.000Z",
    "updated_at": "2126-01-23T10:01:30.500Z",
    "completed_at": "2126-01-23T10:01:30.500Z",
}


@pytest.fixture
def filled(project: Project) -> Workspace:
    """A project whose first spec is completed, by a run of 90.5 seconds."""
    fill(project)
    project.spec(FIRST, status="completed", completed_at="2126-01-23T10:02:00Z")
    state_folder.put_record(project.root, RECORD)
    return chant_mcp.open(project.root)


@pytest.fixture
def bare(tmp_path: Path) -> Workspace:
    """A project without any item."""
    folder = tmp_path / "bare"
    folder.mkdir()
    return chant_mcp.open(folder, exactly=True)


def tables(ws: Workspace) -> dict[str, Any]:
    """All tables of a workspace."""
    graph = ws.graph()
    lists = {"items": ws.items.table(), "specs": ws.specs.table(), "tickets": ws.tickets.table()}
    return {"nodes": graph.nodes, "edges": graph.edges, "runs": graph.runs, **lists}


def test_tables_of_all_projects_have_the_same_columns(
    filled: Workspace, bare: Workspace, tmp_path: Path
) -> None:
    empty = tables(bare)
    for name, full in tables(filled).items():
        rows, none = pa.table(full), pa.table(empty[name])
        assert len(rows) > 0, name
        assert len(none) == 0, name
        assert none.schema.equals(rows.schema, check_metadata=True), name
        assert pa.concat_tables([none, rows]).num_rows == len(rows)
        assert pl.concat([pl.DataFrame(empty[name]), pl.DataFrame(full)]).height == len(rows)
        frames = [pd.DataFrame.from_arrow(table) for table in (empty[name], full)]  # type: ignore[attr-defined]
        assert [kind.name for kind in frames[0].dtypes] == [kind.name for kind in frames[1].dtypes], name
        assert len(pd.concat(frames)) == len(rows), name
        united = duckdb.from_arrow(none).union(duckdb.from_arrow(rows))
        assert united.types == duckdb.from_arrow(none).types, name
        pq.write_table(none, tmp_path / "rows.parquet")
        assert pq.read_table(tmp_path / "rows.parquet").schema.equals(rows.schema, check_metadata=True), name


def test_every_library_makes_the_same_columns_by_its_constructor(filled: Workspace) -> None:
    for name, table in tables(filled).items():
        columns = pa.table(table).column_names
        assert list(pd.DataFrame(table).columns) == columns, name
        assert list(pd.DataFrame.from_arrow(table).columns) == columns, name  # type: ignore[attr-defined]
        assert pl.DataFrame(table).columns == columns, name
        rows = duckdb.from_arrow(table)
        assert rows.columns == columns, name
        frame = pd.DataFrame(table)
        assert len(frame) == len(pa.table(table)) == rows.shape[0], name
        assert frame[columns[0]].tolist() == pa.table(table).column(0).to_pylist(), name
    edges = filled.graph().edges
    before, after = edges[0]
    assert (before, after) in list(edges), "an edge is a pair as before"


def test_the_text_of_anything_fits_a_screen(filled: Workspace) -> None:
    for number in range(300):
        filled.add(f"Spec {number} {'with a long title ' * 3}")
    graph = filled.graph()
    things = {
        **tables(filled),
        "found": FoundItems(filled.specs),
        **{name: getattr(graph, name) for name in ("blocked", "attributes", "nodes", "edges", "runs")},
        "graph": graph,
        "schedule": graph.schedule(),
        "workspace": filled,
        "specs": filled.specs,
    }
    for name, thing in things.items():
        text = repr(thing)
        assert len(text) <= 24 * 80, name
        assert " object at 0x" not in text, name


def test_a_filter_with_one_equals_sign_says_what_to_use(filled: Workspace) -> None:
    with pytest.raises(InvalidArgumentError, match="use `==` to compare"):
        filled.graph().filter("status = 'pending'")


def test_numbers_have_units_and_time_stamps_are_utc(filled: Workspace) -> None:
    graph = filled.graph()
    nodes, runs = pa.table(graph.nodes), pa.table(graph.runs)
    for table in (nodes, runs):
        field = table.schema.field("duration")
        assert (field.type, field.metadata) == (pa.float64(), {b"unit": b"seconds"})
    assert nodes.schema.field("weight").metadata == {b"unit": b"weight"}
    first = runs.to_pylist()[0]
    assert (first["key"], first["started_at"], first["duration"]) == (KEY, STARTED, 90.5)
    assert runs.schema.field("completed_at").type == pa.timestamp("us", tz="UTC")
    assert graph.runs.table().column("started_at") == [STARTED]
    specs = filled.specs.table()
    assert specs.column("completed_at") == [datetime(2126, 1, 23, 10, 2, tzinfo=timezone.utc), None]
    assert next(iter(graph.runs))["mode"] == "single"


def test_tables_of_several_projects_name_their_repositories(filled: Workspace, bare: Workspace) -> None:
    name = filled.root.name
    assert (filled.repo, bare.repo) == (name, "bare")
    for what, table in tables(filled).items():
        columns = ("before_repo", "after_repo") if what == "edges" else ("repo",)
        assert {value for column in columns for value in pa.table(table)[column].to_pylist()} == {name}, what
    words = pa.dictionary(pa.int32(), pa.string())
    schema = pa.table(filled.graph().nodes).schema
    assert {schema.field(word).type for word in ("repo", "dialect", "status", "kind", "tone")} == {words}


def test_a_key_with_a_repository_says_which() -> None:
    graph = Graph.from_edges([("own/app/vine:a.vine#b", "web/chant:c"), ("chant:d", "a/b")])
    assert graph.nodes.table().column("repo") == ["own/app", "web", None, None]
    edges = graph.edges.table()
    assert edges.column("before_repo") == ["own/app", None]
    assert edges.column("after_repo") == ["web", None]


def test_a_time_stamp_that_is_none_is_null(project: Project) -> None:
    folder = fill(project).root / ".chant" / "processes"
    folder.mkdir(exist_ok=True)
    (folder / "old.json").write_text(json.dumps({**RECORD, "started_at": "long ago"}), encoding="utf-8")
    runs = chant_mcp.open(project.root).graph().runs.table()
    assert (runs.column("started_at"), runs.column("duration")) == ([None], [None])


def test_own_attributes_have_the_type_of_their_values() -> None:
    own = {
        "weight": {"a": "heavy"},
        "duration": {"a": 3},
        "cost": {"a": 3},
        "note": {"a": None},
        "due": {"a": STARTED},
    }
    graph = Graph.from_edges([("a", "b")], attributes=own)
    schema = pa.table(graph.nodes).schema
    types = [pa.string(), pa.float64(), pa.int64(), pa.null(), pa.timestamp("us", tz="UTC")]
    assert [schema.field(name).type for name in own] == types
    assert graph.nodes.table().column("note") == [None, None]
    assert len(graph.runs) == 0
