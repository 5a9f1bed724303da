"""Every door takes every format: whatever `formats()` names is tried, without a line of its own here."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import chant_mcp
import pytest
from chant_mcp.cli import program
from chant_mcp.formats import formats
from click.testing import CliRunner
from harness import Caller, Project
from mcp import Client
from plans.projects import PARENTS, TICKED, make, tree

pytestmark = pytest.mark.anyio

ROWS = [row for row in formats() if not row["own_tools"]]

each_format = pytest.mark.parametrize("word", [row["word"] for row in ROWS])


@pytest.fixture
def folder(tmp_path: Path, word: str) -> Path:
    """A project of a format, and of nothing else."""
    home = tmp_path / "ferry"
    home.mkdir()
    return make(word, home)


def run(folder: Path, *words: str, code: int = 0) -> str:
    """Run a command in a folder and give what it prints."""
    done = CliRunner().invoke(program, ["--project", str(folder), *words], prog_name="chant-mcp")
    assert done.exit_code == code, done.output
    return done.stdout


def test_each_format_says_what_it_is() -> None:
    assert len(ROWS) >= 2
    for row in ROWS:
        assert row["markers"], row
        assert row["example"].startswith(f"{row['word']}:")
        assert row["word"] in TICKED, "tests/plans/projects.py needs a project of each format"


@each_format
def test_commands_read_where_the_plan_lies(word: str, folder: Path) -> None:
    before = tree(folder)
    key, _ = TICKED[word]
    listed = json.loads(run(folder, "list", "--json"))["data"]["items"]
    assert {row["dialect"] for row in listed} == {word}
    ready = json.loads(run(folder, "ready", "--json"))["data"]["items"]
    assert key in {row["key"] for row in ready}
    assert key in run(folder, "list", "--dialect", word)
    title = next(row["title"] for row in listed if row["key"] == key)
    assert title in run(folder, "show", key)
    assert key in run(folder, "search", title.split()[0])
    run(folder, "graph")
    exported = json.loads(run(folder, "export"))
    assert [row["key"] for row in exported] == [row["key"] for row in listed]
    assert key in run(folder, "export", "--format", "csv")
    assert "Plans checked: " in run(folder, "lint")
    report = json.loads(run(folder, "lint", "--json"))["data"]
    assert report["specs_checked"] == report["errors"] == 0
    assert "findings" not in run(folder, "status")
    assert run(folder, "runs") == "No agent is at work.\n"
    assert json.loads(run(folder, "runs", "--json"))["data"]["processes"] == []
    refused = CliRunner().invoke(program, ["--project", str(folder), "log", key])
    assert f"No run has worked on {key} yet." in refused.output
    assert tree(folder) == before, "reading leaves everything as it was"


@each_format
def test_commands_edit_where_the_plan_lies(word: str, folder: Path) -> None:
    before = tree(folder)
    key, box = TICKED[word]
    boxes = [] if box == "self" else [box]
    run(folder, "tick", key, *boxes)
    ticked = tree(folder)
    changed = [path for path in before if ticked[path] != before[path]]
    assert len(changed) == 1
    assert set(ticked) == set(before)
    run(folder, "untick", key, *boxes)
    run(folder, "add", "Write it down", "--to", PARENTS[word])
    titles = [row["title"] for row in json.loads(run(folder, "list", "--json"))["data"]["items"]]
    assert "Write it down" in titles
    refused = run(folder, "edit", key, "--status", "no such state", code=1)
    assert refused == ""


@each_format
def test_scripts_have_handles(word: str, folder: Path) -> None:
    ws = chant_mcp.open(folder)
    assert ws.dialects == (word,)
    key, box = TICKED[word]
    item = ws[key]
    assert isinstance(item, chant_mcp.PlanItem)
    assert item.key in ws.items.where(dialect=word)
    assert [one.key for one in ws.plans(word)] == [one.key for one in ws.items]
    assert pickle.loads(pickle.dumps(item)) == item
    ticked = item.tick(*([] if box == "self" else [box]))
    assert ticked.is_done or any(one.is_ticked for one in ticked.criteria)
    assert "tick" in item.edits
    with pytest.raises(chant_mcp.errors.ChantError):
        item.set_status("no such state")
    assert key in ws.graph()
    assert key in ws.items


@each_format
def test_transactions_are_all_or_none(word: str, folder: Path) -> None:
    ws = chant_mcp.open(folder)
    before = tree(folder)
    key, box = TICKED[word]
    boxes = [] if box == "self" else [box]

    def fail() -> None:
        with ws.transaction():
            tick(ws, key, boxes)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert tree(folder) == before
    with ws.transaction() as transaction:
        tick(ws, key, boxes)
        ws.add_item("Write it down", parent=PARENTS[word])
    assert len(transaction.ids) == 2
    assert "Write it down" in [item.title for item in ws.items]
    assert tree(folder) != before


def tick(ws: chant_mcp.Workspace, key: str, boxes: list[str]) -> None:
    """Tick a box of an item, or its own."""
    item: Any = ws[key]
    item.tick(*boxes)


@each_format
def test_changes_are_announced(word: str, folder: Path) -> None:
    ws = chant_mcp.open(folder)
    key, box = TICKED[word]
    changes = ws.changes()
    item: Any = chant_mcp.open(folder)[key]
    item.tick(*([] if box == "self" else [box]))
    change = changes.wait(30)
    assert change is not None
    assert key in change.changed


@each_format
def test_boards_show_the_items_with_their_acts(word: str, folder: Path) -> None:
    ws = chant_mcp.open(folder)
    key, _ = TICKED[word]
    look = ws.core.board_look().data
    shown = {card["key"]: column["meaning"] for column in look["columns"] for card in column["items"]}
    assert shown[key] == "can_begin"
    from chant_mcp.board.acts import offered

    item = ws.core.board_item(key).data
    acts = {act.label: act for act in offered(item, is_person=True)}
    assert "Tick" in acts
    choice = acts["Tick"].choices(item)[0][0]
    done = acts["Tick"].run(ws.session, item, choice)
    assert done.undo is not None
    done.undo()


@each_format
async def test_five_tools_do_everything(word: str, folder: Path) -> None:
    key, box = TICKED[word]
    project = Project(folder)
    async with Client(project.server()) as client:
        call = Caller(client, project)
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == ["item_list", "item_get", "item_next", "item_update", "item_add"]
        listed = await call.data("item_list", format=word)
        assert key in [row["key"] for row in listed["items"]]
        got = await call.data("item_get", id=key)
        assert got["format"] == word
        assert "tick" in got["edits"]
        ready = await call.data("item_next", format=word)
        assert ready["next"]
        assert ready["first"]["order"]
        changed = await call.data("item_update", id=key, tick=[box])
        assert changed["item"]["key"] == key
        assert len(changed["changed"]) >= 1
        added = await call.data("item_add", title="Write it down", parent=PARENTS[word])
        assert added["item"]["title"] == "Write it down"
        words = await call.error("item_update", id=key, status="no such state")
        assert "no such state" in words
        since = await call.data("item_list", since="")
        assert since["cursor"]


@pytest.mark.parametrize("word", ["openspec"])
def test_lint_status_and_doctor_say_what_is_wrong_in_a_plan(word: str, folder: Path) -> None:
    delta = folder / "openspec/changes/add-login/specs/auth/spec.md"
    delta.write_text("## ADDED Requirements\n\n### Requirement: Log in\nPeople log in.\n", encoding="utf-8")
    assert "Plans checked: 1 error, 1 warning." in run(folder, "lint", code=1)
    assert "2 findings in plans; `chant-mcp lint` lists them." in run(folder, "status")
    doctor = CliRunner().invoke(program, ["--project", str(folder), "doctor", "--json"])
    assert json.loads(doctor.stdout)["data"]["plans"] == {"errors": 1, "warnings": 1, "hints": 0}
    doctor = CliRunner().invoke(program, ["--project", str(folder), "doctor"])
    assert "1 error, 1 warning; `chant-mcp lint` lists them" in " ".join(doctor.stdout.split())
