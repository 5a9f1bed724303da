"""The same refusal at three doors: tools for agents, commands for people, methods for scripts."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import chant_mcp
import click
import pytest
from chant_mcp.commands.catalogue import PROGRAM, SPECKIT, SPECS, TICKETS, VINE
from chant_mcp.commands.groups import Commands
from chant_mcp.commands.wrapping import wrapped
from chant_mcp.errors import ChantError
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer, OfferedTools, RefusedCall, ToolResult, answer_result, refusal_result
from cli.kit import Cli

PENDING, CANCELLED, BLOCKED, DRIVER, ASKED, BARE, BEGUN = (f"2026-01-22-00{n}-abc" for n in range(1, 8))
TASKS = "## Phase 1: Setup\n\n- [ ] T001 Write it\n"
PLAN = "vine 1.2.0\n---\n[root] Root (notstarted)\n-> a\n---\n[a] A (started)\n"


class Row(NamedTuple):
    """A refusal at each door; `None` where a door has no such thing."""

    tool: str
    arguments: dict[str, Any]
    words: tuple[str, ...] | None
    script: Callable[[chant_mcp.Workspace], object] | None
    steps: tuple[str, ...]


TABLE = (
    Row("chant_spec_get", {"id": "zzzzzzzz"}, ("show", "chant:zzzzzzzz"), None, ("list_specs",)),
    Row("chant_diagnose", {"id": "zzzzzzzz"}, ("diagnose", "zzzzzzzz"), None, ("list_specs",)),
    Row(
        "chant_log",
        {"id": PENDING},
        ("log", PENDING),
        lambda ws: ws.spec(PENDING).log(),
        ("make_log",),
    ),
    Row(
        "chant_work_start",
        {"id": CANCELLED},
        ("work", CANCELLED),
        lambda ws: ws.spec(CANCELLED).start(),
        ("edit_spec",),
    ),
    Row(
        "chant_work_start",
        {"id": BLOCKED},
        ("work", BLOCKED),
        lambda ws: ws.spec(BLOCKED).start(),
        ("list_ready",),
    ),
    Row(
        "chant_work_start",
        {"id": DRIVER},
        ("work", DRIVER),
        lambda ws: ws.spec(DRIVER).start(),
        ("add_members", "split"),
    ),
    Row("chant_work_start", {"id": ASKED}, ("work", ASKED), lambda ws: ws.spec(ASKED).start(), ("approve",)),
    Row(
        "chant_work_start",
        {"id": BARE},
        ("work", BARE),
        lambda ws: ws.spec(BARE).start(),
        ("describe_spec", "skip_criteria"),
    ),
    Row(
        "chant_takeover",
        {"id": PENDING},
        ("takeover", PENDING),
        lambda ws: ws.spec(PENDING).takeover(),
        ("force",),
    ),
    Row("chant_split", {"id": BLOCKED}, ("split", BLOCKED), lambda ws: ws.spec(BLOCKED).split(), ("force",)),
    Row(
        "chant_spec_update",
        {"id": BEGUN, "status": "completed"},
        None,
        lambda ws: ws.spec(BEGUN).update(status="completed"),
        ("tick_criteria", "force"),
    ),
    Row(
        "vine_write",
        {"file": "plan.vine", "operations": [{"op": "claim", "id": "a"}]},
        ("vine", "claim", "plan.vine", "a"),
        lambda ws: ws.vine("plan.vine").claim("a"),
        ("next_tasks", "force"),
    ),
    Row("vine_next", {"file": "no.vine"}, ("vine", "next", "no.vine"), None, ("new_vine",)),
    Row("rstn_read_spec", {"artifact": "plan"}, ("speckit", "read", "plan"), None, ("choose_feature",)),
    Row(
        "rstn_complete_task",
        {"task_id": "T001"},
        ("speckit", "complete", "T001"),
        None,
        ("choose_feature",),
    ),
)

_OF_AGENTS = re.compile(r"\b(chant|vine|rstn)_[a-z]|\b\w+_crs?\b|\w: true\b")
_OF_PEOPLE = re.compile(r"`chant-mcp |`--[a-z]|(?<![\w-])--[a-z]")
_OF_SCRIPTS = re.compile(r"\w=True|`\w+\.\w+\(|`ws\.")


@pytest.fixture
def doors(cli: Cli) -> Cli:
    """A project that refuses what the table asks for."""
    made = cli.project
    criteria = "# Log in\n\n## Acceptance Criteria\n\n- [ ] Works\n- [ ] Tested"
    made.spec(PENDING, body=criteria)
    made.spec(CANCELLED, body=criteria, status="cancelled")
    made.spec(BLOCKED, body=criteria, depends_on=[PENDING])
    made.spec(DRIVER, body=criteria, type="driver")
    made.spec(ASKED, body=criteria, approval="{required: true, status: pending}")
    made.spec(BARE, body="# Log in")
    made.spec(BEGUN, body=criteria, status="in_progress")
    (made.root / "plan.vine").write_text(PLAN, encoding="utf-8")
    feature = made.root / "specs" / "001-login"
    feature.mkdir(parents=True)
    (feature / "tasks.md").write_text(TASKS, encoding="utf-8")
    made.repository()
    return cli


def called(tools: OfferedTools, name: str, arguments: dict[str, Any]) -> ToolResult:
    """Call a tool as servers do."""
    try:
        given = tools.checked(name, arguments)
        return answer_result(tools.entries[name].run(tools.session, **given))
    except RefusedCall as refused:
        return refused.result
    except ChantError as error:
        return refusal_result(error)


def test_each_door_names_what_may_help_in_its_own_words(doors: Cli) -> None:
    root = doors.project.root
    tools = OfferedTools(Session(Place(root, (root,))), Offer(["all"]))
    workspace = chant_mcp.open(root)
    for row in TABLE:
        result = called(tools, row.tool, row.arguments)
        for_agents = "\n".join(result.texts)
        assert result.is_error, row
        sentences = re.split(r"(?<=[.;])\s|\n", for_agents)
        for sentence in filter(_OF_PEOPLE.search, sentences):
            assert "erson" in sentence, f"{row.tool}: {sentence}"
        assert not _OF_SCRIPTS.search(for_agents), for_agents
        if row.words is not None:
            for_people = doors.error(*row.words)
            assert not _OF_AGENTS.search(for_people), for_people
            assert not _OF_SCRIPTS.search(for_people), for_people
        if row.script is not None:
            with pytest.raises(ChantError) as refused:
                row.script(workspace)
            for_scripts = str(refused.value)
            assert not _OF_AGENTS.search(for_scripts), for_scripts
            assert not re.search("`--[a-z]", for_scripts), for_scripts
            assert tuple(step["step"] for step in refused.value.next_steps) == row.steps


def test_what_is_said_of_work_is_worded_for_who_asks(doors: Cli) -> None:
    doors.project.spec(CANCELLED, depends_on=["2026-01-22-009-zzz"])
    root = doors.project.root
    tools = OfferedTools(Session(Place(root, (root,))), Offer(["all"]))
    assert "depends_on with chant_spec_update" in called(tools, "chant_diagnose", {"id": CANCELLED}).texts[0]
    assert f"depends_on with `chant-mcp edit {CANCELLED}`" in doors("diagnose", CANCELLED, code=1)
    suggestion = chant_mcp.open(root).spec(CANCELLED).diagnose()["suggestion"]
    assert "depends_on with `spec.update(…)`" in suggestion
    said = doors("speckit", "complete", "T001", "--feature", "001-login")
    assert said.startswith("Task T001 is complete.\n")


def test_help_groups_commands_and_gives_each_a_line_that_fits(cli: Cli) -> None:
    text = cli("--help")
    for heading in ("Plan:", "Work:", "Decide:", "Look:", "Serve and set up:", "The four formats:"):
        assert f"\n{heading}\n" in text
    for group in ([], ["chant"], ["vine"], ["speckit"], ["tickets"], ["receipt"], ["agents"], ["worktree"]):
        listed = cli(*group, "--help").split("-h, --help")[1].splitlines()[1:]
        commands = [line for line in listed if line.startswith("  ")]
        assert len(commands) > 1, group
        assert max(map(len, listed)) <= 80
        assert not any(line.endswith("...") for line in listed), group
        if group not in (["receipt"], ["agents"], ["worktree"]):
            assert all(line.endswith(".") and line[2] != " " for line in commands), "one line each"


def test_every_command_that_is_listed_is_there() -> None:
    for listing in (PROGRAM, SPECS, VINE, SPECKIT, TICKETS):
        group = Commands("group", listing=listing)
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            assert command.name == name


def test_messages_are_wrapped_between_words() -> None:
    command, path = "`chant-mcp work 2026-01-22-001-x7m --skip-criteria`", "/a/" + "long" * 30
    said = wrapped(f"It cannot begin now: start it with {command}, or look at {path} first.\n  Indented.", 60)
    assert said.splitlines() == [
        "It cannot begin now: start it with",
        f"{command}, or look",
        "at",
        path,
        "first.",
        "  Indented.",
    ]
    assert wrapped("a  b" * 3, 80) == "a  b" * 3


def test_what_is_refused_fits_the_terminal(cli: Cli) -> None:
    cli.project.spec(BARE, body="# Log in")
    cli.project.repository()
    lines = cli.error("work", BARE).splitlines()
    assert len(lines) > 2
    assert max(map(len, lines)) <= 80
    assert any("`--skip-criteria`" in line for line in lines)


def test_dead_ends_name_the_command_that_makes_the_first_one(cli: Cli, tmp_path: Path) -> None:
    empty = tmp_path / "shop"
    empty.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(empty)
        assert "`chant-mcp init`" in cli.error("list")
        assert "`chant-mcp vine new plan.vine`" in cli.error("vine", "show", code=2)
        assert "`chant-mcp tickets init`" in " ".join(cli.error("tickets", "list").split())
        assert "spec-kit's `specify` command" in " ".join(cli.error("speckit", "tasks").split())
        assert cli("vine", "new", "plan").startswith("Made plan.vine ")
        text = (empty / "plan.vine").read_bytes()
        assert "already exists" in cli.error("vine", "new", "plan", "--id", "other")
        assert "Plan" in cli("vine", "show"), "the only file is the one meant"
        assert cli("tickets", "init").startswith("This folder is the ticket project SHOP;")
        definition = (empty / ".mdt-config.toml").read_bytes()
        assert "left as it is" in cli.error("tickets", "init", "--code", "OTHER")
        assert cli("tickets", "add", "Log in").startswith("Created SHOP-001: Log in\n")
        assert (empty / "plan.vine").read_bytes() == text
        assert (empty / ".mdt-config.toml").read_bytes() == definition
    assert cli("list") == "No specs. `chant-mcp add TEXT` creates the first one.\n"
    assert cli("ready") == "No specs are ready. `chant-mcp add TEXT` creates the first one.\n"


def test_without_a_current_feature_those_there_are_are_named(doors: Cli) -> None:
    said = " ".join(doors.error("speckit", "tasks").split())
    assert "There is one feature: 001-login. Choose it with `--feature 001-login`" in said
    assert "T001" in doors("speckit", "tasks", "--feature", "001-login")


def test_a_name_that_means_nothing_says_what_is_close(doors: Cli) -> None:
    for words, close in (
        (("show", "roott"), "vine:plan.vine#root"),
        (("show", "Rot"), "vine:plan.vine#root"),
        (("show", "Writ it"), "speckit:001-login#T001"),
        (("diagnose", "2026-01-22-001-abd"), PENDING),
        (("vine", "show", "plan.vine", "--task", "rooot"), "root"),
        (("speckit", "complete", "T010", "--feature", "001-login"), "T001"),
    ):
        assert close in doors.error(*words), words


def test_search_and_status_act_on_everything(doors: Cli) -> None:
    found = doors.json("search", "write IT")["items"]
    assert [item["key"] for item in found] == ["speckit:001-login#T001"]
    assert {item["dialect"] for item in doors.json("search", "o")["items"]} == {"chant", "vine", "speckit"}
    assert [item["id"] for item in doors.json("search", "o", "--status", "started")["items"]] == []
    text = doors("status")
    for words in ("chant", "vine", "speckit", "notstarted", "pending", "0 of 2 done"):
        assert words in text, text
    assert doors("search", "nothing like it") == "Nothing matches.\n"


def test_commands_that_serve_nothing_import_no_server(doors: Cli) -> None:
    code = """
import sys
from chant_mcp.cli import program
for words in (["--help"], ["vine", "--help"], ["list"], ["show", "a"], ["status"], ["speckit", "features"]):
    try:
        program(args=words, prog_name="chant-mcp")
    except SystemExit:
        pass
    found = {"mcp", "pydantic", "starlette", "uvicorn", "textual", "httpx", "anyio"} & set(sys.modules)
    assert not found, (words, found)
    if words[-1] == "--help":
        late = {"rich", "asyncio"} & set(sys.modules)
        assert not late, (words, late)
print("none", file=sys.stderr)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=doors.project.root, capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1:] == ["none"], done.stderr
