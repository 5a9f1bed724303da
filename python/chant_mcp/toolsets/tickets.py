"""The tools of the tickets dialect (seed tickets; reference tickets 3)."""

from typing import Annotated, Any

from chant_mcp._core import Answer
from chant_mcp.session import Session
from chant_mcp.toolsets import ToolEntry
from chant_mcp.toolsets.parameters import ToolParameter

TYPES = ("Architecture", "Feature Enhancement", "Bug Fix", "Technical Debt", "Documentation", "Research")
STATUSES = (
    "Proposed",
    "Approved",
    "In Progress",
    "Implemented",
    "Rejected",
    "On Hold",
    "Partially Implemented",
)
PRIORITIES = ("Low", "Medium", "High", "Critical")

_TEXT = {"type": "string"}
_ONE_OR_MORE = {"type": ["string", "array"], "items": _TEXT}
_ATTRIBUTES: dict[str, Any] = {
    "title": _TEXT,
    "priority": {"type": "string", "enum": list(PRIORITIES)},
    "phaseEpic": _TEXT,
    "assignee": _TEXT,
    "relatedTickets": {"type": "string", "description": "CR keys, separated by commas"},
    "dependsOn": _TEXT,
    "blocks": _TEXT,
}

Project = Annotated[
    str | None, ToolParameter(description="Project key, e.g. MDT; may be left out where the CR key says it")
]
Key = Annotated[
    str, ToolParameter(description="CR key, e.g. MDT-001", schema={"type": ["string", "integer"]})
]
Count = Annotated[int, ToolParameter(minimum=0)]


def _schema(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"properties": properties, **({"required": list(required)} if required else {})}


def list_projects(session: Session) -> Answer:
    """List all discovered projects with their basic information"""
    return session.tickets.list_projects()


def get_project_info(
    session: Session,
    *,
    key: Annotated[str, ToolParameter(description="Project key (e.g., MDT, API)")],
) -> Answer:
    """Get detailed information about a specific project, with CR counts by status"""
    return session.tickets.get_project_info(key)


def list_crs(
    session: Session,
    *,
    project: Project = None,
    filters: Annotated[
        dict[str, Any] | None,
        ToolParameter(
            description="Each a value or a list of them: "
            f"status ({', '.join(STATUSES)}), type ({', '.join(TYPES)}), priority ({', '.join(PRIORITIES)})",
            schema=_schema(status=_ONE_OR_MORE, type=_ONE_OR_MORE, priority=_ONE_OR_MORE),
        ),
    ] = None,
    limit: Annotated[int, ToolParameter(minimum=0, description="Most CRs (default: 20)")] = 20,
    offset: Count = 0,
    fields: Annotated[
        list[str] | None, ToolParameter(description="Keys of each CR, in place of the usual nine")
    ] = None,
) -> Answer:
    """List CRs for a project with optional filtering, the highest number first"""
    return session.tickets.list_crs(project, filters=filters or {}, limit=limit, offset=offset, fields=fields)


def get_cr(
    session: Session,
    *,
    project: Project = None,
    key: Key,
    mode: Annotated[
        str,
        ToolParameter(
            description="full: the markdown (default). attributes: the front matter. metadata: less",
            schema={"enum": ["full", "attributes", "metadata"]},
        ),
    ] = "full",
    offset: Count = 0,
    max_chars: Annotated[int, ToolParameter(minimum=1)] = 40_000,
) -> Answer:
    """Get CR with flexible return modes; attributes and metadata cost a fraction of the whole"""
    return session.tickets.get_cr(project, key, mode=mode, offset=offset, max_chars=max_chars)


def create_cr(
    session: Session,
    *,
    project: Project = None,
    type: Annotated[str, ToolParameter(schema={"enum": list(TYPES)})],
    data: Annotated[
        dict[str, Any],
        ToolParameter(
            schema=_schema(
                ("title",),
                **_ATTRIBUTES,
                content={"type": "string", "description": "The markdown (default: the type's template)"},
            )
        ),
    ],
) -> Answer:
    """Create a new CR under the next number"""
    return session.tickets.create_cr(project, type, data)


def update_cr_attrs(
    session: Session,
    *,
    project: Project = None,
    key: Key,
    attributes: Annotated[
        dict[str, Any],
        ToolParameter(schema=_schema(**_ATTRIBUTES, implementationDate=_TEXT, implementationNotes=_TEXT)),
    ],
) -> Answer:
    """Update attributes of an existing CR (status: use update_cr_status)"""
    return session.tickets.update_cr_attrs(project, key, attributes)


def update_cr_status(
    session: Session,
    *,
    project: Project = None,
    key: Key,
    status: Annotated[str, ToolParameter(schema={"enum": list(STATUSES)})],
) -> Answer:
    """Update the status of an existing CR with workflow validation"""
    return session.tickets.update_cr_status(project, key, status)


def delete_cr(session: Session, *, project: Project = None, key: Key) -> Answer:
    """Delete a CR (typically used for implemented bug fixes)"""
    return session.tickets.delete_cr(project, key)


def manage_cr_sections(
    session: Session,
    *,
    project: Project = None,
    key: Key,
    operation: Annotated[
        str,
        ToolParameter(
            description="list, get, update (with updateMode), or the mode itself",
            schema={"enum": ["list", "get", "update", "replace", "append", "prepend"]},
        ),
    ],
    section: Annotated[
        str | None,
        ToolParameter(description="As list prints it, e.g. '## Scope', 'Scope' or '## A / ### Scope'"),
    ] = None,
    updateMode: Annotated[
        str | None, ToolParameter(schema={"enum": ["replace", "append", "prepend"]})
    ] = None,
    content: str | None = None,
    offset: Count = 0,
    max_chars: Annotated[int, ToolParameter(minimum=1)] = 40_000,
) -> Answer:
    """Read or change one section of a CR without the rest of it"""
    return session.tickets.manage_cr_sections(
        project,
        key,
        operation,
        section=section,
        update_mode=updateMode,
        content=content,
        offset=offset,
        max_chars=max_chars,
    )


def suggest_cr_improvements(session: Session, *, project: Project = None, key: Key) -> Answer:
    """Get suggestions for improving an existing CR, with a score that its parts explain"""
    return session.tickets.suggest_cr_improvements(project, key)


def _entry(run: Any) -> ToolEntry:
    return ToolEntry(run, errors_are_data=True)


TOOLS = (
    _entry(list_projects),
    _entry(get_project_info),
    _entry(list_crs),
    _entry(get_cr),
    _entry(create_cr),
    _entry(update_cr_attrs),
    _entry(update_cr_status),
    _entry(delete_cr),
    _entry(manage_cr_sections),
    _entry(suggest_cr_improvements),
)
"""All tools of the dialect, in the order of the seed."""
