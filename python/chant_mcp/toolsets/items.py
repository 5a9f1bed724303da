"""The tools for items of every format, of which some have tools of their own."""

from typing import Annotated

from chant_mcp._core import Answer
from chant_mcp.errors import RefusedError
from chant_mcp.formats import own_tools_of
from chant_mcp.parameters import ItemEdits, ItemListQuery, ItemPage, NewItem, ToolParameter, Unpack
from chant_mcp.session import Session
from chant_mcp.toolsets import ToolEntry
from chant_mcp.toolsets.budget import Since, since_cursor

Id = Annotated[str, ToolParameter(description="Key, e.g. openspec:add-auth#1.2, or a part of it")]
Section = Annotated[str | None, ToolParameter(description="Heading of the one to show")]


def item_list(session: Session, since: Since = None, **query: Unpack[ItemListQuery]) -> Answer:
    """List items of plans: changes, specs, tasks with their states."""
    return since_cursor(
        session, since, "items", lambda: session.workspace.item_list(**query), query.get("format")
    )


def item_get(session: Session, id: Id, section: Section = None) -> Answer:
    """Show one item: text, criteria, waits, parts, which edits it takes."""
    return session.workspace.item_get(id, section)


def item_next(session: Session, **query: Unpack[ItemPage]) -> Answer:
    """Say what can be worked on now, with the order of the first item."""
    return session.workspace.item_next(**query)


def item_update(session: Session, id: Id, **edits: Unpack[ItemEdits]) -> Answer:
    """Change one item where it lies: tick, set its status, attributes, a section. All or nothing."""
    _refuse_own_tools(session, id, 0)
    return session.workspace.item_update(id, **edits)


def item_add(
    session: Session,
    title: Annotated[str, ToolParameter(description="What it is called")],
    **content: Unpack[NewItem],
) -> Answer:
    """Add an item to a plan."""
    if parent := content.get("parent"):
        _refuse_own_tools(session, parent, 1)
    return session.workspace.item_add(title, **content)


def _refuse_own_tools(session: Session, name: str, which: int) -> None:
    """Name the tool that does it, for an item whose format has tools of its own."""
    word, _, rest = name.partition(":")
    if tools := own_tools_of(word if rest or which else ""):
        raise RefusedError(f"Items of {word} have tools of their own. Use {tools[which]}.")


TOOLS = (
    ToolEntry(item_list),
    ToolEntry(item_get),
    ToolEntry(item_next),
    ToolEntry(item_update),
    ToolEntry(item_add),
)
"""All of them, in the order in which they are listed."""
