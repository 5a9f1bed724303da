"""An agent asks over HTTP, a person answers on the board, the agent goes on; a crash between (issue 8)."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest
from board import scene
from board.showing import shown
from chant_mcp.board.questions import AnswerField
from harness import Project, text_of
from mcp_types import CallToolResult, TextContent
from server.over_http import Listening, client_of, started
from speckit.features import Features

pytestmark = pytest.mark.anyio

ASKED = {"status": "needs_input", "prompt": "Which database?"}


async def called(server: Listening, tool: str, **arguments: Any) -> CallToolResult:
    """Call a tool as an agent whose client cannot ask its user."""
    async with client_of(server.url, "streamable") as client:
        result = await client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        assert not result.is_error, text_of(result)
        return result


async def told(server: Listening, tool: str, **arguments: Any) -> str:
    """Call a tool and give its text."""
    return text_of(await called(server, tool, **arguments))


async def test_an_agent_asks_is_answered_and_goes_on_although_its_server_is_killed(root: Path) -> None:
    scene.feature(root)
    Features(root).waits(0.2)
    Project(root).repository()
    server = await asyncio.to_thread(started, root, "--no-auth")
    try:
        async with shown(root) as board:
            await board.press("2")
            await board.sees("2/5")
            first = await called(server, "rstn_report_status", **ASKED)
            question = Features(root).open()[0]["id"]
            note = first.content[1]
            assert isinstance(note, TextContent)
            assert f'call again with question="{question}"' in note.text
            await board.until(lambda: isinstance(board.app.focused, AnswerField), "no question")
            await board.type("naïve")

            await asyncio.to_thread(server.stop, signal.SIGKILL)
            server.discard()
            server = await asyncio.to_thread(started, root, "--no-auth")
            await board.sees("Which database?", "4 Questions 1")
            await board.type(" 日本")
            await board.press("enter")
            await board.until(lambda: not Features(root).open(), "no answer")
            said = await told(server, "rstn_report_status", status="needs_input", question=question)
            assert said == "User response: naïve 日本"

            Features(root).waits(30)
            waiting = asyncio.create_task(told(server, "rstn_report_status", **ASKED))
            await board.until(lambda: isinstance(board.app.focused, AnswerField), "no second question")
            await board.type("SQLite")
            await board.press("enter")
            await board.until(waiting.done, "the agent waits on")
            assert waiting.result() == "User response: SQLite"
            await board.sees("[ ] T003")
            for task, progress in (("T003", "3/5"), ("T004", "4/5"), ("T005", "5/5")):
                said = await told(server, "rstn_complete_task", task_id=task)
                assert said.startswith(f"Task {task} marked for completion. Processing...")
                await board.sees(f"[x] {task}", progress)
    finally:
        server.discard()
