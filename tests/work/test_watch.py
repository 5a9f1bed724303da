"""The daemon that watches over runs: one a project, woken by what happens, gone when it is asked to end."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chant_mcp.errors import ChantError
from state_folder import lock_file, part, put_private, put_record, record_file, state_folder
from work.kit import ID, OTHER, PROGRAM, Workshop, kill, lives, wait_for
from writing import STRANGE_SIGNS, git, strange_sign

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio

OLD = {
    "schema": 1,
    "spec_id": OTHER,
    "status": "failed",
    "end_state": "failed",
    "mode": "single",
    "generation": 1,
    "started_at": "2026-01-22T10:00:00.000Z",
    "updated_at": "2026-01-22T10:00:00.000Z",
}
"""The record of a run that ended."""

NEVER = "watch: {poll_interval_ms: 3600000}\n"
"""Settings with which only events wake the daemon up."""


def watcher(shop: Workshop) -> int:
    """Give the number of the daemon's process."""
    return int(pid_file(shop).read_text("utf-8").split()[0])


def pid_file(shop: Workshop) -> Path:
    """Say where the daemon's process is named."""
    folder = state_folder(shop.root) / "watch" / "main"
    return folder / "_.pid"


def watch_log(shop: Workshop) -> str:
    path = shop.root / ".chant" / "logs" / "watch.log"
    return path.read_text("utf-8") if path.exists() else ""


def started_elsewhere(shop: Workshop, id: str) -> int:
    """Have another process start a run and end; give the runner's number."""
    script = (
        "import json, os, sys\nfrom pathlib import Path\nfrom chant_mcp import ChantProject, resources\n"
        "prompts = Path(resources.__file__).parent / 'prompts'\n"
        "given = {'environment': dict(os.environ), 'program': [sys.executable, '-m', 'chant_mcp']}\n"
        "given['user_config'] = Path(os.environ['XDG_CONFIG_HOME'], 'chant', 'config.md')\n"
        "project = ChantProject(sys.argv[1], prompts=prompts, **given)\n"
        "print(project.work_start(sys.argv[2]).data['pid'])\n"
    )
    command = [sys.executable, "-c", script, str(shop.root), id]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@pytest.mark.requirement(
    "chant:watch_start:spawns_watch",
    "chant:watch_start:already_running_is_refused",
    "chant:watch_stop:sends_the_signal",
    "chant:watch_stop:not_running_is_refused",
    "chant:watch_stop:shutdown_is_graceful",
    "chant:watch_status:answer_has_three_keys",
)
async def test_watch_starts_stops_and_starts_again(shop: Workshop, call: Caller) -> None:
    shop.spec(ID)
    shop.commit()
    assert await call.error("chant_watch_stop") == "Watch is not running"
    for _ in range(2):
        said = await call.text("chant_watch_start")
        pid = watcher(shop)
        assert said == f"Started watch process (PID: {pid})"
        assert lives(pid)
        assert await call.error("chant_watch_start") == "Watch is already running"
        status = await call.data("chant_watch_status")
        assert status == {"watch_running": True, "worktrees": [], "worktree_count": 0}
        assert await call.text("chant_watch_stop") == f"Sent stop signal to watch process (PID: {pid})"
        assert not lives(pid), "the answer comes when it has ended"
        assert not pid_file(shop).exists()
        assert (await call.data("chant_watch_status"))["watch_running"] is False
    assert [line.split(" ", 1)[1] for line in watch_log(shop).splitlines()] == [
        "Watching",
        "Asked to end",
    ] * 2


async def test_a_run_that_begins_and_ends_between_two_looks_is_reported(shop: Workshop, call: Caller) -> None:
    shop.configure(NEVER)
    shop.spec(ID, "fail")
    shop.commit()
    await call.text("chant_watch_start")
    os.kill(watcher(shop), signal.SIGSTOP)
    await call.text("chant_work_start", id=ID)
    run = shop.ended(ID)["process_id"]
    os.kill(watcher(shop), signal.SIGCONT)
    wait_for(lambda: f" Run {run} is failed: " in watch_log(shop), "the daemon to report it")
    await call.text("chant_watch_stop")
    assert watch_log(shop).count(f" Run {run} is ") == 1


@pytest.mark.requirement("chant:watch_start:spawns_watch")
async def test_one_that_was_killed_is_not_taken_for_running(shop: Workshop, call: Caller) -> None:
    shop.commit()
    await call.text("chant_watch_start")
    kill(watcher(shop))
    assert (await call.data("chant_watch_status"))["watch_running"] is False
    assert await call.error("chant_watch_stop") == "Watch is not running"
    await call.text("chant_watch_start")
    await call.text("chant_watch_stop")


@pytest.mark.requirement("chant:watch_start:already_running_is_refused")
def test_of_two_starts_at_once_one_watches(shop: Workshop) -> None:
    shop.commit()
    command = [*PROGRAM, "--project", str(shop.root), "watch", "--background"]
    options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(command, **options) for _ in range(2)]  # type: ignore[call-overload]
    told = [process.communicate()[1] for process in both]
    assert sorted(process.returncode for process in both) == [0, 1]
    assert any("Watch is already running" in words for words in told)
    assert lives(watcher(shop))
    shop.handle().watch_stop()


@pytest.mark.requirement("chant:watch_stop:not_running_is_refused")
def test_a_stranger_in_the_pid_file_is_never_signalled(shop: Workshop) -> None:
    shop.commit()
    stranger = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        (shop.root / ".chant" / "watch.pid").write_text(f"{stranger.pid}\n", encoding="utf-8")
        handle = shop.handle()
        assert handle.watch_status().data["watch_running"] is False
        with pytest.raises(ChantError, match="Watch is not running"):
            handle.watch_stop()
        assert stranger.poll() is None
        part(shop.root, "watch")
        pid_file(shop).write_text(f"{stranger.pid}\n", encoding="utf-8")
        assert handle.watch_status().data["watch_running"] is False
        handle.watch_start()
        assert watcher(shop) != stranger.pid
        handle.watch_stop()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.communicate()


@pytest.mark.requirement("chant:watch_stop:shutdown_is_graceful")
@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_it_ends_well_when_told_by_a_signal(shop: Workshop, sign: signal.Signals) -> None:
    shop.commit()
    process = subprocess.Popen([*PROGRAM, "--project", str(shop.root), "watch"], stdout=subprocess.PIPE)
    wait_for(lambda: "Watching" in watch_log(shop), "the daemon")
    process.send_signal(sign)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    assert output.decode().splitlines() == ["Watching", "Asked to end"]
    assert not pid_file(shop).exists()


@pytest.mark.requirement(
    "chant:watch_status:worktree_has_six_keys", "chant:watch_status:status_is_one_of_four"
)
async def test_a_runner_that_dies_is_noticed_by_an_event(shop: Workshop, call: Caller) -> None:
    shop.configure(NEVER)
    shop.spec(ID, "hang")
    shop.commit()
    await call.text("chant_watch_start")
    runner = started_elsewhere(shop, ID)
    [worktree] = (await call.data("chant_watch_status"))["worktrees"]
    assert list(worktree) == ["spec_id", "path", "status", "updated_at", "error", "commits"]
    assert (worktree["spec_id"], worktree["status"]) == (ID, "working")
    assert (worktree["error"], worktree["commits"]) == (None, [])
    agent = shop.record(ID)["agent"]["pid"]
    kill(runner)
    wait_for(lambda: shop.project.status(ID) == "failed", "the spec that failed")
    record = shop.record(ID)
    assert record["end_state"] == "lost"
    assert not lives(agent)
    lock = lock_file(shop.root, ID)
    wait_for(lambda: not lock.exists(), "the lock to be let go")
    [worktree] = (await call.data("chant_watch_status"))["worktrees"]
    assert worktree["status"] == "failed"
    assert worktree["error"].startswith("lost: The runner")
    wait_for(lambda: f"Run {record['process_id']} is lost" in watch_log(shop), lambda: watch_log(shop))
    await call.text("chant_watch_stop")


def test_work_that_waited_is_merged_when_its_hindrance_is_gone(shop: Workshop) -> None:
    shop.configure("watch: {poll_interval_ms: 50}\n")
    shop.spec(ID)
    shop.commit()
    mine = shop.root / "work" / f"{ID}.txt"
    mine.parent.mkdir()
    mine.write_text("mine\n", encoding="utf-8")
    handle = shop.handle()
    handle.work_start(ID)
    assert shop.ended(ID)["end_state"] == "awaiting_merge"
    [worktree] = handle.watch_status().data["worktrees"]
    assert worktree["status"] == "done"
    handle.watch_start()
    assert mine.read_text("utf-8") == "mine\n"
    mine.unlink()
    wait_for(lambda: shop.project.status(ID) == "completed", "the merge")
    handle.watch_stop()
    assert shop.record(ID)["end_state"] == "completed"
    assert "# Spec" in mine.read_text("utf-8")


def test_failed_work_is_tried_again_as_configured(shop: Workshop) -> None:
    shop.configure(
        "watch:\n  idle_timeout_minutes: 0\n"
        "  failure:\n    {max_retries: 2, retry_delay_ms: 200, backoff_multiplier: 2,\n"
        "     retryable_patterns: [asked to fail]}\n"
    )
    shop.spec(ID, "fail")
    shop.spec(OTHER, "crash")
    shop.commit()
    handle = shop.handle()
    for id in (ID, OTHER):
        handle.work_start(id)
        shop.ended(id)
    handle.watch()
    tries = [record for record in shop.records() if record["spec_id"] == ID]
    assert [record["attempt"] for record in tries] == [1, 2, 3]
    assert {record["end_state"] for record in tries} == {"failed"}
    waits = [
        (parse(later["started_at"]) - parse(earlier["completed_at"]))
        for earlier, later in itertools.pairwise(tries)
    ]
    assert waits[0] >= 0.2
    assert waits[1] >= 0.4
    others = [record for record in shop.records() if record["spec_id"] == OTHER]
    assert len(others) == 1, "its log tells nothing that is worth another try"


def parse(stamp: str) -> float:
    """Give a moment of a record in seconds."""
    from datetime import datetime

    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def test_it_ends_when_there_is_nothing_to_do(shop: Workshop) -> None:
    shop.configure("watch: {idle_timeout_minutes: 0}\n")
    shop.commit()
    told: list[str] = []
    shop.handle().watch(tell=told.append)
    assert told == ["Watching", "Nothing to do, so this ends"]


def test_once_clears_what_the_dead_left_and_spares_work_by_hand(shop: Workshop) -> None:
    shop.spec(ID, status="in_progress")
    shop.spec(OTHER)
    shop.commit()
    stale = lock_file(shop.root, OTHER)
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    stale.write_text(f"{dead.pid}\n", encoding="utf-8")
    strange = [strange_sign(shop.root, sign, OTHER, dead.pid) for sign in STRANGE_SIGNS]
    put_record(shop.root, {**OLD, "process_id": f"{OTHER}-{dead.pid}", "pid": dead.pid})
    past = time.time() - 3600
    os.utime(stale, (past, past))
    before = shop.project.path(ID).read_bytes()
    done = subprocess.run([*PROGRAM, "--project", str(shop.root), "watch", "--once"], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert not stale.exists()
    assert all(path.exists() for path in strange)
    assert shop.project.path(ID).read_bytes() == before
    assert not pid_file(shop).exists()


def test_once_removes_the_worktree_of_work_that_was_merged_by_hand(shop: Workshop) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    handle = shop.handle()
    handle.work_start(ID)
    shop.said(ID, "waiting")
    handle.cancel(ID)
    [worktree] = shop.worktrees()
    (worktree / "more.txt").write_text("by hand\n", encoding="utf-8")
    handle.watch(once=True)
    assert shop.worktrees() == [worktree], "it holds something"
    git(worktree, "add", "more.txt")
    git(worktree, "commit", "-q", "-m", "By hand")
    handle.watch(once=True)
    assert shop.worktrees() == [worktree], "it holds a commit that main has not"
    git(shop.root, "merge", "-q", "-m", "By hand", f"chant/{ID}")
    handle.watch(once=True)
    assert shop.worktrees() == []


def test_each_worktree_is_looked_into_as_often_however_many_there_are(
    shop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    handle = shop.handle()
    handle.work_start(ID)
    shop.said(ID, "waiting")
    handle.cancel(ID)
    [worktree] = shop.worktrees()
    for number in range(4):
        name = f"2026-01-22-10{number}-x7m"
        copy = shutil.copytree(worktree, worktree.with_name(name), symlinks=True)
        git(copy, "checkout", "-q", "-B", f"chant/{name}", git(shop.root, "rev-parse", "main").strip())
        git(copy, "branch", "-qD", f"chant/{ID}")
        git(shop.root, "branch", "-q", f"chant/{name}", "main")
        mark = json.dumps({"run": f"{name}-1", "spec": name})
        put_private(worktree.with_name(f"{name}.run.json"), mark)
    calls = tmp_path / "calls"
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(
        f'#!/bin/sh\necho "$*" >> {calls}\nexec {shutil.which("git")} "$@"\n', encoding="utf-8"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    shop.handle().watch(once=True)
    assert shop.worktrees() == []
    looks = [
        line.split(" status ")[0] for line in calls.read_text("utf-8").splitlines() if " status " in line
    ]
    counts = Counter(looks)
    assert len(counts) == 5
    assert max(counts.values()) <= 3, counts


def forgotten(shop: Workshop, *behaviours: str) -> Path:
    """Leave a worktree whose run died and is not recorded any more; give its folder."""
    shop.spec(ID, *behaviours)
    shop.commit()
    record = shop.started_before(ID)
    shop.said(ID, "waiting" if "wait" in behaviours else "Thinking")
    kill(record["pid"], record["agent"]["pid"])
    record_file(shop.root, record["process_id"]).unlink()
    (shop.root / ".chant" / "processes" / f"{record['process_id']}.json").unlink()
    [worktree] = shop.worktrees()
    return worktree


def test_once_removes_a_worktree_that_was_only_begun_and_that_no_run_is_recorded_of(shop: Workshop) -> None:
    worktree = forgotten(shop, "wait")
    tip = git(shop.root, "rev-parse", f"chant/{ID}").strip()
    shop.handle().watch(once=True)
    assert not worktree.exists()
    assert (shop.worktrees(), shop.branches()) == ([], [])
    kept = git(shop.root, "for-each-ref", "--contains", tip, "refs/chant/backup")
    assert kept, "even that commit can be had back"


@pytest.mark.parametrize("what", ["file", "commit", "more bookkeeping", "untracked spec"])
def test_a_worktree_without_a_record_stays_when_anybody_could_miss_it(shop: Workshop, what: str) -> None:
    if what == "untracked spec":
        (shop.root / ".gitignore").write_text(".chant/specs/\n", encoding="utf-8")
    worktree = forgotten(shop, "wait")
    if what == "file":
        (worktree / "more.txt").write_text("mine\n", encoding="utf-8")
    elif what == "commit":
        git(worktree, "commit", "-q", "--allow-empty", "-m", "Mine")
    elif what == "more bookkeeping":
        (worktree / "more.txt").write_text("mine\n", encoding="utf-8")
        git(worktree, "add", "more.txt")
        git(worktree, "commit", "-q", "-m", "Kept\n\nChant-Bookkeeping: true")
    tip = git(worktree, "rev-parse", "HEAD")
    shop.handle().watch(once=True)
    assert worktree.exists()
    assert git(shop.root, "rev-parse", f"chant/{ID}") == tip


@pytest.mark.requirement("chant:watch_status:answer_has_three_keys")
def test_without_git_there_is_nothing_to_watch_over(shop: Workshop) -> None:
    shop.spec(ID)
    assert shop.handle().watch_status().data == {"watch_running": False, "worktrees": [], "worktree_count": 0}
    shop.handle().watch(once=True)


def test_the_command_tells_and_stops(shop: Workshop) -> None:
    shop.commit()

    def run(*words: str) -> str:
        command = [*PROGRAM, "--project", str(shop.root), "watch", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert run("--background").startswith("Started watch process (PID: ")
    assert json.loads(run("--status"))["watch_running"] is True
    assert run("--stop").startswith("Sent stop signal")
    assert run("--once", "--quiet") == ""
    assert Path(shop.root / ".chant" / "logs" / "watch.log").exists()
