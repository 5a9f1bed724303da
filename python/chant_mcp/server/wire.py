"""Standard input and output as the SDK's streams, and a gate that is lenient where the seed is.

The SDK's own stdio transport drops what it cannot read, forgets requests in flight when the input
ends, and hangs on Ctrl-C (reference mcp 9). This one answers every request before the process ends,
serves requests without a handshake, and leaves standard output to the protocol alone.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import select
import stat
import struct
import sys
import threading
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, BinaryIO, cast

import anyio
import anyio.to_thread
import mcp_types as t
from mcp.shared.message import ServerMessageMetadata, SessionMessage

from chant_mcp.message_lines import lines_of
from chant_mcp.pipe_ends import has_writer
from chant_mcp.server import reply
from chant_mcp.server.envelope import Item, admit
from chant_mcp.server.hangup import ReaderWatch

_MOST_QUEUED = 1024
"""Messages read ahead of the server; a client that sends faster waits."""

_AT_ONCE = 4096
"""Bytes that a ready pipe takes without blocking (PIPE_BUF on Linux); an empty one takes its capacity."""

_MOST_WAITING = 8_000_000
"""Bytes of answers that wait for the client to read them; while there are more, it is not read either."""

_DRAIN = 30.0
"""Seconds for which requests in flight are waited for after the input ended."""

_UNREAD = 0.6
"""Seconds after which output that no one takes is given up, once the input has ended."""

_IMPLIED = "chant-mcp/implied"
"""Marks the `initialized` that the gate adds."""

_LAST_LINE = 1.0
"""Seconds in which a line that was started is written to its end when the server is asked to stop."""


class _End:
    """What the SDK asks of either end of a transport."""

    async def aclose(self) -> None:
        raise NotImplementedError

    async def __aenter__(self) -> Any:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()


class PipeIn(_End):
    """Messages from a pipe: one daemon thread reads and parses, the loop never waits on a read."""

    def __init__(self, lines: BinaryIO, before: Sequence[bytes] = ()) -> None:
        """Begin to read.

        Args:
            lines: What is read; it is not closed.
            before: Lines that were read already.
        """
        self._loop = asyncio.get_running_loop()
        self._source = lines
        self._items: deque[Item] = deque()
        self._room = threading.Semaphore(_MOST_QUEUED)
        self._wake = asyncio.Event()
        self._ended = False
        self._dropped = False
        self._closed = False
        threading.Thread(
            target=self._pump, args=(itertools.chain(before, lines_of(lines)),), name="mcp-stdin", daemon=True
        ).start()

    def _tell(self) -> None:
        with suppress(RuntimeError):  # the loop is closed: no one listens any more
            self._loop.call_soon_threadsafe(self._wake.set)

    def _pump(self, lines: Iterable[bytes]) -> None:
        try:
            for number, raw in enumerate(lines):
                line = raw if number else raw.removeprefix(b"\xef\xbb\xbf")  # some shells begin so
                if line.strip():
                    self._room.acquire()
                    self._items.append(admit(line))
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
        while self._dropped or not self._items:
            if self._closed:
                raise anyio.ClosedResourceError
            if self._ended:
                raise anyio.EndOfStream
            self._wake.clear()
            if not (self._items or self._ended):
                await self._wake.wait()
        self._room.release()
        return self._items.popleft()

    def is_over(self) -> bool:
        """Return whether the client has ended the input, be it read to its end or not."""
        return self._ended or not has_writer(self._source.fileno())

    def end(self, *, drops: bool = False) -> None:
        """Take what comes from now on for nothing, and what waits, too, if it drops that."""
        self._ended = True
        self._dropped |= drops
        self._wake.set()

    async def aclose(self) -> None:
        """Stop receiving; the thread ends with the process."""
        self._closed = True
        self._wake.set()


class PipeOut(_End):
    """Messages to a pipe, in pieces that it takes without making the loop wait."""

    def __init__(self, fd: int) -> None:
        """Write to this descriptor."""
        self._fd = fd
        self._lock = anyio.Lock()
        self._rest = memoryview(b"")
        self._waiting = 0
        self._has_room = anyio.Event()
        self._closed = False
        self._watch: ReaderWatch | None = None
        self._is_client_gone: Callable[[], bool] = bool
        self._on_lost: Callable[[], object] = bool

    def follow(self, source: PipeIn, on_lost: Callable[[], object]) -> None:
        """Go with the client: its input ends when no one reads here, and its end is the end of waiting here.

        Args:
            source: The input that comes from who reads here.
            on_lost: Called when no one reads any more.
        """

        def lose() -> None:
            self._closed = True
            self._has_room.set()
            source.end(drops=True)
            on_lost()

        self._is_client_gone, self._on_lost = source.is_over, lose
        self._watch = ReaderWatch(self._fd, lose)

    async def send(self, item: SessionMessage) -> None:
        """Write one message as a line.

        Raises:
            anyio.BrokenResourceError: When no one reads any more.
            anyio.ClosedResourceError: When the pipe was closed, or a line stayed unfinished.
        """
        line = reply.line(item.message)
        self._waiting += len(line)
        try:
            await self._send(line)
        finally:
            self._waiting -= len(line)
            self._has_room.set()

    async def room(self) -> None:
        """Wait until the client has read most of what it asked for, or is gone."""
        while self._waiting > _MOST_WAITING and not self._closed:
            self._has_room = anyio.Event()
            await self._has_room.wait()

    async def _send(self, line: bytes) -> None:
        async with self._lock:
            if self._closed:
                raise anyio.ClosedResourceError
            self._rest = memoryview(line)
            try:
                await self._write_rest()
            except OSError as error:
                self._closed = True
                self._on_lost()
                raise anyio.BrokenResourceError from error
            except anyio.get_cancelled_exc_class():
                if len(self._rest) < len(line):
                    await self._finish_line()
                raise

    async def _write_rest(self) -> None:
        while self._rest:
            self._rest = self._rest[await self._write(self._rest) :]

    async def _write(self, rest: memoryview) -> int:
        """Write the beginning of a line and say how much it was."""
        if sys.platform == "win32":
            return await anyio.to_thread.run_sync(os.write, self._fd, rest)
        if not select.select((), (self._fd,), (), 0)[1]:
            await self._await_room()
        try:
            return os.write(self._fd, rest[: _room(self._fd)])
        except BlockingIOError:  # somebody made the pipe non-blocking
            await self._await_room()
            return 0

    async def _await_room(self) -> None:
        """Wait until the pipe takes more; a client that ended its input and reads nothing is gone.

        Raises:
            BrokenPipeError: When it is gone.
        """
        while True:
            with anyio.move_on_after(_UNREAD):
                await anyio.wait_writable(self._fd)
                return
            if self._is_client_gone():
                raise BrokenPipeError

    async def _finish_line(self) -> None:
        """Write what is missing of a line; without it nothing may follow."""
        self._closed = True
        with anyio.move_on_after(_LAST_LINE, shield=True), suppress(OSError):
            await self._write_rest()
            self._closed = False

    async def aclose(self) -> None:
        """Refuse further messages."""
        self._closed = True
        self._has_room.set()
        if self._watch is not None:
            self._watch.stop()


def _room(fd: int) -> int:
    """Return how many bytes a ready descriptor takes without blocking."""
    if sys.platform == "linux" and stat.S_ISFIFO(os.fstat(fd).st_mode):
        import fcntl
        import termios

        unread = struct.unpack("i", fcntl.ioctl(fd, termios.FIONREAD, bytes(4)))[0]
        if not unread:
            return fcntl.fcntl(fd, fcntl.F_GETPIPE_SZ)
    return _AT_ONCE


@asynccontextmanager
async def stdio() -> AsyncGenerator[tuple[PipeIn, PipeOut]]:
    """Take standard input and output for the protocol, for the rest of the process's life.

    Stray prints go to standard error and stray reads see an end, in child processes too; also what
    was printed before and still stood in the buffer, and what is printed after the last message.
    """
    wire_in, wire_out = _duplicate(0), _duplicate(1)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)
    if null > 2:  # else it stands in for a standard error that was closed
        os.close(null)
    sys.stdout.flush()
    is_blocking = sys.platform == "win32" or os.get_blocking(wire_in)
    if not is_blocking:
        os.set_blocking(wire_in, True)
    try:
        yield PipeIn(os.fdopen(wire_in, "rb", closefd=False)), PipeOut(wire_out)
    finally:
        if not is_blocking:
            os.set_blocking(wire_in, False)


def _duplicate(fd: int) -> int:
    """Duplicate a descriptor, away from the three standard ones."""
    if sys.platform == "win32":
        return os.dup(fd)
    import fcntl

    return fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 3)


class GateOut(_End):
    """Counts the answers still owed, so that the end of the input can wait for them."""

    def __init__(self, out: PipeOut) -> None:
        """Pass messages on to `out`."""
        self._out = out
        self._owed: Counter[str | int] = Counter()
        self._idle = anyio.Event()
        self._asked: set[str | int] = set()
        self._has_client = True

    def owe(self, id: str | int) -> None:
        """Note a request."""
        if not self._owed:
            self._idle = anyio.Event()
        self._owed[id] += 1

    def settle(self, id: str | int | None) -> None:
        """Note that a request is answered or never will be."""
        if id is not None and id in self._owed:
            self._owed[id] -= 1
            self._owed += Counter()  # forgets what is settled
        if not self._owed:
            self._idle.set()

    async def all_answered(self, timeout: float) -> None:
        """Wait until nothing is owed, or for so many seconds."""
        if self._owed:
            with anyio.move_on_after(timeout):
                await self._idle.wait()

    def forget(self) -> None:
        """Owe nothing any more."""
        self._owed.clear()
        self._idle.set()

    def hear(self, message: t.JSONRPCMessage) -> None:
        """Note an answer of the client's."""
        if isinstance(message, (t.JSONRPCResponse, t.JSONRPCError)) and message.id is not None:
            self._asked.discard(message.id)

    def end_questions(self) -> list[SessionMessage]:
        """Ask the client nothing more, and give what takes the place of its answers that did not come."""
        self._has_client = False
        gone = t.ErrorData(code=t.CONNECTION_CLOSED, message="Connection closed")
        asked, self._asked = self._asked, set()
        return [SessionMessage(t.JSONRPCError(jsonrpc="2.0", id=id, error=gone)) for id in asked]

    async def send(self, item: SessionMessage) -> None:
        """Pass a message on; an answer that no one reads any more is settled, too.

        Raises:
            anyio.ClosedResourceError: For a question that the client cannot answer any more.
        """
        if isinstance(item.message, t.JSONRPCRequest):
            if not self._has_client:
                raise anyio.ClosedResourceError
            self._asked.add(item.message.id)
        try:
            await self._out.send(item)
        finally:
            if isinstance(item.message, (t.JSONRPCResponse, t.JSONRPCError)):
                self.settle(item.message.id)

    async def room(self) -> None:
        """Wait until the client has read most of what it asked for."""
        await self._out.room()

    async def aclose(self) -> None:
        """Close the pipe."""
        await self._out.aclose()


class GateIn(_End):
    """Answers what is no message, opens the handshake era for bare requests, holds the end back."""

    def __init__(self, inner: PipeIn, out: GateOut, drain: float, on_end: Callable[[], object]) -> None:
        """Read from `inner`; errors are answered through `out`."""
        self._inner = inner
        self._out = out
        self._drain = drain
        self._on_end = on_end
        self._queue: deque[SessionMessage] = deque()
        self._has_started = False
        self._is_open = False

    async def receive(self) -> SessionMessage:
        """Wait for the next message that the server shall see."""
        while not self._queue:
            try:
                await self._out.room()
                item = await self._inner.receive()
            except anyio.EndOfStream:
                self._on_end()
                if unanswered := self._out.end_questions():
                    self._queue += unanswered
                    break
                # The SDK cancels what is in flight when its input ends.
                await self._out.all_answered(self._drain)
                raise
            if isinstance(item, t.JSONRPCError):
                with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                    await self._out.send(SessionMessage(item))
            elif isinstance(item.message, t.JSONRPCRequest):
                self._queue.append(self._admit(item.message))
            elif self._has_started:
                self._out.hear(item.message)
                self._queue.append(item)
            # Else there is nothing yet that a notification could be about, and the SDK keeps only a few.
        return self._queue.popleft()

    def __aiter__(self) -> Any:
        return self

    async def __anext__(self) -> SessionMessage:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    def _admit(self, request: t.JSONRPCRequest) -> SessionMessage:
        if request.method == "initialize":
            given = {
                "protocolVersion": "2024-11-05",
                "capabilities": {},
                "clientInfo": {"name": "unknown", "version": "0"},
                **(request.params or {}),
            }
            request = request.model_copy(update={"params": given})
        elif not self._is_open and not _is_modern(request):
            # A bare `initialized` is the whole handshake for who sends none, or one that was refused.
            opening = t.JSONRPCNotification(
                jsonrpc="2.0", method="notifications/initialized", params={"_meta": {_IMPLIED: True}}
            )
            self._queue.append(SessionMessage(opening))
            self._is_open = True
        self._has_started = True
        self._out.owe(request.id)

        async def unanswered() -> None:
            self._out.settle(request.id)

        return SessionMessage(request, ServerMessageMetadata(on_request_unanswered=unanswered))

    async def aclose(self) -> None:
        """Close the pipe."""
        await self._inner.aclose()


def is_implied(params: Mapping[str, Any] | None) -> bool:
    """Return true if an `initialized` is the gate's own, for a client that sent none."""
    meta: Any = (params or {}).get("_meta")
    return isinstance(meta, Mapping) and _IMPLIED in cast(Mapping[str, Any], meta)


def _is_modern(request: t.JSONRPCRequest) -> bool:
    """Whether a request carries its protocol revision itself."""
    meta: Any = (request.params or {}).get("_meta")
    return isinstance(meta, dict) and t.PROTOCOL_VERSION_META_KEY in meta


def lenient(
    read: PipeIn, write: PipeOut, drain: float = _DRAIN, on_end: Callable[[], object] = bool
) -> tuple[GateIn, GateOut]:
    """Put the gate between a transport and the server.

    Args:
        read: What the client sends.
        write: What it reads.
        drain: Seconds for which requests in flight are waited for after the input ended.
        on_end: Called when the input ended.
    """
    out = GateOut(write)
    write.follow(read, out.forget)
    return GateIn(read, out, drain, on_end), out
