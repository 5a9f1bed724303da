"""The process: when it ends, what it waits for, and what it may do."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

import anyio
import pytest
from chant_mcp.server.wire import GateOut, PipeIn, PipeOut, lenient
from harness import Project
from server.pipes import (
    AT_ONCE,
    ID,
    WAITING,
    Gate,
    Message,
    Pipes,
    Serve,
    call,
    encoded,
    initialize,
    locked,
    modern,
    request,
    server_of,
    text_of,
)

SIGNALS = [pytest.param(signal.SIGTERM, id="sigterm"), pytest.param(signal.SIGINT, id="ctrl-c")]


# The end


@pytest.mark.parametrize(
    "opening", [[], [request(1, "ping")], [initialize(1)], [modern(call(1, "chant_status"))]]
)
def test_closed_input_ends_the_process_at_once(pipes: Pipes, opening: list[Message]) -> None:
    for message in opening:
        pipes.ask(message)
    pipes.close()
    ended = pipes.ended()
    assert (ended.code, ended.messages, ended.errors) == (0, [], "")
    assert ended.seconds < AT_ONCE


def test_closed_input_waits_for_the_call_in_flight(pipes: Pipes, project: Project) -> None:
    with locked(project.path(ID)):
        pipes.send(call(1, "chant_spec_update", id=ID, labels=["late"]), request(2, "ping"))
        assert pipes.receive()["id"] == 2
        pipes.close()
    ended = pipes.ended()
    assert text_of(ended.answer(1)) == f"Updated spec: {ID}"
    assert ended.code == 0


@pytest.mark.parametrize("signum", SIGNALS)
@pytest.mark.parametrize("opening", [request(1, "ping"), initialize(1), modern(call(1, "chant_status"))])
def test_a_signal_ends_an_idle_server_at_once(pipes: Pipes, signum: signal.Signals, opening: Message) -> None:
    pipes.ask(opening)
    pipes.process.send_signal(signum)
    ended = pipes.ended()
    assert (ended.code, ended.messages, ended.errors) == (0, [], "")
    assert ended.seconds < AT_ONCE


@pytest.mark.parametrize("signum", SIGNALS)
def test_a_signal_ends_a_server_whose_call_never_ends(
    project: Project, serve: Serve, signum: signal.Signals
) -> None:
    gate = Gate(project.root)
    pipes = serve(project.root, server_of(project.root, WAITING))
    pipes.send(call(1, "wait"))
    gate.await_call()
    pipes.process.send_signal(signum)
    ended = pipes.ended()
    assert ended.code == 0
    assert ended.seconds < AT_ONCE
    assert ended.answer(1)["error"]["message"] == "Connection closed"
    assert "Traceback" not in ended.errors


@pytest.mark.parametrize("signum", SIGNALS)
def test_a_signal_ends_a_server_that_waits_for_a_lock(
    pipes: Pipes, project: Project, signum: signal.Signals
) -> None:
    before = project.text(ID)
    with locked(project.path(ID)):
        pipes.send(call(1, "chant_spec_update", id=ID, labels=["late"]), request(2, "ping"))
        assert pipes.receive()["id"] == 2
        pipes.process.send_signal(signum)
        ended = pipes.ended()
    assert ended.code == 0
    assert ended.seconds < AT_ONCE
    assert project.text(ID) == before
    assert [path.name for path in project.specs.iterdir()] == [f"{ID}.md"]


@pytest.mark.parametrize("signum", SIGNALS)
def test_a_signal_ends_a_server_whose_client_never_reads(
    project: Project, serve: Serve, signum: signal.Signals
) -> None:
    reader, writer = os.pipe()
    pipes = serve(project.root, stdout=writer)
    os.close(writer)
    pipes.send(*(request(number, "tools/list") for number in range(40)))
    os.read(reader, 1)  # the first answer begins
    pipes.process.send_signal(signum)
    ended = pipes.ended()
    os.close(reader)
    assert ended.code == 0
    assert ended.seconds < AT_ONCE
    assert "Traceback" not in ended.errors


def test_a_client_that_is_gone_is_not_waited_for(project: Project, serve: Serve) -> None:
    reader, writer = os.pipe()
    pipes = serve(project.root, stdout=writer)
    os.close(writer)
    os.close(reader)
    pipes.send(call(1, "chant_status"), b"invalid json\n", b"[]\n", request(2, "tools/list"))
    with suppress(OSError):
        pipes.close()
    ended = pipes.ended()
    assert (ended.code, ended.errors) == (0, "")
    assert ended.seconds < AT_ONCE


def test_a_client_that_reads_no_more_is_gone_although_it_might_write(project: Project, serve: Serve) -> None:
    reader, writer = os.pipe()
    pipes = serve(project.root, stdout=writer)
    os.close(writer)
    pipes.send(initialize(1))
    os.read(reader, 100_000)
    os.close(reader)
    ended = pipes.ended()
    assert (ended.code, ended.errors) == (0, "")
    assert ended.seconds < AT_ONCE


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(encoded(request(1, "tools/list")) * 40, id="answers"),
        # More lines than are read ahead: the end of the input is not read before the pipe takes more.
        pytest.param(b"no message\n" * 4_000, id="refusals"),
    ],
)
def test_a_client_that_ended_its_input_and_reads_nothing_is_gone(
    project: Project, serve: Serve, sent: bytes
) -> None:
    reader, writer = os.pipe()
    pipes = serve(project.root, stdout=writer)
    os.close(writer)
    pipes.send(sent)
    os.read(reader, 1)  # the first answer begins
    pipes.close()
    ended = pipes.ended()
    os.close(reader)
    assert (ended.code, ended.errors) == (0, "")
    assert ended.seconds < AT_ONCE


@pytest.mark.anyio
async def test_the_wait_for_calls_in_flight_is_bounded() -> None:
    in_reader, in_writer = os.pipe()
    out_reader, out_writer = os.pipe()
    gate_in, gate_out = lenient(
        PipeIn(os.fdopen(in_reader, "rb", closefd=False)), PipeOut(out_writer), drain=0.05
    )
    os.write(in_writer, encoded(request(1, "ping")))
    os.close(in_writer)
    assert (await gate_in.receive()).message.method == "notifications/initialized"  # type: ignore[union-attr]
    assert (await gate_in.receive()).message.method == "ping"  # type: ignore[union-attr]
    with anyio.fail_after(AT_ONCE):
        with pytest.raises(anyio.EndOfStream):
            await gate_in.receive()
        with pytest.raises(TimeoutError), anyio.fail_after(0.05):
            await GateOut.all_answered(gate_out, 60)
    for fd in (in_reader, out_reader, out_writer):
        os.close(fd)


# What a process may do


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.requirement(
    "server:security:opens_no_network_port", "server:security:uses_the_permissions_of_its_parent"
)
def test_the_process_has_no_socket_of_the_network_and_the_rights_of_its_parent(pipes: Pipes) -> None:
    pipes.ask(call(1, "chant_status"))
    pipes.ask(call(2, "chant_lint"))
    home = Path("/proc") / str(pipes.process.pid)
    links = {str(link.readlink()) for link in (home / "fd").iterdir()}
    listed: set[str] = set()
    for table in ("tcp", "tcp6", "udp", "udp6", "raw", "raw6"):
        path = home / "net" / table
        if path.exists():
            listed |= {line.split()[9] for line in path.read_text("ascii").splitlines()[1:]}
    assert not {f"socket:[{inode}]" for inode in listed} & links
    status, own = (
        (folder / "status").read_text("ascii").splitlines() for folder in (home, Path("/proc/self"))
    )
    for name in ("Uid:", "Gid:", "Groups:", "CapEff:"):
        assert [line for line in status if line.startswith(name)] == [
            line for line in own if line.startswith(name)
        ]


@pytest.mark.requirement("server:security:uses_the_permissions_of_its_parent")
def test_a_file_that_may_not_be_written_is_not_written(pipes: Pipes, project: Project) -> None:
    before = project.text(ID)
    project.path(ID).chmod(0o444)
    answer = pipes.ask(call(1, "chant_spec_update", id=ID, labels=["x"]))
    assert answer["result"]["isError"] is True
    assert project.text(ID) == before
    assert project.path(ID).stat().st_mode & 0o777 == 0o444
