"""The small server of a run answers as the one on the protocol's library does."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from chant_mcp.run_rights import RunRights
from chant_mcp.run_server import PlainConnection
from chant_mcp.server.app import ChantServer
from chant_mcp.server.wire import PipeIn, PipeOut
from chant_mcp.session import Session, find_place
from chant_mcp.tool_calls import Offer, OfferedTools
from harness import Project, started_process
from server.pipes import AT_ONCE, promises_in

SPEC = "2026-01-01-001-abc"
PLAN = "vine 1.2.0\ntitle: Release\n---\n[log] Write it (notstarted)\nWords.\n"


def initialize(revision: str = "2025-06-18", **changed: Any) -> dict[str, Any]:
    """Give the message that opens a connection."""
    client = {"name": "an agent", "version": "1"}
    given = {"protocolVersion": revision, "capabilities": {}, "clientInfo": client, **changed}
    return {"id": 0, "method": "initialize", "params": given}


def call(name: Any, arguments: Any = None, **more: Any) -> dict[str, Any]:
    """Give a call of a tool."""
    given = {} if arguments is None else {"arguments": arguments}
    return {"method": "tools/call", "params": {"name": name, **given, **more}}


INITIALIZED = {"method": "notifications/initialized"}

PLAIN: list[dict[str, Any]] = [
    {"method": "ping"},
    {"method": "tools/list"},
    {"method": "tools/list", "params": {"_meta": {"progressToken": 1}}},
    call("chant_status"),
    call("chant_status", {"brief": True}, _meta={"progressToken": 3}),
    call("chant_spec_get", {"id": "001"}),
    call("chant_spec_get", {"id": "999"}),
    call("chant_spec_get", {"id": "\ud800"}),
    call("chant_spec_get", {}),
    call("chant_spec_get", [1]),
    call("chant_status", {"brief": "yes", "more": None, "else": 1}),
    call("chant_stats"),
    call(3),
    call("vine_next", {"file": "plan"}),
    call("vine_read", {"file": "other", "action": "list"}),
    call("get_cr", {"key": "ABC-1"}),
    call("get_cr", {"key": []}),
    call("rstn_get_context", {}),
    call("chant_verify", {"id": "001"}),
]
"""What agents usually send, and usual mistakes."""

OTHERS: list[dict[str, Any]] = [
    {"method": "resources/list"},
    {"method": "resources/read", "params": {"uri": "vine://spec/brief"}},
    {"method": "prompts/get", "params": {"name": "x"}},
    {"method": "no/such"},
    {"method": "tools/list", "params": {"cursor": "x"}},
    {"method": "ping", "params": []},
    call("rstn_report_status", {"status": "no such"}),
]
"""What the library is asked for."""

Answers = Callable[[list[dict[str, Any]]], tuple[dict[Any, Any], bool]]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project with a spec and a plan."""
    project = Project(tmp_path / "project")
    project.spec(SPEC, criteria=["Works"])
    (project.root / "plan.vine").write_text(PLAN, encoding="utf-8")
    return project


def lines_of(messages: list[dict[str, Any]]) -> bytes:
    """Write messages as lines; requests without an ID are numbered."""
    whole: list[dict[str, Any]] = []
    for at, message in enumerate(messages, 100):
        id = {} if message["method"].startswith("notifications/") else {"id": at}
        whole.append({"jsonrpc": "2.0", **id, **message})
    return "".join(json.dumps(message) + "\n" for message in whole).encode()


def answers(messages: list[dict[str, Any]], serve: Callable[[int, int], object]) -> dict[Any, Any]:
    """Send messages through pipes and give the answers by their IDs."""
    (read, send), (receive, write) = os.pipe(), os.pipe()
    heard: list[bytes] = []

    def hear() -> None:
        with os.fdopen(receive, "rb") as out:
            heard.append(out.read())

    def speak() -> None:
        with os.fdopen(send, "wb") as into:
            into.write(lines_of(messages))

    threads = [threading.Thread(target=one) for one in (hear, speak)]
    for thread in threads:
        thread.start()
    try:
        serve(read, write)
    finally:
        os.close(write)
        for thread in threads:
            thread.join()
    found = [json.loads(line) for line in heard[0].splitlines()]
    assert len({json.dumps(one.get("id")) for one in found}) == len(found), "each has one answer"
    return {json.dumps(one.get("id")): one for one in found}


@pytest.fixture
def both(project: Project, monkeypatch: pytest.MonkeyPatch) -> Answers:
    """Give the answers of the library's server after checking that they are the small server's, too."""
    import chant_mcp.server.connections as library

    def ask(messages: list[dict[str, Any]]) -> tuple[dict[Any, Any], bool]:
        session, offer = Session(find_place(project.root, project.root)), Offer(["all"])
        rights = RunRights(session, SPEC, project.root)
        taken: list[bool] = []
        take_over = library.take_over
        with monkeypatch.context() as patch:
            patch.setattr(library, "take_over", lambda *given: (taken.append(True), take_over(*given)))
            offered = OfferedTools(rights.project, offer, rights)
            small = answers(messages, lambda read, write: PlainConnection(offered, read, write).serve())

        def serve(read: int, write: int) -> None:
            async def served() -> None:
                lines = os.fdopen(read, "rb", closefd=False)
                server = ChantServer(rights.project, offer, rights=rights)
                await server.serve_pipes(PipeIn(lines), PipeOut(write))

            anyio.run(served)

        assert small == answers(messages, serve)
        return small, bool(taken)

    return ask


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25"])
def test_what_agents_usually_send_is_answered_alike(both: Answers, revision: str) -> None:
    found, taken = both([initialize(revision), INITIALIZED, *PLAIN])
    assert len(found) == 1 + len(PLAIN)
    assert not taken
    assert found["0"]["result"]["protocolVersion"] == revision
    assert promises_in(found["0"]["result"]["capabilities"]) == []


def test_anything_else_is_answered_by_the_library_and_so_is_what_follows(both: Answers) -> None:
    for other in OTHERS:
        found, taken = both([initialize(), INITIALIZED, PLAIN[3], other, PLAIN[5]])
        assert taken, other
        assert "0" in found, other
    for opening in (initialize("2024-11-05"), initialize("9"), initialize(clientInfo=None), PLAIN[3]):
        assert both([opening, PLAIN[5]])[1], opening


@pytest.fixture
def connected(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A process of `connect`, and where the server of its run, played by the test, writes."""
    os.mkfifo(tmp_path / "requests")
    requests = os.open(tmp_path / "requests", os.O_RDWR)
    process = started_process([sys.executable, "-m", "chant_mcp", "connect", str(tmp_path)], tmp_path)
    name = b""
    while not name.endswith(b"\n"):
        name += os.read(requests, 1)
    read, write = (
        os.open(tmp_path / f"{name.decode().strip()}.{end}", how | os.O_NONBLOCK)
        for end, how in (("in", os.O_RDONLY), ("out", os.O_WRONLY))
    )
    os.write(write, b"+\n")
    yield process, write
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    for fd in (requests, read, write):
        os.close(fd)


@pytest.mark.parametrize("is_read", [True, False])
def test_a_connection_ends_with_its_client_although_the_server_goes_on(
    connected: tuple[subprocess.Popen[bytes], int], is_read: bool
) -> None:
    process, write = connected
    assert process.stdin is not None
    assert process.stdout is not None
    if is_read:  # as much as both pipes and what is between them hold
        os.set_blocking(write, True)
        sent = os.write(write, b"x" * 4096)
        assert process.stdout.read(sent) == b"x" * 4096
        process.stdout.close()
    else:
        with contextlib.suppress(BlockingIOError):
            while True:
                waits = select.poll()
                waits.register(write, select.POLLOUT)
                if not waits.poll(300):
                    break
                os.write(write, b"x" * 4096)
        process.stdin.close()
    assert process.wait(AT_ONCE) == 0


def test_a_question_that_is_open_when_a_connection_ends_is_named(project: Project) -> None:
    feature = project.root / "specs" / "001-x"
    feature.mkdir(parents=True)
    (feature / "tasks.md").write_text("# Tasks\n", encoding="utf-8")
    (project.root / ".specify").mkdir()
    (project.root / ".specify" / "feature.json").write_text('{"feature_directory": "specs/001-x"}')
    offered = OfferedTools(Session(find_place(project.root, project.root)), Offer(["all"]))
    opening = initialize(capabilities={"elicitation": {}})
    asked = call("rstn_report_status", {"status": "needs_input", "prompt": "Which?"})
    begun = time.monotonic()
    found = answers(
        [opening, INITIALIZED, asked],
        lambda read, write: PlainConnection(offered, read, write).serve(),
    )
    assert 'call again with question=\\"q-' in json.dumps(found["102"]["result"])
    assert time.monotonic() - begun < AT_ONCE


def test_the_usual_calls_import_no_library(project: Project, tmp_path: Path) -> None:
    """In a process of its own: here all is imported."""
    script = (
        "import os, sys\n"
        "from chant_mcp.run_server import PlainConnection\n"
        "from chant_mcp.session import Session, find_place\n"
        "from chant_mcp.tool_calls import Offer, OfferedTools\n"
        "root = __import__('pathlib').Path(sys.argv[1])\n"
        "offered = OfferedTools(Session(find_place(root, root)), Offer(['all']))\n"
        "PlainConnection(offered, 0, 1).serve()\n"
        "heavy = {'mcp', 'mcp_types', 'pydantic', 'anyio', 'asyncio', 'click'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(project.root)],
        input=lines_of([initialize(), INITIALIZED, *PLAIN]),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(b"\n") == 1 + len(PLAIN)
