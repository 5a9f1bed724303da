"""`tickets add`, `set`, `status` and `delete`: what they change, what they say and what they ask."""

from __future__ import annotations

from pathlib import Path

import pytest
from chant_mcp.cli import program
from cli.kit import Cli, read_data
from cli.ticket_files import BODY, cells, ticket_project, write_ticket
from click.testing import CliRunner, Result


@pytest.fixture(autouse=True)
def _demo(cli: Cli) -> None:  # pyright: ignore[reportUnusedFunction]
    ticket_project(cli.project.root)


def _folder(cli: Cli) -> Path:
    return cli.project.root / "docs" / "CRs"


def _typed(words: list[str], typed: str | bytes) -> Result:
    """Run a command on tickets with something on standard input."""
    return CliRunner().invoke(program, ["tickets", *words], input=typed, catch_exceptions=False)


@pytest.mark.requirement("cli:tickets:add_creates_a_ticket")
def test_add_creates_a_ticket_from_a_template_and_says_where(cli: Cli) -> None:
    write_ticket(cli.project, 3)
    path = _folder(cli) / "DEM-004-log-out.md"
    assert cli("tickets", "add", "Log out") == f"Created DEM-004: Log out\n{path}\n"
    text = path.read_text("utf-8")
    assert "code: DEM-004\ntitle: Log out\nstatus: Proposed\n" in text
    assert "type: Feature Enhancement\npriority: Medium\n" in text
    assert "# Log out\n\n## 1. Description" in text


@pytest.mark.requirement("cli:tickets:add_creates_a_ticket")
def test_add_takes_all_attributes_and_warns_of_relations_that_lead_nowhere(cli: Cli) -> None:
    write_ticket(cli.project, 1)
    write_ticket(cli.project, 2)
    words = ["--type", "bug fix", "--priority", "high", "--assignee", "ada", "--phase-epic", "Phase 2"]
    words += ["--depends-on", "1", "--depends-on", "dem-9", "--blocks", "2", "--related", "API-1,API-2"]
    text = cli("tickets", "add", "Log in", *words)
    assert text.endswith("\nWarning: dependsOn names DEM-009, which does not exist\n")
    written = (_folder(cli) / "DEM-003-log-in.md").read_text("utf-8")
    for line in (
        "type: Bug Fix",
        "priority: High",
        "assignee: ada",
        "phaseEpic: Phase 2",
        "dependsOn: DEM-001,DEM-009",
        "blocks: DEM-002",
        "relatedTickets: API-001,API-002",
    ):
        assert f"\n{line}\n" in written


@pytest.mark.requirement("cli:tickets:add_creates_a_ticket")
def test_add_takes_the_body_from_a_file_or_standard_input(cli: Cli) -> None:
    body = cli.project.root / "body.txt"
    body.write_text("Fähre\n", encoding="utf-8")
    cli("tickets", "add", "One", "--content", str(body))
    assert (_folder(cli) / "DEM-001-one.md").read_text("utf-8").endswith("\n# One\n\nFähre\n")
    assert _typed(["add", "Two", "--content", "-"], "# Two\n\nTyped\n").exit_code == 0
    assert (_folder(cli) / "DEM-002-two.md").read_text("utf-8").endswith("\n# Two\n\nTyped\n")
    refused = _typed(["add", "Three", "--content", "-"], b"\xff")
    assert (refused.exit_code, refused.stdout) == (2, "")
    assert "is not UTF-8 text" in refused.stderr
    assert len(list(_folder(cli).iterdir())) == 2


@pytest.mark.requirement("cli:tickets:set_changes_attributes")
def test_set_says_what_was_and_what_is(cli: Cli) -> None:
    path = write_ticket(cli.project, 1, BODY, assignee="bob")
    write_ticket(cli.project, 2)
    values = ["priority=high", "assignee=", "dependsOn=2,7", "title=Log in = twice"]
    text = cli("tickets", "set", "1", *values)
    assert text.splitlines()[0] == "DEM-001"
    assert [" ".join(line.split()) for line in text.splitlines()[1:]] == [
        "title Log in → Log in = twice",
        "priority Medium → High",
        "assignee bob → none",
        "dependsOn none → DEM-002, DEM-007",
        "Warning: dependsOn names DEM-007, which does not exist",
    ]
    written = path.read_text("utf-8")
    assert "priority: High" in written
    assert "dependsOn: DEM-002,DEM-007" in written
    assert "# Log in = twice\n" in written
    assert "assignee" not in written
    before = path.read_bytes()
    assert (
        cli("tickets", "set", "1", "priority=High")
        == "DEM-001: nothing changed; it already has these values.\n"
    )
    assert path.read_bytes() == before


@pytest.mark.requirement("cli:tickets:set_changes_attributes")
def test_set_refuses_all_when_one_is_wrong(cli: Cli) -> None:
    path = write_ticket(cli.project, 1)
    before = path.read_bytes()
    refused = cli.error("tickets", "set", "1", "assignee=ada", "priority=soon", "priorty=High")
    refused = " ".join(refused.split())
    assert "Invalid priority 'soon'. Must be one of: Low, Medium, High, Critical" in refused
    assert "priorty: Unknown attribute; did you mean priority?" in refused
    assert "Expected NAME=VALUE, got 'priority'." in cli.error("tickets", "set", "1", "priority", code=2)
    assert "'priority' is given twice." in cli.error(
        "tickets", "set", "1", "priority=Low", "priority=High", code=2
    )
    assert path.read_bytes() == before


@pytest.mark.requirement("cli:tickets:status_moves_a_ticket")
def test_status_moves_a_ticket_and_needs_no_quotes(cli: Cli) -> None:
    path = write_ticket(cli.project, 1)
    assert cli("tickets", "status", "1", "in", "progress") == "DEM-001: Approved → In Progress\n"
    assert "status: In Progress\n" in path.read_text("utf-8")
    assert cli("tickets", "status", "1", "In Progress") == "DEM-001: In Progress already\n"
    refused = cli.error("tickets", "status", "1", "rejected")
    assert " ".join(refused.split()) == (
        "Invalid status transition from 'In Progress' to 'Rejected'. Valid transitions from 'In Progress': "
        "Implemented, Approved, On Hold, Partially Implemented"
    )
    assert "Must be one of: Proposed,\nApproved" in cli.error("tickets", "status", "1", "done")


@pytest.mark.requirement("cli:tickets:delete_asks")
def test_delete_names_the_ticket_and_deletes_only_after_a_yes(cli: Cli) -> None:
    path = write_ticket(cli.project, 1, BODY)
    write_ticket(cli.project, 2, dependsOn="1")
    for typed in ("n\n", "\n", ""):
        answer = _typed(["delete", "1"], typed)
        assert (answer.exit_code, answer.stdout) == (1, "")
        said = f"DEM-001: Log in (Approved)\n{path}\nStill needed by DEM-002\nDelete it for good? [y/N]: "
        assert answer.stderr.startswith(said)
        assert path.exists()
    answer = _typed(["delete", "1"], "y\n")
    assert answer.exit_code == 0
    assert answer.stdout == (
        f"CR DEM-001 deleted successfully\n{path}\nWarning: DEM-001 is still named in dependsOn of DEM-002\n"
    )
    assert not path.exists()
    assert "DEM-001" in cli.error("tickets", "delete", "1")


@pytest.mark.requirement("cli:tickets:delete_asks")
def test_delete_with_yes_does_not_ask(cli: Cli) -> None:
    paths = [write_ticket(cli.project, number) for number in (1, 2)]
    result = cli.run("tickets", "delete", "1", "--yes")
    assert (result.exit_code, result.stderr) == (0, "")
    assert read_data(_typed(["delete", "2", "--json"], "y\n").stdout)["deletedFile"] == str(paths[1])
    assert not any(path.exists() for path in paths)


def test_json_is_the_answer_of_the_tool(cli: Cli) -> None:
    made = cli.json("tickets", "add", "Log in")
    assert (made["cr"]["code"], made["cr"]["status"]) == ("DEM-001", "Proposed")
    assert cli.json("tickets", "set", "1", "priority=Low")["changed"] == {
        "priority": {"from": "Medium", "to": "Low"}
    }
    assert cli.json("tickets", "status", "1", "approved")["changed"]["status"]["to"] == "Approved"
    deleted = cli.json("tickets", "delete", "1", "--yes")
    assert deleted["message"] == "CR DEM-001 deleted successfully"


def test_what_changes_files_is_refused_when_only_reading_is_allowed(cli: Cli) -> None:
    path = write_ticket(cli.project, 1)
    before = path.read_bytes()
    for words in (
        ["add", "Log in"],
        ["set", "1", "priority=Low"],
        ["status", "1", "x"],
        ["delete", "1", "-y"],
    ):
        refused = cli.error("--read-only", "tickets", *words, code=2)
        assert f"`{words[0]}` changes files, and --read-only was given." in refused
    assert [entry.name for entry in _folder(cli).iterdir()] == [path.name]
    assert path.read_bytes() == before
    assert cells(cli("--read-only", "tickets", "list"))[1][0] == "DEM-001"


def test_a_new_ticket_goes_to_the_project_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    ticket_project(other, "API")
    monkeypatch.setenv("MCP_SCAN_PATHS", str(tmp_path))
    cli("tickets", "add", "Log in", "--project", "api")
    assert (other / "docs" / "CRs" / "API-001-log-in.md").is_file()
    assert cli("tickets", "status", "API-1", "approved") == "API-001: Proposed → Approved\n"
