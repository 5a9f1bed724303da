"""Tables in the libraries that take them as they are, and graphs that are read back from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import chant_mcp
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from chant_mcp import Graph, Workspace, errors
from harness import Project
from hypothesis import given, settings
from hypothesis import strategies as st

KEYS = st.sampled_from(["a", "b", "c", "own/app/chant:x", "vine:p.vine#t"])
NODES = {"key": ["a", "b"], "done": [True, False]}
EDGES = {"before": ["a"], "after": ["b"]}


def of_pyarrow(table: Any, path: Path) -> object:
    pq.write_table(pa.table(table), path)
    return pq.read_table(path)


def of_polars(table: Any, path: Path) -> object:
    pl.DataFrame(table).write_parquet(path)
    return pl.read_parquet(path)


def of_both(table: Any, path: Path) -> object:
    pl.DataFrame(table).write_parquet(path)
    return pq.read_table(path)


def of_pandas(table: Any, path: Path) -> object:
    pd.DataFrame.from_arrow(table).to_parquet(path)  # type: ignore[attr-defined]
    return pd.read_parquet(path)


def of_duckdb(table: Any, path: Path) -> object:
    duckdb.from_arrow(table).to_parquet(str(path))
    return duckdb.read_parquet(str(path)).to_arrow_table()


def as_is(table: Any, path: Path) -> object:
    return table


WAYS: list[Callable[[Any, Path], object]] = [of_pyarrow, of_polars, of_both, of_pandas, of_duckdb, as_is]


def test_libraries_take_tables_as_they_are(ws: Workspace) -> None:
    graph = ws.graph()
    for rows in (graph.nodes, graph.edges, graph.runs, ws.items.table(), Graph.from_edges([]).nodes):
        known = pa.table(rows)
        assert pl.DataFrame(rows).to_dict(as_series=False) == known.to_pydict()
        assert pl.DataFrame(rows).columns == known.column_names
        frame = pd.DataFrame.from_arrow(rows)  # type: ignore[attr-defined]
        assert (list(frame.columns), len(frame)) == (known.column_names, len(known))
        assert duckdb.from_arrow(rows).to_arrow_table().to_pydict() == known.to_pydict()
        counted: Any = duckdb.sql("select count(*) from rows")
        assert counted.fetchall() == [(len(known),)]


@pytest.mark.parametrize("way", WAYS)
def test_a_graph_is_read_back_from_its_tables(
    ws: Workspace, project: Project, tmp_path: Path, way: Callable[[Any, Path], object]
) -> None:
    project.spec("2026-01-22-003-ccc", depends_on=["2026-01-22-009-zzz", "tickets:DEM-7"], status="failed")
    graph = ws.graph()
    nodes, edges = way(graph.nodes, tmp_path / "nodes.parquet"), way(graph.edges, tmp_path / "edges.parquet")
    again = Graph.from_arrow(nodes, edges)
    assert again.to_json() == graph.to_json()
    assert list(again.frontier()) == list(graph.frontier())
    assert list(again.network.elsewhere()) == ["chant:2026-01-22-009-zzz"]
    assert pa.table(again.nodes).equals(pa.table(graph.nodes), check_metadata=True)
    assert pa.table(again.edges).equals(pa.table(graph.edges), check_metadata=True)


@settings(max_examples=30)
@given(st.lists(st.tuples(KEYS, KEYS)), st.lists(KEYS), st.dictionaries(KEYS, st.integers() | st.none()))
def check_own_graphs(edges: list[tuple[str, str]], done: list[str], cost: dict[str, int | None]) -> None:
    cost = {key: value and value % 99 for key, value in cost.items()}
    graph = Graph.from_edges(edges, nodes=cost, done=done, attributes={"cost": cost})
    for read in (pa.table, pl.DataFrame):
        again = Graph.from_arrow(read(graph.nodes), read(graph.edges))
        assert again.to_json() == graph.to_json()
    assert Graph.from_arrow(graph.nodes, graph.edges).to_json() == graph.to_json()


def test_own_graphs_are_read_back() -> None:
    check_own_graphs()


def test_tables_of_several_projects_become_one_graph(ws: Workspace, project: Project, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "plan.vine").write_text((project.root / "plan.vine").read_text("utf-8"), encoding="utf-8")
    graphs = [ws.graph(), chant_mcp.open(other, exactly=True).graph()]
    both = Graph.from_arrow(
        pa.concat_tables([pa.table(graph.nodes) for graph in graphs]),
        pl.concat([pl.DataFrame(graph.edges) for graph in graphs]),
    )
    assert len(both) == len(graphs[0]) + len(graphs[1])
    assert list(both.before("other/vine:plan.vine#ship")) == ["other/vine:plan.vine#log"]
    assert list(both.before(f"{ws.repo}/vine:plan.vine#ship")) == [f"{ws.repo}/vine:plan.vine#log"]
    again = Graph.from_arrow(both.nodes, both.edges)
    assert again.nodes.table().column("repo") == both.nodes.table().column("repo")
    assert list(again) == list(both)


@pytest.mark.parametrize(
    ("nodes", "edges", "words"),
    [
        ({"name": ["a"]}, {}, "table of nodes has no column `key`, expected texts; its columns are: name"),
        ({"key": [1, 2]}, {}, "Column `key` of the table of nodes holds 1 in row 0, expected texts"),
        ({"key": ["a", None]}, {}, "Column `key` of the table of nodes holds None in row 1"),
        (
            {"key": ["a", "a"]},
            {},
            "Column `key` of the table of nodes holds 'a' in rows 0 and 1, expected each key",
        ),
        (
            {"done": ["no", "no"]},
            {},
            "Column `done` of the table of nodes holds 'no' in row 0, expected flags",
        ),
        ({"repo": [1, 2]}, {}, "Column `repo` of the table of nodes holds 1 in row 0, expected texts"),
        ({"duration": ["1 h", None]}, {}, "Column `duration` .* holds '1 h' in row 0, expected numbers"),
        (
            {},
            {"after": ["z"]},
            "Column `after` of the table of edges holds 'z' in row 0, expected a key of the table",
        ),
        ({}, {"before": [None]}, "Column `before` of the table of edges holds None in row 0, expected texts"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(nodes: Any, edges: Any, words: str) -> None:
    given = nodes if "name" in nodes else {**NODES, **nodes}
    with pytest.raises(errors.InvalidArgumentError, match=words):
        Graph.from_arrow(pa.table(given), pl.DataFrame({**EDGES, **edges}))


def test_what_is_no_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    nodes: Any = pa.table(NODES)
    with pytest.raises(
        errors.InvalidArgumentError, match="`edges` is of type list, expected a table of pyarrow"
    ):
        Graph.from_arrow(nodes, [("a", "b")])
    for library in ("pyarrow", "polars"):
        monkeypatch.setitem(__import__("sys").modules, library, None)
    with pytest.raises(errors.RefusedError, match="Install one"):
        Graph.from_arrow(nodes, nodes)
