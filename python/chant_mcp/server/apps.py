"""The board as an MCP App: what hosts that show Apps see beside the tools, and no other client does.

A client without the extension gets the listings it always got, byte for byte.
"""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, cast

from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID, client_supports_apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.resources import FunctionResource
from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from chant_mcp.errors import ChantError
from chant_mcp.server import reply, run_tasks
from chant_mcp.session import Session
from chant_mcp.tool_calls import refusal_result
from chant_mcp.toolsets.arguments import BadArguments, check
from chant_mcp.toolsets.schemas import schema_of
from chant_mcp.web_board.assemble import assemble_app
from chant_mcp.web_board.tools import BOARD_TOOLS, BoardTool

URI = "ui://chant/board"
"""The page as a resource."""

_SHOWN_BESIDE = ("chant_status", "chant_ready", "chant_spec_get", "chant_work_list", "vine_read", "get_cr")
"""Tools beside whose results a host may show the board."""

_TOOLS = {tool.name: tool for tool in BOARD_TOOLS}

_INTRODUCTIONS = ("initialize", "server/discover")
"""Requests that are answered with what the server can do."""

_supported: ContextVar[bool] = ContextVar("_supported", default=False)
"""Whether the client of the request under way shows Apps."""


async def notice_support(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Have listings know whether the client shows Apps, and announce them to such clients only."""
    supports = _introduces_support(ctx) if ctx.method == "initialize" else client_supports_apps(ctx)
    before = _supported.set(supports)
    try:
        result = await call_next(ctx)
    finally:
        _supported.reset(before)
    if ctx.method in _INTRODUCTIONS and isinstance(result, dict):
        gone = [] if supports else [EXTENSION_ID]
        if ctx.method == "initialize":  # the handshake's revisions have no tasks
            gone.append(run_tasks.EXTENSION_ID)
        _withdraw(result.get("capabilities"), gone)
    return result


def _introduces_support(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Return true if the capabilities with which a client introduces itself name Apps."""
    found: Any = ctx.params
    for name in ("capabilities", "extensions", EXTENSION_ID, "mimeTypes"):
        found = cast("dict[str, Any]", found).get(name) if isinstance(found, dict) else None
    return isinstance(found, list) and APP_MIME_TYPE in found


def _withdraw(capabilities: Any, gone: Sequence[str]) -> None:
    if isinstance(capabilities, dict):
        extensions = cast("dict[str, Any]", capabilities).get("extensions")
        if isinstance(extensions, dict):
            for name in gone:
                cast("dict[str, Any]", extensions).pop(name, None)
            if not extensions:
                del capabilities["extensions"]


def is_supported() -> bool:
    """Return true while a request of a client that shows Apps is handled."""
    return _supported.get()


def with_board(tools: list[Tool]) -> list[Tool]:
    """Give a listing with links to the board, and the page's own tools behind the others."""
    linked = [_linked(tool) if tool.name in _SHOWN_BESIDE else tool for tool in tools]
    return [*linked, *map(_listed, BOARD_TOOLS)]


def is_board_tool(name: str) -> bool:
    """Return true for a tool of the page."""
    return name in _TOOLS


def call_board_tool(session: Session, name: str, arguments: dict[str, Any]) -> CallToolResult:
    """Answer a question of the page."""
    tool = _TOOLS[name]
    try:
        given = check(_schema(tool), arguments, "Missing required parameter: {}")
        text = tool.run(session, **given)
    except BadArguments as error:
        return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)
    except ChantError as error:
        return reply.refusal(refusal_result(error))
    # The page reads the structured part; models do not see these tools.
    return CallToolResult(content=[], structured_content=json.loads(text))


def board_resource() -> FunctionResource:
    """Give the page as a resource, put together when it is read; it asks for no network."""
    return FunctionResource(
        uri=URI,
        name="board",
        title="Board",
        description="Specs, tasks and tickets by what they mean to a person, as they change.",
        mime_type=APP_MIME_TYPE,
        meta={"ui": {"csp": {}, "prefersBorder": False}},
        fn=lambda: assemble_app(),
    )


def _linked(tool: Tool) -> Tool:
    return tool.model_copy(update={"meta": {"ui": {"resourceUri": URI}, "ui/resourceUri": URI}})


@functools.cache
def _listed(tool: BoardTool) -> Tool:
    listed = Tool(
        name=tool.name,
        description=inspect.cleandoc(tool.run.__doc__ or ""),
        input_schema=_schema(tool),
        annotations=ToolAnnotations(
            read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
    return listed.model_copy(update={"meta": {"ui": {"resourceUri": URI, "visibility": ["app"]}}})


@functools.cache
def _schema(tool: BoardTool) -> dict[str, Any]:
    return schema_of(tool.run)
