"""What a request has to pass before it reaches the protocol: host, origin, kind of content, token."""

from __future__ import annotations

import hmac

from mcp.server.auth.middleware.bearer_auth import BearerAuthBackend, RequireAuthMiddleware
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.transport_security import (
    RequestBodyLimitMiddleware,
    TransportSecurityMiddleware,
    TransportSecuritySettings,
)
from mcp_types import JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter
from pydantic import ValidationError
from starlette.middleware.authentication import AuthenticationMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chant_mcp.server import reply
from chant_mcp.server.clients import PERSON_MARK
from chant_mcp.server.envelope import admit, unreadable_by_library
from chant_mcp.server.http.address import Names
from chant_mcp.server.http.board import is_person
from chant_mcp.web_board.access import PersonAccess

MAX_BYTES = 4 * 1024 * 1024
"""How long the body of a request may be."""

_USER = "chant-mcp"
"""A caller that knows the token."""


class Door:
    """Lets in what is called by one of the server's own names, by no foreign page, with JSON."""

    def __init__(self, app: ASGIApp, names: Names) -> None:
        """Stand before an application that answers to these names."""
        self._app = app
        self._check = TransportSecurityMiddleware(
            TransportSecuritySettings(allowed_hosts=list(names.hosts), allowed_origins=list(names.origins))
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that may not pass, hand on any other."""
        request = Request(scope)
        refusal = await self._check.validate_request(request) or _foreign_content(request)
        await (refusal or self._app)(scope, receive, send)


def _foreign_content(request: Request) -> Response | None:
    if request.method != "POST":
        return None
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json":
        return None
    return PlainTextResponse("Content-Type must be application/json\n", status_code=415)


class Token(TokenVerifier):
    """The one token of a server."""

    def __init__(self, token: str) -> None:
        """Take it."""
        self._token = token.encode()

    async def verify_token(self, token: str) -> AccessToken | None:
        """Return whether it is this one; how long that takes says nothing about it."""
        if not hmac.compare_digest(token.encode(), self._token):
            return None
        return AccessToken(token=token, client_id=_USER, scopes=[])


def locked(app: ASGIApp, token: str | None) -> ASGIApp:
    """Ask for the token, if there is one."""
    if token is None:
        return app
    return AuthenticationMiddleware(RequireAuthMiddleware(app, []), backend=BearerAuthBackend(Token(token)))


class PersonEntrance:
    """Lets a request with the key of a person at the board in, and leads all others to the lock."""

    def __init__(self, app: ASGIApp, locked_app: ASGIApp, access: PersonAccess) -> None:
        """Stand before two applications.

        Args:
            app: Where a person gets, marked as one.
            locked_app: Where everyone else has to show the token.
            access: Knows the keys.
        """
        self._app = app
        self._locked_app = locked_app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on."""
        if scope["type"] == "http" and is_person(Request(scope), self._access):
            scope[PERSON_MARK] = True
            await self._app(scope, receive, send)
        else:
            await self._locked_app(scope, receive, send)


def readable(app: ASGIApp) -> ASGIApp:
    """Let messages of the older transport in, and answer what is none: the SDK would log a traceback."""

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        item = admit(body)
        if isinstance(item, JSONRPCError):
            await _refusal(item)(scope, receive, send)
            return
        body = _as_admitted(body, item.message)
        if isinstance(body, JSONRPCError):
            await _refusal(body)(scope, receive, send)
            return

        read = False

        async def again() -> Message:
            nonlocal read
            if read:
                return await receive()
            read = True
            return {"type": "http.request", "body": body, "more_body": False}

        await app(scope, again, send)

    return RequestBodyLimitMiddleware(checked, MAX_BYTES)


def _as_admitted(body: bytes, message: JSONRPCMessage) -> bytes | JSONRPCError:
    """Give a body that the library reads as the message that was let in, or what is owed where it cannot."""
    try:
        if jsonrpc_message_adapter.validate_json(body, by_name=False) == message:
            return body
        return reply.line(message)
    except ValidationError:
        return unreadable_by_library(message)


def _refusal(error: JSONRPCError) -> Response:
    return Response(reply.line(error), status_code=400, media_type="application/json")
