"""The toolset `items` beside the others: which tools are listed where, and how long the list is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.toolsets import toolsets
from harness import Caller, Project
from mcp import Client
from plans.projects import make

pytestmark = pytest.mark.anyio

FIVE = [entry.name for entry in toolsets()["items"]]


async def names(project: Project, **offer: Any) -> list[str]:
    """List the names of the tools of a server."""
    return [tool.name for tool in await project.server(**offer).list_tools()]


async def test_the_five_stand_where_such_a_format_is_or_they_are_named(
    project: Project, tmp_path: Path
) -> None:
    alone = tmp_path / "alone"
    alone.mkdir()
    assert len(await names(Project(alone))) == 42
    make("kiro", alone)
    assert await names(Project(alone)) == FIVE
    assert len(await names(project)) == 24
    make("openspec", project.root)
    assert len(await names(project)) == 29
    assert len(await names(project, toolsets=["all"])) == 42
    assert len(await names(project, toolsets=["all", "items"])) == 47
    assert await names(project, toolsets=["items"]) == FIVE


async def test_the_five_take_at_most_3200_bytes(project: Project) -> None:
    tools = await project.server(toolsets=["items"]).list_tools()
    entries = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]
    sizes = {entry["name"]: len(json.dumps(entry, separators=(",", ":")).encode()) for entry in entries}
    assert sum(sizes.values()) <= 3_200, sizes


async def test_items_with_tools_of_their_own_are_read_and_the_refusal_names_the_tool(
    project: Project,
) -> None:
    make("openspec", project.root)
    project.spec("2026-01-22-001-x7m", body="# First\n\n## Acceptance Criteria\n\n- [ ] It works")
    async with Client(project.server()) as client:
        call = Caller(client, project)
        listed = await call.data("item_list")
        assert {row["key"].partition(":")[0] for row in listed["items"]} == {"chant", "openspec"}
        got = await call.data("item_get", id="chant:2026-01-22-001-x7m")
        assert [row["text"] for row in got["criteria_list"]] == ["It works"]
        refused = await call.error("item_update", id="chant:2026-01-22-001-x7m", tick=["1"])
        assert "chant_spec_update" in refused


async def test_the_order_of_the_next_item_encloses_its_texts_with_their_places(project: Project) -> None:
    make("kiro", project.root)
    async with Client(project.server(toolsets=["items"])) as client:
        call = Caller(client, project)
        first = (await call.data("item_next", parent="kiro:user-auth#1"))["first"]
        assert first["key"] == "kiro:user-auth#1.1"
        order = first["order"]
        assert ".kiro/specs/user-auth/tasks.md:4-5" in order
        assert "WHEN the password is right" in order
        assert order.splitlines()[-1].startswith("Documents: ")
