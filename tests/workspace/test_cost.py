"""The cost of an operation follows the change: work is counted in projects of two sizes."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

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


def test_a_graph_after_an_edit_costs_what_the_edit_concerns(scenes: tuple[Scene, Scene]) -> None:
    """One that changes what others wait for, and one of words alone."""
    found: list[list[int]] = []
    for scene in scenes:
        assert scene.workspace.graph().frontier()
        found.append([])
        for number, changes in enumerate([{"status": "cancelled"}, {"labels": ["words"]}] * 2):
            spec = scene.workspace.spec(scene.spec(10 * (number // 2)))
            before = _visited()
            spec.update(**changes)
            assert scene.workspace.graph().frontier()[0]
            assert scene.workspace.ready[0]
            found[-1].append(_visited() - before)
    small, large = (of[2:] for of in found)
    assert small == large
    assert max(large) < 40


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


def _plans(root: Path, count: int) -> None:
    """Write plans of three formats, whose items wait for one another."""
    for number in range(1, count + 1):
        task = f"---\nid: TASK-{number}\ntitle: Do it\nstatus: To Do\nassignee: []\n"
        task += f"created_date: '2026-01-01'\nlabels: []\ndependencies: [TASK-{max(1, number // 2)}]\n---\n\n"
        documents = {
            f"backlog/tasks/task-{number} - Do-it.md": f"{task}## Description\n\nText.\n",
            f".kiro/specs/spec-{number}/tasks.md": "# Implementation Plan\n\n- [ ] 1. Do it\n  - Text.\n",
            f"openspec/changes/change-{number}/tasks.md": "## 1. Part\n\n- [ ] 1.1 Do it\n",
            f"openspec/changes/change-{number}/proposal.md": "# Change\n\n## Why\n\nText.\n",
        }
        for path, text in documents.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
    (root / "backlog" / "config.yml").write_text("project_name: Ferry\n", "utf-8")


def test_words_in_one_document_of_a_plan_cost_the_same_among_many(tmp_path: Path) -> None:
    """What a key in an editor costs: the documents are read, joined and drawn through the same door."""

    def visited(count: int) -> list[int]:
        root = tmp_path / str(count)
        root.mkdir()
        _plans(root, count)
        workspace = chant_mcp.open(root)
        found: list[int] = []

        def looked(key: str) -> int:
            before = _visited()
            assert workspace[key].title
            return _visited() - before

        for path, key in (
            ("backlog/tasks/task-2 - Do-it.md", "backlog:TASK-2"),
            (".kiro/specs/spec-2/tasks.md", "kiro:spec-2#1"),
            ("openspec/changes/change-2/proposal.md", "openspec:change-2"),
        ):
            known = min(looked(key), looked(key))
            text = (root / path).read_text("utf-8")
            (root / path).write_text(text.replace("Text.", "Other words."), "utf-8")
            found.append(looked(key) - known)
            item: Any = workspace[key]
            assert "Other words." in str(item.body) or key.startswith("openspec")
        return found

    small, large = visited(20), visited(80)
    assert large == small
