"""Chant specs and other plain-text work files: for agents over MCP, for scripts in Python."""

from __future__ import annotations

# `typing` would take longer to import than all that a background program needs.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from chant_mcp import errors
    from chant_mcp._core import Answer, ChantProject, SpeckitFeatures, TicketProjects, VineFiles
    from chant_mcp.api import (
        Feature,
        FeatureTask,
        Fleet,
        PlanItem,
        Repositories,
        Spec,
        Task,
        Ticket,
        Vine,
        Workspace,
        open,
    )
    from chant_mcp.graph import Graph

__all__ = [
    "Answer",
    "ChantProject",
    "Feature",
    "FeatureTask",
    "Fleet",
    "Graph",
    "PlanItem",
    "Repositories",
    "Spec",
    "SpeckitFeatures",
    "Task",
    "Ticket",
    "TicketProjects",
    "Vine",
    "VineFiles",
    "Workspace",
    "errors",
    "open",
]

_API = (
    "Feature",
    "FeatureTask",
    "Fleet",
    "PlanItem",
    "Repositories",
    "Spec",
    "Task",
    "Ticket",
    "Vine",
    "Workspace",
    "open",
)
_CORE = ("Answer", "ChantProject", "SpeckitFeatures", "TicketProjects", "VineFiles")
_LATER = {
    "Graph": "chant_mcp.graph",
    **dict.fromkeys(_API, "chant_mcp.api"),
    **dict.fromkeys(_CORE, "chant_mcp._core"),
}


def __getattr__(name: str) -> Any:
    """Import the core and the spec API when they are first asked for: what needs neither starts sooner."""
    if name != "errors" and name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Programs of ours change the search path of modules before they import anything else.
    from importlib import import_module

    if name == "errors":
        return import_module("chant_mcp.errors")
    found = globals()[name] = getattr(import_module(_LATER[name]), name)
    return found


def __dir__() -> list[str]:
    """Names of what there is, imported or not."""
    return sorted({*globals(), *__all__})
