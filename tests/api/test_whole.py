"""Answers that the core gives in pages are whole in scripts; lists and names behave as Python's do."""

from __future__ import annotations

import asyncio

import chant_mcp
import pytest
from api.projects import FIRST
from chant_mcp import Workspace
from chant_mcp.api import Handle
from chant_mcp.errors import InvalidArgumentError
from harness import Project

MANY = 700


def test_a_long_document_is_read_whole(ws: Workspace) -> None:
    text = "".join(f"Line {number} of the plan.\n" for number in range(6_000))
    (ws.root / "specs/060-login/plan.md").write_text(text, encoding="utf-8")
    assert ws.feature("060-login").read("plan") == text


def test_lint_and_next_leave_nothing_out(ws: Workspace, project: Project) -> None:
    for number in range(MANY):
        project.spec(f"2026-03-01-{number:03}-abc", body="# Something\n\nIn words.")
    found = ws.lint()
    assert len(found["scores"]) == found["specs_checked"] == MANY + 2
    assert "next_offset" not in found
    assert [row["id"] for row in ws.spec(FIRST).lint()["scores"]] == [FIRST]
    tasks = "".join(f"---\n[t{number}] Do {number} (notstarted)\n{'word ' * 20}\n" for number in range(MANY))
    arrows = "".join(f"-> t{number}\n" for number in range(MANY))
    plan = f"vine 1.2.0\n---\n[all] All of it (notstarted)\n{arrows}{tasks}"
    (ws.root / "wide.vine").write_text(plan, encoding="utf-8")
    free = ws.vine("wide").next()
    assert {task["id"] for task in free["ready_to_start"]} == {f"t{number}" for number in range(MANY)}
    assert "ready_to_start_total" not in free


@pytest.mark.anyio
async def test_a_wait_that_is_given_up_loses_no_change(ws: Workspace) -> None:
    changes = ws.changes()
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(changes.__anext__(), 0.05)
    made = await asyncio.to_thread(ws.add, "Something new")
    assert (await asyncio.wait_for(changes.__anext__(), 10)).added == (made.key,)


def test_a_wait_may_be_given_up_in_one_loop_and_go_on_in_another(ws: Workspace) -> None:
    changes = ws.changes()

    async def wait(seconds: float) -> tuple[str, ...]:
        return (await asyncio.wait_for(changes.__anext__(), seconds)).added

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(wait(0.05))
    made = ws.add("Something new")
    assert asyncio.run(wait(10)) == (made.key,)


@pytest.mark.anyio
async def test_a_task_that_outlives_a_transaction_works_on(ws: Workspace) -> None:
    ended = asyncio.Event()

    async def later() -> str:
        await ended.wait()
        return ws.spec(FIRST).update(labels=["late"]).labels[0]

    with ws.transaction():
        task = asyncio.ensure_future(later())
        await asyncio.sleep(0)
    ended.set()
    assert await task == "late"


def test_a_name_that_means_several_is_in_it(ws: Workspace) -> None:
    (ws.root / "broken.vine").write_text("vine 1.2.0\n---\n[", encoding="utf-8")
    assert "2026-01-22" in ws
    assert "vine:broken.vine" in ws
    assert "chant:nothing" not in ws


def test_a_phase_is_an_item_and_no_task(ws: Workspace) -> None:
    tasks = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Begin\n\n## Phase 2: Core\n\n- [ ] T002 Go on\n"
    (ws.root / "specs/060-login/tasks.md").write_text(tasks, encoding="utf-8")
    (waited,) = ws.task("speckit:060-login#T002").waits_for
    phase = ws[waited]
    assert isinstance(phase, Handle)
    assert (type(phase), phase.title, phase.is_done) == (
        chant_mcp.api.Handle,
        "Phase 1: Setup",
        False,
    )


def test_a_path_has_one_name_and_none_outside_of_the_root(ws: Workspace) -> None:
    (ws.root / "sub").mkdir()
    assert ws.vine("sub/../plan.vine") == ws.vine("./plan") == ws.vine(ws.root / "plan.vine")
    for name in ("../plan.vine", str(ws.root.parent / "plan.vine"), "sub/../../plan"):
        with pytest.raises(InvalidArgumentError, match="outside of the workspace"):
            ws.vine(name)
        with pytest.raises(InvalidArgumentError, match="outside of the workspace"):
            ws.add_vine(name, [{"op": "add_task", "id": "a", "name": "A"}])
    assert not list(ws.root.parent.glob("*.vine"))


def test_an_edit_of_a_task_says_what_was_answered(ws: Workspace) -> None:
    task = ws.vine("plan").claim("log", owner="ada")
    assert task.response
    assert task.rename("diary").response
    assert ws.vine("plan").task("diary").claim(force=True).response
    assert ws.vine("plan").task("diary").set("complete").response


def test_what_is_no_value_is_refused_in_the_words_of_the_tool(ws: Workspace) -> None:
    assert ws.add_ticket("New", priority=None).priority
    with pytest.raises(InvalidArgumentError, match="priority"):
        ws.add_ticket("New", priority=7)
