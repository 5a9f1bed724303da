"""Work files as typed objects, for scripts and notebooks.

A workspace is opened once and answers as of the moment it is asked; handles are what one item said at
one moment. Whatever an MCP tool does is a method here, and does the same.
"""

from __future__ import annotations

from chant_mcp.api.changes import Change, Changes
from chant_mcp.api.features import Feature, FeatureTask
from chant_mcp.api.fleet import Fleet, FleetRepository
from chant_mcp.api.handles import FoundItems, Handle, Handles, Problem, Section
from chant_mcp.api.plans import PlanCriterion, PlanItem
from chant_mcp.api.recent import RecentCommit
from chant_mcp.api.repositories import Repositories
from chant_mcp.api.reviews import Review
from chant_mcp.api.specs import Approval, Criterion, Spec
from chant_mcp.api.tickets import Ticket, TicketSection
from chant_mcp.api.transactions import Transaction
from chant_mcp.api.vines import Attachment, Task, Vine
from chant_mcp.api.workspace import Workspace, open

__all__ = [
    "Approval",
    "Attachment",
    "Change",
    "Changes",
    "Criterion",
    "Feature",
    "FeatureTask",
    "Fleet",
    "FleetRepository",
    "FoundItems",
    "Handle",
    "Handles",
    "PlanCriterion",
    "PlanItem",
    "Problem",
    "RecentCommit",
    "Repositories",
    "Review",
    "Section",
    "Spec",
    "Task",
    "Ticket",
    "TicketSection",
    "Transaction",
    "Vine",
    "Workspace",
    "open",
]
