"""A person's consent, asked for where the client can do that, before a call does more than was asked."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context
from mcp_types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult

from chant_mcp.server.asking import ask
from chant_mcp.toolsets import Question

_TIMEOUT = 300.0
"""Seconds that a person is given to answer."""

_FORM = {
    "type": "object",
    "properties": {"agree": {"type": "boolean", "title": "Yes, do it", "default": True}},
    "required": ["agree"],
}


def can_ask(context: Context[Any, Any]) -> bool:
    """Return whether the client puts questions to a person."""
    capabilities = context.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    return elicitation is not None and (elicitation.form is not None or elicitation.url is None)


async def consent(context: Context[Any, Any], question: Question) -> bool | InputRequiredResult:
    """Ask a person.

    Returns:
        Whether they agree, which somebody who does not answer does not; or the question, to be returned in
        place of an answer.
    """
    request = ElicitRequest(params=ElicitRequestFormParams(message=question.text, requested_schema=_FORM))
    # An answer that comes with a later call is one to this very question.
    answer = await ask(context, f"consent-{question.about}", request, ElicitResult, _TIMEOUT)
    return answer if isinstance(answer, InputRequiredResult) else _agrees(answer)


def _agrees(answer: ElicitResult | None) -> bool:
    if answer is None or answer.action != "accept":
        return False
    return (answer.content or {}).get("agree") is True
