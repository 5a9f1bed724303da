"""The tools of the vine dialect (seed vine; reference vine 9.2).

`vine_write` takes one flat kind of operation: hosts handle a plain object better than fourteen kinds of
one, and the core says by name what a kind of operation lacks or does not know.
"""

from typing import Annotated, Any

from chant_mcp._core import Answer
from chant_mcp.parameters import TASK_STATUSES, GraphQuery, PlanPage, ToolParameter, Unpack, WriteOptions
from chant_mcp.session import Session
from chant_mcp.toolsets import ToolEntry
from chant_mcp.toolsets.budget import MaxTokens, Since, since_cursor, within

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
        "status": {"type": "string", "enum": list(TASK_STATUSES)},
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
        "vine": _TEXT,
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

File = Annotated[str, ToolParameter(description="Path of the .vine file")]


def vine_read(
    session: Session,
    file: File,
    action: Annotated[str, ToolParameter(description="What to show", schema={"enum": list(ACTIONS)})],
    max_tokens: MaxTokens = None,
    **query: Unpack[GraphQuery],
) -> Answer:
    """Query a .vine task graph: show tasks of a plan, validation errors, dependencies.

    summary: root, totals, counts. list: all tasks, or those of a status or query. task: one. context: one
    with what it builds on (decisions, attachments) and who builds on it, before you work on it.
    descendants: all that depend on it, the blast radius of a change. dependencies: all that it needs.
    validate: what is wrong. meta: version, title, prefix, delimiter, blob.
    The format: vine://spec/brief.
    """
    return within(session.vine.read(file, action, **query), max_tokens, query.get("offset", 0))


def vine_next(session: Session, file: File, since: Since = None, **page: Unpack[PlanPage]) -> Answer:
    """Say what can be acted on now in a .vine task graph: unblocked steps of the plan.

    needs_expansion: vine_expand each, ask again. ready_to_complete: in reviewing, others build on it;
    check, set complete. ready_to_start: claim one, work, set reviewing. blocked: needs help.
    progress: ready_count > 1: several agents can work at once; repeat until root_status is complete.
    """
    return since_cursor(session, since, "vine", lambda: session.vine.next(file, **page), file)


def vine_write(
    session: Session,
    file: File,
    operations: Annotated[
        list[dict[str, Any]],
        ToolParameter(description="Run in order, all or none", schema={"items": _OPERATION}),
    ],
    **options: Unpack[WriteOptions],
) -> Answer:
    """Change a .vine task graph: add, claim, rename, remove tasks in a plan file, set their dependencies.

    Validated once; examples: vine://spec/brief.
    create {version?} first, for a new file; its first add_task is the root.
    add_task {id,name,status?,description?,dependsOn?,annotations?}; wire it in the same call:
    add_dep {taskId,depId} makes taskId depend on depId. remove_dep {taskId,depId}. remove_task {id}.
    claim {id,owner?,force?}: started, refused when taken or not ready. set_status {id,status}.
    update {id,name?,description?,decisions?,attachments?,annotations?} replaces;
    addDecisions?, addAttachments?, removeAttachments? (URIs) keep the rest.
    add_ref {id,name,vine (a file),description?,dependsOn?,decisions?,annotations?}. update_ref_uri {id,uri}.
    extract_to_ref {id,vine,refName?}. rename_task {id,newId}. move_task {id,before?}.
    set_meta {title?,prefix?,delimiter?}. Answers as vine_next.
    """
    return session.vine.write(file, operations, **options)


def vine_expand(
    session: Session,
    file: File,
    ref_id: Annotated[str, ToolParameter(description="ID of the reference")],
    child_file: Annotated[
        str | None, ToolParameter(description="The other file (default: the one the reference names)")
    ] = None,
) -> Answer:
    """Put the tasks of another .vine file in the place of a reference: inline a sub-plan.

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
