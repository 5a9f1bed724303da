"""Former names of the Python API."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

import chant_mcp
import pytest
from chant_mcp import Graph, Workspace, api, errors
from chant_mcp.api.handles import Handle, Problem

MADE: dict[str, Callable[[Workspace], Any]] = {
    "Spec": lambda ws: ws["aaa"],
    "Task": lambda ws: ws.vine("plan").task("log"),
    "FeatureTask": lambda ws: ws.feature("060-login").task("T001"),
    "Ticket": lambda ws: ws.ticket("DEM-007"),
    "Vine": lambda ws: ws.vine("plan"),
    "Approval": lambda ws: api.Approval(required=True, status="approved", by="ada", decided_at="2026-01-22"),
    "Problem": lambda ws: Problem("a.md", 1, "It is empty."),
    "Workspace": lambda ws: ws,
    "Graph": lambda ws: Graph.from_edges([("a", "b")]),
    "ChantError": lambda ws: errors.NotFoundError("Gone.", hint='{"agents": " A.", "people": " P."}'),
    "NotTrustedError": lambda ws: errors.NotTrustedError("No.", '{"shown": ["a check"], "agreement": 1}'),
}
"""One object of each class that has former names, by the name of that class."""

ROW = {"path": "a.md", "line": 1, "message": "It is empty."}
SPEC_ROW = {"type": "code", "dialect": "chant", "key": "chant:2026-01-22-001-aaa"}

METHODS: list[tuple[str, str, str, tuple[Any, ...]]] = [
    *(
        (kind, old, "reload", ())
        for kind in ("Spec", "Task", "FeatureTask", "Ticket")
        for old in ("fresh", "renewed")
    ),
    ("Vine", "fresh", "reload", ()),
    ("Problem", "of", "from_row", (ROW,)),
    ("Workspace", "made", "make_handle", (SPEC_ROW,)),
    ("Workspace", "tickets_of", "list_tickets", ("DEM",)),
    ("Workspace", "carry_out", "apply_changes", ((),)),
    ("Graph", "at", "read_revision", ("HEAD",)),
    ("Graph", "impact", "descendants", ("a",)),
    ("Graph", "by_key", "resolve_keys", ({"a": 2.0},)),
    ("ChantError", "told", "describe", ()),
    ("ChantError", "told_to_agents", "describe_to_agents", ()),
    ("NotTrustedError", "told", "describe", ()),
    ("NotTrustedError", "told_to_agents", "describe_to_agents", ()),
]
VALUES = [
    *((kind, "told", "response") for kind in ("Spec", "Task", "FeatureTask", "Ticket", "Vine")),
    ("Approval", "at", "decided_at"),
    ("NotTrustedError", "shown", "lines_to_review"),
]
CLASSES = [
    ("chant_mcp.api", "Listed", "FoundItems"),
    ("chant_mcp.api.handles", "Listed", "FoundItems"),
    ("chant_mcp.graph", "Blocked", "BlockedItems"),
]


def said(ask: Callable[..., Any], *given: Any) -> tuple[Any, list[str]]:
    """What a call gives, a refusal included, and its warnings, which are on a line of this file."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            answer = ask(*given)
        except errors.ChantError as error:
            answer = (type(error), str(error))
    assert {(one.category, one.filename) for one in heard} <= {(DeprecationWarning, __file__)}
    return answer, [str(one.message) for one in heard]


def call(item: Any, name: str, given: tuple[Any, ...]) -> Any:
    return getattr(item, name)(*given)


def warned(old: str, new: str, found: list[str]) -> bool:
    return len(found) == 1 and f".{old}` is now `" in found[0] and f".{new}`" in found[0]


def test_a_former_name_warns_once_and_gives_the_same(ws: chant_mcp.Workspace) -> None:
    made = {kind: make(ws) for kind, make in MADE.items()}
    for kind, old, new, given in METHODS:
        item = made[kind]
        wanted, heard = said(call, item, new, given)
        assert heard == []
        found, heard = said(call, item, old, given)
        assert (found, warned(old, new, heard)) == (wanted, True), (kind, old, heard)
        through_class = given if kind == "Problem" else (item, *given)
        found, heard = said(call, type(item), old, through_class)
        assert (found, warned(old, new, heard)) == (wanted, True), (kind, old, heard)
    for kind, old, new in VALUES:
        found, heard = said(getattr, made[kind], old)
        assert (found, warned(old, new, heard)) == (getattr(made[kind], new), True), (kind, old, heard)
    for name, old, new in CLASSES:
        module = import_module(name)
        found, heard = said(getattr, module, old)
        assert (found, warned(old, new, heard)) == (getattr(module, new), True), (name, old, heard)
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        getattr(api, "Nothing")  # noqa: B009


def test_a_former_name_is_in_the_table_and_leads_to_a_subclass() -> None:
    class Loud(errors.NotFoundError):
        def describe(self) -> str:
            return "LOUD"

    found, heard = said(lambda: (Loud("x").told(), list(map(errors.ChantError.told, [Loud("x")]))))
    assert (found, len(heard)) == (("LOUD", ["LOUD"]), 2)
    with pytest.raises(
        AttributeError, match="`shown` cannot be set; it is the former name of `lines_to_review`"
    ):
        errors.NotTrustedError("No.").shown = []

    named = {(old, new) for _, old, new, _ in METHODS} | {(old, new) for _, old, new in VALUES}
    classes = [*map(vars(api).get, api.__all__), *map(vars(errors).get, errors.__all__), Graph, Handle]
    members = [member for one in classes if inspect.isclass(one) for member in inspect.getmembers(one)]
    there = {(name, repr(one)) for name, one in members if type(one).__name__ == "FormerName"}
    assert there == {(old, f"<former name of {new}>") for old, new in named}
