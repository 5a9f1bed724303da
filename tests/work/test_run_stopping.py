"""Runs that are stopped: paused, taken over, cancelled, reset; nothing overwrites that later."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness import Caller
from state_folder import put_record
from work.kit import ID, Record, Workshop, kill, lives, processes, wait_for
from writing import git

pytestmark = pytest.mark.anyio


async def begun(shop: Workshop, call: Caller, *behaviours: str) -> Record:
    """Start a run whose agent waits until the test ends it, and give its record."""
    shop.spec(ID, *behaviours or ("wait",))
    shop.commit()
    started = await call.data("chant_work_start", id=ID)
    shop.said(ID, "Thinking" if behaviours else "waiting")
    return shop.named(started["process_id"])


def half_done(record: Record) -> str:
    """Do what an agent might have done by now: one commit, and a file that is not committed."""
    worktree = Path(record["worktree"])
    (worktree / "half.txt").write_text("half\n", encoding="utf-8")
    git(worktree, "add", "half.txt")
    git(worktree, "commit", "-qm", f"chant({ID}): Half of it")
    (worktree / "loose.txt").write_text("loose\n", encoding="utf-8")
    return git(worktree, "rev-parse", "HEAD").strip()


def is_over(record: Record) -> None:
    """Check that nothing of a run lives."""
    assert not lives(record["pid"])
    assert not lives(record["agent"]["pid"])
    assert not processes()


# Pause


@pytest.mark.requirement(
    "chant:pause:stops_the_agent", "chant:pause:status_is_in_progress", "chant:pause:answers_with_the_id"
)
async def test_paused_work_stays_paused_and_goes_on_where_it_was(shop: Workshop, call: Caller) -> None:
    first = await begun(shop, call)
    commit = half_done(first)
    spec = shop.project.text(ID)
    assert await call.text("chant_pause", id=ID) == f"Successfully paused work for spec '{ID}'"
    is_over(first)
    paused = shop.named(first["process_id"])
    assert (paused["status"], paused["end_state"], paused["stop_requested"]) == ("failed", "paused", "pause")
    assert paused["completed_at"]
    assert shop.project.text(ID) == spec
    assert shop.project.status(ID) == "in_progress"

    shop.go(ID)
    started = await call.data("chant_work_start", id=ID)
    record = shop.ended(started["process_id"])
    assert (record["end_state"], record["attempt"]) == ("completed", 2)
    assert [record[key] for key in ("branch", "worktree", "base")] == [
        first[key] for key in ("branch", "worktree", "base")
    ]
    assert commit in record["commits"]
    assert shop.main("half.txt") == "half\n"
    assert shop.named(first["process_id"])["end_state"] == "paused", "the earlier record stays as it is"
    loose = Path(record["worktree"]) / "loose.txt"
    assert loose.read_text(encoding="utf-8") == "loose\n", "what is not committed anywhere is not removed"


@pytest.mark.requirement("chant:pause:needs_a_process")
async def test_without_a_process_there_is_nothing_to_pause(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.commit()
    with shop.nothing_begins():
        words = await call.error("chant_pause", id=ID)
    assert words == f"Failed to pause work for spec '{ID}': No running process found"


async def test_a_run_under_way_decides_about_the_status(shop: Workshop, call: Caller) -> None:
    record = await begun(shop, call)
    spec = shop.project.text(ID)
    for status in ("completed", "failed", "pending"):
        words = await call.error("chant_spec_update", id=ID, status=status, force=True)
        assert record["process_id"] in words
        assert "works on it and decides about its status" in words
        assert shop.project.text(ID) == spec
    await call.text("chant_pause", id=ID)
    is_over(record)


@pytest.mark.requirement("chant:pause:needs_a_process")
async def test_work_that_is_done_cannot_be_paused(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.commit()
    await call.data("chant_work_start", id=ID)
    before = shop.ended(ID)
    words = await call.error("chant_pause", id=ID)
    assert words == f"Failed to pause work for spec '{ID}': No running process found"
    assert shop.record(ID) == before
    assert shop.project.status(ID) == "completed"


@pytest.mark.requirement("chant:pause:stops_the_agent")
async def test_an_agent_that_is_deaf_to_being_asked_is_killed(shop: Workshop, call: Caller) -> None:
    record = await begun(shop, call, "grandchildren", "stubborn")
    await call.text("chant_pause", id=ID)
    is_over(record)
    assert shop.named(record["process_id"])["end_state"] == "paused"


@pytest.fixture
def stranger() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is none of ours."""
    # Without the test's home it does not count as left behind.
    process = subprocess.Popen(["sleep", "60"], env={})
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("tool", ["chant_pause", "chant_takeover", "chant_cancel", "chant_reset"])
async def test_a_process_that_has_the_number_of_a_dead_runner_is_not_signalled(
    shop: Workshop, call: Caller, stranger: subprocess.Popen[bytes], tool: str
) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    record = shop.started_before(ID)
    kill(record["pid"], record["agent"]["pid"])
    put_record(shop.root, {**record, "pid": stranger.pid, "agent": {**record["agent"], "pid": stranger.pid}})
    await call(tool, id=ID)
    assert stranger.poll() is None
    assert shop.named(record["process_id"])["status"] == "failed"


@pytest.mark.parametrize("tool", ["chant_pause", "chant_cancel", "chant_takeover"])
async def test_a_stop_that_meets_the_end_of_the_work_agrees_with_it(
    shop: Workshop, call: Caller, tool: str
) -> None:
    """Whichever comes first: the record, the spec and main agree, and no one calls it failed."""
    ids = [f"2026-01-22-00{number}-rce" for number in range(4)]
    for id in ids:
        shop.spec(id)
    shop.commit()
    stopped = {"chant_pause": "paused", "chant_cancel": "cancelled", "chant_takeover": "taken_over"}[tool]
    status = "cancelled" if tool == "chant_cancel" else "in_progress"
    for number, id in enumerate(ids):
        await call.data("chant_work_start", id=id)
        if number:
            shop.said(id, ["Wrote a line", "Ticked", "Committed"][number - 1])
        await call(tool, id=id)
        record = shop.ended(id)
        assert record["end_state"] in (stopped, "completed")
        is_merged = shop.main(f"work/{id}.txt") is not None
        assert is_merged == (record["end_state"] == "completed") == (record["merge"]["state"] == "merged")
        assert shop.project.status(id) == ("completed" if is_merged else status)


# Takeover


@pytest.mark.requirement("chant:takeover:stops_the_agent", "chant:takeover:answer_has_five_keys")
async def test_a_takeover_stops_the_agent_and_tells_how_far_it_is(shop: Workshop, call: Caller) -> None:
    record = await begun(shop, call)
    commit = half_done(record)
    spec = shop.project.text(ID)
    told = await call.data("chant_takeover", id=ID)
    is_over(record)
    assert shop.project.text(ID) == spec
    assert shop.project.status(ID) == "in_progress"
    assert shop.named(record["process_id"])["end_state"] == "taken_over"

    assert list(told)[:5] == ["spec_id", "analysis", "log_tail", "suggestion", "worktree_path"]
    assert (told["spec_id"], told["worktree_path"]) == (ID, record["worktree"])
    assert told["branch"] == f"chant/{ID}"
    assert told["commits"] == [f"{commit[:7]} chant({ID}): Half of it"]
    assert told["diff"] == {"files": 1, "insertions": 1, "deletions": 0}
    assert told["uncommitted"] == ["loose.txt"]
    assert told["analysis"].splitlines()[:4] == [
        f"Stopped run {record['process_id']}.",
        "0 of 2 acceptance criteria are ticked in the copy that was worked on.",
        "1 commit, 1 file changed, +1 -0 lines.",
        "Not committed: loose.txt.",
    ]
    assert "2 acceptance criteria remain: Works; Tested." in told["suggestion"]
    assert record["worktree"] in told["suggestion"]


@pytest.mark.requirement("chant:takeover:tail_has_20_lines")
async def test_the_tail_of_the_log_has_20_lines(shop: Workshop, call: Caller) -> None:
    shop.configure(
        'agents:\n  chatty:\n    command: [sh, -c, "seq 1 300; echo over; exec sleep 600"]\n',
        provider="chatty",
    )
    shop.spec(ID)
    shop.commit()
    await call.data("chant_work_start", id=ID)
    shop.said(ID, "out over")
    told = await call.data("chant_takeover", id=ID)
    tail = [line.split(" ", 1)[1] for line in told["log_tail"].splitlines()]
    said = [f"out {number}" for number in range(283, 301)]
    assert tail == [*said, "out over", "run The runner was asked to end"]


@pytest.mark.requirement(
    "chant:takeover:needs_a_process_or_force", "chant:takeover:worktree_path_may_be_null"
)
async def test_without_a_process_a_takeover_needs_force(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.commit()
    words = await call.error("chant_takeover", id=ID)
    assert words.splitlines()[0] == f"Failed to take over spec '{ID}': Spec not currently being worked"
    with shop.nothing_begins():
        told = await call.data("chant_takeover", id=ID, force=True)
    assert told["worktree_path"] is told["branch"] is told["diff"] is None
    assert told["log_tail"] == ""
    assert told["analysis"].startswith("No run of this spec is recorded.")


@pytest.mark.requirement("chant:takeover:needs_a_process_or_force")
async def test_failed_work_can_be_looked_at_with_force(shop: Workshop, call: Caller) -> None:
    shop.spec(ID, "partly")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.ended(ID)
    told = await call.data("chant_takeover", id=ID, force=True)
    assert told["worktree_path"] == record["worktree"]
    assert f"{record['process_id']}, is failed" in told["analysis"]
    assert "1 of 2 acceptance criteria are ticked in the copy that was worked on." in told["analysis"]
    assert shop.record(ID) == record


# Cancel


async def test_cancelled_work_is_stopped_and_stays_cancelled(shop: Workshop, call: Caller) -> None:
    record = await begun(shop, call)
    commit = half_done(record)
    assert (await call.text("chant_cancel", id=ID)).startswith(f"Cancelled spec: {ID}")
    is_over(record)
    assert shop.project.status(ID) == "cancelled"
    after = shop.named(record["process_id"])
    assert (after["status"], after["end_state"]) == ("failed", "cancelled")
    assert git(shop.root, "rev-parse", f"chant/{ID}").strip() == commit
    assert (Path(record["worktree"]) / "loose.txt").exists()
    listed = await call.data("chant_work_list")
    assert listed["summary"] == {"running": 0, "completed": 0, "failed": 1}
    assert shop.project.status(ID) == "cancelled"


# Reset


@pytest.mark.parametrize("tool", ["chant_reset", "chant_resume"])
async def test_a_reset_stops_work_and_keeps_all_of_it_under_a_backup(
    shop: Workshop, call: Caller, tool: str
) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    spec = shop.project.text(ID)
    started = await call.data("chant_work_start", id=ID)
    record = shop.named(started["process_id"])
    commit = half_done(record)
    words = await call.text(tool, id=ID)
    assert words.startswith(f"Reset spec '{ID}' to pending")
    backup = f"refs/chant/backup/{ID}/1"
    assert backup in words
    wait_for(lambda: not processes(), lambda: f"the end of {processes()}")
    assert shop.project.text(ID) == spec, "every trace of the run is taken back"
    assert shop.named(record["process_id"])["end_state"] == "cancelled"
    assert (shop.branches(), shop.worktrees()) == ([], [])
    assert git(shop.root, "merge-base", "--is-ancestor", commit, backup) == ""
    assert git(shop.root, "show", f"{backup}:loose.txt") == "loose\n"

    shop.go(ID)
    again = await call.data("chant_work_start", id=ID)
    assert shop.ended(again["process_id"])["end_state"] == "completed"
    assert shop.main("half.txt") is None


async def test_a_giant_in_place_of_the_spec_delays_no_takeover(shop: Workshop, call: Caller) -> None:
    """Git would read it for minutes, whoever asks: it is a sparse file, which costs the agent nothing."""
    agent = shop.root / "agent.sh"
    agent.write_text('truncate -s 64G "$CHANT_SPEC_FILE"; echo ready; exec sleep 600\n', encoding="utf-8")
    shop.configure(f"agents:\n  giant:\n    command: [sh, '{agent}']\n", provider="giant")
    shop.spec(ID)
    shop.commit()
    record = await call.data("chant_work_start", id=ID)
    shop.said(ID, "ready")
    asked = time.monotonic()
    told = await call.data("chant_takeover", id=ID)
    assert time.monotonic() - asked < 20
    assert told["uncommitted"] == [f".chant/specs/{ID}.md"]
    assert "Criteria are those of the branch: `" in told["analysis"]
    assert "larger than 32 MiB" in told["analysis"]
    wait_for(lambda: not lives(record["pid"]), "the end of the runner")
