"""Tickets that are worked on in a linked worktree: read, listed and changed there."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from harness import Caller, Project, text_of
from mcp_types import TextContent
from tickets.filing import ONE_ERA, Tickets, answer, invalid

pytestmark = [pytest.mark.anyio, ONE_ERA]


@pytest.fixture
def worked_on(tickets: Tickets, project: Project, tmp_path: Path) -> Path:
    """The ticket's file in a worktree on its branch, with other words than in the checkout."""
    for number in (1, 2, 3):
        tickets.ticket(number, "Here")
    project.git("init", "-q", "-b", "main")
    project.git("add", "-A")
    project.git("commit", "-qm", "Begin")
    tree = tmp_path / "elsewhere"
    project.git("worktree", "add", "-q", "-b", "feature/MDT-001", str(tree))
    file = tree / tickets.path("MDT-001-here").relative_to(tickets.root)
    file.write_text(file.read_text().replace("Here", "There").replace("Proposed", "Approved"))
    return file


async def rows(call: Caller) -> dict[str, dict[str, Any]]:
    return {row["code"]: row for row in (await answer(call, "list_crs"))["crs"]}


async def test_a_ticket_is_read_where_it_is_worked_on(call: Caller, worked_on: Path) -> None:
    found = await rows(call)
    assert (found["MDT-001"]["title"], found["MDT-001"]["status"]) == ("There", "Approved")
    assert (found["MDT-001"]["inWorktree"], found["MDT-001"]["filePath"]) == (True, str(worked_on))
    assert found["MDT-002"]["title"] == "Here"
    assert "inWorktree" not in found["MDT-002"]
    for mode in ("attributes", "metadata"):
        shown = await answer(call, "get_cr", key=1, mode=mode)
        assert (shown["title"], shown["inWorktree"], shown["filePath"]) == ("There", True, str(worked_on))
    for name, more in (("get_cr", {}), ("manage_cr_sections", {"operation": "list"})):
        result = await call(name, key=1, **more)
        note = "\n".join(block.text for block in result.content if isinstance(block, TextContent))
        assert "There" in text_of(result)
        assert f"worked on in a worktree (inWorktree: true): {worked_on}" in note
    worked_on.write_text(worked_on.read_text().replace("There", "Later"))
    assert (await rows(call))["MDT-001"]["title"] == "Later"


async def test_a_ticket_is_changed_where_it_is_worked_on(
    call: Caller, tickets: Tickets, worked_on: Path
) -> None:
    before = tickets.text("MDT-001-here")
    changed = await answer(call, "update_cr_attrs", key=1, attributes={"assignee": "ada", "dependsOn": "2"})
    assert (changed["cr"]["inWorktree"], changed["cr"]["filePath"]) == (True, str(worked_on))
    await answer(call, "update_cr_status", key=1, status="In Progress")
    await call("manage_cr_sections", key=1, operation="append", section="# There", content="More words.")
    text = worked_on.read_text()
    assert "assignee: ada\n" in text
    assert "status: In Progress\n" in text
    assert "More words." in text
    assert tickets.text("MDT-001-here") == before
    await answer(call, "update_cr_attrs", key=2, attributes={"assignee": "bob"})
    assert "assignee: bob" in tickets.text("MDT-002-here")
    # What a change may be is decided on all tickets of the project.
    refusal = await invalid(call, "update_cr_attrs", key=2, attributes={"dependsOn": "1"})
    assert "it would close a cycle" in refusal["dependsOn"]
    deleted = await answer(call, "delete_cr", key=1)
    assert not worked_on.exists()
    assert tickets.text("MDT-001-here") == before
    assert "a copy in this checkout stays" in deleted["warnings"][0]
    assert (await rows(call))["MDT-001"]["title"] == "Here"


async def test_what_counts_follows_branches_and_configuration(
    call: Caller, tickets: Tickets, project: Project, worked_on: Path
) -> None:
    async def title(number: int = 1) -> str:
        return (await rows(call))[f"MDT-00{number}"]["title"]

    tree = worked_on.parents[2]
    assert await title() == "There"
    project.git("-C", str(tree), "switch", "-q", "-c", "mdt-2-words")
    assert await title() == "Here"
    project.git("-C", str(tree), "switch", "-q", "feature/MDT-001")
    assert await title() == "There"
    project.git("switch", "-q", "-c", "MDT-001-here")
    assert await title() == "Here"
    project.git("switch", "-q", "main")
    config = tickets.root / ".mdt-config.toml"
    text = config.read_text()
    config.write_text(f"{text}\n[worktree]\nenabled = false\n")
    assert await title() == "Here"
    config.write_text(text)
    assert await title() == "There"
    other = tree.with_name("other")
    project.git("worktree", "add", "-q", "-b", "fix/mdt-1", str(other))
    listed = await answer(call, "list_crs")
    assert listed["crs"][-1]["title"] == "Here"
    assert "several worktrees carry MDT-001" in listed["problems"][0]["message"]


async def test_a_worktree_that_is_gone_or_another_ones_is_named_and_left_alone(
    call: Caller, tickets: Tickets, worked_on: Path
) -> None:
    tree = worked_on.parents[2]

    async def refused() -> str:
        listed = await answer(call, "list_crs")
        assert listed["crs"][-1]["title"] == "Here"
        (problem,) = listed["problems"]
        assert problem["path"] == str(tree)
        return problem["message"]

    assert (await rows(call))["MDT-001"]["title"] == "There"
    own = (tree / ".git").read_text()
    (tree / ".git").write_text(f"gitdir: {tickets.root / '.git'}\n")
    assert "does not belong to it" in await refused()
    (tree / ".git").write_text(own)
    assert (await rows(call))["MDT-001"]["title"] == "There"
    folder = worked_on.parent
    outside = tree.with_name("outside")
    shutil.copytree(folder, outside)
    shutil.rmtree(folder)
    folder.symlink_to(outside)
    assert await refused()
    shutil.rmtree(tree)
    assert "git worktree prune" in await refused()
    await answer(call, "update_cr_attrs", key=1, attributes={"assignee": "ada"})
    assert "assignee: ada" in tickets.text("MDT-001-here")


async def test_a_fence_that_takes_in_headings_is_a_problem(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(1, "Open", body="```text\ncode\n\n## Acceptance Criteria\n\n- [ ] a\n")
    said = "the fence on line 9 is never closed: 1 heading and 1 box in it count as code"
    (problem,) = (await answer(call, "list_crs"))["problems"]
    assert problem["line"] == 9
    assert problem["message"].startswith(said)
    result = await call("manage_cr_sections", key=1, operation="list")
    notes = [block.text for block in result.content if isinstance(block, TextContent)]
    assert "is never closed: 1 heading and 1 box" in notes[-1]


async def test_a_line_that_looks_like_a_criterion_and_is_not_read_is_a_problem(
    call: Caller, tickets: Tickets
) -> None:
    boxes = "- [x] a\n- [] b\n\nwords\n    - [ ] c\n"
    body = f"## 1. Acceptance Criteria\n\n{boxes}\n## 2. Notes\n\n- [] no criterion\n"
    path = tickets.ticket(1, "Open", body=body)
    (problem,) = (await answer(call, "list_crs"))["problems"]
    line = path.read_text("utf-8").splitlines().index("- [] b") + 1
    assert problem["line"] == line
    assert problem["message"].startswith(f"lines {line} and {line + 3} look like criteria and are not read. ")
    tickets.ticket(1, "Open", body=body.replace("[]", "[ ]").replace("    -", "-"))
    assert "problems" not in await answer(call, "list_crs")
