"""`inbox`, the count in `status`, and archived specs: what waits for a person, and what is done."""

from __future__ import annotations

import json

import pytest
from chant_mcp._core import SpeckitFeatures
from cli.at_work import FIRST, SECOND, AtWork
from cli.kit import Cli
from cli.ticket_files import ticket_project, write_ticket

ARCHIVED = "2026-01-21-001-old"
THIRD = "2026-01-22-003-b2b"


def _archive(cli: Cli) -> None:
    folder = cli.project.root / ".chant" / "archive" / "2026-01-21"
    folder.mkdir(parents=True)
    text = "---\ntype: code\nstatus: completed\n---\n\n# Row the boat\n\nTo the needle rock.\n"
    (folder / f"{ARCHIVED}.md").write_text(text, encoding="utf-8")


def test_what_waits_for_a_person_is_listed_with_its_command(agents: AtWork) -> None:
    root = agents.project.root
    agents.spec(FIRST, "Log in", "fail")
    agents.spec(SECOND, "Log out", approval="\n  required: true")
    ticket_project(root)
    write_ticket(root, 1, status="Proposed", body="# Paint\n")
    agents.begin()
    agents.project.git("config", "user.name", "Ada")
    agents.project.git("config", "user.email", "ada@example.org")
    agents("work", FIRST, "--wait", code=1)
    question = json.loads(SpeckitFeatures(root).ask("Which database?").text)["id"]
    found = agents.json("inbox")
    assert {(one["kind"], one["command"]) for one in found["entries"]} == {
        ("question", f"chant-mcp answer {question} TEXT"),
        ("approval", f"chant-mcp approve {SECOND}"),
        ("approval", "chant-mcp tickets status DEM-001 Approved"),
        ("failure", f"chant-mcp work {FIRST}"),
    }
    assert found["total"] == 4
    shown = agents("inbox")
    assert "The demo agent was asked to fail" in shown
    assert "4 things wait for you: `chant-mcp inbox` lists them." in " ".join(agents("status").split())
    # What is typed is what was printed.
    agents("answer", question, "the", "small", "one")
    agents("approve", SECOND)
    agents("tickets", "status", "DEM-001", "Approved")
    agents.spec(FIRST, "Log in", status="completed")
    assert agents("inbox") == "Nothing needs you.\n"
    assert "wait for you" not in agents("status")


@pytest.mark.parametrize("is_mixed", [False, True])
def test_archived_specs_are_shown_and_searched(cli: Cli, is_mixed: bool) -> None:
    cli.project.spec(FIRST, body="# Log in\n\nNo needle here: needle.\n")
    _archive(cli)
    if is_mixed:
        ticket_project(cli.project.root)
        write_ticket(cli.project, 1)
    for name in (ARCHIVED, "old", f"chant:{ARCHIVED}"):
        assert "Row the boat" in cli("show", name)
    assert "To the needle rock." in cli("show", "old", "--raw")
    assert ARCHIVED not in cli("search", "needle")
    assert ARCHIVED in cli("search", "needle", "--all")
    assert ARCHIVED not in cli("search", "needle", "--all", "--status", "pending")
    assert {row["id"] for row in cli.json("search", "NEEDLE", "--all")["items"]} == {FIRST, ARCHIVED}


@pytest.mark.parametrize("is_mixed", [False, True])
def test_archived_and_cancelled_specs_are_listed_by_all(cli: Cli, is_mixed: bool) -> None:
    cli.project.spec(FIRST, body="# Log in\n", labels=["web"])
    cli.project.spec(SECOND, body="# Log out\n", status="cancelled")
    _archive(cli)
    if is_mixed:
        ticket_project(cli.project.root)
        write_ticket(cli.project, 1)
    shown = cli("list", "--all")
    assert all(id in shown for id in (FIRST, SECOND, ARCHIVED))
    assert ARCHIVED in cli("chant", "list", "--all")
    assert not {SECOND, ARCHIVED} & {row["id"] for row in cli.json("list")["items"]}
    rows = cli.json("list", "--all")
    assert rows["total"] == rows["returned"] == len(rows["items"]) == 3 + is_mixed
    by_id = {row["id"]: row for row in rows["items"]}
    assert by_id[ARCHIVED]["path"] == f".chant/archive/2026-01-21/{ARCHIVED}.md"
    assert {tuple(row) for row in rows["items"]} == {tuple(by_id[FIRST])}
    assert [row["id"] for row in cli.json("list", "--all", "--label", "web")["items"]] == [FIRST]
    assert [row["id"] for row in cli.json("list", "--all", "--status", "completed")["items"]] == [ARCHIVED]
    assert ARCHIVED not in cli("list", "--all", "--ready")


def test_an_archived_dependency_is_done_in_the_graph(cli: Cli) -> None:
    cli.project.spec(FIRST, depends_on=[ARCHIVED])
    cli.project.spec(SECOND, depends_on=["2026-01-20-001-gone"])
    _archive(cli)
    tree = cli("graph", "--all")
    assert "done" in next(line for line in tree.splitlines() if ARCHIVED in line)
    assert "not in this workspace" in next(line for line in tree.splitlines() if "gone" in line)
    assert [spec["id"] for spec in cli.json("chant", "ready")["specs"]] == [FIRST]
