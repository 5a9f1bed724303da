"""Which project is meant, and that nothing depends on where in it the server was started."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Session, find_place
from chant_mcp.tool_calls import Offer
from harness import Project, text_of, user_config
from mcp import Client
from server.pipes import PATIENCE, Pipes, Serve
from server.pipes import call as tool_call
from server.pipes import text_of as text_on_wire
from writing import tree

ID = "2026-01-22-001-x7m"
DONE = "2026-01-22-002-abc"


def folder(path: Path) -> Path:
    """Make a folder."""
    path.mkdir(parents=True, exist_ok=True)
    return path


# Finding it


def test_the_nearest_chant_folder_upwards_marks_the_project(tmp_path: Path) -> None:
    outer, inner = tmp_path / "outer", tmp_path / "outer" / "inner"
    folder(outer / ".chant")
    folder(inner / ".chant" / "specs")
    deep = folder(inner / "src" / "deep")
    assert find_place(deep).root == inner
    assert find_place(inner).root == inner
    assert find_place(folder(outer / "src")).root == outer
    assert find_place(folder(inner / ".chant" / "specs" / "deep")).root == inner


def test_a_chant_folder_above_the_git_top_level_is_another_project(tmp_path: Path) -> None:
    folder(tmp_path / ".chant")
    folder(tmp_path / "clone" / ".git")
    assert find_place(folder(tmp_path / "clone" / "src")).root == tmp_path / "clone"


@pytest.mark.parametrize("marker", [".specify/", ".mdt-config.toml", "docs/CRs/", "specs/060-ferry/"])
def test_folders_of_other_dialects_mark_a_project_too(tmp_path: Path, marker: str) -> None:
    folder(tmp_path / "clone" / ".git")
    root = folder(tmp_path / "clone" / "part")
    if marker.endswith("/"):
        folder(root / marker)
    else:
        (root / marker).write_text('code = "MDT"\n', encoding="utf-8")
    assert find_place(folder(root / "src" / "deep")).root == root
    assert find_place(folder(tmp_path / "clone" / "other")).root == tmp_path / "clone"


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_without_a_marker_the_git_top_level_is_the_project(tmp_path: Path, kind: str) -> None:
    top = folder(tmp_path / "clone")
    if kind == "folder":
        (top / ".git").mkdir()
    else:
        (top / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    deep = folder(top / "a" / "b")
    place = find_place(deep)
    assert place.root == top
    assert place.searched == tuple(map(str, (deep, top / "a", top)))


def test_without_any_marker_the_working_directory_is_the_project(tmp_path: Path) -> None:
    deep = folder(tmp_path / "a" / "b")
    place = find_place(deep)
    assert place.root == deep
    assert place.searched == tuple(map(str, (deep, *deep.parents)))


def test_a_folder_given_is_taken_as_it_is(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", folder(tmp_path / "elsewhere")
    folder(project / ".chant")
    assert find_place(elsewhere, project).root == project
    assert find_place(tmp_path, Path("project")).root == project
    assert find_place(project, elsewhere).root == elsewhere  # even if there is nothing in it
    assert find_place(project, elsewhere).searched == (str(elsewhere),)


def test_spec_files_and_groups_do_not_make_the_chant_folder_a_project(tmp_path: Path) -> None:
    specs = folder(tmp_path / ".chant" / "specs")
    (specs / "001-old-style.md").write_text("# Old\n", encoding="utf-8")
    folder(specs / "002-group")
    assert find_place(specs).root == tmp_path
    assert find_place(specs / "002-group").root == tmp_path
    assert find_place(tmp_path / ".chant").root == tmp_path
    notes = folder(tmp_path / "docs" / "specs")
    (notes / "003-notes.txt").touch()
    assert find_place(notes).root == tmp_path


def test_a_folder_that_cannot_be_listed_is_no_project(tmp_path: Path) -> None:
    folder(tmp_path / ".chant")
    (folder(tmp_path / "a") / "specs").touch()
    assert find_place(tmp_path / "a").root == tmp_path


# Being it: started in a sub-folder


CONFIG = """\
---
project:
  name: demo
lint:
  thresholds:
    complexity_criteria: 1
  disable: []
---
"""


def fill(root: Path) -> Project:
    """Write a project with configuration, logs, records, schemas and an archive."""
    project = Project(root)
    items = "## Acceptance Criteria\n\n- [ ] One\n- [ ] Two\n- [ ] Three"
    project.spec(ID, status="in_progress", body=f"# One\n\n{items}", target_files=["src/main.py"])
    project.spec(DONE, status="completed", body="# Done", output_schema=".chant/schemas/out.json")
    project.spec("2026-01-22-003-bad", status="failed", body="# Failed", depends_on=["2026-01-01-001-old"])
    project.log(ID, "eins\nzwei\n")
    project.log(DONE, '```json\n{"a": 1}\n```\n')
    (root / ".chant" / "config.md").write_text(CONFIG, encoding="utf-8")
    folder(root / ".chant" / "schemas")
    (root / ".chant" / "schemas" / "out.json").write_text('{"required": ["b"]}', encoding="utf-8")
    old = folder(root / ".chant" / "archive" / "2026-01-01") / "2026-01-01-001-old.md"
    old.write_text("---\nstatus: completed\n---\n# Old\n", encoding="utf-8")
    run = {
        "schema": 1,
        "process_id": "p1",
        "spec_id": DONE,
        "pid": 1,
        "status": "completed",
        "mode": "single",
    }
    run |= {"started_at": "2026-11-20T10:00:00Z", "completed_at": "2026-11-20T11:00:00Z"}
    folder(root / ".chant" / "processes")
    (root / ".chant" / "processes" / "p1.json").write_text(json.dumps(run), encoding="utf-8")
    folder(root / "src" / "deep")
    (root / "src" / "main.py").touch()
    return project


READS: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_list", {}),
    ("chant_spec_get", {"id": ID}),
    ("chant_ready", {}),
    ("chant_status", {"brief": True}),
    ("chant_log", {"id": ID}),
    ("chant_search", {"query": "one"}),
    ("chant_diagnose", {"id": ID}),
    ("chant_diagnose", {"id": DONE}),
    ("chant_lint", {}),
    ("chant_verify", {"id": ID}),
    ("chant_work_list", {"include_completed": True}),
]


def test_a_server_in_a_sub_folder_reads_the_same(tmp_path: Path, serve: Serve) -> None:
    project = fill(tmp_path / "project")
    project.repository()
    answers: list[list[str]] = []
    for place in (project.root, project.root / "src" / "deep", project.specs):
        pipes: Pipes = serve(place)
        answers.append(
            [text_on_wire(pipes.ask(tool_call(id, tool, **given))) for id, (tool, given) in enumerate(READS)]
        )
        assert pipes.finish().code == 0
    assert answers[0] == answers[1] == answers[2]
    told = "".join(answers[0])
    for word in ("eins", "(threshold: 1)", "p1", "Output validation failed"):  # log, config, record, schema
        assert word in told, told


def test_a_server_in_a_sub_folder_writes_in_the_project(tmp_path: Path, serve: Serve) -> None:
    trees: list[dict[str, bytes]] = []
    for name in ("root", "deep"):
        project = fill(tmp_path / name)
        project.repository()
        pipes: Pipes = serve(project.root if name == "root" else project.root / "src" / "deep")
        changes: list[tuple[str, dict[str, Any]]] = [
            ("chant_spec_update", {"id": ID, "check": ["One", "Two", "Three"], "labels": ["x"]}),
            ("chant_finalize", {"id": ID}),
            ("chant_archive", {"id": ID}),
            ("chant_reset", {"id": "2026-01-22-003-bad"}),
            ("chant_cancel", {"id": "2026-01-22-003-bad"}),
        ]
        for id, (tool, given) in enumerate(changes):
            answer = pipes.ask(tool_call(id, tool, **given))
            assert not answer["result"]["isError"], text_on_wire(answer)
        created = text_on_wire(pipes.ask(tool_call(9, "chant_add", description="New"))).split()[2]
        assert project.path(created).exists()
        project.path(created).unlink()
        assert (project.root / ".chant" / "archive" / "2026-01-22" / f"{ID}.md").exists()
        trees.append(tree(project.root))
    assert sorted(trees[0]) == sorted(trees[1])
    assert not [name for name in trees[1] if name.startswith("src/") and name != "src/main.py"]


@pytest.mark.anyio
async def test_a_session_serves_the_folder_given(tmp_path: Path) -> None:
    fill(tmp_path / "here")
    there = Project(tmp_path / "there")
    there.spec("2026-02-02-001-abc")
    session = Session(find_place(tmp_path / "here", Path("../there")))
    async with Client(ChantServer(session, Offer(["auto"])), mode="2026-07-28") as client:
        found = await client.call_tool("chant_spec_list", {})
    assert [spec["id"] for spec in json.loads(text_of(found))["specs"]] == ["2026-02-02-001-abc"]


# What is written where


@pytest.mark.parametrize("in_git", [False, True], ids=["no-git", "git"])
def test_tools_write_inside_the_project_only(tmp_path: Path, serve: Serve, in_git: bool) -> None:
    project = fill(tmp_path / "project")
    if in_git:
        project.repository()
    folder(tmp_path / "neighbour" / ".chant" / "specs")
    (tmp_path / "neighbour" / "file").write_text("as it was", encoding="utf-8")
    home = Path(os.environ["HOME"])
    outside = [path for path in tmp_path.rglob("*") if not path.is_relative_to(project.root)]
    before = tree(tmp_path / "neighbour")
    pipes: Pipes = serve(project.root)
    for id, (tool, given) in enumerate(
        [
            *READS,
            ("chant_add", {"description": "New", "labels": ["x"], "criteria": ["Done"]}),
            ("chant_add", {"description": "../../neighbour/file"}),
            ("chant_add", {"description": "x", "parent": "../../neighbour"}),
            ("chant_add", {"description": "x", "prompt": "../../neighbour/file"}),
            ("chant_spec_update", {"id": ID, "output": "more", "target_files": ["../neighbour/file"]}),
            ("chant_spec_update", {"id": ID, "check": ["One", "Two", "Three"]}),
            ("chant_finalize", {"id": ID}),
            ("chant_archive", {"id": ID}),
            ("chant_reset", {"id": "2026-01-22-003-bad"}),
            ("chant_cancel", {"id": "2026-01-22-003-bad"}),
        ]
    ):
        pipes.ask(tool_call(id, tool, **given))
    assert pipes.finish().code == 0
    assert [path for path in tmp_path.rglob("*") if not path.is_relative_to(project.root)] == outside
    assert tree(tmp_path / "neighbour") == before
    # A receipt is noted in our state, which is signed with a key of the user.
    key = [home / ".local" / "state" / "chant-mcp" / "key"] if in_git else []
    assert sorted(path for path in home.rglob("*") if path.is_file()) == sorted([user_config(), *key])
    ours = {name.split("/")[0] for name in tree(project.root)}
    assert ours <= {".chant", "src", *([] if in_git else [".chant-mcp"])}


# Opening it


@pytest.mark.anyio
async def test_recovery_holds_up_only_what_depends_on_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends processes, merges and runs hooks, which takes as long as it takes."""
    project.spec(ID)
    begun, may_end = threading.Event(), threading.Event()
    looked: list[str] = []

    def recover(self: Session, _: object) -> None:
        begun.set()
        may_end.wait(PATIENCE)
        looked.append(self.place.root.name)

    monkeypatch.setattr(Session, "_look_after_runs", recover)
    server = ChantServer(Session(find_place(project.root)), Offer(["all"]))
    answers: list[str] = []
    refusals: list[str] = []
    early: list[str] = []

    async def status(client: Client) -> None:
        answers.append(text_of(await client.call_tool("chant_status", {"brief": True})))

    async def asks(context: Any, params: Any) -> Any:
        raise AssertionError("nothing is asked")

    question = {"status": "needs_input", "question": "q-1"}
    with anyio.fail_after(PATIENCE):
        async with (
            Client(server, mode="legacy", elicitation_callback=asks) as client,
            anyio.create_task_group() as tasks,
        ):
            tasks.start_soon(status, client)
            tasks.start_soon(status, client)
            await anyio.to_thread.run_sync(begun.wait, PATIENCE)
            try:
                refusals.append(text_of(await client.call_tool("rstn_report_status", question)))
                graph = {"file": "none.vine", "action": "summary"}
                refusals.append(text_of(await client.call_tool("vine_read", graph)))
            finally:
                early += answers
                may_end.set()
    assert refusals[0] == "Question 'q-1' not found"
    assert "none.vine" in refusals[1]
    assert early == []
    assert (answers, looked) == (["1 pending", "1 pending"], [project.root.name]), "once, before any answer"
