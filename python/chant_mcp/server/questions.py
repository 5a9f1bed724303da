"""Questions of agents, put to the user by the client where it can ask.

The question is a record of the core's before anybody is asked, so that it may be answered elsewhere, too;
who is first counts.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from chant_mcp import progress
from chant_mcp._core import SpeckitFeatures
from chant_mcp.errors import ChantError, IllegalTransitionError
from chant_mcp.server.asking import ask, is_live
from chant_mcp.server.consent import can_ask

_TIMEOUT = 600.0
"""Seconds that a person is given to fill in the client's form."""

_FIELD = "answer"

_FORM: dict[str, Any] = {
    "type": "object",
    "properties": {_FIELD: {"type": "string", "title": "Answer"}},
    "required": [_FIELD],
}

_BY = "client"
"""Who answered, in the record."""


async def put(
    features: SpeckitFeatures, arguments: Mapping[str, Any], context: Context[Any, Any] | None
) -> dict[str, Any] | InputRequiredResult:
    """Have the client ask its user what a call of `rstn_report_status` asks.

    Returns:
        The arguments, with the question that now is answered or still waits; or the form, to be returned
        in place of an answer: in the modern era the client calls again and brings it along.
    """
    given = dict(arguments)
    if context is None or given.get("status") != "needs_input" or not can_ask(context):
        return given
    asked = functools.partial(
        features.ask, given.get("prompt"), question=given.get("question"), agent=progress.agent.get()
    )
    question: dict[str, Any] = (await anyio.to_thread.run_sync(asked)).data
    given["question"] = question["id"]
    if question["state"] != "open":
        return given
    if _was_answered_before(question, context):
        return given
    answer = await _answer(features, question, context)
    if isinstance(answer, InputRequiredResult):
        return answer
    await _take(features, question["id"], answer)
    return given


def _was_answered_before(question: Mapping[str, Any], context: Context[Any, Any]) -> bool:
    """Return whether the call brings an answer along, but to another question: that is not asked again."""
    answers = context.input_responses or {}
    return question["id"] not in answers and any(key.startswith("q-") for key in answers)


async def _answer(
    features: SpeckitFeatures, question: Mapping[str, Any], context: Context[Any, Any]
) -> ElicitResult | InputRequiredResult | None:
    """Show the form until it is filled in, or the question is closed elsewhere."""
    form = ElicitRequestFormParams(message=question["prompt"], requested_schema=_FORM)
    asked = functools.partial(
        ask, context, question["id"], ElicitRequest(params=form), ElicitResult, _TIMEOUT
    )
    if not is_live(context):
        return await asked()
    answer: ElicitResult | InputRequiredResult | None = None
    refusal: ChantError | None = None
    is_over = threading.Event()

    async def watch(scope: anyio.CancelScope) -> None:
        nonlocal refusal
        wait = functools.partial(
            features.wait, question["id"], _TIMEOUT, progress=progress.on_step.get(), has_left=is_over.is_set
        )
        try:
            await anyio.to_thread.run_sync(wait, abandon_on_cancel=True)
        except ChantError as error:
            refusal = error  # raised in here it would come out as a group
        scope.cancel()

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch, tasks.cancel_scope)
            answer = await asked()
            tasks.cancel_scope.cancel()
    finally:
        is_over.set()
    if refusal is not None:
        raise refusal
    return answer


async def _take(features: SpeckitFeatures, id: str, answer: ElicitResult | None) -> None:
    """Record what the user said; the first answer is not overruled.

    A form that comes back without a text leaves the question open.
    """
    if answer is None:
        return
    said = (answer.content or {}).get(_FIELD) if answer.action == "accept" else None
    text = None if said is None else str(said)
    if answer.action == "accept" and not (text and text.strip()):
        return
    with suppress(IllegalTransitionError):
        await anyio.to_thread.run_sync(functools.partial(features.answer, id, text, by=_BY))
