"""A workspace of all four dialects."""

from __future__ import annotations

import chant_mcp
import pytest
from api.projects import fill
from harness import Project


@pytest.fixture
def ws(project: Project) -> chant_mcp.Workspace:
    """A workspace as a script opens it."""
    return chant_mcp.open(fill(project).root)
