"""Runs through a server process: what stands on its standard output, and who gets progress."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from harness import Caller, started_process
from mcp_types import CallToolResult
from server.pipes import Message, Pipes, call, initialize, notification, request
from work.kit import ID, OTHER, PROGRAM, Workshop, lives, wait_for

STEPS = [
    "Checking the spec",
    "Starting a runner",
    "Making a branch",
    "Making a worktree",
    "Starting the agent",
]


@pytest.fixture
def pipes(shop: Workshop) -> Iterator[Pipes]:
    """A server process on the workshop, at the other end of real pipes."""
    pipes = Pipes(started_process([*PROGRAM, "mcp"], shop.root))
    yield pipes
    pipes.discard()


def answer(pipes: Pipes, id: int) -> tuple[str, list[Message]]:
    """Wait for the answer to a request, and give its text and the notifications before it."""
    told: list[Message] = []
    while True:
        message = pipes.receive()
        if message.get("id") == id:
            return message["result"]["content"][0]["text"], told
        told.append(message)


def test_standard_output_holds_nothing_but_messages_during_all_of_it(shop: Workshop, pipes: Pipes) -> None:
    """`Pipes` reads every line as a message: agents, hooks and git may print what they like."""
    shop.spec(ID, "wait", "binary")
    shop.spec(OTHER, "fail")
    shop.commit()
    hook = shop.root / ".git" / "hooks" / "post-checkout"
    hook.write_text("#!/bin/sh\necho from the hook\n", encoding="utf-8")
    hook.chmod(0o755)
    answers: dict[int, str] = {}
    calls = [
        call(1, "chant_work_start", id=ID),
        call(2, "chant_work_list"),
        call(3, "chant_pause", id=ID),
        call(4, "chant_takeover", id=ID, force=True),
        call(5, "chant_reset", id=ID),
        call(6, "chant_work_start", id=OTHER),
        call(7, "chant_work_start", id=ID, parallel=2),
    ]
    for message in calls:
        pipes.send(message)
        answers[message["id"]], told = answer(pipes, message["id"])
        assert told == []
    assert json.loads(answers[4])["spec_id"] == ID
    shop.go(ID)
    wait_for(lambda: shop.project.status(ID) == "completed", "the end of the work")
    pipes.close()
    assert pipes.ended().messages == []
    for record in shop.records():
        shop.ended(record["process_id"])


def test_a_server_whose_client_goes_away_leaves_the_run_alone(shop: Workshop, pipes: Pipes) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    pipes.send(call(1, "chant_work_start", id=ID))
    started = json.loads(answer(pipes, 1)[0])
    pipes.close()
    assert pipes.ended().code == 0
    assert lives(started["pid"])
    shop.go(ID)
    assert shop.ended(ID)["end_state"] == "completed"


# Progress


def test_who_asks_for_progress_is_told_each_step_in_order(shop: Workshop, pipes: Pipes) -> None:
    shop.spec(ID)
    shop.commit()
    pipes.send(initialize(1))
    pipes.receive()
    pipes.send(notification("notifications/initialized"))
    params = {"name": "chant_work_start", "arguments": {"id": ID}, "_meta": {"progressToken": "mine"}}
    pipes.send(request(2, "tools/call", params))
    _, told = answer(pipes, 2)
    assert [message["method"] for message in told] == ["notifications/progress"] * len(STEPS)
    assert [message["params"]["message"] for message in told] == STEPS
    assert [message["params"]["progress"] for message in told] == [1, 2, 3, 4, 5]
    assert {message["params"]["progressToken"] for message in told} == {"mine"}
    shop.ended(ID)


@pytest.mark.anyio
async def test_a_client_of_the_sdk_hears_the_progress(shop: Workshop) -> None:
    shop.spec(ID)
    shop.commit()
    heard: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async with shop.client() as caller:
        result = await caller.client.call_tool("chant_work_start", {"id": ID}, progress_callback=hear)
        assert isinstance(result, CallToolResult)
        assert not result.is_error
        shop.ended(ID)
    assert heard == STEPS


@pytest.mark.anyio
async def test_a_run_that_goes_on_says_so(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "unticked")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    shop.ended(ID)
    steps: list[str] = []
    shop.handle().work_start(ID, progress=steps.append)
    shop.ended(ID)
    assert steps[2:4] == ["Going on in the branch of an earlier run", "Making a worktree"]
