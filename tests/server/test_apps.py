"""The board as an MCP App: seen by hosts that show Apps, and by no other client (issue 23)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness import Project
from mcp import Client
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp_types import TextResourceContents
from server.pipes import ID

pytestmark = pytest.mark.anyio

SHOWS_APPS = [advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})]

LINKED = {"chant_status", "chant_ready", "chant_spec_get", "chant_work_list", "vine_read", "get_cr"}


async def seen(client: Client) -> dict[str, Any]:
    """Give all that a host sees of a server, as JSON would carry it."""
    tools = (await client.list_tools()).tools
    resources = (await client.list_resources()).resources
    return {
        "tools": {
            tool.name: tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools
        },
        "resources": [str(resource.uri) for resource in resources],
        "capabilities": client.server_capabilities.model_dump(mode="json", exclude_none=True),
    }


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_only_a_host_with_apps_sees_the_board(project: Project, mode: str) -> None:
    project.spec(ID, body="# One")
    async with Client(project.server(toolsets=["all"]), mode=mode) as client:
        plain = await seen(client)
        refused = await client.call_tool("board_look", {})
    async with Client(project.server(toolsets=["all"]), mode=mode, extensions=SHOWS_APPS) as client:
        shown = await seen(client)
        look = await client.call_tool("board_look", {})
        page = (await client.read_resource("ui://chant/board")).contents[0]
    assert EXTENSION_ID not in json.dumps(plain["capabilities"])
    assert ("extensions" in plain["capabilities"]) == (mode != "legacy")
    assert refused.is_error
    assert "ui://chant/board" not in plain["resources"]
    assert not any("_meta" in tool for tool in plain["tools"].values())

    # The handshake's revisions have no place for a server's extensions; hosts go by the links there.
    assert (EXTENSION_ID in shown["capabilities"].get("extensions", {})) == (mode != "legacy")
    assert "ui://chant/board" in shown["resources"]
    own = {name for name in shown["tools"] if name.startswith("board_")}
    assert set(shown["tools"]) - own == set(plain["tools"])
    for name, tool in shown["tools"].items():
        linked = tool.pop("_meta", None)
        if name in own:
            assert linked["ui"] == {"resourceUri": "ui://chant/board", "visibility": ["app"]}
            assert tool["annotations"]["readOnlyHint"]
        else:
            assert (linked is not None) == (name in LINKED)
            assert tool == plain["tools"][name]
    assert not look.is_error
    assert look.structured_content is not None
    assert len(look.structured_content["columns"]) == 5
    assert page.mime_type == APP_MIME_TYPE
    assert isinstance(page, TextResourceContents)
    assert "require-trusted-types-for" in page.text


async def test_the_page_gets_reasons_for_refusals(project: Project) -> None:
    async with Client(project.server(), extensions=SHOWS_APPS) as client:
        for name, arguments in [
            ("board_item", {}),
            ("board_item", {"key": "chant:none"}),
            ("board_rows", {"meaning": "soon"}),
            ("board_look", {"colour": "red"}),
        ]:
            refused = await client.call_tool(name, arguments)
            assert refused.is_error, name
            assert refused.content, name
