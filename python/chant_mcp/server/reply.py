"""Answers of the core as results of the protocol.

Many hosts show the model only one of text and structured content, so an answer that is data is both.
On standard output the structured part is the JSON that the core rendered, as it is: made into Python
values and back it would cost more than the call.
"""

from __future__ import annotations

import json
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types import CallToolResult, JSONRPCMessage, JSONRPCResponse, TextContent
from pydantic_core import PydanticSerializationError

from chant_mcp._core import Answer
from chant_mcp.tool_calls import ToolResult, answer_result

_STRUCTURED = "structuredContent"


class Rendered(dict[str, Any]):
    """An empty object in whose place JSON is written that is rendered already."""

    def __init__(self, json: str) -> None:
        """Stand for this JSON."""
        super().__init__()
        self.json = json


@dataclass(slots=True)
class _Aside:
    """The structured part of a call's answer, while the SDK handles the rest."""

    json: str | None = None


_aside: ContextVar[_Aside | None] = ContextVar("_aside", default=None)


def result(answer: Answer) -> CallToolResult:
    """Give the text as it is, and data also as structured content."""
    found = answer_result(answer)
    aside = _aside.get()
    if aside is None or found.json is None:
        return CallToolResult(content=_texts(found), structured_content=answer.data)
    aside.json = found.json
    return CallToolResult(content=_texts(found), structured_content={})


@contextmanager
def whole_results() -> Generator[None]:
    """Have answers carry their structured part themselves, for one who keeps them."""
    token = _aside.set(None)
    try:
        yield
    finally:
        _aside.reset(token)


def refusal(found: ToolResult) -> CallToolResult:
    """Give what a refused call answers."""
    data = None if found.json is None else json.loads(found.json)
    return CallToolResult(content=_texts(found), structured_content=data, is_error=True)


def _texts(found: ToolResult) -> list[Any]:
    return [TextContent(type="text", text=text) for text in found.texts]


async def rendered_aside(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Pass the structured part of an answer by the SDK, which would copy it several times."""
    aside = _Aside()
    token = _aside.set(aside)
    try:
        shaped = await call_next(ctx)
    finally:
        _aside.reset(token)
    # Revisions of the protocol that do not know the structured part have lost it by now.
    if aside.json is not None and isinstance(shaped, dict) and _STRUCTURED in shaped:
        shaped[_STRUCTURED] = Rendered(aside.json)
    return shaped


def _json_of(message: JSONRPCMessage) -> str:
    """Write a message as JSON, whatever its texts hold: half of a surrogate pair stays an escape."""
    try:
        return message.model_dump_json(by_alias=True, exclude_unset=True, warnings=False)
    except PydanticSerializationError:
        return json.dumps(message.model_dump(by_alias=True, exclude_unset=True, warnings=False))


def line(message: JSONRPCMessage) -> bytes:
    """Write a message as a line, rendered parts in their places."""
    text = _json_of(message)
    if isinstance(message, JSONRPCResponse):
        structured = message.result.get(_STRUCTURED)
        if isinstance(structured, Rendered):
            # Inside a text the quotes would stand behind backslashes.
            text = text.replace(f'"{_STRUCTURED}":{{}}', f'"{_STRUCTURED}":{structured.json}', 1)
    return text.encode() + b"\n"
