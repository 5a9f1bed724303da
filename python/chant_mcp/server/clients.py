"""What each client of a server means: its project, its folders, the order of its calls."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.mcpserver import Context

from chant_mcp.session import Place, Session

_HELD_UP = 1.0
"""Seconds without any progress after which calls are no longer waited for by those behind them."""

_MOST_CLIENTS = 1_000
"""Clients that are remembered; who was silent for longest is asked for its folders again."""

_MOST_PROJECTS = 32
"""Projects that stay open for clients in other folders than the server's."""


PERSON = "board"
"""The name of a person at the board, in the records."""

PERSON_MARK = "chant_mcp.is_person"
"""Stands in the scope of a request that showed the key of a person at the board."""


class Order:
    """Lets calls take effect in the order in which they came.

    One that changes something waits for all before it, one that reads for those before it that change
    something. Who is held up, by another process's lock say, is overtaken after a while.
    """

    def __init__(self) -> None:
        self._before: list[tuple[bool, anyio.Event]] = []

    @asynccontextmanager
    async def turn(self, *, changes: bool) -> AsyncGenerator[None]:
        """Wait for one's turn, and let the others wait until it is over."""
        waited_for = [over for changed, over in self._before if changes or changed]
        own = (changes, anyio.Event())
        self._before.append(own)
        try:
            with anyio.move_on_after(_HELD_UP) as scope:
                for over in waited_for:
                    await over.wait()
                    scope.deadline = anyio.current_time() + _HELD_UP
            yield
        finally:
            own[1].set()
            self._before.remove(own)


@dataclass(slots=True)
class Client:
    """What one client means."""

    session: Session
    order: Order = field(default_factory=Order)

    async def move_to(self, place: Place) -> None:
        """Mean another project from now on."""
        await anyio.to_thread.run_sync(self.session.move_to, place)

    async def look_in(self, roots: Sequence[Path]) -> None:
        """Look for files in these folders, too."""
        await anyio.to_thread.run_sync(self.session.look_in, roots)


class OneClient:
    """The client at the other end of standard input and output."""

    def __init__(self, session: Session) -> None:
        """Take the project it is served."""
        self._client = Client(session)

    def of(self, context: Context[Any, Any] | None) -> Client:
        """Give the client that a call comes from."""
        return self._client

    def of_request(self, request: Any) -> Client:
        """Give the client that a message comes from."""
        return self._client


class ManyClients:
    """Clients over HTTP: what one of them means is nothing to the others."""

    def __init__(self, session: Session) -> None:
        """Take the project they are served where they do not mean another one."""
        self._session = session
        self._clients: OrderedDict[str, Client] = OrderedDict()
        self._projects: OrderedDict[tuple[Place, tuple[Path, ...]], Session] = OrderedDict()

    def of(self, context: Context[Any, Any] | None) -> Client:
        """Give the client that a call comes from; one that has no session is another one each time."""
        return self.of_request(None if context is None else context.request_context.request)

    def of_request(self, request: Any) -> Client:
        """Give the client that a message over HTTP comes from."""
        name = session_id(request)
        client = self._clients.get(name) if name else None
        if client is None:
            client = _Guest(self._session, projects=self)
        if name:
            _keep(self._clients, name, client, _MOST_CLIENTS)
        return client

    def project(self, place: Place, roots: tuple[Path, ...]) -> Session:
        """Give the project of clients in the same folders."""
        key = (place, roots)
        session = self._projects.get(key) or self._session.elsewhere(place, roots)
        _keep(self._projects, key, session, _MOST_PROJECTS)
        return session


@dataclass(slots=True, kw_only=True)
class _Guest(Client):
    """One of many clients: it leaves the project of the others as it is."""

    projects: ManyClients

    async def move_to(self, place: Place) -> None:
        self.session = self.projects.project(place, ())

    async def look_in(self, roots: Sequence[Path]) -> None:
        self.session = self.projects.project(self.session.place, tuple(roots))


def _keep(all: OrderedDict[Any, Any], key: Any, value: Any, most: int) -> None:
    """Put a value at the end of those that are kept; the one used longest ago goes."""
    all[key] = value
    all.move_to_end(key)
    if len(all) > most:
        all.popitem(last=False)


Clients = OneClient | ManyClients
"""The clients of a server."""


def session_id(request: Any) -> str:
    """Name the session over HTTP that a message belongs to, as its transport does; empty for none.

    Args:
        request: The request that brought the message; `None` where it came on a pipe.
    """
    if request is None:
        return ""
    return request.headers.get("mcp-session-id") or request.query_params.get("session_id") or ""


def is_by_person(context: Context[Any, Any] | None) -> bool:
    """Return true for a call that a person at the board made."""
    request = None if context is None else context.request_context.request
    return request is not None and bool(request.scope.get(PERSON_MARK))
