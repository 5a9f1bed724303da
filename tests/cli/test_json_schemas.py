"""Every answer with `--json` fits the schema of its command, whatever formats a folder holds."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp._core import SpeckitFeatures
from chant_mcp.command_table import read_table
from chant_mcp.json_schemas import SCHEMA_FILE, infer_schema, read_schemas, schema_of
from cli.at_work import AtWork, nothing_left
from cli.kit import Cli
from cli.ticket_files import ticket_project, write_ticket
from cli.work_answers import answers_about_work, answers_of_clones, answers_of_clusters
from harness import Project
from jsonschema import Draft202012Validator
from leases.conftest import make_remote as make_remote
from leases.remotes import Remote
from plans.projects import make

if TYPE_CHECKING:
    from chant_mcp.command_table import TableCommand

FIRST, SECOND, DONE = "2026-01-22-001-x7m", "2026-01-22-002-abc", "2026-01-22-003-fff"
ASKS = "2026-01-22-009-w1w"
BODY = "# Log in\n\n## Acceptance Criteria\n\n- [ ] Works\n- [x] Fast\n"
TICKET = "# Sign up\n\n## 1. Problem\n\nNone.\n\n## 5. Acceptance Criteria\n\n- [ ] A form\n"


def _specs(project: Project) -> None:
    project.spec(FIRST, body=BODY, labels=["web"], target_files=["a.py"])
    project.spec(SECOND, body="# Log out\n", depends_on=[FIRST])
    project.spec(DONE, body="# Old\n", status="completed")
    project.spec(ASKS, body="# Asks\n", approval="{required: true}")


def _plans(project: Project) -> None:
    text = (
        "vine 1.2.0\ntitle: All\n---\n[ship] Ship it (notstarted)\n-> log\n---\n[log] Write it (complete)\n"
    )
    (project.root / "plan.vine").write_text(text, encoding="utf-8")
    reference = "vine 1.2.0\n---\nref [docs] Manual (./part.vine)\n"
    (project.root / "parts.vine").write_text(reference, encoding="utf-8")
    part = "vine 1.2.0\nprefix: d\n---\n[manual] Manual (notstarted)\n"
    (project.root / "part.vine").write_text(part, encoding="utf-8")


def _features(project: Project) -> None:
    folder = project.root / "specs" / "060-login"
    folder.mkdir(parents=True)
    tasks = (
        "# Tasks\n\n## Phase 1: Setup\n\n- [x] T001 Begin\n- [ ] T002 [US1] Go on in a.py (depends on T001)\n"
    )
    (folder / "tasks.md").write_text(tasks, encoding="utf-8")


def _tickets(project: Project) -> None:
    ticket_project(project.root)
    write_ticket(project, 1, title="Sign up", body=TICKET)
    write_ticket(project, 2, dependsOn="DEM-001", body="# Two\n")


def _problems(project: Project) -> None:
    project.path("2026-01-22-004-bad").write_text("---\nstatus: [\n---\n", encoding="utf-8")
    (project.root / "broken.vine").write_text("vine 9\n", encoding="utf-8")


def _other_plans(project: Project) -> None:
    make("backlog", project.root)


MIXES = {
    "specs": (_specs,),
    "plans": (_plans,),
    "features": (_features,),
    "other plans": (_other_plans,),
    "all": (_specs, _plans, _features, _tickets, _problems),
}
ITEMS = {
    "specs": FIRST,
    "plans": "vine:plan.vine#ship",
    "features": "T002",
    "other plans": "backlog:TASK-1",
    "all": FIRST,
}

EVERYWHERE = (
    "list",
    "list --all",
    "ready",
    "show ITEM",
    "show NOTHING",
    "status",
    "search it --all",
    "graph",
    "inbox",
    "open ITEM --print",
    "config check",
    "plugins",
    "doctor",
    "agents list",
    "agents show claude",
    "trust --show",
    "trust --yes 0",
    "trust --list",
    "trust --revoke",
)
SPECS = (
    f"show {SECOND}",
    "chant list",
    "chant ready",
    f"chant show {FIRST}",
    "chant status",
    "chant status --activity",
    "chant search log",
    "chant graph",
    "lint",
    f"lint {FIRST}",
    f"verify {DONE}",
    "verify --drift",
    f"diagnose {FIRST}",
    f"log {FIRST}",
    "runs",
    "fence",
    "leases",
    "env show",
    "work --all",
    "receipt show",
    "receipt verify --all",
    "receipt sign --all --key KEY",
    "worktree list",
    "worktree prune",
    "watch --status",
    f"approve {ASKS} --by Ada",
    f"reject {ASKS} --by Ada --reason No",
    "review",
    f"review {ASKS}",
    f"comment {ASKS} Well",
    "checks flaky",
    "checks forget",
    "sessions list",
    "sessions clear",
    "env build",
    "env verify",
    "env prune",
    "add Text",
    f"edit {FIRST} --title Other",
    f"tick {FIRST} 1",
    f"untick {FIRST} --all",
    f"label {FIRST} ui",
    f"depend {FIRST} --remove NOTHING",
    f"depend {SECOND} --remove {FIRST}",
    f"archive {DONE}",
    f"unarchive {DONE}",
    f"reopen {DONE}",
    f"cancel {SECOND}",
    f"edit {DONE} --status completed --force",
    "archive --completed",
    "merge",
    "confine --check",
    "import other",
    "import other --update",
)
PLANS = (
    "vine show plan.vine",
    "vine list plan.vine",
    "vine next plan.vine",
    "vine validate plan.vine",
    "vine set plan.vine ship started",
    "edit vine:plan.vine#ship --title Ship",
    "reopen vine:plan.vine#log",
    "vine claim plan.vine log",
    "vine new more.vine",
    "vine expand parts.vine docs",
)
FEATURES = (
    "speckit list",
    "speckit ready",
    "speckit show T002",
    "speckit graph",
    "speckit context",
    "speckit features",
    "speckit tasks --feature 060-login",
    "speckit next --feature 060-login",
    "speckit questions",
    "answer QUESTION Postgres",
    "speckit complete T002 --feature 060-login",
    "speckit events",
    "untick T002",
    "tick T002",
)
TICKETS = (
    "tickets list",
    "tickets ready",
    "tickets show DEM-1",
    "tickets sections DEM-1",
    "tickets sections DEM-1 Problem",
    "tickets graph",
    "tickets advice DEM-1",
    "tickets projects",
    "tickets projects DEM",
    "tickets add More",
    "tickets set DEM-1 priority=High",
    "tickets status DEM-1 in progress",
    "tick DEM-1 A form",
    "edit DEM-2 --assignee ada",
    "depend DEM-2 --remove DEM-001",
    "tickets delete DEM-2 --yes",
)
KEY = "other/key"
OF_MIX = {
    "specs": SPECS,
    "plans": (*PLANS, "tickets init --code PLA"),
    "features": FEATURES,
    "other plans": ("edit backlog:TASK-1 --status Done", "move backlog:TASK-1 completed", "lint"),
    "all": (*TICKETS, *FEATURES, *PLANS, *SPECS),
}


def _answer(cli: Cli, words: list[str]) -> dict[str, Any]:
    result = cli.run(*words, "--json")
    assert result.exit_code in (0, 1, 2), (words, result.output)
    assert result.stdout.startswith("{"), (words, result.output)
    return json.loads(result.stdout)


def _mixed(root: Path, mix: str) -> Cli:
    project = Project(root)
    root.mkdir(parents=True)
    for fill in MIXES[mix]:
        fill(project)
    project.repository()
    other = root / "other" / ".beads"
    other.mkdir(parents=True)
    issues = [
        {"id": "bd-1", "title": "One", "status": "odd"},
        {"id": "bd-2", "title": "Two", "status": "open"},
    ]
    (other / "issues.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in issues), encoding="utf-8")
    if shutil.which("ssh-keygen"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", root / KEY], check=True)
    return Cli(project)


def _answers(tmp: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    for mix in MIXES:
        cli = _mixed(tmp / mix, mix)
        monkeypatch.chdir(cli.project.root)
        for line in (*EVERYWHERE, *OF_MIX[mix]):
            head, _, _ = line.partition(" A form")
            if "QUESTION" in head:
                asked = SpeckitFeatures(cli.project.root).ask("Which database?")
                head = head.replace("QUESTION", asked.data["id"])
            if "KEY" in head and not shutil.which("ssh-keygen"):
                continue
            head = head.replace("ITEM", ITEMS[mix]).replace("KEY", KEY)
            words = head.split() + (["A form"] if "A form" in line else [])
            yield mix, words, _answer(cli, words)


def _commands(table: TableCommand, path: tuple[str, ...] = ()) -> Iterator[str]:
    for name, inner in table["commands"].items():
        if any("--json" in option["names"] for option in inner["options"]):
            yield " ".join([*path, name])
        yield from _commands(inner, (*path, name))


def test_every_answer_fits_the_schema_of_its_command(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make_remote: Callable[..., Remote],
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    answers = [*_answers(tmp_path / "mixes", monkeypatch)]
    for mix in ("specs", "all"):
        with nothing_left(os.environ["HOME"]):
            project = Project(tmp_path / "work" / mix)
            project.root.mkdir(parents=True)
            for fill in MIXES[mix]:
                fill(project)
            monkeypatch.chdir(project.root)
            answers += [("work", *one) for one in answers_about_work(AtWork(project))]
    answers += [("clones", *one) for one in answers_of_clones(tmp_path, make_remote(), monkeypatch.chdir)]
    answers += [("clusters", *one) for one in answers_of_clusters(tmp_path)]
    found: dict[str, list[Any]] = {}
    for _, _, answer in answers:
        if answer["ok"]:
            found.setdefault(answer["command"], []).append(answer["data"])
    if os.environ.get("UPDATE_SNAPS"):
        schemas = {command: infer_schema(found[command]) for command in sorted(found)}
        SCHEMA_FILE.write_text(json.dumps(schemas, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for mix, words, answer in answers:
        schema = schema_of(answer["command"])
        assert schema is not None, words
        wrong = [error.message for error in Draft202012Validator(schema).iter_errors(answer)]
        assert not wrong, (mix, words, wrong, answer)
    # A key that went away is noticed, too.
    cached = read_schemas()
    for command, values in found.items():
        assert _keys(infer_schema(values)) == _keys(cached[command]), command
    # Commands about all formats answer wherever one of them is.
    refused = [(mix, words) for mix, words, answer in answers if not answer["ok"] and mix in MIXES]
    assert {words[0] for _, words in refused if "NOTHING" not in words} <= {
        "log",
        "fence",
        "merge",
        "leases",
        "work",
        "trust",
    }


def _keys(schema: dict[str, Any]) -> set[str]:
    """Name the keys of answers of a command."""
    forms: list[dict[str, Any]] = schema.get("anyOf", [schema])
    return {name for form in forms for name in form.get("properties", {})}


def test_every_command_with_json_has_a_schema(cli: Cli) -> None:
    cached = read_schemas()
    for command in _commands(read_table()):
        assert schema_of(command) is not None, command
        shown = json.loads(cli("help", *command.split(), "--schema"))
        Draft202012Validator.check_schema(shown)
        assert shown["oneOf"][0]["properties"]["command"] == {"const": command}
    assert [name for name, schema in cached.items() if schema == {"type": "object"}] == []
    assert "no command 'completion'" in cli.error("help", "completion", "--schema", code=2)
