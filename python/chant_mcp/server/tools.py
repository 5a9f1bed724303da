"""Tools of the SDK, made of the entries of toolsets: their schemas, and their calls in threads."""

from __future__ import annotations

import contextvars
import functools
import inspect
import os
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import anyio.to_thread
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp_types import CallToolResult, ToolAnnotations

from chant_mcp import progress
from chant_mcp._core import Answer, write_only_in
from chant_mcp.errors import ChantError
from chant_mcp.server import reply
from chant_mcp.session import Session
from chant_mcp.toolsets import ToolEntry

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
    """Counts the calls that are in threads."""

    def __init__(self) -> None:
        """Begin with none."""
        self._count = 0
        self._changed = threading.Condition()

    def __enter__(self) -> None:
        """Count one more."""
        with self._changed:
            self._count += 1

    def __exit__(self, *exc: object) -> None:
        """Count one less."""
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def has_ended(self, patience: float) -> bool:
        """Wait until there are none, or for so many seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._count, patience)


@dataclass(frozen=True, slots=True)
class Made:
    """A tool as the SDK has it."""

    tool: Tool
    schema: Mapping[str, Any]
    """What its arguments have to be; what is published says less."""


@functools.cache
def made_of(entry: ToolEntry) -> Made:
    """Make an SDK tool of an entry, its schemas without what hosts stumble over.

    Once for each: making the models of all tools takes longer than most calls.
    """
    signature = inspect.signature(entry.run)
    own = [parameter for name, parameter in signature.parameters.items() if name != "session"]

    @functools.wraps(entry.run)
    def run(**given: Any) -> CallToolResult:
        try:
            session, running, writes_in = _call.get()
            with running:
                call = functools.partial(entry.run, session, **given)
                return reply.result(call() if writes_in is None else kept_to(writes_in, call))
        except ChantError as error:
            return reply.refused(error)
        except Exception:
            raise
        except BaseException as error:  # a panic of the core, or an exit: it ends the call, not the server
            raise RuntimeError(f"{type(error).__name__} in a tool") from error

    del run.__wrapped__
    cast(Any, run).__signature__ = signature.replace(parameters=own, return_annotation=CallToolResult)
    run.__annotations__ = {}
    hints = entry.hints
    tool = Tool.from_function(
        run,
        description=inspect.cleandoc(entry.run.__doc__ or ""),
        structured_output=False,
        annotations=ToolAnnotations(
            read_only_hint=hints.read_only,
            destructive_hint=hints.destructive,
            idempotent_hint=hints.idempotent,
            open_world_hint=hints.open_world,
        ),
    )
    schema = _plain(tool.parameters)
    tool.parameters = _published(schema)
    tool.fn_metadata = _Arguments(arg_model=tool.fn_metadata.arg_model)
    return Made(tool, schema)


def kept_to(folders: Sequence[Path], call: Callable[[], Answer]) -> Answer:
    """Make a call in a thread that writes in these folders alone, whatever a link in them leads to by now."""
    done: list[Answer] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            write_only_in([os.fspath(folder) for folder in folders])
            done.append(call())
        except BaseException as error:  # raised again by who waits
            failed.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(run,), daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]


def _published(schema: dict[str, Any]) -> dict[str, Any]:
    """Leave out lower bounds: a list is paid for by the byte, and whoever crosses one is told."""
    properties = {
        name: {key: value for key, value in node.items() if key != "minimum"}
        for name, node in schema["properties"].items()
    }
    return {**schema, "properties": properties}


class _Arguments(FuncMetadata):
    """Arguments that were checked already, so no text is taken for JSON; calls that can be abandoned."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        return data

    async def call_fn(
        self,
        fn: Callable[..., Any],
        fn_is_async: bool,
        arguments: dict[str, Any],
        arguments_to_pass_directly: dict[str, Any] | None = None,
    ) -> Any:
        call = functools.partial(fn, **arguments)
        left = threading.Event()
        before = progress.has_left.set(left.is_set)
        try:
            return await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
        finally:
            left.set()
            progress.has_left.reset(before)


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Drop pydantic's titles and defaults, and turn `T | None` into a plain optional `T`."""
    properties = {name: _plain_property(node) for name, node in schema.get("properties", {}).items()}
    plain: dict[str, Any] = {"type": "object", "properties": properties}
    if schema.get("required"):
        plain["required"] = schema["required"]
    return plain


def _plain_property(node: dict[str, Any]) -> dict[str, Any]:
    arms = [arm for arm in node.get("anyOf", []) if arm != {"type": "null"}]
    merged: dict[str, Any] = {**(arms[0] if arms else {}), **node}
    kept = ("type", "enum", "items", "properties", "required", "minimum", "description")
    return {key: merged[key] for key in kept if key in merged}
