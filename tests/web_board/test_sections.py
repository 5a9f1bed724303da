"""Editing a section from the board, on the real core."""

from __future__ import annotations

import pytest
from chant_mcp.errors import ConflictError
from chant_mcp.session import Place, Session
from chant_mcp.web_board.sections import read_section, write_section
from harness import Project

SPEC = "2026-01-22-001-x7m"
KEY = f"chant:{SPEC}"
BODY = "# One\n\nintro\n\n## Rules\n\n- a\n\n```\n## Rules no\n```\n\n## Acceptance Criteria\n\n- [ ] Done\n"


def test_a_section_is_written_only_where_it_says_what_was_seen(project: Project) -> None:
    file = project.spec(SPEC, body=BODY)
    session = Session(Place(project.root, ()))
    seen = read_section(session, KEY, "## Rules")
    before = file.read_text("utf-8")
    write_section(session, KEY, "## Rules", seen, "- b")
    after = file.read_text("utf-8")
    assert after == before.replace(seen, "- b")
    with pytest.raises(ConflictError) as caught:
        write_section(session, KEY, "## Rules", seen, "- c")
    assert caught.value.details["conflict"] == {"yours": "- c", "theirs": "- b"}
    assert file.read_text("utf-8") == after
    write_section(session, KEY, "Acceptance Criteria", "- [ ] Done", "- [ ] Done\n- [ ] Seen")
    assert file.read_text("utf-8") == after.replace("- [ ] Done", "- [ ] Done\n- [ ] Seen")
