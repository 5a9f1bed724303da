"""Whatever a client sends, each request that can be read has one answer under its own ID, over every door."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from chant_mcp.run_server import PlainConnection
from chant_mcp.session import Session, find_place
from chant_mcp.tool_calls import Offer, OfferedTools
from harness import Project
from laws import TRIALS
from server.envelopes import NOTHING, OWN, Envelope, Envelopes, is_short
from server.over_http import BOTH, Listen
from server.pipes import (
    ID,
    MODERN,
    PATIENCE,
    Message,
    Pipes,
    encoded,
    initialize,
    modern,
    notification,
    request,
)

MESSAGES = 300 if TRIALS == 1 else 1_700 * TRIALS
"""For each of two doors in each of two eras, a third on the older stream: 221,000 in `make trials`."""

SEED = 20 if TRIALS == 1 else random.randrange(2**32)

ERAS = [pytest.param(False, id="2025"), pytest.param(True, id=MODERN)]


def key(id: Any) -> str:
    """Give an ID as one text, so that `1` is not `"1"` and halves of pairs can be counted."""
    return json.dumps(id)


@pytest.mark.parametrize("is_modern", ERAS)
def test_each_request_has_one_answer_on_stdio(pipes: Pipes, is_modern: bool) -> None:
    opening = request("begin", "server/discover")
    pipes.ask(modern(opening) if is_modern else initialize("begin"))
    if not is_modern:
        pipes.send(notification("notifications/initialized"))
    made = Envelopes(SEED, is_modern=is_modern).some(MESSAGES)
    for number in itertools.count():
        some = list(itertools.islice(made, 200))
        if not some:
            break
        last = request(f"last {number}", "ping")
        pipes.send(b"".join(one.line + b"\n" for one in some), encoded(modern(last) if is_modern else last))
        owed = Counter(key(one.id) for one in some if one.owed != NOTHING)
        owed[key(last["id"])] += 1
        until = time.monotonic() + PATIENCE
        while owed.total():
            assert time.monotonic() < until, (SEED, number, owed)
            answer = pipes.receive()
            assert owed[key(answer["id"])] > 0, (SEED, number, answer)
            assert is_short(answer), (SEED, number, answer["id"])
            owed[key(answer["id"])] -= 1
    ended = pipes.finish()
    assert (ended.code, ended.messages) == (0, []), SEED
    assert "Traceback" not in ended.errors, SEED


@pytest.mark.parametrize("is_modern", ERAS)
def test_each_request_has_one_answer_over_http(listen: Listen, project: Project, is_modern: bool) -> None:
    project.spec(ID)
    server = listen(project.root, "--no-auth")
    opening = {} if is_modern else server.begin()
    with server.connection() as connection:
        for number, one in enumerate(Envelopes(SEED, is_modern=is_modern).some(MESSAGES)):
            headers = modern_headers_of(one) if is_modern else opening
            status, answers = posted(connection, one.line, headers)
            told = (SEED, number, one.line[:300], status, answers)
            is_notice = one.owed == NOTHING and not (is_modern and one.method is None)
            if is_notice:
                assert (status, answers) == (202, []), told
                continue
            # Over HTTP nothing is asked in the later era, so that an answer to nothing is an error.
            assert len(answers) == 1, told
            assert key(answers[0]["id"]) == key(one.id), told
            assert is_short(answers[0]), told
    assert server.stop() == 0
    assert "Traceback" not in server.errors, SEED


def test_each_request_has_one_answer_on_the_older_stream(listen: Listen, project: Project) -> None:
    """Messages are posted one by one; answers come on the stream, or at once where nothing can be read."""
    project.spec(ID)
    server = listen(project.root, "--no-auth")
    with server.connection() as stream, server.connection() as connection:
        stream.request("GET", "/sse", headers={"accept": "text/event-stream"})
        events = events_of(stream.getresponse())
        place = next(events)

        def post(body: bytes) -> tuple[int, bytes]:
            connection.request("POST", place, body, {"content-type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()

        assert post(encoded(initialize("begin")))[0] == 202
        assert json.loads(next(events))["id"] == "begin"
        assert post(encoded(notification("notifications/initialized")))[0] == 202
        made = Envelopes(SEED, is_modern=False).some(MESSAGES // 3)
        while some := list(itertools.islice(made, 100)):
            owed: Counter[str] = Counter()
            for one in some:
                status, body = post(one.line)
                if status == 202:
                    owed.update([key(one.id)] if one.owed != NOTHING else [])
                    continue
                told = (SEED, one.line[:300], status, body[:300])
                assert status == 400, told
                assert one.owed != NOTHING, told
                assert key(json.loads(body)["id"]) == key(one.id), told
            while owed.total():
                answer = json.loads(next(events))
                assert owed[key(answer["id"])] > 0, (SEED, answer)
                assert is_short(answer), (SEED, answer["id"])
                owed[key(answer["id"])] -= 1
        # Nothing more has come than was owed.
        post(encoded(request("last", "ping")))
        assert json.loads(next(events))["id"] == "last"
    assert server.stop() == 0
    assert "Traceback" not in server.errors, SEED


def events_of(stream: http.client.HTTPResponse) -> Iterator[str]:
    """Give the data of each event as it comes."""
    for line in stream:
        if line.startswith(b"data: "):
            yield line.removeprefix(b"data: ").decode().rstrip("\r\n")


def modern_headers_of(one: Envelope) -> dict[str, str]:
    """Give the headers of revision 2026-07-28, as far as they can be written."""
    given = {"mcp_protocol_version": MODERN, "mcp_method": one.method or "ping", "mcp_name": one.name or ""}
    return {name: text for name, text in given.items() if re.fullmatch(r"[!-~]{1,1000}", text)}


def posted(
    connection: http.client.HTTPConnection, body: bytes, headers: dict[str, str]
) -> tuple[int, list[Message]]:
    """Send a body and give the status and the messages that come back."""
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("POST", "/mcp", body, {"content-type": "application/json", "accept": BOTH, **given})
    answer = connection.getresponse()
    text = answer.read().decode()
    if not text:
        return answer.status, []
    if (answer.headers["content-type"] or "").startswith("application/json"):
        return answer.status, [json.loads(text)]
    events = re.findall(r"^data: (\{.+?)\r?$", text, re.M)
    return answer.status, [json.loads(event) for event in events]


def test_the_small_server_of_runs_answers_what_is_owed_or_leaves_it_to_the_library(project: Project) -> None:
    project.spec(ID)
    session = Session(find_place(project.root, project.root))
    read, write = os.pipe()
    connection = PlainConnection(OfferedTools(session, Offer(["all"])), read, write)
    answered = 0
    try:
        assert connection._answer(encoded(initialize("begin")))  # pyright: ignore[reportPrivateUsage]
        for number, one in enumerate(Envelopes(SEED, is_modern=False).some(MESSAGES)):
            answer = connection._answer(one.line + b"\n")  # pyright: ignore[reportPrivateUsage]
            if answer is None:
                continue
            answered += 1
            told = (SEED, number, one.line[:300], answer[:300])
            assert one.owed in (OWN, NOTHING), told
            assert (answer == b"") == (one.owed == NOTHING), told
            if answer:
                assert key(json.loads(answer)["id"]) == key(one.id), told
                assert is_short(json.loads(answer)), told
    finally:
        os.close(read)
        os.close(write)
    assert answered > MESSAGES / 20
