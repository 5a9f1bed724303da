"""Top-level commands over everything in a project, of whatever dialect."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from cli.kit import Cli
from cli.ticket_files import cells, ticket_project, write_ticket
from harness import Project
from steering import FORBIDDEN

FIRST = "2026-01-22-001-x7m"
SECOND = "2026-01-22-002-k3f"

PLAN = """\
vine 1.2.0
---
[root] Root (notstarted)
Text of *root*.
-> build
---
[build] Build (started) @owner(ada)
"""


@pytest.fixture
def mixed(cli: Cli) -> Cli:
    """A project with two specs, a task graph and a ticket."""
    cli.project.spec(FIRST, body="# Log in\n\nText.", labels=["auth"])
    cli.project.spec(SECOND, body="# Log out", depends_on=["vine:plan.vine#build", "tickets:DEM-7"])
    (cli.project.root / "plan.vine").write_text(PLAN, encoding="utf-8")
    ticket_project(cli.project.root)
    write_ticket(cli.project, 7, "# Ship it\n", assignee="bob")
    return cli


def test_list_shows_specs_tasks_and_tickets_by_their_keys(mixed: Cli) -> None:
    text = mixed("list")
    for part in (f"chant:{FIRST}", "Log in #auth", "vine:plan.vine#build", "@ada", "tickets:DEM-007", "@bob"):
        assert part in text
    keys = [item["key"] for item in mixed.json("list")["items"]]
    assert keys == [
        f"chant:{FIRST}",
        f"chant:{SECOND}",
        "vine:plan.vine#root",
        "vine:plan.vine#build",
        "tickets:DEM-007",
    ]
    assert "2 of 5 items shown; --all shows the rest." in mixed("list", "--limit", "2")
    assert len(mixed.json("list", "--limit", "2", "--all")["items"]) == 5


def test_a_name_with_a_sign_of_its_own_is_not_shown_with_two(mixed: Cli) -> None:
    """As Backlog.md writes them: `assignee: ['@eve']`; the JSON says what the file says."""
    write_ticket(mixed.project, 8, "# Mail it\n", assignee="'@eve'")
    for words in (("list",), ("tickets", "list")):
        assert " @eve" in mixed(*words)
        assert "@@" not in mixed(*words)
    assert mixed.json("list")["items"][-1]["assignee"] == "@eve"


def test_list_filters_by_state_label_and_dialect(mixed: Cli) -> None:
    def keys(*words: str) -> list[str]:
        return [item["id"] for item in mixed.json("list", *words)["items"]]

    assert keys("--status", "started", "--status", "approved") == ["build", "DEM-007"]
    assert keys("--label", "auth") == [FIRST]
    assert keys("--dialect", "vine") == ["root", "build"]
    assert keys("--ready") == [FIRST, "DEM-007"]
    assert mixed("list", "--label", "none") == "Nothing matches.\n"
    assert "Invalid status 'odd': expected one of pending, " in mixed.error("list", "--status", "odd")


def test_ready_shows_what_can_be_begun_whatever_it_waited_for(mixed: Cli) -> None:
    assert [item["id"] for item in mixed.json("ready")["items"]] == [FIRST, "DEM-007"]
    write_ticket(mixed.project, 7, status="Implemented")
    (mixed.project.root / "plan.vine").write_text(PLAN.replace("started) @", "complete) @"), encoding="utf-8")
    assert [item["id"] for item in mixed.json("ready")["items"]] == [FIRST, SECOND, "root"]
    assert [item["id"] for item in mixed.json("ready", "--dialect", "chant")["items"]] == [FIRST, SECOND]
    assert [spec["id"] for spec in mixed.json("chant", "ready")["specs"]] == [FIRST, SECOND]


def test_show_takes_keys_ids_codes_and_parts_of_ids(mixed: Cli) -> None:
    assert "Waiting for" in mixed("show", "k3f")
    assert mixed("show", f"chant:{FIRST}") == mixed("chant", "show", FIRST)
    text = mixed("show", "root")
    for part in ("vine:plan.vine#root", "Depends on", "plan.vine", "Text of root."):
        assert part in text
    assert ["Needed by", f"chant:{SECOND}"] in cells(mixed("show", "dem-7"))
    assert mixed("show", "--raw", "root") == "Text of *root*.\n"
    assert mixed.json("show", "DEM-7")["needed_by"] == [f"chant:{SECOND}"]
    assert "Nothing is called 'odd' here." in mixed.error("show", "odd")


def test_graph_draws_what_waits_for_what_across_dialects(mixed: Cli) -> None:
    tree = mixed("graph")
    assert f"○ chant:{SECOND} Log out" in tree
    assert "├── ◑ vine:plan.vine#build Build" in tree
    assert "└── ○ tickets:DEM-007 Ship it" in tree
    assert "items shown; --all" in tree
    assert f"chant:{FIRST}" in mixed("graph", "--all")
    assert mixed("graph", "--format", "mermaid").startswith("flowchart TD\n")
    assert f'"chant:{SECOND}" -> "tickets:DEM-007"' in mixed("graph", "--format", "dot")
    edges = mixed.json("graph")["edges"]
    edge = {"from": f"chant:{SECOND}", "to": "tickets:DEM-007", "reason": "dependency", "met": False}
    assert edge in edges
    assert "vine" not in mixed("chant", "graph", "--all")
    assert "give one of them" in mixed.error("graph", "--json", "--format", "dot", code=2)


def test_a_project_of_specs_alone_is_shown_as_before(cli: Cli) -> None:
    cli.project.spec(FIRST, body="# Log in", labels=["auth"])
    for words in (["list"], ["list", "--status", "pending"], ["ready"], ["show", "x7m"]):
        assert cli(*words) == cli("chant", *words)
    # Options that lists of specs do not have ask about the workspace.
    assert [item["id"] for item in cli.json("list", "--label", "auth")["items"]] == [FIRST]
    assert "items" in cli.json("ready", "--dialect", "chant")


def test_files_that_cannot_be_read_are_told_below_the_table(mixed: Cli) -> None:
    (mixed.project.root / "odd.vine").write_text("no graph", encoding="utf-8")
    table, problems = mixed("list").split("Problems:")
    assert "odd.vine" not in table
    assert "odd.vine: " in problems


def test_export_writes_every_dialect_in_three_formats(mixed: Cli) -> None:
    items = json.loads(mixed("export"))
    assert [item["dialect"] for item in items] == ["chant", "chant", "vine", "vine", "tickets"]
    assert items[1]["waits_for"] == ["vine:plan.vine#build", "tickets:DEM-007"]
    text = mixed("export", "--format", "csv", "--fields", "key,title,labels,body")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["title"] for row in rows] == ["Log in", "Log out", "Root", "Build", "Ship it"]
    assert rows[2]["body"] == "Text of *root*."
    table = mixed("export", "--format", "markdown", "--fields", "id,status", "--dialect", "tickets")
    assert table == "| id | status |\n|---|---|\n| DEM-007 | Approved |\n"
    assert "expected one of key, dialect," in mixed.error("export", "--fields", "titel")


ODD = ["=1+1", "+x", "-x", "@x", "'=x", "\\u001b", "a\\b", "\x1b[2J", "x\x9by", "'x'", 'é,"x"; y', "\uff1dx"]


def test_an_export_as_csv_is_harmless_and_is_taken_back(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, odd in enumerate(ODD, 1):
        after = [f"2026-01-22-{number - 1:03}-abc"] if number > 1 else []
        body = f"# {odd}\n\n{odd}\n\nText {odd}"
        label = json.dumps(odd.replace(";", ","))
        cli.project.spec(f"2026-01-22-{number:03}-abc", body=body, labels=[label], depends_on=after)
    table = tmp_path / "out.csv"
    cli("export", "--format", "csv", "--fields", "key,status,title,labels,depends_on,body", "-o", str(table))
    with table.open(encoding="utf-8", newline="") as lines:
        written = [cell for record in csv.reader(lines) for cell in record]
    assert [cell for cell in written if FORBIDDEN.search(cell)] == []
    assert [cell for cell in written if cell.startswith(tuple("=+-@\t\r\uff1d"))] == []
    before = [cli.json("chant", "show", f"2026-01-22-{number:03}-abc") for number in range(1, len(ODD) + 1)]
    other = Cli(Project(tmp_path / "other"))
    other.project.specs.mkdir(parents=True)
    monkeypatch.chdir(other.project.root)
    told = other.json("import", str(table))
    assert told["unmapped"] == []
    specs = [other.json("chant", "show", created["id"]) for created in told["created"]]
    assert [spec["title"] for spec in specs] == [spec["title"] for spec in before] == ODD
    assert [spec["labels"] for spec in specs] == [spec["labels"] for spec in before]
    assert [len(spec["depends_on"] or []) for spec in specs] == [0, *[1] * (len(ODD) - 1)]
    for spec, odd in zip(specs, ODD, strict=True):
        assert f"\n{odd}\n\nText {odd}" in spec["body"]
    assert "0 imported" in other("import", str(table))


def test_the_help_of_export_names_every_field(cli: Cli) -> None:
    from chant_mcp._core import export_fields

    words = set(cli("export", "--help").replace(",", " ").replace(".", " ").split())
    assert set(export_fields()) <= words


def test_export_replaces_a_file_by_force_only(mixed: Cli) -> None:
    path = mixed.project.root / "out.json"
    assert mixed("export", "-o", str(path), "--label", "auth") == ""
    before = path.read_bytes()
    assert "exists already and was left as it is." in mixed.error("export", "-o", str(path))
    assert path.read_bytes() == before
    mixed("export", "-o", str(path), "--force")
    assert len(path.read_bytes()) > len(before)


def test_export_takes_a_bare_file_name(mixed: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(mixed.project.root)
    mixed("export", "-o", "out.json")
    assert (mixed.project.root / "out.json").read_text("utf-8") == mixed("export")
