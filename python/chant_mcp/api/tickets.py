"""Change-request tickets as handles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from chant_mcp._core import TicketProjects, body_section
from chant_mcp.api.handles import Handle, refuse_open
from chant_mcp.api.transactions import refuse_within, within

Codes: TypeAlias = str | Iterable[str]
"""Tickets: codes, or one text with commas."""


@dataclass(init=False, frozen=True, slots=True, eq=False, repr=False)
class Ticket(Handle):
    """A ticket of the workspace's project. Its ID is its code.

    Example:
        >>> ticket = ws.ticket("DEM-007").update(priority="High")
        >>> ticket.priority
        'High'
        >>> ticket.section("Plan").append("Ask first.").section_text("Plan")
        'Ask first.'
    """

    @property
    def type(self) -> str:
        """What kind of change it asks for."""
        return self._data["type"]

    @property
    def priority(self) -> str:
        """How pressing it is."""
        return self._data["priority"]

    @property
    def assignee(self) -> str | None:
        """Who is on it."""
        return self._data["assignee"]

    @property
    def phase_epic(self) -> str | None:
        """The phase or epic it belongs to."""
        return self._data["phase_epic"]

    @property
    def related_tickets(self) -> tuple[str, ...]:
        """Codes of tickets that have to do with it."""
        return tuple(self._data["related_tickets"])

    @property
    def blocks(self) -> tuple[str, ...]:
        """Codes of tickets that wait for it, as its own file says."""
        return tuple(self._data["blocks"])

    @property
    def date_created(self) -> str | None:
        """When it was written, as its front matter says."""
        return self._data["date_created"]

    @property
    def last_modified(self) -> str | None:
        """When it was last changed, as its front matter says."""
        return self._data["last_modified"]

    def update(
        self,
        *,
        title: str | None = None,
        priority: str | None = None,
        phase_epic: str | None = None,
        assignee: str | None = None,
        related_tickets: Codes | None = None,
        depends_on: Codes | None = None,
        blocks: Codes | None = None,
        implementation_date: str | None = None,
        implementation_notes: str | None = None,
        status: str | None = None,
    ) -> Ticket:
        """Change what is given (`update_cr_attrs`, and `update_cr_status` for the state).

        Keys are changed in the file as it is now. A list takes the place of the one that this handle shows:
        what others added or took out since stays so. An empty text takes a key out. The state is changed
        last, by a change of its own: when it is refused, the attributes are changed already. Inside a
        transaction it is one change, of all or nothing.

        Raises:
            InvalidArgumentError: A value is none that the key may have, or nothing is given.
            IllegalTransitionError: The state may not change like that.
        """
        given: dict[str, Any] = {
            "title": title,
            "priority": priority,
            "phaseEpic": phase_epic,
            "assignee": assignee,
            "relatedTickets": related_tickets,
            "dependsOn": depends_on,
            "blocks": blocks,
            "implementationDate": implementation_date,
            "implementationNotes": implementation_notes,
        }
        attributes = {name: attribute(value) for name, value in given.items() if value is not None}
        seen: dict[str, Any] = {
            "relatedTickets": list(self.related_tickets),
            "dependsOn": [name.removeprefix("tickets:") for name in self.depends_on],
            "blocks": list(self.blocks),
        }
        seen = {name: shown for name, shown in seen.items() if name in attributes}
        transaction = within(self.workspace)
        if transaction is not None:
            staged = transaction.staged.update_ticket(self.id, attributes, status, seen=seen)
            return Ticket(self.workspace, staged)
        answer = None
        if attributes or status is None:
            answer = self._tools.update_cr_attrs(None, self.id, attributes, seen=seen)
        if status is not None:
            answer = self._tools.update_cr_status(None, self.id, status)
        return self.reload(answer)

    def check(self, *texts: str, section: str | None = None) -> Ticket:
        """Tick boxes of its body, by their texts, one after the other.

        Args:
            texts: What the boxes say.
            section: The section in which they stand; the acceptance criteria without it.

        Raises:
            InvalidArgumentError: No box reads like that.
        """
        return self._tick("check", texts, section)

    def uncheck(self, *texts: str, section: str | None = None) -> Ticket:
        """Take ticks back; arguments and errors as for `check`."""
        return self._tick("uncheck", texts, section)

    def _tick(self, mode: str, texts: Iterable[str], section: str | None) -> Ticket:
        refuse_within(self.workspace, f"`{mode}` of a ticket")
        answer = None
        for text in texts:
            answer = self._tools.manage_cr_sections(None, self.id, mode, section=section, content=text)
        return self.reload(answer)

    def reopen(self) -> Ticket:
        """Go on with one that was closed: `In Progress` from `Implemented`, `Proposed` from `Rejected`.

        Raises:
            IllegalTransitionError: It is not closed.
        """
        refuse_open(self)
        return self.update(status="Proposed" if self.status == "Rejected" else "In Progress")

    def delete(self) -> str:
        """Remove its file (`delete_cr`).

        Returns:
            What was removed, in words.
        """
        refuse_within(self.workspace, "`delete` of a ticket")
        return self._tools.delete_cr(None, self.id).text

    def section(self, name: str) -> TicketSection:
        """A section of its body, to be read and changed.

        Args:
            name: Its heading, with or without `#`, or its path `A / B`.

        Raises:
            NotFoundError: No section is called so.
            AmbiguousIdError: Several are; `details["matches"]` has names that mean one each.
        """
        full, text = body_section(self.body, name, self.id)
        return TicketSection(self, full, text)

    def attributes(self) -> dict[str, Any]:
        """Its whole front matter (`get_cr` with `mode="attributes"`)."""
        return self._tools.get_cr(None, self.id, mode="attributes").data

    def suggest(self) -> dict[str, Any]:
        """What could be better, with a score (`suggest_cr_improvements`)."""
        return self._tools.suggest_cr_improvements(None, self.id).data

    @property
    def _tools(self) -> TicketProjects:
        return self.workspace.session.tickets


@dataclass(frozen=True, slots=True)
class TicketSection:
    """A section of a ticket as the ticket's handle shows it.

    A change is refused with `ConflictError` when the section holds another text by then; what others
    changed elsewhere in the ticket stays. Inside a transaction that holds for `replace` alone: `append` and
    `prepend` are made on whatever stands there at the end.
    """

    ticket: Ticket
    """The ticket as it was read."""
    name: str
    """What means this section and no other of its ticket."""
    text: str
    """What stands below the heading, as it was read."""

    def replace(self, text: str) -> Ticket:
        """Put a text in the place of what stands below the heading, sub-sections included.

        Raises:
            ConflictError: The section holds another text than when the ticket was read.
            InvalidArgumentError: The text is empty or would swallow what stands behind it.
        """
        return self._change("replace", text)

    def append(self, text: str) -> Ticket:
        """Put a text behind what stands there; errors as for `replace`."""
        return self._change("append", text)

    def prepend(self, text: str) -> Ticket:
        """Put a text before what stands there; errors as for `replace`."""
        return self._change("prepend", text)

    def _change(self, mode: str, text: str) -> Ticket:
        ticket = self.ticket
        transaction = within(ticket.workspace)
        if transaction is not None:
            expected = self.text if mode == "replace" else None
            would_be = transaction.staged.change_section(ticket.id, mode, self.name, text, expected)
            return Ticket(ticket.workspace, would_be)
        tools = ticket.workspace.session.tickets
        answer = tools.manage_cr_sections(
            None, ticket.id, mode, section=self.name, content=text, expect=self.text
        )
        return ticket.reload(answer)


def attribute(value: Any) -> Any:
    """A value as the tools of tickets take it."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return value
    return list(cast("Iterable[Any]", value))
