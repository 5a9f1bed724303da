"""A connection of a run that asks for more than the small server of runs answers.

That one is `run_server.py`; from here on the protocol's library serves the same pipes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import BinaryIO

import anyio
import mcp_types as t
from mcp.shared.message import SessionMessage

from chant_mcp.server.app import ChantServer
from chant_mcp.server.wire import PipeIn, PipeOut
from chant_mcp.tool_calls import OfferedTools


def take_over(
    offered: OfferedTools, lines: BinaryIO, write: int, opening: bytes | None, unanswered: Sequence[bytes]
) -> None:
    """Serve the rest of a connection until its input ends.

    Args:
        offered: The tools.
        lines: Where the rest of the input comes from.
        write: Where answers go.
        opening: The message that opened the connection, where it is answered already.
        unanswered: Messages that were read and not answered.
    """

    async def serve() -> None:
        before = [*([opening] if opening else []), *unanswered]
        out = PipeOut(write) if opening is None else _AnsweredOut(write, json.loads(opening)["id"])
        server = ChantServer(offered.session, offered.offer, rights=offered.rights)
        await server.serve_pipes(PipeIn(lines, before), out)

    anyio.run(serve)


class _AnsweredOut(PipeOut):
    """A pipe for answers, of which the first was given already."""

    def __init__(self, fd: int, answered: str | int) -> None:
        super().__init__(fd)
        self._answered: str | int | None = answered

    async def send(self, item: SessionMessage) -> None:
        """Write one message as a line, but not what is answered already."""
        message = item.message
        if isinstance(message, t.JSONRPCResponse) and message.id == self._answered:
            self._answered = None
            return
        await super().send(item)
