"""A folder of documents that was there and is gone is reported; no number or ID comes again (issue 20)."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chant_mcp import ChantProject
from chant_mcp.api import workspace
from chant_mcp.errors import ChantError, NotInitializedError
from harness import Project
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
@pytest.mark.requirement("store:vanished:is_reported", "store:vanished:no_number_comes_again")
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


@pytest.mark.requirement("store:vanished:no_number_comes_again")
def test_no_ticket_gets_a_number_that_any_branch_has(tickets: Tickets) -> None:
    git(tickets.root, "checkout", "-qb", "work")
    tickets.ticket(77)
    git(tickets.root, "add", "-A")
    git(tickets.root, "commit", "-qm", "More")
    git(tickets.root, "checkout", "-q", "main")
    assert numbered(tickets.handle()) == "MDT-078"


@pytest.mark.requirement("store:vanished:is_reported")
def test_a_folder_that_git_was_told_to_leave_out_is_not_missed(tickets: Tickets) -> None:
    git(tickets.root, "rm", "-rq", "--cached", tickets.folder)
    remove(tickets)
    assert problems_of(tickets) == []
    git(tickets.root, "reset", "-q", "--hard")
    git(tickets.root, "sparse-checkout", "set", "--no-cone", "/*", f"!/{tickets.folder}/")
    assert not (tickets.root / tickets.folder).exists()
    assert problems_of(tickets) == []


@pytest.mark.requirement("store:vanished:is_reported", "store:vanished:no_number_comes_again")
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
