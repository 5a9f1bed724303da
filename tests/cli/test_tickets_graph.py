"""`tickets graph`: what waits for what, as a tree for the terminal and as texts for other programs."""

from __future__ import annotations

import pytest
from cli.kit import Cli
from cli.ticket_files import ticket_project, write_ticket


@pytest.fixture(autouse=True)
def _demo(cli: Cli) -> None:  # pyright: ignore[reportUnusedFunction]
    ticket_project(cli.project.root)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def test_what_a_ticket_waits_for_stands_below_it(cli: Cli) -> None:
    write_ticket(cli.project, 1, "# Base")
    write_ticket(cli.project, 2, "# Log in", status="Proposed", dependsOn="1,3,API-7")
    write_ticket(cli.project, 3, "# Done", status="Implemented")
    write_ticket(cli.project, 4, "# Log out", status="On Hold", dependsOn="1")
    write_ticket(cli.project, 5, "# Alone")
    assert _lines(cli("tickets", "graph")) == [
        "◔ DEM-002 Log in",
        "├── ○ DEM-001 Base",
        "└── ↗ API-007 no ticket of this project",
        "⊘ DEM-004 Log out",
        "└── ○ DEM-001 ↑",
        "◔ Proposed  ○ Approved  ⊘ On Hold  ↗ no ticket of this project",
        "↑ shown above",
        "3 of 5 tickets shown; the others neither wait nor are waited for. --all shows",
        "them.",
    ]


def test_all_draws_what_is_done_and_what_stands_alone(cli: Cli) -> None:
    write_ticket(cli.project, 1, "# Done", status="Rejected")
    write_ticket(cli.project, 2, "# Log in", status="Odd", dependsOn="1")
    write_ticket(cli.project, 3, "# Alone", status="In Progress")
    assert _lines(cli("tickets", "graph", "--all")) == [
        "⊘ DEM-002 Log in",
        "└── ● DEM-001 Done",
        "◑ DEM-003 Alone",
        "◑ In Progress  ● Rejected  ⊘ Odd",
    ]
    assert "No ticket waits for another." in cli("tickets", "graph")


def test_loops_are_told_below_the_tree_and_beside_a_text(cli: Cli) -> None:
    write_ticket(cli.project, 1, "# A", dependsOn="2")
    write_ticket(cli.project, 2, "# B", dependsOn="1")
    write_ticket(cli.project, 3, "# C", blocks="3")
    lines = _lines(cli("tickets", "graph"))
    told = [
        "A cycle: DEM-001 waits for DEM-002 waits for DEM-001",
        "A cycle: DEM-003 waits for DEM-003",
    ]
    assert lines[-2:] == told
    result = cli.run("tickets", "graph", "--format", "dot")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == [f"{line}." for line in told]
    assert cli.json("tickets", "graph")["cycles"] == [["DEM-001", "DEM-002"], ["DEM-003"]]


def test_texts_for_other_programs_hold_the_same(cli: Cli) -> None:
    write_ticket(cli.project, 1, "# Base")
    write_ticket(cli.project, 2, '# "Log" in', dependsOn="1")
    mermaid = cli("tickets", "graph", "--format", "mermaid")
    assert mermaid.startswith("flowchart TD\n")
    assert '  n1["○ DEM-002<br/>#34;Log#34; in"]:::open\n  n1 --> n0\n' in mermaid
    dot = cli("tickets", "graph", "--format", "dot")
    assert '  "DEM-002" [label="○ DEM-002\\n\\"Log\\" in", tooltip="Approved"' in dot
    assert '  "DEM-002" -> "DEM-001"\n}\n' in dot
    write_ticket(cli.project, 3, "# Alone")
    assert "Alone" not in cli("tickets", "graph", "--format", "dot")
    assert "Alone" in cli("tickets", "graph", "--format", "dot", "--all")


def test_a_list_and_a_drawing_at_once_are_refused(cli: Cli) -> None:
    refused = cli.error("tickets", "graph", "--json", "--format", "dot", code=2)
    assert "--json lists tickets and --format dot draws them; give one of them." in refused


def test_json_lists_all_tickets_however_many(cli: Cli) -> None:
    for number in range(1, 301):
        write_ticket(cli.project, number, f"# {'t' * 100}")
    data = cli.json("tickets", "graph")
    assert [node["code"] for node in data["nodes"]] == [f"DEM-{number:03}" for number in range(1, 301)]
    assert (data["total"], "next_offset" in data) == (300, False)
