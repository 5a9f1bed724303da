"""A user who trusts nothing yet."""

from __future__ import annotations

import os

import pytest
from harness import Project, user_config
from trust.kit import ID, Folder

_AGENTS = (
    "CLAUDE",
    "CODEX",
    "GEMINI_CLI",
    "CURSOR_AGENT",
    "OPENCODE",
    "QWEN_CODE",
    "COPILOT_AGENT",
    "AI_AGENT",
)


@pytest.fixture(autouse=True)
def _nothing_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take the user's trust in the tests' folders away, and the marks of an agent that runs the tests."""
    user_config().unlink()
    for name in [name for name in os.environ if name.startswith(_AGENTS)]:
        monkeypatch.delenv(name)


@pytest.fixture
def folder(project: Project) -> Folder:
    """A project in git that asks for programs, with a spec; nothing of it may have run in the end."""
    found = Folder(project)
    found.asks()
    project.spec(ID, body="# One\n\n## Acceptance Criteria\n\n- [ ] Works")
    project.repository()
    return found
