"""The tools of the vine dialect (seed vine; reference vine 9.2).

`vine_write` takes one flat kind of operation: hosts handle a plain object better than fourteen kinds of
one, and the core says by name what a kind of operation lacks or does not know.
"""

from typing import Annotated, Any

from chant_mcp._core import Answer
from chant_mcp.session import Session
from chant_mcp.toolsets import ToolEntry
from chant_mcp.toolsets.parameters import ToolParameter

ACTIONS = (
    "summary",
    "list",
    "task",
    "context",
    "descendants",
    "search",
    "refs",
    "validate",
    "dependencies",
    "meta",
)
STATUSES = ("complete", "started", "reviewing", "planning", "notstarted", "blocked")
OPERATIONS = (
    "create",
    "add_task",
    "remove_task",
    "set_status",
    "update",
    "claim",
    "extract_to_ref",
    "add_dep",
    "remove_dep",
    "add_ref",
    "update_ref_uri",
    "rename_task",
    "move_task",
    "set_meta",
)

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_ATTACHMENTS = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "class": {"type": "string", "enum": ["artifact", "guidance", "file"]},
            "mime": _TEXT,
            "uri": _TEXT,
        },
        "required": ["class", "mime", "uri"],
    },
}
_OPERATION: dict[str, Any] = {
    "type": "object",
    "properties": {
        "op": {"type": "string", "enum": list(OPERATIONS)},
        "id": _TEXT,
        "name": _TEXT,
        "status": {"type": "string", "enum": list(STATUSES)},
        "description": _TEXT,
        "dependsOn": _TEXTS,
        "annotations": {"type": "object", "additionalProperties": _TEXTS},
        "decisions": _TEXTS,
        "addDecisions": _TEXTS,
        "attachments": _ATTACHMENTS,
        "addAttachments": {"type": "array", "items": {"type": "object"}},
        "removeAttachments": _TEXTS,
        "force": {"type": "boolean"},
        "owner": _TEXT,
        "taskId": _TEXT,
        "depId": _TEXT,
        "vine": {"type": "string", "description": "The .vine file a reference stands for"},
        "refName": _TEXT,
        "uri": _TEXT,
        "newId": _TEXT,
        "before": _TEXT,
        "version": _TEXT,
        "title": _TEXT,
        "prefix": _TEXT,
        "delimiter": _TEXT,
    },
    "required": ["op"],
}

File = Annotated[str, ToolParameter(description="Path of the .vine file; the ending may be left out")]
Limit = Annotated[int, ToolParameter(minimum=0, description="Most entries of each list (default: 50)")]
Count = Annotated[int, ToolParameter(minimum=0)]


def vine_read(
    session: Session,
    file: File,
    action: Annotated[str, ToolParameter(schema={"enum": list(ACTIONS)})],
    id: Annotated[
        str | None, ToolParameter(description="Task ID, for task, context, descendants, dependencies")
    ] = None,
    status: Annotated[
        str | None,
        ToolParameter(description="Filter of list", schema={"enum": list(STATUSES)}),
    ] = None,
    query: Annotated[str | None, ToolParameter(description="Text to find, for search and list")] = None,
    fields: list[str] | None = None,
    limit: Annotated[int | None, ToolParameter(minimum=0)] = None,
    offset: Count = 0,
) -> Answer:
    """Query a .vine task graph.

    summary: root, totals, counts, to orient yourself. list: all tasks, or those of a status or query.
    task: one. context: one with what it builds on (decisions, attachments) and who builds on it, before
    you work on it. descendants: all that depend on it, the blast radius of a change. dependencies: all
    that it needs. search, refs. validate: what is wrong. meta: version, title, prefix, delimiter, blob.
    The format is explained in vine://spec/brief.
    """
    return session.vine.read(
        file, action, id=id, status=status, query=query, fields=fields, limit=limit, offset=offset
    )


def vine_next(session: Session, file: File, limit: Limit = 50, offset: Count = 0) -> Answer:
    """Say what can be acted on now in a .vine task graph.

    needs_expansion: references; vine_expand each, then ask again. ready_to_complete: tasks in reviewing
    that others build on; check and set complete. ready_to_start: claim one, work, set reviewing.
    blocked: needs help. in_progress: somebody works on it. progress: ready_count > 1 means several
    agents can work at once; repeat until root_status is complete. See vine://spec/brief.
    """
    return session.vine.next(file, limit=limit, offset=offset)


def vine_write(
    session: Session,
    file: File,
    operations: Annotated[list[dict[str, Any]], ToolParameter(schema={"items": _OPERATION})],
    dry_run: Annotated[bool, ToolParameter(description="Only say what would change")] = False,
    expect: Annotated[
        str | None, ToolParameter(description="blob of the text you read; refuse if it is another")
    ] = None,
    limit: Limit = 50,
) -> Answer:
    """Change a .vine task graph: operations in order, validated once at the end, all or nothing.

    create {version?} first, for a new file; its first add_task is the root.
    add_task {id, name, status?, description?, dependsOn?, annotations?}; wire it in the same call:
    add_dep {taskId, depId} makes taskId depend on depId. remove_dep {taskId, depId}.
    remove_task {id}. set_status {id, status}.
    claim {id, owner?, force?}: started, refused when taken or not ready.
    update {id, name?, description?, decisions?, attachments?, annotations?} replaces what is given;
    addDecisions?, addAttachments?, removeAttachments? (URIs) keep the rest.
    add_ref {id, name, vine, description?, dependsOn?, decisions?, annotations?}.
    update_ref_uri {id, uri}. extract_to_ref {id, vine, refName?}: moves a task into a new file.
    rename_task {id, newId}. move_task {id, before?}. set_meta {title?, prefix?, delimiter?}.
    The answer is the new frontier as in vine_next, and what was claimed.
    """
    return session.vine.write(file, operations, dry_run=dry_run, expect=expect, limit=limit)


def vine_expand(
    session: Session,
    file: File,
    ref_id: Annotated[str, ToolParameter(description="ID of the reference")],
    child_file: Annotated[
        str | None, ToolParameter(description="The other file (default: the one the reference names)")
    ] = None,
) -> Answer:
    """Put the tasks of another .vine file in the place of a reference.

    The child's root takes the reference's ID, its other tasks get the child's prefix or that ID before
    theirs. Call vine_next afterwards.
    """
    return session.vine.expand(file, ref_id, child_file)


TOOLS = (
    ToolEntry(vine_read, files=("file",)),
    ToolEntry(vine_next, files=("file",)),
    ToolEntry(vine_write, files=("file",)),
    ToolEntry(vine_expand, files=("file", "child_file")),
)
"""All tools of the dialect, in the order of the seed."""
