"""What the tests of `chant_spec_update` share: criteria, and an update with what it changes or refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from writing import ID, changed, tree

if TYPE_CHECKING:
    from harness import Project

CRITERIA = "# Work\n\n## Acceptance Criteria\n\n- [ ] one\n- [x] two\n- [ ] three, with `code`"


def updated(project: Project, /, **arguments: Any) -> list[str]:
    """Update the spec and list the lines that differ."""
    before = project.path(ID).read_bytes()
    ChantProject(project.root).spec_update(ID, **arguments)
    return changed(before, project.path(ID).read_bytes())


def refused(project: Project, /, **arguments: Any) -> str:
    """Give the words of an update that is refused and leaves every file as it was."""
    before = tree(project.root)
    with pytest.raises(ChantError) as error:
        ChantProject(project.root).spec_update(ID, **arguments)
    assert tree(project.root) == before
    return str(error.value)
