"""A project that holds all four dialects, an agent's log and a question, the same on every machine."""

from __future__ import annotations

import os
from pathlib import Path

from chant_mcp.session import Place, Session
from harness import Project, user_config
from state_folder import put_record

TASKS = """\
# Tasks

## Phase 1: Setup

- [x] T001 Create the crossing table in db/crossings.sql
- [x] T002 [P] Add linting

## Phase 2: User Story 1 - Book a crossing (Priority: P1)

- [ ] T003 [P] [US1] Model of a booking in ferry/booking.py
- [ ] T004 [P] [US1] Form with the name of the passenger, naïve 日本 included
- [ ] T005 [US1] Confirm by mail (depends on T003, T004)

**Checkpoint**: a crossing can be booked
"""

PLAN = """\
vine 1.1.0
title: Ferry
---
[map] Map of the harbour (notstarted)
Where ships are.
-> page
---
[page] Show departures (started)
The page of today.
-> feed
---
[feed] Read the timetable (complete)
Parse the feed.
"""

TICKET = """\
---
code: {code}
title: {title}
status: {status}
dateCreated: 2026-02-01T10:00:00.000Z
type: Feature Enhancement
priority: {priority}
{more}---

# {title}

## 1. Description

What it is about.
"""

SPECS = (
    ("2026-02-02-001-d7v", "completed", "Read the timetable feed", []),
    ("2026-02-02-002-k3f", "completed", "Store crossings", ["2026-02-02-001-d7v"]),
    ("2026-02-05-001-s6e", "in_progress", "Show departures of today", ["2026-02-02-002-k3f"]),
    ("2026-02-09-001-r6m", "pending", "Sort departures by harbour", ["2026-02-05-001-s6e"]),
    ("2026-02-09-002-s4p", "pending", "Cache the feed for a minute", []),
    ("2026-02-09-003-t8r", "pending", "Tell passengers about delays", ["2026-02-09-001-r6m"]),
    ("2026-02-10-001-z3b", "failed", "Print tickets with naïve 日本 names", []),
)


def specs(root: Path) -> None:
    """Write the specs, and a log."""
    project = Project(root)
    for id, status, title, before in SPECS:
        body = f"# {title}\n\n{title}, as passengers asked for.\n\n## Acceptance Criteria\n\n- [ ] Works\n"
        extra = {"completed_at": "2026-02-03T16:00:00Z"} if status == "completed" else {}
        labels = ["feed"] if "feed" in title else None
        project.spec(id, body=body, status=status, depends_on=before or None, labels=labels, **extra)


def run(root: Path, spec: str = "2026-02-05-001-s6e") -> None:
    """Record a run that ended, with what its agent wrote."""
    record = {
        "schema": 1,
        "process_id": f"{spec}-1",
        "pid": 1,
        "end_state": "failed",
        "agent": {"name": "claude", "argv": []},
        "reason": "The agent ended with exit code 3.",
        "spec_id": spec,
        "status": "failed",
        "generation": 1,
        "started_at": "2126-02-10T08:00:00Z",
        "updated_at": "2126-02-10T08:04:10Z",
        "completed_at": "2126-02-10T08:04:10Z",
        "mode": "single",
    }
    put_record(root, record)
    Project(root).log(spec, "2026-02-10T08:00:01Z out Reading ferry/feed.py\n")


def plan(root: Path) -> None:
    """Write a task graph."""
    (root / "plan.vine").write_text(PLAN, encoding="utf-8")


def tickets(root: Path) -> None:
    """Write tickets."""
    (root / ".mdt-config.toml").write_text('[project]\nname = "Ferry"\ncode = "FER"\n', encoding="utf-8")
    folder = root / "docs" / "CRs"
    folder.mkdir(parents=True)
    rows = (
        ("FER-001", "Dark colours", "Implemented", "Low", ""),
        ("FER-002", "Pay by card", "Proposed", "High", "dependsOn: FER-001\n"),
    )
    for code, title, status, priority, more in rows:
        text = TICKET.format(code=code, title=title, status=status, priority=priority, more=more)
        (folder / f"{code}-{title.lower().replace(' ', '-')}.md").write_text(text, encoding="utf-8")


def feature(root: Path, tasks: str = TASKS) -> None:
    """Write a feature that is being implemented."""
    folder = root / "specs" / "001-booking"
    folder.mkdir(parents=True)
    (root / ".specify").mkdir()
    (root / ".specify/feature.json").write_text(
        '{"feature_directory": "specs/001-booking"}', encoding="utf-8"
    )
    for name, text in {"spec": "# Booking\n", "plan": "# How to book\n", "tasks": tasks}.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")


def everything(root: Path) -> None:
    """Write all of it."""
    for write in (specs, run, plan, tickets, feature):
        write(root)


def session(root: Path) -> Session:
    """Make a session on the project, as the command does."""
    environment = {name: os.environ[name] for name in ("HOME", "PATH")}
    made = Session(Place(root, (root,), start=root), environment=environment, user_config=user_config())
    made.recovers = False
    return made
