"""The commands below the name of a dialect, in a project that holds several."""

from __future__ import annotations

import pytest
from cli.kit import Cli
from cli.ticket_files import ticket_project, write_ticket

SPEC = "2026-01-22-001-x7m"

TASKS = """\
## Phase 1: Setup

- [x] T001 Make it

## Phase 2: User Story 1 - Log in

- [ ] T002 [US1] Build it (depends on vine:plan.vine#build)
"""


@pytest.fixture
def mixed(cli: Cli) -> Cli:
    """A project with a spec, a task graph, a feature and a ticket."""
    root = cli.project.root
    cli.project.spec(SPEC, depends_on=["speckit:060-login#T002"])
    (root / "plan.vine").write_text("vine 1.2.0\n---\n[build] Build (notstarted)\n", encoding="utf-8")
    (root / "specs" / "060-login").mkdir(parents=True)
    (root / "specs" / "060-login" / "tasks.md").write_text(TASKS, encoding="utf-8")
    ticket_project(root)
    write_ticket(cli.project, 7, "# Ship it\n")
    return cli


def test_each_dialect_has_its_own_list_and_graph(mixed: Cli) -> None:
    assert [item["id"] for item in mixed.json("speckit", "list")["items"]] == ["T001", "T002"]
    assert [item["id"] for item in mixed.json("speckit", "list", "--status", "done")["items"]] == ["T001"]
    assert "Build" in mixed("vine", "list", "plan.vine")
    assert "DEM-007" in mixed("tickets", "list")
    for words in (["speckit", "list"], ["vine", "list", "plan.vine"], ["tickets", "list"]):
        assert SPEC not in mixed(*words)
    graph = mixed("speckit", "graph", "--all")
    assert "Phase 2: User Story 1" in graph
    for other in (SPEC, "○ vine:", "DEM-007"):
        assert other not in graph


def test_tasks_of_features_are_ready_and_shown(mixed: Cli) -> None:
    assert mixed.json("speckit", "ready")["items"] == []
    text = mixed("speckit", "show", "t002")
    for part in ("speckit:060-login#T002", "vine:plan.vine#build", f"chant:{SPEC}", "Build it"):
        assert part in text
    assert mixed("speckit", "show", "060-login#T002") == mixed("show", "speckit:060-login#T002") == text
    assert "Nothing is called" in mixed.error("speckit", "show", SPEC)


def test_tasks_of_features_stand_among_everything_else(mixed: Cli) -> None:
    keys = [item["key"] for item in mixed.json("list")["items"]]
    assert keys == [
        f"chant:{SPEC}",
        "vine:plan.vine#build",
        "speckit:060-login#T001",
        "speckit:060-login#T002",
        "tickets:DEM-007",
    ]
    assert [item["id"] for item in mixed.json("ready")["items"]] == ["build", "DEM-007"]
    assert "└── ○ speckit:060-login#T002 Build it" in mixed("graph")
    assert '"key":"speckit:060-login#T001"' in mixed("export")
