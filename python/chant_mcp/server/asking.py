"""Asking the client something while its call waits: at once, or in the modern era by a second call."""

from __future__ import annotations

from typing import Any, TypeVar

import anyio
from mcp import MCPError
from mcp.server.mcpserver import Context
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ElicitRequest, InputRequiredResult, ListRootsRequest, Result
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

R = TypeVar("R", bound=Result)


async def ask(
    context: Context[Any, Any],
    key: str,
    request: ElicitRequest | ListRootsRequest,
    answer: type[R],
    timeout: float,
) -> R | InputRequiredResult | None:
    """Ask the client.

    Args:
        context: The call that waits.
        key: Under which the question and its answer travel in the modern era.
        request: The question.
        answer: What an answer in the handshake era is read as.
        timeout: Seconds that are waited there.

    Returns:
        The answer; none from a client that gives none; or the question, to be returned as the answer to the
        call: in the modern era the client calls again and brings the answer along.
    """
    if is_live(context):
        return await _asked(context, request, answer, timeout)
    answers = context.input_responses
    if answers is None or key not in answers:
        return InputRequiredResult(input_requests={key: request})
    given = answers[key]
    return given if isinstance(given, answer) else None


def is_live(context: Context[Any, Any]) -> bool:
    """Return whether the client answers while its call waits."""
    return context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS


async def _asked(
    context: Context[Any, Any], request: ElicitRequest | ListRootsRequest, answer: type[R], timeout: float
) -> R | None:
    # Over HTTP the question then goes out on the call's own stream: no client need have another one.
    call = ServerMessageMetadata(related_request_id=context.request_id)
    with anyio.move_on_after(timeout):
        try:
            return await context.session.send_request(request, answer, metadata=call)
        except (MCPError, ValidationError):
            pass  # who cannot answer after all has not answered
    return None
