"""A parameter of a tool is spelled once in the core and once in Python, and both agree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, is_typeddict

import chant_mcp
import pytest
from chant_mcp import _core, parameters
from stub import StubMethod, stub_methods

GROUPED = [method for method in stub_methods() if method.group is not None]

EARLIER = {"manage_cr_sections": {"update_mode"}}
"""Names that the core takes beside those that tools have."""

OBJECTS = {"filters", "seen_lists", "set"}
"""Parameters that are objects themselves."""


@pytest.fixture(scope="module")
def handles(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """An object of each class of the core that has such methods, on an empty folder."""
    folder: Path = tmp_path_factory.mktemp("parameters")
    workspace = chant_mcp.open(folder, environment={"HOME": str(folder)}, exactly=True)
    session = workspace.session
    return {
        "ChantProject": session.chant,
        "SpeckitFeatures": session.speckit,
        "TicketProjects": session.tickets,
        "Transaction": workspace.core.transaction(),
        "VineFiles": session.vine,
        "Workspace": workspace.core,
    }


def refusal(handles: dict[str, Any], method: StubMethod, **given: Any) -> str:
    """What Python says of a call."""
    with pytest.raises(TypeError) as refused:
        getattr(handles[method.owner], method.name)(**method.required, **given)
    return str(refused.value)


def test_the_core_takes_the_names_that_python_spells(handles: dict[str, Any]) -> None:
    assert len(GROUPED) >= 30
    for method in GROUPED:
        said = refusal(handles, method, no_such_name=None)
        assert said.startswith("got an unexpected keyword argument `no_such_name`"), said
        known = set(re.findall(r"`(\w+)`", said)) - {"no_such_name"} - EARLIER.get(method.name, set())
        assert known == set(method.group_names), f"{method.owner}.{method.name}"


def test_a_value_of_another_type_is_refused_by_its_name(handles: dict[str, Any]) -> None:
    for method in GROUPED:
        for name in set(method.group_names) - OBJECTS:
            said = refusal(handles, method, **{name: {"of": "another type"}})
            assert said.startswith(f"argument '{name}': invalid type: map"), said


def test_no_group_of_parameters_has_a_name_that_no_method_takes() -> None:
    taken = [set(method.group_names) for method in GROUPED]
    for name, group in vars(parameters).items():
        if is_typeddict(group):
            assert any(set(group.__annotations__) <= names for names in taken), name


def test_help_says_where_the_parameters_of_a_method_are(handles: dict[str, Any]) -> None:
    for method in GROUPED:
        text = getattr(getattr(_core, method.owner), method.name).__doc__
        assert f"`chant_mcp.parameters.{method.group}`" in text, f"{method.owner}.{method.name}"
