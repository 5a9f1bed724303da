"""What a client is offered: four tools, two resources, and where they are listed (reference vine 9)."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from chant_mcp._core import VineFiles
from chant_mcp.resources import text as text_of_package
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Session, find_place
from chant_mcp.tool_calls import Offer
from harness import Caller, Project
from mcp import Client, MCPError
from server.pipes import Message, modern, request
from vine.planning import SMALL, Plans, Serve, claim, task

pytestmark = pytest.mark.anyio

TOOLS = ["vine_read", "vine_next", "vine_write", "vine_expand"]

RESOURCES = [
    ("vine://spec/brief", "vine-spec-brief", "VINE Specification (Brief)", "text/markdown"),
    ("vine://spec/full", "vine-spec-full", "VINE Specification (Full)", "text/markdown"),
]


async def offered(folder: Path, *toolsets: str, read_only: bool = False) -> tuple[list[str], list[str]]:
    """Name the tools and the resources that a server in a folder lists."""
    server = ChantServer(Session(find_place(folder)), Offer(toolsets or ["auto"], read_only))
    tools = [tool.name for tool in await server.list_tools()]
    texts = [resource.uri for resource in await server.list_resources()]
    return tools, [uri for uri in texts if uri.startswith("vine:")]


# Tools


@pytest.mark.requirement("vine:tools:four_take_a_file")
async def test_four_tools_take_a_file_and_say_what_they_change(call: Caller, plans: Plans) -> None:
    plans.write("plan", SMALL)
    tools = (await call.client.list_tools()).tools
    assert [tool.name for tool in tools] == TOOLS
    needed = {tool.name: tool.input_schema["required"] for tool in tools}
    assert needed == {
        "vine_read": ["file", "action"],
        "vine_next": ["file"],
        "vine_write": ["file", "operations"],
        "vine_expand": ["file", "ref_id"],
    }
    for tool in tools:
        assert next(iter(tool.input_schema["properties"])) == "file"
        assert tool.output_schema is None
        assert tool.annotations is not None
        assert bool(tool.annotations.read_only_hint) == (tool.name in ("vine_read", "vine_next"))
        assert tool.annotations.destructive_hint == (tool.name == "vine_write")
    assert "vine://spec/brief" in (tools[0].description or "")


def test_the_schema_of_vine_write_is_flat_and_takes_three_kilobytes(plans: Plans, serve: Serve) -> None:
    plans.write("plan", SMALL)
    tools = serve(plans.root).ask(request(1, "tools/list"))["result"]["tools"]
    write = next(tool for tool in tools if tool["name"] == "vine_write")
    assert len(json.dumps(write, ensure_ascii=False, separators=(",", ":")).encode()) <= 3072
    for word in ("oneOf", "anyOf", "allOf", "$ref", "$defs"):
        assert f'"{word}"' not in json.dumps(write)
    operation = write["inputSchema"]["properties"]["operations"]["items"]
    assert operation["required"] == ["op"]
    told = re.findall(r"[a-z]+_[a-z_]+|create|claim|update", write["description"])
    assert set(operation["properties"]["op"]["enum"]) <= set(told)


async def test_a_read_only_server_reads_plans_and_changes_none(plans: Plans) -> None:
    plans.write("plan", SMALL)
    assert (await offered(plans.root, read_only=True))[0] == ["vine_read", "vine_next"]
    async with Client(plans.server(read_only=True)) as client:
        call = Caller(client, Project(plans.root))
        assert await call.text("vine_read", file="plan", action="validate") == "Valid — 4 task(s)."
        for tool, arguments in (
            ("vine_write", {"file": "plan", "operations": [claim("mid")]}),
            ("vine_write", {"file": "plan", "operations": [claim("mid")], "dry_run": True}),
            ("vine_write", {"file": "new", "operations": [{"op": "create"}, task("r")]}),
            ("vine_expand", {"file": "plan", "ref_id": "ext"}),
        ):
            assert (await call.error(tool, **arguments)).startswith(f"{tool} changes files, and ")
    assert {path.name: path.read_text(encoding="utf-8") for path in plans.root.iterdir()} == {
        "plan.vine": SMALL
    }


# Where they are listed


@pytest.mark.parametrize(
    ("name", "is_found"),
    [
        ("plan", True),
        ("a/plan", True),
        ("a/b/c/plan", True),
        ("a/b/c/d/plan", False),
        ("ignored/plan", False),
        ("a/ignored/plan", False),
        ("draft-1", False),
        ("a/kept-1", True),
        (".hidden/plan", False),
        ("own/plan", False),
    ],
)
async def test_a_plan_is_found_where_it_is_not_ignored(plans: Plans, name: str, is_found: bool) -> None:
    (plans.root / ".chant").mkdir()
    (plans.root / ".gitignore").write_text("ignored/\ndraft-*\n*-1.vine\n!kept-1.vine\n", encoding="utf-8")
    (plans.root / "own").mkdir()
    (plans.root / "own" / ".gitignore").write_text("*\n", encoding="utf-8")
    assert "vine_read" not in (await offered(plans.root))[0]
    plans.write(name, SMALL)
    tools, resources = await offered(plans.root)
    assert [tool for tool in tools if tool.startswith("vine")] == (TOOLS if is_found else [])
    assert resources == ([uri for uri, *_ in RESOURCES] if is_found else [])
    assert tools[0].startswith("chant_"), "chant comes first"
    assert VineFiles.found(plans.root) == ([f"{name}.vine"] if is_found else [])


async def test_the_machines_own_ignore_file_plays_no_part(
    plans: Plans, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is found is a matter of the project, not of who looks."""
    config = tmp_path / "config"
    (config / "git").mkdir(parents=True)
    (config / "git" / "ignore").write_text("*.vine\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(config))
    monkeypatch.delenv("GIT_CONFIG_GLOBAL", raising=False)
    plans.write("plan", SMALL)
    assert VineFiles.found(plans.root) == ["plan.vine"]


async def test_links_are_not_walked_and_folders_are_no_plans(plans: Plans, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "plan.vine").write_text(SMALL, encoding="utf-8")
    (plans.root / "link").symlink_to(tmp_path / "elsewhere")
    (plans.root / "folder.vine").mkdir()
    assert VineFiles.found(plans.root) == []
    tools, resources = await offered(plans.root)
    assert (set(TOOLS) < set(tools), "chant_ready" in tools) == (True, True), (
        "nothing is found: all is listed"
    )
    assert resources == [uri for uri, *_ in RESOURCES]


@pytest.mark.requirement("vine:tools:four_take_a_file")
async def test_a_plan_may_be_made_where_only_chant_is_listed(plans: Plans) -> None:
    (plans.root / ".chant" / "specs").mkdir(parents=True)
    async with Client(plans.server()) as client:
        call = Caller(client, Project(plans.root))
        assert not any(tool.name.startswith("vine") for tool in (await client.list_tools()).tools)
        await call.data("vine_write", file="plan", operations=[{"op": "create"}, task("r")])
        assert "vine_write" in [tool.name for tool in (await client.list_tools()).tools], "it is looked again"


# Resources


@pytest.fixture(params=["legacy", "2026-07-28"])
async def client(request: pytest.FixtureRequest, plans: Plans) -> AsyncIterator[Client]:
    """A client of each era, in a folder with a plan."""
    plans.write("plan", SMALL)
    async with Client(plans.server(), mode=request.param) as client:
        yield client


@pytest.mark.requirement("vine:resources:brief_spec", "vine:resources:full_spec")
async def test_both_texts_are_listed_and_read(client: Client) -> None:
    listed = [text for text in (await client.list_resources()).resources if "/spec/" in text.uri]
    assert [(text.uri, text.name, text.title, text.mime_type) for text in listed] == RESOURCES
    for text, name in zip(listed, ("brief", "full"), strict=True):
        assert text.description
        assert "\n" not in text.description
        [read] = (await client.read_resource(text.uri)).contents
        said: Any = read
        assert (said.uri, said.mime_type, said.text) == (
            text.uri,
            "text/markdown",
            text_of_package(f"vine/{name}.md"),
        )
    with pytest.raises(MCPError):
        await client.read_resource("vine://spec/none")


@pytest.mark.requirement("vine:server:speaks_json_rpc_on_stdio")
@pytest.mark.parametrize("framed", [dict, modern], ids=["bare", "envelope"])
def test_texts_on_the_wire(plans: Plans, serve: Serve, framed: Any) -> None:
    plans.write("plan", SMALL)
    pipes = serve(plans.root)
    read: Message = request(1, "resources/read", {"uri": "vine://spec/brief"})
    [said] = pipes.ask(framed(read))["result"]["contents"]
    assert (said["uri"], said["mimeType"]) == ("vine://spec/brief", "text/markdown")
    assert said["text"].startswith("# VINE in brief\n")
    unknown = pipes.ask(framed(request(2, "resources/read", {"uri": "vine://spec/none"})))
    assert unknown["error"]["code"] in (-32602, -32002)


@pytest.mark.requirement("vine:resources:brief_is_short", "vine:resources:brief_spec")
def test_the_brief_costs_about_three_thousand_tokens() -> None:
    """At 3.3 characters a token, which is few for English with tables."""
    assert len(text_of_package("vine/brief.md")) <= 3.3 * 3020


@pytest.mark.requirement("vine:resources:brief_spec", "vine:resources:full_spec")
async def test_both_texts_name_all_tools_actions_operations_and_parameters(client: Client) -> None:
    tools = (await client.list_tools()).tools
    names = {tool.name for tool in tools}
    for tool in tools:
        names |= set(tool.input_schema["properties"])
    schemas = {tool.name: tool.input_schema["properties"] for tool in tools}
    names |= set(schemas["vine_read"]["action"]["enum"]) | set(schemas["vine_read"]["status"]["enum"])
    operation = schemas["vine_write"]["operations"]["items"]["properties"]
    names |= set(operation) | set(operation["op"]["enum"])
    for name in ("brief", "full"):
        words = set(re.findall(r"\w+", text_of_package(f"vine/{name}.md")))
        assert names <= words, (name, names - words)


@pytest.mark.requirement("vine:resources:brief_spec")
async def test_the_instructions_point_to_the_brief(plans: Plans) -> None:
    plans.write("plan", SMALL)
    async with Client(plans.server(), mode="legacy") as client:
        assert "vine://spec/brief" in (client.instructions or "")
