"""The tools of the speckit dialect (seed speckit; reference rstn 2).

Names, parameters and descriptions are those of the seed; `question`, `offset`, `max_chars` and the words that
people search for are ours.
`rstn_report_status` writes nothing but our own state, yet it is no reading tool: a read-only server does
not offer it.
"""

from typing import Annotated, Any

from chant_mcp import progress
from chant_mcp._core import Answer
from chant_mcp.parameters import CompletionOptions, StatusReport, TextRange, ToolParameter, Unpack
from chant_mcp.session import Session
from chant_mcp.toolsets import ToolEntry
from chant_mcp.toolsets.budget import MaxTokens, Since, since_cursor, within

STATUSES = ("needs_input", "completed", "error")
ARTIFACTS = ("spec", "plan", "tasks", "checklist", "analysis")


def rstn_report_status(
    session: Session,
    status: Annotated[str, ToolParameter(description="Current task status", schema={"enum": list(STATUSES)})],
    **report: Unpack[StatusReport],
) -> Answer:
    """Report current task status to rstn control plane

    Ask the user (a person) a question, for a decision.
    """
    return session.speckit.report_status(
        status,
        agent=progress.agent.get(),
        progress=progress.on_step.get(),
        has_left=progress.has_left.get(),
        **report,
    )


def rstn_read_spec(
    session: Session,
    artifact: Annotated[str, ToolParameter(description="Artifact to read", schema={"enum": list(ARTIFACTS)})],
    max_tokens: MaxTokens = None,
    **range: Unpack[TextRange],
) -> Answer:
    """Read a spec artifact for the current feature

    Its requirements document.
    """
    return within(session.speckit.read(artifact, **range), max_tokens, range.get("offset", 0))


def rstn_get_context(session: Session, since: Since = None) -> Answer:
    """Get current feature context and metadata

    Which feature and branch.
    """
    return since_cursor(session, since, "speckit", session.speckit.context)


def rstn_complete_task(
    session: Session,
    task_id: Annotated[str, ToolParameter(description="Task ID (e.g., T001, T002)")],
    **options: Unpack[CompletionOptions],
) -> Answer:
    """Mark a task as complete with validation

    Ticks it off.
    """
    return session.speckit.complete(task_id, agent=progress.agent.get(), **options)


def _entry(run: Any, *, asks_people: bool = False) -> ToolEntry:
    return ToolEntry(run, asks_people=asks_people, missing="Missing '{}' field", error_prefix="Error: ")


TOOLS = (
    _entry(rstn_report_status, asks_people=True),
    _entry(rstn_read_spec),
    _entry(rstn_get_context),
    _entry(rstn_complete_task),
)
"""All tools of the dialect, in the order of the seed."""
