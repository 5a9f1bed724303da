"""`tickets list`, `ready`, `show`, `sections`, `advice` and `projects`: what people see of tickets."""

from __future__ import annotations

from pathlib import Path

import pytest
from chant_mcp._core import TicketProjects
from chant_mcp.commands import ticket_display
from cli.kit import Cli, Start
from cli.ticket_files import BODY, cells, ticket_project, write_ticket
from rich.console import Console

STEERING = "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x9b1m \u202egnorw"


@pytest.fixture(autouse=True)
def _demo(cli: Cli) -> None:  # pyright: ignore[reportUnusedFunction]
    ticket_project(cli.project.root)


def _codes(cli: Cli, *words: str) -> list[str]:
    return [ticket["code"] for ticket in cli.json("tickets", "list", *words)["crs"]]


@pytest.mark.requirement("cli:tickets:list_prints_tickets")
def test_list_prints_code_status_priority_and_title_in_columns(cli: Cli) -> None:
    write_ticket(cli.project, 1, "# Log in", type="Bug Fix", assignee="ada", phaseEpic="Phase 2")
    write_ticket(cli.project, 20, "# Log out", status="In Progress", priority="Critical")
    assert cells(cli("tickets", "list")) == [
        ["Code", "Status", "Priority", "Title"],
        ["DEM-020", "In Progress", "Critical", "Log out (Feature Enhancement)"],
        ["DEM-001", "Approved", "Medium", "Log in (Bug Fix) @ada #Phase 2"],
    ]


@pytest.mark.requirement("cli:tickets:list_prints_tickets")
def test_list_without_tickets_says_so(cli: Cli) -> None:
    assert cli("tickets", "list") == "No tickets.\n"
    write_ticket(cli.project, 1)
    assert cli("tickets", "list", "--status", "Rejected") == "No tickets match.\n"


@pytest.mark.requirement("cli:tickets:list_prints_tickets")
def test_files_of_one_code_are_told_apart_and_what_cannot_be_read_is_told(cli: Cli) -> None:
    first = write_ticket(cli.project, 1)
    second = first.with_name("DEM-001-again.md")
    second.write_text(first.read_text("utf-8"), encoding="utf-8")
    text = "".join(cli("tickets", "list").split())
    assert str(first) in text
    assert str(second) in text
    assert "Problems:" in text
    assert "SeveralfileshavethecodeDEM-001" in text
    assert "Allitsfiles" in "".join(cli("tickets", "show", "1").split())


@pytest.mark.requirement("cli:tickets:list_filters")
def test_list_filters_by_all_that_is_given_and_by_any_value_of_one_kind(cli: Cli) -> None:
    write_ticket(cli.project, 1, type="Bug Fix", priority="High", assignee="ada")
    write_ticket(cli.project, 2, type="Bug Fix", status="On Hold", phaseEpic="Phase 2")
    write_ticket(cli.project, 3, type="Documentation", priority="High")
    for words, codes in (
        (["--status", "approved"], "DEM-003 DEM-001"),
        (["--status", "approved", "--status", "ON HOLD"], "DEM-003 DEM-002 DEM-001"),
        (["--type", "bug fix"], "DEM-002 DEM-001"),
        (["--type", "bug fix", "--priority", "high"], "DEM-001"),
        (["--assignee", "Ada"], "DEM-001"),
        (["--phase-epic", "phase 2"], "DEM-002"),
    ):
        assert _codes(cli, *words) == codes.split(), words
    refused = cli.error("tickets", "list", "--status", "done")
    assert "Invalid status 'done'. Must be one of: Proposed,\nApproved" in refused


def test_list_shows_twenty_and_says_how_to_see_the_rest(cli: Cli) -> None:
    for number in range(1, 31):
        write_ticket(cli.project, number, status="Approved" if number % 5 else "Proposed")
    assert "20 of 30 tickets shown; --all shows the rest." in cli("tickets", "list")
    assert "2 of 6 tickets shown" in cli("tickets", "list", "--limit", "2", "--status", "proposed")
    everything = cli("tickets", "list", "--all")
    assert "DEM-001" in everything
    assert "shown" not in everything


def test_all_gathers_more_than_one_answer_holds(cli: Cli) -> None:
    for number in range(1, 301):
        write_ticket(cli.project, number, f"# {'t' * 100}", assignee="a" * 100, phaseEpic="p" * 100)
    data = cli.json("tickets", "list", "--all")
    assert [ticket["code"] for ticket in data["crs"]] == [f"DEM-{number:03}" for number in range(300, 0, -1)]
    assert "next_offset" not in data
    assert len(cli.json("tickets", "ready", "--all")["crs"]) == 300


def test_ready_prints_what_is_approved_and_waits_for_nothing(cli: Cli) -> None:
    write_ticket(cli.project, 1)
    write_ticket(cli.project, 2, dependsOn="DEM-001")
    write_ticket(cli.project, 3, status="Proposed")
    rows = cells(cli("tickets", "ready"))
    assert [row[0] for row in rows] == ["Code", "DEM-001"]
    write_ticket(cli.project, 1, status="Implemented")
    assert "DEM-002" in cli("tickets", "ready")
    write_ticket(cli.project, 2, status="In Progress")
    assert cli("tickets", "ready") == "No tickets are ready.\n"


@pytest.mark.requirement("cli:tickets:show_prints_a_ticket")
def test_show_prints_attributes_and_the_rendered_body(cli: Cli) -> None:
    keys = {"dependsOn": "DEM-002, API-9, DEM-003", "blocks": "4", "relatedTickets": "5", "priority": "High"}
    path = write_ticket(cli.project, 1, BODY, status="Proposed", team="core", **keys)
    write_ticket(cli.project, 2, status="On Hold")
    write_ticket(cli.project, 3, status="Implemented")
    write_ticket(cli.project, 4, status="In Progress")
    table, body = cli("tickets", "show", "dem-1").split("\n\n", 1)
    rows = cells(table)
    for row in (
        ["Code", "DEM-001"],
        ["Title", "Log in"],
        ["Status", "Proposed"],
        ["Type", "Feature Enhancement"],
        ["Priority", "High"],
        ["Depends on", "DEM-002, API-9, DEM-003"],
        ["Blocks", "4"],
        ["Related", "5"],
        ["Waiting for", "approval"],
        ["DEM-002 (On Hold)"],
        ["API-009 (no ticket of this project)"],
        ["Needed by", "DEM-004"],
        ["team", "core"],
    ):
        assert row in rows
    assert str(path) in "".join(table.split())
    assert "Assignee" not in table, "absent values are left out"
    assert "Nobody knows who is there." in body


@pytest.mark.requirement("cli:tickets:show_prints_a_ticket")
def test_show_says_whether_work_can_begin_and_why_not(cli: Cli) -> None:
    for status, said in (
        ("Approved", "nothing: it is ready"),
        ("On Hold", "somebody to take it up again"),
        ("Odd", "a status that is known, in place of Odd"),
    ):
        write_ticket(cli.project, 1, status=status)
        assert ["Waiting for", said] in cells(cli("tickets", "show", "1"))
    write_ticket(cli.project, 1, status="Implemented")
    assert "Waiting for" not in cli("tickets", "show", "1")


@pytest.mark.requirement("cli:tickets:show_prints_a_ticket")
def test_show_has_the_whole_of_a_body_that_one_answer_cannot_hold(cli: Cli) -> None:
    body = "# Long\n\n" + "\n".join(f"Line {number} of the body" for number in range(6_000)) + "\n"
    write_ticket(cli.project, 1, body)
    assert cli("tickets", "show", "--raw", "1") == f"\n{body}"
    assert cli.json("tickets", "show", "1")["content"] == f"\n{body}"
    assert cli.json("tickets", "show", "1", "--section", "Long")["content"] == body[8:].strip()


@pytest.mark.requirement("cli:tickets:sections_are_listed_and_shown")
def test_sections_are_listed_with_their_sizes_each_below_what_it_is_a_part_of(cli: Cli) -> None:
    write_ticket(cli.project, 1, BODY)
    lines = cli("tickets", "sections", "1").splitlines()
    assert [" ".join(line.rsplit(maxsplit=1)) for line in lines if "──" not in line] == [
        "Section Characters",
        "# Log in 83",
        "  ## 1. Problem 56",
        "    ### Today 15",
        "  ## 2. Plan empty",
    ]
    write_ticket(cli.project, 1, "no heading")
    assert cli("tickets", "sections", "1") == "No sections: there are no headings outside of code.\n"


@pytest.mark.requirement("cli:tickets:sections_are_listed_and_shown")
@pytest.mark.parametrize("words", [["show", "1", "--section"], ["sections", "1"]])
def test_one_section_is_shown_rendered_or_as_it_is_written(cli: Cli, words: list[str]) -> None:
    write_ticket(cli.project, 1, BODY)
    text = cli("tickets", *words, "problem")
    assert text.splitlines()[0].rstrip() == "DEM-001: # Log in / ## 1. Problem"
    assert "Nobody knows who is there." in text
    assert "Plan" not in text
    assert cli("tickets", *words, "## 1. Problem / ### Today", "--raw") == "All are guests.\n"
    assert cli.json("tickets", *words, "today")["content"] == "All are guests."
    refused = cli.error("tickets", *words, "nowhere")
    assert "Available sections: # Log in | ## 1.\nProblem | ### Today | ## 2. Plan" in refused


@pytest.mark.requirement("cli:tickets:advice_prints_the_score")
def test_advice_prints_the_score_its_parts_and_what_to_do(cli: Cli) -> None:
    write_ticket(cli.project, 1, BODY, type="Bug Fix", dependsOn="DEM-9")
    text = cli("tickets", "advice", "1")
    found = cli.json("tickets", "advice", "1")
    assert text.startswith(f"Score {found['overallScore']} of 10\n")
    flat = " ".join(text.split())
    for part in found["scoreParts"]:
        assert f"{part['part']} {part['score']} of {part['outOf']} " in flat
    for advice in found["suggestions"]:
        said = f"→ {advice['priority']}, {advice['category']}: {advice['suggestion']} {advice['reason']}"
        assert said in flat
    for strength in found["strengths"]:
        assert f"✓ {strength}" in flat
    assert (
        cli.error("tickets", "advice", "7") == "CR 'DEM-007' not found in project 'DEM'. Available: DEM-001\n"
    )


@pytest.mark.requirement("cli:tickets:projects_are_listed")
def test_projects_are_listed_and_one_is_shown_with_its_numbers(cli: Cli) -> None:
    ticket_project(cli.project.root, description="What we do", path="tickets", repository="example.org/r")
    write_ticket(cli.project, 1)
    (cli.project.root / "tickets").mkdir()
    write_ticket(cli.project, 2, status="Odd").rename(cli.project.root / "tickets" / "DEM-002.md")
    assert cells(cli("tickets", "projects")) == [
        ["Code", "Name", "Tickets in"],
        ["DEM", "Project DEM", "tickets"],
        ["What we do"],
    ]
    for words in (["projects", "dem"], ["projects", "--project", "dem"]):
        rows = cells(cli("tickets", *words))
        assert ["Description", "What we do"] in rows
        assert ["Tickets", "1"] in rows
        assert ["Statuses", "1 Odd"] in rows
    refused = cli.error("tickets", "projects", "ZZZ")
    assert refused == "Project 'ZZZ' not found. Available projects: DEM\n"


@pytest.mark.requirement("cli:tickets:projects_are_listed")
def test_projects_says_what_was_passed_over_and_where_there_is_none(cli: Cli) -> None:
    config = cli.project.root / ".mdt-config.toml"
    config.write_text("[project\n", encoding="utf-8")
    text = cli("tickets", "projects")
    assert "No projects: a project has a `.mdt-config.toml` or the folder `docs/CRs`." in text
    assert "Problems:" in text
    assert ".mdt-config.toml" in text


def test_a_project_is_named_by_its_code_its_folder_or_the_key(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ticket(cli.project, 1, "# Ours")
    other = tmp_path / "other"
    ticket_project(other, "API")
    write_ticket(other, 1, "# Theirs", code="API-001").rename(other / "docs" / "CRs" / "API-001.md")
    monkeypatch.setenv("MCP_SCAN_PATHS", str(tmp_path))
    for words in (
        ["--project", "api"],
        ["--project", str(other)],
        ["--project", "../other"],
        ["--cwd", str(other)],
    ):
        assert _codes(cli, *words) == ["API-001"], words
    assert "Theirs" in cli("tickets", "show", "api-1")
    assert "Theirs" in cli("tickets", "show", "1", "--project", "API")
    assert "Ours" in cli("tickets", "show", "1")
    assert "Theirs" in cli("--project", str(other), "tickets", "list")
    refused = cli.error("tickets", "list", "--project", "zzz")
    assert refused == "Project 'zzz' not found. Available projects: DEM, API\n"
    assert "Directory './zzz' does not exist" in cli.error("tickets", "list", "--project", "./zzz", code=2)


def test_json_is_the_very_text_of_the_answer(cli: Cli) -> None:
    write_ticket(cli.project, 1, BODY, dependsOn="DEM-002")
    write_ticket(cli.project, 2)
    tickets = TicketProjects(cli.project.root)
    for words, core in (
        (["list"], tickets.list_crs()),
        (["ready"], tickets.ready()),
        (["show", "1"], tickets.ticket(None, "1")),
        (["graph"], tickets.graph()),
        (["advice", "1"], tickets.suggest_cr_improvements(None, "1")),
        (["projects"], tickets.list_projects()),
        (["projects", "DEM"], tickets.get_project_info("DEM")),
    ):
        assert cli.json("tickets", *words) == core.data, words
    for words, core in (
        (["sections", "1"], tickets.manage_cr_sections(None, "1", "list")),
        (["sections", "1", "Today"], tickets.manage_cr_sections(None, "1", "get", section="Today")),
    ):
        assert cli.json("tickets", *words) == core.data, words


def test_an_unknown_ticket_is_a_sentence_and_exit_code_1(cli: Cli) -> None:
    write_ticket(cli.project, 1)
    for command in ("show", "sections", "advice"):
        refused = cli.error("tickets", command, "7")
        assert refused == "CR 'DEM-007' not found in project 'DEM'. Available: DEM-001\n"
    assert "'x' is no key; expected a code such as DEM-007" in cli.error("tickets", "show", "x")


def test_tables_stay_within_eighty_columns_and_codes_are_whole(cli: Cli) -> None:
    long = {"assignee": "a" * 90, "phaseEpic": "some words " * 12, "status": "Partially Implemented"}
    write_ticket(cli.project, 123_456, f"# {'x' * 200}\n\n## {'y' * 200}\n", **long)
    write_ticket(cli.project, 2, "# " + "many words " * 20, dependsOn="DEM-123456")
    for words in (["list"], ["show", "2"], ["sections", "123456"], ["graph"], ["advice", "2"], ["projects"]):
        lines = cli("tickets", *words).splitlines()
        assert max(map(len, lines)) <= 80, words
    assert "\nDEM-123456 " in cli("tickets", "list")


def test_statuses_and_priorities_are_coloured_at_a_terminal_alone(cli: Cli) -> None:
    path = write_ticket(cli.project, 1, "# T", status="Implemented", priority="Critical")
    texts = [
        cli("tickets", *words) for words in (["list"], ["show", "1"], ["advice", "1"], ["graph", "--all"])
    ]
    assert not any("\x1b" in text for text in texts)
    tickets = TicketProjects(path.parents[2]).list_crs().data["crs"]
    out = Console(force_terminal=True, color_system="standard", width=80)
    with out.capture() as printed:
        out.print(ticket_display.ticket_table(tickets))
    assert "\x1b[32mImplemented" in printed.get()
    assert "\x1b[1;31mCritical" in printed.get()


def test_texts_of_tickets_do_not_steer_the_terminal_and_are_no_markup(cli: Cli) -> None:
    body = f"# Keep [bold]brackets[/bold] {STEERING}\n\n## {STEERING}\n\n{STEERING}\n"
    write_ticket(cli.project, 1, body, assignee=f'"{STEERING}"', dependsOn="1", team=f'"{STEERING}"')
    for words in (
        ["list"],
        ["show", "1"],
        ["sections", "1"],
        ["graph"],
        ["graph", "--format", "dot"],
        ["advice", "1"],
        ["sections", "1", STEERING],
    ):
        result = cli.run("tickets", *words)
        text = result.stdout + result.stderr
        assert not any(character in text for character in "\x1b\x07\x9b\u202e"), words
    assert "Keep [bold]brackets[/bold]" in cli("tickets", "list")


def test_output_is_utf8_whatever_the_locale_says(
    cli: Cli, start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_ticket(cli.project, 1, "# Fähre nach Rømø 🛳", dependsOn="1")
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    for words in (["list"], ["show", "1"], ["show", "1", "--raw"], ["graph"], ["list", "--json"]):
        out, err = start(cli.project.root, "tickets", *words).end()
        assert "Fähre nach Rømø 🛳" in out
        assert err == ""


def test_help_names_the_commands_anywhere(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = cli("tickets", "--help")
    for name in (
        "list",
        "ready",
        "show",
        "sections",
        "graph",
        "advice",
        "projects",
        "add",
        "set",
        "status",
        "delete",
    ):
        assert f"\n  {name} " in text
        assert "--json" in cli("tickets", name, "--help")
    assert "…" not in text
    assert "..." not in text.split("Commands:")[1], "each is said in a line"
    assert "No such command 'lst'. Did you mean 'list'?" in cli.error("tickets", "lst", code=2)
