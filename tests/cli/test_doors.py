"""The same refusal at three doors: tools for agents, commands for people, methods for scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import chant_mcp
import pytest
from chant_mcp.errors import ChantError
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import OfferedTools, Offer, RefusedCall, ToolResult, answer_result, refusal_result
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
    Row(
        "rstn_read_spec", {"artifact": "plan"}, ("speckit", "read", "plan"), None, ("choose_feature",)
    ),
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


@pytest.mark.requirement("doors:hints:each_door_in_its_own_words")
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


@pytest.mark.requirement("doors:hints:each_door_in_its_own_words")
def test_what_is_said_of_work_is_worded_for_who_asks(doors: Cli) -> None:
    doors.project.spec(CANCELLED, depends_on=["2026-01-22-009-zzz"])
    root = doors.project.root
    tools = OfferedTools(Session(Place(root, (root,))), Offer(["all"]))
    assert "depends_on with chant_spec_update" in called(tools, "chant_diagnose", {"id": CANCELLED}).texts[0]
    assert "depends_on with an edit of its file" in doors("diagnose", CANCELLED, code=1)
    suggestion = chant_mcp.open(root).spec(CANCELLED).diagnose()["suggestion"]
    assert "depends_on with `spec.update(…)`" in suggestion
    said = doors("speckit", "complete", "T001", "--feature", "001-login")
    assert said.startswith("Task T001 is complete.\n")
