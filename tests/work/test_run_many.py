"""Several specs by one call: chains, several at once, the members of a driver."""

from __future__ import annotations

import time

import pytest
from harness import Caller
from work.kit import FIFTH, FOURTH, ID, OTHER, THIRD, Record, Workshop, kill, lives, processes, wait_for
from writing import git

pytestmark = pytest.mark.anyio

FIVE = [ID, OTHER, THIRD, FOURTH, FIFTH]
DRIVER = "2026-01-22-009-d1v"


def at_once(records: list[Record]) -> int:
    """Count how many runs went on at once at most, by the stamps of their records."""
    begins = [(record["started_at"], 1) for record in records]
    ends = [(record["completed_at"], -1) for record in records]
    most = now = 0
    for _, change in sorted(begins + ends):
        now += change
        most = max(most, now)
    return most


def hands(shop: Workshop, parent: str) -> list[Record]:
    """Give the records of the runs below another run, in the order in which they began."""
    return [record for record in shop.records() if record["parent"] == parent]


def merges(shop: Workshop) -> list[str]:
    """Give the specs whose work was merged into main, in that order."""
    subjects = git(shop.root, "log", "--first-parent", "--format=%s", "--reverse", "main").splitlines()
    return [
        subject.split("chant/")[1].split(":")[0] for subject in subjects if subject.startswith("Merge chant/")
    ]


# Chain


@pytest.mark.requirement("chant:work_start:chain_goes_on", "chant:work_start:mode_names_the_kind")
async def test_a_chain_picks_up_what_becomes_ready_on_the_way(shop: Workshop, call: Caller) -> None:
    shop.spec(THIRD)
    shop.spec(ID, depends_on=[THIRD])
    shop.spec(OTHER, depends_on=[ID])
    shop.spec(FOURTH, status="cancelled")
    shop.commit()
    started = await call.data("chant_work_start", id=THIRD, chain=True)
    assert started["mode"] == "chain"
    record = shop.ended(started["process_id"])
    assert (record["end_state"], record["reason"]) == ("completed", "3 of 3 specs completed")
    below = hands(shop, started["process_id"])
    assert [(run["spec_id"], run["mode"], run["end_state"]) for run in below] == [
        (id, "single", "completed") for id in (THIRD, ID, OTHER)
    ]
    assert at_once(below) == 1
    assert merges(shop) == [THIRD, ID, OTHER]
    assert shop.project.status(FOURTH) == "cancelled"


@pytest.mark.requirement("chant:work_start:chain_goes_on")
async def test_a_spec_that_is_added_during_a_chain_is_worked_on(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    started = await call.data("chant_work_start", id=ID, chain=True)
    shop.said(ID, "out waiting")
    shop.spec(OTHER)
    shop.go(ID)
    record = shop.ended(started["process_id"])
    assert record["reason"] == "2 of 2 specs completed"
    assert shop.project.status(OTHER) == "completed"


async def test_a_chain_leaves_out_what_is_no_task_for_it(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.spec(OTHER, criteria=())
    shop.spec(THIRD, type="conflict")
    shop.commit()
    started = await call.data("chant_work_start", id=ID, chain=True)
    record = shop.ended(started["process_id"])
    assert record["end_state"] == "completed"
    left_out = f"left out: Spec '{OTHER}' has no acceptance criteria, so nothing says when it is done."
    assert record["reason"] == f"1 of 1 specs completed; {left_out}"
    assert {run["spec_id"] for run in hands(shop, started["process_id"])} == {ID}
    assert [shop.project.status(id) for id in (OTHER, THIRD)] == ["pending", "pending"]


async def test_a_failing_spec_is_tried_once_and_the_chain_goes_on(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "fail")
    shop.spec(OTHER)
    shop.spec(THIRD, depends_on=[ID])
    shop.commit()
    started = await call.data("chant_work_start", id=ID, chain=True)
    record = shop.ended(started["process_id"])
    below = hands(shop, started["process_id"])
    assert [(run["spec_id"], run["end_state"]) for run in below] == [(ID, "failed"), (OTHER, "completed")]
    assert record["end_state"] == "failed"
    assert record["reason"].startswith(
        f"1 of 2 specs completed; {ID}: failed (The agent ended with exit code 3"
    )
    assert shop.log(ID).count(f"Working on {ID}") == 1
    assert [shop.project.status(id) for id in (ID, OTHER, THIRD)] == ["failed", "completed", "pending"]


async def test_a_failure_of_a_configured_kind_is_tried_again_so_often(shop: Workshop, call: Caller) -> None:
    shop.configure(
        "watch:\n  failure:\n    max_retries: 2\n    retry_delay_ms: 10\n"
        '    retryable_patterns: ["was asked to fail"]\n'
    )
    shop.spec(ID, "fail")
    shop.commit()
    started = await call.data("chant_work_start", id=ID, chain=True)
    shop.ended(started["process_id"])
    below = hands(shop, started["process_id"])
    assert [run["attempt"] for run in below] == [1, 2, 3]
    assert shop.log(ID).count(f"Working on {ID}") == 3
    assert len({run["worktree"] for run in below}) == 1


@pytest.mark.parametrize("named", ["spec", "chain"])
async def test_a_pause_ends_a_chain(shop: Workshop, call: Caller, named: str) -> None:
    """Whether the spec is paused that the chain is at, or the one that it began with."""
    shop.spec(ID)
    shop.spec(OTHER, "wait")
    shop.spec(THIRD)
    shop.commit()
    started = await call.data("chant_work_start", id=ID, chain=True)
    wait_for(lambda: "out waiting" in shop.log(OTHER), "the second spec")
    id = OTHER if named == "spec" else ID
    words = await call.text("chant_pause", id=id)
    assert words.startswith(f"Successfully paused work for spec '{id}'")
    assert not processes()
    states = [(run["spec_id"], run["end_state"]) for run in hands(shop, started["process_id"])]
    assert states == [(ID, "completed"), (OTHER, "paused")]
    assert shop.named(started["process_id"])["end_state"] == "paused"
    assert [shop.project.status(id) for id in (ID, OTHER, THIRD)] == ["completed", "in_progress", "pending"]


@pytest.mark.requirement("chant:work_start:chain_goes_on")
async def test_a_chain_that_cannot_begin_with_what_was_asked_for_does_not_begin(
    shop: Workshop, call: Caller
) -> None:
    shop.spec(ID, depends_on=[OTHER])
    shop.spec(OTHER)
    shop.commit()
    with shop.nothing_begins():
        words = await call.error("chant_work_start", id=ID, chain=True)
    assert words.startswith(f"Spec '{ID}' is blocked by dependencies: {OTHER}")


# Several at once


@pytest.mark.requirement("chant:work_start:parallel_uses_n_workers", "chant:work_start:mode_names_the_kind")
async def test_three_work_at_once_until_nothing_is_left(shop: Workshop, call: Caller) -> None:
    """Five are ready; a sixth becomes so when the first is merged."""
    sixth = "2026-01-22-006-f6f"
    for id in FIVE:
        shop.spec(id, "wait")
    shop.spec(sixth, depends_on=[ID])
    shop.commit()
    started = await call.data("chant_work_start", id=ID, parallel=3)
    assert started["mode"] == "parallel(3)"
    parent = started["process_id"]
    wait_for(lambda: len(hands(shop, parent)) == 3, "three runs")
    for id in (ID, OTHER, THIRD):
        shop.said(id, "out waiting")
    assert len(hands(shop, parent)) == 3, "a fourth one waits for its turn"
    assert len(shop.worktrees()) == 3
    shop.go(*FIVE)
    record = shop.ended(parent)
    assert (record["end_state"], record["reason"]) == ("completed", "6 of 6 specs completed")
    below = hands(shop, parent)
    assert sorted(run["spec_id"] for run in below) == [*FIVE, sixth]
    assert {run["end_state"] for run in below} == {"completed"}
    assert at_once(below) == 3
    order = merges(shop)
    assert sorted(order) == [*FIVE, sixth]
    first, last = shop.record(ID), shop.record(sixth)
    # It may start while the first run still clears up; what counts is that it starts from that landing.
    assert git(shop.root, "merge-base", "--is-ancestor", first["merge"]["commit"], last["base"]) == ""
    for id in (*FIVE, sixth):
        assert shop.main(f"work/{id}.txt") == f"# Spec {id} ({id})\n"
        assert shop.project.status(id) == "completed"
    assert git(shop.root, "status", "--porcelain") == ""
    assert (shop.branches(), shop.worktrees()) == ([], [])


@pytest.mark.requirement("chant:work_start:parallel_uses_n_workers")
async def test_no_more_agents_work_at_once_than_the_configuration_allows(
    shop: Workshop, call: Caller
) -> None:
    shop.configure("limits:\n  agents_at_once: 2\n")
    for id in FIVE[:3]:
        shop.spec(id)
    shop.commit()
    started = await call.data("chant_work_start", id=ID, parallel=9)
    assert started["mode"] == "parallel(2)"
    assert shop.ended(started["process_id"])["end_state"] == "completed"
    assert at_once(hands(shop, started["process_id"])) <= 2


@pytest.mark.requirement("chant:work_start:parallel_uses_n_workers")
async def test_one_that_fails_among_several_stops_no_other(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.spec(OTHER, "crash")
    shop.spec(THIRD)
    shop.commit()
    started = await call.data("chant_work_start", id=ID, parallel=2)
    record = shop.ended(started["process_id"])
    assert (record["end_state"], record["reason"]) == (
        "failed",
        f"2 of 3 specs completed; {OTHER}: failed (The agent was ended by signal 6)",
    )
    assert [shop.project.status(id) for id in FIVE[:3]] == ["completed", "failed", "completed"]


async def test_work_on_the_same_file_is_merged_or_waits_with_a_spec_that_tells_why(
    shop: Workshop, call: Caller
) -> None:
    """Both put a line in the place of the first one."""
    shop.spec(ID, "wait", "conflict", targets=["ferry.txt"])
    shop.spec(OTHER, "wait", "conflict", targets=["ferry.txt"])
    shop.commit()
    started = await call.data("chant_work_start", id=ID, parallel=2)
    shop.said(ID, "out waiting")
    shop.said(OTHER, "out waiting")
    shop.go(ID)
    wait_for(lambda: shop.record(ID)["status"] != "running", "the first one")
    shop.go(OTHER)
    wait_for(lambda: shop.record(OTHER)["status"] != "running", "the second one")
    waiting = shop.record(OTHER)
    assert (waiting["end_state"], waiting["merge"]["state"]) == ("awaiting_merge", "waiting")
    assert waiting["merge"]["blocked_by"] == ["ferry.txt"]
    assert shop.branches() == [f"chant/{OTHER}"]
    assert shop.main("ferry.txt") == f"# Spec {ID} ({ID})\ntwo\n"
    conflicts = [
        path for path in shop.project.specs.glob("*.md") if "type: conflict" in path.read_text("utf-8")
    ]
    assert len(conflicts) == 1
    listed = await call.data("chant_spec_list")
    assert not listed.get("problems")
    assert conflicts[0].stem in [spec["id"] for spec in listed["specs"]]
    # The conflict spec is ready, so the run goes on with it; that is not what this is about.
    if shop.named(started["process_id"])["status"] == "running":
        await call("chant_pause", id=ID)


# Drivers


async def test_a_driver_works_its_members_in_order_and_is_completed(shop: Workshop, call: Caller) -> None:
    shop.spec(DRIVER, type="driver", body="# All of it")
    for number in (10, 2, 1):
        shop.spec(f"{DRIVER}.{number}")
    shop.spec(ID)
    shop.commit()
    started = await call.data("chant_work_start", id=DRIVER)
    assert (started["spec_id"], started["mode"]) == (DRIVER, "single")
    record = shop.ended(started["process_id"])
    assert (record["end_state"], record["reason"]) == ("completed", "3 of 3 specs completed")
    below = hands(shop, started["process_id"])
    assert [run["spec_id"] for run in below] == [f"{DRIVER}.{number}" for number in (1, 2, 10)]
    assert shop.project.status(DRIVER) == "completed"
    assert shop.project.status(ID) == "pending", "nothing but members is worked on"


async def test_a_driver_whose_member_fails_stays_open(shop: Workshop, call: Caller) -> None:
    shop.spec(DRIVER, type="driver", body="# All of it")
    shop.spec(f"{DRIVER}.1")
    shop.spec(f"{DRIVER}.2", "fail")
    shop.spec(f"{DRIVER}.3")
    shop.commit()
    started = await call.data("chant_work_start", id=DRIVER)
    record = shop.ended(started["process_id"])
    assert record["end_state"] == "failed"
    assert f"{DRIVER}.2: failed" in record["reason"]
    members = [shop.project.status(f"{DRIVER}.{number}") for number in (1, 2, 3)]
    assert members == ["completed", "failed", "pending"], "the third one waits for the second"
    assert shop.project.status(DRIVER) == "in_progress"


# The run above dies


async def test_a_run_below_goes_on_when_the_one_above_is_killed(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "wait")
    shop.spec(OTHER)
    shop.commit()
    started = await call.data("chant_work_start", id=ID, chain=True)
    shop.said(ID, "out waiting")
    kill(started["pid"])
    (run,) = hands(shop, started["process_id"])
    assert lives(run["pid"])
    shop.go(ID)
    assert shop.ended(run["process_id"])["end_state"] == "completed"
    assert shop.handle().recover() == []
    assert shop.named(started["process_id"])["end_state"] == "lost"
    assert shop.project.status(OTHER) == "pending"


# Ends


@pytest.mark.parametrize("kind", ["own criteria", "a member that waits"])
async def test_members_that_are_done_do_not_make_an_open_driver_completed(
    shop: Workshop, call: Caller, kind: str
) -> None:
    own = "# All of it\n\n## Acceptance Criteria\n\n- [ ] All of it works"
    shop.spec(DRIVER, type="driver", body=own if kind == "own criteria" else "# All of it")
    shop.spec(f"{DRIVER}.1")
    if kind == "a member that waits":
        shop.spec(ID)
        shop.spec(f"{DRIVER}.2", depends_on=[ID])
    shop.commit()
    started = await call.data("chant_work_start", id=DRIVER)
    record = shop.ended(started["process_id"])
    assert (record["end_state"], shop.project.status(DRIVER)) == ("needs_attention", "in_progress")
    why = {
        "own criteria": "criteria of its own are open: All of it works; tick those that hold, "
        "then finalize it",
        "a member that waits": f"members are open: {DRIVER}.2",
    }[kind]
    assert record["reason"] == f"1 of 1 specs completed; {DRIVER}: {why}"
    if kind == "own criteria":
        words = await call.error("chant_work_start", id=DRIVER)
        assert words.startswith(
            f"All members of '{DRIVER}' are done, and criteria of its own are open: All of it"
        )
        await call.text("chant_spec_update", id=DRIVER, check=["All of it works"])
        await call.text("chant_finalize", id=DRIVER)
        assert shop.project.status(DRIVER) == "completed"


STOPPED = {"chant_pause": "paused", "chant_takeover": "taken_over", "chant_cancel": "cancelled"}
"""What is said of a run that a tool stopped."""


@pytest.mark.parametrize("tool", STOPPED)
async def test_what_was_stopped_among_several_makes_none_fail(
    shop: Workshop, call: Caller, tool: str
) -> None:
    shop.spec(ID)
    shop.spec(OTHER, "wait")
    shop.commit()
    started = await call.data("chant_work_start", id=ID, parallel=2)
    shop.said(OTHER, "out waiting")
    await call(tool, id=OTHER)
    record = shop.ended(started["process_id"])
    end = "completed" if tool == "chant_cancel" else "paused"
    assert (record["end_state"], record["reason"]) == (
        end,
        f"1 of 2 specs completed; {OTHER}: {STOPPED[tool]}",
    )


@pytest.mark.parametrize("asked", [{"chain": True}, {"parallel": 2}], ids=str)
async def test_a_pause_that_meets_the_start_of_a_spec_makes_none_fail(
    shop: Workshop, call: Caller, asked: dict[str, object]
) -> None:
    """The second spec is still having its folder made, which a filter holds up."""
    shop.spec(ID)
    shop.spec(OTHER)
    (shop.root / ".gitattributes").write_text("ferry.txt filter=held\n", encoding="utf-8")
    shop.commit()
    reached = shop.root / ".git" / "reached"
    held = f'case "$PWD" in *{OTHER}*) touch {reached}; sleep 30 ;; esac; cat'
    git(shop.root, "config", "filter.held.smudge", held)
    started = await call.data("chant_work_start", id=ID, **asked)
    wait_for(reached.exists, "the start of the second spec")
    begun = time.monotonic()
    await call.text("chant_pause", id=OTHER)
    assert time.monotonic() - begun < 25, "who waits for the start hears of its end at once"
    assert shop.ended(started["process_id"])["end_state"] == "paused"
    assert sorted(run["end_state"] for run in shop.records()) == ["completed", "paused", "paused"]
    assert [shop.project.status(id) for id in (ID, OTHER)] == ["completed", "pending"]
    git(shop.root, "config", "--unset", "filter.held.smudge")
    again = await call.data("chant_work_start", id=OTHER)
    assert shop.ended(again["process_id"])["end_state"] == "completed"
