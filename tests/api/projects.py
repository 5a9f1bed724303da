"""A project with work files of all four dialects."""

from __future__ import annotations

from pathlib import Path

from cli.ticket_files import BODY, ticket_project, write_ticket
from harness import Project

FIRST = "2026-01-22-001-aaa"
SECOND = "2026-01-22-002-bbb"

SPEC = "# First\n\nWhat it is about.\n\n## Acceptance Criteria\n\n- [ ] Tests added\n- [x] Written down"
PLAN = """\
vine 1.2.0
title: Release
---
[ship] Ship it (notstarted)
-> log
---
[log] Write it (notstarted)
Words.
"""
TASKS = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Make the folder\n- [ ] T002 Fill it\n"


def fill(project: Project) -> Project:
    """Put two specs, a plan, a ticket and a feature into a project."""
    project.spec(FIRST, body=SPEC, labels=["api"])
    project.spec(SECOND, body="# Second", depends_on=[FIRST])
    (project.root / "plan.vine").write_text(PLAN, encoding="utf-8")
    ticket_project(project.root)
    write_ticket(project, 7, BODY)
    feature(project.root)
    return project


def feature(root: Path) -> None:
    """Put a feature with two tasks into a folder."""
    folder = root / "specs" / "060-login"
    folder.mkdir(parents=True)
    (root / ".specify").mkdir(exist_ok=True)
    (folder / "spec.md").write_text("# Login\n", encoding="utf-8")
    (folder / "plan.md").write_text("# Plan\n", encoding="utf-8")
    (folder / "tasks.md").write_text(TASKS, encoding="utf-8")
