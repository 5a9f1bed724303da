"""A server process at the other end of real pipes: bytes in, bytes out, nothing in between."""

from __future__ import annotations

import fcntl
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

Message = dict[str, Any]

ID = "2026-01-22-001-x7m"
"""The one spec of the project behind the fixture `pipes`."""

PATIENCE = 90.0
"""Seconds after which a test gives up on an answer or on the end of a process."""

AT_ONCE = 5.0
"""Seconds in which a process that is asked to end has ended, even on a busy machine."""

MODERN = "2026-07-28"

ENVELOPE: Message = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
"""The `_meta` of a request of revision 2026-07-28."""


def request(id: int | str, method: str, params: Message | None = None) -> Message:
    """Make a request."""
    return {"jsonrpc": "2.0", "id": id, "method": method} | ({} if params is None else {"params": params})


def call(id: int | str, tool: str, /, **arguments: Any) -> Message:
    """Make a `tools/call`."""
    return request(id, "tools/call", {"name": tool, "arguments": arguments})


def notification(method: str, params: Message | None = None) -> Message:
    """Make a notification."""
    return {"jsonrpc": "2.0", "method": method} | ({} if params is None else {"params": params})


def modern(message: Message) -> Message:
    """Put a request into the envelope of revision 2026-07-28."""
    return {**message, "params": {**message.get("params", {}), "_meta": ENVELOPE}}


def initialize(id: int | str, revision: str = "2025-11-25", **capabilities: Any) -> Message:
    """Make the opening request of the handshake, by a client with these capabilities."""
    given = {"protocolVersion": revision, "capabilities": capabilities}
    return request(id, "initialize", {**given, "clientInfo": {"name": "test", "version": "1"}})


def encoded(message: Message | bytes) -> bytes:
    """Give a message as a line; bytes as they are."""
    return message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n"


def text_of(answer: Message) -> str:
    """Give the text of a tool's answer."""
    assert "result" in answer, answer
    return answer["result"]["content"][0]["text"]


def promises_in(capabilities: Message) -> list[str]:
    """Give the announced capabilities that tell of changes."""
    given = {name: members for name, members in capabilities.items() if isinstance(members, dict)}
    told = ("listChanged", "subscribe", "subscriptions")
    return [f"{name}.{one}" for name, members in given.items() for one in told if members.get(one)]


@dataclass(frozen=True)
class Ended:
    """A process that is gone: what it left behind."""

    code: int
    seconds: float
    """How long it was waited for."""
    messages: list[Message]
    """All messages that no one had received yet."""
    errors: str
    """Everything it wrote to standard error."""

    def answer(self, id: int | str | None) -> Message:
        """Give the one answer to a request."""
        found = [message for message in self.messages if message.get("id") == id]
        assert len(found) == 1, (id, self.messages, self.errors)
        return found[0]

    @property
    def ids(self) -> list[Any]:
        """The ids of all answers, sorted."""
        return sorted((message["id"] for message in self.messages if "id" in message), key=repr)


@dataclass
class Pipes:
    """The three pipes of a server process."""

    process: subprocess.Popen[bytes]
    _lines: queue.SimpleQueue[bytes] = field(default_factory=queue.SimpleQueue)
    _early: list[Message] = field(default_factory=list)
    _errors: list[bytes] = field(default_factory=list)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin to listen, unless one of the pipes is somewhere else."""

        def lines(pipe: IO[bytes]) -> None:
            for line in pipe:
                self._lines.put(line)
            self._lines.put(b"")

        def errors(pipe: IO[bytes]) -> None:
            self._errors.extend(pipe)

        for listen, pipe in ((lines, self.process.stdout), (errors, self.process.stderr)):
            if pipe is not None:
                thread = threading.Thread(target=listen, args=(pipe,), daemon=True)
                thread.start()
                self._threads.append(thread)

    def send(self, *messages: Message | bytes) -> None:
        """Write messages in one piece."""
        assert self.process.stdin is not None
        self.process.stdin.write(b"".join(map(encoded, messages)))
        self.process.stdin.flush()

    def close(self) -> None:
        """End the input."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.stdin = None

    def receive(self) -> Message:
        """Wait for the next message."""
        if self._early:
            return self._early.pop(0)
        return self._next()

    def answer(self, id: int | str | None) -> Message:
        """Wait for the answer to a request; others are kept for later."""
        passed: list[Message] = []
        while (message := self.receive()).get("id") != id or "method" in message:
            passed.append(message)
        self._early = [*passed, *self._early]
        return message

    def ask(self, message: Message) -> Message:
        """Send a request and wait for its answer."""
        self.send(message)
        return self.answer(message["id"])

    def _next(self) -> Message:
        try:
            line = self._lines.get(timeout=PATIENCE)
        except queue.Empty:
            raise AssertionError(f"no message for {PATIENCE} s; {self._told()}") from None
        assert line, f"the output ended; {self._told()}"
        return parsed(line)

    def _told(self) -> str:
        return b"".join(self._errors).decode(errors="replace") or "nothing on standard error"

    def ended(self, patience: float = PATIENCE) -> Ended:
        """Wait for the end of the process; whatever came out of it is read to the end."""
        begun = time.monotonic()
        try:
            code = self.process.wait(patience)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still running after {patience} s; {self._told()}") from None
        seconds = time.monotonic() - begun
        for thread in self._threads:
            thread.join(PATIENCE)
        messages, self._early = self._early, []
        while not self._lines.empty():
            if line := self._lines.get():
                messages.append(parsed(line))
        return Ended(code, seconds, messages, b"".join(self._errors).decode())

    def discard(self) -> None:
        """Kill the process if it still runs, and close the pipes."""
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def finish(self, *messages: Message | bytes) -> Ended:
        """Send the last messages, end the input, and wait for the end of the process."""
        self.send(*messages)
        self.close()
        return self.ended()


def parsed(line: bytes) -> Message:
    """Read a line that has to be one JSON-RPC message."""
    assert line.endswith(b"\n"), line
    message = json.loads(line.decode("utf-8"))
    assert isinstance(message, dict), line
    assert message["jsonrpc"] == "2.0", line
    kinds = [kind for kind in ("method", "result", "error") if kind in message]
    assert len(kinds) == 1, line
    assert kinds == ["method"] or "id" in message, line
    return message


class Gate:
    """A named pipe that a tool of a test waits at until the test opens it."""

    def __init__(self, root: Path) -> None:
        """Make the pipe."""
        self._path = root / "gate"
        os.mkfifo(self._path)
        self._met = threading.Event()
        self._writer = -1

    def await_call(self) -> None:
        """Wait until a call stands at the gate."""

        def meet() -> None:
            self._writer = os.open(self._path, os.O_WRONLY)  # goes on when somebody reads
            self._met.set()

        threading.Thread(target=meet, daemon=True).start()
        assert self._met.wait(PATIENCE), "no call came to the gate"

    def open(self) -> None:
        """Let the calls go on, those to come too."""
        self._path.with_suffix(".open").touch()
        self._path.with_suffix(".open").replace(self._path)
        os.close(self._writer)


WAITING = """
def wait(session):
    "Wait at the gate."
    Path("gate").read_bytes()
    return session.chant.status(brief=True)

TOOLS = [wait]
"""
"""A tool that waits at a `Gate` in the working directory."""


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a document, as another process that edits it would."""
    with path.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def server_of(root: Path, tools: str) -> list[str]:
    """Build the command of a server process with tools of its own, in front of the chant ones.

    Args:
        root: The project.
        tools: Python source of functions that take the session and return an `Answer`; the ones named
            in `TOOLS` are offered.
    """
    program = f"""
import logging, os, subprocess, sys, threading, time
from pathlib import Path
logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
from chant_mcp.server.app import ChantServer
from chant_mcp.tool_calls import Offer
from chant_mcp.session import Place, Session
from chant_mcp.toolsets import Hints, ToolEntry, chant
{tools}
chant.TOOLS = (*(ToolEntry(tool, Hints(read_only=True)) for tool in TOOLS), *chant.TOOLS)
root = Path({str(root)!r})
ChantServer(Session(Place(root, (root,))), Offer(["all"])).run("stdio")
"""
    return [sys.executable, "-c", program]


Serve = Callable[..., Pipes]
"""`serve(root, …)`: a server process in a folder; `command` for another program than our own."""
