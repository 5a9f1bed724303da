"""The requests for resources, prompts and completions, answered in the project that a client means."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

import anyio.to_thread
from mcp import MCPError
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp_types import (
    INVALID_PARAMS,
    CompleteRequestParams,
    CompleteResult,
    GetPromptResult,
    ListResourcesResult,
    Prompt,
    Resource,
    ResourceTemplate,
)

from chant_mcp.errors import ChantError
from chant_mcp.prime import prime_text
from chant_mcp.server import completion, documents, prompts
from chant_mcp.server.clients import Client
from chant_mcp.server.uris import DocumentName
from chant_mcp.session import Session
from chant_mcp.tool_calls import OfferedTools, shown

logger = logging.getLogger("chant_mcp.server")

_Answer = TypeVar("_Answer")


class DocumentHandlers:
    """Answers for the documents of a project; what may be read is what the reading tools may read."""

    def __init__(self, offered: OfferedTools) -> None:
        """Take the tools on offer: documents of their toolsets are listed."""
        self._offered = offered

    async def page(self, client: Client, texts: list[Resource], cursor: str | None) -> ListResourcesResult:
        """List resources: our own texts, then open items, those whose files were changed last first."""
        offset = documents.offset_at(cursor)
        toolsets = self._offered.toolset_names()
        try:
            rows, following = await self._asked(
                client, lambda session: documents.page_of(session, toolsets, offset)
            )
        except MCPError:
            if cursor is not None:
                raise
            # Hosts that begin with this list lose all of the server where it is refused.
            logger.warning("the items of the project cannot be listed", exc_info=True)
            rows, following = [], None
        return ListResourcesResult(
            resources=[*texts, *rows] if cursor is None else rows,
            next_cursor=None if following is None else documents.cursor_at(following),
        )

    def templates(self) -> list[ResourceTemplate]:
        """List the templates of the toolsets on offer."""
        return documents.templates(self._offered.toolset_names())

    async def read(self, client: Client, uri: str, document: DocumentName) -> list[ReadResourceContents]:
        """Read a document.

        Raises:
            MCPError: With the words of the tool that reads the same.
        """
        try:
            text = await self._asked(client, lambda session: self._text(session, document))
        except MCPError as error:
            raise MCPError(error.code, str(error), {"uri": uri}) from error
        kind = document.template.mime_type
        return [ReadResourceContents(content=text, mime_type=kind, meta=documents.META)]

    async def read_prime(self, client: Client) -> list[ReadResourceContents]:
        """Read what a session should know at its start.

        Raises:
            MCPError: When the project cannot be read.
        """
        text = await self._asked(client, lambda session: prime_text(session, session.environment))
        return [ReadResourceContents(content=text, mime_type="text/plain", meta=documents.META)]

    def _text(self, session: Session, document: DocumentName) -> str:
        if (rights := self._offered.rights) is not None:
            entry = self._offered.entries[document.template.tool]
            if entry.name == "chant_log":
                rights.refuse_log(document.values["id"])
            files = {of: document.values["path"] for of in entry.files if "path" in document.values}
            session, _ = rights.meant(entry, files)
        return documents.text_of(session, document)

    def prompts(self) -> list[Prompt]:
        """List the prompts; an agent inside a run has its task already."""
        if self._offered.rights is not None:
            return []
        return prompts.listed(read_only=self._offered.offer.read_only)

    async def prompt(self, client: Client, name: str, arguments: dict[str, str]) -> GetPromptResult:
        """Write a prompt.

        Raises:
            MCPError: When it cannot be written.
        """
        if self._offered.rights is not None:
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {name[:100]}")
        toolsets, read_only = self._offered.toolset_names(), self._offered.offer.read_only
        return await self._asked(
            client, lambda session: prompts.written(session, toolsets, name, arguments, read_only=read_only)
        )

    async def complete(self, client: Client, params: CompleteRequestParams) -> CompleteResult:
        """Complete an argument.

        Raises:
            MCPError: Where there is no such prompt or template, or the project cannot be read.
        """
        found = await self._asked(client, lambda session: completion.completion_of(session, params))
        return CompleteResult(completion=found)

    async def _asked(self, client: Client, ask: Callable[[Session], _Answer]) -> _Answer:
        """Ask in the client's project, after its calls that change something.

        Raises:
            MCPError: When the core refuses.
        """
        async with client.order.turn(changes=False):
            session = client.session if self._offered.rights is None else self._offered.rights.project
            try:
                return await anyio.to_thread.run_sync(lambda: ask(session), abandon_on_cancel=True)
            except ChantError as error:
                raise MCPError(INVALID_PARAMS, shown(error.describe_to_agents())) from error
