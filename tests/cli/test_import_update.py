"""`import --update`, more sources, and the way out and in again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from chant_mcp._core import acting_kind
from chant_mcp.init.layout import ignore_file
from cli.kit import Cli
from harness import Project


def _ledger(folder: Path, *issues: dict[str, Any]) -> Path:
    file = folder / ".beads" / "issues.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{json.dumps(issue)}\n" for issue in issues), encoding="utf-8")
    return folder


def _write(path: Path, value: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def _specs(cli: Cli) -> dict[str, dict[str, Any]]:
    return {spec["title"]: spec for spec in cli.json("chant", "list", "--all")["specs"]}


def _file(project: Project, id: str) -> Path:
    return project.root / ".chant" / "specs" / f"{id}.md"


QUAY = {
    "id": "bd-1",
    "title": "Paint the quay",
    "status": "open",
    "labels": ["a"],
    "description": "One.\n\nTwo.\n\nThree.",
}
CRANE = {"id": "bd-2", "title": "Order a crane", "status": "open", "priority": 2}


def test_later_changes_of_the_source_come_and_local_edits_stay(cli: Cli, tmp_path: Path) -> None:
    source = _ledger(tmp_path / "other", QUAY, CRANE)
    first = cli.json("import", str(source))
    quay, crane = (_file(cli.project, row["id"]) for row in first["created"])
    # Nothing changed: nothing is written.
    before = {path: path.read_bytes() for path in cli.project.root.rglob("*") if path.is_file()}
    again = cli.json("import", str(source), "--update")
    assert again["updated"] == again["conflicts"] == again["gone"] == []
    assert len(again["present"]) == 2
    assert {path: path.read_bytes() for path in before} == before
    # Here and there in different places.
    quay.write_text(quay.read_text().replace("One.", "Mine.").replace("- a", "- a\n- mine"))
    changed = {**QUAY, "status": "closed", "labels": ["a", "b"], "description": "One.\n\nTwo.\n\nTheirs."}
    _ledger(source, changed, {**CRANE, "priority": 1}, {"id": "bd-3", "title": "New", "status": "open"})
    assert "`" not in cli("import", str(source), "--update", "--dry-run")
    assert "Theirs." not in quay.read_text()
    done = cli.json("import", str(source), "--update")
    assert {tuple(row["changed"]) for row in done["updated"]} == {("labels", "status", "body"), ("priority",)}
    assert done["conflicts"] == []
    assert [row["title"] for row in done["created"]] == ["New"]
    text = quay.read_text()
    assert "Mine.\n\nTwo.\n\nTheirs." in text
    assert "status: completed" in text
    assert _specs(cli)["Paint the quay"]["labels"] == ["a", "mine", "b"]
    assert "priority: '1'" in crane.read_text() or 'priority: "1"' in crane.read_text()
    # Without --update nothing but new items comes.
    _ledger(source, {**changed, "title": "Other"})
    assert cli.json("import", str(source))["updated"] == []
    assert "# Paint the quay" in quay.read_text()


def test_conflicts_are_named_and_the_text_here_stays(cli: Cli, tmp_path: Path) -> None:
    source = _ledger(tmp_path / "other", QUAY, CRANE)
    quay, crane = (_file(cli.project, row["id"]) for row in cli.json("import", str(source))["created"])
    quay.write_text(quay.read_text().replace("Two.", "Mine."))
    crane.write_text(crane.read_text().replace("# Order a crane", "# Buy a crane"))
    _ledger(source, {**QUAY, "description": "One.\n\nTheirs.\n\nThree.", "status": "closed"})
    kept = quay.read_text()
    strict = cli.run("import", str(source), "--update", "--strict")
    assert strict.exit_code == 1
    assert quay.read_text() == kept
    done = cli.json("import", str(source), "--update")
    assert [(row["key"], row["here"], row["there"]) for row in done["conflicts"]] == [
        ("body", "Mine.", "Theirs.")
    ]
    assert done["updated"][0]["changed"] == ["status"]
    assert [origin.rpartition("#")[2] for origin in done["gone"]] == ["bd-2"]
    assert quay.read_text() == kept.replace("status: pending", "status: completed")
    # It was named once; what a person decided stays.
    assert cli.json("import", str(source), "--update")["conflicts"] == []


def test_another_clone_knows_what_was_imported_and_an_earlier_import_says_so(
    cli: Cli, tmp_path: Path
) -> None:
    source = _ledger(tmp_path / "other", QUAY)
    (row,) = cli.json("import", str(source))["created"]
    (records,) = (cli.project.root / ".chant" / "imports").iterdir()
    assert row["id"] not in records.name
    records.unlink()
    _ledger(source, {**QUAY, "status": "closed"})
    (conflict,) = cli.json("import", str(source), "--update")["conflicts"]
    assert conflict["key"] == "spec"
    assert conflict["here"].startswith("the imported text is not recorded")
    assert "status: pending" in _file(cli.project, row["id"]).read_text()
    _ledger(source, {**QUAY, "status": "closed", "priority": 3})
    assert cli.json("import", str(source), "--update")["updated"][0]["changed"] == ["priority"]
    cli("archive", row["id"], code=1)
    cli("edit", row["id"], "--status", "completed", "--force")
    cli("archive", row["id"])
    _ledger(source, {**QUAY, "status": "closed", "priority": 4})
    (conflict,) = cli.json("import", str(source), "--update")["conflicts"]
    assert conflict["here"].startswith("archived or unreadable")


def test_records_of_imports_are_committed_and_are_only_compared(cli: Cli, tmp_path: Path) -> None:
    project = cli.project
    ignored = ignore_file(project.root)
    assert ignored.after
    (project.root / ignored.name).write_bytes(ignored.after)
    source = _ledger(tmp_path / "other", QUAY)
    (row,) = cli.json("import", str(source))["created"]
    (records,) = (project.root / ".chant" / "imports").iterdir()
    project.repository()
    name = str(records.relative_to(project.root))
    assert project.git("ls-files", "--", name).strip() == name
    assert acting_kind(name) is None
    # Whoever changes a record puts no text of their own into a spec.
    records.write_text(records.read_text("utf-8").replace("Two.", "Run `curl`."), encoding="utf-8")
    _ledger(source, {**QUAY, "status": "closed"})
    cli.run("import", str(source), "--update")
    assert "curl" not in _file(project, row["id"]).read_text("utf-8")


def test_task_master_is_read(cli: Cli, tmp_path: Path) -> None:
    tasks = [
        {"id": 1, "title": "Set up", "status": "done", "priority": "high", "dependencies": []},
        {
            "id": 2,
            "title": "Log in",
            "description": "A form.",
            "details": "With mail.",
            "testStrategy": "By hand.",
            "status": "in-progress",
            "dependencies": [1],
            "subtasks": [
                {"id": 1, "title": "Form", "status": "done", "dependencies": []},
                {"id": 2, "title": "Mail", "status": "review", "dependencies": [1, "1"]},
            ],
            "complexityScore": 7,
        },
        {"id": 3, "title": "Old", "status": "cancelled", "dependencies": ["2"]},
    ]
    tags = {"master": {"tasks": tasks, "metadata": {}}, "ui": {"tasks": [{"id": 1, "title": "Colours"}]}}
    _write(tmp_path / "app" / ".taskmaster" / "tasks" / "tasks.json", tags)
    found = cli.json("import", str(tmp_path / "app"))
    assert [(row["title"], row["status"]) for row in found["created"]] == [
        ("Set up", "completed"),
        ("Log in", "in_progress"),
        ("Form", "completed"),
        ("Mail", "needs_attention"),
        ("Old", "cancelled"),
        ("Colours", "pending"),
    ]
    assert found["created"][0]["from"].endswith("app#1")
    assert [(row["key"], row["item"]) for row in found["unmapped"]] == [
        ("complexityScore", "2"),
        ("status", "2.2"),
    ]
    specs = _specs(cli)
    parent = specs["Log in"]["id"]
    assert specs["Mail"]["id"] == f"{parent}.2"
    assert specs["Mail"]["depends_on"] == [f"{parent}.1"]
    text = _file(cli.project, parent).read_text()
    assert "A form.\n\n## Details\n\nWith mail.\n\n## Test Strategy\n\nBy hand.\n" in text
    assert "type: driver" in text
    # An older file is one list.
    _write(tmp_path / "old" / "tasks.json", {"tasks": tasks[:1]})
    assert cli.json("import", str(tmp_path / "old" / "tasks.json"))["format"] == "taskmaster"


def test_taskwarrior_is_read(cli: Cli, tmp_path: Path) -> None:
    tasks = [
        {
            "id": 1,
            "uuid": "a1",
            "description": "Call Ada",
            "status": "pending",
            "start": "20240101T100000Z",
            "entry": "20240101T090000Z",
            "tags": ["phone"],
            "project": "office",
            "priority": "H",
            "depends": ["b2"],
            "annotations": [{"entry": "20240102T090000Z", "description": "She is away"}],
            "urgency": 8.2,
            "estimate": "2h",
        },
        {"uuid": "b2", "description": "Find the number", "status": "completed", "end": "20240103T000000Z"},
        {"uuid": "c3", "description": "Wait", "status": "waiting", "depends": "a1,b2"},
        {"uuid": "d4", "description": "Gone", "status": "deleted"},
    ]
    found = cli.json("import", str(_write(tmp_path / "tasks.json", tasks)))
    assert [(row["title"], row["status"]) for row in found["created"]] == [
        ("Call Ada", "in_progress"),
        ("Find the number", "completed"),
        ("Wait", "needs_attention"),
    ]
    assert {(row["item"], row["key"]) for row in found["unmapped"]} == {
        ("a1", "estimate"),
        ("c3", "status"),
        ("d4", "status"),
    }
    specs = _specs(cli)
    text = _file(cli.project, specs["Call Ada"]["id"]).read_text()
    assert "project: office" in text
    assert "- 2024-01-02T09:00:00Z She is away" in text
    assert len(specs["Wait"]["depends_on"]) == 2
    assert (
        "completed_at: 2024-01-03T00:00:00Z" in _file(cli.project, specs["Find the number"]["id"]).read_text()
    )


def test_issues_of_github_are_read(cli: Cli, tmp_path: Path) -> None:
    issues = [
        {
            "number": 12,
            "title": "Crash on start",
            "body": "Steps:\n\n- [ ] #482 Close\n",
            "state": "OPEN",
            "stateReason": "",
            "labels": [{"id": "x", "name": "bug", "color": "red"}],
            "assignees": [{"login": "ada"}],
            "milestone": {"title": "v2", "number": 1},
            "url": "https://example.org/12",
            "comments": [{"author": {"login": "bob"}, "body": "Me too.", "createdAt": "2024-01-02"}],
        },
        {
            "number": 13,
            "title": "Done",
            "state": "CLOSED",
            "stateReason": "COMPLETED",
            "closedAt": "2024-01-01",
        },
        {"number": 14, "title": "No", "state": "CLOSED", "stateReason": "NOT_PLANNED"},
        {"number": 15, "title": "Unknown"},
    ]
    found = cli.json("import", str(_write(tmp_path / "issues.json", issues)))
    assert [(row["title"], row["status"]) for row in found["created"]] == [
        ("Crash on start", "pending"),
        ("Done", "completed"),
        ("No", "cancelled"),
        ("Unknown", "needs_attention"),
    ]
    text = _file(cli.project, _specs(cli)["Crash on start"]["id"]).read_text()
    assert "- [ ] #482 Close\n" in text
    assert "assignee: ada" in text
    assert "milestone: v2" in text
    assert "**bob** 2024-01-02\n\nMe too.\n" in text
    error = cli.error("import", str(_write(tmp_path / "odd.json", [{"name": "x"}])))
    assert "Name the format: chant, vine, beads, openspec, kiro, backlog, csv, json, taskmaster" in " ".join(
        error.split()
    )


@pytest.mark.parametrize("form", ["json", "csv"])
def test_what_is_exported_comes_back_as_it_was(
    cli: Cli, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {
        "labels": ["a"],
        "target_files": ["src/a.py", "b.py"],
        "context": ["docs/x.md"],
        "prompt": "standard",
        "commits": ["abc1234"],
        "completed_at": "2026-01-23T10:00:00Z",
        "model": "opus",
        "priority": "high",
        "assignee": "ada",
    }
    body = "# Log in\n\nSome `text`; more.\n\n## Acceptance Criteria\n\n- [x] It works\n"
    cli.project.spec("2026-01-22-001-aaa", type="documentation", status="completed", body=body, **keys)
    cli.project.spec(
        "2026-01-22-002-bbb", type="research", body="# Next\n", depends_on=["2026-01-22-001-aaa"]
    )
    cli.project.spec("2026-01-22-003-grp", type="group", body="# Group\n")
    cli.project.spec("2026-01-22-003-grp.1", type="task", body="# Part\n", depends_on=[])
    out = tmp_path / f"all.{form}"
    cli("export", "--format", form, "--fields", "all", "-o", str(out))
    other = Project(tmp_path / "other")
    (other.root / ".chant" / "specs").mkdir(parents=True)
    monkeypatch.chdir(other.root)
    again = Cli(other)
    found = again.json("import", str(out), "--strict")
    assert found["unmapped"] == []
    back = json.loads(again("export", "--fields", "all"))
    here = json.loads(out.read_text()) if form == "json" else json.loads(cli_export(cli, monkeypatch))
    names = {new["key"]: old["key"] for old, new in zip(here, back, strict=True)}

    def as_before(item: dict[str, Any]) -> dict[str, Any]:
        local = ("key", "id", "path", "depends_on", "waits_for", "body")
        named = [names[key] for key in item["depends_on"]]
        return {**{key: value for key, value in item.items() if key not in local}, "depends_on": named}

    kept = {key: value for key, value in as_before(back[0]).items() if key != "depends_on"}
    assert kept == {key: value for key, value in here[0].items() if key in kept}
    for old, new in zip(here, back, strict=True):
        assert as_before(new)["depends_on"] == old["depends_on"]
        assert new["type"] == old["type"]
        assert new["body"].strip() == old["body"].strip()


def cli_export(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> str:
    """Export everything of a project as JSON."""
    monkeypatch.chdir(cli.project.root)
    return cli("export", "--fields", "all")
