"""The server: tools from the toolsets, errors in the words of the seeds."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import itertools
import logging
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.apps import Apps
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp_types import (
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    GetPromptResult,
    Icon,
    InputRequiredResult,
    ListResourcesResult,
    PaginatedRequestParams,
    Prompt,
    ResourceTemplate,
)
from mcp_types import Resource as ListedResource
from mcp_types import Tool as ListedTool
from pydantic import AnyUrl

from chant_mcp import progress
from chant_mcp._core import VERSION
from chant_mcp.errors import ChantError
from chant_mcp.icon import ICON
from chant_mcp.plugins.session_notifier import SessionNotifier
from chant_mcp.remote_looks import RemoteLooks
from chant_mcp.server import apps, questions, reply
from chant_mcp.server.clients import PERSON, Client, ManyClients, OneClient, is_by_person
from chant_mcp.server.consent import can_ask, consent
from chant_mcp.server.document_handlers import DocumentHandlers
from chant_mcp.server.prompts import PRIME_URI
from chant_mcp.server.publisher import ChangePublisher
from chant_mcp.server.resources import resources
from chant_mcp.server.roots import asked_along, folders_only, roots_of
from chant_mcp.server.run_tasks import RunTasks
from chant_mcp.server.skills import Skills, further_skills, is_further_skill
from chant_mcp.server.tools import Running, meaning, tool_of
from chant_mcp.server.uris import document_of, toolset_of
from chant_mcp.server.wire import GateIn, GateOut, PipeIn, PipeOut, lenient, stdio
from chant_mcp.session import Session, find_in_roots, holds_work_files
from chant_mcp.tool_calls import (
    Offer,
    OfferedTools,
    RefusedCall,
    call_shape,
    crash_text,
    refusal_result,
    shown,
)
from chant_mcp.toolsets import Question, ToolEntry

if TYPE_CHECKING:
    from chant_mcp.run_rights import RunRights
    from chant_mcp.server.http.app import Service

logger = logging.getLogger("chant_mcp.server")

_LAST_ANSWERS = 0.6
"""Seconds for answers to calls in flight after a signal: those that wait for a person report for what."""

_LAST_CALLS = 0.3
"""Seconds that calls in flight are given when the process is to end at once."""


class ChantServer(MCPServer[Any]):
    """An MCP server over one project."""

    def __init__(
        self, session: Session, offer: Offer, *, many_clients: bool = False, rights: RunRights | None = None
    ) -> None:
        """Register all tools; which of them are listed is decided at each listing.

        Args:
            session: The project.
            offer: Which tools are listed.
            many_clients: Whether several clients are served at once, as over HTTP.
            rights: What an agent inside a run may do, where one is served.
        """
        session.looks = RemoteLooks() if rights is None else None
        session.notifier = SessionNotifier() if rights is None else None
        self._clients = ManyClients(session) if many_clients else OneClient(session)
        self._start = session.place
        self._offered = OfferedTools(session, offer, rights)
        self._documents = DocumentHandlers(self._offered)
        self._running = Running()
        super().__init__(
            "chant",
            version=VERSION,
            icons=[Icon.model_validate(ICON)],
            instructions=self._offered.instructions(),
            tools=[tool_of(entry) for entry in self._offered.entries.values()],
            resources=[*resources(), *further_skills(), *([apps.board_resource()] if rights is None else [])],
            subscriptions=False,  # the publisher serves them
            log_level=cast(Any, logging.getLevelName(logging.getLogger().getEffectiveLevel())),
            middleware=[_bad_calls_are_calls, *([apps.notice_support] if rights is None else [])],
            # An agent in a run shows no board and starts nothing.
            extensions=[Skills(), *([Apps(), RunTasks(self._own_session)] if rights is None else [])],
        )
        # The small server of runs, which answers an agent before this one does, announces nothing.
        texts = {str(text.uri) for text in [*resources(), apps.board_resource()]}
        self._publisher = None if rights is not None else ChangePublisher(self._clients, self._offered, texts)
        if self._publisher is not None:
            self._publisher.serve(self._lowlevel_server)
        self._lowlevel_server.add_request_handler("resources/list", PaginatedRequestParams, self._list_page)
        self._lowlevel_server.add_request_handler(
            "completion/complete", CompleteRequestParams, self._complete
        )

    async def list_tools(self) -> list[ListedTool]:
        """List the tools on offer, in the order of the seeds."""
        offered = [entry.name for entry in self._offered.offered()]
        if self._publisher is not None:
            self._publisher.note_listed(offered)
        names = set(offered)
        tools = [tool for tool in await super().list_tools() if tool.name in names]
        return apps.with_board(tools) if apps.is_supported() else tools

    async def list_resources(self) -> list[ListedResource]:
        """List the texts that belong to the tools on offer; items of the project come behind them."""
        offered = [*self._offered.toolset_names(), *(["ui"] if apps.is_supported() else [])]
        texts = [text for text in await super().list_resources() if toolset_of(text.uri) in offered]
        return [text for text in texts if not is_further_skill(text.uri)]

    async def list_resource_templates(self) -> list[ResourceTemplate]:
        """List the kinds of documents that can be read."""
        return self._documents.templates()

    async def read_resource(
        self, uri: AnyUrl | str, context: Context[Any, Any] | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Read a document, or one of our own texts."""
        document = document_of(str(uri))
        if document is None and str(uri) != PRIME_URI:
            return await super().read_resource(uri, context)
        client = self._clients.of(context)
        if context is not None and (question := await self._ask_which_project(client, context)):
            return question
        if document is None:
            return await self._documents.read_prime(client)
        return await self._documents.read(client, str(uri), document)

    async def _list_page(
        self, ctx: ServerRequestContext[Any, Any], params: PaginatedRequestParams
    ) -> ListResourcesResult:
        return await self._documents.page(self._client(ctx), await self.list_resources(), params.cursor)

    async def _complete(
        self, ctx: ServerRequestContext[Any, Any], params: CompleteRequestParams
    ) -> CompleteResult:
        return await self._documents.complete(self._client(ctx), params)

    def _client(self, ctx: ServerRequestContext[Any, Any]) -> Client:
        return self._clients.of(Context(request_context=ctx, mcp_server=self))

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Run a tool.

        Raises:
            ToolError: With a text the model can act on; a crash of ours is reported with a reference that
                the log explains.
        """
        if apps.is_board_tool(name) and self._may_show_board(context):
            session = self._clients.of(context).session
            return await anyio.to_thread.run_sync(apps.call_board_tool, session, name, arguments)
        try:
            checked = self._offered.checked(name, arguments)
            client = self._clients.of(context)
            answer = await self._answered(self._offered.entries[name], checked, client, context)
            if self._publisher is not None:
                self._publisher.follow(client)
            if context is None or not isinstance(answer, InputRequiredResult):
                return answer
            return asked_along(context, answer)
        except RefusedCall as error:
            return reply.refusal(error.result)
        except UnexpectedToolError as error:
            raise ToolError(crash_text(name, error)) from error
        except ToolError as error:
            cause = error.__cause__
            raise ToolError(shown(str(cause if isinstance(cause, ToolError) else error))) from cause

    def _own_session(self) -> Session:
        return self._clients.of(None).session

    def _may_show_board(self, context: Context[Any, Any] | None) -> bool:
        """Return true for a host that shows Apps, and for a person at the board."""
        return self._offered.rights is None and (apps.is_supported() or is_by_person(context))

    async def _answered(
        self, entry: ToolEntry, arguments: dict[str, Any], client: Client, context: Context[Any, Any] | None
    ) -> CallToolResult | InputRequiredResult:
        """Run a tool in its turn, in the project that the client means.

        While a person is asked no one has the turn: no other call waits for that.
        """
        if entry.asks_people:
            question = await self._ask_where(entry, arguments, client, context)
            return question or await self._run(entry, arguments, client.session, context)
        changes = not entry.hints.read_only
        async with client.order.turn(changes=changes):
            if question := await self._ask_where(entry, arguments, client, context):
                return question
            session = client.session
            wish = await _wish(entry, arguments, session, context)
            if wish is None or context is None:
                return await self._run(entry, arguments, session, context)
        agreed = await consent(context, wish)
        if isinstance(agreed, InputRequiredResult):
            return agreed
        async with client.order.turn(changes=changes):
            return await self._run(entry, arguments, session, context, wish.about if agreed else None)

    async def _run(
        self,
        entry: ToolEntry,
        arguments: dict[str, Any],
        session: Session,
        context: Context[Any, Any] | None,
        agreed: str | None = None,
    ) -> CallToolResult | InputRequiredResult:
        writes_in: Sequence[Path] | None = None
        if (rights := self._offered.rights) is not None:
            # What decides may look at files of both folders.
            meant = functools.partial(rights.meant, entry, arguments)
            session, writes_in = await anyio.to_thread.run_sync(meant)
        with _telling(context, agreed), meaning(session, self._running, writes_in):
            if entry.asks_people:
                asked = await _put_to_the_user(session, arguments, context)
                if not isinstance(asked, dict):
                    return asked
                arguments = asked
            return cast(CallToolResult, await super().call_tool(entry.name, arguments, context))

    async def list_prompts(self) -> list[Prompt]:
        """List what hosts show in their menus."""
        return self._documents.prompts()

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: Context[Any, Any] | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Write a prompt about the project that the client means."""
        client = self._clients.of(context)
        if context is not None and (question := await self._ask_which_project(client, context)):
            return question
        return await self._documents.prompt(client, name, arguments or {})

    async def _ask_where(
        self, entry: ToolEntry, arguments: dict[str, Any], client: Client, context: Context[Any, Any] | None
    ) -> InputRequiredResult | None:
        """Find out from the client where to work, if nothing else says that.

        Returns:
            The question for its roots, where it is the answer to the call.
        """
        if context is None:
            return None
        if named := [arguments[of] for of in entry.files if of in arguments]:
            return await self._ask_where_files_lie(named, client, context)
        return await self._ask_which_project(client, context)

    async def _ask_which_project(
        self, client: Client, context: Context[Any, Any]
    ) -> InputRequiredResult | None:
        """Find the project in the client's roots when the working directory says nothing."""
        place = client.session.place
        if not place.is_guess or holds_work_files(place.root):
            return None
        roots = await roots_of(context)
        if isinstance(roots, InputRequiredResult):
            return roots
        if roots:
            await client.move_to(find_in_roots(roots, self._start))
        return None

    async def _ask_where_files_lie(
        self, names: Sequence[str], client: Client, context: Context[Any, Any]
    ) -> InputRequiredResult | None:
        """Look in the client's roots, too, for files that are not found otherwise (seed vine, roots)."""
        session = client.session
        if session.place.is_given:
            return None
        if await anyio.to_thread.run_sync(lambda: all(map(session.vine.finds, names))):
            return None
        roots = await roots_of(context)
        if isinstance(roots, InputRequiredResult):
            return roots
        await client.look_in(roots)
        return None

    async def run_stdio_async(self) -> None:
        """Serve standard input and output until the input ends or a signal comes.

        The process ends here when a call is still running that no one waits for any more: a thread
        inside the core cannot be interrupted, and Python would wait for it.
        """
        async with anyio.create_task_group() as tasks, stdio() as (read, write):
            gate_in, gate_out = self._gate(read, write)
            tasks.start_soon(_stop_on_signal, tasks.cancel_scope, read, gate_out)
            await self._serve(gate_in, gate_out)
            tasks.cancel_scope.cancel()
        self._leave()

    async def serve_pipes(self, read: PipeIn, write: PipeOut) -> None:
        """Serve a pair of pipes until the input ends."""
        await self._serve(*self._gate(read, write))

    def _gate(self, read: PipeIn, write: PipeOut) -> tuple[GateIn, GateOut]:
        return lenient(read, write, on_end=self._hear_the_end)

    def _hear_the_end(self) -> None:
        # A call that waits for a person reports what it waits for when the client has no more to say.
        self._running.leave()
        if self._publisher is not None:
            self._publisher.end_streams()

    async def _serve(self, gate_in: GateIn, gate_out: GateOut) -> None:
        self.middleware.append(reply.rendered_aside)
        options = self._lowlevel_server.create_initialization_options()
        try:
            await self._lowlevel_server.run(cast(Any, gate_in), cast(Any, gate_out), options)
        finally:
            self._end_publisher()

    def _end_publisher(self) -> None:
        if self._publisher is not None:
            self._publisher.end()

    async def serve_http(self, service: Service) -> None:
        """Serve over HTTP until a signal comes; the process ends as on standard input and output."""
        from chant_mcp.server.http.app import serve

        def on_end() -> None:
            service.on_end()
            self._end_publisher()

        await serve(self._lowlevel_server, replace(service, on_end=on_end))
        self._leave()

    def _leave(self) -> None:
        if not self._running.has_ended(_LAST_CALLS):
            logging.shutdown()
            sys.stderr.flush()
            os._exit(0)


async def _wish(
    entry: ToolEntry, arguments: dict[str, Any], session: Session, context: Context[Any, Any] | None
) -> Question | None:
    """Say what a person is asked to agree to before a call, where the client can ask one."""
    if entry.asks is None or context is None or not can_ask(context):
        return None
    asks = functools.partial(entry.asks, session, **arguments)
    try:
        return await anyio.to_thread.run_sync(asks, abandon_on_cancel=True)
    except ChantError:  # the call itself reports what is wrong
        return None


async def _put_to_the_user(
    session: Session, arguments: dict[str, Any], context: Context[Any, Any] | None
) -> dict[str, Any] | CallToolResult | InputRequiredResult:
    """Have the client ask its user what the call asks, where it can.

    Returns:
        The arguments to go on with, or what is the answer to the call.
    """
    try:
        # Opening takes a lock that another call may hold; the server does not stand still for that.
        features = await anyio.to_thread.run_sync(lambda: session.speckit)
        return await questions.put(features, arguments, context)
    except ChantError as error:
        return reply.refusal(refusal_result(error))


@contextmanager
def _telling(context: Context[Any, Any] | None, agreed: str | None) -> Generator[None]:
    """Have the call know who asked for it, and what a person agreed to, and the client how far it is.

    It hears nothing where it did not ask for that.
    """
    steps = itertools.count(1)
    report = _reporting(context, steps)

    def tell(step: str) -> None:
        if context is None:
            return
        try:
            anyio.from_thread.run(context.report_progress, next(steps), None, step)
        except Exception:  # no one listens any more; the call itself goes on
            logger.debug("progress was not reported", exc_info=True)

    before, client = progress.on_step.set(tell), progress.agent.set(_client(context))
    consented, counted = progress.agreed.set(agreed), progress.counted.set(report)
    try:
        yield
    finally:
        progress.counted.reset(counted)
        progress.agreed.reset(consented)
        progress.on_step.reset(before)
        progress.agent.reset(client)


def _reporting(
    context: Context[Any, Any] | None, steps: Iterator[int]
) -> Callable[[str, int, int], None] | None:
    """Give what takes the reports of long work, from whatever thread; one that was not read yet is enough."""
    if context is None:
        return None
    loop = asyncio.get_running_loop()
    under_way: concurrent.futures.Future[None] | None = None

    def report(name: str, done: int, total: int) -> None:
        nonlocal under_way
        if under_way is None or under_way.done():
            reported = context.report_progress(next(steps), None, f"{name}: {done} of {total}")
            under_way = asyncio.run_coroutine_threadsafe(reported, loop)

    return report


def _client(context: Context[Any, Any] | None) -> str | None:
    """Name the client, where it said who it is."""
    if is_by_person(context):
        return PERSON
    params = None if context is None else context.session.client_params
    return None if params is None else params.client_info.name


async def _stop_on_signal(scope: anyio.CancelScope, read: PipeIn, out: GateOut) -> None:
    try:
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as received:
            async for _ in received:
                read.end()
                await out.all_answered(_LAST_ANSWERS)
                scope.cancel()
                return
    except NotImplementedError:  # Windows: Ctrl-C arrives as KeyboardInterrupt
        pass


async def _bad_calls_are_calls(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Let a `tools/call` without a name, with ill-typed arguments or with foreign roots through.

    The SDK would answer it with a protocol error, which the model does not see.
    """
    if ctx.method == "tools/call":
        params = call_shape(ctx.params or {})
        if isinstance(answers := params.get("inputResponses"), dict):
            params["inputResponses"] = folders_only(cast(dict[str, Any], answers))
        ctx = replace(ctx, params=params)
    return await call_next(ctx)
