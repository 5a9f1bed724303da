"""The cost of an operation follows the change: work is counted in projects of two sizes."""

from __future__ import annotations

import inspect
from pathlib import Path

import chant_mcp
import pytest
from chant_mcp import api
from chant_mcp._core import counted_work
from chant_mcp.toolsets import toolsets

from bench.cost.operations import LEFT_OUT, operations
from bench.cost.ratios import GROWTH, growths
from bench.cost.scene import Scene, make_scene

_SIZE = 120

_HANDLES = (api.Workspace, api.Spec, api.Vine, api.Task, api.Feature, api.FeatureTask, api.Ticket)

_OF_ALL_HANDLES = ("reload", "section_text")
"""Methods that all handles have; `reload` is counted for each kind of item."""


@pytest.fixture
def scenes(tmp_path: Path) -> tuple[Scene, Scene]:
    """Projects of which the second is larger."""
    small = make_scene(tmp_path / "small", _SIZE, tmp_path / "home")
    return small, make_scene(tmp_path / "large", GROWTH * _SIZE, tmp_path / "home")


def test_an_operation_on_one_item_costs_the_same_in_a_larger_project(scenes: tuple[Scene, Scene]) -> None:
    """Files, bytes, entries and items are counted; what reads all there is may grow as all there is."""
    found = growths(operations(), *scenes)
    assert {one.operation.name: one.excess() for one in found if one.excess()} == {}


def test_every_tool_and_method_is_counted_or_left_out_with_a_reason() -> None:
    """A new tool or method has to be counted, too."""
    tools = {entry.name for entries in toolsets().values() for entry in entries}
    methods = {
        f"{handle.__name__}.{name}"
        for handle in _HANDLES
        for name, _ in inspect.getmembers(handle, inspect.isfunction)
        if not name.startswith("_") and name not in _OF_ALL_HANDLES
    }
    counted = {operation.of for operation in operations()}
    assert tools | methods <= counted | set(LEFT_OUT)
    assert not counted & set(LEFT_OUT)


def test_a_batch_looks_at_a_plan_once(tmp_path: Path) -> None:
    """A hundred operations visit what they touch, and none of them the rest of the plan."""
    scene = make_scene(tmp_path / "project", 2000, tmp_path / "home")

    def removed(count: int) -> int:
        operations = [{"op": "remove_task", "id": scene.removable_task()} for _ in range(count)]
        before = _visited()
        scene.call("vine_write", file="plan.vine", operations=operations)
        return _visited() - before

    removed(1)
    assert removed(100) <= 100 * removed(1)


def test_a_batch_resolves_each_folder_once_and_not_each_file(tmp_path: Path) -> None:
    """Files that are made and moved by one change."""
    few, many = (_resolved_by_batches(tmp_path / str(count), count) for count in (5, 50))
    assert many == few
    assert all(count < 80 for count in few.values())


def _resolved_by_batches(folder: Path, count: int) -> dict[str, int]:
    source = folder / "source" / "issues.jsonl"
    source.parent.mkdir(parents=True)
    source.write_text("".join(f'{{"id": "bd-{number}", "title": "Work"}}\n' for number in range(count)))
    root = folder / "project"
    (root / ".chant" / "specs").mkdir(parents=True)
    workspace = chant_mcp.open(root)

    driver = "2020-01-22-001-x7m"
    for name in (driver, *(f"{driver}.{number}" for number in range(1, count))):
        head = "status: completed\ntype: driver" if name == driver else "status: completed"
        (root / ".chant" / "specs" / f"{name}.md").write_text(f"---\n{head}\n---\n\n# Done\n")
    before = _resolved()
    workspace.import_specs(source)
    imported = _resolved() - before
    before = _resolved()
    workspace.spec(driver).archive()
    return {"import": imported, "archive": _resolved() - before}


def _resolved() -> int:
    return counted_work()["resolved"]


def test_the_first_of_a_list_is_found_without_the_rest(scenes: tuple[Scene, Scene]) -> None:
    for scene in scenes:
        assert len(scene.workspace.items) > _SIZE
        specs = scene.workspace.specs
        before = _visited()
        assert specs
        assert specs[0].key.startswith("chant:")
        assert _visited() - before <= 2
        assert len(specs) >= _SIZE
        with pytest.raises(IndexError, match=f"beyond a list of {len(specs)} items"):
            specs[-len(specs) - 1]


def test_lint_looks_at_what_changed(tmp_path: Path) -> None:
    """Asked again it looks for one configuration alone; a spec that changed is read again."""
    scene = make_scene(tmp_path / "project", _SIZE, tmp_path / "home")
    first = scene.call("chant_lint").text
    before = counted_work()
    assert scene.call("chant_lint").text == first
    work = counted_work()
    assert work == {**before, "opened": before["opened"] + 1, "resolved": work["resolved"]}
    assert work["resolved"] < before["resolved"] + 8
    scene.call("chant_spec_update", id=scene.spec(1), labels=["other"])
    assert scene.call("chant_lint").text == first


def test_lint_of_everything_looks_at_what_an_edit_concerns(scenes: tuple[Scene, Scene]) -> None:
    """At the spec that was edited, and at those that name one that is none any more, not at all."""
    looked: list[int] = []
    for scene in scenes:
        scene.call("chant_lint")
        scene.call("chant_spec_update", id=scene.spec(1), labels=["other"])
        scene.call("chant_spec_list", limit=1)
        before = _visited()
        scene.call("chant_lint")
        looked.append(_visited() - before)
        named = scene.root / ".chant" / "specs" / f"{scene.spec(2)}.md"
        named.write_text(named.read_text("utf-8").replace("status: ", "status: no_", 1), "utf-8")
        assert "cannot be read" in scene.call("chant_lint").text
    assert looked[0] == looked[1] < 10, looked


def test_a_completion_reads_no_file_and_looks_at_each_item_once(tmp_path: Path) -> None:
    scene = make_scene(tmp_path / "project", _SIZE, tmp_path / "home")
    core = scene.workspace.session.workspace

    def count_completion(text: str) -> tuple[dict[str, int], int]:
        before = counted_work()
        total: int = core.mention(text).data["total"]
        return {name: count - before[name] for name, count in counted_work().items()}, total

    _, items = count_completion("")
    work, total = count_completion("spec number")
    assert total == _SIZE
    assert work["opened"] < 10, "what is younger than two seconds, and what says whether something changed"
    assert work["visited"] <= items


def _visited() -> int:
    return counted_work()["visited"]
