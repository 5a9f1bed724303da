"""Lines over real pipes: what is answered, with what, and nothing on standard output but messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any
from unittest.mock import Mock

import anyio
import pytest
from chant_mcp.server.wire import lenient
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
    notification,
    request,
    server_of,
    text_of,
)

# One-liners: what the seed shows, piped as `echo '…' | chant mcp`


@pytest.mark.requirement("protocol:bare_requests:tools_list_without_handshake")
def test_a_piped_tools_list_is_answered_before_the_end(pipes: Pipes) -> None:
    ended = pipes.finish(b'{"jsonrpc":"2.0","method":"tools/list","id":1}\n')
    names = [tool["name"] for tool in ended.answer(1)["result"]["tools"]]
    assert names[0] == "chant_spec_list"
    assert (ended.code, ended.errors, len(ended.messages)) == (0, "", 1)


@pytest.mark.requirement(
    "protocol:bare_requests:initialize_without_params",
    "protocol:initialize:version_2024_11_05_without_params",
)
def test_a_piped_initialize_without_params_is_answered(pipes: Pipes) -> None:
    ended = pipes.finish(b'{"jsonrpc":"2.0","method":"initialize","id":1}\n')
    assert ended.answer(1)["result"]["protocolVersion"] == "2024-11-05"
    assert (ended.code, ended.errors, len(ended.messages)) == (0, "", 1)


@pytest.mark.requirement(
    "protocol:bare_requests:tools_call_without_handshake", "protocol:tools:call_runs_one"
)
def test_a_piped_tools_call_is_answered(pipes: Pipes) -> None:
    ended = pipes.finish(
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"chant_spec_get",'
        b'"arguments":{"id":"001"}},"id":1}\n'
    )
    result = ended.answer(1)["result"]
    assert result["structuredContent"]["id"] == ID
    assert (ended.code, ended.errors, len(ended.messages)) == (0, "", 1)


def test_a_last_line_without_line_end_is_answered(pipes: Pipes) -> None:
    ended = pipes.finish(encoded(call(1, "chant_status")).rstrip())
    assert text_of(ended.answer(1)).startswith("{")


@pytest.mark.requirement("protocol:stdio:json_rpc_one_object_per_line", "protocol:results:id_is_echoed")
def test_a_burst_of_requests_is_answered_whole(pipes: Pipes) -> None:
    kinds = ["chant_spec_list", "chant_lint", "chant_status", "chant_ready", "nonsense"]
    calls = [call(number, kinds[number % len(kinds)]) for number in range(150)]
    named = [request(f"list {number}", "tools/list") for number in range(50)]
    ended = pipes.finish(*calls, *named)
    expected: list[int | str] = [*range(150), *(f"list {number}" for number in range(50))]
    assert sorted(ended.ids, key=repr) == sorted(expected, key=repr)
    assert (ended.code, ended.errors) == (0, "")


@pytest.mark.anyio
async def test_the_end_waits_for_the_last_answer_and_not_for_the_first() -> None:
    _, out = lenient(Mock(), Mock())
    ended = anyio.Event()

    async def end() -> None:
        await out.all_answered(60)
        ended.set()

    out.owe(1)
    out.owe("2")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(end)
        await anyio.wait_all_tasks_blocked()
        out.settle(1)
        await anyio.wait_all_tasks_blocked()
        assert not ended.is_set()
        out.settle("2")
    assert ended.is_set()


def test_requests_that_share_an_id_are_all_answered(project: Project, serve: Serve) -> None:
    gate = Gate(project.root)
    pipes = serve(project.root, server_of(project.root, WAITING))
    pipes.send(call(1, "wait"))
    gate.await_call()
    pipes.send(call(1, "chant_status"))
    pipes.close()
    assert pipes.receive()["result"]["structuredContent"]["total"] == 0
    gate.open()
    assert text_of(pipes.ended().answer(1)) == "No specs"


# Beginnings


@pytest.mark.parametrize("first", [request(1, "ping"), request(1, "tools/list"), call(1, "chant_status")])
def test_a_real_handshake_after_a_bare_request_works(pipes: Pipes, first: Message) -> None:
    assert "result" in pipes.ask(first)
    assert pipes.ask(initialize(2))["result"]["protocolVersion"] == "2025-11-25"
    pipes.send(notification("notifications/initialized"))
    assert "result" in pipes.ask(call(3, "chant_status"))


@pytest.mark.requirement(
    "protocol:bare_requests:tools_call_without_handshake", "protocol:notifications:are_not_answered"
)
def test_notifications_and_stray_answers_before_the_first_request_do_no_harm(pipes: Pipes) -> None:
    noise = [notification("notifications/progress", {"progressToken": 1, "progress": 1})] * 20
    strays: list[Message] = [{"jsonrpc": "2.0", "id": 9, "result": {}}] * 20
    ended = pipes.finish(*noise, *strays, notification("notifications/initialized"), call(1, "chant_status"))
    assert "result" in ended.answer(1)
    assert len(ended.messages) == 1


@pytest.mark.requirement("protocol:bare_requests:tools_call_without_handshake")
def test_bare_requests_work_after_an_initialize_that_was_refused(pipes: Pipes) -> None:
    assert pipes.ask(request(1, "initialize", {"protocolVersion": 5}))["error"]["code"] == -32602
    assert "result" in pipes.ask(call(2, "chant_status"))


# What is no request


@pytest.mark.requirement(
    "protocol:errors:invalid_json_is_32700",
    "protocol:errors:invalid_json_has_null_id",
    "protocol:errors:invalid_json_names_the_place",
)
def test_the_seeds_parse_error(pipes: Pipes) -> None:
    ended = pipes.finish(b"invalid json\n")
    message = "Parse error: expected value at line 1 column 1"
    assert ended.messages == [{"jsonrpc": "2.0", "error": {"code": -32700, "message": message}, "id": None}]
    assert ended.code == 0


@pytest.mark.requirement(
    "protocol:errors:invalid_json_is_32700",
    "protocol:errors:invalid_json_has_null_id",
    "protocol:errors:object_has_code_and_message",
)
def test_broken_json_of_every_kind_is_a_parse_error_and_the_server_goes_on(pipes: Pipes) -> None:
    lines = [
        b'{"jsonrpc":"2.0","id":1,"method":"ping"\n',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}}\n',
        b"{'jsonrpc':'2.0'}\n",
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"caf\xe9"}}\n',  # no UTF-8
        b"\xff\xfe\x00\n",
        b"\x00\n",
        b'{"a":"\\ud83d',
        b'\\u12"}\n',
        b"[" * 100_000 + b"]" * 100_000 + b"\n",
        b'{"a":' * 1_000_000 + b"\n",
        b"9" * 10_000 + b"\n",
    ]
    ended = pipes.finish(b"".join(lines), request(1, "ping"))
    *errors, last = ended.messages
    assert [error["error"]["code"] for error in errors] == [-32700] * 10
    assert all(error["id"] is None for error in errors)
    assert all(error["error"]["message"].startswith("Parse error: ") for error in errors)
    assert last == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert ended.code == 0


@pytest.mark.requirement(
    "protocol:errors:wrong_version_is_32600", "protocol:errors:object_has_code_and_message"
)
@pytest.mark.parametrize(
    ("line", "id"),
    [
        ({"jsonrpc": "1.0", "id": 7, "method": "ping"}, 7),
        ({"jsonrpc": "2.1", "id": "seven", "method": "tools/list", "params": {}}, "seven"),
        ({"jsonrpc": 2.0, "id": 0, "method": "ping"}, 0),
        ({"id": -1, "method": "ping"}, -1),
        ({"jsonrpc": None, "id": True, "method": "ping"}, None),
        ({"jsonrpc": "1.0", "id": 6, "method": "x", "result": {}, "error": {"code": 1, "message": ""}}, 6),
        ({}, None),
    ],
)
def test_another_json_rpc_version_is_refused_under_its_id(
    pipes: Pipes, line: Message, id: int | str | None
) -> None:
    message = {"code": -32600, "message": "Invalid JSON-RPC version"}
    assert pipes.finish(line).messages == [{"jsonrpc": "2.0", "id": id, "error": message}]


@pytest.mark.requirement("protocol:errors:object_has_code_and_message")
def test_batches_and_other_json_are_invalid_requests(pipes: Pipes) -> None:
    batch = b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]\n'
    others = b'[]\n5\nnull\n"ping"\ntrue\n'
    ill_formed = [
        {"jsonrpc": "2.0", "id": 3},
        {"jsonrpc": "2.0", "id": 4, "method": 5},
        {"jsonrpc": "2.0", "id": 5, "method": "ping", "params": [1]},
        {"jsonrpc": "2.0", "id": 6, "method": "ping", "params": "x"},
    ]
    ended = pipes.finish(batch, others, *ill_formed, request(7, "ping"))
    errors, last = ended.messages[:-1], ended.messages[-1]
    assert [error["id"] for error in errors] == [None] * 6 + [3, 4, 5, 6]
    assert {(error["error"]["code"], error["error"]["message"]) for error in errors} == {
        (-32600, "Invalid Request")
    }
    assert last["id"] == 7


@pytest.mark.requirement("protocol:stdio:json_rpc_one_object_per_line")
def test_blank_lines_and_carriage_returns_are_no_messages(pipes: Pipes) -> None:
    ping = encoded(request(1, "ping")).rstrip() + b"\r\n"
    ended = pipes.finish(b"\n", b"   \t \r\n" * 3, ping, b"\r\n\n")
    assert ended.messages == [{"jsonrpc": "2.0", "id": 1, "result": {}}]


@pytest.mark.requirement(
    "protocol:notifications:are_not_answered",
    "protocol:notifications:initialized_is_accepted",
)
def test_notifications_are_never_answered(pipes: Pipes) -> None:
    pipes.send(request(0, "ping"))
    silent: list[Message] = [
        notification("notifications/initialized"),
        notification("notifications/nonsense"),
        notification("tools/list"),
        notification("tools/call", {"name": "chant_status"}),
        notification("notifications/cancelled", {"requestId": "nothing"}),
    ]
    ended = pipes.finish(*silent, request(1, "ping"))
    assert ended.ids == [0, 1]
    assert (ended.code, ended.errors) == (0, "")


PING = {"jsonrpc": "2.0", "method": "ping"}
NO_UNICODE = "is no Unicode text, it has half of a surrogate pair"
NO_ID = "its ID has to be a string or an integer"

ODD_ENVELOPES: list[tuple[bytes, Any, str]] = [
    (b'{"jsonrpc":"2.0","id":5.0,"method":"ping"}', 5, ""),
    (b'{"jsonrpc":"2.0","id":6.5,"method":"ping"}', 6.5, "its ID has a fraction"),
    *((json.dumps({**PING, "id": id}).encode(), None, NO_ID) for id in (None, True, [1], {})),
    (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', "\ud800", f"id {NO_UNICODE}"),
    (b'{"jsonrpc":"2.0","id":8,"method":"\\ud800"}', 8, f"method {NO_UNICODE}"),
    (
        b'{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"x:\\udfff"}}',
        9,
        f"params.uri {NO_UNICODE}",
    ),
    (
        b'{"jsonrpc":"2.0","id":10,"method":"prompts/get","params":{"name":"\\ud800"}}',
        10,
        f"params.name {NO_UNICODE}",
    ),
    (
        b'{"jsonrpc":"2.0","method":"ping","params":{"a":' + b"[" * 250 + b"]" * 250 + b'},"id":11}',
        11,
        "it is nested deeper than 200 levels",
    ),
    (json.dumps({**PING, "id": "i" * 20_000}).encode(), None, "its ID is longer than 10000 characters"),
]
"""Requests that can be read: the line, the ID of the one answer, and why it is refused, if it is."""


def test_each_request_that_can_be_read_has_one_answer_under_its_own_id(pipes: Pipes) -> None:
    lines = [line + b"\n" for line, _, _ in ODD_ENVELOPES]
    ended = pipes.finish(*lines, request("last", "ping"))
    found = [(one.get("id"), one.get("error", {}).get("message", "")) for one in ended.messages]
    wanted = [(id, why and f"Invalid Request: {why}") for _, id, why in ODD_ENVELOPES]
    assert sorted(map(repr, found)) == sorted(map(repr, [*wanted, ("last", "")]))
    assert (ended.code, ended.errors) == (0, "")


def test_a_message_that_is_too_long_is_refused_under_its_id_and_the_next_one_is_served(
    pipes: Pipes, project: Project
) -> None:
    text = "x" * 17_000_000
    early = call(1, "chant_add", description=text)
    late = {"jsonrpc": "2.0", "method": "tools/call", "params": early["params"], "id": 2}
    ended = pipes.finish(early, late, request(3, "ping"))
    refused = "Invalid Request: the message is longer than 16777216 bytes"
    assert [(one["id"], one.get("error", {}).get("message")) for one in ended.messages] == [
        (1, refused),
        (2, refused),
        (3, None),
    ]
    assert len(list(project.specs.iterdir())) == 1


# Large and odd arguments


def test_arguments_of_five_megabytes_are_served(pipes: Pipes, project: Project) -> None:
    text = "word " * 1_000_000
    assert text_of(pipes.ask(call(1, "chant_spec_update", id=ID, output=text))) == f"Updated spec: {ID}"
    assert text.strip() in project.text(ID)
    assert len(pipes.ask(call(2, "chant_spec_get", id=ID))["result"]["content"][0]["text"]) < 50_000


def test_errors_that_quote_giant_arguments_stay_small(pipes: Pipes) -> None:
    giant = "x" * 5_000_000
    pipes.send(
        call(1, "chant_spec_get", id=giant),
        call(2, giant),
        call(3, "chant_ready", **{giant: 1}),
        call(4, "chant_spec_list", status=giant),
        call(5, "chant_log", id=ID, since=giant),
        call(6, "chant_spec_update", id=ID, check=[giant]),
        call(7, "chant_search", query=giant),
    )
    for id in range(1, 8):
        answer = pipes.answer(id)
        assert answer["result"]["isError"] is True
        assert len(text_of(answer)) < 50_000


def test_half_a_surrogate_pair_is_answered_under_the_requests_id(pipes: Pipes) -> None:
    lines = [
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"chant_add",'
        b'"arguments":{"description":"\\ud83d"}}}\n',
        b'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"chant_status",'
        b'"arguments":{"\\udc00":1}}}\n',
        b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"\\ud83d"}}\n',
        b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"chant_search",'
        b'"arguments":{"query":"\\ud83d\\ude00"}}}\n',
    ]
    ended = pipes.finish(*lines)
    refusal = "Invalid parameter 'description': expected Unicode text, got an unpaired surrogate"
    assert text_of(ended.answer(1)) == refusal
    assert text_of(ended.answer(2)).startswith("Unknown parameter: \\udc00.")
    assert text_of(ended.answer(3)).startswith("Unknown tool: \\ud83d")
    assert "isError" not in ended.answer(4)["result"] or not ended.answer(4)["result"]["isError"]


# Several requests in flight


def test_a_call_that_waits_for_a_lock_holds_back_nobody(pipes: Pipes, project: Project) -> None:
    with locked(project.path(ID)):
        pipes.send(call(1, "chant_spec_update", id=ID, labels=["late"]), call(2, "chant_spec_list"))
        assert pipes.receive()["id"] == 2
        assert pipes.ask(request(3, "tools/list"))["id"] == 3
        assert "late" not in project.text(ID)
    assert text_of(pipes.answer(1)) == f"Updated spec: {ID}"
    assert "late" in project.text(ID)


def test_large_answers_are_written_while_every_thread_is_busy(project: Project, serve: Serve) -> None:
    gate = Gate(project.root)
    pipes = serve(project.root, server_of(project.root, WAITING))
    pipes.send(*(call(number, "wait") for number in range(60)))
    gate.await_call()
    assert len(encoded(pipes.ask(request("list", "tools/list")))) > 4096
    gate.open()
    pipes.close()
    assert sorted(pipes.ended().ids) == list(range(60))


@pytest.mark.requirement("protocol:notifications:are_not_answered")
def test_a_cancelled_call_is_not_answered_and_the_server_stays_usable(project: Project, serve: Serve) -> None:
    gate = Gate(project.root)
    pipes = serve(project.root, server_of(project.root, WAITING))
    pipes.send(call(1, "wait"))
    gate.await_call()
    pipes.send(notification("notifications/cancelled", {"requestId": 1, "reason": "no need"}))
    assert "result" in pipes.ask(call(2, "chant_status"))
    gate.open()
    ended = pipes.finish(call(3, "chant_status"))
    assert ended.ids == [3]
    assert (ended.code, ended.errors) == (0, "")


def test_a_cancelled_call_does_not_delay_the_end(project: Project, serve: Serve) -> None:
    gate = Gate(project.root)
    pipes = serve(project.root, server_of(project.root, WAITING))
    pipes.send(call(1, "wait"))
    gate.await_call()
    ended = pipes.finish(notification("notifications/cancelled", {"requestId": 1}))
    assert (ended.code, ended.messages, ended.errors) == (0, [], "")
    assert ended.seconds < AT_ONCE


# Standard streams


NOISY = """
def noisy(session):
    "Print wherever it can."
    print("python")
    sys.stdout.buffer.write(b"buffer\\\\n")
    sys.stdout.flush()
    os.write(1, b"descriptor\\\\n")
    subprocess.run(["echo", "child"], check=True)
    os.system("echo shell")
    threading.Thread(target=print, args=("thread",)).start()
    return session.chant.status(brief=True)

def child(session):
    "Let a child read all of its input."
    from chant_mcp.errors import RefusedError
    seen = subprocess.run(["cat"], check=True, stdout=subprocess.PIPE).stdout
    raise RefusedError(repr((seen, os.read(0, 1), sys.stdin.read())))

print("beginning")  # stands in the buffer still when the server takes the streams
import atexit
atexit.register(print, "end")
TOOLS = [noisy, child]
"""


def test_stray_prints_go_to_standard_error(
    project: Project, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    pipes = serve(project.root, server_of(project.root, NOISY))
    ended = pipes.finish(*(call(number, "noisy") for number in range(5)), request(9, "tools/list"))
    assert ended.ids == [0, 1, 2, 3, 4, 9]  # every line of standard output was a message
    for word in ("python", "buffer", "descriptor", "child", "shell", "thread"):
        assert ended.errors.count(word) == 5, (word, ended.errors)
    assert ended.errors.startswith("beginning\n")
    assert ended.errors.endswith("end\n")


def test_children_and_stray_reads_see_an_end(
    project: Project, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    pipes = serve(project.root, server_of(project.root, NOISY))
    pipes.send(call(1, "child"), request(2, "ping"), request(3, "tools/list"))
    assert text_of(pipes.answer(1)) == "(b'', b'', '')"
    assert pipes.finish().ids == [2, 3]


@pytest.mark.requirement("protocol:stdio:json_rpc_one_object_per_line")
def test_pipes_that_somebody_made_non_blocking_work(project: Project, serve: Serve) -> None:
    in_reader, in_writer = os.pipe()
    out_reader, out_writer = os.pipe()
    os.set_blocking(in_reader, False)
    os.set_blocking(out_writer, False)
    pipes = serve(project.root, stdin=in_reader, stdout=out_writer)
    os.close(in_reader)
    os.close(out_writer)
    os.write(in_writer, b"".join(encoded(request(number, "tools/list")) for number in range(30)))
    os.close(in_writer)
    with os.fdopen(out_reader, "rb") as lines:
        assert len(lines.readlines()) == 30
    assert pipes.ended().code == 0


def test_a_closed_standard_error_does_no_harm(project: Project) -> None:
    command = f'exec "{sys.executable}" -m chant_mcp mcp 2>&-'
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=project.root,
        input=encoded(request(1, "tools/list")) + encoded(call(2, "chant_status")),
        stdout=subprocess.PIPE,
        check=True,
    )
    assert len(done.stdout.splitlines()) == 2
