"""Attacks: whoever looks at a hostile clone, or has it act, leaves the world as it was.

All that lies beside the clone and in the user's home is compared before and after, and the clone itself.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import chant_mcp
import pytest
from board.showing import shown
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
    ("vine_write", {"file": "plan.vine", "operations": [{"op": "set_status", "id": "a", "status": "started"}]}),
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

PLACES = (".chant/specs", ".chant/archive", "plan.vine", "docs/CRs", "specs/060-login")
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
    """Have a server read, edit and act, and compare the world after each."""
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
    watch.nothing_changed(PLACES, state=True)
    for tool, given in ENDS:
        watch.hears(tool, ask(tool, **given))
    watch.nothing_changed(PLACES, state=True)


@pytest.mark.parametrize("attack", ALL)
@pytest.mark.requirement(
    "trust:attacks:reads_change_nothing",
    "trust:attacks:acts_change_nothing_outside",
    "trust:attacks:secrets_stay",
)
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
