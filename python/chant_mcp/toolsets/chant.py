"""The tools of the chant dialect (seed chant; reference chant 5).

A list of tools costs every user tokens, so there are at most 480 bytes for one on average (decisions
3 and 6): parameters of the seed are described in its words, ours in a few words.
"""

from typing import Annotated

from chant_mcp import progress
from chant_mcp._core import Answer
from chant_mcp.parameters import (
    LogRange,
    NewSpec,
    PageRequest,
    RunFilter,
    SpecPage,
    SpecUpdate,
    SplitRequest,
    StartRequest,
    TextRange,
    ToolParameter,
    Unpack,
)
from chant_mcp.session import Session
from chant_mcp.toolsets import Question, ToolEntry
from chant_mcp.toolsets.budget import MaxTokens, Since, since_cursor, within

Id = Annotated[str, ToolParameter(description="Spec ID (full or partial)")]
WithoutLog = Annotated[bool, ToolParameter(description="Also without a log")]


def chant_spec_list(
    session: Session,
    status: Annotated[
        str | None,
        ToolParameter(
            description="Filter by status (pending, in_progress, completed, failed, ready, blocked)"
        ),
    ] = None,
    max_tokens: MaxTokens = None,
    **page: Unpack[SpecPage],
) -> Answer:
    """List all chant specs in the current project

    Tasks: pending, complete.
    """
    return within(session.chant.spec_list(status, **page), max_tokens, page.get("offset", 0))


def chant_spec_get(
    session: Session, id: Id, max_tokens: MaxTokens = None, **range: Unpack[TextRange]
) -> Answer:
    """Get details of a chant spec including full body content

    Shows the text of one task.
    """
    return within(session.chant.spec_get(id, **range), max_tokens, range.get("offset", 0))


def chant_ready(session: Session, max_tokens: MaxTokens = None, **page: Unpack[SpecPage]) -> Answer:
    """List all specs that are ready to be worked (no unmet dependencies)

    Tasks to begin now.
    """
    return within(session.chant.ready(**page), max_tokens, page.get("offset", 0))


def chant_status(
    session: Session,
    brief: Annotated[
        bool,
        ToolParameter(
            description="Return brief single-line output (e.g., '3 pending | 2 in_progress | 15 completed')"
        ),
    ] = False,
    include_activity: Annotated[
        bool,
        ToolParameter(
            description="Include activity info for in_progress specs (last modified time, log activity)"
        ),
    ] = False,
    since: Since = None,
) -> Answer:
    """Get project status summary with spec counts by status

    How many tasks are open or done.
    """

    def whole() -> Answer:
        return session.chant.status(brief=brief, include_activity=include_activity)

    return since_cursor(session, since, "chant", whole)


def chant_log(session: Session, id: Id, max_tokens: MaxTokens = None, **range: Unpack[LogRange]) -> Answer:
    """Read execution log for a spec

    What its agent printed.
    """
    return session.chant.log(id, max_tokens=max_tokens, **range)


def chant_search(
    session: Session,
    query: Annotated[str, ToolParameter(description="Search query (case-insensitive substring match)")],
    status: Annotated[str | None, ToolParameter(description="Filter by status")] = None,
    max_tokens: MaxTokens = None,
    **page: Unpack[PageRequest],
) -> Answer:
    """Search specs by title and body content

    Find tasks that mention a word.
    """
    return within(session.chant.search(query, status, **page), max_tokens, page.get("offset", 0))


def chant_diagnose(session: Session, id: Id) -> Answer:
    """Diagnose issues with a spec (check file, log, locks, commits, criteria)

    Why a task is stuck or went wrong.
    """
    session.look_after_runs()
    return session.chant.diagnose(id)


def chant_lint(
    session: Session,
    id: Annotated[
        str | None, ToolParameter(description="Spec ID to lint (optional, lints all if not provided)")
    ] = None,
    **page: Unpack[PageRequest],
) -> Answer:
    """Lint specs to check for quality issues (complexity, missing criteria, etc.)

    Is a task too big or vague?
    """
    from chant_mcp.plugins.lint import lint_specs

    return lint_specs(session, id, **page)


def chant_verify(session: Session, id: Id) -> Answer:
    """Verify a spec meets its acceptance criteria

    Check that they are met.
    """
    return session.chant.verify(id)


def chant_spec_update(session: Session, id: Id, **changes: Unpack[SpecUpdate]) -> Answer:
    """Update a chant spec status, frontmatter fields, or add output

    Tick checkboxes, set labels of a task.
    """
    return session.chant.spec_update(id, from_run=session.is_of_run, **changes)


def chant_add(
    session: Session,
    description: Annotated[
        str, ToolParameter(description="Description of work to be done (becomes spec title)")
    ],
    **content: Unpack[NewSpec],
) -> Answer:
    """Create a new spec with description

    Write down a new task.
    """
    return session.chant.add(description, **content)


def chant_finalize(session: Session, id: Id, force: WithoutLog = False) -> Answer:
    """Mark a spec as completed (validates all criteria are checked)

    When the task is done.
    """
    return session.chant.finalize(id, force=force)


def chant_reset(session: Session, id: Id) -> Answer:
    """Reset a failed spec to pending status so it can be reworked

    Retry the task.
    """
    return session.chant.reset(id)


def chant_resume(session: Session, id: Annotated[str, ToolParameter(description="Spec ID")]) -> Answer:
    """(deprecated, use chant_reset) Reset a spec

    Continue after an error.
    """
    return session.chant.reset(id)


def chant_cancel(session: Session, id: Id) -> Answer:
    """Cancel a spec (sets status to cancelled)

    Drop a task no longer wanted.
    """
    return session.chant.cancel(id)


def chant_archive(session: Session, id: Id) -> Answer:
    """Move a completed spec to the archive directory

    Put finished tasks away.
    """
    return session.chant.archive(id)


def chant_work_list(session: Session, **filter: Unpack[RunFilter]) -> Answer:
    """List running work processes

    Which agents run now.
    """
    session.look_after_runs()
    return session.chant.work_list(**filter)


def chant_work_start(session: Session, id: Id, **options: Unpack[StartRequest]) -> Answer:
    """Start working on a spec asynchronously (returns immediately)

    Has an agent implement the task.
    """
    if on := options.get("on"):
        session.prepare_cluster(on)
    return session.chant.work_start(id, progress=progress.on_step.get(), **options)


def chant_pause(session: Session, id: Id) -> Answer:
    """Pause a running work process for a spec

    Stops its agent.
    """
    return session.chant.pause(id)


def chant_takeover(
    session: Session,
    id: Id,
    force: Annotated[
        bool, ToolParameter(description="Force takeover even if no active process detected (default: false)")
    ] = False,
) -> Answer:
    """Take over a running spec, stopping the agent and analyzing progress

    Then finish it yourself.
    """
    return session.chant.takeover(id, force=force)


def chant_watch_status(session: Session) -> Answer:
    """Get watch status and active worktrees

    Is the background daemon alive?
    """
    return session.chant.watch_status()


def chant_watch_start(session: Session) -> Answer:
    """Start watch in background if not running

    The daemon looks after agents.
    """
    return session.chant.watch_start()


def chant_watch_stop(session: Session) -> Answer:
    """Stop running watch process

    Turns the background daemon off.
    """
    return session.chant.watch_stop()


def chant_split(session: Session, id: Id, **options: Unpack[SplitRequest]) -> Answer:
    """Split a complex spec into smaller member specs using AI analysis

    Breaks a large task into pieces.
    """
    agreed = progress.agreed.get()
    if agreed is not None:
        options["force"] = True
    return session.chant.split(id, agreed=agreed, progress=progress.on_step.get(), **options)


def may_write_members(session: Session, id: str, **options: Unpack[SplitRequest]) -> Question | None:
    """Ask whether a proposal that waits is to be written."""
    if options.get("force"):
        return None
    asked = session.chant.split_question(id, **options)
    return None if asked is None else Question(*asked)


TOOLS = (
    ToolEntry(chant_spec_list),
    ToolEntry(chant_spec_get),
    ToolEntry(chant_ready),
    ToolEntry(chant_status),
    ToolEntry(chant_log),
    ToolEntry(chant_search),
    ToolEntry(chant_diagnose),
    ToolEntry(chant_lint),
    ToolEntry(chant_verify),
    ToolEntry(chant_spec_update),
    ToolEntry(chant_add),
    ToolEntry(chant_finalize),
    ToolEntry(chant_reset),
    ToolEntry(chant_resume),
    ToolEntry(chant_cancel),
    ToolEntry(chant_archive),
    ToolEntry(chant_work_start),
    ToolEntry(chant_work_list),
    ToolEntry(chant_pause),
    ToolEntry(chant_takeover),
    ToolEntry(chant_watch_status),
    ToolEntry(chant_watch_start),
    ToolEntry(chant_watch_stop),
    ToolEntry(chant_split, asks=may_write_members),
)
"""All tools of the dialect, in the order of the seed."""
