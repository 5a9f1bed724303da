"""Beside Backlog.md's own program: its locks are taken, its numbers in other branches count."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillWaiting
from pathlib import Path

import chant_mcp
import pytest
from harness import Project
from plans.projects import make, plan_item
from writing import git


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """A thread beside the test's own."""
    with ThreadPoolExecutor(1) as pool:
        yield pool


def waits_for(lock: Path, edit: Future[object]) -> None:
    """Check that an edit is not made before a lock is free, and leaves none behind."""
    with pytest.raises(StillWaiting):
        edit.result(timeout=0.3)
    lock.rmdir()
    edit.result(timeout=30)
    assert list(lock.parent.iterdir()) == []


@pytest.mark.parametrize("in_transaction", [False, True])
def test_an_edit_waits_for_the_lock_of_the_program(
    project: Project, pool: ThreadPoolExecutor, in_transaction: bool
) -> None:
    make("backlog", project.root)
    lock = project.root / "backlog" / ".locks" / "task-task-1"
    lock.mkdir(parents=True)
    ws = chant_mcp.open(project.root)

    def edit() -> None:
        if not in_transaction:
            plan_item(ws, "backlog:TASK-1").tick(1)
            return
        with ws.transaction():
            plan_item(ws, "backlog:TASK-1").tick(1)
            plan_item(ws, "backlog:TASK-1").tick(2)

    waits_for(lock, pool.submit(edit))
    assert plan_item(ws, "backlog:TASK-1").criteria[0].is_ticked
    plan_item(ws, "backlog:TASK-2").set_status("In Progress")
    assert not (project.root / "backlog" / ".locks" / "task-task-2").exists()


def test_a_new_task_waits_for_the_lock_of_the_program(project: Project, pool: ThreadPoolExecutor) -> None:
    project.git("init", "-q")
    make("backlog", project.root)
    lock = project.root / ".git" / "backlog.md" / "locks" / "create"
    lock.mkdir(parents=True)
    ws = chant_mcp.open(project.root)
    waits_for(lock, pool.submit(lambda: ws.add_item("Third", parent="backlog")))
    assert "backlog:TASK-3" in ws.items


def test_numbers_of_other_branches_are_not_given_again(project: Project) -> None:
    project.git("init", "-q", "-b", "main")
    make("backlog", project.root)
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "First")
    git(project.root, "switch", "-qc", "other")
    tasks = project.root / "backlog" / "tasks"
    first = tasks / "task-1 - Draw-the-form.md"
    text = first.read_text("utf-8").replace("TASK-1", "TASK-41")
    (tasks / "task-41 - Elsewhere.md").write_text(text, encoding="utf-8")
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "Elsewhere")
    git(project.root, "switch", "-q", "main")
    ws = chant_mcp.open(project.root)
    assert ws.add_item("Third", parent="backlog").key == "backlog:TASK-42"
    with ws.transaction():
        ws.add_item("Fourth", parent="backlog")
    assert "backlog:TASK-43" in ws.items
