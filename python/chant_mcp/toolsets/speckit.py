"""The tools of the speckit dialect (seed speckit; reference rstn 2).

Names, parameters and descriptions are those of the seed; `question`, `offset` and `max_chars` are ours.
`rstn_report_status` writes nothing but our own state, yet it is no reading tool: a read-only server does
not offer it.
"""

from typing import Annotated, Any

from chant_mcp import progress
from chant_mcp._core import Answer
from chant_mcp.session import Session
from chant_mcp.toolsets import ToolEntry
from chant_mcp.toolsets.parameters import ToolParameter

STATUSES = ("needs_input", "completed", "error")
ARTIFACTS = ("spec", "plan", "tasks", "checklist", "analysis")


def rstn_report_status(
    session: Session,
    status: Annotated[str, ToolParameter(description="Current task status", schema={"enum": list(STATUSES)})],
    prompt: Annotated[str | None, ToolParameter(description="Prompt to show user (for needs_input)")] = None,
    message: Annotated[str | None, ToolParameter(description="Error message (for error status)")] = None,
    question: Annotated[str | None, ToolParameter(description="ID of a question asked before")] = None,
) -> Answer:
    """Report current task status to rstn control plane"""
    return session.speckit.report_status(
        status,
        prompt=prompt,
        message=message,
        question=question,
        agent=progress.agent.get(),
        progress=progress.told.get(),
        has_left=progress.has_left.get(),
    )


def rstn_read_spec(
    session: Session,
    artifact: Annotated[str, ToolParameter(description="Artifact to read", schema={"enum": list(ARTIFACTS)})],
    offset: Annotated[int, ToolParameter(minimum=0)] = 0,
    max_chars: Annotated[int, ToolParameter(minimum=1)] = 40_000,
) -> Answer:
    """Read a spec artifact for the current feature"""
    return session.speckit.read(artifact, offset=offset, max_chars=max_chars)


def rstn_get_context(session: Session) -> Answer:
    """Get current feature context and metadata"""
    return session.speckit.context()


def rstn_complete_task(
    session: Session,
    task_id: Annotated[str, ToolParameter(description="Task ID (e.g., T001, T002)")],
    skip_validation: Annotated[bool, ToolParameter(description="Skip validation checks")] = False,
) -> Answer:
    """Mark a task as complete with validation"""
    return session.speckit.complete(task_id, skip_validation=skip_validation, agent=progress.agent.get())


def _entry(run: Any, *, asks_people: bool = False) -> ToolEntry:
    return ToolEntry(
        run,
        asks_people=asks_people,
        missing="Missing '{}' field",
        error_prefix="Error: ",
    )


TOOLS = (
    _entry(rstn_report_status, asks_people=True),
    _entry(rstn_read_spec),
    _entry(rstn_get_context),
    _entry(rstn_complete_task),
)
"""All tools of the dialect, in the order of the seed."""
