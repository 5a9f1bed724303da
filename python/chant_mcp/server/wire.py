"""Standard input and output as the SDK's streams, and a gate that is lenient where the seed is.

The SDK's own stdio transport drops what it cannot read, forgets requests in flight when the input
ends, and hangs on Ctrl-C (reference mcp 9). This one answers every request before the process ends,
serves requests without a handshake, and leaves standard output to the protocol alone.
"""

from __future__ import annotations

import asyncio
import os
import select
import sys
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as t
from mcp.shared.message import ServerMessageMetadata, SessionMessage
from pydantic import ValidationError

_MOST_QUEUED = 1024
"""Messages read ahead of the server; a client that sends faster waits."""

_AT_ONCE = 4096
"""Bytes that a ready pipe takes without blocking (PIPE_BUF on Linux)."""

_DRAIN = 30.0
"""Seconds for which requests in flight are waited for after the input ended."""

Item = SessionMessage | Exception


class _End:
    """What the SDK asks of either end of a transport."""

    async def aclose(self) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


class _Reader(_End):
    """An end that messages come from."""

    async def receive(self) -> Item:
        raise NotImplementedError

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> Item:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None


class PipeIn(_Reader):
    """Messages from a pipe: one daemon thread reads and parses, the loop never waits on a read."""

    def __init__(self, fd: int) -> None:
        """Begin to read."""
        self._loop = asyncio.get_running_loop()
        self._items: deque[Item] = deque()
        self._room = threading.Semaphore(_MOST_QUEUED)
        self._wake = asyncio.Event()
        self._ended = False
        self._closed = False
        threading.Thread(target=self._pump, args=(fd,), name="mcp-stdin", daemon=True).start()

    def _tell(self) -> None:
        try:
            self._loop.call_soon_threadsafe(self._wake.set)
        except RuntimeError:
            pass  # the loop is closed: nobody listens any more

    def _pump(self, fd: int) -> None:
        try:
            with os.fdopen(fd, "rb", closefd=False) as lines:
                for line in lines:
                    self._room.acquire()
                    self._items.append(_parsed(line))
                    self._tell()
        except OSError:
            pass  # a broken pipe ends the input like any other end
        self._ended = True
        self._tell()

    async def receive(self) -> Item:
        """Wait for the next message.

        Raises:
            anyio.EndOfStream: At the end of the input.
        """
        while not self._items:
            if self._closed:
                raise anyio.ClosedResourceError
            if self._ended:
                raise anyio.EndOfStream
            self._wake.clear()
            if not (self._items or self._ended):
                await self._wake.wait()
        self._room.release()
        return self._items.popleft()

    async def aclose(self) -> None:
        """Stop receiving; the thread ends with the process."""
        self._closed = True
        self._wake.set()


def _parsed(line: bytes) -> Item:
    text = line.decode("utf-8", "replace")
    try:
        return SessionMessage(t.jsonrpc_message_adapter.validate_json(text, by_name=False))
    except (ValidationError, RecursionError) as error:
        return error


class PipeOut(_End):
    """Messages to a pipe: small ones straight out when it is ready, others from a thread."""

    def __init__(self, fd: int) -> None:
        """Write to this descriptor."""
        self._fd = fd
        self._lock = anyio.Lock()
        self._closed = False

    async def send(self, item: SessionMessage) -> None:
        """Write one message as a line.

        Raises:
            anyio.BrokenResourceError: When nobody reads any more.
        """
        if self._closed:
            raise anyio.ClosedResourceError
        frame = item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        async with self._lock:
            try:
                if len(frame) <= _AT_ONCE and self._is_ready():
                    os.write(self._fd, frame)
                else:
                    await anyio.to_thread.run_sync(self._write_all, frame)
            except OSError as error:
                raise anyio.BrokenResourceError from error

    def _is_ready(self) -> bool:
        return sys.platform != "win32" and bool(select.select((), (self._fd,), (), 0)[1])

    def _write_all(self, frame: bytes) -> None:
        view = memoryview(frame)
        while view:
            view = view[os.write(self._fd, view) :]

    async def aclose(self) -> None:
        """Refuse further messages."""
        self._closed = True


@asynccontextmanager
async def stdio() -> AsyncIterator[tuple[PipeIn, PipeOut]]:
    """Take standard input and output for the protocol.

    Meanwhile stray prints go to standard error and stray reads see an end, in child processes too.
    """
    sys.stdout.flush()
    wire_in, wire_out = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    try:
        yield PipeIn(wire_in), PipeOut(wire_out)
    finally:
        sys.stdout.flush()
        os.dup2(wire_out, 1)
        os.dup2(wire_in, 0)


def rejection(problem: Exception) -> t.JSONRPCError | None:
    """Give the error owed for a line that is no message; none for a blank line (seed chant, errors)."""
    if not isinstance(problem, ValidationError):
        return _error(t.PARSE_ERROR, "Parse error: nested too deeply")
    errors = problem.errors(include_url=False)
    first = errors[0]
    if first["type"] == "json_invalid":
        is_blank = not str(first["input"]).strip()
        return None if is_blank else _error(t.PARSE_ERROR, f"Parse error: {first['ctx']['error']}")
    missing = (e["input"] for e in errors if e["type"] == "missing" and len(e["loc"]) == 2)
    frame = next(missing, None)
    if not isinstance(frame, dict):
        return _error(t.INVALID_REQUEST, "Invalid Request")
    given: Any = frame.get("id")
    id = given if isinstance(given, (str, int)) and not isinstance(given, bool) else None
    is_other_version = frame.get("jsonrpc") != "2.0"
    message = "Invalid JSON-RPC version" if is_other_version else "Invalid Request"
    return _error(t.INVALID_REQUEST, message, id)


def _error(code: int, message: str, id: str | int | None = None) -> t.JSONRPCError:
    return t.JSONRPCError(jsonrpc="2.0", id=id, error=t.ErrorData(code=code, message=message))


class GateOut(_End):
    """Counts the answers still owed, so that the end of the input can wait for them."""

    def __init__(self, out: PipeOut) -> None:
        """Pass messages on to `out`."""
        self._out = out
        self._owed: set[str | int] = set()
        self._idle = anyio.Event()

    def owe(self, id: str | int) -> None:
        """Note a request."""
        if not self._owed:
            self._idle = anyio.Event()
        self._owed.add(id)

    def settle(self, id: str | int | None) -> None:
        """Note that a request is answered or never will be."""
        if id is not None:
            self._owed.discard(id)
        if not self._owed:
            self._idle.set()

    async def all_answered(self, patience: float) -> None:
        """Wait until nothing is owed, or for so many seconds."""
        if self._owed:
            with anyio.move_on_after(patience):
                await self._idle.wait()

    async def send(self, item: SessionMessage) -> None:
        """Pass a message on."""
        await self._out.send(item)
        if isinstance(item.message, (t.JSONRPCResponse, t.JSONRPCError)):
            self.settle(item.message.id)

    async def aclose(self) -> None:
        """Close the pipe."""
        await self._out.aclose()


class GateIn(_Reader):
    """Answers what is no message, opens the handshake era for bare requests, holds the end back."""

    def __init__(self, inner: PipeIn, out: GateOut, drain: float) -> None:
        """Read from `inner`; errors are answered through `out`."""
        self._inner = inner
        self._out = out
        self._drain = drain
        self._queue: deque[SessionMessage] = deque()
        self._opened = False

    async def receive(self) -> SessionMessage:
        """Wait for the next message that the server shall see."""
        while not self._queue:
            try:
                item = await self._inner.receive()
            except anyio.EndOfStream:
                # The SDK cancels what is in flight when its input ends.
                await self._out.all_answered(self._drain)
                raise
            if isinstance(item, Exception):
                if (answer := rejection(item)) is not None:
                    await self._out.send(SessionMessage(answer))
            elif isinstance(item.message, t.JSONRPCRequest):
                self._queue.append(self._admit(item.message))
            else:
                self._queue.append(item)
        return self._queue.popleft()

    def _admit(self, request: t.JSONRPCRequest) -> SessionMessage:
        if request.method == "initialize":
            given = {
                "protocolVersion": "2024-11-05",
                "capabilities": {},
                "clientInfo": {"name": "unknown", "version": "0"},
                **(request.params or {}),
            }
            request = request.model_copy(update={"params": given})
        elif not self._opened and not _is_modern(request):
            # A bare `initialized` is the whole handshake for who sends none.
            opening = t.JSONRPCNotification(jsonrpc="2.0", method="notifications/initialized")
            self._queue.append(SessionMessage(opening))
        self._opened = True
        if request.method == "subscriptions/listen":
            return SessionMessage(request)  # answered only when the stream ends
        self._out.owe(request.id)

        async def unanswered() -> None:
            self._out.settle(request.id)

        return SessionMessage(request, ServerMessageMetadata(on_request_unanswered=unanswered))

    async def aclose(self) -> None:
        """Close the pipe."""
        await self._inner.aclose()


def _is_modern(request: t.JSONRPCRequest) -> bool:
    """Whether a request carries its protocol revision itself."""
    meta: Any = (request.params or {}).get("_meta")
    return isinstance(meta, dict) and t.PROTOCOL_VERSION_META_KEY in meta


def lenient(read: PipeIn, write: PipeOut, drain: float = _DRAIN) -> tuple[GateIn, GateOut]:
    """Put the gate between a transport and the server."""
    out = GateOut(write)
    return GateIn(read, out, drain), out
