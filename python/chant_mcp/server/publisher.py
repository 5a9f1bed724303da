"""Announces changes of the lists of tools and resources, and of single resources, over every transport.

Clients of the handshake era are notified on their connection once they have said `initialized`, those of the
modern era on the streams that they open by `subscriptions/listen`. A project is watched while a client
listens to it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.to_thread
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourcesListChanged,
    ResourceUpdated,
    ServerEvent,
    ToolsListChanged,
)
from mcp_types import (
    INVALID_PARAMS,
    EmptyResult,
    ServerCapabilities,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    UnsubscribeRequestParams,
)

from chant_mcp.server.changed_uris import uris_of
from chant_mcp.server.clients import Client, Clients, session_id
from chant_mcp.server.project_watch import News, ProjectWatch
from chant_mcp.server.uris import TEMPLATES, document_of
from chant_mcp.server.wire import is_implied
from chant_mcp.session import Session
from chant_mcp.tool_calls import OfferedTools, shown

_MOST_LISTENERS = 1_000
"""Connections and streams that are notified; of connections the oldest one is forgotten."""

_MOST_URIS = 1_000
"""Resources that one connection or stream may name."""

_MOST_UPDATED = 100
"""Items whose resources are named one by one; where more changed the list is said to be another."""

_UNREAD = 1.0
"""Seconds after which a session over HTTP that takes nothing is notified no more."""


@dataclass(slots=True)
class _Listener:
    """A connection of the handshake era."""

    session: ServerSession
    client: Client
    hears_lists: bool = False
    uris: set[str] = field(default_factory=set[str])


class ChangePublisher:
    """The one publisher of a server."""

    def __init__(self, clients: Clients, offered: OfferedTools, texts: Collection[str]) -> None:
        """Take whose projects are watched, the tools whose list may change, and the URIs of our own texts."""
        self._clients = clients
        self._offered = offered
        self._texts = texts
        self._bus = InMemorySubscriptionBus()
        self._streams = _Streams(self)
        self._open_streams = 0
        self._listeners: OrderedDict[str, _Listener] = OrderedDict()
        self._watches: dict[int, ProjectWatch] = {}
        self._listed: list[str] | None = None

    @property
    def bus(self) -> InMemorySubscriptionBus:
        """Where streams of the modern era get their events from."""
        return self._bus

    def serve(self, server: Server[Any]) -> None:
        """Have a server announce what is announced, and no more, and take who wants to hear of it."""
        given = server.get_capabilities

        def announced(*args: Any, **kwargs: Any) -> ServerCapabilities:
            return self._announced(given(*args, **kwargs))

        server.get_capabilities = announced
        server.middleware.append(self._listening_in)
        server.add_request_handler("resources/subscribe", SubscribeRequestParams, self._subscribe)
        server.add_request_handler("resources/unsubscribe", UnsubscribeRequestParams, self._unsubscribe)
        server.add_request_handler(
            "subscriptions/listen", SubscriptionsListenRequestParams, self._streams.serve
        )

    def _announced(self, capabilities: ServerCapabilities) -> ServerCapabilities:
        """Say what may be sent: prompts stay what they are, and tools do unless they go by what is there."""
        flags = {
            "tools": {"list_changed": "auto" in self._offered.offer.toolsets},
            "resources": {"list_changed": True, "subscribe": True},
            "prompts": {"list_changed": False},
        }
        found = {name: getattr(capabilities, name) for name in flags}
        updated = {
            name: part.model_copy(update=flags[name]) for name, part in found.items() if part is not None
        }
        return capabilities.model_copy(update=updated)

    def note_listed(self, names: list[str]) -> None:
        """Note which tools were listed before any client listened."""
        if not self._watches:
            self._listed = names

    def follow(self, client: Client) -> None:
        """Watch the project that a client means by now, if it listens."""
        if not self._watches:
            return
        for watch in self._watches.values():
            watch.follow()
        if any(one.client is client for one in self._listeners.values()):
            self._watch(client.session)
            self._drop_idle()

    def end(self) -> None:
        """End every stream in order, and watch nothing any more."""
        self._streams.close()
        self._listeners.clear()
        for watch in self._watches.values():
            watch.end()
        self._watches.clear()

    def end_streams(self) -> None:
        """Have streams answer their requests now: the client has no more to say, or the server ends."""
        self._streams.close()

    @contextmanager
    def stream(self) -> Generator[ProjectWatch]:
        """Watch the server's own project while a stream of the modern era is open."""
        self._open_streams += 1
        try:
            yield self._watch(self._offered.session)
        finally:
            self._open_streams -= 1
            self._drop_idle()

    # Connections of the handshake era

    async def _listening_in(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        if ctx.method == "resources/list" and (listener := self._listeners.get(session_id(ctx.request))):
            # What is listed is then no older than what is announced.
            await self._watch(listener.client.session).started()
        result = await call_next(ctx)
        if ctx.method == "notifications/initialized" and not is_implied(ctx.params):
            self._remember(ctx).hears_lists = True
        return result

    def _remember(self, ctx: ServerRequestContext[Any, Any]) -> _Listener:
        """Find the connection of a message among those that are notified, or put it there."""
        name = session_id(ctx.request)
        if (known := self._listeners.get(name)) is not None:
            known.session = ctx.session
            return known
        listener = _Listener(ctx.session, self._clients.of_request(ctx.request))
        self._listeners[name] = listener
        _when_closed(ctx.session, lambda: self._forget(name, listener))
        if len(self._listeners) > _MOST_LISTENERS:
            self._listeners.popitem(last=False)
        self._watch(listener.client.session)
        self._drop_idle()
        return listener

    def _forget(self, name: str, listener: _Listener) -> None:
        if self._listeners.get(name) is listener:
            del self._listeners[name]
            self._drop_idle()

    async def _subscribe(
        self, ctx: ServerRequestContext[Any, Any], params: SubscribeRequestParams
    ) -> EmptyResult:
        self.refuse_unknown(params.uri)
        listener = self._remember(ctx)
        if len(listener.uris) >= _MOST_URIS and params.uri not in listener.uris:
            raise MCPError(
                INVALID_PARAMS, f"There are {_MOST_URIS} subscriptions already; end one of them first"
            )
        listener.uris.add(params.uri)
        await self._watch(listener.client.session).started()
        return EmptyResult()

    def refuse_unknown(self, *uris: str) -> None:
        """Refuse a subscription to what can never be there.

        Raises:
            MCPError: `INVALID_PARAMS`, naming the first such URI.
        """
        for uri in uris:
            if uri not in self._texts and document_of(uri) is None:
                kinds = ", ".join(template.uri for template in TEMPLATES)
                raise MCPError(INVALID_PARAMS, f"Unknown resource: {shown(uri)}; expected one like {kinds}")

    async def _unsubscribe(
        self, ctx: ServerRequestContext[Any, Any], params: UnsubscribeRequestParams
    ) -> EmptyResult:
        if (listener := self._listeners.get(session_id(ctx.request))) is not None:
            listener.uris.discard(params.uri)
        return EmptyResult()

    # Announcements

    def _watch(self, session: Session) -> ProjectWatch:
        if (watch := self._watches.get(id(session))) is None:
            if self._listed is None:
                self._listed = self._names()

            async def announce(news: News) -> None:
                await self._publish(session, news)

            watch = self._watches[id(session)] = ProjectWatch(session, announce)
        return watch

    def _drop_idle(self) -> None:
        """Watch no project any more that no client listens to."""
        wanted = {id(listener.client.session) for listener in self._listeners.values()}
        if self._open_streams:
            wanted.add(id(self._offered.session))
        for name in self._watches.keys() - wanted:
            self._watches.pop(name).end()
        if not self._watches:
            self._listed = None

    def _names(self) -> list[str]:
        return [entry.name for entry in self._offered.offered()]

    async def _publish(self, session: Session, news: News) -> None:
        events = [*await self._list_events(session, news), *_resource_events(news)]
        if session is self._offered.session:
            for event in events:
                await self._bus.publish(event)
        async with anyio.create_task_group() as tasks:
            for name, listener in list(self._listeners.items()):
                if listener.client.session is session:
                    tasks.start_soon(self._send, name, listener, events)

    async def _list_events(self, session: Session, news: News) -> list[ServerEvent]:
        events: list[ServerEvent] = []
        is_listed_anew = False
        if session is self._offered.session and (news.come_or_go or news.around):
            names = await anyio.to_thread.run_sync(self._names)
            is_listed_anew = self._listed is not None and names != self._listed
            self._listed = names
        if is_listed_anew:
            events.append(ToolsListChanged())
        if is_listed_anew or news.come_or_go or len(news.keys) > _MOST_UPDATED:
            # Which resources are listed goes by the tools, too.
            events.append(ResourcesListChanged())
        return events

    async def _send(self, name: str, listener: _Listener, events: list[ServerEvent]) -> None:
        """Notify one connection; over HTTP one that takes nothing is dropped."""
        session = listener.session
        with anyio.move_on_after(_UNREAD if name else None) as limit:
            for event in events:
                match event:
                    case ToolsListChanged() if listener.hears_lists:
                        await session.send_tool_list_changed()
                    case ResourcesListChanged() if listener.hears_lists:
                        await session.send_resource_list_changed()
                    case ResourceUpdated(uri=uri) if uri in listener.uris:
                        await session.send_resource_updated(uri)
                    case _:
                        pass
        if limit.cancelled_caught:
            self._forget(name, listener)


def _resource_events(news: News) -> list[ServerEvent]:
    if news.unknown or len(news.keys) > _MOST_UPDATED:
        return []
    uris = dict.fromkeys(uri for key in news.keys for uri in uris_of(key))
    return [ResourceUpdated(uri) for uri in uris]


class _Streams(ListenHandler):
    """Streams of the modern era; each is notified from the moment on at which it is acknowledged."""

    def __init__(self, publisher: ChangePublisher) -> None:
        super().__init__(publisher.bus, max_subscriptions=_MOST_LISTENERS)
        self._publisher = publisher

    async def serve(
        self, ctx: ServerRequestContext[Any, Any], params: SubscriptionsListenRequestParams
    ) -> SubscriptionsListenResult:
        """Serve one stream; what is never sent is not agreed to."""
        wanted = params.notifications.model_copy(update={"prompts_list_changed": None})
        if len(wanted.resource_subscriptions or ()) > _MOST_URIS:
            raise MCPError(INVALID_PARAMS, f"A stream takes at most {_MOST_URIS} resource subscriptions")
        self._publisher.refuse_unknown(*(wanted.resource_subscriptions or ()))
        with self._publisher.stream() as watch:
            await watch.started()
            return await self(ctx, params.model_copy(update={"notifications": wanted}))


def _when_closed(session: ServerSession, call: Callable[[], object]) -> None:
    """Have something called when a connection is closed; the library shows that nowhere else."""
    session._connection.exit_stack.callback(call)  # pyright: ignore[reportPrivateUsage]
