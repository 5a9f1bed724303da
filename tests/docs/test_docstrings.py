"""Examples in docstrings do what they say."""

from __future__ import annotations

import doctest
import importlib

import chant_mcp
import pytest
from api.projects import fill
from chant_mcp import Graph, errors
from harness import Project
from plans.projects import make

MODULES = ("workspace", "specs", "tickets", "vines", "features", "fleet", "plans", "repositories")
"""Below `chant_mcp.api`."""
SHOWN = [
    "ChantError",
    "Feature",
    "FeatureTask",
    "Fleet",
    "PlanItem",
    "Graph",
    "Repositories",
    "Spec",
    "Task",
    "Ticket",
    "Vine",
    "Workspace",
    "open",
]
"""The names of `chant_mcp` whose docstrings are written in Python."""


def _examples() -> dict[str, doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    modules = [importlib.import_module(f"chant_mcp.{name}") for name in ("errors", "graph")]
    modules += [importlib.import_module(f"chant_mcp.api.{name}") for name in MODULES]
    found = (test for module in modules for test in finder.find(module, module.__name__) if test.examples)
    return {test.name.removeprefix("chant_mcp."): test for test in found}


EXAMPLES = _examples()


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_does_what_it_says(name: str, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(fill(project).root)
    if "PlanItem" in name:
        make("openspec", project.root)
    test = EXAMPLES[name]
    test.globs = {"chant_mcp": chant_mcp, "Graph": Graph, "ws": chant_mcp.open(".")}
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert not said, "".join(said)


def test_what_scripts_begin_with_has_an_example() -> None:
    known = {name.split(".")[-1] for name in EXAMPLES} | {name.split(".")[-2] for name in EXAMPLES}
    assert [name for name in SHOWN if name not in known] == []
    in_rust = {"Answer", "ChantProject", "SpeckitFeatures", "TicketProjects", "VineFiles"}
    assert set(SHOWN) | in_rust == {*chant_mcp.__all__, errors.ChantError.__name__} - {"errors"}
