"""`rstn_report_status`: statuses, and questions that reach a person."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from chant_mcp.errors import IllegalTransitionError
from harness import Caller, text_of
from mcp_types import ElicitResult, TextContent
from server.conftest import Serve
from server.pipes import AT_ONCE, initialize, notification
from server.pipes import call as request
from server.pipes import text_of as text_on_wire
from speckit.features import Features

pytestmark = pytest.mark.anyio

ASKED = {"status": "needs_input", "prompt": "Which database?"}


def answering(features: Features, text: str | None) -> Callable[..., Any]:
    """Answer the oldest question as soon as a call says that it waits."""

    async def progress(*_: Any) -> None:
        def answer() -> None:
            for question in features.open()[:1]:
                features.core.answer(question["id"], text)

        await anyio.to_thread.run_sync(answer)

    return progress


@pytest.mark.requirement(
    "speckit:report_status:answers_with_the_status",
    "speckit:report_status:status_is_one_of_three",
    "speckit:report_status:message_is_for_error",
    "speckit:report_status:error_is_shown",
    "speckit:report_status:completed_marks_done",
)
async def test_statuses_are_accepted_and_recorded(call: Caller) -> None:
    for status in ("completed", "error"):
        said = await call.text("rstn_report_status", status=status, message="No way")
        assert said == f"Status '{status}' reported successfully"
    first, second = Features(call.project.root).events()
    assert (first["status"], first.get("message")) == ("completed", None)
    assert (second["status"], second["message"]) == ("error", "No way")
    assert (first["session"], first["feature"]) == (second["session"], "specs/060-mcp")
    assert await call.error("rstn_report_status", status="done") == (
        "Error: status must be 'needs_input', 'completed', or 'error', got 'done'"
    )


@pytest.mark.requirement("speckit:errors:missing_field")
async def test_vector_14_a_missing_status_is_told(call: Caller) -> None:
    assert await call.error("rstn_report_status") == "Error: Missing 'status' field"
    assert await call.error("rstn_report_status", status=["x"]) == (
        "Error: Missing 'status' field: expected string, got array"
    )


@pytest.mark.requirement("speckit:report_status:prompt_is_for_needs_input")
async def test_vector_13_nobody_answers_and_a_later_call_gets_the_answer(call: Caller) -> None:
    features = Features(call.project.root)
    result = await call("rstn_report_status", **ASKED)
    assert text_of(result) == "Status 'needs_input' reported successfully"
    (question,) = features.open()
    note = result.content[1]
    assert isinstance(note, TextContent)
    assert f'call again with question="{question["id"]}"' in note.text
    assert question["prompt"] == "Which database?"
    assert await call.text("rstn_report_status", **ASKED) == text_of(result)
    assert len(features.open()) == 1
    features.core.answer(question["id"], "naïve 日本")
    said = await call.text("rstn_report_status", status="needs_input", question=question["id"])
    assert said == "User response: naïve 日本"


async def test_vector_12_an_answer_given_meanwhile_comes_back_intact(features: Features, mode: str) -> None:
    features.waits(60)
    async with features.seen(mode=mode) as call:
        with anyio.fail_after(30):
            result = await call.client.call_tool(
                "rstn_report_status", ASKED, progress_callback=answering(features, "naïve 日本")
            )
    assert text_of(result) == "User response: naïve 日本"  # type: ignore[arg-type]


async def test_a_question_that_a_person_cancels_is_an_error(features: Features, mode: str) -> None:
    features.waits(60)
    async with features.seen(mode=mode) as call:
        with anyio.fail_after(30):
            result = await call.client.call_tool(
                "rstn_report_status", ASKED, progress_callback=answering(features, None)
            )
    assert result.is_error  # type: ignore[union-attr]
    assert text_of(result) == "Input request was cancelled"  # type: ignore[arg-type]


# A client that can ask its user


@pytest.mark.requirement("speckit:report_status:needs_input_asks_the_user")
@pytest.mark.parametrize(
    ("action", "said"),
    [
        ("accept", "User response: Postgres"),
        ("decline", "Input request was cancelled"),
        ("cancel", "Input request was cancelled"),
    ],
)
async def test_a_client_asks_its_user_where_it_can(
    features: Features, mode: str, action: Any, said: str
) -> None:
    prompts: list[str] = []

    async def elicit(_: Any, params: Any) -> ElicitResult:
        prompts.append(params.message)
        content: Any = {"answer": "Postgres"} if action == "accept" else None
        return ElicitResult(action=action, content=content)

    async with features.seen(mode=mode, elicitation_callback=elicit) as call:
        result = await call("rstn_report_status", **ASKED)
    assert text_of(result) == said
    assert prompts == ["Which database?"]
    assert features.open() == []


async def test_an_answer_from_elsewhere_ends_the_clients_form(features: Features) -> None:
    """In the handshake era the form stays open while others may answer."""

    async def elicit(_: Any, __: Any) -> ElicitResult:
        (question,) = features.open()
        await anyio.to_thread.run_sync(features.core.answer, question["id"], "from elsewhere")
        await anyio.sleep_forever()
        raise AssertionError

    async with features.seen(mode="legacy", elicitation_callback=elicit) as call:
        with anyio.fail_after(30):
            assert await call.text("rstn_report_status", **ASKED) == "User response: from elsewhere"


@pytest.mark.parametrize("content", [None, {"answer": " "}, {"reply": "yes"}])
async def test_a_form_without_a_text_leaves_the_question_open(
    features: Features, mode: str, content: Any
) -> None:
    async def elicit(_: Any, __: Any) -> ElicitResult:
        return ElicitResult(action="accept", content=content)

    async with features.seen(mode=mode, elicitation_callback=elicit) as call:
        said = await call.text("rstn_report_status", **ASKED)
    assert said == "Status 'needs_input' reported successfully"
    assert [question["prompt"] for question in features.open()] == ["Which database?"]


def test_an_ill_formed_answer_leaves_the_question_open(features: Features, serve: Serve) -> None:
    server = serve(features.root)
    server.send(initialize("i", elicitation={}), notification("notifications/initialized"))
    server.answer("i")
    server.send(request(1, "rstn_report_status", **ASKED))
    question = server.receive()
    assert question["method"] == "elicitation/create"
    server.send({"jsonrpc": "2.0", "id": question["id"], "result": {"action": "perhaps", "content": 7}})
    assert text_on_wire(server.answer(1)) == "Status 'needs_input' reported successfully"
    assert len(features.open()) == 1


@pytest.mark.parametrize("can_ask", [True, False])
@pytest.mark.parametrize("ending", ["input", "signal"])
def test_a_question_that_is_open_at_the_end_is_named(
    features: Features, serve: Serve, can_ask: bool, ending: str
) -> None:
    features.waits(60)
    server = serve(features.root)
    server.send(initialize("i", elicitation={}) if can_ask else initialize("i"))
    server.answer("i")
    asked = request(1, "rstn_report_status", **ASKED)
    asked["params"]["_meta"] = {"progressToken": "p"}
    server.send(asked)
    assert server.receive()["method"] in ("elicitation/create", "notifications/progress")
    if ending == "input":
        server.close()
    else:
        server.process.send_signal(signal.SIGTERM)
    ended = server.ended()
    (question,) = features.open()
    assert question["id"] in str(ended.answer(1)["result"])
    assert ended.code == 0
    assert ended.seconds < AT_ONCE


def test_a_client_that_is_gone_altogether_is_not_waited_for(features: Features, serve: Serve) -> None:
    reader, writer = os.pipe()
    server = serve(features.root, stdout=writer)
    os.close(writer)
    server.send(initialize("i", elicitation={}), request(1, "rstn_report_status", **ASKED))
    told = b""
    while b"elicitation/create" not in told:
        told += os.read(reader, 65_536)
    os.close(reader)
    server.close()
    ended = server.ended()
    assert ended.code == 0
    assert ended.seconds < AT_ONCE
    assert len(features.open()) == 1


async def test_a_question_that_vanishes_while_the_form_is_open_is_told(features: Features) -> None:
    async def elicit(_: Any, __: Any) -> ElicitResult:
        for record in (features.root / ".git" / "chant-mcp" / "speckit" / "questions").glob("*.json"):
            record.unlink()
        await anyio.sleep_forever()
        raise AssertionError

    async with features.seen(mode="legacy", elicitation_callback=elicit) as call:
        with anyio.fail_after(30):
            said = await call.error("rstn_report_status", **ASKED)
    assert said.startswith("Question 'q-")
    assert said.endswith(" not found")


async def test_a_question_that_expired_is_told_and_asked_anew(call: Caller) -> None:
    features = Features(call.project.root)
    features.write(".specify/chant-mcp.yml", "questions: {wait_secs: 0, expire_hours: 0.0000001}\n")
    id = features.core.ask("Which database?").data["id"]
    refused = await call("rstn_report_status", status="needs_input", question=id)
    assert refused.is_error
    assert text_of(refused) == "Input request expired without an answer"
    assert features.open() == []
    with pytest.raises(IllegalTransitionError, match="is expired already"):
        features.core.answer(id, "late")
    features.waits(0)
    assert await call.text("rstn_report_status", **ASKED) == "Status 'needs_input' reported successfully"
    assert len(features.open()) == 1


# Processes


def test_several_questions_wait_and_a_restart_loses_none(features: Features, serve: Serve) -> None:
    first = serve(features.root)
    first.send(request(1, "rstn_report_status", **ASKED))
    first.send(request(2, "rstn_report_status", status="needs_input", prompt="Second?"))
    for number in (1, 2):
        assert text_on_wire(first.answer(number)) == "Status 'needs_input' reported successfully"
    first.process.kill()
    questions = features.open()
    assert {question["prompt"] for question in questions} == {"Which database?", "Second?"}
    assert [question["asked_at"] for question in questions] == sorted(q["asked_at"] for q in questions)
    for question in questions:
        features.core.answer(question["id"], f"re: {question['prompt']}")
    second = serve(features.root)
    for number, question in enumerate(questions):
        second.send(request(number, "rstn_report_status", status="needs_input", question=question["id"]))
        assert text_on_wire(second.answer(number)) == f"User response: re: {question['prompt']}"


def test_a_cancelled_call_leaves_the_question_and_its_answer(features: Features, serve: Serve) -> None:
    features.waits(60)
    server = serve(features.root)
    server.send(initialize("i"), notification("notifications/initialized"))
    server.answer("i")
    server.send(request(1, "rstn_report_status", **ASKED))
    server.send(request(2, "rstn_get_context"))
    server.answer(2)
    asked = threading.Event()
    while not features.open():  # the call has started; its question appears
        assert not asked.wait(0.01)
    server.send(notification("notifications/cancelled", {"requestId": 1}))
    server.send(request(3, "rstn_get_context"))
    server.answer(3)
    (question,) = features.open()
    features.core.answer(question["id"], "yes")
    server.send(request(4, "rstn_report_status", status="needs_input", question=question["id"]))
    assert text_on_wire(server.answer(4)) == "User response: yes"


def test_a_call_that_waits_holds_up_no_other(features: Features, serve: Serve) -> None:
    features.waits(60)
    server = serve(features.root)
    server.send(request(1, "rstn_report_status", **ASKED))
    server.send(request(2, "rstn_complete_task", task_id="T001"))
    assert server.receive()["id"] == 2
