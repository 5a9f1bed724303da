"""Answers of the core as results of the protocol."""

from __future__ import annotations

from mcp_types import CallToolResult, TextContent

from chant_mcp._core import Answer


def result(answer: Answer) -> CallToolResult:
    """Give the text as it is, and data also as structured content: many hosts show the model only one."""
    return CallToolResult(
        content=[TextContent(type="text", text=answer.text)], structured_content=answer.data
    )
