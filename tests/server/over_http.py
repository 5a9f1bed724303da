"""Server processes that listen on a port of this machine, and raw requests to them."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx2
from harness import started_process
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from server.pipes import ENVELOPE, MODERN, PATIENCE, Message, initialize

BOTH = "application/json, text/event-stream"
"""What a client of Streamable HTTP accepts."""

TOKEN = "a-token-that-the-tests-know"


@dataclass
class Listening:
    """A server process and what it said where it is."""

    process: subprocess.Popen[bytes]
    root: Path
    _lines: list[str] = field(default_factory=list)
    _said: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        """Read along what it writes to standard error."""

        def listen(pipe: IO[bytes]) -> None:
            for line in pipe:
                with self._said:
                    self._lines.append(line.decode())
                    self._said.notify_all()
            with self._said:
                self._lines.append("")
                self._said.notify_all()

        assert self.process.stderr is not None
        self._thread = threading.Thread(target=listen, args=(self.process.stderr,), daemon=True)
        self._thread.start()

    @property
    def errors(self) -> str:
        """All it wrote to standard error until now."""
        with self._said:
            return "".join(self._lines)

    def line(self, pattern: str) -> re.Match[str]:
        """Wait for something on standard error."""
        with self._said:
            said = self._said.wait_for(
                lambda: re.search(pattern, "".join(self._lines)) or "" in self._lines, PATIENCE
            )
        found = re.search(pattern, self.errors)
        assert said, f"nothing like {pattern!r} for {PATIENCE} s: {self.errors}"
        assert found, self.errors
        return found

    @property
    def url(self) -> str:
        """Where it is, without a path."""
        return self.line(r"at (http://\S+)/(?:mcp|board)")[1]

    @property
    def port(self) -> int:
        """Its port."""
        return int(self.url.rpartition(":")[2])

    def ended(self) -> int:
        """Wait for its end."""
        code = self.process.wait(PATIENCE)
        self._thread.join(PATIENCE)
        return code

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Tell it to end, and wait until it has."""
        self.process.send_signal(how)
        return self.ended()

    def ask(
        self, method: str, path: str, body: Message | bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Send one request as it is; `_` in the name of a header stands for `-`."""
        with self.connection() as connection:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            sent = json.dumps(body).encode() if isinstance(body, dict) else body
            if isinstance(body, dict):
                given = {"content-type": "application/json", "accept": BOTH} | given
            connection.request(method, path, sent, given)
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, told, answer.read()

    @contextmanager
    def connection(self) -> Iterator[http.client.HTTPConnection]:
        """Connect; closed at the end."""
        host, _, port = self.url.removeprefix("http://").rpartition(":")
        connection = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=PATIENCE)
        try:
            yield connection
        finally:
            connection.close()

    def begin(
        self, revision: str = "2025-11-25", capabilities: Message | None = None, /, **headers: str
    ) -> dict[str, str]:
        """Open a session by handshake, and give the headers of its requests."""
        opening = initialize(0, revision, **(capabilities or {}))
        status, told, _ = self.ask("POST", "/mcp", opening, **headers)
        assert status == 200
        session = {"mcp_session_id": told["mcp-session-id"], "mcp_protocol_version": revision, **headers}
        status, _, _ = self.ask(
            "POST", "/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}, **session
        )
        assert status == 202
        return session

    def answer(self, message: Message, **headers: str) -> Message:
        """Send a request on Streamable HTTP and give its answer."""
        status, told, body = self.ask("POST", "/mcp", message, **headers)
        assert status == 200, (status, body)
        if told["content-type"] == "application/json":
            return json.loads(body)
        events = [json.loads(data) for data in re.findall(rb"^data: (\{.*\})\r?$", body, re.M)]
        return next(event for event in events if event.get("id") == message["id"])

    def talked(self, message: Message, reply: Callable[[Message], Message], **headers: str) -> Message:
        """Send a request, reply to what is asked on its stream, the only one, and give its answer."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        given |= {"content-type": "application/json", "accept": BOTH}
        until = time.monotonic() + PATIENCE
        with self.connection() as connection:
            connection.request("POST", "/mcp", json.dumps(message), given)
            for line in connection.getresponse():
                assert time.monotonic() < until, "nothing but signs of life came"
                if not line.startswith(b"data: {"):
                    continue
                event: Message = json.loads(line.removeprefix(b"data: "))
                if "method" not in event:
                    return event
                if "id" in event:
                    said = {"jsonrpc": "2.0", "id": event["id"], "result": reply(event)}
                    assert self.ask("POST", "/mcp", said, **headers)[0] == 202
        raise AssertionError("there is no answer")

    def discard(self) -> None:
        """Kill it if it still runs."""
        self.process.kill()
        self.process.wait()
        self._thread.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()


def modern_headers(message: Message, **more: str) -> dict[str, str]:
    """Give the headers of a request of revision 2026-07-28."""
    name = {"mcp_name": message["params"]["name"]} if "name" in message["params"] else {}
    return {"mcp_protocol_version": MODERN, "mcp_method": message["method"], **name, **more}


@asynccontextmanager
async def client_of(url: str, kind: str, token: str | None = None, **kwargs: Any) -> AsyncGenerator[Client]:
    """Connect a client of the SDK: `sse`, or `streamable` with the handshake, or `modern`."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if kind == "sse":
        async with Client(sse_client(url, headers=headers), mode="legacy", **kwargs) as client:
            yield client
        return
    mode = {"streamable": "legacy", "modern": MODERN}[kind]
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http_client:
        transport = streamable_http_client(url + "/mcp", http_client=http_client)
        async with Client(transport, mode=mode, **kwargs) as client:
            yield client


Listen = Callable[..., Listening]
"""`listen(root, *words)`: a server over HTTP on a project, on a free port unless the words name one."""


def started(root: Path, *words: str, command: list[str] | None = None, **kwargs: Any) -> Listening:
    """Start a server over HTTP."""
    serve = [sys.executable, "-m", "chant_mcp", "serve", *words]
    if "--http" not in words:
        serve += ["--http", "127.0.0.1:0"]
    return Listening(started_process(command or serve, root, **kwargs), root)


def enveloped(message: Message, **capabilities: Any) -> Message:
    """Put a request into the envelope of revision 2026-07-28, with capabilities of the client."""
    meta = {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": capabilities}
    return {**message, "params": {**message.get("params", {}), "_meta": meta}}


def serving(tools: str) -> list[str]:
    """Build the command of a server process over HTTP with tools of its own, in a plain server of the SDK."""
    program = f"""
import anyio, logging, sys, threading
from pathlib import Path
from pydantic import BaseModel
logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
from mcp.server.mcpserver import Context, MCPServer
from chant_mcp.server.http.address import Address, listen, names
from chant_mcp.server.http.app import Service, serve
server = MCPServer("test", log_level="WARNING")
{tools}
at = listen(Address("127.0.0.1", 0))
say = lambda: print(f"at {{at.url}}/mcp", file=sys.stderr, flush=True)
end = lambda: print("told to end", file=sys.stderr, flush=True)
anyio.run(serve, server._lowlevel_server, Service(at, names(at, "127.0.0.1", []), None, say, end))
"""
    return [sys.executable, "-c", program]
