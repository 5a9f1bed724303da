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
from mcp import MCPError
from mcp.server.mcpserver import Context
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from chant_mcp import progress
from chant_mcp._core import SpeckitFeatures
from chant_mcp.errors import IllegalTransitionError
from chant_mcp.server.consent import can_ask

_PATIENCE = 600.0
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
    if context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
        await _ask_now(features, question, context)
        return given
    answers = context.input_responses or {}
    if question["id"] in answers:
        await _take(features, question["id"], answers[question["id"]])
    elif not any(key.startswith("q-") for key in answers):
        form = ElicitRequestFormParams(message=question["prompt"], requested_schema=_FORM)
        return InputRequiredResult(input_requests={question["id"]: ElicitRequest(params=form)})
    return given


async def _ask_now(
    features: SpeckitFeatures, question: Mapping[str, Any], context: Context[Any, Any]
) -> None:
    """Show the form until it is filled in, or the question is closed elsewhere."""
    is_over = threading.Event()

    async def watch(scope: anyio.CancelScope) -> None:
        wait = functools.partial(
            features.wait,
            question["id"],
            _PATIENCE,
            progress=progress.told.get(),
            has_left=is_over.is_set,
        )
        await anyio.to_thread.run_sync(wait, abandon_on_cancel=True)
        scope.cancel()

    try:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(watch, tasks.cancel_scope)
            try:
                answer = await context.session.elicit_form(
                    question["prompt"], _FORM, related_request_id=context.request_id
                )
            except MCPError:
                answer = None  # it cannot ask after all; the question waits
            if answer is not None:
                await _take(features, question["id"], answer)
            tasks.cancel_scope.cancel()
    finally:
        is_over.set()


async def _take(features: SpeckitFeatures, id: str, answer: object) -> None:
    """Record what the user said; whoever came first is not overruled."""
    text = None
    if isinstance(answer, ElicitResult) and answer.action == "accept":
        text = str((answer.content or {}).get(_FIELD, ""))
    with suppress(IllegalTransitionError):
        await anyio.to_thread.run_sync(functools.partial(features.answer, id, text, by=_BY))
