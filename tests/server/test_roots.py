"""The client's roots: they say which project is meant where the working directory does not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from chant_mcp.server import roots
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Session, find_place
from chant_mcp.tool_calls import Offer
from harness import Project, text_of
from mcp import Client
from mcp_types import ErrorData, ListRootsResult, Root
from pydantic import FileUrl
from server.pipes import AT_ONCE, Serve, call, initialize, notification
from server.pipes import text_of as text_on_wire

pytestmark = pytest.mark.anyio

ID = "2026-01-22-001-x7m"

NOT_INITIALISED = "Chant not initialized. Run `chant init` first."

Tell = Any  # what the client calls to tell its roots


@pytest.fixture
def nowhere(tmp_path: Path) -> Path:
    """A folder that belongs to no project."""
    folder = tmp_path / "nowhere"
    folder.mkdir()
    return folder


def made(root: Path) -> Project:
    """Write a project with one spec."""
    project = Project(root)
    project.spec(ID, body=f"# In {root.name}")
    return project


class Host:
    """A client that works in some folders."""

    def __init__(self, *folders: Path) -> None:
        """Work in these."""
        self.folders = list(folders)
        self.asked = 0

    async def tell(self, _: Any) -> ListRootsResult:
        """Tell the folders."""
        self.asked += 1
        return ListRootsResult(roots=[Root(uri=FileUrl(folder.as_uri())) for folder in self.folders])


@asynccontextmanager
async def served(working_directory: Path, mode: Any, tell: Tell) -> AsyncIterator[Client]:
    """Serve a client that tells its roots."""
    server = ChantServer(Session(find_place(working_directory)), Offer(["auto"]))
    async with Client(server, mode=mode, list_roots_callback=tell) as client:
        yield client


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    """An era of the protocol."""
    return request.param


async def test_the_project_is_found_in_the_roots(nowhere: Path, tmp_path: Path, mode: str) -> None:
    made(tmp_path / "first é")
    made(tmp_path / "second")
    below = tmp_path / "first é" / "src"
    below.mkdir()
    host = Host(nowhere, tmp_path / "gone", below, tmp_path / "second")
    async with served(nowhere, mode, host.tell) as client:
        for _ in range(2):
            assert "In first é" in text_of(await client.call_tool("chant_spec_get", {"id": ID}))
        added = text_of(await client.call_tool("chant_add", {"description": "More"}))
    assert added.startswith("Created spec: ")
    assert len(list((tmp_path / "first é" / ".chant" / "specs").iterdir())) == 2
    assert len(list((tmp_path / "second" / ".chant" / "specs").iterdir())) == 1
    assert host.asked == 1
    assert list(nowhere.iterdir()) == []


async def test_roots_do_not_matter_where_the_working_directory_says_something(
    tmp_path: Path, mode: str
) -> None:
    made(tmp_path / "here")
    made(tmp_path / "there")
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    host = Host(tmp_path / "there")
    async with served(tmp_path / "here", mode, host.tell) as client:
        assert "In here" in text_of(await client.call_tool("chant_spec_get", {"id": ID}))
    async with served(checkout, mode, host.tell) as client:
        assert text_of(await client.call_tool("chant_status", {})).startswith(NOT_INITIALISED)
    assert host.asked == 0


async def test_a_project_made_later_is_found(nowhere: Path, tmp_path: Path, mode: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    async with served(nowhere, mode, Host(root).tell) as client:
        refused = await client.call_tool("chant_status", {"brief": True})
        first, second = text_of(refused).splitlines()
        assert first == NOT_INITIALISED
        assert second.startswith(f"Looked for .chant/specs in: {root}, {nowhere}, {tmp_path}, ")
        made(root)
        assert text_of(await client.call_tool("chant_status", {"brief": True})) == "1 pending"


async def test_a_project_made_in_the_working_directory_wins(nowhere: Path, tmp_path: Path, mode: str) -> None:
    host = Host(tmp_path / "gone")
    async with served(nowhere, mode, host.tell) as client:
        assert (await client.call_tool("chant_status", {})).is_error
        made(nowhere)
        made(tmp_path / "gone")
        assert "In nowhere" in text_of(await client.call_tool("chant_spec_get", {"id": ID}))


async def test_bad_calls_are_refused_without_asking(nowhere: Path, mode: str) -> None:
    host = Host()
    async with served(nowhere, mode, host.tell) as client:
        assert text_of(await client.call_tool("chant_spec_get", {})) == "Missing required parameter: id"
        assert text_of(await client.call_tool("nonsense", {})).startswith("Unknown tool: nonsense")
        await client.list_tools()
    assert host.asked == 0


async def test_a_client_that_tells_no_roots_is_told_as_before(nowhere: Path) -> None:
    async def refuse(_: Any) -> ErrorData:
        return ErrorData(code=-32603, message="none of your business")

    async with served(nowhere, "legacy", refuse) as client:
        assert text_of(await client.call_tool("chant_status", {})).startswith(NOT_INITIALISED)


async def test_a_client_that_does_not_answer_is_not_waited_for(
    nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roots, "_TIMEOUT", 0.05)

    async def silence(_: Any) -> ListRootsResult:
        await anyio.sleep_forever()
        raise AssertionError

    with anyio.fail_after(AT_ONCE):
        async with served(nowhere, "legacy", silence) as client:
            assert text_of(await client.call_tool("chant_status", {})).startswith(NOT_INITIALISED)


def test_a_process_asks_over_its_pipes(nowhere: Path, tmp_path: Path, serve: Serve) -> None:
    made(tmp_path / "root")
    pipes = serve(nowhere)
    opening = initialize(1)
    opening["params"]["capabilities"] = {"roots": {}}
    pipes.ask(opening)
    pipes.send(notification("notifications/initialized"), call(2, "chant_spec_get", id=ID))
    question = pipes.receive()
    assert question["method"] == "roots/list"
    found = {"roots": [{"uri": (tmp_path / "root").as_uri()}]}
    pipes.send({"jsonrpc": "2.0", "id": question["id"], "result": found})
    assert "In root" in text_on_wire(pipes.answer(2))
    ended = pipes.finish(call(3, "chant_status"))
    assert (ended.ids, ended.code, ended.errors) == ([3], 0, "")


def test_a_malformed_answer_counts_as_none(nowhere: Path, serve: Serve) -> None:
    pipes = serve(nowhere)
    opening = initialize(1)
    opening["params"]["capabilities"] = {"roots": {}}
    pipes.ask(opening)
    pipes.send(call(2, "chant_status"))
    pipes.send({"jsonrpc": "2.0", "id": pipes.receive()["id"], "result": {"roots": [{"uri": 5}]}})
    assert text_on_wire(pipes.answer(2)).startswith(NOT_INITIALISED)
