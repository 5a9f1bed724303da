"""Lists for other programs: one line an item, whatever its text is."""

from __future__ import annotations

import pytest
from cli.kit import Cli
from cli.ticket_files import ticket_project, write_ticket

FIRST, SECOND = "2026-01-22-001-aaa", "2026-01-22-002-bbb"
LONG = "A title that is much longer than eighty columns " * 5


@pytest.fixture
def piped(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A project whose commands print into a pipe of no width."""
    monkeypatch.delenv("COLUMNS")
    cli.project.spec(FIRST, body=f"# {LONG}\n", labels=["web", "ui"])
    cli.project.spec(SECOND, body="# Tab\there\n\nneedle\n", type="research")
    return cli


def test_a_pipe_gets_a_line_for_each_item(piped: Cli) -> None:
    expected = f"{FIRST}\tpending\t{LONG.strip()} #web #ui\n{SECOND}\tpending\tTab here (research)\n"
    assert piped("list") == piped("ready") == piped("chant", "list") == expected
    assert piped("search", "needle") == f"{SECOND}\tpending\tTab here (research); needle\n"
    limited = piped.run("list", "--limit", "1")
    assert limited.stdout == expected.splitlines(keepends=True)[0]
    assert limited.stderr == "1 of 2 specs shown; --all shows the rest.\n"
    ticket_project(piped.project.root)
    write_ticket(piped.project, 1, title=LONG)
    lines = piped("list").splitlines()
    assert [line.split("\t")[0] for line in lines] == [f"chant:{FIRST}", f"chant:{SECOND}", "tickets:DEM-001"]
    assert len(piped("tickets", "list").splitlines()) == 1
    assert f"# {LONG.strip()}\n" in piped("show", FIRST)


def test_a_format_says_what_is_printed(piped: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert piped("list", "--format", "{id}\\t{labels}|{depends_on}") == f"{FIRST}\tweb,ui|\n{SECOND}\t|\n"
    assert piped("search", "needle", "--format", "{title}") == "Tab here\n"
    assert "There is no field 'nope'. Fields are: depends_on, id," in piped.error(
        "list", "--format", "{nope}", code=2
    )
    assert "neither table nor tsv" in piped.error("list", "--format", "yaml", code=2)
    assert "─────" in piped("list", "--format", "table")
    monkeypatch.setenv("COLUMNS", "80")
    assert "─────" in piped("list")
    assert piped("list", "--format", "tsv").startswith(f"{FIRST}\tpending\t")
