"""Chant specs and other plain-text work files: for agents over MCP, for scripts in Python."""

from __future__ import annotations

from chant_mcp import errors
from chant_mcp._core import Answer, ChantProject, SpeckitFeatures, TicketProjects, VineFiles
from chant_mcp.api import Feature, FeatureTask, Spec, Task, Ticket, Vine, Workspace, open
from chant_mcp.graph import Graph

__all__ = [
    "Answer",
    "ChantProject",
    "Feature",
    "FeatureTask",
    "Graph",
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
