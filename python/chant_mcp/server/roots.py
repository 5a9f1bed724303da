"""The folders that a client works in, asked for when nothing else says which project is meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.request import url2pathname

import anyio
from mcp import MCPError
from mcp.server.mcpserver import Context
from mcp_types import InputRequiredResult, ListRootsRequest, ListRootsResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

_QUESTION = "roots"
"""Under which the question and its answer travel in the modern era."""

_PATIENCE = 5.0
"""Seconds that a client is given to answer."""


async def roots_of(context: Context[Any, Any]) -> list[Path] | InputRequiredResult:
    """Ask the client for its roots.

    Returns:
        The roots, none of a client that has or tells none; or the question, to be returned in place of
        an answer: in the modern era the client calls again and brings the roots along.
    """
    capabilities = context.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return []
    if context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
        answer = await _asked(context)
    else:
        answers = context.input_responses
        if answers is None:
            return InputRequiredResult(input_requests={_QUESTION: ListRootsRequest()})
        answer = answers.get(_QUESTION)
    if not isinstance(answer, ListRootsResult):
        return []
    return [Path(url2pathname(root.uri.path)) for root in answer.roots if root.uri.path]


async def _asked(context: Context[Any, Any]) -> ListRootsResult | None:
    with anyio.move_on_after(_PATIENCE):
        try:
            return await context.session.send_request(ListRootsRequest(), ListRootsResult)
        except (MCPError, ValidationError):
            pass  # who announces roots and does not tell them has none
    return None
