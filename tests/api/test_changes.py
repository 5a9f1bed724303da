"""Waiting for changes."""

from __future__ import annotations

import asyncio

import pytest
from api.projects import FIRST, SECOND
from chant_mcp import Workspace
from harness import Project

pytestmark = pytest.mark.anyio


async def test_changes_name_what_is_new_another_and_gone(ws: Workspace, project: Project) -> None:
    changes = ws.changes()
    project.spec("2026-01-22-003-ccc")
    change = await changes
    assert (change.added, change.changed, change.removed) == (("chant:2026-01-22-003-ccc",), (), ())
    ws.spec("aaa").update(status="in_progress", check="Tests added").finalize()
    found: set[str] = set()
    while f"chant:{SECOND}" not in found:
        found.update((await changes).changed)
    # What waited for it is ready by now, although its file is the same.
    assert f"chant:{FIRST}" in found
    project.path(SECOND).unlink()
    ws.vine("plan").claim("log")
    ws.ticket("DEM-7").update(assignee="ada")
    seen = {"changed": set[str](), "removed": set[str]()}
    async for change in changes:
        seen["changed"].update(change.changed)
        seen["removed"].update(change.removed)
        if {"tickets:DEM-007", "vine:plan.vine#log"} <= seen["changed"] and seen["removed"]:
            break
    assert seen["removed"] == {f"chant:{SECOND}"}


async def test_a_wait_begun_before_a_change_is_woken_by_it(ws: Workspace) -> None:
    waiting = asyncio.ensure_future(anext(ws.changes().__aiter__()))
    await asyncio.sleep(0)
    await asyncio.to_thread(ws.spec("aaa").update, labels=["new"])
    assert (await asyncio.wait_for(waiting, 10)).changed == (f"chant:{FIRST}",)


async def test_a_wait_can_be_given_up(ws: Workspace) -> None:
    assert ws.changes().wait(0.0) is None
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(anext(ws.changes().__aiter__()), 0.05)


@pytest.mark.parametrize("seconds", [float("inf"), 1e19])
async def test_a_wait_without_end_is_woken_too(ws: Workspace, project: Project, seconds: float) -> None:
    changes = ws.changes()
    waiting = asyncio.create_task(asyncio.to_thread(changes.wait, seconds))
    done, _ = await asyncio.wait([waiting], timeout=0.1)
    assert not done
    project.spec("2026-01-22-003-ccc")
    change = await asyncio.wait_for(waiting, 10)
    assert change is not None
    assert change.added == ("chant:2026-01-22-003-ccc",)


@pytest.mark.parametrize("seconds", [-1.0, float("nan")])
async def test_a_wait_of_no_time_gives_up_at_once(ws: Workspace, seconds: float) -> None:
    assert ws.changes().wait(seconds) is None


async def test_a_folder_that_is_new_is_noticed(project: Project) -> None:
    import chant_mcp

    project.specs.rmdir()
    ws = chant_mcp.open(project.root)
    changes = ws.changes()
    project.spec(FIRST)
    change = changes.wait(10)
    assert change is not None
    assert change.added == (f"chant:{FIRST}",)
