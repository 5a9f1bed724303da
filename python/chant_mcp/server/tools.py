"""Tools of the SDK, made of the entries of toolsets: their schemas, and their calls in threads."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import anyio.to_thread
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp_types import CallToolResult, ToolAnnotations

from chant_mcp import progress
from chant_mcp.errors import ChantError
from chant_mcp.server import reply
from chant_mcp.session import Session
from chant_mcp.tool_calls import call_in_folders, refusal_result, schema_for
from chant_mcp.toolsets import ToolEntry
from chant_mcp.toolsets.schemas import published

_call: ContextVar[tuple[Session, Running, Sequence[Path] | None]] = ContextVar("_call")
"""The project that the call under way is about, where calls are counted, and the folders it may write in."""


@contextmanager
def meaning(session: Session, running: Running, writes_in: Sequence[Path] | None = None) -> Generator[None]:
    """Have the tool work on this project, count the call, and write in these folders alone, if any."""
    before = _call.set((session, running, writes_in))
    try:
        yield
    finally:
        _call.reset(before)


class Running:
    """Counts the calls that are in threads, and reports to them when their client has left."""

    def __init__(self) -> None:
        """Begin with none."""
        self._count = 0
        self._changed = threading.Condition()
        self._has_left = threading.Event()

    def __enter__(self) -> None:
        """Count one more."""
        with self._changed:
            self._count += 1

    def __exit__(self, *exc: object) -> None:
        """Count one less."""
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def leave(self) -> None:
        """Note that the client has left: no call waits for its answer."""
        self._has_left.set()

    def has_left(self) -> bool:
        """Return whether the client has left."""
        return self._has_left.is_set()

    def has_ended(self, timeout: float) -> bool:
        """Wait until there are none, or for so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._count, timeout)


@functools.cache
def tool_of(entry: ToolEntry) -> Tool:
    """Make an SDK tool of an entry, once for each."""

    def run(**given: Any) -> CallToolResult:
        try:
            session, running, writes_in = _call.get()
            with running:
                call = functools.partial(entry.run, session, **given)
                return reply.result(call_in_folders(writes_in, call))
        except ChantError as error:
            return reply.refusal(refusal_result(error))
        except Exception:
            raise
        except BaseException as error:  # a panic of the core, or an exit: it ends the call, not the server
            raise RuntimeError(f"{type(error).__name__} in a tool") from error

    return Tool(
        fn=run,
        name=entry.name,
        title=None,
        description=inspect.cleandoc(entry.run.__doc__ or ""),
        parameters=published(schema_for(entry)),
        fn_metadata=_Arguments(arg_model=ArgModelBase),
        is_async=False,
        context_kwarg=None,
        annotations=ToolAnnotations.model_validate(entry.hints.published()),
    )


class _Arguments(FuncMetadata):
    """Arguments that were checked already, taken as they are; calls that can be abandoned."""

    def validate_arguments(self, arguments_to_validate: dict[str, Any]) -> dict[str, Any]:
        return arguments_to_validate

    async def call_fn(
        self,
        fn: Callable[..., Any],
        fn_is_async: bool,
        arguments: dict[str, Any],
        arguments_to_pass_directly: dict[str, Any] | None = None,
    ) -> Any:
        call = functools.partial(fn, **arguments)
        left, running = threading.Event(), _call.get()[1]
        before = progress.has_left.set(lambda: left.is_set() or running.has_left())
        try:
            return await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
        finally:
            left.set()
            progress.has_left.reset(before)
