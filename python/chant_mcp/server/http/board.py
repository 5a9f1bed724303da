"""The board's addresses: the page, the session of a person, what a person does, and the stream of versions.

Everything else goes through the tools at `/mcp`, as it does for agents.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import anyio.to_thread
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from chant_mcp.errors import ChantError, ConflictError, RefusedError
from chant_mcp.session import Session
from chant_mcp.web_board import acts
from chant_mcp.web_board.access import PersonAccess
from chant_mcp.web_board.assemble import assemble_later, assemble_page
from chant_mcp.web_board.versions import VersionFeed

PATH = "/board"
"""Where the page lies."""

PERSON_HEADER = "x-chant-person"
"""Carries the person's key."""

_MOST_BYTES = 64 * 1024
"""How long the body of a request may be."""

_GUARDS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(slots=True)
class WebBoard:
    """The board of one server."""

    session: Session
    """The project, with a person as the one who asks."""
    opened_by: str
    """The terminal that started the server, as the page shows it."""
    is_read_only: bool = False
    access: PersonAccess = field(default_factory=PersonAccess)
    feed: VersionFeed = field(init=False)

    def __post_init__(self) -> None:
        """Make the feed; it listens when the first page does."""
        self.feed = VersionFeed(self.session)


def board_routes(board: WebBoard, origins: tuple[str, ...]) -> list[Route]:
    """Give the routes of the board.

    Args:
        board: What is served.
        origins: The values of `Origin` of pages of this server.
    """
    guard = _Guard(board, origins)
    return [
        Route(PATH, _page, methods=["GET"]),
        Route(f"{PATH}/change.js", _editor, methods=["GET"]),
        Route(f"{PATH}/session", guard.own_origin(guard.open_session), methods=["POST"]),
        Route(f"{PATH}/person", guard.own_origin(guard.person(guard.act)), methods=["POST"]),
        Route(f"{PATH}/events", guard.person(guard.events), methods=["GET"]),
    ]


def is_person(request: Request, access: PersonAccess) -> bool:
    """Return true if a request shows the key of a person."""
    key = request.headers.get(PERSON_HEADER)
    return key is not None and access.admits(key)


async def _page(request: Request) -> Response:
    page = assemble_page()
    return HTMLResponse(page.html, headers={**_GUARDS, "content-security-policy": page.policy})


async def _editor(request: Request) -> Response:
    return Response(assemble_later(), media_type="text/javascript", headers=_GUARDS)


Handler = Callable[[Request], Awaitable[Response]]


class _Guard:
    """The handlers, and what a request has to show before each."""

    def __init__(self, board: WebBoard, origins: tuple[str, ...]) -> None:
        self._board = board
        self._origins = origins

    def own_origin(self, handler: Handler) -> Handler:
        """Let only pages of this server through: a browser names the origin with every POST."""

        async def checked(request: Request) -> Response:
            if request.headers.get("origin") not in self._origins:
                return _refusal(403, "FORBIDDEN", "Only the board's own page may ask for this.")
            return await handler(request)

        return checked

    def person(self, handler: Handler) -> Handler:
        """Let only requests with a person's key through; a token of agents is none."""

        async def checked(request: Request) -> Response:
            if not is_person(request, self._board.access):
                message = "The board's session has ended. Open it again from the terminal."
                return _refusal(401, "UNAUTHORIZED", message)
            return await handler(request)

        return checked

    async def open_session(self, request: Request) -> Response:
        """Give the key for a single-use code."""
        body = await _body(request)
        code = body.get("code") if body is not None else None
        key = self._board.access.exchange_code(code) if isinstance(code, str) else None
        if key is None:
            message = (
                "The code is unknown, used or older than a minute. Press Enter in the terminal for another."
            )
            return _refusal(401, "UNAUTHORIZED", message)
        board = self._board
        return _json(
            {
                "key": key.text,
                "expires_s": key.seconds,
                "folder": str(board.session.place.root),
                "opened_by": board.opened_by,
                "read_only": board.is_read_only,
            }
        )

    async def act(self, request: Request) -> Response:
        """Do what only a person may do."""
        body = await _body(request)
        if body is None:
            return _refusal(400, "INVALID_ARGUMENT", "Expected an object of JSON of at most 64 KiB.")
        try:
            if self._board.is_read_only:
                raise RefusedError("This board was opened with --read-only: nothing can be changed here.")
            return _json(await anyio.to_thread.run_sync(acts.perform, self._board.session, body))
        except ConflictError as error:
            return _json(acts.as_refusal(error), 409)
        except ChantError as error:
            return _json(acts.as_refusal(error), 400)

    async def events(self, request: Request) -> Response:
        """Stream the versions of what the board shows, from the one now on."""
        return StreamingResponse(self._lines(), media_type="text/event-stream", headers=_GUARDS)

    async def _lines(self) -> AsyncIterator[str]:
        async for version in self._board.feed.follow():
            yield ": alive\n\n" if version is None else f"event: version\ndata: {version}\n\n"


async def _body(request: Request) -> dict[str, Any] | None:
    """Read an object of JSON; none where the body is something else, or too long."""
    text = b""
    async for part in request.stream():
        text += part
        if len(text) > _MOST_BYTES:
            return None
    try:
        body = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", body) if isinstance(body, dict) else None


def _json(data: dict[str, Any], status: int = 200) -> Response:
    return JSONResponse(data, status_code=status, headers=_GUARDS)


def _refusal(status: int, kind: str, message: str) -> Response:
    return _json({"error": {"kind": kind, "message": message}}, status)
