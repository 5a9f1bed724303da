"""`import`: what belongs to which source, what a status means, and what is refused or named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cli.kit import Cli
from writing import tree


def _ledger(folder: Path, *issues: dict[str, Any], lead: str = "") -> Path:
    file = folder / ".beads" / "issues.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(lead + "".join(f"{json.dumps(issue)}\n" for issue in issues), encoding="utf-8")
    return folder


def _task(folder: Path, name: str, id: str, status: str, body: str = "") -> Path:
    file = folder / "backlog" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\nid: {id}\ntitle: T {id}\nstatus: {status}\n---\n\n{body}\n", encoding="utf-8")
    return folder


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


def test_what_an_earlier_release_imported_is_not_imported_again(cli: Cli, tmp_path: Path) -> None:
    old = "---\ntype: code\nstatus: pending\nimported_from: beads:bd-1\n---\n\n# Quay\n"
    cli.project.write("2026-01-01-001-abc", old)
    folder = _ledger(tmp_path / "other", {"id": "bd-1", "title": "Quay"}, {"id": "bd-2", "title": "Crane"})
    assert "1 imported, 1 were here before." in cli("import", str(folder))
    other = _ledger(tmp_path / "elsewhere", {"id": "bd-1", "title": "Another"})
    assert "1 imported, 0 were here before." in cli("import", str(other))


def test_what_is_not_known_is_never_ready(cli: Cli, tmp_path: Path) -> None:
    _ledger(
        tmp_path / "beads",
        {"id": "a", "title": "Open", "status": "open"},
        {"id": "b", "title": "Deferred", "status": "deferred"},
        {"id": "c", "title": "Closed", "status": "shipped", "closed_at": "2026-01-01T10:00:00Z"},
    )
    tasks = tmp_path / "tasks"
    _task(tasks, "tasks/1.md", "task-1", "Icebox")
    _task(tasks, "tasks/2.md", "task-2", "Shipped")
    _task(tasks, "tasks/3.md", "task-3", "Idea")
    _task(tasks, "completed/4.md", "task-4", "Icebox")
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
        file = _task(source, "tasks/1.md", "task-1", "To Do") / "backlog" / "tasks" / "1.md"
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


def test_an_id_twice_is_the_newer_record_of_a_ledger_and_none_of_two_files(cli: Cli, tmp_path: Path) -> None:
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
        _task(tasks, f"tasks/{name}.md", "task-1", "To Do")
    _task(tasks, "tasks/3.md", "task-3", "To Do")
    text = " ".join(cli("import", str(tasks)).split())
    assert "tasks/1.md and tasks/2.md have it; none was imported" in text
    assert set(_titles(cli)) == {"New", "T task-3"}


def test_texts_stay_and_other_forms_are_read(cli: Cli, tmp_path: Path) -> None:
    fence = "```\n<!-- AC:BEGIN -->\n- [ ] #1 In a fence\n```\n"
    body = f"## Plan\n\n{fence}\n- [ ] #1 First\n- [ ] #2 Second\n- [ ] #482 Close"
    _task(tmp_path / "tasks", "tasks/1.md", "task-1", "To Do", body)
    cli("import", str(tmp_path / "tasks"))
    (file,) = cli.project.specs.glob("*.md")
    text = file.read_text("utf-8")
    for part in ("<!-- AC:BEGIN -->\n- [ ] #1 In a fence\n", "- [ ] First\n- [ ] Second\n- [ ] #482 Close"):
        assert part in text
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
