"""Clients that listen to changes: both eras, over pipes and over HTTP, all of one shape."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as t
from mcp import Client
from mcp.client.subscriptions import Subscription
from mcp.shared.subscriptions import ResourcesListChanged, ResourceUpdated, ToolsListChanged
from server.over_http import Listen, client_of, modern_headers
from server.pipes import PATIENCE, Message, Pipes, Serve, initialize, modern, notification, request

KINDS = ("pipes-2025", "pipes-2026", "http-2025", "http-2026")
"""How a client may listen."""

_WORDS = {
    "notifications/tools/list_changed": "tools",
    "notifications/resources/list_changed": "resources",
    "notifications/prompts/list_changed": "prompts",
}


@dataclass
class Listener:
    """A client that hears of changes: `tools`, `resources`, or the URI of a resource."""

    capabilities: Message
    _heard: list[str] = field(default_factory=list)
    _more: anyio.Event = field(default_factory=anyio.Event)

    def note(self, word: str) -> None:
        """Note an event."""
        self._heard.append(word)
        self._more.set()
        self._more = anyio.Event()

    async def hears(self, *words: str, seconds: float = PATIENCE) -> list[str]:
        """Wait until all of these were heard, and give all that was since the last time."""
        with anyio.fail_after(seconds):
            while not set(words) <= set(self._heard):
                await self._more.wait()
        heard, self._heard = self._heard, []
        return heard

    async def tools(self) -> list[str]:
        """List the tools."""
        raise NotImplementedError

    async def subscribe(self, *uris: str) -> None:
        """Hear of these resources, too."""
        raise NotImplementedError


@dataclass
class PipeListener(Listener):
    """A client at the other end of pipes; messages are those of its era."""

    pipes: Pipes = field(kw_only=True)
    is_modern: bool = field(kw_only=True)
    _last: int = 100

    async def ask(self, method: str, params: Message | None = None) -> Message:
        """Send a request and give its result; events that come before it are noted."""
        self._last += 1
        message = request(self._last, method, params)
        self.pipes.send(modern(message) if self.is_modern else message)
        while True:
            answer = await self._received()
            if answer.get("id") == self._last:
                return answer["result"]

    async def listen(self, uris: Sequence[str] = ()) -> None:
        """Open a stream of the modern era, and wait until it is acknowledged."""
        self._last += 1
        wanted = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
        params = {"notifications": {**wanted, **({"resourceSubscriptions": list(uris)} if uris else {})}}
        self.pipes.send(modern(request(self._last, "subscriptions/listen", params)))
        while (await self._received()).get("method") != "notifications/subscriptions/acknowledged":
            pass

    async def hears(self, *words: str, seconds: float = PATIENCE) -> list[str]:
        """As every listener."""
        with anyio.fail_after(seconds):
            while not set(words) <= set(self._heard):
                await self._received()
        return await super().hears()

    async def tools(self) -> list[str]:
        """List the tools."""
        return [tool["name"] for tool in (await self.ask("tools/list"))["tools"]]

    async def subscribe(self, *uris: str) -> None:
        """Hear of these resources, too."""
        if self.is_modern:
            await self.listen(uris)
            return
        for uri in uris:
            await self.ask("resources/subscribe", {"uri": uri})

    async def _received(self) -> Message:
        message = await anyio.to_thread.run_sync(self.pipes.receive, abandon_on_cancel=True)
        if method := message.get("method"):
            word = _WORDS.get(method) or message.get("params", {}).get("uri")
            if word:
                self.note(word)
        return message


@dataclass
class ClientListener(Listener):
    """A client of the SDK."""

    client: Client = field(kw_only=True)
    tasks: anyio.abc.TaskGroup | None = None

    async def tools(self) -> list[str]:
        """List the tools."""
        return [tool.name for tool in (await self.client.list_tools(cache_mode="bypass")).tools]

    async def subscribe(self, *uris: str) -> None:
        """Hear of these resources, too."""
        if self.tasks is not None:
            await self.tasks.start(self.follow, uris)
            return
        for uri in uris:
            message = t.SubscribeRequest(params=t.SubscribeRequestParams(uri=uri))
            await self.client.session.send_request(message, t.EmptyResult)

    async def follow(self, uris: Sequence[str] = (), *, task_status: Any = anyio.TASK_STATUS_IGNORED) -> None:
        """Hear of what a stream of the modern era brings."""
        wanted = {"tools_list_changed": True, "prompts_list_changed": True, "resources_list_changed": True}
        async with self.client.listen(**wanted, resource_subscriptions=uris) as stream:
            task_status.started()
            await self._note_all(stream)

    async def _note_all(self, stream: Subscription) -> None:
        async for event in stream:
            match event:
                case ToolsListChanged():
                    self.note("tools")
                case ResourcesListChanged():
                    self.note("resources")
                case ResourceUpdated(uri=uri):
                    self.note(uri)
                case _:
                    self.note("prompts")

    async def take(self, message: Any) -> None:
        """Hear of what a connection of the handshake era brings."""
        if isinstance(message, t.ResourceUpdatedNotification):
            self.note(str(message.params.uri))
        elif (method := getattr(message, "method", None)) in _WORDS:
            self.note(_WORDS[method])


@asynccontextmanager
async def listener_of(kind: str, root: Any, serve: Serve, listen: Listen) -> AsyncGenerator[Listener]:
    """Start a server on a project and have a client listen to it."""
    if kind.startswith("pipes"):
        yield await _on_pipes(serve(root), is_modern=kind == "pipes-2026")
        return
    server = listen(root, "--no-auth")
    heard: list[ClientListener] = []

    async def take(message: Any) -> None:
        if heard and kind == "http-2025":
            await heard[0].take(message)

    how = "streamable" if kind == "http-2025" else "modern"
    async with client_of(server.url, how, message_handler=take) as client:
        if kind == "http-2025":
            announced = client.server_capabilities.model_dump(by_alias=True, exclude_none=True)
        else:
            asked = modern(request(1, "server/discover"))
            announced = server.answer(asked, **modern_headers(asked))["result"]["capabilities"]
        heard.append(ClientListener(announced, client=client))
        async with anyio.create_task_group() as tasks:
            if kind == "http-2026":
                heard[0].tasks = tasks
                await tasks.start(heard[0].follow)
            else:
                await client.list_resources()
            yield heard[0]
            tasks.cancel_scope.cancel()


async def _on_pipes(pipes: Pipes, *, is_modern: bool) -> PipeListener:
    if is_modern:
        listener = PipeListener({}, pipes=pipes, is_modern=True)
        listener.capabilities = (await listener.ask("server/discover"))["capabilities"]
        await listener.listen()
        return listener
    announced = pipes.ask(initialize(1))["result"]["capabilities"]
    pipes.send(notification("notifications/initialized"))
    listener = PipeListener(announced, pipes=pipes, is_modern=False)
    await listener.ask("resources/list")
    return listener
