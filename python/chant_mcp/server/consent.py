"""A person's consent, asked for where the client can do that, before a call goes further than it was told."""

from __future__ import annotations

from typing import Any

import anyio
from mcp import MCPError
from mcp.server.mcpserver import Context
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

_QUESTION = "consent"
"""Under which the question and its answer travel in the modern era."""

_PATIENCE = 300.0
"""Seconds that a person is given to answer."""

_FORM = {
    "type": "object",
    "properties": {"agree": {"type": "boolean", "title": "Yes, do it", "default": True}},
    "required": ["agree"],
}


def can_ask(context: Context[Any, Any]) -> bool:
    """Tell whether the client puts questions to a person."""
    capabilities = context.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


async def consent(context: Context[Any, Any], question: str) -> bool | InputRequiredResult:
    """Ask a person.

    Returns:
        Whether they agree, which somebody who does not answer does not; or the question, to be returned in
        place of an answer: in the modern era the client calls again and brings the answer along.
    """
    request = ElicitRequest(params=ElicitRequestFormParams(message=question, requested_schema=_FORM))
    if context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
        return _agrees(await _asked(context, request))
    answers = context.input_responses
    if answers is None or _QUESTION not in answers:
        return InputRequiredResult(input_requests={_QUESTION: request})
    return _agrees(answers[_QUESTION])


def _agrees(answer: object) -> bool:
    if not isinstance(answer, ElicitResult) or answer.action != "accept":
        return False
    return (answer.content or {}).get("agree") is True


async def _asked(context: Context[Any, Any], request: ElicitRequest) -> ElicitResult | None:
    with anyio.move_on_after(_PATIENCE):
        try:
            return await context.session.send_request(request, ElicitResult)
        except (MCPError, ValidationError):
            pass  # who cannot ask after all has nobody who agrees
    return None
