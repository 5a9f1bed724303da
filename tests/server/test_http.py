"""MCP over HTTP as clients of the SDK meet it: both transports, both eras (issue 8, HTTP)."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from harness import Project, text_of
from mcp import MCPDeprecationWarning
from mcp_types import ElicitRequestParams, ElicitResult, ListRootsResult, Root
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import FileUrl
from server.over_http import Listen, Listening, client_of, enveloped, modern_headers, serving, started
from server.pipes import ID, MODERN, PATIENCE, Gate, call, request
from server.pipes import text_of as text_in

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings(f"ignore::{MCPDeprecationWarning.__module__}.MCPDeprecationWarning"),
]

KINDS = ["streamable", "modern", "sse"]

TOOLS = """
class Answer(BaseModel):
    name: str

@server.tool()
async def ask(ctx: Context) -> str:
    "Ask the user."
    answer = await ctx.elicit("Who are you?", Answer)
    return f"{answer.action}: {answer.data.name}"

@server.tool()
async def count(of: str, ctx: Context) -> str:
    "Tell how far it is."
    for step in range(3):
        await ctx.report_progress(step, 3, of)
    return of

@server.tool()
async def wait(ctx: Context) -> str:
    "Wait until cancelled, or for the gate."
    print("waiting", file=sys.stderr, flush=True)
    try:
        while not Path("open").exists():
            await anyio.sleep(0.02)
    except BaseException:
        print("cancelled", file=sys.stderr, flush=True)
        raise
    return "waited"
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """A server with tools that ask, count and wait."""
    server = started(tmp_path_factory.mktemp("plain"), command=serving(TOOLS))
    yield server
    server.discard()


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """Our server on a project of one spec."""
    project = Project(tmp_path_factory.mktemp("ours"))
    project.spec(ID, body="# One\n\n## Acceptance Criteria\n\n- [ ] Done")
    server = started(project.root, "--no-auth", "--toolsets", "all")
    yield server
    server.discard()


@pytest.mark.requirement("http:transports:all_tools_on_all_of_them", "speckit:discovery:http_endpoint")
@pytest.mark.parametrize(("kind", "path"), [*((kind, "") for kind in KINDS), ("sse", "/sse")])
async def test_every_transport_has_all_tools(ours: Listening, kind: str, path: str) -> None:
    async with client_of(ours.url + path, kind) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert {"chant_spec_get", "vine_write", "rstn_report_status", "create_cr"} <= set(names)
        assert len(names) == 42
        spec = await client.call_tool("chant_spec_get", {"id": "x7m"})
        assert spec.structured_content is not None
        assert spec.structured_content["id"] == ID
        assert json.loads(text_of(spec)) == spec.structured_content


@pytest.mark.parametrize("kind", KINDS)
async def test_bad_arguments_are_results_in_the_words_of_the_seed(ours: Listening, kind: str) -> None:
    async with client_of(ours.url, kind) as client:
        missing = await client.call_tool("chant_spec_get", {})
        assert missing.is_error
        assert text_of(missing) == "Missing required parameter: id"
        ill = await client.call_tool("chant_ready", {"limit": "5"})
        assert text_of(ill) == "Invalid parameter 'limit': expected integer, got string"
        unknown = await client.call_tool("chant_redy", {})
        assert text_of(unknown) == "Unknown tool: chant_redy\nDid you mean chant_ready?"


@pytest.mark.parametrize("revision", HANDSHAKE_PROTOCOL_VERSIONS)
async def test_every_revision_with_a_handshake_is_spoken(ours: Listening, revision: str) -> None:
    session = ours.begin(revision)
    answer = ours.answer(call(1, "chant_status", brief=True), **session)
    assert text_in(answer) == "1 pending"
    assert ours.ask("DELETE", "/mcp", None, **session)[0] == 200
    assert ours.ask("POST", "/mcp", call(2, "chant_status"), **session)[0] == 404


async def test_the_revision_without_a_handshake_is_spoken(ours: Listening) -> None:
    message = enveloped(call(1, "chant_status", brief=True))
    answer = ours.answer(message, **modern_headers(message))
    assert text_in(answer) == "1 pending"
    discover = enveloped(request(2, "server/discover"))
    assert MODERN in ours.answer(discover, **modern_headers(discover))["result"]["supportedVersions"]


async def test_who_lost_the_connection_gets_what_was_missed(ours: Listening) -> None:
    session, other = ours.begin(), ours.begin()
    _, _, body = ours.ask("POST", "/mcp", call(7, "chant_status", brief=True), **session)
    first = body.split(b"\n")[0].removeprefix(b"id: ").strip().decode()
    # Requests of another client have the same names; its events are its own.
    ours.answer(call(7, "chant_spec_get", id="x7m"), **other)
    with ours.connection() as connection:
        headers = {name.replace("_", "-"): value for name, value in session.items()}
        headers |= {"accept": "text/event-stream", "last-event-id": first}
        connection.request("GET", "/mcp", headers=headers)
        stream = connection.getresponse()
        missed: list[bytes] = []
        # Behind what was missed comes an empty event: from here on it goes on.
        while (line := stream.readline().strip()) != b"data:":
            missed += [line.removeprefix(b"data: ")] if line.startswith(b"data: ") else []
        stream.close()
    assert [text_in(json.loads(event)) for event in missed] == ["1 pending"]


@pytest.mark.parametrize("kind", ["streamable", "sse"])
async def test_a_tool_can_ask_the_user(plain: Listening, kind: str) -> None:
    async def answer(name: str) -> str:
        async def told(context: Any, params: ElicitRequestParams) -> ElicitResult:
            assert params.message == "Who are you?"
            return ElicitResult(action="accept", content={"name": name})

        async with client_of(plain.url, kind, elicitation_callback=told) as client:
            return text_of(await client.call_tool("ask", {}))

    answers: list[str] = []
    async with anyio.create_task_group() as tasks:
        for name in ("Ada", "Grace", "Edsger"):

            async def one(name: str = name) -> None:
                answers.append(await answer(name))

            tasks.start_soon(one)
    assert sorted(answers) == ["accept: Ada", "accept: Edsger", "accept: Grace"]


@pytest.mark.parametrize("kind", KINDS)
async def test_progress_reaches_the_client_that_called(plain: Listening, kind: str) -> None:
    heard: dict[str, list[tuple[float, str | None]]] = {"one": [], "two": []}

    async def count(of: str) -> None:
        async def told(progress: float, total: float | None, message: str | None) -> None:
            heard[of].append((progress, message))

        async with client_of(plain.url, kind) as client:
            result = await client.call_tool("count", {"of": of}, progress_callback=told)
            assert text_of(result) == of

    async with anyio.create_task_group() as tasks:
        for of in heard:
            tasks.start_soon(count, of)
    assert heard == {of: [(step, of) for step in range(3)] for of in heard}


async def test_closing_the_connection_cancels_a_call_without_a_session(
    listen: Listen, tmp_path: Path
) -> None:
    server = listen(tmp_path, command=serving(TOOLS))
    message = enveloped(call(1, "wait"))
    with server.connection() as connection:
        headers = {name.replace("_", "-"): value for name, value in modern_headers(message).items()}
        headers |= {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        connection.request("POST", "/mcp", json.dumps(message), headers)
        server.line("waiting")
    server.line("cancelled")
    assert "Traceback" not in server.errors


async def test_a_call_of_a_session_goes_on_without_its_connection(listen: Listen, tmp_path: Path) -> None:
    server = listen(tmp_path, command=serving(TOOLS))
    session = server.begin()
    headers = {name.replace("_", "-"): value for name, value in session.items()}
    with server.connection() as connection:
        sent = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        connection.request("POST", "/mcp", json.dumps(call(1, "wait")), headers | sent)
        answer = connection.getresponse()
        first = answer.readline().removeprefix(b"id: ").strip().decode()
        server.line("waiting")
        answer.close()
    (tmp_path / "open").touch()
    with server.connection() as connection:
        again = {"accept": "text/event-stream", "last-event-id": first}
        connection.request("GET", "/mcp", headers=headers | again)
        stream = connection.getresponse()
        while not (line := stream.readline()).startswith(b"data: {"):
            assert line
        assert text_in(json.loads(line.removeprefix(b"data: "))) == "waited"
        stream.close()
    assert "cancelled" not in server.errors


async def test_a_slow_call_holds_nobody_up(listen: Listen, tmp_path: Path) -> None:
    server = listen(tmp_path, command=serving(TOOLS))
    slow = threading.Thread(target=lambda: server.answer(call(1, "wait"), **server.begin()))
    slow.start()
    server.line("waiting")

    async def quick(number: int) -> None:
        async with client_of(server.url, KINDS[number % 3]) as client:
            assert text_of(await client.call_tool("count", {"of": str(number)})) == str(number)

    async with anyio.create_task_group() as tasks:
        for number in range(12):
            tasks.start_soon(quick, number)
    assert slow.is_alive()
    (tmp_path / "open").touch()
    slow.join(PATIENCE)
    assert not slow.is_alive()


@pytest.mark.parametrize("kind", KINDS)
async def test_clients_in_other_folders_mean_other_projects(
    listen: Listen, tmp_path: Path, kind: str
) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    server = listen(nowhere, "--no-auth")
    found: dict[str, list[str]] = {}

    async def look(name: str) -> None:
        project = Project(tmp_path / name)
        project.spec(f"2026-01-22-001-{name}")

        async def roots(context: Any) -> ListRootsResult:
            return ListRootsResult(roots=[Root(uri=FileUrl(project.root.as_uri()))])

        async with client_of(server.url, kind, list_roots_callback=roots) as client:
            for _ in range(2):
                listed = await client.call_tool("chant_spec_list", {})
                assert listed.structured_content is not None, text_of(listed)
                ids = [spec["id"] for spec in listed.structured_content["specs"]]
                found.setdefault(name, []).extend(ids)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(look, "abc")
        tasks.start_soon(look, "xyz")
    assert found == {name: [f"2026-01-22-001-{name}"] * 2 for name in ("abc", "xyz")}


async def test_a_client_with_no_stream_of_its_own_is_asked_for_its_folders(
    listen: Listen, tmp_path: Path
) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.mkdir()
    project = Project(tmp_path / "there")
    project.spec(ID)
    server = listen(nowhere, "--no-auth")
    session = server.begin("2025-11-25", {"roots": {}})
    folders = {"roots": [{"uri": project.root.as_uri()}]}
    answer = server.talked(call(1, "chant_status", brief=True), lambda _: folders, **session)
    assert text_in(answer) == "1 pending"


PLAN = """vine 1.1.0
title: Plan
---
[a] One (notstarted)
"""


@pytest.mark.parametrize("kind", ["streamable", "modern"])
async def test_absolute_names_of_graphs_stay_inside_the_roots(
    listen: Listen, tmp_path: Path, kind: str
) -> None:
    project, theirs, outside = (tmp_path / name for name in ("project", "theirs", "outside"))
    for folder in (project, theirs, outside):
        folder.mkdir()
        (folder / "plan.vine").write_text(PLAN, encoding="utf-8")
    (project / ".chant").mkdir()
    server = listen(project, "--no-auth", "--toolsets", "all")

    async def roots(context: Any) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl(theirs.as_uri()))])

    async with client_of(server.url, kind, list_roots_callback=roots) as client:
        for folder in (project, theirs):
            result = await client.call_tool("vine_next", {"file": str(folder / "plan.vine")})
            assert not result.is_error, text_of(result)
        result = await client.call_tool("vine_next", {"file": str(outside / "plan.vine")})
        assert result.is_error, text_of(result)
    async with client_of(server.url, kind) as client:  # those were the folders of the other one
        result = await client.call_tool("vine_next", {"file": str(theirs / "plan.vine")})
        assert result.is_error, text_of(result)


async def test_options_are_those_of_stdio(listen: Listen, project: Project, tmp_path: Path) -> None:
    project.spec(ID)
    words = ("--no-auth", "--read-only", "--toolsets", "chant", "--project", str(project.root))
    server = listen(tmp_path, *words)
    async with client_of(server.url, "streamable") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert "chant_spec_get" in names
        assert "vine_next" not in names
        assert "chant_spec_update" not in names
        refused = await client.call_tool("chant_spec_update", {"id": ID, "status": "completed"})
        assert "--read-only" in text_of(refused)
        spec = await client.call_tool("chant_spec_get", {"id": "x7m"})
        assert not spec.is_error


async def test_two_servers_on_one_project_lose_no_change(listen: Listen, project: Project) -> None:
    project.spec(ID, status="in_progress", body="# Work")
    servers = [listen(project.root, "--no-auth") for _ in range(2)]
    assert servers[0].port != servers[1].port

    async def write(server: Listening, kind: str, number: int) -> None:
        async with client_of(server.url, kind) as client:
            result = await client.call_tool("chant_spec_update", {"id": ID, "output": f"<{number}>"})
            assert not result.is_error, text_of(result)

    async with anyio.create_task_group() as tasks:
        for number in range(12):
            tasks.start_soon(write, servers[number % 2], KINDS[number % 3], number)
    text = project.text(ID)
    assert [number for number in range(12) if f"<{number}>" not in text] == []
    async with client_of(servers[0].url, "modern") as client:
        spec = await client.call_tool("chant_spec_get", {"id": ID})
        assert all(f"<{number}>" in text_of(spec) for number in range(12))


async def test_calls_in_flight_are_answered_at_the_end(listen: Listen, tmp_path: Path) -> None:
    server = listen(tmp_path, command=serving(TOOLS))
    answers: list[str] = []
    slow = threading.Thread(
        target=lambda: answers.append(text_in(server.answer(call(1, "wait"), **server.begin())))
    )
    slow.start()
    server.line("waiting")
    async with client_of(server.url, "sse"):  # a stream that would never end by itself
        server.process.terminate()
        server.line("told to end")
        await anyio.sleep(0.5)  # longer than the server waits where it waits for nothing
        (tmp_path / "open").touch()
        slow.join(PATIENCE)
        assert await anyio.to_thread.run_sync(server.ended) == 0
    assert answers == ["waited"]
    assert "Traceback" not in server.errors
    assert "ERROR" not in server.errors


async def test_a_call_that_does_not_end_does_not_hold_the_end_up(
    listen: Listen, project: Project, tmp_path: Path
) -> None:
    project.spec(ID)
    gate = Gate(tmp_path)
    program = f"""
from pathlib import Path
from chant_mcp.cli import main
from chant_mcp.toolsets import Hints, ToolEntry, chant
def hang(session):
    "Never end."
    Path({str(tmp_path / "gate")!r}).read_bytes()
chant.TOOLS = (*chant.TOOLS, ToolEntry(hang, Hints(read_only=True)))
main()
"""
    server = listen(
        project.root, command=[sys.executable, "-c", program, "serve", "--http", "127.0.0.1:0", "--no-auth"]
    )
    session = server.begin()
    with server.connection() as connection:
        headers = {name.replace("_", "-"): value for name, value in session.items()}
        headers |= {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        connection.request("POST", "/mcp", json.dumps(call(1, "hang")), headers)
        gate.await_call()
        assert await anyio.to_thread.run_sync(server.stop) == 0
    gate.open()
    assert "Traceback" not in server.errors
