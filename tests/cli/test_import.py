"""`import`: what people see of it; `rust/workspace/tests/it/workspace_import.rs` says what becomes what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.kit import Cli


@pytest.fixture
def issues(tmp_path: Path) -> Path:
    """A folder with two issues of beads, the second waiting for the first."""
    waits = {"issue_id": "bd-2", "depends_on_id": "bd-1", "type": "blocks"}
    lines = [
        {"id": "bd-1", "title": "Quay", "status": "closed", "priority": 1},
        {"id": "bd-2", "title": "Crane", "status": "deferred", "dependencies": [waits]},
    ]
    folder = tmp_path / "other" / ".beads"
    folder.mkdir(parents=True)
    text = "".join(f"{json.dumps(line)}\n" for line in lines)
    (folder / "issues.jsonl").write_text(text, encoding="utf-8")
    return folder.parent


def test_import_tells_new_specs_and_what_did_not_map(cli: Cli, issues: Path) -> None:
    text = cli("import", str(issues))
    for part in (
        "beads:../other#bd-1",
        "completed",
        "Crane",
        "2 imported, 0 were here before.",
        "Did not map:",
    ):
        assert part in text
    assert "bd-2: status: `deferred` is not known and became `needs_attention`" in " ".join(text.split())
    specs = {spec["title"]: spec for spec in cli.json("chant", "list")["specs"]}
    assert specs["Crane"]["depends_on"] == [specs["Quay"]["id"]]
    assert "0 imported, 2 were here before." in cli("import", str(issues))
    assert len(cli.json("chant", "list")["specs"]) == 2


def test_a_dry_run_writes_nothing_and_may_be_asked_for_with_read_only(cli: Cli, issues: Path) -> None:
    assert "2 would be imported; nothing was written" in cli("import", str(issues), "--dry-run")
    found = cli.json("--read-only", "import", str(issues), "--dry-run")
    assert [entry["from"] for entry in found["created"]] == ["beads:../other#bd-1", "beads:../other#bd-2"]
    assert "--read-only was given" in cli.error("--read-only", "import", str(issues), code=2)
    assert cli("list").startswith("No specs. ")


def test_a_path_that_is_no_source_is_refused(cli: Cli, tmp_path: Path) -> None:
    error = " ".join(cli.error("import", str(tmp_path)).split())
    assert "Name the format: chant, vine, beads, openspec, kiro, backlog, csv" in error
    assert "Invalid format 'jira'" in cli.error("import", str(tmp_path), "--from", "jira")


def test_an_import_that_dies_half_way_is_finished_or_never_was(
    cli: Cli, issues: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess
    import sys

    for moment, expected in (("journal-staged", 0), ("journal-step", 0), ("journal-done", 2)):
        monkeypatch.setenv("CHANT_STOP_AT", moment)
        done = subprocess.run(
            [sys.executable, "-m", "chant_mcp", "import", str(issues)],
            cwd=cli.project.root,
            capture_output=True,
            check=False,
        )
        assert done.returncode != 0
        monkeypatch.delenv("CHANT_STOP_AT")
        assert len(cli.json("chant", "list")["specs"]) == expected
