"""Starts that are refused: the reason is reported at once, and nothing was started."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from harness import Caller, started_process
from work.kit import ID, OTHER, PROGRAM, Workshop
from writing import Wire

pytestmark = pytest.mark.anyio

Setting = Callable[[Workshop], object]

DRIVER = "2026-01-22-009-d1v"


def config(yaml: str, provider: str = "demo") -> Setting:
    """Write a configuration and a spec."""

    def set_up(shop: Workshop) -> None:
        shop.spec(ID)
        shop.configure(yaml, provider=provider)

    return set_up


def spec(*, id: str = ID, **keys: Any) -> Setting:
    """Write a spec of certain keys."""
    return lambda shop: shop.spec(id, **keys)


def both(*settings: Setting) -> Setting:
    """Set several things up."""
    return lambda shop: [setting(shop) for setting in settings]


STATES = {
    "paused": "is paused. Cannot start work on a paused spec.",
    "in_progress": "is already in progress.",
    "completed": "is already completed.",
    "cancelled": "is cancelled.",
}


@pytest.mark.parametrize("status", STATES)
async def test_a_state_forbids_the_start(shop: Workshop, call: Caller, status: str) -> None:
    shop.spec(ID, status=status)
    shop.commit()
    with shop.nothing_begins():
        words = await call.error("chant_work_start", id=ID)
    lines = words.splitlines()
    assert lines[0] == f"Spec '{ID}' {STATES[status]}"
    assert len(lines) == 2
    assert "chant_" in lines[1], "what to do next is named"


@dataclass(frozen=True)
class Refused:
    """What forbids a start, and what is said of it, line by line; `…` stands for anything."""

    set_up: Setting
    words: str


REFUSALS = {
    "approval pending": Refused(
        spec(approval="{required: true, status: pending}"),
        f"Spec '{ID}' requires approval before work can begin.",
    ),
    "approval rejected": Refused(
        spec(approval="{required: true, status: rejected, by: Grace}"),
        f"Cannot work on spec '{ID}' - it has been rejected by Grace. Address the feedback and get approval "
        "first.",
    ),
    "dependency open": Refused(
        both(spec(depends_on=[OTHER]), spec(id=OTHER)),
        f"Spec '{ID}' is blocked by dependencies: {OTHER}",
    ),
    "dependency failed": Refused(
        both(spec(depends_on=[OTHER]), spec(id=OTHER, status="failed")),
        f"Spec '{ID}' is blocked by dependencies: {OTHER}",
    ),
    "earlier sibling open": Refused(
        both(spec(id=DRIVER, type="driver"), spec(id=f"{DRIVER}.1"), spec(id=f"{DRIVER}.2")),
        f"Spec '{DRIVER}.2' is blocked by dependencies: {DRIVER}.1",
    ),
    "prompt missing": Refused(
        spec(prompt="nope"),
        f"Prompt not found: nope\nExpected .chant/prompts/nope.md, wanted by spec '{ID}'.",
    ),
    "prompt outside": Refused(spec(prompt="../config"), "Prompt not found: ../config"),
    "agent's program missing": Refused(
        config('agents:\n  ghost:\n    command: [ghost-of-chant, "{prompt}"]\n', provider="ghost"),
        "Cannot start agent 'ghost': there is no program `ghost-of-chant` on the PATH.",
    ),
    "agent unknown": Refused(
        config("", provider="nobody"), "Unknown agent 'nobody'. Known agents: aider, amp, claude, "
    ),
    "agent without a prompt": Refused(
        config("agents:\n  mute:\n    command: [cat]\n    prompt: argument\n", provider="mute"),
        "The command of agent 'mute' does not pass the prompt: expected an argument with {prompt}",
    ),
    "agent without a program": Refused(
        config("agents:\n  empty:\n    command: []\n", provider="empty"),
        "The command of agent 'empty' is empty",
    ),
    "model like an option": Refused(
        spec(model="--yes"), "'--yes' is not a valid model: it begins with a dash."
    ),
    "lint errors": Refused(spec(type="nonsense"), f"Spec '{ID}' has lint errors: "),
    "no criteria": Refused(
        spec(body="# Work\n\n- Add a\n- Add b"),
        f"Spec '{ID}' has no acceptance criteria, so nothing says when it is done.",
    ),
    "quality gate": Refused(
        spec(criteria=[f"Criterion {number} is met" for number in range(20)]),
        "(chant_add takes `criteria`, `depends_on`, `labels`, `target_files`, `type` and `parent`), or start "
        "with skip_criteria: true.",
    ),
    "check missing": Refused(
        spec(criteria=["Works <!-- check: unit -->"]),
        f"Spec '{ID}' names a check that is not configured: unit",
    ),
    "driver without members": Refused(
        spec(type="driver"),
        f"Driver spec '{ID}' has no member specs. Cannot execute an empty driver.",
    ),
    "driver whose members are done": Refused(
        both(spec(id=DRIVER, type="driver"), spec(id=f"{DRIVER}.1", status="completed")),
        f"All members of '{DRIVER}' are done, and criteria of its own are open: Works; Tested",
    ),
    "driver whose members wait": Refused(
        both(
            spec(id=DRIVER, type="driver"),
            spec(id=f"{DRIVER}.1", depends_on=[OTHER]),
            spec(id=OTHER),
        ),
        f"No member of '{DRIVER}' can be worked on now: {DRIVER}.1 (waits for {OTHER}",
    ),
    "member without criteria": Refused(
        both(spec(id=DRIVER, type="driver"), spec(id=f"{DRIVER}.1", body="# Work")),
        f"Spec '{DRIVER}.1' has no acceptance criteria",
    ),
    "main branch unknown": Refused(
        lambda shop: (
            shop.spec(ID),
            shop.project.config("defaults:\n  main_branch: trunk\n  provider: demo\n"),
        ),
        "The branch `trunk` has no commit, or does not exist",
    ),
    "configuration broken": Refused(
        config("checks:\n  unit: []\n"), "checks.unit: expected a list of a program"
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
async def test_what_forbids_a_start_is_told_and_nothing_begins(
    shop: Workshop, call: Caller, case: str
) -> None:
    refused = REFUSALS[case]
    refused.set_up(shop)
    shop.commit()
    ids = [f"{DRIVER}.2", DRIVER, ID]
    id = next(id for id in ids if shop.project.path(id).exists())
    with shop.nothing_begins():
        words = await call.error("chant_work_start", id=id)
    assert refused.words in words


@pytest.mark.parametrize("number", [0, -3])
async def test_workers_are_at_least_one(shop: Workshop, call: Caller, number: int) -> None:
    shop.spec(ID)
    shop.commit()
    with shop.nothing_begins():
        words = await call.error("chant_work_start", id=ID, parallel=number)
    assert words.startswith("Invalid parameter 'parallel': ")
    assert str(number) in words


async def test_an_id_that_is_none_or_several_specs_is_refused(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.spec(OTHER)
    shop.commit()
    with shop.nothing_begins():
        assert "nope" in await call.error("chant_work_start", id="nope")
        ambiguous = await call.error("chant_work_start", id="2026-01-22")
    assert ID in ambiguous
    assert OTHER in ambiguous


async def test_a_folder_without_git_is_refused(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    with shop.nothing_begins():
        words = await call.error("chant_work_start", id=ID)
    assert "git" in words
    assert str(shop.root) in words


async def test_a_repository_without_a_commit_is_refused(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.project.git("init", "-q", "-b", "main")
    with shop.nothing_begins():
        words = await call.error("chant_work_start", id=ID)
    assert "commit" in words


# What `skip_criteria` waives


@pytest.mark.requirement("chant:work_start:skip_criteria_skips_the_check")
async def test_without_criteria_a_commit_suffices_when_that_is_waived(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, body="# Work\n\n- Add a\n- Add b")
    shop.commit()
    started = await call.data("chant_work_start", id=ID, skip_criteria=True)
    warning = started["quality_warning"]
    assert list(warning) == ["status", "scores", "suggestions", "message"]
    assert warning["status"] == "refine"
    assert list(warning["scores"]) == [
        "complexity",
        "confidence",
        "splittability",
        "ac_quality",
        "isolation",
    ]
    assert warning["scores"]["ac_quality"] == "D"
    assert warning["suggestions"]
    assert warning["message"] == f"Spec '{ID}' does not pass the quality gate; skip_criteria waived that."
    assert shop.ended(ID)["end_state"] == "completed"


async def test_a_waived_gate_waives_no_evidence(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "nothing", body="# Work\n\n- Add a\n- Add b")
    shop.commit()
    await call.data("chant_work_start", id=ID, skip_criteria=True)
    assert shop.ended(ID)["end_state"] == "failed"
    assert shop.project.status(ID) == "failed"


async def test_what_passes_the_gate_has_no_warning(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.commit()
    started = await call.data("chant_work_start", id=ID, skip_criteria=True)
    assert "quality_warning" not in started
    shop.ended(ID)


# One run of a spec


async def test_a_spec_that_is_worked_on_is_not_begun_again(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    started = await call.data("chant_work_start", id=ID)
    before = shop.records()
    words = await call.error("chant_work_start", id=ID)
    assert words.startswith(f"Run '{started['process_id']}' (PID {started['pid']}) is working on spec '{ID}'")
    assert shop.records() == before
    assert len(shop.worktrees()) == 1
    shop.go(ID)
    assert shop.ended(ID)["end_state"] == "completed"


def test_of_two_starts_at_once_by_two_processes_exactly_one_begins(shop: Workshop) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    wires = [Wire(started_process([*PROGRAM, "mcp"], shop.root)) for _ in range(2)]
    try:
        for wire in wires:
            wire.text("chant_ready")
        at_once = threading.Barrier(2)
        answers: list[tuple[bool, str]] = []

        def start(wire: Wire) -> None:
            at_once.wait()
            answers.append(wire.call("chant_work_start", id=ID))

        threads = [threading.Thread(target=start, args=(wire,)) for wire in wires]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        for wire in wires:
            wire.process.kill()
            wire.process.communicate()
    (refusal,) = [words for is_error, words in answers if is_error]
    assert f"'{ID}'" in refusal
    assert len(shop.records()) == 1
    assert len(shop.worktrees()) == len(shop.branches()) == 1
    shop.go(ID)
    assert shop.ended(ID)["end_state"] == "completed"


async def test_different_specs_are_worked_on_at_once(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "wait")
    shop.spec(OTHER, "wait")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    await call.data("chant_work_start", id=OTHER)
    listed = await call.data("chant_work_list")
    assert [run["spec_id"] for run in listed["processes"]] == [ID, OTHER]
    assert listed["summary"] == {"running": 2, "completed": 0, "failed": 0}
    shop.go(ID, OTHER)
    assert [shop.ended(id)["end_state"] for id in (ID, OTHER)] == ["completed"] * 2


async def test_no_more_agents_are_started_than_may_work_at_once(shop: Workshop, call: Caller) -> None:
    shop.configure("limits:\n  agents_at_once: 1\n")
    shop.spec(ID, "wait")
    shop.spec(OTHER)
    shop.commit()
    await call.data("chant_work_start", id=ID)
    words = await call.error("chant_work_start", id=OTHER)
    assert words.startswith("1 agents are at work, as many as `limits.agents_at_once`")
    assert [record["spec_id"] for record in shop.records()] == [ID]
    assert shop.project.status(OTHER) == "pending"
    shop.go(ID)
    shop.ended(ID)
    await call.data("chant_work_start", id=OTHER)
    assert shop.ended(OTHER)["end_state"] == "completed"
