"""Everything that a tool can do is one method call."""

from __future__ import annotations

import inspect
from typing import Any

import chant_mcp
from chant_mcp import api
from chant_mcp.toolsets import toolsets
from chant_mcp.toolsets.schemas import schema_of

METHODS = {
    "chant_spec_list": "Workspace.specs",
    "chant_spec_get": "Workspace.spec",
    "chant_ready": "Workspace.ready",
    "chant_status": "Workspace.status",
    "chant_log": "Spec.log",
    "chant_search": "Workspace.search",
    "chant_diagnose": "Spec.diagnose",
    "chant_lint": "Spec.lint",
    "chant_verify": "Spec.verify",
    "chant_spec_update": "Spec.update",
    "chant_add": "Workspace.add",
    "chant_finalize": "Spec.finalize",
    "chant_reset": "Spec.reset",
    "chant_resume": "Spec.reset",
    "chant_cancel": "Spec.cancel",
    "chant_archive": "Spec.archive",
    "chant_work_start": "Spec.start",
    "chant_work_list": "Workspace.runs",
    "chant_pause": "Spec.pause",
    "chant_takeover": "Spec.takeover",
    "chant_watch_status": "Workspace.watch_status",
    "chant_watch_start": "Workspace.watch_start",
    "chant_watch_stop": "Workspace.watch_stop",
    "chant_split": "Spec.split",
    "vine_read": "Vine.ask",
    "vine_next": "Vine.next",
    "vine_write": "Vine.write",
    "vine_expand": "Vine.expand",
    "rstn_report_status": "Workspace.report_status",
    "rstn_read_spec": "Feature.read",
    "rstn_get_context": "Workspace.context",
    "rstn_complete_task": "Feature.complete",
    "list_projects": "Workspace.ticket_projects",
    "get_project_info": "Workspace.ticket_project",
    "list_crs": "Workspace.list_tickets",
    "get_cr": "Ticket.attributes",
    "create_cr": "Workspace.add_ticket",
    "update_cr_attrs": "Ticket.update",
    "update_cr_status": "Ticket.update",
    "delete_cr": "Ticket.delete",
    "manage_cr_sections": "Ticket.section",
    "suggest_cr_improvements": "Ticket.suggest",
    "item_list": "Workspace.plans",
    "item_get": "Workspace.plans",
    "item_next": "Workspace.ready",
    "item_update": "PlanItem.edit",
    "item_add": "Workspace.add_item",
}
"""The method that does what a tool does; `chant_spec_get` and `get_cr` are attributes of handles, too."""

OF_HOSTS = {
    "limit": "lists are whole",
    "offset": "lists and texts are whole",
    "max_chars": "texts are whole",
    "brief": "a line for people",
    "fields": "rows are whole",
    "max_tokens": "answers are whole",
    "since": "`Workspace.changes` says what is new",
    "project": "a ticket knows its own",
    "operation": "`TicketSection` has a method for each",
    "updateMode": "`TicketSection` has a method for each",
    "mode": "handles have attributes, and `attributes` the rest",
}
"""Parameters that bound an answer, or that methods are in place of."""

GIVEN = {"id", "key", "file", "status", "query", "attributes", "data", "section", "content", "filters"}
"""Parameters that handles know themselves, or that have names of their own here."""


SPELT = {"child_file": "child"}
"""Parameters that have other names here."""

LOOSE = {
    "Vine.ask": "hands on what it is given",
    "Workspace.specs": "`where` has the filters",
    "Workspace.plans": "`where` has the filters, and handles know their parts",
    "Workspace.ready": "`where` has the filters",
    "PlanItem.edit": "hands on what it is given",
}


def found(place: str) -> Any:
    """The method or property of a name."""
    of, name = place.split(".")
    member = inspect.getattr_static(getattr(api, of), name)
    return member.fget if isinstance(member, property) else member


def test_every_tool_has_its_method() -> None:
    entries = [entry for entries in toolsets().values() for entry in entries]
    assert [entry.name for entry in entries] == list(METHODS)
    assert len(entries) == 47
    for entry in entries:
        words = set(inspect.signature(found(METHODS[entry.name])).parameters)
        wanted = set(schema_of(entry.run)["properties"]) - set(OF_HOSTS) - GIVEN
        missing = {name for name in wanted if SPELT.get(name, name) not in words}
        assert not missing or METHODS[entry.name] in LOOSE, f"{METHODS[entry.name]} lacks {missing}"


def test_every_public_method_is_documented_and_typed() -> None:
    for name in api.__all__:
        member = getattr(api, name)
        assert inspect.getdoc(member), name
        if not inspect.isclass(member):
            continue
        for own, function in vars(member).items():
            if own.startswith("_"):
                continue
            function = function.fget if isinstance(function, property) else function
            if inspect.isfunction(function):
                assert inspect.getdoc(function), f"{name}.{own}"
                assert "return" in function.__annotations__, f"{name}.{own}"
    assert set(chant_mcp.__all__) <= set(dir(chant_mcp))
