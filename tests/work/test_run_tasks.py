"""Starts and splits as tasks of the protocol, for clients that declare them in their requests (issue 23)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from harness import started_process
from server.over_http import enveloped
from server.pipes import Message, Pipes, call, request
from work.kit import ID, OTHER, PROGRAM, Workshop, wait_for
from work.test_split import EIGHT, go, specs

TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


@pytest.fixture
def pipes(shop: Workshop) -> Iterator[Pipes]:
    """A server process on the workshop, at the other end of real pipes."""
    pipes = Pipes(started_process([*PROGRAM, "mcp"], shop.root))
    yield pipes
    pipes.discard()


def ask(pipes: Pipes, message: Message) -> Message:
    """Ask as a client of the modern era that takes tasks."""
    return pipes.ask(enveloped(message, **TASKS))


def get(pipes: Pipes, task: str) -> Message:
    """Ask how far a task is."""
    return ask(pipes, request("get", "tasks/get", {"taskId": task}))["result"]


def until(pipes: Pipes, task: str, status: str) -> Message:
    """Ask until a task has a status."""
    seen: list[Message] = []

    def is_there() -> bool:
        seen.append(get(pipes, task))
        return seen[-1]["status"] == status

    wait_for(is_there, lambda: f"{status}, not {seen[-1]}")
    return seen[-1]


def test_a_start_is_a_task_that_ends_with_its_run(shop: Workshop, pipes: Pipes) -> None:
    shop.spec(ID, "wait")
    shop.spec(OTHER, "fail")
    shop.commit()
    created = ask(pipes, call(1, "chant_work_start", id=ID))["result"]
    assert created["resultType"] == "task"
    assert created["status"] == "working"
    assert get(pipes, created["taskId"])["status"] == "working"
    shop.go(ID)
    done = until(pipes, created["taskId"], "completed")
    assert done["resultType"] == "complete"
    assert done["result"]["isError"] is False
    assert done["result"]["structuredContent"]["process_id"] == created["taskId"]
    assert json.loads(done["result"]["content"][0]["text"]) == done["result"]["structuredContent"]
    assert shop.project.status(ID) == "completed"
    failed = ask(pipes, call(2, "chant_work_start", id=OTHER))["result"]
    assert until(pipes, failed["taskId"], "completed")["result"]["isError"] is True


def test_cancelling_pauses_and_discards_nothing(shop: Workshop, pipes: Pipes) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    task = ask(pipes, call(1, "chant_work_start", id=ID))["result"]["taskId"]
    assert ask(pipes, request(2, "tasks/cancel", {"taskId": task}))["result"]["resultType"] == "complete"
    until(pipes, task, "cancelled")
    assert "chant/" in shop.project.git("branch", "--list", "chant/*")
    # Another server knows the task by its run, and does not act on it.
    other = Pipes(started_process([*PROGRAM, "mcp"], shop.root))
    try:
        assert get(other, task)["status"] == "completed"
        refused = ask(other, request(3, "tasks/cancel", {"taskId": task}))
        assert "another server" in refused["error"]["message"]
    finally:
        other.discard()


def test_a_split_is_a_task_that_ends_with_its_proposal(shop: Workshop, pipes: Pipes) -> None:
    shop.spec(ID, "wait", criteria=EIGHT)
    shop.spec(OTHER, "garbage", criteria=EIGHT)
    shop.commit()
    before = specs(shop)
    created = ask(pipes, call(1, "chant_split", id=ID))["result"]
    assert (created["resultType"], created["status"]) == ("task", "working")
    assert "result" not in created
    task = created["taskId"]
    assert get(pipes, task)["status"] == "working"
    shop.said(ID, "out waiting")
    go(shop.named(task))
    done = until(pipes, task, "completed")["result"]
    assert done["isError"] is False
    assert done["structuredContent"]["reason"].startswith(f"Proposes 3 members of '{ID}'.")
    assert specs(shop) == before, "a proposal is written when a person agrees"
    known = ask(pipes, call(4, "chant_split", id=ID))["result"]
    assert known["resultType"] == "complete"
    assert known["structuredContent"]["process_id"] == task
    failed = ask(pipes, call(2, "chant_split", id=OTHER))["result"]
    assert until(pipes, failed["taskId"], "completed")["result"]["isError"] is True
    refused = ask(pipes, call(3, "chant_split", id="none"))["result"]
    assert (refused["resultType"], refused["isError"]) == ("complete", True)


def test_a_cancelled_split_writes_nothing_and_can_be_asked_for_again(shop: Workshop, pipes: Pipes) -> None:
    shop.spec(ID, "wait", criteria=EIGHT)
    shop.commit()
    before = specs(shop)
    task = ask(pipes, call(1, "chant_split", id=ID))["result"]["taskId"]
    shop.said(ID, "out waiting")
    assert ask(pipes, request(2, "tasks/cancel", {"taskId": task}))["result"]["resultType"] == "complete"
    until(pipes, task, "cancelled")
    assert specs(shop) == before
    again = ask(pipes, call(3, "chant_split", id=ID))["result"]
    assert again["taskId"] != task
    go(shop.named(again["taskId"]))
    assert until(pipes, again["taskId"], "completed")["result"]["isError"] is False


def test_who_does_not_declare_tasks_gets_the_ordinary_answer(shop: Workshop, pipes: Pipes) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    refused = ask(pipes, call(1, "chant_work_start", id="none"))["result"]
    assert refused["isError"]
    plain = pipes.ask(enveloped(call(2, "chant_work_start", id=ID)))["result"]
    started: dict[str, Any] = plain["structuredContent"]
    assert plain["resultType"] == "complete"
    assert started["spec_id"] == ID
    unknown = ask(pipes, request(3, "tasks/get", {"taskId": "none"}))
    assert unknown["error"]["code"] == -32602
    shop.go(ID)
    wait_for(lambda: shop.project.status(ID) == "completed", "the end of the work")
