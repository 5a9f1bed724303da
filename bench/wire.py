"""A client of raw lines: what a call costs between the last byte sent and the last byte received.

Nothing is parsed or checked while the clock runs, and the client sleeps in `read` meanwhile, so that a
server has all cores to itself.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

Era = Literal["handshake", "modern"]

OURS = (sys.executable, "-m", "chant_mcp")
PLAIN = (sys.executable, str(Path(__file__).with_name("plain_server.py")))

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": INITIALIZE["clientInfo"],
    "io.modelcontextprotocol/clientCapabilities": {},
}


@dataclass(frozen=True, slots=True)
class Call:
    """A tool and its arguments."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer as it came."""

    seconds: float
    line: bytes

    def text(self) -> str:
        """The text of the result.

        Raises:
            RuntimeError: When the call failed: its time would be that of an error.
        """
        answer = json.loads(self.line)
        if "error" in answer or answer["result"].get("isError"):
            raise RuntimeError(f"the call failed: {self.line[:500]!r}")
        return str(answer["result"]["content"][0]["text"])


class Server:
    """A server process, ready for calls."""

    def __init__(self, command: Sequence[str], folder: Path, era: Era = "handshake") -> None:
        """Start a server and shake hands."""
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 (open as long as the server)
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._complaints,
            bufsize=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to = self._process.stdin.fileno()
        self._lines = os.fdopen(os.dup(self._process.stdout.fileno()), "rb", buffering=1 << 20)
        self._numbers = itertools.count(1)
        self._era: Era = era
        if era == "handshake":
            self.ask("initialize", INITIALIZE)
            self._write(_line(INITIALIZED))

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lines.close()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait(timeout=60)
        self._complaints.close()

    def call(self, call: Call) -> Reply:
        """Call a tool and wait for its answer."""
        return self.ask("tools/call", {"name": call.tool, "arguments": call.arguments})

    def memory(self) -> Memory:
        """Read what the process holds in memory."""
        lines = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii").splitlines()
        sizes = dict(line.split(":", 1) for line in lines)
        now, peak = (int(sizes[key].split()[0]) * 1024 for key in ("VmRSS", "VmHWM"))
        return Memory(now, peak)

    def ask(self, method: str, params: Mapping[str, Any]) -> Reply:
        """Send a request and wait for its answer.

        Raises:
            RuntimeError: When the server ends meanwhile.
        """
        if self._era == "modern":
            params = {**params, "_meta": ENVELOPE}
        line = _line({"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params})
        begin = time.perf_counter()
        self._write(line)
        answer = self._lines.readline()
        while answer and b'"id":' not in answer[:64] and b'"method":"notifications/' in answer[:128]:
            answer = self._lines.readline()  # an announcement
        seconds = time.perf_counter() - begin
        if not answer:
            self._complaints.seek(0)
            said = self._complaints.read().decode(errors="replace")[-2_000:]
            raise RuntimeError(f"the server ended during {method}; it said:\n{said}")
        return Reply(seconds, answer)

    def _write(self, line: bytes) -> None:
        # Lines are far below what a pipe holds, so one write takes them whole.
        os.write(self._to, line)


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes of a process that lie in memory."""

    now: int
    peak: int


def first_answer(
    command: Sequence[str], folder: Path, messages: Sequence[Mapping[str, Any]], *, ends: bool
) -> float:
    """Time from the start of a process to its answer to the last of some messages, sent all at once.

    Args:
        command: The server.
        folder: Its working directory.
        messages: What it is sent; the last one is a request.
        ends: Whether the input ends behind them, as it does after `echo … |`.

    Returns:
        Seconds.
    """
    lines = b"".join(_line(message) for message in messages)
    wanted = messages[-1]["id"]
    begin = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(lines)
        process.stdin.flush()
        if ends:
            process.stdin.close()
        for answer in process.stdout:
            if json.loads(answer).get("id") == wanted:
                seconds = time.perf_counter() - begin
                break
        else:
            raise RuntimeError(f"{' '.join(command)} gave no answer")
    return seconds


def request(method: str, params: Mapping[str, Any] | None = None, id: int = 1) -> dict[str, Any]:
    """Make a request that needs no handshake before it."""
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "id": id}
    return message if params is None else {**message, "params": params}


def with_handshake(last: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Put before a request what a server wants to see first."""
    return [request("initialize", INITIALIZE, id=0), INITIALIZED, last]


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"
