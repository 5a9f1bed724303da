"""Starts and splits as tasks of the protocol (`io.modelcontextprotocol/tasks`), where a client declares them.

A task is the run of a start or a split: its ID names the run's record, so it can be read as soon as it is
given, also by a server that is started later.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, cast

import anyio.to_thread
from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, RequestParams

from chant_mcp.errors import ChantError, NotFoundError, NotInitializedError
from chant_mcp.formats import key_of_work
from chant_mcp.server import reply
from chant_mcp.session import Session

MODERN = "2026-07-28"
"""The revision that knows tasks in this form."""

EXTENSION_ID = "io.modelcontextprotocol/tasks"

_POLL_MS = 1_000
"""Milliseconds after which a client is to ask again."""

_WORKING = ("running", "awaiting_merge")
"""States of a run in which something is done about it without a person."""

_GOOD = ("completed", "awaiting_approval")
"""States in which a run ended without a failure."""

_TOOLS = ("chant_work_start", "chant_split")
"""The tools that start runs."""

Data = dict[str, Any]


class TaskParams(RequestParams):
    """Which task is meant."""

    task_id: str


class TaskUpdateParams(TaskParams):
    """Answers to what a task asks for."""

    input_responses: dict[str, Any]


@dataclass(slots=True)
class _StartedTasks:
    """Tasks of this server, which may therefore be cancelled and answered through it."""

    runs: set[str] = field(default_factory=set[str])
    cancelled: set[str] = field(default_factory=set[str])


class RunTasks(Extension):
    """Gives tasks for starts and splits to clients that declared the extension in their request."""

    identifier = EXTENSION_ID

    def __init__(self, session: Callable[[], Session]) -> None:
        """Take what gives the project."""
        self._session = session
        self._started = _StartedTasks()

    def methods(self) -> Sequence[MethodBinding]:
        """Serve questions for tasks, answers to them, and their cancellation."""
        bind = functools.partial(MethodBinding, protocol_versions=frozenset({MODERN}))
        return (
            bind("tasks/get", TaskParams, self._get),
            bind("tasks/update", TaskUpdateParams, self._update),
            bind("tasks/cancel", TaskParams, self._cancel),
        )

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        """Answer a start or a split with a task, if the client takes one."""
        if params.name not in _TOOLS or not _declares_tasks(ctx):
            return await call_next(ctx)
        with reply.whole_results():
            result = await call_next(ctx)
        started = _structured(result)
        run = started.get("process_id")
        # What is refused, asks a question first, or reports a proposal that waits is no task.
        if not isinstance(run, str) or started.get("status", "running") in ("completed", "failed"):
            return result
        self._started.runs.add(run)
        task = await self._run_task(run)
        return {**_without_outcome(task), "resultType": "task"}

    async def _get(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        return await self._run_task(params.task_id)

    async def _update(self, ctx: ServerRequestContext[Any, Any], params: TaskUpdateParams) -> HandlerResult:
        await self._run_task(params.task_id)
        self._refuse_others(params.task_id)
        answer = functools.partial(self._answer, params.task_id, params.input_responses)
        await anyio.to_thread.run_sync(answer)
        return {}

    async def _cancel(self, ctx: ServerRequestContext[Any, Any], params: TaskParams) -> HandlerResult:
        await self._run_task(params.task_id)
        self._refuse_others(params.task_id)
        run = await anyio.to_thread.run_sync(self._find_run, params.task_id)
        if run["status"] == "running":
            self._started.cancelled.add(params.task_id)
            await self._pause(run["spec_id"])
        return {}

    async def _pause(self, spec: str) -> None:
        """Pause a run; nothing of its work is discarded."""
        try:
            await anyio.to_thread.run_sync(self._session().chant.pause, spec)
        except ChantError as error:
            raise MCPError(INVALID_PARAMS, error.describe_to_agents()) from error

    def _refuse_others(self, run: str) -> None:
        if run not in self._started.runs:
            message = f"Task {run} was started through another server. Use chant_pause with its spec's ID."
            raise MCPError(INVALID_PARAMS, message)

    def _answer(self, name: str, responses: Data) -> None:
        """Hand answers on; one to a question that is not open is left out."""
        open_ones = {question["id"] for question in self._questions(self._find_run(name))}
        for id, response in responses.items():
            text = _answer_text(response)
            if id in open_ones and text is not None:
                self._session().speckit.answer(id, text, by="client")

    async def _run_task(self, name: str) -> Data:
        try:
            return await anyio.to_thread.run_sync(self._describe_run, name)
        except (NotFoundError, NotInitializedError) as error:
            raise MCPError(INVALID_PARAMS, f"Unknown task: {name}") from error
        except ChantError as error:
            raise MCPError(INVALID_PARAMS, error.describe_to_agents()) from error

    def _describe_run(self, name: str) -> Data:
        run = self._find_run(name)
        state = run.get("end_state") or run["status"]
        described: Data = {
            "taskId": name,
            "createdAt": run["started_at"] or _now(),
            "lastUpdatedAt": run["completed_at"] or run.get("log_modified") or run["started_at"] or _now(),
            "ttlMs": None,
            "pollIntervalMs": _POLL_MS,
            "statusMessage": run.get("reason") or state,
        }
        if state in _WORKING and not run["stale"]:
            asked = self._questions(run) if name in self._started.runs else []
            if not asked:
                return {**described, "status": "working"}
            return {**described, "status": "input_required", "inputRequests": dict(map(_request_for, asked))}
        if state == "paused" and name in self._started.cancelled:
            return {**described, "status": "cancelled"}
        return {**described, "status": "completed", "result": _outcome(run, state)}

    def _find_run(self, name: str) -> Data:
        found: Data = self._session().chant.work_list(process_id=name, include_completed=True).data
        runs = [run for run in found["processes"] if run["process_id"] == name]
        if not runs:
            raise NotFoundError(f"No run {name}")
        return runs[0]

    def _questions(self, run: Data) -> list[Data]:
        try:
            asked: list[Data] = self._session().speckit.questions().data
        except NotInitializedError:
            return []
        key_of_run, key = self._session().chant.key_of_run, key_of_work(run["spec_id"])
        return [one for one in asked if one.get("run") and key_of_run(one["run"]) == key]


def _declares_tasks(ctx: ServerRequestContext[Any, Any]) -> bool:
    """Return true if this very request came with the extension, in the revision that has it."""
    if ctx.protocol_version != MODERN:
        return False
    capabilities = ctx.session.client_capabilities
    extensions = capabilities.extensions if capabilities else None
    return extensions is not None and EXTENSION_ID in extensions


def _structured(result: HandlerResult) -> Data:
    if isinstance(result, CallToolResult) and not result.is_error:
        return cast("Data", result.structured_content or {})
    return {}


def _without_outcome(task: Data) -> Data:
    """Give a task as its creation answers it: what came of it is asked for afterwards."""
    shown = {name: value for name, value in task.items() if name not in ("result", "error", "inputRequests")}
    return {**shown, "status": "working"}


def _request_for(question: Data) -> tuple[str, Data]:
    properties = {"answer": {"type": "string", "title": "Answer"}}
    form = {
        "mode": "form",
        "message": question["prompt"],
        "requestedSchema": {"type": "object", "properties": properties, "required": ["answer"]},
    }
    return question["id"], {"method": "elicitation/create", "params": form}


def _answer_text(response: Any) -> str | None:
    if not isinstance(response, dict):
        return None
    given = cast("Data", response)
    content = given.get("content")
    answer = cast("Data", content).get("answer") if isinstance(content, dict) else None
    return answer if given.get("action") == "accept" and isinstance(answer, str) else None


def _outcome(run: Data, state: str) -> Data:
    """Give what the call would have answered if it had waited."""
    text = json.dumps(run, ensure_ascii=False, separators=(",", ":"))
    return {
        "content": [{"type": "text", "text": text}],
        "structuredContent": run,
        "isError": state not in _GOOD,
        "resultType": "complete",
    }


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
