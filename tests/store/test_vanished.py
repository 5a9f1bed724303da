"""A folder of documents that was there and is gone is reported; no number or ID comes again (issue 20)."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from api.projects import feature, fill
from chant_mcp import ChantProject
from chant_mcp._core import SpeckitFeatures, TicketProjects, VineFiles
from chant_mcp.api import workspace
from chant_mcp.errors import ChantError, NotInitializedError
from harness import Project
from state_folder import state_folder
from tickets.filing import Tickets
from writing import git


@pytest.fixture
def tickets(tmp_path: Path) -> Tickets:
    """A project of tickets in git that has two, and no counter."""
    tickets = Tickets(tmp_path / "board")
    tickets.defines(name="Board")
    for number in (1, 41):
        tickets.ticket(number)
    git(tickets.root, "init", "-q", "-b", "main")
    git(tickets.root, "add", "-A")
    git(tickets.root, "commit", "-qm", "Begin")
    return tickets


def remove(tickets: Tickets) -> None:
    """Remove the folder of the tickets."""
    shutil.rmtree(tickets.root / tickets.folder)


def problems_of(tickets: Tickets) -> list[str]:
    """Open the project and give what is wrong in it."""
    listed: Any = tickets.handle().list_crs().data
    return [problem["message"] for problem in listed.get("problems", [])]


def numbered(handle: Any) -> str:
    """Create a ticket and give its code."""
    made: Any = handle.create_cr(None, "Bug Fix", {"title": "New"}).data
    return made["cr"]["code"]


def of_git(tickets: Tickets) -> Any:
    """Lose the folder before anything was read."""
    remove(tickets)
    return tickets.handle()


def of_process(tickets: Tickets) -> Any:
    """Lose the folder, and git, after it was read."""
    handle = tickets.handle()
    handle.list_crs()
    shutil.rmtree(tickets.root / ".git")
    remove(tickets)
    return handle


def of_counter(tickets: Tickets) -> Any:
    """Lose the folder, and git, where the counter knows."""
    (tickets.root / ".mdt-next").write_text("42", encoding="ascii")
    shutil.rmtree(tickets.root / ".git")
    remove(tickets)
    return tickets.handle()


@pytest.mark.parametrize("lose", [of_git, of_process, of_counter])
def test_a_ticket_folder_that_vanished_is_no_empty_project(
    tickets: Tickets, lose: Callable[[Tickets], Any]
) -> None:
    handle = lose(tickets)
    listed: Any = handle.list_crs().data
    (problem,) = listed["problems"]
    assert "`docs/CRs`, is gone" in problem["message"]
    made: Any = handle.create_cr(None, "Bug Fix", {"title": "New"}).data
    assert made["cr"]["code"] == "MDT-042"
    assert "is gone" in made["warnings"][0]
    assert "problems" not in handle.list_crs().data, "there is one again"


def test_no_ticket_gets_a_number_that_any_branch_has(tickets: Tickets) -> None:
    git(tickets.root, "checkout", "-qb", "work")
    tickets.ticket(77)
    git(tickets.root, "add", "-A")
    git(tickets.root, "commit", "-qm", "More")
    git(tickets.root, "checkout", "-q", "main")
    assert numbered(tickets.handle()) == "MDT-078"


def test_a_folder_that_git_was_told_to_leave_out_is_not_missed(tickets: Tickets) -> None:
    git(tickets.root, "rm", "-rq", "--cached", tickets.folder)
    remove(tickets)
    assert problems_of(tickets) == []
    git(tickets.root, "reset", "-q", "--hard")
    git(tickets.root, "sparse-checkout", "set", "--no-cone", "/*", f"!/{tickets.folder}/")
    assert not (tickets.root / tickets.folder).exists()
    assert problems_of(tickets) == []


def test_specs_and_features_that_vanished_are_told(project: Project) -> None:
    root = project.root
    chant = ChantProject(root)
    chant.add("One")
    (first,) = (path.stem for path in (root / ".chant" / "specs").iterdir())
    day, sequence = first.rsplit("-", 2)[0], int(first.split("-")[3])
    (root / "specs" / "001-first").mkdir(parents=True)
    (root / "specs" / "001-first" / "tasks.md").write_text("- [ ] T001 Do it\n", encoding="utf-8")
    (root / ".specify").mkdir()
    (root / ".specify" / "note").write_text("", encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Begin")
    shutil.rmtree(root / "specs")
    shutil.rmtree(root / ".chant" / "specs")
    for handle in (chant, ChantProject(root)):
        with pytest.raises(ChantError, match=r"`\.chant/specs`, is gone") as caught:
            handle.spec_list()
        assert not isinstance(caught.value, NotInitializedError)
    problems = str(workspace.open(root, exactly=True).problems)
    assert "`.chant/specs`, is gone" in problems
    assert "`specs`, is gone" in problems
    (root / ".chant" / "specs").mkdir()
    chant.add("Two")
    (second,) = (path.stem for path in (root / ".chant" / "specs").iterdir())
    assert second.startswith(f"{day}-{sequence + 1:03}-")


def test_an_archive_a_day_of_it_and_a_feature_that_vanished_are_reported(project: Project) -> None:
    root = fill(project).root
    archive = root / ".chant" / "archive"
    for day in ("2026-01-20", "2026-01-21"):
        for letter in "ab":
            path = archive / day / f"{day}-001-aa{letter}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("---\nstatus: completed\n---\n\n# Done\n", encoding="utf-8")
    feature(root.parent)
    (root.parent / "specs" / "060-login").rename(root / "specs" / "061-other")
    project.repository()
    chant, ws, files = ChantProject(root), workspace.open(root, exactly=True), VineFiles(root)
    files.read("plan.vine", "summary")
    assert not ws.problems

    def gone() -> list[str]:
        told = [problem["message"] for problem in chant.status().data.get("problems", [])]
        everywhere = {str(problem) for problem in ws.problems}
        assert all(any(one in problem for problem in everywhere) for one in told)
        return sorted(part for one in everywhere for part in re.findall(r"`([^`]+)`, is gone", one))

    # Single documents are removed, and nothing is wrong with that.
    (archive / "2026-01-20" / "2026-01-20-001-aaa.md").unlink()
    (root / "specs" / "060-login" / "plan.md").unlink()
    assert gone() == []
    shutil.rmtree(archive / "2026-01-21")
    shutil.rmtree(root / "specs" / "061-other")
    assert gone() == [".chant/archive/2026-01-21", "specs/061-other"]
    read: Any = SpeckitFeatures(root).context("060-login").data
    assert "`specs/061-other`, is gone" in str(read["warnings"])
    git(root, "rm", "-rq", "--cached", "specs/061-other")
    shutil.rmtree(archive)
    assert gone() == [".chant/archive"]
    shutil.rmtree(root / ".git")
    assert gone() == [".chant/archive"], "this process read it before"
    archive.mkdir()
    assert gone() == []
    (root / "plan.vine").unlink()
    with pytest.raises(ChantError, match="it was there when it was read before"):
        files.read("plan.vine", "summary")


def test_a_change_that_was_set_aside_is_reported_by_all_until_it_is_removed(project: Project) -> None:
    root = fill(project).root
    project.repository()
    ws = workspace.open(root, exactly=True)
    with ws.transaction():
        # Where there was a journal, there is state.
        for spec in ws.specs:
            spec.update(labels=["x"])
    kept = state_folder(root) / "journal" / "kept-1"
    kept.mkdir()
    (kept / "kept.json").write_text('{"schema": 2, "steps": []}', encoding="utf-8")
    reason = {"paths": ["plan.vine"], "why": "this file was edited since"}
    (kept / "reason.json").write_text(json.dumps(reason), encoding="utf-8")

    def told() -> list[bool]:
        answers: list[Any] = [
            VineFiles(root).read("plan.vine", "validate").note,
            VineFiles(root).next("plan.vine").note,
            TicketProjects(root, variables={}).list_crs().data.get("problems"),
            SpeckitFeatures(root).context("060-login").data.get("warnings"),
            ChantProject(root).status().data.get("problems"),
            ChantProject(root).doctor().data["problems"],
            workspace.open(root, exactly=True).problems,
        ]
        return ["this file was edited since" in str(answer) for answer in answers]

    assert told() == [True] * 7
    assert len([one for one in ws.problems if "edited since" in str(one)]) == 1
    shutil.rmtree(kept)
    assert told() == [False] * 7
