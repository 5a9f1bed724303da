"""The client of fastmcp: a line of standard input is a step, a line of standard output what came of it.

It subscribes through the session of the SDK below, which fastmcp gives out: it has no method for that.
"""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import AsyncExitStack
from typing import Any

from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp.client.subscriptions import listen
from mcp_types import ResourceTemplateReference

MODERN = "2026-07-28"


class Steps(MessageHandler):
    """The steps, by their names."""

    def __init__(self, stack: AsyncExitStack) -> None:
        self._stack = stack
        self._events: asyncio.Queue[str] = asyncio.Queue()
        self._client: Any = None

    async def connect(self, era: str, url: str = "", command: tuple[str, ...] = (), cwd: str = "") -> str:
        """Connect."""
        if url:
            transport: Any = StreamableHttpTransport(url)
        else:
            transport = StdioTransport(command[0], [*command[1:]], env=dict(os.environ), cwd=cwd)
        mode = MODERN if era == "modern" else era
        client = Client(transport, mode=mode, message_handler=self)  # pyright: ignore[reportArgumentType]
        self._client = await self._stack.enter_async_context(client)
        return self._client.protocol_version

    async def tools(self) -> list[str]:
        """List the tools."""
        return [tool.name for tool in await self._client.list_tools()]

    async def resources(self) -> list[str]:
        """List the resources."""
        return [str(resource.uri) for resource in await self._client.list_resources()]

    async def templates(self) -> list[str]:
        """List the templates."""
        return [template.uri_template for template in await self._client.list_resource_templates()]

    async def prompts(self) -> list[str]:
        """List the prompts."""
        return [prompt.name for prompt in await self._client.list_prompts()]

    async def read(self, uri: str) -> str:
        """Read a resource."""
        return (await self._client.read_resource(uri))[0].text

    async def complete(self, template: str, argument: str, value: str) -> list[str]:
        """Complete an argument."""
        reference = ResourceTemplateReference(uri=template)
        return (await self._client.complete(reference, {"name": argument, "value": value})).values

    async def call(self, name: str, arguments: dict[str, Any]) -> str:
        """Call a tool; one that fails raises."""
        return (await self._client.call_tool(name, arguments)).content[0].text

    async def subscribe(self, uri: str) -> str:
        """Subscribe to a resource, in the modern era to the lists, too; events come to the handler."""
        if self._client.protocol_version == MODERN:
            stream = listen(
                self._client.session,
                tools_list_changed=True,
                resources_list_changed=True,
                resource_subscriptions=[uri],
            )
            await self._stack.enter_async_context(stream)
        else:
            await self._client.session.subscribe_resource(uri)
        return ""

    async def hear(self, event: str) -> str:
        """Wait for an event; those before it are dropped."""
        while await self._events.get() != event:
            pass
        return event

    async def on_resource_updated(self, message: Any) -> None:
        """Take an event of either era."""
        self._events.put_nowait(str(message.params.uri))

    async def on_resource_list_changed(self, message: Any) -> None:
        """Take an event of either era."""
        self._events.put_nowait("resources")

    async def on_tool_list_changed(self, message: Any) -> None:
        """Take an event of either era."""
        self._events.put_nowait("tools")


async def _answer(steps: Steps, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"got": await getattr(steps, request.pop("do"))(**request)}
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"}


async def _main() -> None:
    async with AsyncExitStack() as stack:
        steps = Steps(stack)
        while line := await asyncio.to_thread(sys.stdin.readline):
            sys.stdout.write(f"{json.dumps(await _answer(steps, json.loads(line)))}\n")
            sys.stdout.flush()


asyncio.run(_main())
