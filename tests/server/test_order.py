"""Calls of one client take effect in the order in which they came (reference chant 5.0)."""

from __future__ import annotations

import anyio
import anyio.lowlevel
import pytest
from chant_mcp.server.clients import Order
from harness import Project
from server.pipes import ID, Pipes, call, locked, text_of

BODY = "# Work\n\n## Acceptance Criteria\n\n- [ ] one\n"


@pytest.mark.parametrize("turn", range(5))
def test_a_call_sees_what_those_before_it_changed(pipes: Pipes, project: Project, turn: int) -> None:
    project.spec(ID, status="in_progress", body=BODY)
    ended = pipes.finish(
        call(1, "chant_spec_update", id=ID, check=["one"]),
        call(2, "chant_finalize", id=ID),
        call(3, "chant_spec_get", id=ID),
    )
    assert text_of(ended.answer(2)).startswith(f"Finalized spec: {ID}"), turn
    assert '"status":"completed"' in text_of(ended.answer(3))


def test_changes_that_are_sent_at_once_land_one_after_another(pipes: Pipes, project: Project) -> None:
    project.spec(ID, status="in_progress", body="# Work")
    ended = pipes.finish(*[call(n, "chant_spec_update", id=ID, output=f"<{n}>") for n in range(20)])
    assert len(ended.ids) == 20
    text = project.text(ID)
    places = [text.index(f"<{n}>") for n in range(20)]
    assert places == sorted(places)


@pytest.mark.anyio
async def test_a_queue_keeps_its_order_however_long_it_is() -> None:
    """Its calls take longer together than one is waited for that makes no progress."""
    order, log = Order(), list[tuple[str, int]]()

    async def change(number: int) -> None:
        async with order.turn(changes=True):
            log.append(("begun", number))
            await anyio.sleep(0.15)
            log.append(("done", number))

    async with anyio.create_task_group() as tasks:
        for number in range(12):
            tasks.start_soon(change, number)
            await anyio.lowlevel.checkpoint()
    assert log == [(what, number) for number in range(12) for what in ("begun", "done")]


def test_a_call_that_is_held_up_is_overtaken_after_a_while(pipes: Pipes, project: Project) -> None:
    with locked(project.path(ID)):
        pipes.send(call(1, "chant_spec_update", id=ID, labels=["late"]), call(2, "chant_spec_get", id=ID))
        assert pipes.receive()["id"] == 2
    assert text_of(pipes.answer(1)) == f"Updated spec: {ID}"
