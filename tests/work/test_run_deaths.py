"""Processes that die: the server, the runner, the agent; what lives on, and what is put right."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from harness import Caller
from state_folder import lock_file
from work.kit import ID, OTHER, Record, Workshop, kill, lives, processes, wait_for
from writing import git

pytestmark = pytest.mark.anyio


def begun(shop: Workshop, *behaviours: str) -> Record:
    """Have a server that is gone by now start a run, whose agent waits, and give its record."""
    shop.spec(ID, *behaviours or ("wait",))
    shop.spec(OTHER)
    shop.commit()
    record = shop.started_before(ID)
    shop.said(ID, "Thinking" if behaviours else "out waiting")
    return record


def is_lost(shop: Workshop, record: Record) -> None:
    """Check that a dead run was found, and everything of it put right."""
    after = shop.named(record["process_id"])
    assert (after["status"], after["end_state"]) == ("failed", "lost")
    assert after["reason"] == f"The runner (PID {record['pid']}) died after its agent was started"
    assert shop.project.status(ID) == "failed"
    wait_for(lambda: not processes(), lambda: f"the end of {processes()}")
    wait_for(lambda: not lock_file(shop.root, ID).exists(), "the lock of the spec to be let go")


# The server dies


def test_a_run_completes_although_its_server_is_killed(shop: Workshop) -> None:
    record = begun(shop)
    assert lives(record["pid"])
    shop.go(ID)
    after = shop.ended(record["process_id"])
    assert (after["end_state"], after["merge"]["state"]) == ("completed", "merged")
    assert shop.project.status(ID) == "completed"


async def test_a_new_server_knows_the_runs_of_an_old_one(shop: Workshop) -> None:
    record = begun(shop)
    async with shop.client() as call:
        (run,) = (await call.data("chant_work_list"))["processes"]
        assert (run["process_id"], run["status"]) == (record["process_id"], "running")
        assert await call.text("chant_pause", id=ID) == f"Successfully paused work for spec '{ID}'"
    assert not processes()
    assert shop.named(record["process_id"])["end_state"] == "paused"


# The runner dies


async def test_the_server_that_started_a_run_notices_by_itself_that_its_runner_died(
    shop: Workshop, call: Caller
) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    await call.data("chant_work_start", id=ID)
    record = shop.record(ID)
    kill(record["pid"])
    wait_for(lambda: shop.project.status(ID) == "failed", "the spec to be failed")
    wait_for(lambda: shop.named(record["process_id"])["settled_at"], "the record to be settled")
    is_lost(shop, record)


@pytest.mark.parametrize("tool", ["chant_work_list", "chant_diagnose"])
async def test_whoever_asks_about_runs_finds_a_dead_runner(shop: Workshop, call: Caller, tool: str) -> None:
    record = begun(shop)
    assert (await call.data("chant_work_list"))["summary"]["running"] == 1
    kill(record["pid"])
    assert lives(record["agent"]["pid"]), "the agent knows nothing of that"
    words = await call.text(tool, **({"id": ID} if tool == "chant_diagnose" else {"include_completed": True}))
    assert "lost" in words
    assert f"The runner (PID {record['pid']}) died after its agent was started" in words
    is_lost(shop, record)


async def test_opening_a_project_finds_a_dead_runner(shop: Workshop) -> None:
    record = begun(shop)
    kill(record["pid"])
    async with shop.client() as call:
        assert await call.data("chant_ready")
    is_lost(shop, record)


async def test_a_start_finds_a_dead_runner_and_goes_on_with_its_work(shop: Workshop, call: Caller) -> None:
    record = begun(shop)
    worktree = Path(record["worktree"])
    (worktree / "half.txt").write_text("half\n", encoding="utf-8")
    git(worktree, "add", "half.txt")
    git(worktree, "commit", "-qm", "Half")
    kill(record["pid"])
    shop.go(ID)
    started = await call.data("chant_work_start", id=ID)
    after = shop.ended(started["process_id"])
    assert (after["attempt"], after["end_state"]) == (2, "completed")
    assert after["worktree"] == record["worktree"]
    assert shop.main("half.txt") == "half\n"
    assert shop.named(record["process_id"])["end_state"] == "lost"


async def test_a_start_of_another_spec_finds_it_too(shop: Workshop, call: Caller) -> None:
    record = begun(shop)
    kill(record["pid"])
    await call.data("chant_work_start", id=OTHER)
    shop.ended(OTHER)
    is_lost(shop, record)


async def test_what_the_agent_of_a_dead_runner_left_is_ended(shop: Workshop, call: Caller) -> None:
    record = begun(shop, "grandchildren", "hang")
    kill(record["pid"], record["agent"]["pid"])
    assert shop.handle().recover() == []
    is_lost(shop, record)


async def test_a_stop_of_a_dead_run_says_that_nothing_runs(shop: Workshop, call: Caller) -> None:
    record = begun(shop)
    kill(record["pid"])
    words = await call.error("chant_pause", id=ID)
    assert words == f"Failed to pause work for spec '{ID}': No running process found"
    is_lost(shop, record)


async def test_work_that_was_done_when_the_runner_died_is_merged(shop: Workshop, call: Caller) -> None:
    record = begun(shop)
    worktree = Path(record["worktree"])
    copy = worktree / ".chant" / "specs" / f"{ID}.md"
    copy.write_text(copy.read_text(encoding="utf-8").replace("[ ]", "[x]"), encoding="utf-8")
    (worktree / "work.txt").write_text("done\n", encoding="utf-8")
    git(worktree, "add", "-A")
    git(worktree, "commit", "-qm", f"chant({ID}): Work")
    kill(record["pid"], record["agent"]["pid"])
    assert shop.handle().recover() == []
    after = shop.named(record["process_id"])
    assert (after["end_state"], after["merge"]["state"]) == ("completed", "merged")
    assert shop.project.status(ID) == "completed"
    assert shop.main("work.txt") == "done\n"


async def test_a_person_who_is_at_work_is_left_alone(shop: Workshop) -> None:
    """A status without a run is somebody's word."""
    shop.spec(ID, status="in_progress")
    shop.commit()
    async with shop.client() as new:
        await new.data("chant_ready")
    assert shop.project.status(ID) == "in_progress"


# The runner is asked to end


async def test_a_runner_that_is_told_to_end_ends_its_agent_first(shop: Workshop, call: Caller) -> None:
    """As it happens when the machine is shut down."""
    record = begun(shop)
    os.kill(record["pid"], signal.SIGTERM)
    after = shop.ended(record["process_id"])
    assert (after["end_state"], after["reason"]) == ("failed", "The runner was asked to end")
    assert not lives(record["agent"]["pid"])
    assert shop.project.status(ID) == "failed"


# The agent dies


async def test_an_agent_that_is_killed_has_failed(shop: Workshop, call: Caller) -> None:
    record = begun(shop)
    kill(record["agent"]["pid"])
    after = shop.ended(record["process_id"])
    assert (after["end_state"], after["reason"]) == ("failed", "The agent was ended by signal 9")
    assert shop.project.status(ID) == "failed"


@pytest.mark.parametrize("dies", ["agent", "runner"])
def test_what_a_killed_git_holds_in_the_worktree_is_let_go(shop: Workshop, dies: str) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    handle = shop.handle()
    handle.work_start(ID)
    shop.said(ID, "waiting")
    [worktree] = shop.worktrees()
    lock = Path(git(worktree, "rev-parse", "--absolute-git-dir").strip()) / "index.lock"
    lock.touch()
    record = shop.record(ID)
    kill(record["agent"]["pid"] if dies == "agent" else record["pid"])
    wait_for(lambda: not lock.exists(), "the lock to be let go")
    wait_for(lambda: shop.project.status(ID) == "failed", "the end")
    wait_for(lambda: not lives(record["pid"]), "the runner to go")
    handle.recover()
    shop.go(ID)
    handle.work_start(ID)
    assert shop.ended(ID)["end_state"] == "completed"
