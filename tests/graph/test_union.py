"""Graphs of several repositories as one, and graphs of numbers."""

from __future__ import annotations

import pickle
from array import array
from pathlib import Path
from typing import Any

import chant_mcp
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from chant_mcp import Graph, errors
from harness import Project

FIRST = "2026-01-22-001-aaa"


def make(root: Path, **keys: Any) -> Project:
    """Make a folder with one spec."""
    project = Project(root)
    project.spec(FIRST, **keys)
    return project


@pytest.mark.parametrize("notation", ["lib/chant:{id}", "lib:{id}"])
def test_what_waits_for_another_repository_waits_for_the_item_there(tmp_path: Path, notation: str) -> None:
    lib = make(tmp_path / "lib")
    make(tmp_path / "app", depends_on=[notation.format(id=FIRST)])
    both = chant_mcp.open([tmp_path / "app", tmp_path / "lib"], exactly=True)

    graph = both.graph()
    assert list(graph.frontier()) == [f"lib/chant:{FIRST}"]
    assert list(graph.before(f"app/chant:{FIRST}")) == [f"lib/chant:{FIRST}"]
    lib.spec(FIRST, status="completed")
    assert list(both.graph().frontier()) == [f"app/chant:{FIRST}"]
    assert both.item("lib/aaa").status == "completed"
    assert both["app"].root == tmp_path / "app"


def test_every_format_can_name_an_item_of_another_repository(tmp_path: Path) -> None:
    key = f"lib/chant:{FIRST}"
    make(tmp_path / "lib")
    app = make(tmp_path / "app", depends_on=[key])
    plan = f"vine 1.2.0\ntitle: R\n---\n[ship] Ship it (notstarted) @needs({key})\n"
    (app.root / "plan.vine").write_text(plan)
    tasks = app.root / "specs" / "060-login" / "tasks.md"
    tasks.parent.mkdir(parents=True)
    tasks.write_text(f"# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Make it (depends on {key})\n")
    (app.root / ".mdt-config.toml").write_text('[project]\nname = "D"\ncode = "DEM"\npath = "docs/CRs"\n')
    (app.root / "docs" / "CRs").mkdir(parents=True)
    front = (
        "code: DEM-007\ntitle: Ask\nstatus: Approved\ndateCreated: 2026-01-22T10:00:00.000Z\ntype: Research\n"
    )
    ticket = f"---\n{front}priority: Medium\ndependsOn: {key}\n---\n\n# Ask\n"
    (app.root / "docs" / "CRs" / "DEM-007-ask.md").write_text(ticket)

    ws = chant_mcp.open(app.root, exactly=True)
    names = {f"chant:{FIRST}", "vine:plan.vine#ship", "speckit:060-login#T001", "tickets:DEM-007"}
    assert set(ws.graph().after(key)) == names
    assert {item.key for item in ws.items if item.waits_for == (key,)} == names
    assert not list(ws.ready)
    both = chant_mcp.open([app.root, tmp_path / "lib"], exactly=True)
    assert set(both.graph().after(key)) == {f"app/{name}" for name in names}


def test_an_item_of_a_repository_that_is_not_open_is_missing(tmp_path: Path) -> None:
    make(tmp_path / "app", depends_on=[f"far/chant:{FIRST}"])
    make(tmp_path / "lib")
    graph = chant_mcp.open([tmp_path / "app", tmp_path / "lib"], exactly=True).graph()

    rows = {row["key"]: row for row in pa.table(graph.nodes).to_pylist()}
    missing = rows[f"far/chant:{FIRST}"]
    assert (missing["repo"], missing["elsewhere"], missing["status"]) == (
        "far",
        True,
        "not in this workspace",
    )
    assert list(graph.frontier()) == [f"lib/chant:{FIRST}"]


def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for place in ("one/app", "two/app"):
        make(tmp_path / place)
    both = chant_mcp.open([tmp_path / "one/app", tmp_path / "two/app", tmp_path / "one/app"], exactly=True)

    assert list(both) == ["one/app", "two/app"]
    table = pl.DataFrame(both.graph().nodes)
    assert table["repo"].to_list() == ["one/app", "two/app"]
    assert both.item(f"two/app/chant:{FIRST}").key == f"chant:{FIRST}"
    with pytest.raises(errors.NotFoundError, match="no open repository"):
        both.item(f"app/chant:{FIRST}")
    assert list(pickle.loads(pickle.dumps(both))) == list(both)
    again = pickle.loads(pickle.dumps(both.graph()))
    assert pa.table(again.nodes).equals(pa.table(both.graph().nodes))


def test_graphs_without_files_are_put_together_by_names_or_keys() -> None:
    one = Graph.from_edges([("a", "b")], attributes={"size": {"a": 1}})
    two = Graph.from_edges([("b", "c")], done=["b"], attributes={"size": {"c": 3}})

    graph = Graph.union([one, two])
    assert list(graph) == ["a", "b", "c"]
    assert list(graph.attributes["size"]) == [1, None, 3]
    named = Graph.union([one, two], names=["x", None])
    assert list(named) == ["x/a", "x/b", "b", "c"]
    with pytest.raises(errors.InvalidArgumentError, match="one name for each"):
        Graph.union([one, two], names=["x", "x"])
    with pytest.raises(errors.InvalidArgumentError, match="one name for each"):
        Graph.union([one], names=[])


@pytest.mark.parametrize(
    "make_array",
    [
        list,
        lambda n: array("i", n),
        lambda n: np.array(n, np.uint32),
        lambda n: np.array(n)[::1],
        lambda n: np.repeat(np.array(n), 2)[::2],
        pa.array,
        pl.Series,
    ],
)
def test_graphs_are_made_of_arrays_of_numbers(make_array: Any) -> None:
    graph = Graph.from_arrays(4, make_array([0, 1]), make_array([1, 2]), done=make_array([0]))

    assert list(graph) == ["0", "1", "2", "3"]
    assert graph.frontier().indices() == [1, 3]
    assert list(graph.edges) == [("0", "1"), ("1", "2")]
    assert "3" in graph
    assert "03" not in graph


def test_long_arrays_are_read_to_their_end() -> None:
    items = 250_001
    graph = Graph.from_arrays(items, np.arange(items - 1), np.arange(1, items), done=np.arange(items - 1))

    assert graph.frontier().indices() == [items - 1]
    assert len(graph.edges) == items - 1
    with pytest.raises(errors.InvalidArgumentError, match=f"number {items - 1}"):
        Graph.from_arrays(items - 1, np.arange(items - 1), np.arange(1, items))


@pytest.mark.parametrize(
    ("sources", "targets", "words"),
    [
        ([0], [3], "number 3"),
        ([-1], [0], "number -1"),
        ([0], [], "differ in length"),
        ([0.5], [1], "whole numbers"),
        (np.zeros((1, 1), int), [1], "one dimension"),
        (np.array([0.5]), [1], "whole numbers"),
        (["a"], [1], "whole numbers"),
    ],
)
def test_what_numbers_no_items_is_refused(sources: Any, targets: Any, words: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=words):
        Graph.from_arrays(3, sources, targets)


def test_open_files_do_not_grow_with_workspaces(tmp_path: Path) -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    kept = []
    for number in range(40):
        ws = chant_mcp.open(make(tmp_path / str(number)).root, exactly=True)
        assert len(ws.graph()) == 1
        kept.append(ws)
    assert count() - before <= 64
    make(tmp_path / "39", status="completed")
    assert kept[-1].specs[0].status == "completed"
