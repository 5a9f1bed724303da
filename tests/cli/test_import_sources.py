"""`import`: what belongs to which source, what a status means, and what is refused or named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.formats import formats
from cli.kit import Cli
from plans.projects import make
from plans.test_all_formats import run
from writing import tree


def _ledger(folder: Path, *issues: dict[str, Any], lead: str = "") -> Path:
    file = folder / ".beads" / "issues.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(lead + "".join(f"{json.dumps(issue)}\n" for issue in issues), encoding="utf-8")
    return folder


def _task(folder: Path, name: str, id: str, status: str, body: str = "") -> Path:
    file = folder / "backlog" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    (folder / "backlog" / "config.yml").touch()
    file.write_text(f"---\nid: {id}\ntitle: T {id}\nstatus: {status}\n---\n\n{body}\n", encoding="utf-8")
    return folder


MARKS = ("<!-- AC:BEGIN -->\n", "<!-- AC:END -->\n")


def _titles(cli: Cli, *words: str) -> dict[str, str]:
    return {spec["title"]: spec["status"] for spec in cli.json("chant", "list", "--all", *words)["specs"]}


def test_equal_ids_of_two_sources_are_different_items(cli: Cli, tmp_path: Path) -> None:
    for name in ("one", "two"):
        waits = [{"id": "bd-1", "type": "blocks"}]
        issues = (
            {"id": "bd-1", "title": f"A {name}"},
            {"id": "bd-2", "title": f"B {name}", "dependencies": waits},
        )
        _ledger(tmp_path / name, *issues)
        (tmp_path / name / "plan.csv").write_text(f"key,title\n1,C {name}\n", encoding="utf-8")
        (tmp_path / name / "p.vine").write_text(
            f"vine 1.2.0\n---\n[a] D {name} (notstarted)\n", encoding="utf-8"
        )
    sources = [tmp_path / name / file for name in ("one", "two") for file in (".", "plan.csv", "p.vine")]
    for source in sources:
        assert "0 were here before." in cli("import", str(source))
    assert len(_titles(cli)) == 8
    # The same source is the same, whichever way it is named.
    for source in (*sources, tmp_path / "one" / ".beads", tmp_path / "two" / ".beads" / "issues.jsonl"):
        assert cli("import", str(source)).startswith("0 imported, ")
    specs = {spec["title"]: spec for spec in cli.json("chant", "list", "--all")["specs"]}
    for name in ("one", "two"):
        assert specs[f"B {name}"]["depends_on"] == [specs[f"A {name}"]["id"]]


def test_what_is_not_known_is_never_ready(cli: Cli, tmp_path: Path) -> None:
    _ledger(
        tmp_path / "beads",
        {"id": "a", "title": "Open", "status": "open"},
        {"id": "b", "title": "Deferred", "status": "deferred"},
        {"id": "c", "title": "Closed", "status": "shipped", "closed_at": "2026-01-01T10:00:00Z"},
    )
    tasks = tmp_path / "tasks"
    _task(tasks, "tasks/task-1.md", "task-1", "Icebox")
    _task(tasks, "tasks/task-2.md", "task-2", "Shipped")
    _task(tasks, "tasks/task-3.md", "task-3", "Idea")
    _task(tasks, "completed/task-4.md", "task-4", "Icebox")
    _task(tasks, "tasks/task-5.md", "task-5", "Building")
    (tasks / "backlog" / "config.yml").write_text("statuses: [Idea, Building, Shipped]\n", encoding="utf-8")
    (tmp_path / "rows.csv").write_text(
        "key,title,status\n1,Row,Waiting for Ada\n2,Done row,implemented\n", "utf-8"
    )
    for source in ("beads", "tasks", "rows.csv"):
        cli("import", str(tmp_path / source))
    assert _titles(cli) == {
        "Open": "pending",
        "Deferred": "needs_attention",
        "Closed": "completed",
        "T task-1": "needs_attention",
        "T task-2": "completed",
        "T task-3": "pending",
        "T task-4": "completed",
        "T task-5": "in_progress",
        "Row": "needs_attention",
        "Done row": "completed",
    }
    assert {spec["title"] for spec in cli.json("chant", "ready")["specs"]} == {"Open", "T task-3"}


def test_a_person_says_what_other_statuses_mean(cli: Cli, tmp_path: Path) -> None:
    folder = _ledger(tmp_path / "other", {"id": "a", "title": "A", "status": "Shipped"})
    assert cli.run("import", str(folder), "--strict").exit_code == 1
    assert _titles(cli) == {}, "nothing is written where something would be lost"
    text = cli("import", str(folder), "--status", "shipped=completed", "--strict")
    assert "Did not map" not in text
    assert _titles(cli) == {"A": "completed"}
    assert "expected one of pending" in cli.error("import", str(folder), "--status", "a=gone")
    assert "WORD=STATUS" in cli.error("import", str(folder), "--status", "completed", code=2)


@pytest.mark.parametrize("name", ["beads", "backlog", "csv", "chant"])
def test_conflict_markers_are_refused_by_file_and_line(cli: Cli, tmp_path: Path, name: str) -> None:
    marked = "<<<<<<< HEAD\n=======\n>>>>>>> other\n"
    source = tmp_path / "other"
    if name == "beads":
        file = _ledger(source, {"id": "a", "title": "A"}) / ".beads" / "issues.jsonl"
    elif name == "backlog":
        file = _task(source, "tasks/task-1.md", "task-1", "To Do") / "backlog" / "tasks" / "task-1.md"
    elif name == "csv":
        source.mkdir()
        source = file = source / "rows.csv"
        file.write_text("key,title\n1,A\n", encoding="utf-8")
    else:
        file = source / ".chant" / "specs" / "2026-01-01-001-abc.md"
        file.parent.mkdir(parents=True)
        file.write_text("---\nstatus: pending\n---\n# A\n", encoding="utf-8")
    line = len(file.read_text("utf-8").splitlines()) + 1
    with file.open("a", encoding="utf-8") as end:
        end.write(marked)
    before = tree(cli.project.root)
    error = " ".join(cli.error("import", str(source)).split())
    assert f"{file.name}" in error
    assert f"line {line} is a conflict marker" in error
    assert tree(cli.project.root) == before


def test_an_id_twice_is_the_newer_record_of_a_ledger_and_both_of_two_files(cli: Cli, tmp_path: Path) -> None:
    folder = _ledger(
        tmp_path / "other",
        {"id": "a", "title": "New", "updated_at": "2026-02-01T00:00:00Z"},
        {"id": "a", "title": "Old", "updated_at": "2026-01-01T00:00:00Z"},
    )
    text = " ".join(cli("import", str(folder)).split())
    assert "a: id: line 1 counts, which was updated later; line 2 was left out" in text
    assert _titles(cli) == {"New": "pending"}
    tasks = tmp_path / "tasks"
    for name in ("1", "2"):
        _task(tasks, f"tasks/task-1 - {name}.md", "task-1", "To Do")
    text = " ".join(cli("import", str(tasks)).split())
    assert "TASK-1 has a name that backlog/tasks/task-1 - 1.md line 1 has, too" in text
    specs = cli.json("chant", "list", "--all")["specs"]
    assert sorted(spec["title"] for spec in specs) == ["New", "T task-1", "T task-1"]


def test_texts_stay_and_other_forms_are_read(cli: Cli, tmp_path: Path) -> None:
    fence = "```\n<!-- NOTE:BEGIN -->\n- [ ] #1 In a fence\n```\n"
    criteria = "## Acceptance Criteria\n<!-- AC:BEGIN -->\n- [ ] #1 First\n- [x] #2 See #3\n<!-- AC:END -->\n"
    body = f"## Plan\n\n{fence}\n- [ ] #482 Close\n\n{criteria}"
    _task(tmp_path / "tasks", "tasks/task-1.md", "task-1", "To Do", body)
    cli("import", str(tmp_path / "tasks"))
    (file,) = cli.project.specs.glob("*.md")
    text = body.replace("#1 First", "First").replace("#2 See", "See")
    for mark in MARKS:
        text = text.replace(mark, "")
    assert file.read_text("utf-8").endswith(text)
    folder = _ledger(
        tmp_path / "other",
        {"id": "bd-3", "title": "Third"},
        {"id": "bd-4", "title": "Fourth", "dependencies": {"bd-3": "blocks"}},
        {"id": "bd-5", "title": "Fifth", "dependencies": [{"id": "bd-4", "type": "blocks"}, {"id": "bd-9"}]},
        lead="\ufeff",
    )
    shown = cli("import", str(folder))
    assert "Total: 3 records, 2 edges, 1 edge lost, 1 note." in shown
    specs = {spec["title"]: spec for spec in cli.json("chant", "list", "--all")["specs"]}
    assert specs["Fourth"]["depends_on"] == [specs["Third"]["id"]]
    assert specs["Fifth"]["depends_on"] == [specs["Fourth"]["id"]]


@pytest.mark.parametrize("word", [row["word"] for row in formats() if not row["own_tools"]])
def test_plans_are_imported_as_they_are_read_where_they_lie(cli: Cli, tmp_path: Path, word: str) -> None:
    other = tmp_path / "other"
    other.mkdir()
    listed = json.loads(run(make(word, other), "list", "--json"))["data"]["items"]
    before = tree(other)
    cli("import", str(other), "--from", word)
    specs = cli.json("chant", "list", "--all")["specs"]
    done = {row["title"]: row["done"] for row in listed}
    assert {spec["title"]: spec["status"] == "completed" for spec in specs} == done
    assert len(specs) == len(listed)
    ids = {spec["title"]: spec["id"] for spec in specs}
    titles = {row["key"]: row["title"] for row in listed}
    for row, spec in ((row, spec) for row in listed for spec in specs if spec["title"] == row["title"]):
        waits = {ids[titles[key]] for key in row["depends_on"] if key in titles}
        assert set(spec["depends_on"] or ()) == waits
    # Whichever folder of it is named, nothing comes in twice.
    marker = next(row for row in formats() if row["word"] == word)["markers"]
    inner = next(other / path.split("/")[0] for path in marker if (other / path).exists())
    assert cli("import", str(inner)).startswith("0 imported, ")
    assert tree(other) == before
