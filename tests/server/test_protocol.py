"""What both eras of the protocol promise: revisions, discovery, envelopes, the official client."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from typing import Any

import pytest
from chant_mcp.tool_calls import INSTRUCTIONS
from harness import Caller, Project
from mcp import Client, MCPError, StdioServerParameters
from server.pipes import (
    ENVELOPE,
    MODERN,
    Message,
    Pipes,
    Serve,
    call,
    initialize,
    modern,
    notification,
    request,
    text_of,
)

ID = "2026-01-22-001-x7m"

HANDSHAKE = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


@pytest.fixture
def pipes(project: Project, serve: Serve) -> Pipes:
    """A server on a project of one spec."""
    project.spec(ID)
    return serve(project.root)


def plain(message: Message) -> Message:
    """Leave a message in the form of the handshake era."""
    return message


# Revisions


@pytest.mark.requirement("protocol:initialize:advertises_tools")
@pytest.mark.parametrize("revision", HANDSHAKE)
def test_a_handshake_agrees_on_the_clients_revision(pipes: Pipes, revision: str) -> None:
    result = pipes.ask(initialize(1, revision))["result"]
    assert result["protocolVersion"] == revision
    assert "tools" in result["capabilities"]
    pipes.send(notification("notifications/initialized"))
    assert len(pipes.ask(request(2, "tools/list"))["result"]["tools"]) >= 24
    answer = pipes.ask(call(3, "chant_spec_list"))["result"]
    assert answer["structuredContent"] == json.loads(answer["content"][0]["text"])
    assert pipes.finish(request(4, "ping")).answer(4)["result"] == {}


@pytest.mark.parametrize("revision", ["1999-01-01", "2099-12-31", MODERN, "", "latest"])
def test_a_handshake_with_an_unknown_revision_offers_the_newest_one(pipes: Pipes, revision: str) -> None:
    assert pipes.ask(initialize(1, revision))["result"]["protocolVersion"] == "2025-11-25"
    assert "result" in pipes.ask(call(2, "chant_status"))


@pytest.mark.requirement("protocol:results:id_is_echoed")
def test_requests_in_an_envelope_are_answered_in_their_revision(pipes: Pipes) -> None:
    found = pipes.ask(modern(request("first", "server/discover")))["result"]
    assert found["supportedVersions"] == [MODERN]
    assert "tools" in found["capabilities"]
    assert INSTRUCTIONS["chant"] in found["instructions"]
    listed = pipes.ask(modern(request(2, "tools/list")))["result"]
    called = pipes.ask(modern(call(3, "chant_spec_get", id="001")))["result"]
    refused = pipes.ask(modern(call(4, "chant_spec_get")))["result"]
    for result in (found, listed, called, refused):
        assert result["resultType"] == "complete"
        stamp = result["_meta"]["io.modelcontextprotocol/serverInfo"]
        assert (stamp["name"], stamp["version"]) == ("chant", version("chant-mcp"))
    assert listed["cacheScope"] == "private"
    assert called["structuredContent"]["id"] == ID
    assert refused["isError"] is True
    assert pipes.finish().code == 0


@pytest.mark.requirement("protocol:errors:object_has_code_and_message")
def test_an_envelope_of_another_revision_is_told_which_there_are(pipes: Pipes) -> None:
    unknown = {**ENVELOPE, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    error = pipes.ask(request(1, "tools/list", {"_meta": unknown}))["error"]
    assert (error["code"], error["data"]["supported"]) == (-32022, [MODERN])
    assert "result" in pipes.ask(modern(request(2, "tools/list")))


def test_the_eras_do_not_mix_on_one_connection(project: Project, serve: Serve) -> None:
    new = serve(project.root)
    assert "result" in new.ask(modern(request(1, "server/discover")))
    assert new.ask(initialize(2))["error"]["code"] == -32022
    assert "result" in new.ask(modern(call(3, "chant_status")))
    old = serve(project.root)
    assert "result" in old.ask(initialize(1))
    assert old.ask(modern(request(2, "tools/list")))["error"]["code"] == -32600
    assert "result" in old.ask(call(3, "chant_status"))


# The server about itself


@pytest.mark.requirement(
    "protocol:initialize:server_is_named_chant",
    "protocol:initialize:reports_the_package_version",
    "protocol:initialize:advertises_tools",
)
def test_initialize_names_the_server_and_its_version(pipes: Pipes) -> None:
    result = pipes.ask(request(1, "initialize"))["result"]
    assert result["serverInfo"]["name"] == "chant"
    assert result["serverInfo"]["version"] == version("chant-mcp")
    assert isinstance(result["capabilities"]["tools"], dict)
    assert result["instructions"].startswith("Use these tools for the specs (tasks) of this project: ")
    assert INSTRUCTIONS["chant"] in result["instructions"]


@pytest.mark.requirement("protocol:initialize:advertises_tools")
def test_instructions_say_when_they_help_and_are_shorter_than_hosts_cut(project: Project) -> None:
    instructions = project.server(toolsets=["all"]).instructions or ""
    assert instructions.startswith(
        "Use these tools for the specs (tasks), plans, features, tickets of this project: "
    )
    assert len(instructions) < 2048


# Methods


@pytest.mark.requirement(
    "protocol:errors:unknown_method_is_32601", "protocol:errors:object_has_code_and_message"
)
@pytest.mark.parametrize("framed", [plain, modern], ids=["bare", "envelope"])
def test_an_unknown_method_is_named(pipes: Pipes, framed: Any) -> None:
    for id, method in enumerate(
        ["nonsense", "tools/nonsense", "", "Tools/List", "rpc.discover", "x" * 1_000_000]
    ):
        answer = pipes.ask(framed(request(id, method)))
        assert (answer["id"], answer["error"]["code"]) == (id, -32601)
        assert answer["error"]["message"].startswith("Method not found")
    assert "result" in pipes.ask(framed(request("still there", "tools/list")))


@pytest.mark.requirement("protocol:results:id_is_echoed", "protocol:stdio:json_rpc_one_object_per_line")
def test_ids_of_every_kind_come_back_as_they_were(pipes: Pipes) -> None:
    ids: list[int | str] = [0, 1, -1, 2**31, 2**53 + 1, 10**40, "", "1", "é\u2028\n", "x" * 10_000]
    ended = pipes.finish(*(request(id, "ping") for id in ids), *(call(id, "nothing") for id in ids))
    for id in ids:
        kinds = [type(message["id"]) for message in ended.messages if message["id"] == id]
        assert kinds == [type(id)] * 2


@pytest.mark.requirement("protocol:tools:list_advertises_them")
@pytest.mark.parametrize("framed", [plain, modern], ids=["bare", "envelope"])
def test_tools_list_describes_every_tool(pipes: Pipes, framed: Any) -> None:
    tools = pipes.ask(framed(request(1, "tools/list")))["result"]["tools"]
    assert len({tool["name"] for tool in tools}) == len(tools) == 24
    for tool in tools:
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
        assert isinstance(tool["inputSchema"]["properties"], dict)


# Results


@pytest.mark.requirement(
    "protocol:tools:call_runs_one",
    "protocol:results:content_is_a_list_of_text",
    "protocol:results:id_is_echoed",
)
@pytest.mark.parametrize("framed", [plain, modern], ids=["bare", "envelope"])
def test_a_successful_call_answers_with_text(pipes: Pipes, framed: Any, project: Project) -> None:
    answer = pipes.ask(framed(call("a", "chant_spec_update", id=ID, labels=["new"])))
    assert answer["jsonrpc"] == "2.0"
    assert answer["result"]["content"] == [{"type": "text", "text": f"Updated spec: {ID}"}]
    assert not answer["result"].get("isError")
    assert "error" not in answer
    assert "- new" in project.text(ID)


@pytest.mark.requirement("protocol:errors:tool_errors_are_results")
@pytest.mark.parametrize("framed", [plain, modern], ids=["bare", "envelope"])
def test_an_error_of_a_tool_is_a_result(pipes: Pipes, framed: Any) -> None:
    answer = pipes.ask(framed(call(1, "chant_spec_get")))
    assert "error" not in answer
    assert answer["result"]["isError"] is True
    assert answer["result"]["content"] == [{"type": "text", "text": "Missing required parameter: id"}]


@pytest.mark.requirement("protocol:errors:tool_errors_are_results")
def test_the_seeds_error_scenarios(project: Project, serve: Serve, tmp_path_factory: Any) -> None:
    missing = serve(project.root).finish(call(1, "chant_spec_get")).messages
    result = {"content": [{"type": "text", "text": "Missing required parameter: id"}], "isError": True}
    assert missing == [{"jsonrpc": "2.0", "result": result, "id": 1}]
    elsewhere = serve(tmp_path_factory.mktemp("elsewhere")).finish(call(1, "chant_spec_list"))
    first, second = text_of(elsewhere.answer(1)).splitlines()
    assert first == "Chant not initialized. Run `chant init` first."
    assert "elsewhere" in second


# The official client


@pytest.mark.anyio
@pytest.mark.requirement(
    "protocol:tools:list_advertises_them",
    "protocol:tools:call_runs_one",
    "protocol:errors:tool_errors_are_results",
)
@pytest.mark.parametrize("mode", ["legacy", "auto", MODERN])
async def test_the_official_client_works_over_stdio(project: Project, mode: Any) -> None:
    project.spec(ID)
    server = StdioServerParameters(command=sys.executable, args=["-m", "chant_mcp", "mcp"], cwd=project.root)
    async with Client(server, mode=mode) as client:
        if mode != MODERN:
            assert client.server_info is not None
            assert client.server_info.name == "chant"
        assert len((await client.list_tools()).tools) == 24
        found = await client.call_tool("chant_spec_get", {"id": "x7m"})
        assert found.structured_content["id"] == ID
        refused = await client.call_tool("chant_spec_get", {"id": "nothing"})
        assert refused.is_error
        with pytest.raises(MCPError):
            await client.get_prompt("nothing")


@pytest.mark.anyio
@pytest.mark.requirement("protocol:tools:list_advertises_them", "protocol:tools:call_runs_one")
async def test_an_in_memory_client_works_in_both_eras(call: Caller) -> None:
    assert len((await call.client.list_tools()).tools) == 24
    assert await call.text("chant_status", brief=True) == "No specs"


# What cannot be kept is refused


@pytest.mark.parametrize("shape", [plain, modern])
def test_a_token_that_is_true_and_a_resource_that_cannot_be_are_refused(pipes: Pipes, shape: Any) -> None:
    asked = shape(request(1, "tools/list"))
    asked["params"] = {**asked.get("params", {})}
    asked["params"]["_meta"] = {**asked["params"].get("_meta", {}), "progressToken": True}
    error = pipes.ask(asked)["error"]
    assert (error["code"], "progressToken" in error["message"]) == (-32602, True)
    if shape is plain:
        subscription = request(2, "resources/subscribe", {"uri": "nonsense://x"})
    else:
        wanted = {"notifications": {"resourceSubscriptions": ["nonsense://x"]}}
        subscription = shape(request(2, "subscriptions/listen", wanted))
    error = pipes.ask(subscription)["error"]
    assert error["code"] == -32602
    assert error["message"].startswith("Unknown resource: nonsense://x; expected one like chant://spec/{id}")
