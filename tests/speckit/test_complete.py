"""`rstn_complete_task`: over the wire, by several processes, many times."""

from __future__ import annotations

import pytest
from harness import Caller, text_of
from mcp_types import TextContent
from server.conftest import Serve
from server.pipes import call as request
from server.pipes import text_of as text_on_wire
from speckit.features import TASKS, Features

pytestmark = pytest.mark.anyio


@pytest.mark.requirement(
    "speckit:complete_task:answers_with_the_id",
    "speckit:complete_task:is_saved_when_it_answers",
    "speckit:complete_task:ticks_one_box",
    "speckit:complete_task:skip_validation_is_false",
)
async def test_vector_5_and_6_a_task_is_ticked_once(call: Caller) -> None:
    features = Features(call.project.root)
    path = features.tasks(TASKS.replace("\n", "\r\n"))
    before = path.read_bytes()
    result = await call("rstn_complete_task", task_id="T001")
    assert text_of(result) == (
        "Task T001 marked for completion. Processing...\n1/3 tasks complete\nNo checks are configured.\n"
        "Next: T002 Add linting\nCan be done at once: T002, T003"
    )
    assert result.structured_content is not None
    assert result.structured_content["completed"] is True
    assert result.structured_content["progress"] == "1/3"
    assert result.structured_content["next_task"] == {"id": "T002", "description": "Add linting"}
    after = path.read_bytes()
    assert after == before.replace(b"[ ] T001", b"[x] T001")
    again = await call.data("rstn_complete_task", task_id="T001", skip_validation=False)
    assert again["already_complete"] is True
    assert path.read_bytes() == after
    assert [event["task"] for event in features.events()] == ["T001"]


@pytest.mark.requirement("speckit:complete_task:unknown_task")
async def test_vector_7_an_unknown_task_is_an_error_with_those_like_it(call: Caller) -> None:
    before = Features(call.project.root).tasks().read_bytes()
    result = await call("rstn_complete_task", task_id="T999")
    assert result.is_error
    assert [block.text for block in result.content if isinstance(block, TextContent)] == [
        "Task T999 not found",
        "Nearest: T001, T002, T003",
    ]
    assert Features(call.project.root).folder.joinpath("tasks.md").read_bytes() == before


@pytest.mark.requirement("speckit:complete_task:no_task_list", "speckit:complete_task:no_feature")
async def test_without_a_list_or_a_feature_the_seeds_errors_are_told(call: Caller) -> None:
    features = Features(call.project.root)
    features.folder.joinpath("tasks.md").unlink()
    assert await call.error("rstn_complete_task", task_id="T001") == "No task list loaded"
    features.project.git("switch", "-qc", "main")
    assert await call.error("rstn_complete_task", task_id="T001") == "No feature context"


@pytest.mark.requirement("speckit:complete_task:task_id_is_required", "speckit:errors:missing_field")
async def test_a_missing_or_ill_typed_id_is_told(call: Caller) -> None:
    assert await call.error("rstn_complete_task") == "Error: Missing 'task_id' field"
    assert await call.error("rstn_complete_task", task_id=None) == "Error: Missing 'task_id' field"
    assert await call.error("rstn_complete_task", task_id=1) == (
        "Error: Missing 'task_id' field: expected string, got integer"
    )
    assert await call.error("rstn_complete_task", task_id="T001", skip_validation="yes") == (
        "Error: Invalid parameter 'skip_validation': expected boolean, got string"
    )


@pytest.mark.requirement("speckit:errors:internal")
async def test_what_the_disk_refuses_is_told_as_an_internal_error(call: Caller) -> None:
    path = Features(call.project.root).folder / "tasks.md"
    path.unlink()
    path.mkdir()
    said = await call.error("rstn_complete_task", task_id="T001")
    assert said.startswith("Error: `specs/060-mcp/tasks.md` cannot be read")


def test_vector_8_ten_processes_complete_at_once_and_lose_nothing(features: Features, serve: Serve) -> None:
    text = "".join(f"- [ ] T{n:03} [P] task {n}\n" for n in range(100))
    path = features.tasks(text)
    servers = [serve(features.root) for _ in range(10)]
    for number, server in enumerate(servers):
        tasks = range(number * 10, number * 10 + 10)
        server.send(*(request(n, "rstn_complete_task", task_id=f"T{n:03}") for n in tasks))
        server.close()
    for number, server in enumerate(servers):
        ended = server.ended(120)
        for n in range(number * 10, number * 10 + 10):
            said = text_on_wire(ended.answer(n))
            assert said.startswith(f"Task T{n:03} marked for completion."), said
    assert path.read_text("utf-8") == text.replace("[ ]", "[x]")
    assert sorted(event["task"] for event in features.events()) == [f"T{n:03}" for n in range(100)]


def test_vector_11_hundreds_are_completed_and_a_later_reader_sees_them(
    features: Features, serve: Serve
) -> None:
    """The first of them over the wire; a queue of a hundred once was the end there."""
    features.tasks("".join(f"- [ ] T{n:03} [P] task\n" for n in range(500)))
    server = serve(features.root)
    for n in range(120):
        said = text_on_wire(server.ask(request(n, "rstn_complete_task", task_id=f"T{n:03}")))
        assert said.startswith(f"Task T{n:03} marked for completion.")
    server.discard()
    for n in range(120, 500):
        features.core.complete(f"T{n:03}")
    assert len(features.events()) == 500
    assert features.core.tasks().data["progress"] == "500/500"
