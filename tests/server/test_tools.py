"""What every tool says of itself: names, order, hints, schemas, size, and which tools are listed."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session, dialects_in
from chant_mcp.tool_calls import Offer
from chant_mcp.toolsets import Hints, ToolEntry, toolsets
from harness import Caller, Project, text_of
from mcp_types import Tool
from server.pipes import Pipes, Serve, modern, request
from writing import tree

pytestmark = pytest.mark.anyio

SEED: list[dict[str, Any]] = json.loads(Path(__file__).with_name("seed_tools.json").read_text("utf-8"))
"""The tools as the seed lists them; `chant_work_list` as the reference quotes it, `chant_resume` as it
describes it."""

READING = [
    "chant_spec_list",
    "chant_spec_get",
    "chant_ready",
    "chant_status",
    "chant_log",
    "chant_search",
    "chant_diagnose",
    "chant_lint",
    "chant_verify",
]

MUTATING = [
    "chant_spec_update",
    "chant_add",
    "chant_finalize",
    "chant_reset",
    "chant_resume",
    "chant_cancel",
    "chant_archive",
]

RUNNING = [
    "chant_work_start",
    "chant_work_list",
    "chant_pause",
    "chant_takeover",
    "chant_watch_status",
    "chant_watch_start",
    "chant_watch_stop",
    "chant_split",
]

IN_ORDER = [*READING, *MUTATING, *RUNNING]

CHANGING = [
    name for name in IN_ORDER if name not in READING and not name.endswith(("_work_list", "_watch_status"))
]

ID = "2026-01-22-001-x7m"


def entry(tool: Tool) -> dict[str, Any]:
    """Give a tool as `tools/list` sends it."""
    return tool.model_dump(mode="json", by_alias=True, exclude_none=True)


@pytest.fixture
async def listed(project: Project) -> list[dict[str, Any]]:
    """All entries of the list."""
    return [entry(tool) for tool in await project.server().list_tools()]


# Names and order


@pytest.mark.requirement("server:tools:chant_tools", "server:tools:listed_in_seed_order")
async def test_the_tools_stand_in_the_order_of_the_seed(listed: list[dict[str, Any]]) -> None:
    assert [tool["name"] for tool in listed] == IN_ORDER
    assert [tool["name"] for tool in SEED] == IN_ORDER


@pytest.mark.requirement("server:tools:all_twenty_four_chant_tools")
async def test_nine_of_the_twenty_four_tools_read(listed: list[dict[str, Any]]) -> None:
    assert len({tool["name"] for tool in listed}) == 24
    reading = {tool["name"] for tool in listed if tool["annotations"].get("readOnlyHint")}
    assert len(READING) == 9
    assert reading == {*READING, "chant_work_list", "chant_watch_status"}, (
        "the seed counts these two as processes"
    )


@pytest.mark.requirement("server:tools:listed_in_seed_order", "server:tools:chant_tools")
async def test_the_list_is_the_same_in_both_eras_and_each_time(call: Caller) -> None:
    first = (await call.client.list_tools()).tools
    assert [tool.name for tool in first] == IN_ORDER
    assert (await call.client.list_tools()).tools == first


@pytest.mark.requirement("server:tools:listed_in_seed_order")
async def test_names_are_such_that_no_host_cuts_them(listed: list[dict[str, Any]]) -> None:
    for tool in listed:
        assert re.fullmatch(r"[a-z0-9_]{1,40}", tool["name"])


# Hints


async def test_hints_that_may_be_left_out_are_there_where_they_say_yes(listed: list[dict[str, Any]]) -> None:
    for tool in listed:
        hints = tool["annotations"]
        assert hints.keys() >= {"destructiveHint", "openWorldHint"}, tool["name"]
        assert hints.get("readOnlyHint", True) is True
        assert hints.get("idempotentHint", True) is True
        assert len({"readOnlyHint", "idempotentHint"} & hints.keys()) <= 1, tool["name"]


@pytest.mark.requirement(
    "server:annotations:query_tools_are_read_only", "server:annotations:mutating_tools_are_not_read_only"
)
async def test_query_tools_are_read_only_and_the_others_are_not(listed: list[dict[str, Any]]) -> None:
    for tool in listed:
        hints = tool["annotations"]
        reads = "readOnlyHint" in hints
        assert reads is (tool["name"] not in CHANGING), tool["name"]
        assert not (reads and hints["destructiveHint"])
        # these start agents, or have them started, which may do anything
        starts = ("chant_work_start", "chant_split", "chant_watch_start")
        assert hints["openWorldHint"] is (tool["name"] in starts)


async def test_what_takes_away_is_destructive_and_what_adds_is_not(listed: list[dict[str, Any]]) -> None:
    destructive = {tool["name"] for tool in listed if tool["annotations"]["destructiveHint"]}
    assert destructive >= {"chant_cancel", "chant_archive", "chant_reset", "chant_resume"}
    assert not destructive & {"chant_add", "chant_finalize"}
    added = next(tool for tool in listed if tool["name"] == "chant_add")
    assert "idempotentHint" not in added["annotations"]
    paused = next(tool for tool in listed if tool["name"] == "chant_pause")
    assert paused["annotations"]["idempotentHint"] is True


@pytest.mark.requirement("server:annotations:query_tools_are_read_only")
async def test_read_only_tools_leave_every_byte_as_it_is(call: Caller) -> None:
    project = call.project
    project.spec(ID, status="in_progress", body="# One\n\n## Acceptance Criteria\n\n- [ ] Done")
    project.spec("2026-01-22-002-bad", body="# Two", depends_on=["nothing"])
    project.write("broken", "---\nstatus: [\n---\n")
    project.log(ID, "a\nb\n")
    before = tree(project.root)
    for tool in (await call.client.list_tools()).tools:
        if tool.annotations is not None and tool.annotations.read_only_hint:
            for id in (ID, "nothing", "broken"):
                given = {"id": id} if "id" in tool.input_schema["properties"] else {}
                words = {"query": "one"} if "query" in tool.input_schema["properties"] else {}
                await call(tool.name, **given, **words)
    assert tree(project.root) == before


# Schemas


async def test_input_schemas_are_flat_objects_of_plain_types(listed: list[dict[str, Any]]) -> None:
    for tool in listed:
        schema = tool["inputSchema"]
        jsonschema.Draft202012Validator.check_schema(schema)
        assert set(schema) <= {"type", "properties", "required"}
        assert schema["type"] == "object"
        for name, node in schema["properties"].items():
            assert set(node) <= {"type", "description", "items"}, (tool["name"], name)
            assert node["type"] in ("string", "integer", "boolean", "array")
            assert node.get("items", {"type": "string"}) == {"type": "string"}
            assert ("items" in node) is (node["type"] == "array")
        text = json.dumps(schema)
        for word in ("anyOf", "oneOf", "allOf", "$ref", "$defs", "title", "default", "null"):
            assert f'"{word}"' not in text, tool["name"]
        assert set(schema.get("required", [])) <= set(schema["properties"])


@pytest.mark.requirement("server:schemas:properties_are_those_of_the_seed")
async def test_properties_of_the_seed_are_there_with_their_types(listed: list[dict[str, Any]]) -> None:
    for tool, seed in zip(listed, SEED, strict=True):
        schema, promised = tool["inputSchema"], seed["inputSchema"]
        assert schema.get("required") == promised.get("required"), tool["name"]
        names = list(promised["properties"])
        assert [name for name in schema["properties"] if name in names] == names, tool["name"]
        for name, node in promised["properties"].items():
            assert schema["properties"][name]["type"] == node["type"], (tool["name"], name)
            assert schema["properties"][name].get("items") == node.get("items"), (tool["name"], name)


@pytest.mark.requirement("server:schemas:properties_are_those_of_the_seed")
async def test_parameters_beyond_the_seed_are_the_documented_ones(listed: list[dict[str, Any]]) -> None:
    further = {
        tool["name"]: sorted(set(tool["inputSchema"]["properties"]) - set(seed["inputSchema"]["properties"]))
        for tool, seed in zip(listed, SEED, strict=True)
    }
    assert further == {
        **{name: [] for name in IN_ORDER},
        "chant_spec_list": ["max_tokens", "offset"],
        "chant_spec_get": ["max_chars", "max_tokens", "offset"],
        "chant_ready": ["max_tokens", "offset"],
        "chant_status": ["since"],
        "chant_log": ["max_tokens"],
        "chant_search": ["limit", "max_tokens", "offset"],
        "chant_lint": ["limit", "offset"],
        "chant_spec_update": ["check", "force", "replace_body", "uncheck"],
        "chant_add": ["criteria", "depends_on", "labels", "parent", "target_files", "type"],
        "chant_finalize": ["force"],
        "chant_work_start": ["on"],
        "chant_work_list": ["offset"],
    }


@pytest.mark.requirement("server:schemas:wording_is_that_of_the_seed")
async def test_descriptions_begin_as_in_the_seed(listed: list[dict[str, Any]]) -> None:
    for tool, seed in zip(listed, SEED, strict=True):
        if "description" in seed:
            assert tool["description"].partition("\n\n")[0] == seed["description"]
        for name, node in seed["inputSchema"]["properties"].items():
            if "description" in node:
                told = tool["inputSchema"]["properties"][name]["description"]
                assert told == node["description"], (tool["name"], name)
    resume = next(tool for tool in listed if tool["name"] == "chant_resume")
    assert "deprecated" in resume["description"].lower()
    assert "chant_reset" in resume["description"]


@pytest.mark.requirement("server:schemas:wording_is_that_of_the_seed")
async def test_no_description_is_cut_by_a_host(listed: list[dict[str, Any]]) -> None:
    assert all(0 < len(tool["description"]) < 2048 for tool in listed)


async def test_published_output_schemas_hold_for_every_answer(call: Caller) -> None:
    project = call.project
    for number in range(3):
        project.spec(f"2026-01-22-00{number}-abc", status=["pending", "in_progress", "failed"][number])
    project.log("2026-01-22-001-abc", "a\n")
    project.write("broken", "no front matter")
    published = {tool.name: tool.output_schema for tool in (await call.client.list_tools()).tools}
    assert published["chant_status"] is None  # prose when it is brief
    assert not any(published[name] for name in MUTATING)  # prose
    for tool, schema in published.items():
        for given in ({}, {"id": "001"}, {"id": "000"}, {"query": "Spec"}, {"limit": 0}, {"brief": True}):
            result = await call(tool, **given)
            if schema is not None and not result.is_error:
                jsonschema.validate(result.structured_content, schema)


# Size


async def test_the_entries_of_the_list_take_480_bytes_on_average(project: Project, serve: Serve) -> None:
    for framed in (lambda message: message, modern):
        pipes: Pipes = serve(project.root)
        tools = pipes.ask(framed(request(1, "tools/list")))["result"]["tools"]
        sizes = [len(json.dumps(tool, ensure_ascii=False, separators=(",", ":")).encode()) for tool in tools]
        assert sum(sizes) <= 480 * len(tools)


# Which tools are listed


def server(root: Path, *names: str, read_only: bool = False) -> ChantServer:
    """Make a server with a choice of toolsets."""
    return ChantServer(Session(Place(root, (root,))), Offer(names, read_only))


async def names(server: ChantServer) -> list[str]:
    """Name the tools that a server lists."""
    return [tool.name for tool in await server.list_tools()]


@pytest.fixture
def two_toolsets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a second dialect beside chant, one that is found in folders with a file named `other`."""

    def other_read(session: Session) -> None:
        """Read."""

    def other_write(session: Session) -> None:
        """Write."""

    from chant_mcp import tool_calls

    others = (ToolEntry(other_read, Hints(read_only=True)), ToolEntry(other_write, Hints()))  # type: ignore[arg-type]
    monkeypatch.setattr(tool_calls, "toolsets", lambda: {"chant": toolsets()["chant"], "other": others})

    def found(root: Path) -> tuple[str, ...]:
        return (*dialects_in(root), *(["other"] if (root / "other").exists() else []))

    monkeypatch.setattr(tool_calls, "dialects_in", found)


async def test_auto_lists_the_tools_of_the_dialects_found(
    two_toolsets: None, project: Project, tmp_path: Path
) -> None:
    assert await names(server(project.root, "auto")) == IN_ORDER
    (tmp_path / "other").touch()
    assert await names(server(tmp_path, "auto")) == ["other_read", "other_write"]
    (project.root / "other").touch()
    assert await names(server(project.root, "auto")) == [*IN_ORDER, "other_read", "other_write"]


async def test_auto_looks_again_at_each_listing(two_toolsets: None, tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    one = server(tmp_path, "auto")
    assert await names(one) == ["other_read", "other_write"]
    (tmp_path / ".chant" / "specs").mkdir(parents=True)
    assert await names(one) == [*IN_ORDER, "other_read", "other_write"]


async def test_auto_lists_everything_where_nothing_is_found(two_toolsets: None, tmp_path: Path) -> None:
    assert await names(server(tmp_path, "auto")) == [*IN_ORDER, "other_read", "other_write"]


async def test_toolsets_can_be_named(two_toolsets: None, project: Project) -> None:
    assert await names(server(project.root, "chant")) == IN_ORDER
    assert await names(server(project.root, "other")) == ["other_read", "other_write"]
    everything = [*IN_ORDER, "other_read", "other_write"]
    for choice in (["all"], ["chant", "other"], ["other", "chant"], ["other", "auto"], ["all", "chant"]):
        assert await names(server(project.root, *choice)) == everything


async def test_a_tool_outside_the_list_works_by_name(two_toolsets: None, project: Project) -> None:
    one = server(project.root, "other")
    assert "chant_status" not in await names(one)
    result = await one.call_tool("chant_status", {"brief": True})
    assert text_of(result) == "No specs"  # type: ignore[arg-type]


# Read-only


@pytest.mark.parametrize("choice", [["auto"], ["all"], ["chant"], ["chant", "other"]])
async def test_a_read_only_server_lists_no_tool_that_changes_something(
    two_toolsets: None, project: Project, choice: list[str]
) -> None:
    found = await names(server(project.root, *choice, read_only=True))
    assert [name for name in found if name.startswith("chant")] == [
        *READING,
        "chant_work_list",
        "chant_watch_status",
    ]
    assert "other_write" not in found


async def test_a_read_only_server_changes_nothing(project: Project) -> None:
    project.spec(ID, status="failed", body="# One")
    before = tree(project.root)
    from mcp import Client

    async with Client(project.server(read_only=True), mode="2026-07-28") as client:
        for name in MUTATING:
            for arguments in ({"id": ID, "force": True, "output": "x"}, {"description": "x"}, {}):
                result = await client.call_tool(name, arguments)
                assert result.is_error
                assert (
                    text_of(result) == f"{name} changes files, and this server was started with --read-only"
                )
        for name in [*READING, "chant_work_list"]:
            result = await client.call_tool(name, {"id": ID})
            assert "--read-only" not in text_of(result)
    assert tree(project.root) == before
