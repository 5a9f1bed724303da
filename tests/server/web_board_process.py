"""`board --web` at a pseudo-terminal, and requests as its page makes them."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from server.over_http import Listening, enveloped, modern_headers
from server.pipes import Message, call


@dataclass
class WebBoardProcess:
    """The command, the terminal it was started at, and the key of a person who opened the page."""

    listening: Listening
    terminal: int
    key: str = ""

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return self.listening.line(r"is at (http://\S+)/board")[1]

    @property
    def code(self) -> str:
        """The code on the terminal."""
        return self.listening.line(r"#once=(\S+)")[1]

    def ask(self, method: str, path: str, body: Message | None = None, **headers: str) -> tuple[int, Any]:
        """Send a request as it is; give the status and what the body says."""
        status, _, text = self.listening.ask(method, path, body, **headers)
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text.decode()

    def post(self, path: str, body: Message, **headers: str) -> tuple[int, Any]:
        """Post as the page does: with its origin, and with the person's key if there is one."""
        own = {"origin": self.url, **({"x_chant_person": self.key} if self.key else {})}
        return self.ask("POST", path, body, **{**own, **headers})

    def open(self) -> None:
        """Exchange the code for a key."""
        status, answer = self.post("/board/session", {"code": self.code})
        assert status == 200, answer
        self.key = answer["key"]

    def tool(self, name: str, **arguments: Any) -> Any:
        """Call a tool as the page does, and give its data."""
        message = enveloped(call(1, name, **arguments))
        headers = modern_headers(message, x_chant_person=self.key, origin=self.url)
        result = self.listening.answer(message, **headers)["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    def act(self, name: str, **more: Any) -> tuple[int, Any]:
        """Do what only a person may do."""
        return self.post("/board/person", {"act": name, **more})

    def discard(self) -> None:
        """End it."""
        self.listening.discard()
        os.close(self.terminal)


def start_web_board(root: Path, *words: str) -> WebBoardProcess:
    """Start the command at a terminal of its own."""
    terminal, its_end = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "chant_mcp", "board", "--web", "--port", "0", *words],
            cwd=root,
            stdin=its_end,
            stdout=its_end,
            stderr=subprocess.PIPE,
        )
    finally:
        os.close(its_end)
    board = WebBoardProcess(Listening(process, root), terminal)
    # Requests go to where the command says it listens.
    board.listening.line(r"is at (http://\S+)/board")
    return board
