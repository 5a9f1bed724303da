"""Answers of the core as results of the protocol.

Many hosts show the model only one of text and structured content, so an answer that is data is both.
On standard output the structured part is the JSON that the core rendered, as it is: made into Python
values and back it would cost more than the call.
"""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, JSONRPCMessage, JSONRPCResponse, TextContent

from chant_mcp._core import Answer
from chant_mcp.errors import ChantError, NotTrustedError

_STRUCTURED = "structuredContent"

_MOST_TEXT = 40_000
"""Characters of an error that are shown; only one that quotes a giant argument is longer."""


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
    texts = [answer.text] if answer.note is None else [answer.text, answer.note]
    content: list[Any] = [TextContent(type="text", text=text) for text in texts]
    aside = _aside.get()
    if aside is None or answer.json is None:
        return CallToolResult(content=content, structured_content=answer.data)
    aside.json = answer.json
    return CallToolResult(content=content, structured_content={})


def refusal(error: dict[str, Any]) -> CallToolResult:
    """Give an error that is data, as text and as structured content."""
    text = json.dumps(error, indent=2, ensure_ascii=False)
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=error, is_error=True
    )


def hinted(error: str, hint: str) -> CallToolResult:
    """Give an error in the words of a seed, and beside it what to do next."""
    content: list[Any] = [TextContent(type="text", text=text) for text in (error, hint)]
    return CallToolResult(content=content, is_error=True)


def untrusted(error: NotTrustedError) -> CallToolResult:
    """Give the refusal of an act that a person has to agree to first, with what they would be shown."""
    text = TextContent(type="text", text=shown(error.told_to_agents()))
    needed = {"needs": "trust", "shown": error.shown}
    return CallToolResult(content=[text], structured_content=needed, is_error=True)


def refused(error: ChantError) -> CallToolResult:
    """Give a refusal of the core in the form that its dialect's clients expect.

    Raises:
        ToolError: Where that is a text alone.
    """
    if isinstance(error, NotTrustedError):
        return untrusted(error)
    if error.object is not None:
        return refusal(error.object)
    if (hint := error.details.get("hint")) is not None:
        return hinted(shown(str(error)), shown(str(hint)))
    raise ToolError(str(error)) from error


def shown(text: str, most: int = _MOST_TEXT) -> str:
    """Shorten a text that quotes a giant argument, and show what is no Unicode as an escape."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"


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


def line(message: JSONRPCMessage) -> bytes:
    """Write a message as a line, rendered parts in their places."""
    text = message.model_dump_json(by_alias=True, exclude_unset=True)
    if isinstance(message, JSONRPCResponse):
        structured = message.result.get(_STRUCTURED)
        if isinstance(structured, Rendered):
            # Inside a text the quotes would stand behind backslashes.
            text = text.replace(f'"{_STRUCTURED}":{{}}', f'"{_STRUCTURED}":{structured.json}', 1)
    return text.encode() + b"\n"
