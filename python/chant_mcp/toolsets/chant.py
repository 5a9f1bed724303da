"""The tools of the chant dialect (seed chant; reference chant 5).

A list of tools costs every user tokens, so there are at most 450 bytes for one on average (decisions
3): parameters of the seed are described in its words, ours have names that say it.
"""

from typing import Annotated

from chant_mcp import progress
from chant_mcp._core import Answer
from chant_mcp.session import Session
from chant_mcp.toolsets import Question, ToolEntry
from chant_mcp.toolsets.parameters import ToolParameter

Id = Annotated[str, ToolParameter(description="Spec ID (full or partial)")]
Limit = Annotated[
    int, ToolParameter(minimum=0, description="Maximum number of specs to return (default: 50)")
]
Count = Annotated[int, ToolParameter(minimum=0)]
Names = list[str] | None


def chant_spec_list(
    session: Session,
    status: Annotated[
        str | None,
        ToolParameter(
            description="Filter by status (pending, in_progress, completed, failed, ready, blocked)"
        ),
    ] = None,
    limit: Limit = 50,
    offset: Count = 0,
) -> Answer:
    """List all chant specs in the current project"""
    return session.chant.spec_list(status, limit=limit, offset=offset)


def chant_spec_get(
    session: Session,
    id: Id,
    offset: Count = 0,
    max_chars: Annotated[int, ToolParameter(minimum=1)] = 40_000,
) -> Answer:
    """Get details of a chant spec including full body content"""
    return session.chant.spec_get(id, offset=offset, max_chars=max_chars)


def chant_ready(session: Session, limit: Limit = 50, offset: Count = 0) -> Answer:
    """List all specs that are ready to be worked (no unmet dependencies)"""
    return session.chant.ready(limit=limit, offset=offset)


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
) -> Answer:
    """Get project status summary with spec counts by status"""
    return session.chant.status(brief=brief, include_activity=include_activity)


def chant_log(
    session: Session,
    id: Id,
    lines: Annotated[
        int, ToolParameter(minimum=0, description="Number of lines to return (default: 100)")
    ] = 100,
    offset: Annotated[
        int | None, ToolParameter(minimum=0, description="Start from byte offset (for incremental reads)")
    ] = None,
    since: Annotated[
        str | None, ToolParameter(description="ISO timestamp - only lines after this time")
    ] = None,
) -> Answer:
    """Read execution log for a spec"""
    return session.chant.log(id, lines=lines, offset=offset, since=since)


def chant_search(
    session: Session,
    query: Annotated[str, ToolParameter(description="Search query (case-insensitive substring match)")],
    status: Annotated[str | None, ToolParameter(description="Filter by status")] = None,
    limit: Count = 50,
    offset: Count = 0,
) -> Answer:
    """Search specs by title and body content"""
    return session.chant.search(query, status, limit=limit, offset=offset)


def chant_diagnose(session: Session, id: Id) -> Answer:
    """Diagnose issues with a spec (check file, log, locks, commits, criteria)"""
    session.look_after_runs()
    return session.chant.diagnose(id)


def chant_lint(
    session: Session,
    id: Annotated[
        str | None, ToolParameter(description="Spec ID to lint (optional, lints all if not provided)")
    ] = None,
    limit: Count = 50,
    offset: Count = 0,
) -> Answer:
    """Lint specs to check for quality issues (complexity, missing criteria, etc.)"""
    return session.chant.lint(id, limit=limit, offset=offset)


def chant_verify(session: Session, id: Id) -> Answer:
    """Verify a spec meets its acceptance criteria"""
    return session.chant.verify(id)


def chant_spec_update(
    session: Session,
    id: Id,
    status: Annotated[
        str | None, ToolParameter(description="New status (pending, in_progress, completed, failed)")
    ] = None,
    output: Annotated[str | None, ToolParameter(description="Output text to append to spec body")] = None,
    depends_on: Annotated[Names, ToolParameter(description="Spec IDs this spec depends on")] = None,
    labels: Annotated[Names, ToolParameter(description="Labels to assign to the spec")] = None,
    target_files: Annotated[Names, ToolParameter(description="Target file paths for the spec")] = None,
    model: Annotated[str | None, ToolParameter(description="Model name to use for the spec")] = None,
    check: Names = None,
    uncheck: Names = None,
    replace_body: bool = False,
    force: bool = False,
) -> Answer:
    """Update a chant spec status, frontmatter fields, or add output"""
    return session.chant.spec_update(
        id,
        status=status,
        output=output,
        depends_on=depends_on,
        labels=labels,
        target_files=target_files,
        model=model,
        check=check or [],
        uncheck=uncheck or [],
        replace_body=replace_body,
        force=force,
        from_run=session.is_of_run,
    )


def chant_add(
    session: Session,
    description: Annotated[
        str, ToolParameter(description="Description of work to be done (becomes spec title)")
    ],
    prompt: Annotated[str | None, ToolParameter(description="Optional prompt template name to use")] = None,
    criteria: Names = None,
    depends_on: Names = None,
    labels: Names = None,
    target_files: Names = None,
    type: str | None = None,
    parent: str | None = None,
) -> Answer:
    """Create a new spec with description"""
    return session.chant.add(
        description,
        prompt=prompt,
        criteria=criteria or [],
        depends_on=depends_on,
        labels=labels or [],
        target_files=target_files or [],
        type=type,
        parent=parent,
    )


def chant_finalize(session: Session, id: Id, force: bool = False) -> Answer:
    """Mark a spec as completed (validates all criteria are checked)"""
    return session.chant.finalize(id, force=force)


def chant_reset(session: Session, id: Id) -> Answer:
    """Reset a failed spec to pending status so it can be reworked"""
    return session.chant.reset(id)


def chant_resume(session: Session, id: str) -> Answer:
    """(deprecated, use chant_reset) Reset a spec"""
    return session.chant.reset(id)


def chant_cancel(session: Session, id: Id) -> Answer:
    """Cancel a spec (sets status to cancelled)"""
    return session.chant.cancel(id)


def chant_archive(session: Session, id: Id) -> Answer:
    """Move a completed spec to the archive directory"""
    return session.chant.archive(id)


def chant_work_list(
    session: Session,
    process_id: Annotated[str | None, ToolParameter(description="Filter to specific process")] = None,
    include_completed: Annotated[
        bool, ToolParameter(description="Include recently completed processes")
    ] = False,
    offset: Count = 0,
) -> Answer:
    """List running work processes"""
    session.look_after_runs()
    return session.chant.work_list(process_id=process_id, include_completed=include_completed, offset=offset)


def chant_work_start(
    session: Session,
    id: Id,
    chain: Annotated[bool, ToolParameter(description="Continue to next ready spec after completion")] = False,
    parallel: Annotated[
        int | None,
        ToolParameter(minimum=1, description="Number of parallel workers (requires multiple ready specs)"),
    ] = None,
    skip_criteria: Annotated[bool, ToolParameter(description="Skip acceptance criteria validation")] = False,
) -> Answer:
    """Start working on a spec asynchronously (returns immediately)"""
    return session.chant.work_start(
        id,
        chain=chain,
        parallel=parallel,
        skip_criteria=skip_criteria,
        progress=progress.told.get(),
    )


def chant_pause(session: Session, id: Id) -> Answer:
    """Pause a running work process for a spec"""
    return session.chant.pause(id)


def chant_takeover(
    session: Session,
    id: Id,
    force: Annotated[
        bool, ToolParameter(description="Force takeover even if no active process detected (default: false)")
    ] = False,
) -> Answer:
    """Take over a running spec, stopping the agent and analyzing progress"""
    return session.chant.takeover(id, force=force)


def chant_watch_status(session: Session) -> Answer:
    """Get watch status and active worktrees"""
    return session.chant.watch_status()


def chant_watch_start(session: Session) -> Answer:
    """Start watch in background if not running"""
    return session.chant.watch_start()


def chant_watch_stop(session: Session) -> Answer:
    """Stop running watch process"""
    return session.chant.watch_stop()


def chant_split(
    session: Session,
    id: Id,
    force: Annotated[bool, ToolParameter(description="Skip confirmation prompts")] = False,
    recursive: Annotated[
        bool, ToolParameter(description="Recursively split member specs that are still too complex")
    ] = False,
    max_depth: Annotated[
        int | None, ToolParameter(minimum=1, description="Maximum recursion depth (default: 3)")
    ] = None,
) -> Answer:
    """Split a complex spec into smaller member specs using AI analysis"""
    agreed = progress.agreed.get()
    return session.chant.split(
        id,
        force=force or agreed is not None,
        recursive=recursive,
        max_depth=max_depth,
        agreed=agreed,
        progress=progress.told.get(),
    )


def may_write_members(
    session: Session, id: str, force: bool = False, recursive: bool = False, max_depth: int | None = None
) -> Question | None:
    """Ask whether a proposal that waits is to be written."""
    if force:
        return None
    asked = session.chant.split_question(id, recursive=recursive, max_depth=max_depth)
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
