"""Attacks: looking at a hostile clone, or having it act, leaves the world as it was.

All that lies beside the clone and in the user's home is compared before and after, and the clone itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import chant_mcp
import pytest
from board.showing import shown
from chant_mcp import errors
from cli.kit import Cli
from harness import started_process, user_config
from server.over_http import enveloped, modern_headers, started
from server.pipes import call
from trust.attacks import ATTACKS, Attack
from trust.clones import NEXT, SPEC, Clone, Watch, settled, template, watched
from writing import Wire

ALL = [pytest.param(attack, id=name) for name, attack in ATTACKS.items()]
FORGED = [pytest.param(attack, id=name) for name, attack in ATTACKS.items() if attack.is_forged]
WORST = [pytest.param(attack, id=name) for name, attack in ATTACKS.items() if attack.is_dangerous]
SOME = [
    pytest.param(ATTACKS[name], id=name)
    for name in (
        "a_worktree_beside_the_clone",
        "a_runner_that_is_innocent",
        "a_state_of_this_very_user",
        "a_git_file_to_the_neighbour",
        "a_worktree_that_git_alone_reads",
        "variables_for_a_new_spec",
        "other_repositories",
    )
]
"""Those that are tried where a try costs seconds."""

READS: list[tuple[str, dict[str, Any]]] = [
    ("chant_status", {"include_activity": True}),
    ("chant_spec_list", {}),
    ("chant_spec_get", {"id": SPEC}),
    ("chant_spec_get", {"id": NEXT}),
    ("chant_ready", {}),
    ("chant_log", {"id": SPEC}),
    ("chant_log", {"id": NEXT}),
    ("chant_search", {"query": "o"}),
    ("chant_diagnose", {"id": SPEC}),
    ("chant_diagnose", {"id": NEXT}),
    ("chant_lint", {}),
    ("chant_verify", {"id": SPEC}),
    ("chant_work_list", {"include_completed": True}),
    ("chant_watch_status", {}),
    ("vine_read", {"file": "plan.vine", "action": "list"}),
    ("vine_read", {"file": "plan.vine", "action": "refs"}),
    ("vine_read", {"file": "plan.vine", "action": "validate"}),
    ("vine_next", {"file": "plan.vine"}),
    ("rstn_get_context", {}),
    ("rstn_read_spec", {"artifact": "spec"}),
    ("rstn_read_spec", {"artifact": "tasks"}),
    ("list_projects", {}),
    ("get_project_info", {"key": "FER"}),
    ("list_crs", {"project": "FER"}),
    ("get_cr", {"project": "FER", "key": "FER-001"}),
    ("get_cr", {"project": "FER", "key": "FER-009"}),
    ("suggest_cr_improvements", {"project": "FER", "key": "FER-001"}),
]
"""Calls of every tool that reads."""

EDITS: list[tuple[str, dict[str, Any]]] = [
    ("chant_add", {"description": "Another"}),
    ("chant_spec_update", {"id": NEXT, "output": "Text"}),
    (
        "vine_write",
        {"file": "plan.vine", "operations": [{"op": "set_status", "id": "a", "status": "started"}]},
    ),
    ("vine_expand", {"file": "plan.vine", "ref_id": "b"}),
    ("create_cr", {"project": "FER", "type": "Research", "data": {"title": "New"}}),
    ("update_cr_attrs", {"project": "FER", "key": "FER-009", "attributes": {"assignee": "eve"}}),
    ("manage_cr_sections", {"project": "FER", "key": "FER-001", "operation": "list"}),
]
"""Calls of tools that change documents."""

STARTS: list[tuple[str, dict[str, Any]]] = [
    ("chant_work_start", {"id": SPEC}),
    ("chant_work_start", {"id": NEXT, "skip_criteria": True}),
    ("chant_work_start", {"id": NEXT, "chain": True}),
    ("chant_split", {"id": NEXT, "force": True}),
    ("chant_watch_start", {}),
]
"""Calls that would have programs run: always refused."""

ENDS: list[tuple[str, dict[str, Any]]] = [
    ("rstn_complete_task", {"task_id": "T001"}),
    ("chant_watch_stop", {}),
    ("chant_takeover", {"id": SPEC, "force": True}),
    ("chant_pause", {"id": SPEC}),
    ("chant_finalize", {"id": SPEC, "force": True}),
    ("chant_resume", {"id": SPEC}),
    ("chant_cancel", {"id": SPEC}),
    ("chant_reset", {"id": NEXT}),
    ("chant_archive", {"id": "2026-01-22-003-b2q"}),
    ("delete_cr", {"project": "FER", "key": "FER-009"}),
    ("rstn_report_status", {"status": "completed"}),
]
"""Calls that end work or take documents away: of the clone's documents alone."""

PLACES = (".chant/specs", ".chant/archive", "plan.vine", "docs/CRs", ".mdt-next", "specs/060-login")
"""Where a clone's documents may change when somebody edits them."""


@pytest.fixture
def clone(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clone]:
    """A clone, harmless as yet, beside what belongs to the user."""
    with settled(tmp_path, template(tmp_path_factory.getbasetemp() / "world-of-a-clone")) as clone:
        yield clone


Ask = Callable[..., tuple[bool, str]]


@pytest.fixture
def arm(clone: Clone, monkeypatch: pytest.MonkeyPatch) -> Callable[[Attack], Watch]:
    """Make the clone hostile, and take down the world."""
    for name in ("AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, clone.environment[name])

    def armed(attack: Attack) -> Watch:
        attack.act(clone)
        return watched(clone)

    return armed


def _all_calls(ask: Ask, watch: Watch) -> None:
    """Have a server read, edit and act, and compare the world."""
    for tool, given in READS:
        watch.hears(tool, ask(tool, **given))
    watch.nothing_changed()
    for tool, given in EDITS:
        watch.hears(tool, ask(tool, **given))
    watch.nothing_changed(PLACES, state=True)
    for tool, given in STARTS:
        is_error, text = ask(tool, **given)
        watch.hears(text)
        assert is_error, (tool, given, text)
    for tool, given in ENDS:
        watch.hears(tool, ask(tool, **given))
    watch.nothing_changed(PLACES, state=True)


@pytest.mark.parametrize("attack", ALL)
def test_a_server_of_a_hostile_clone_changes_nothing_outside(
    attack: Attack, clone: Clone, arm: Callable[[Attack], Watch]
) -> None:
    watch = arm(attack)
    words = [sys.executable, "-m", "chant_mcp", "--toolsets", "all", "mcp"]
    server = started_process(words, clone.root)
    try:
        _all_calls(Wire(server).call, watch)
    finally:
        server.kill()
        server.communicate()


@pytest.mark.parametrize("attack", SOME)
def test_a_server_over_http_changes_nothing_outside(
    attack: Attack, clone: Clone, arm: Callable[[Attack], Watch]
) -> None:
    watch = arm(attack)
    server = started(clone.root, "--no-auth", "--toolsets", "all")

    def ask(tool: str, /, **given: Any) -> tuple[bool, str]:
        message = enveloped(call(1, tool, **given))
        result = server.answer(message, **modern_headers(message))["result"]
        return result.get("isError", False), json.dumps(result)

    try:
        _all_calls(ask, watch)
    finally:
        server.discard()


READING_COMMANDS = [
    ["list"],
    ["status"],
    ["ready"],
    ["show", f"spec:{SPEC}"],
    ["search", "o"],
    ["runs", "--all"],
    ["diagnose", SPEC],
    ["diagnose", NEXT],
    ["log", SPEC],
    ["doctor"],
    ["lint"],
    ["verify", SPEC],
    ["graph"],
    ["export"],
    ["worktree", "list"],
    ["trust", "--show"],
    ["speckit", "tasks"],
    ["speckit", "questions"],
    ["tickets", "list"],
    ["vine", "show", "plan.vine"],
]
ACTING_COMMANDS = [
    ["work", SPEC],
    ["work", NEXT],
    ["split", NEXT],
    ["merge"],
    ["merge", SPEC],
    ["watch", "--once"],
    ["worktree", "prune"],
]
ENDING_COMMANDS = [
    ["trust"],
    ["approve", SPEC],
    ["takeover", SPEC],
    ["speckit", "complete", "T001"],
    ["finalize", SPEC],
    ["cancel", SPEC],
    ["reset", NEXT],
    ["archive", "2026-01-22-003-b2q"],
]


@pytest.mark.parametrize("attack", WORST)
def test_commands_change_nothing_outside(
    attack: Attack, clone: Clone, arm: Callable[[Attack], Watch], monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = arm(attack)
    monkeypatch.chdir(clone.root)
    run = Cli(clone.project).run
    for words in READING_COMMANDS:
        result = run(*words)
        if words != ["trust", "--show"]:  # a person is shown what variables and places are asked for
            watch.hears(words, result.output)
    watch.nothing_changed()
    for words in ACTING_COMMANDS:
        result = run(*words)
        watch.hears(words, result.output)
        assert result.exit_code in REFUSED, (words, result.output)
    watch.nothing_changed(state=True)
    for words in ENDING_COMMANDS:
        watch.hears(words, run(*words).output)
    watch.nothing_changed(PLACES, state=True)


REFUSED = (1, 2)
"""Not trusted; or there is nothing of that name at all."""


@pytest.mark.parametrize("attack", WORST)
def test_scripts_change_nothing_outside(attack: Attack, clone: Clone, arm: Callable[[Attack], Watch]) -> None:
    watch = arm(attack)
    ws = chant_mcp.open(clone.root, environment=clone.environment, exactly=True)
    reads: list[Callable[[], object]] = [
        lambda: [(item.key, item.title, item.status, item.waits_for) for item in ws.items],
        lambda: [item.body for item in ws.items],
        lambda: [str(item) for item in ws.ready],
        lambda: [str(vine) for vine in ws.vines],
        lambda: [str(feature) for feature in ws.features],
        lambda: ws.status(include_activity=True),
        lambda: ws.runs(include_completed=True),
        ws.watch_status,
        ws.ticket_projects,
        ws.context,
        ws.lint,
        lambda: ws.graph().layers(),
        lambda: ws.problems,
        lambda: list(ws.export()),
    ]
    for read in reads:
        with suppress(errors.ChantError):
            watch.hears(read())
    watch.nothing_changed()
    for act in (lambda: ws.spec(SPEC).start(), lambda: ws.spec(NEXT).split(), ws.watch_start):
        with pytest.raises(errors.ChantError) as refused:
            act()
        watch.hears(refused.value)
    watch.nothing_changed(state=True)


@pytest.mark.anyio
@pytest.mark.parametrize("attack", SOME)
async def test_the_board_changes_nothing_outside(
    attack: Attack, clone: Clone, arm: Callable[[Attack], Watch]
) -> None:
    watch = arm(attack)
    async with shown(clone.root) as board:
        for keys in (("2",), ("3",), ("4", "x"), ("5",)):
            await board.press(*keys)
            watch.hears(board.text)
    watch.nothing_changed(state=True)


@pytest.mark.parametrize("attack", FORGED)
def test_a_trusted_folder_believes_nothing_that_is_forged(
    attack: Attack, clone: Clone, arm: Callable[[Attack], Watch], monkeypatch: pytest.MonkeyPatch
) -> None:
    roots = [str(clone.neighbour), str(clone.root)]
    user_config().write_text(f"---\ntrust: {{roots: {roots}}}\n---\n", encoding="utf-8")
    watch = arm(attack)
    monkeypatch.chdir(clone.root)
    run = Cli(clone.project).run
    for words in (["status"], ["runs", "--all"], ["diagnose", SPEC], ["worktree", "list"]):
        watch.hears(words, run(*words).output)
    for words in (["watch", "--once"], ["merge"], ["worktree", "prune"], ["status"]):
        watch.hears(words, run(*words).output)
    watch.nothing_changed([".chant/logs/watch.log"], state=True)  # what the watch says of itself
