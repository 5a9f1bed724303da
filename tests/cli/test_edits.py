"""Commands that change one item, whatever its format: the file on disk is what counts."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from cli.kit import Cli
from cli.plans import write_plan
from cli.ticket_files import ticket_project, write_ticket
from harness import Project

SPEC = "2026-01-22-001-aaa"
OTHER = "2026-01-22-002-bbb"
BODY = "# Log in\n\nText stays.\n\n## Acceptance Criteria\n\n- [ ] It works\n- [x] It is fast\n"
TASKS = "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Make the folder\n- [x] T002 Fill it\n"
PLAN = "vine 1.2.0\n---\n[ship] Ship it (notstarted)\n-> log\n---\n[log] Write it (complete)\n"
TICKET = "# Sign up\n\n## 5. Acceptance Criteria\n\n- [ ] A form\n- [x] A mail\n"


@pytest.fixture
def items(cli: Cli) -> Cli:
    """A project with an item of each format."""
    project = cli.project
    project.spec(SPEC, body=BODY, labels=["web"])
    project.spec(OTHER, body="# Log out\n")
    folder = project.root / "specs" / "060-login"
    folder.mkdir(parents=True)
    (folder / "tasks.md").write_text(TASKS, encoding="utf-8")
    write_plan(project, PLAN)
    ticket_project(project.root)
    write_ticket(project, 7, title="Sign up", body=TICKET, dependsOn="DEM-008")
    write_ticket(project, 8, title="Send mail", body="# Send mail\n")
    return cli


def _text(project: Project, path: str) -> str:
    return (project.root / path).read_text(encoding="utf-8")


def _spec(cli: Cli, id: str = SPEC) -> str:
    return _text(cli.project, f".chant/specs/{id}.md")


def test_edit_changes_what_is_given_and_nothing_else(items: Cli) -> None:
    before = _spec(items)
    changes = ("--title", "Log in again", "--priority", "high", "--add-criterion", "Safe")
    done = items.json("edit", "aaa", *changes)
    assert (done["key"], done["title"], done["warnings"]) == (f"chant:{SPEC}", "Log in again", [])
    front, body = _spec(items).split("\n---\n", 1)
    assert front == before.split("\n---\n", 1)[0] + "\npriority: high"
    expected = BODY.replace("# Log in\n", "# Log in again\n") + "- [ ] Safe\n"
    assert body.strip() == expected.strip()
    items("edit", "aaa", "--remove-criterion", "Safe", "--priority", "", "--title", "Log in")
    assert _spec(items) == before
    items("edit", "DEM-7", "--title", "Register", "--assignee", "ada", "--status", "In Progress")
    ticket = _text(items.project, "docs/CRs/DEM-007.md")
    assert "title: Register\n" in ticket
    assert "assignee: ada\n" in ticket
    assert "status: In Progress\n" in ticket
    items("edit", "vine:plan.vine#ship", "--title", "Ship now", "--status", "started")
    assert "[ship] Ship now (started)" in _text(items.project, "plan.vine")


def test_boxes_are_ticked_and_unticked_where_they_stand(items: Cli) -> None:
    before = _spec(items)
    items("tick", SPEC, "1")
    assert _spec(items) == before.replace("- [ ] It works", "- [x] It works")
    items("untick", SPEC, "--all")
    assert _spec(items).count("- [ ]") == 2
    items("tick", SPEC, "It is fast", "It works")
    assert _spec(items).count("- [x]") == 2
    tasks = items.project.root / "specs/060-login/tasks.md"
    assert items("tick", "T001") == "Ticked speckit:060-login#T001 (done): Make the folder\n"
    assert tasks.read_text() == TASKS.replace("[ ] T001", "[x] T001")
    items("untick", "T1")
    items("reopen", "T002")
    assert tasks.read_text() == TASKS.replace("[x] T002", "[ ] T002")
    items("tick", "DEM-7", "A form")
    items("untick", "DEM-7", "A mail")
    ticket = _text(items.project, "docs/CRs/DEM-007.md")
    assert "- [x] A form\n- [ ] A mail\n" in ticket


def test_labels_and_dependencies_are_added_and_removed(items: Cli) -> None:
    done = items.json("label", "aaa", "ui", "--remove", "web")
    assert done["key"] == f"chant:{SPEC}"
    assert items.json("list", "--label", "ui")["total"] == 1
    assert items.json("depend", "aaa", "bbb", "DEM-8")["depends_on"] == [f"chant:{OTHER}", "tickets:DEM-008"]
    items("depend", "aaa", "--remove", "bbb")
    assert OTHER not in _spec(items)
    items("depend", "DEM-7", "--remove", "DEM-008")
    assert "DEM-008" not in _text(items.project, "docs/CRs/DEM-007.md")
    items("depend", "DEM-8", "DEM-7")
    assert "DEM-007" in _text(items.project, "docs/CRs/DEM-008.md")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("label", "DEM-7", "x"), "`chant-mcp tickets set DEM-007 phaseEpic=TEXT`"),
        (("label", "T001", "x"), "`chant-mcp open speckit:060-login#T001`"),
        (("depend", "T001", "T002"), "(depends on T001)"),
        (("tick", "vine:plan.vine#ship"), "`chant-mcp edit vine:plan.vine#ship --status complete`"),
        (("edit", "T001", "--title", "x"), "does not have --title"),
        (("edit", "vine:plan.vine#ship", "--priority", "x"), "does not have --priority"),
        (("edit", "aaa", "--type", "cod"), "expected one of code, task"),
        (("edit", "aaa", "--title", "two\nlines"), "expected one line of text"),
        (("depend", "aaa", "099"), "no spec is called '099'"),
        (("depend", "aaa", "--remove", "zzz"), "has no dependency 'zzz'"),
        (("label", "aaa", "--remove", "zzz"), "has no label 'zzz' that means only one; it has: web."),
        (("tick", "aaa", "3"), "has no criterion 3; it has these:\n  1. It works"),
        (("tick", "aaa"), "  2. It is fast"),
        (("tick", "vine:plan.vine"), "is no single item"),
        (("reopen", "aaa"), "is not done (pending)"),
        (("unarchive", "aaa"), "no archived spec has this ID"),
    ],
)
def test_what_a_format_does_not_have_is_refused_with_what_helps(
    items: Cli, words: tuple[str, ...], said: str
) -> None:
    before = {path: path.read_bytes() for path in items.project.root.rglob("*") if path.is_file()}
    error = " ".join(items.error(*words).split())
    assert " ".join(said.split()) in error
    assert {path: path.read_bytes() for path in before} == before


def test_completed_specs_are_archived_together_and_come_back(items: Cli) -> None:
    project = items.project
    project.spec("2026-01-20-001-drv", type="driver", status="completed", body="# Driver\n")
    project.spec("2026-01-20-001-drv.1", status="completed", body="# Member\n")
    project.spec("2026-01-20-002-odd", status="completed", body="# Half\n", type="driver")
    project.spec("2026-01-20-002-odd.1", status="pending", body="# Open member\n")
    done = items.run("archive", "--completed")
    assert done.exit_code == 1
    assert "2026-01-20-002-odd stays: Cannot archive driver spec" in done.stdout
    archive = project.root / ".chant/archive/2026-01-20"
    assert sorted(path.name for path in archive.iterdir()) == [
        "2026-01-20-001-drv.1.md",
        "2026-01-20-001-drv.md",
    ]
    back = items.json("unarchive", "drv")
    assert (back["key"], back["status"]) == ("chant:2026-01-20-001-drv", "completed")
    assert not list(archive.iterdir())
    items("reopen", "drv")
    assert "status: pending" in _spec(items, "2026-01-20-001-drv")


def test_a_file_opens_in_the_editor_at_its_line(
    items: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    assert "No editor is set." in items.error("open", "aaa")
    editor = tmp_path / "vim"
    script = f"""#!/bin/sh\necho called "$@" > {tmp_path}/opened\nexit $CODE\n"""
    editor.write_text(script, encoding="utf-8")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("EDITOR", f"{editor} -n")
    monkeypatch.setenv("CODE", "0")
    items("open", "T002")
    path = os.path.realpath(items.project.root / "specs/060-login/tasks.md")
    assert (tmp_path / "opened").read_text() == f"called -n +6 {path}\n"
    assert items("open", "vine:plan.vine#log", "--print") == "plan.vine:6\n"
    monkeypatch.setenv("CODE", "3")
    assert "ended with exit code 3" in items.error("open", "DEM-7")
