"""What of files counts as work, in the commands that a person types."""

from __future__ import annotations

from typing import Any

import pytest
from cli.kit import Cli
from cli.ticket_files import ticket_project, write_ticket

FIRST = "2026-01-22-001-x7m"
TASKS = "specs/060-login/tasks.md"


def _tasks(cli: Cli, *lines: str) -> dict[str, Any]:
    file = cli.project.root / TASKS
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("# Tasks\n\n" + "".join(f"- [ ] {line}\n" for line in lines), encoding="utf-8")
    return {row["id"]: row for row in cli.json("speckit", "list")["items"]}


@pytest.mark.parametrize(
    "said",
    [
        "(does not depend on T003)",
        "(doesn't depend on T003)",
        "(no longer depends on T003)",
        "(does not yet depend on T003)",
        "(not blocked by T003)",
        "(never requires: T003)",
        "(no dependency: T003)",
        "**No longer depends on**: T003",
        "[not deps:T003]",
        "(不依赖 T003)",
    ],
)
def test_a_negated_dependency_is_none(cli: Cli, said: str) -> None:
    _tasks(cli, f"T001 Begin {said}", "T003 Other")
    assert cli.json("show", "speckit:060-login#T001")["depends_on"] == []


@pytest.mark.parametrize(
    ("said", "waits"),
    [
        ("(depends on T003)", ["T003"]),
        ("(not started, depends on T003)", ["T003"]),
        ("(is not done; depends on T003)", ["T003"]),
        ("(depends on T003, not T004)", ["T003"]),
        ("(depends on T003 but not on T004)", ["T003"]),
        ("Do not use X. Depends on: T003", ["T003"]),
        ("(depends on T3)", ["T003"]),
        ("(depends on T3, T4)", ["T003", "T004"]),
    ],
)
def test_other_dependencies_stay(cli: Cli, said: str, waits: list[str]) -> None:
    _tasks(cli, f"T001 Begin {said}", "T003 Other", "T004 More")
    shown = cli.json("show", "speckit:060-login#T001")["depends_on"]
    assert [key.partition("#")[2] for key in shown] == waits


def test_a_task_is_found_by_its_number_without_zeros(cli: Cli) -> None:
    _tasks(cli, "T006 Begin", "T0060 Other")
    assert cli.json("show", "T6")["id"] == "T006"
    assert cli.json("show", "060-login#t6")["id"] == "T006"
    assert "- [x] T006" not in (cli.project.root / TASKS).read_text("utf-8")
    cli("speckit", "complete", "T6", "--feature", "060")
    assert "- [x] T006" in (cli.project.root / TASKS).read_text("utf-8")
    _tasks(cli, "T6 Exact", "T006 Begin")
    assert cli.json("show", "T6")["id"] == "T6"


def _problems(cli: Cli) -> str:
    return "\n".join(f"{one['path']}: {one['message']}" for one in cli.json("list").get("problems", ()))


@pytest.mark.parametrize("text", ["", "\n \n", "\ufeff"])
def test_an_empty_file_is_a_problem_and_no_work(cli: Cli, text: str) -> None:
    cli.project.write(FIRST, text)
    assert cli.json("chant", "ready")["specs"] == []
    assert f"{FIRST}.md: the file is empty" in _problems(cli)


@pytest.mark.parametrize(
    "name",
    [
        f"{FIRST}.sync-conflict-20260101-120000-ABCDEFG.md",
        f"{FIRST} (Ada's conflicted copy 2026-01-01).md",
        f"{FIRST} (1).md",
        f"{FIRST} copy.md",
    ],
)
def test_a_copy_of_a_sync_program_is_a_problem_and_no_work(cli: Cli, name: str) -> None:
    file = cli.project.spec(FIRST)
    (file.parent / name).write_bytes(file.read_bytes())
    assert [spec["id"] for spec in cli.json("chant", "ready")["specs"]] == [FIRST]
    assert f"{name}: cannot be read: it is a copy of `{FIRST}.md`" in _problems(cli)


def test_a_link_to_a_sibling_is_a_problem_and_no_work(cli: Cli) -> None:
    file = cli.project.spec(FIRST)
    (file.parent / "2026-01-22-002-abc.md").symlink_to(file.name)
    assert [spec["id"] for spec in cli.json("chant", "ready")["specs"]] == [FIRST]
    assert f"2026-01-22-002-abc.md: cannot be read: it is a link to `{FIRST}.md`" in _problems(cli)
    # A link to a file that is no document of its own is followed as before.
    elsewhere = cli.project.root / "docs" / "spec.md"
    elsewhere.parent.mkdir()
    elsewhere.write_bytes(file.read_bytes())
    (file.parent / "2026-01-22-003-abc.md").symlink_to("../../docs/spec.md")
    assert len(cli.json("chant", "ready")["specs"]) == 2


OLDER = """\
# DEM-001: Log in

- **Code**: DEM-001
- **Status**: Approved
- **Date Created**: 2025-01-02

## 1. Problem

- **Status**: quo
"""


def test_the_older_header_of_a_ticket_is_read_and_edited_where_it_stands(cli: Cli) -> None:
    ticket_project(cli.project.root)
    file = write_ticket(cli.project, 1)
    file.write_text(OLDER, encoding="utf-8")
    write_ticket(cli.project, 2, dependsOn="DEM-001")
    (first,) = (row for row in cli.json("tickets", "list")["crs"] if row["code"] == "DEM-001")
    assert (first["status"], first["dateCreated"]) == ("Approved", "2025-01-02")
    assert _problems(cli) == ""
    cli("tickets", "status", "DEM-001", "in", "progress")
    cli("tickets", "set", "DEM-001", "priority=High", "dependsOn=")
    cli("tickets", "status", "DEM-001", "implemented")
    lines = file.read_text("utf-8").splitlines()
    stamp = next(line for line in lines if line.startswith("- **Last Modified**: "))
    added = f"{stamp}\n- **Priority**: High\n"
    expected = OLDER.replace("**Status**: Approved", "**Status**: Implemented").replace(
        "2025-01-02\n", f"2025-01-02\n{added}"
    )
    assert file.read_text("utf-8") == expected
    assert [row["id"] for row in cli.json("ready")["items"]] == ["DEM-002"]
    error = cli.error("tickets", "set", "DEM-001", "impactAreas=ui")
    assert "the older header has no such attribute" in " ".join(error.split())
    assert file.read_text("utf-8") == expected


@pytest.mark.parametrize("status", ["Done", "Won't Do"])
def test_a_status_that_nobody_knows_is_a_problem_that_says_what_waits(cli: Cli, status: str) -> None:
    ticket_project(cli.project.root)
    write_ticket(cli.project, 1, status=status)
    write_ticket(cli.project, 2, dependsOn="[DEM-001]")
    problems = " ".join(_problems(cli).split())
    assert (
        f"the status `{status}` is none of markdown-ticket's; what depends on this ticket waits" in problems
    )
    assert cli.json("ready")["items"] == []
