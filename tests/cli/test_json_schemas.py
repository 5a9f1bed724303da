"""Every answer with `--json` fits the schema of its command, whatever formats a folder holds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from chant_mcp.command_table import read_table
from chant_mcp.json_schemas import SCHEMA_FILE, infer_schema, read_schemas, schema_of
from cli.at_work import AtWork
from cli.kit import Cli
from cli.ticket_files import ticket_project, write_ticket
from harness import Project
from jsonschema import Draft202012Validator

if TYPE_CHECKING:
    from chant_mcp.command_table import TableCommand

FIRST, SECOND, DONE = "2026-01-22-001-x7m", "2026-01-22-002-abc", "2026-01-22-003-fff"
BODY = "# Log in\n\n## Acceptance Criteria\n\n- [ ] Works\n- [x] Fast\n"
TICKET = "# Sign up\n\n## 1. Problem\n\nNone.\n\n## 5. Acceptance Criteria\n\n- [ ] A form\n"

UNTRIED = {
    "cluster status",
    "env show",
    "fence",
    "leases",
    "receipt fetch",
    "receipt push",
    "split",
    "takeover",
    "vine expand",
}
"""Commands that need a cluster, a remote or an agent's answer: any object fits their schema so far."""

BY_AGENTS = {"work", "pause", "reset", "finalize", "log", "merge"}
"""Commands on work of agents: any object fits their schema so far, and they are tried with one."""


def _specs(project: Project) -> None:
    project.spec(FIRST, body=BODY, labels=["web"], target_files=["a.py"])
    project.spec(SECOND, body="# Log out\n", depends_on=[FIRST])
    project.spec(DONE, body="# Old\n", status="completed")


def _plans(project: Project) -> None:
    text = (
        "vine 1.2.0\ntitle: All\n---\n[ship] Ship it (notstarted)\n-> log\n---\n[log] Write it (complete)\n"
    )
    (project.root / "plan.vine").write_text(text, encoding="utf-8")


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


MIXES = {
    "specs": (_specs,),
    "plans": (_plans,),
    "features": (_features,),
    "all": (_specs, _plans, _features, _tickets),
}
ITEMS = {"specs": FIRST, "plans": "vine:plan.vine#ship", "features": "T002", "all": FIRST}

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
    f"diagnose {FIRST}",
    f"log {FIRST}",
    "runs",
    "fence",
    "receipt show",
    "receipt verify --all",
    "worktree list",
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
OF_MIX = {
    "specs": SPECS,
    "plans": (*PLANS, "tickets init --code PLA"),
    "features": FEATURES,
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
    return Cli(project)


def _answers(tmp: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    for mix in MIXES:
        cli = _mixed(tmp / mix, mix)
        monkeypatch.chdir(cli.project.root)
        for line in (*EVERYWHERE, *OF_MIX[mix]):
            head, _, text = line.partition(" A form")
            words = head.replace("ITEM", ITEMS[mix]).split() + (["A form"] if text or line != head else [])
            yield mix, words, _answer(cli, words)


def _commands(table: TableCommand, path: tuple[str, ...] = ()) -> Iterator[str]:
    for name, inner in table["commands"].items():
        if any("--json" in option["names"] for option in inner["options"]):
            yield " ".join([*path, name])
        yield from _commands(inner, (*path, name))


@pytest.mark.requirement("cli:json:schemas")
def test_every_answer_fits_the_schema_of_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    found: dict[str, list[Any]] = {}
    answers = list(_answers(tmp_path, monkeypatch))
    for _, _, answer in answers:
        if answer["ok"]:
            found.setdefault(answer["command"], []).append(answer["data"])
    if os.environ.get("UPDATE_SNAPS"):
        schemas = {command: infer_schema(found[command]) for command in sorted(found)}
        schemas |= {name: {"type": "object"} for name in sorted(UNTRIED | BY_AGENTS)}
        SCHEMA_FILE.write_text(json.dumps(schemas, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for mix, words, answer in answers:
        schema = schema_of(answer["command"])
        assert schema is not None, words
        wrong = [error.message for error in Draft202012Validator(schema).iter_errors(answer)]
        assert not wrong, (mix, words, wrong, answer)
    # A key that went away is noticed, too.
    kept = read_schemas()
    for command, values in found.items():
        if command in UNTRIED | BY_AGENTS:
            continue
        assert set(infer_schema(values).get("properties", {})) == set(kept[command].get("properties", {})), (
            command
        )
    # What asks all formats answers wherever there is one of them.
    refused = [(mix, words) for mix, words, answer in answers if not answer["ok"] and "NOTHING" not in words]
    assert {words[0] for _, words in refused} <= {"log", "fence", "merge"}


@pytest.mark.requirement("cli:json:schemas")
def test_answers_about_work_fit_their_schemas(agents: AtWork) -> None:
    agents.spec(FIRST, "Log in")
    agents.spec(SECOND, "Log out", "fail")
    agents.begin()
    for words, code in (
        (("work", FIRST, "--wait"), 0),
        (("work", SECOND, "--wait"), 1),
        (("runs", "--all"), 0),
        (("log", FIRST), 0),
        (("diagnose", SECOND), 1),
        (("reset", SECOND), 0),
        (("show", FIRST), 0),
        (("inbox",), 0),
        (("status",), 0),
        (("receipt", "show"), 0),
    ):
        result = agents.run(*words, "--json")
        assert result.exit_code == code, (words, result.output)
        answer = json.loads(result.stdout)
        schema = schema_of(answer["command"])
        assert schema is not None
        Draft202012Validator(schema).validate(answer)


@pytest.mark.requirement("cli:json:schemas")
def test_every_command_with_json_has_a_schema(cli: Cli) -> None:
    kept = read_schemas()
    for command in _commands(read_table()):
        assert schema_of(command) is not None, command
        shown = json.loads(cli("help", *command.split(), "--schema"))
        Draft202012Validator.check_schema(shown)
        assert shown["oneOf"][0]["properties"]["command"] == {"const": command}
    open_shapes = {name for name, schema in kept.items() if schema == {"type": "object"}}
    assert open_shapes == UNTRIED | BY_AGENTS
    assert "no command 'completion'" in cli.error("help", "completion", "--schema", code=2)
