"""Commits by which the history of a workspace is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from chant_mcp.number_checks import check_count

if TYPE_CHECKING:
    from chant_mcp.api.workspace import Workspace

__all__ = ["RecentCommit", "read_recent_commits"]


@dataclass(frozen=True, slots=True)
class RecentCommit:
    """A commit that led to what is checked out."""

    id: str
    """Its full ID, as a revision for `Workspace.graph_at`."""
    time: datetime
    """When it was committed, UTC."""
    subject: str
    """The first line of its message."""


def read_recent_commits(workspace: Workspace, most: int) -> Iterator[RecentCommit]:
    """Read the last commits of a workspace, the newest first; errors as for `Workspace.recent_commits`."""
    for id, seconds, subject in workspace.core.recent_commits(check_count("most", most)):
        yield RecentCommit(id, datetime.fromtimestamp(seconds, timezone.utc), subject)
