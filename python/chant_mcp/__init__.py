"""Chant specs and other plain-text work files: for agents over MCP, for scripts in Python."""

from __future__ import annotations

from chant_mcp import errors
from chant_mcp._core import Answer, ChantProject, SpeckitFeatures, TicketProjects, VineFiles, Workspace

__all__ = [
    "Answer",
    "ChantProject",
    "SpeckitFeatures",
    "TicketProjects",
    "VineFiles",
    "Workspace",
    "errors",
]
