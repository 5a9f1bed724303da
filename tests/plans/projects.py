"""A small project of each format without tools of its own, by the format's word."""

from __future__ import annotations

from pathlib import Path

import chant_mcp

PROJECTS: dict[str, dict[str, str]] = {
    "openspec": {
        "openspec/project.md": "# Ferry\n\nBookings of a ferry.\n",
        "openspec/changes/add-login/proposal.md": (
            "# Change: Log in\n\n## Why\n\nPeople come back.\n\n## What Changes\n\n- A form\n"
        ),
        "openspec/changes/add-login/tasks.md": (
            "## 1. Form\n\n- [ ] 1.1 Draw the form\n- [x] 1.2 Name the fields\n\n"
            "## 2. Session\n\n- [ ] 2.1 Keep the session\n"
        ),
        "openspec/changes/add-login/specs/auth/spec.md": (
            "## ADDED Requirements\n\n### Requirement: Log in\nThe system SHALL let people log in.\n\n"
            "#### Scenario: Right password\n- **WHEN** the password is right\n- **THEN** the person is in\n"
        ),
    },
    "kiro": {
        ".kiro/specs/user-auth/requirements.md": (
            "# Requirements\n\n### Requirement 1\n\n**User Story:** As a person, I want to log in.\n\n"
            "#### Acceptance Criteria\n\n"
            "1. WHEN the password is right THEN the system SHALL let the person in\n"
        ),
        ".kiro/specs/user-auth/tasks.md": (
            "# Implementation Plan\n\n- [ ] 1. Build the form\n  - [ ] 1.1 Draw the form\n"
            "    - _Requirements: 1.1_\n  - [x] 1.2 Name the fields\n- [ ] 2. Keep the session\n"
        ),
    },
    "backlog": {
        "backlog/config.yml": (
            'project_name: "Ferry"\nstatuses: ["To Do", "In Progress", "Done"]\nlabels: []\n'
        ),
        "backlog/tasks/task-1 - Draw-the-form.md": (
            "---\nid: TASK-1\ntitle: Draw the form\nstatus: To Do\nassignee: []\ncreated_date: '2026-01-01'\n"
            "labels: []\ndependencies: []\nour_own: kept  # as it is\n---\n\n## Description\n\nA form.\n\n"
            "## Acceptance Criteria\n<!-- AC:BEGIN -->\n"
            "- [ ] #1 It has two fields\n- [ ] #2 It has a button\n"
            "<!-- AC:END -->\n"
        ),
        "backlog/tasks/task-2 - Keep-the-session.md": (
            "---\nid: TASK-2\ntitle: Keep the session\nstatus: To Do\nassignee: []\n"
            "created_date: '2026-01-02'\nlabels: []\ndependencies: [TASK-1]\n---\n\n"
            "## Description\n\nKeep it.\n"
        ),
    },
}

TICKED = {
    "openspec": ("openspec:add-login#1.1", "self"),
    "kiro": ("kiro:user-auth#1.1", "self"),
    "backlog": ("backlog:TASK-1", "1"),
}
"""An item of each with a box that is open."""

PARENTS = {"openspec": "openspec:add-login", "kiro": "kiro:user-auth", "backlog": "backlog"}
"""What a new item is added to."""


def make(word: str, folder: Path) -> Path:
    """Write the project of a format into a folder."""
    for path, text in PROJECTS[word].items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return folder


def tree(folder: Path) -> dict[str, bytes]:
    """Read all files of a folder."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def plan_item(ws: chant_mcp.Workspace, key: str) -> chant_mcp.PlanItem:
    """Give an item of a plan."""
    found = ws[key]
    assert isinstance(found, chant_mcp.PlanItem)
    return found
