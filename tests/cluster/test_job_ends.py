"""A job ends with its lifeline, and what it made is never lost."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from chant_mcp.cluster.job_table import JobTable
from cluster import agent_of_tests
from cluster.jobs import Head, RunningJob, Worker
from cluster.test_job_runs import configure
from work.kit import kill, processes, wait_for
from writing import git


def waiting(head: Head, worker: Worker, bundle: bytes) -> RunningJob:
    """Start a job whose agent has committed and waits."""
    running = worker.start(worker.put(head.job(agent="wait"), bundle))
    running.heard("started")
    log = running.folder / "log"
    wait_for(lambda: "committed" in log.read_text(encoding="utf-8"), "the agent's commit")
    return running


def test_a_job_that_is_asked_to_stop_hands_back_what_there_is(tmp_path: Path, worker: Worker) -> None:
    configure(agent_of_tests.configured())
    head = Head(tmp_path)
    running = waiting(head, worker, head.bundle())
    running.stop("pause")
    result = running.ended()
    assert (result["state"], result["reason"]) == ("paused", "It was asked to stop (pause).")
    assert head.fetch(running.folder / "result.bundle") == result["tip"]
    assert worker.kept() == []
    wait_for(lambda: not processes(), "the end of the agent")
    # What the head has is removed when the worker says so, and nothing else.
    (running.folder / "acknowledged").touch()
    swept = worker.machine().sweep(worker.folder, only=running.folder.name).data
    assert swept["removed"] == [running.folder.name]
    assert not running.folder.exists()


def test_work_of_a_job_that_nobody_answers_for_is_kept_and_listed(tmp_path: Path, worker: Worker) -> None:
    configure(agent_of_tests.configured())
    head = Head(tmp_path)
    running = waiting(head, worker, head.bundle())
    running.let_go()
    assert running.process.wait(20) == 0
    assert running.heard("ended")["kept"]
    [kept] = worker.kept()
    assert (kept["spec"], kept["state"], kept["token"]) == (head.job()["spec"], "paused", 1)
    assert head.fetch(Path(kept["folder"]) / "result.bundle") == kept["tip"]
    assert git(Path(kept["folder"]) / "checkout", "rev-parse", kept["branch"]).strip() == kept["tip"]
    assert not running.folder.exists()


def test_what_a_killed_job_left_is_ended_and_kept(tmp_path: Path, worker: Worker) -> None:
    configure(agent_of_tests.configured())
    head = Head(tmp_path)
    running = waiting(head, worker, head.bundle())
    kill(running.process.pid)
    running.process.wait()
    swept = worker.machine().sweep(worker.folder).data
    assert swept["recovered"] == [running.folder.name] == swept["kept"]
    assert swept["problems"] == []
    wait_for(lambda: not processes(), "the end of the agent")
    [kept] = worker.kept()
    assert (kept["state"], kept["reason"]) == ("failed", "the process of the job died")
    assert head.fetch(Path(kept["folder"]) / "result.bundle") == kept["tip"]
    assert worker.machine().sweep(worker.folder).data["kept"] == [], "it is kept once"


def test_a_job_can_be_stopped_before_its_agent_works(tmp_path: Path, worker: Worker) -> None:
    head = Head(tmp_path)
    running = worker.start(worker.put(head.job(), head.bundle()))
    running.let_go()
    assert running.process.wait(20) == 0
    # It may have been quicker than its end.
    assert running.heard("ended")["state"] in ("paused", "done")


def test_a_killed_job_takes_its_agent_along_and_hands_back_what_there_is(
    tmp_path: Path, worker: Worker
) -> None:
    configure(agent_of_tests.configured())
    head = Head(tmp_path)
    machine = worker.machine()
    program = [sys.executable, "-m", "chant_mcp", "job"]

    def sweep(folder: Path, only: str | None) -> None:
        machine.sweep(folder, only=only)

    table = JobTable(worker.folder, program, os.environ, sweep)
    job = head.job(agent="wait")
    with ThreadPoolExecutor() as pool:
        ended = pool.submit(table.run, json.dumps(job), head.bundle(), lambda _: None)
        log = worker.folder / "jobs" / job["key"] / "log"
        wait_for(lambda: log.exists() and "committed" in log.read_text(encoding="utf-8"), "the commit")
        [running] = table._running.values()
        kill(running.pid)
        given = ended.result(20)
    assert not processes(), "the agent has ended"
    result = json.loads(given["result"])
    assert (result["state"], result["cause"]) == ("failed", "worker_lost")
    bundle = tmp_path / "result.bundle"
    bundle.write_bytes(given["bundle"])
    assert head.fetch(bundle) == result["tip"]
    table.accept_result(job["key"])
    assert not list((worker.folder / "jobs").iterdir())
