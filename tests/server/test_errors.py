"""Crashes, refusals and missing projects: what the client gets, and what the log keeps."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.errors import (
    AmbiguousIdError,
    ChantError,
    ConfigError,
    ConflictError,
    GitError,
    IllegalTransitionError,
    InvalidArgumentError,
    InvalidDocumentError,
    NotFoundError,
    NotInitializedError,
    RefusedError,
    StorageError,
)
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session, find_place
from chant_mcp.tool_calls import Offer
from harness import Caller, Project, text_of
from mcp import Client
from server.pipes import Pipes, Serve, modern, request, server_of
from server.pipes import call as tool_call
from server.pipes import text_of as text_on_wire
from server.test_tools import IN_ORDER, MUTATING
from writing import tree

pytestmark = pytest.mark.anyio

ID = "2026-01-22-001-x7m"

NOT_INITIALISED = "Chant not initialized. Run `chant init` first."


def looked_in(*folders: Path) -> str:
    """Say where a project was looked for."""
    return f"Looked for .chant/specs in: {', '.join(map(str, folders))}"


class Broken:
    """A handle whose every method raises."""

    def __init__(self, error: BaseException) -> None:
        """Raise this."""
        self._error = error

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Give a method that raises."""

        def fail(*args: object, **kwargs: object) -> None:
            raise self._error

        return fail


class Fragile:
    """A server in this process whose handle can be put out of order."""

    def __init__(self, project: Project, client: Client, session: Session) -> None:
        """Keep the parts."""
        self.project = project
        self.client = client
        self._session = session

    def fail(self, error: BaseException | None) -> None:
        """Let every call raise an error, or work again."""
        self._session.__dict__.pop("_chant", None)
        if error is not None:
            self._session.__dict__["_chant"] = Broken(error)

    async def ask(self, tool: str, **arguments: Any) -> tuple[bool, str]:
        """Call a tool: whether it is an error, and its text."""
        result = await self.client.call_tool(tool, arguments)
        return result.is_error, text_of(result)


@pytest.fixture(params=["legacy", "2026-07-28"])
async def fragile(request: pytest.FixtureRequest, project: Project) -> Any:
    """A client on a server whose handle can be put out of order."""
    session = Session(Place(project.root, (project.root,)))
    # Opened first: the thread that waits for changes would open it while a test puts it out of order.
    assert session.workspace_as_it_is is not None
    async with Client(ChantServer(session, Offer(["all"])), mode=request.param) as client:
        yield Fragile(project, client, session)


# Crashes


@pytest.mark.requirement("server:call:crash_gives_a_reference_number")
@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("hidden words"),
        ValueError("hidden words"),
        KeyError("hidden words"),
        OSError("hidden words"),
        RecursionError("hidden words"),
        MemoryError("hidden words"),
        StopIteration("hidden words"),
        AssertionError("hidden words"),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_a_crash_is_told_with_a_reference_that_the_log_explains(
    fragile: Fragile, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    fragile.fail(error)
    with caplog.at_level(logging.ERROR):
        is_error, told = await fragile.ask("chant_spec_get", id=ID)
    assert is_error
    found = re.fullmatch(r"Internal error in chant_spec_get, reference (E\d{4,})", told)
    assert found is not None, told
    records = [record for record in caplog.records if found[1] in record.getMessage()]
    assert len(records) == 1
    assert "chant_spec_get" in records[0].getMessage()
    formatted = logging.Formatter().format(records[0])
    assert "Traceback" in formatted
    assert "hidden words" in formatted
    assert "in fail" in formatted  # the place


@pytest.mark.requirement(
    "server:call:crash_gives_a_reference_number", "protocol:errors:tool_errors_are_results"
)
async def test_the_server_goes_on_after_a_crash(fragile: Fragile) -> None:
    fragile.fail(RuntimeError("hidden words"))
    references: set[str] = set()
    for tool in IN_ORDER:
        is_error, told = await fragile.ask(tool, **_required(tool))
        assert is_error
        assert "hidden words" not in told
        references.add(told.split()[-1])
    assert len(references) == len(IN_ORDER)  # each crash has a number of its own
    fragile.fail(None)
    assert await fragile.ask("chant_status", brief=True) == (False, "No specs")


CRASHING = """
def crash(session):
    "Crash."
    raise ZeroDivisionError("hidden words")

def leave(session):
    "Try to end the process."
    raise SystemExit("hidden words")

TOOLS = [crash, leave]
"""


@pytest.mark.requirement("server:call:crash_gives_a_reference_number")
@pytest.mark.parametrize("framed", [dict, modern], ids=["bare", "envelope"])
def test_the_trace_of_a_crash_is_on_standard_error(project: Project, serve: Serve, framed: Any) -> None:
    pipes: Pipes = serve(project.root, server_of(project.root, CRASHING))
    first = text_on_wire(pipes.ask(framed(tool_call(1, "crash"))))
    second = text_on_wire(pipes.ask(framed(tool_call(2, "crash"))))
    assert "result" in pipes.ask(framed(tool_call(3, "chant_status")))
    ended = pipes.finish()
    for told in (first, second):
        found = re.fullmatch(r"Internal error in crash, reference (E\d+)", told)
        assert found is not None, told
        assert ended.errors.count(f"reference {found[1]}") == 1
    assert first != second
    assert "Traceback" in ended.errors
    assert "ZeroDivisionError: hidden words" in ended.errors


@pytest.mark.requirement("server:call:crash_gives_a_reference_number")
def test_a_tool_cannot_end_the_process(project: Project, serve: Serve) -> None:
    pipes: Pipes = serve(project.root, server_of(project.root, CRASHING))
    assert "Internal error in leave, reference E" in text_on_wire(pipes.ask(tool_call(1, "leave")))
    assert "result" in pipes.ask(tool_call(2, "chant_status"))
    assert pipes.finish().code == 0


# Refusals of the core


@pytest.mark.requirement("protocol:errors:tool_errors_are_results")
@pytest.mark.parametrize(
    "kind",
    [
        AmbiguousIdError,
        ConfigError,
        ConflictError,
        GitError,
        IllegalTransitionError,
        InvalidArgumentError,
        InvalidDocumentError,
        NotFoundError,
        NotInitializedError,
        RefusedError,
        StorageError,
        ChantError,
    ],
)
async def test_a_refusal_of_the_core_is_told_in_its_own_words(
    fragile: Fragile, kind: type[ChantError], caplog: pytest.LogCaptureFixture
) -> None:
    fragile.fail(kind("One sentence: é.\nAnd a hint.", '{"id": "x"}'))
    with caplog.at_level(logging.WARNING):
        assert await fragile.ask("chant_spec_get", id=ID) == (True, "One sentence: é.\nAnd a hint.")
    assert not caplog.records


async def test_refused_arguments_are_not_logged_as_trouble(
    fragile: Fragile, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert (await fragile.ask("chant_spec_get"))[0]
        assert (await fragile.ask("chant_spec_get", id=5))[0]
        assert (await fragile.ask("nonsense"))[0]
    assert not caplog.records


# Not initialised


def _required(tool: str) -> dict[str, str]:
    """Give what a tool requires."""
    if tool == "chant_search":
        return {"query": "x"}
    if tool == "chant_add":
        return {"description": "x"}
    without = ("chant_spec_list", "chant_ready", "chant_status", "chant_lint", "chant_work_list")
    takes_id = tool not in without and not tool.startswith("chant_watch_")
    return {"id": ID} if takes_id else {}


@pytest.mark.requirement(
    "server:not_initialised:text_is_that_of_the_seed", "server:not_initialised:every_chant_tool_says_so"
)
@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
async def test_every_tool_says_so_where_there_is_no_project(tmp_path: Path, mode: Any) -> None:
    deep = tmp_path / "some" / "where"
    deep.mkdir(parents=True)
    server = ChantServer(Session(find_place(deep)), Offer(["auto"]))
    before = tree(tmp_path)
    async with Client(server, mode=mode) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed[: len(IN_ORDER)] == IN_ORDER
        for tool in IN_ORDER:
            result = await client.call_tool(tool, _required(tool))
            assert result.is_error, tool
            assert text_of(result).splitlines() == [NOT_INITIALISED, looked_in(deep, *deep.parents)]
    assert tree(tmp_path) == before
    assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".chant")]


@pytest.mark.requirement(
    "server:not_initialised:text_is_that_of_the_seed", "server:not_initialised:every_chant_tool_says_so"
)
@pytest.mark.parametrize("kind", ["no specs", "specs is a dangling link"])
async def test_a_chant_folder_without_specs_is_not_initialised(tmp_path: Path, kind: str) -> None:
    folder = tmp_path / ".chant"
    folder.mkdir()
    if kind == "specs is a dangling link":
        (folder / "specs").symlink_to("nowhere")
    server = ChantServer(Session(find_place(tmp_path)), Offer(["auto"]))
    before = tree(tmp_path)
    async with Client(server, mode="2026-07-28") as client:
        for tool in IN_ORDER:
            result = await client.call_tool(tool, _required(tool))
            assert result.is_error, tool
            assert text_of(result).splitlines()[0] == NOT_INITIALISED
            assert str(tmp_path) in text_of(result).splitlines()[1]
    assert tree(tmp_path) == before


@pytest.mark.requirement("server:not_initialised:text_is_that_of_the_seed")
async def test_a_project_made_while_the_server_runs_is_served(tmp_path: Path) -> None:
    server = ChantServer(Session(find_place(tmp_path)), Offer(["auto"]))
    async with Client(server, mode="2026-07-28") as client:
        assert (await client.call_tool("chant_status", {})).is_error
        project = Project(tmp_path)
        project.spec(ID)
        assert text_of(await client.call_tool("chant_status", {"brief": True})) == "1 pending"
        added = text_of(await client.call_tool("chant_add", {"description": "More"}))
        assert added.startswith("Created spec: ")
        assert text_of(await client.call_tool("chant_status", {"brief": True})) == "2 pending"


def test_a_process_names_the_folders_it_searched(tmp_path: Path, serve: Serve) -> None:
    deep = tmp_path / "some" / "where"
    deep.mkdir(parents=True)
    pipes: Pipes = serve(deep)
    told = text_on_wire(pipes.ask(tool_call(1, "chant_spec_list"))).splitlines()
    assert told == [NOT_INITIALISED, looked_in(deep, *deep.parents)]
    listed = pipes.ask(request(2, "tools/list"))["result"]["tools"]
    assert len([tool for tool in listed if tool["name"].startswith("chant")]) == len(IN_ORDER)


async def test_a_folder_that_was_given_is_the_only_one_searched(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    server = ChantServer(Session(find_place(tmp_path, tmp_path / "given")), Offer(["auto"]))
    async with Client(server, mode="2026-07-28") as client:
        told = text_of(await client.call_tool("chant_status", {})).splitlines()
    assert told == [NOT_INITIALISED, looked_in(tmp_path / "given")]


@pytest.mark.requirement("server:not_initialised:every_chant_tool_says_so")
async def test_missing_arguments_are_told_before_a_missing_project(tmp_path: Path) -> None:
    server = ChantServer(Session(find_place(tmp_path)), Offer(["auto"]))
    async with Client(server, mode="2026-07-28") as client:
        assert text_of(await client.call_tool("chant_spec_get", {})) == "Missing required parameter: id"


@pytest.mark.requirement("protocol:errors:tool_errors_are_results")
async def test_an_error_leaves_no_structure_behind(call: Caller) -> None:
    for tool in MUTATING:
        result = await call(tool, **_required(tool), nonsense=1)
        assert result.is_error
        assert result.structured_content is None
