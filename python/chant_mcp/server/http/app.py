"""Serving over HTTP: Streamable HTTP at `/mcp`, the older SSE transport at `/` and `/sse`."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Generator
from dataclasses import dataclass
from typing import Any

import anyio
import uvicorn
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http import check_accept_headers
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from chant_mcp._core import VERSION
from chant_mcp.server.http.address import Listener, Names
from chant_mcp.server.http.board import WebBoard, board_routes
from chant_mcp.server.http.door import MAX_BYTES, Door, PersonEntrance, locked, readable
from chant_mcp.server.http.events import Sessions
from chant_mcp.server.http.figures import FIGURES_PATH, ServerFigures

PATH = "/mcp"
"""Where Streamable HTTP is served."""

_MESSAGES = "/messages"
"""Where a client of the older transport sends its messages to."""

_TIMEOUT = 5.0
"""Seconds that calls in flight are given when the server is asked to end."""

_LAST_WORDS = 0.1
"""Seconds in which the last answers go out."""


@dataclass(frozen=True, slots=True)
class SessionLimits:
    """How long sessions last without a request, and how many there are at once."""

    idle_seconds: float = 30 * 60.0
    """Then a session ends; its client begins another one."""
    max_count: int = 1_000
    """A client that would begin one more is told to come back."""


@dataclass(frozen=True, slots=True)
class Service:
    """How a server is served."""

    listener: Listener
    names: Names
    """Under which it is called."""
    token: str | None
    """What a client has to show; nothing where there is none."""
    on_start: Callable[[], None]
    """Called when clients can connect, and a signal ends the server in order."""
    on_end: Callable[[], None]
    """Called as soon as a signal comes."""
    board: WebBoard | None = None
    """The board in the browser, where it is served."""
    limits: SessionLimits = SessionLimits()
    """Of sessions; tests set lower ones."""


_RETRY = 1_000
"""Milliseconds after which a client whose connection broke is to come back."""


async def serve(server: Server[Any], service: Service) -> None:
    """Serve until a signal comes; calls in flight are then answered if they end in time."""
    calls = Calls()
    limits = service.limits
    server.middleware.append(calls.counted)
    sessions = Sessions(
        server,
        max_request_body_size=MAX_BYTES,
        retry_interval=_RETRY,
        session_idle_timeout=limits.idle_seconds,
        max_sessions=limits.max_count,
    )
    app = Door(Starlette(routes=_routes(server, sessions, service, calls.figures)), service.names)
    http = _Http(
        uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=1,
        )
    )
    with _signals() as received:
        service.on_start()
        async with anyio.create_task_group() as tasks:

            async def end() -> None:
                async for _ in received:
                    service.on_end()
                    await calls.ended(_TIMEOUT)
                    await anyio.sleep(_LAST_WORDS)
                    http.end()
                    return

            tasks.start_soon(end)
            async with sessions.run():
                await http.serve(sockets=[service.listener.socket])
            tasks.cancel_scope.cancel()


@contextlib.contextmanager
def _signals() -> Generator[AsyncIterator[signal.Signals]]:
    """Have signals that end a program reported instead; on Windows none are, and Ctrl-C is an exception."""
    with contextlib.ExitStack() as stack:
        try:
            yield stack.enter_context(anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM))
        except NotImplementedError:
            yield _never()


async def _never() -> AsyncIterator[signal.Signals]:
    await anyio.sleep_forever()
    yield signal.SIGTERM


def _routes(server: Server[Any], sessions: Sessions, service: Service, figures: ServerFigures) -> list[Route]:
    token, board = service.token, service.board
    sse = SseServerTransport(_MESSAGES, max_request_body_size=MAX_BYTES)
    stream = locked(_Stream(server, sse), token)
    tools = readable(StreamableHTTPASGIApp(sessions))
    streamable = locked(tools, token)
    if board is not None:
        streamable = PersonEntrance(tools, streamable, board.access)
    messages = locked(readable(sse.handle_post_message), token)
    return [
        Route("/health", _health, methods=["GET"]),
        *([] if token is None else [_figures_route(figures, sessions, token)]),
        Route(PATH, streamable, methods=["GET", "POST", "DELETE"]),
        Route("/", stream, methods=["GET"]),
        Route("/sse", stream, methods=["GET"]),
        Route(_MESSAGES, messages, methods=["POST"]),
        *([] if board is None else board_routes(board, tuple(service.names.origins))),
    ]


def _figures_route(figures: ServerFigures, sessions: Sessions, token: str) -> Route:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await JSONResponse(figures.read(sessions.count))(scope, receive, send)

    return Route(FIGURES_PATH, locked(answer, token), methods=["GET"])


async def _health(request: Request) -> Response:
    return JSONResponse({"status": "ok", "name": "chant-mcp", "version": VERSION})


class _Stream:
    """A connection of the older transport: one stream to the client, messages from it by themselves."""

    def __init__(self, server: Server[Any], sse: SseServerTransport) -> None:
        self._server = server
        self._sse = sse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        _, takes_events = check_accept_headers(Request(scope))
        if not takes_events:
            hint = f"An MCP server: Streamable HTTP at {PATH}, here SSE with Accept: text/event-stream\n"
            await PlainTextResponse(hint, status_code=406)(scope, receive, send)
            return
        options = self._server.create_initialization_options()
        async with self._sse.connect_sse(scope, receive, send) as (read, write):
            await self._server.run(read, write, options)


class Calls:
    """The requests of clients that are not answered yet."""

    def __init__(self) -> None:
        """Begin with none."""
        self._count = 0
        self.figures = ServerFigures()
        self._none = anyio.Event()
        self._none.set()

    async def counted(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Count a request while it is handled."""
        if not self._count:
            self._none = anyio.Event()
        self._count += 1
        self.figures.calls += 1
        try:
            return await call_next(ctx)
        finally:
            self._count -= 1
            if not self._count:
                self._none.set()

    async def ended(self, timeout: float) -> None:
        """Wait until there are none, or for so many seconds."""
        with anyio.move_on_after(timeout):
            while self._count:
                await self._none.wait()


class _Http(uvicorn.Server):
    """uvicorn's server, which leaves signals to us: it would end by the signal, not by itself."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield

    def end(self) -> None:
        """End now; streams to clients would never end by themselves."""
        self.should_exit = True
        for connection in list(self.server_state.connections):
            connection.transport.close()
