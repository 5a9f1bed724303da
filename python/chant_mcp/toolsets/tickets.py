"""The tools of the tickets dialect (seed tickets; reference tickets 3)."""

from typing import Annotated, Any

from chant_mcp._core import Answer
from chant_mcp.parameters import (
    TICKET_PRIORITIES,
    TICKET_STATUSES,
    TICKET_TYPES,
    DetailRequest,
    SectionCall,
    TicketQuery,
    ToolParameter,
    Unpack,
)
from chant_mcp.session import Session
from chant_mcp.toolsets import ToolEntry
from chant_mcp.toolsets.budget import MaxTokens, Since, since_cursor, within

_TEXT = {"type": "string"}
_ATTRIBUTES: dict[str, Any] = {
    "title": _TEXT,
    "priority": {"type": "string", "enum": list(TICKET_PRIORITIES)},
    "phaseEpic": _TEXT,
    "assignee": _TEXT,
    "relatedTickets": {"type": "string", "description": "CR keys, separated by commas"},
    "dependsOn": _TEXT,
    "blocks": _TEXT,
}

Project = Annotated[str | None, ToolParameter(description="Project key")]
Key = Annotated[
    str, ToolParameter(description="CR key, e.g. MDT-001", schema={"type": ["string", "integer"]})
]


def _schema(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"properties": properties, **({"required": list(required)} if required else {})}


def list_projects(session: Session) -> Answer:
    """List all discovered projects with their basic information

    Which repositories have tickets.
    """
    return session.tickets.list_projects()


def get_project_info(
    session: Session, *, key: Annotated[str, ToolParameter(description="Project key (e.g., MDT, API)")]
) -> Answer:
    """Get detailed information about a specific project, with CR counts by status

    How many tickets it has.
    """
    return session.tickets.get_project_info(key)


def list_crs(
    session: Session,
    *,
    project: Project = None,
    since: Since = None,
    max_tokens: MaxTokens = None,
    **query: Unpack[TicketQuery],
) -> Answer:
    """List CRs for a project with optional filtering, the highest number first

    Show open tickets; filter by status, type, priority.
    """

    def whole() -> Answer:
        return session.tickets.list_crs(project, **query)

    found = since_cursor(session, since, "tickets", whole, project)
    return within(found, max_tokens, query.get("offset", 0))


def get_cr(
    session: Session,
    *,
    project: Project = None,
    key: Key,
    max_tokens: MaxTokens = None,
    **detail: Unpack[DetailRequest],
) -> Answer:
    """Get CR with flexible return modes; attributes and metadata cost less

    Shows the text or details of one ticket.
    """
    return within(session.tickets.get_cr(project, key, **detail), max_tokens, detail.get("offset", 0))


def create_cr(
    session: Session,
    *,
    project: Project = None,
    type: Annotated[str, ToolParameter(description="Kind of CR", schema={"enum": list(TICKET_TYPES)})],
    data: Annotated[
        dict[str, Any],
        ToolParameter(
            description="Attributes",
            schema=_schema(
                ("title",),
                **_ATTRIBUTES,
                content={"type": "string", "description": "The markdown (default: the type's template)"},
            ),
        ),
    ],
) -> Answer:
    """Create a new CR under the next number

    Open a ticket: bug, feature.
    """
    return session.tickets.create_cr(project, type, data)


def update_cr_attrs(
    session: Session,
    *,
    project: Project = None,
    key: Key,
    attributes: Annotated[
        dict[str, Any],
        ToolParameter(
            description="What to set",
            schema=_schema(**_ATTRIBUTES, implementationDate=_TEXT, implementationNotes=_TEXT),
        ),
    ],
) -> Answer:
    """Update attributes of an existing CR (status: use update_cr_status)

    Assign a ticket, raise its priority.
    """
    return session.tickets.update_cr_attrs(project, key, attributes)


def update_cr_status(
    session: Session,
    *,
    project: Project = None,
    key: Key,
    status: Annotated[str, ToolParameter(description="New status", schema={"enum": list(TICKET_STATUSES)})],
) -> Answer:
    """Update the status of an existing CR with workflow validation

    Move a ticket.
    """
    return session.tickets.update_cr_status(project, key, status)


def delete_cr(session: Session, *, project: Project = None, key: Key) -> Answer:
    """Delete a CR (typically used for implemented bug fixes)

    Removes a ticket.
    """
    return session.tickets.delete_cr(project, key)


def manage_cr_sections(
    session: Session,
    *,
    project: Project = None,
    key: Key,
    operation: Annotated[
        str,
        ToolParameter(
            description="list, get, update (with updateMode), the mode itself; check ticks the box content",
            schema={"enum": ["list", "get", "update", "replace", "append", "prepend", "check", "uncheck"]},
        ),
    ],
    **section: Unpack[SectionCall],
) -> Answer:
    """Read or change one section of a CR without the rest of it

    Change a part of a ticket: replace, rewrite, append.
    """
    return session.tickets.manage_cr_sections(project, key, operation, **section)


def suggest_cr_improvements(session: Session, *, project: Project = None, key: Key) -> Answer:
    """Get suggestions for improving an existing CR, with a score that its parts explain

    How good is a ticket?
    """
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
