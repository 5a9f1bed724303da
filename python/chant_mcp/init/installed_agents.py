"""Which agents are installed, and which of them is proposed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chant_mcp._core import ChantProject


@dataclass(frozen=True, slots=True)
class InstalledAgent:
    """An agent that is installed."""

    name: str
    """The one that configurations keep."""
    title: str
    logged_in: bool | None
    """None when that cannot be known."""
    login: str | None
    """What says so."""
    log_in: str
    """How a person logs in."""


def installed_agents(project: ChantProject) -> list[InstalledAgent]:
    """Look which agents are installed: those first that somebody is logged in to.

    They are asked who is logged in only where several are there and nothing else says it of any.
    """
    found = _found(project.agents_list(quick=True).data)
    if len(found) > 1 and not any(agent.logged_in for agent in found):
        found = _found(project.agents_list().data)
    return sorted(found, key=lambda agent: not agent.logged_in)


def _found(listed: dict[str, Any]) -> list[InstalledAgent]:
    return [
        InstalledAgent(one["name"], one["title"], one["logged_in"], one["login"], one["log_in"])
        for one in listed["agents"]
        if one["path"] is not None
    ]
