"""What `typing.get_type_hints` says of public classes, as data classes' tools and notebooks ask it."""

from __future__ import annotations

import inspect
import subprocess
import sys
import typing
from collections.abc import Iterator
from typing import Any

import chant_mcp
import pytest
import typing_extensions
from chant_mcp import Workspace, api, errors, graph, graph_answers, picture, tables, what_if
from chant_mcp.api import Feature, FeatureTask, Handle, PlanItem, Spec, Task, Ticket, Vine


def annotated(public: type) -> Iterator[Any]:
    """A class, its methods and the functions behind its properties."""
    yield public
    for base in public.__mro__:
        for member in vars(base).values():
            function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
            if getattr(function, "__annotations__", None) and function.__module__.startswith("chant_mcp"):
                yield function


PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (chant_mcp, api, errors, graph, graph_answers, picture, tables, what_if)
    for name in module.__all__
}


@pytest.mark.parametrize("name", PUBLIC)
def test_type_hints_of_public_names_are_found(name: str) -> None:
    public = PUBLIC[name]
    if not (inspect.isclass(public) or inspect.isfunction(public)):
        return  # an alias, a number, a list of columns
    for function in annotated(public) if isinstance(public, type) else [public]:
        typing.get_type_hints(function)


def test_type_hints_are_found_whatever_was_imported_before() -> None:
    code = "import typing; from chant_mcp import Graph; print(typing.get_type_hints(Graph.__init__))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "chant_mcp.api.workspace.Workspace" in done.stdout


def types_of_items(ws: Workspace) -> None:
    """Have pyright look at these; nothing calls it."""
    typing_extensions.assert_type(ws.spec("aaa"), Spec)
    typing_extensions.assert_type(ws.ticket("DEM-7"), Ticket)
    typing_extensions.assert_type(ws.task("T001"), Task | FeatureTask)
    typing_extensions.assert_type(ws.vine("plan"), Vine)
    typing_extensions.assert_type(ws.feature("060-login"), Feature)
    typing_extensions.assert_type(
        ws["aaa"], Spec | Task | FeatureTask | Ticket | PlanItem | Vine | Feature | Handle
    )
    typing_extensions.assert_type(ws.specs[0], Spec)
    typing_extensions.assert_type(ws.items[0], Handle)
    typing_extensions.assert_type(ws.graph().frontier()[0], str)
    typing_extensions.assert_type(ws.graph().slack()["aaa"], float)


def test_methods_for_one_kind_refuse_another(ws: Workspace) -> None:
    for name, kind in (("vine:plan.vine#log", Task), ("T001", FeatureTask)):
        assert type(ws.task(name)) is kind
    for wrong, words in (("aaa", "is a Spec"), ("DEM-7", "is a Ticket"), ("vine:plan.vine", "is a Vine")):
        with pytest.raises(errors.NotFoundError, match=f"'{wrong}' {words}, expected a Task or FeatureTask"):
            ws.task(wrong)
