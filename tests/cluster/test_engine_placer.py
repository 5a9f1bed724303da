"""Jobs on their way: from the socket of a placer to a worker and back."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from chant_mcp.cluster import placer
from chant_mcp.cluster.engine import WORKER_TTL
from cluster.engine_kit import JOB, Grid, certificates, eventually, grid, job

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of this module."""
    return certificates(tmp_path_factory.mktemp("tls") / "tls")


@pytest.fixture
async def cluster(tmp_path: Path, tls: Path) -> AsyncIterator[Grid]:
    """A scheduler, and what tests add to it."""
    async with grid(tmp_path, tls) as made:
        yield made


async def test_a_job_goes_to_a_worker_and_its_work_comes_back(cluster: Grid) -> None:
    await cluster.worker()
    await cluster.start_placer()
    run = await cluster.place(job(model="fast"), b"abc")
    frame, data = await run.until("ended")
    assert [one["is"] for one in run.seen if one["is"] != "waiting"] == [
        "accepted",
        "placed",
        "started",
        "ended",
    ]
    assert frame["result"] == {
        "schema": 1,
        "key": "ferry-1.1.aa",
        "state": "done",
        "tip": None,
        "said": "fast",
    }
    assert data == b"2026-01-22T10:00:00Z out one\n" + b"cba"
    assert (frame["log"], frame["bundle"]) == (len(data) - 3, 3)
    await run.send({"do": "got"})
    await eventually(lambda: not list((cluster.folder / "build-7" / "jobs").iterdir()))
    await eventually(lambda: cluster.job_state(1) == "ended")


async def test_jobs_wait_for_slots_and_the_status_shows_them(cluster: Grid) -> None:
    await cluster.start_placer()
    first = await cluster.place(job(1, prompt="wait"))
    frame, _ = await first.until("waiting")
    await eventually(lambda: cluster.status()["state"] == "connected")
    await cluster.worker(slots=1)
    await first.until("started")
    second = await cluster.place(job(2))
    frame, _ = await second.until("waiting")
    assert frame["why"] == 'All 1 slots of agent "demo" are taken.'
    await eventually(lambda: cluster.job_state(2) == "waiting")
    status = cluster.status()
    assert status["workers"][0]["agents"] == {"demo": {"slots": 1, "busy": 1, "version": "1.2"}}
    assert (status["workers"][0]["name"], status["workers"][0]["state"]) == ("build-7", "alive")
    assert status["jobs"]["ferry-1"]["worker"] == "build-7"
    assert (status["scheduler"], status["dashboard"]) == (cluster.scheduler.address, None)
    await first.send({"do": "stop", "why": "pause"})
    frame, _ = await first.until("ended")
    assert frame["result"]["reason"] == "stop pause"
    await second.until("ended")


async def test_the_log_is_read_while_the_job_works(cluster: Grid) -> None:
    await cluster.worker()
    await cluster.start_placer()
    run = await cluster.place(job(prompt="wait"))
    await run.until("started")
    await run.send({"do": "read", "offset": 25})
    frame, data = await run.until("page")
    assert (frame["offset"], data) == (25, b"one\n")
    await run.send({"do": "read", "offset": 29})
    frame, data = await run.until("page")
    assert (frame["bytes"], data) == (0, b"")


async def test_a_job_ends_with_its_client_and_its_result_is_kept(cluster: Grid) -> None:
    await cluster.worker()
    await cluster.start_placer()
    run = await cluster.place(job(prompt="wait"))
    await run.until("started")
    await run.close()
    await eventually(lambda: cluster.status()["kept"])
    assert cluster.status()["kept"] == [{"spec": "ferry", "token": 1, "worker": "build-7", "why": "orphaned"}]
    kept = cluster.state / "kept" / "ferry-1.1.aa"
    assert b"stop orphaned" in (kept / "result.json").read_bytes()


async def test_a_connection_without_the_secret_is_closed(cluster: Grid) -> None:
    await cluster.start_placer()
    stranger = await cluster.connect("cd" * 32)
    assert await stranger.next() is None
    wrong = await cluster.place({"key": "../../x", "agent": "demo"})
    frame, _ = await wrong.until("refused")
    assert "`key`" in frame["why"]
    assert not (cluster.state / "starts").exists()


async def test_a_job_is_lost_with_its_worker_and_not_repeated(cluster: Grid) -> None:
    worker = await cluster.worker(slots=1)
    other = await cluster.worker("build-8", slots=1)
    await cluster.start_placer()
    run = await cluster.place(job(prompt="wait"))
    await run.until("started")
    busy, idle = (worker, other) if worker.jobs.running() else (other, worker)
    await cluster.leave(busy)
    frame, _ = await run.until("lost")
    assert f"The worker {busy.name} is gone" in frame["why"]
    assert "run task" not in frame["why"], "the engine's words are about its own tasks"
    await asyncio.sleep(0.1)
    assert idle.jobs.running() == []


async def test_a_scheduler_that_is_gone_is_named_and_its_jobs_are_lost(cluster: Grid) -> None:
    worker = await cluster.worker()
    await cluster.start_placer()
    run = await cluster.place(job(prompt="wait"))
    await run.until("started")
    pid = int((cluster.folder / "build-7" / "jobs" / "ferry-1.1.aa" / "pid").read_text())
    await cluster.scheduler.close()
    frame, _ = await run.until("lost")
    assert cluster.scheduler.address in frame["why"]
    await eventually(lambda: cluster.status()["state"] == "gone")
    assert cluster.scheduler.address in cluster.status()["why"]
    await eventually(lambda: not worker.jobs.running())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_a_worker_that_hears_no_scheduler_ends_its_jobs(cluster: Grid) -> None:
    worker = await cluster.worker()
    await cluster.start_placer()
    run = await cluster.place(job(prompt="wait"))
    await run.until("started")

    async def says_nothing() -> None:
        await asyncio.Event().wait()

    cluster.scheduler.handlers["chant_hello"] = says_nothing
    # Not earlier: a busy machine may take as long for an answer.
    worker.watch_scheduler(0.3)
    await eventually(lambda: not worker.jobs.running())
    await run.until("lost")


async def test_a_job_that_does_not_end_is_killed(cluster: Grid) -> None:
    worker = await cluster.worker()
    worker.jobs._stop_seconds = 0.1
    await cluster.start_placer()
    run = await cluster.place(job(prompt="stubborn"))
    await run.until("started")
    await run.send({"do": "stop", "why": "pause"})
    frame, _ = await run.until("ended")
    assert frame["result"]["state"] == "failed"
    assert f"exit code {-signal.SIGKILL}" in frame["result"]["reason"]


async def test_a_job_without_a_result_says_why(cluster: Grid) -> None:
    await cluster.worker()
    await cluster.start_placer()
    run = await cluster.place(job(prompt="crash"))
    frame, _ = await run.until("ended")
    assert frame["result"]["reason"].endswith("(exit code 1). The disk is full.")


async def test_a_job_that_has_been_on_a_worker_is_not_run_there_again(cluster: Grid) -> None:
    await cluster.worker()
    await cluster.start_placer()
    run = await cluster.place(job(prompt="wait"))
    await run.until("started")
    await run.close()
    await eventually(lambda: cluster.status()["kept"])
    await cluster.end_placer()
    await cluster.start_placer()
    assert cluster.status()["kept"][0]["spec"] == "ferry"
    again = await cluster.place(job())
    frame, _ = await again.until("refused")
    assert "It is not run twice" in frame["why"]


class SetClock:
    """A clock that goes on when it is told to: how long things take decides nothing."""

    def __init__(self) -> None:
        """Begin somewhere."""
        self.now = 1000.0
        self.looks = 0

    def monotonic(self) -> float:
        """Give the time."""
        self.looks += 1
        return self.now

    async def is_looked_at(self) -> None:
        """Wait until somebody has decided by it as it is now."""
        seen = self.looks
        await eventually(lambda: self.looks >= seen + 2)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """The placer's clock."""
    clock = SetClock()
    monkeypatch.setattr(placer, "time", clock)
    return clock


async def test_a_placer_without_work_ends(cluster: Grid, clock: SetClock) -> None:
    await cluster.worker()
    await cluster.start_placer(idle_seconds=0.5)
    await eventually(lambda: cluster.status()["workers"])
    assert cluster.placing is not None
    clock.now += 0.6
    await asyncio.wait_for(cluster.placing, 20)
    assert not (cluster.sockets / "s").exists()
    assert (cluster.status()["state"], cluster.status()["workers"]) == ("gone", [])


async def test_a_placer_that_is_asked_to_stay_does_not_end_meanwhile(cluster: Grid, clock: SetClock) -> None:
    await cluster.start_placer(idle_seconds=0.5)
    assert cluster.placing is not None
    for _ in range(3):
        run = await cluster.connect()
        await run.send({"do": "stay"})
        await run.until("staying")
        await run.close()
        clock.now += 0.3
        await clock.is_looked_at()
        assert not cluster.placing.done()
    clock.now += 0.3
    await asyncio.wait_for(cluster.placing, 20)


async def test_a_silent_worker_is_looked_for_many_times_in_the_time_it_may_be_silent(cluster: Grid) -> None:
    # The engine looks once, which takes up to twice as long.
    look = cluster.scheduler.periodic_callbacks["worker-ttl"]
    assert look.callback == cluster.scheduler.check_worker_ttl
    assert look.callback_time <= 1000 * WORKER_TTL / 5


WORKER = """
import os, sys
from pathlib import Path
from chant_mcp.cluster.worker import AgentOffer, WorkerOffer, WorkerPlan, run_worker
address, tls, folder, *job = sys.argv[1:]
offer = WorkerOffer({"demo": AgentOffer(slots=1, version=None)})
plan = WorkerPlan(address, Path(tls), "build-7", Path(folder), offer, job, dict(os.environ), returns=False)
run_worker(plan, say=print)
"""


async def test_a_worker_that_wakes_too_late_ends_its_jobs(cluster: Grid) -> None:
    folder = cluster.folder / "build-7"
    words = (cluster.scheduler.address, str(cluster.tls), str(folder), *JOB)
    worker = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WORKER, *words, stdout=subprocess.PIPE
    )
    try:
        assert worker.stdout is not None
        await worker.stdout.readline()
        await cluster.start_placer()
        run = await cluster.place(job(prompt="wait"))
        await run.until("started")
        worker.send_signal(signal.SIGSTOP)
        (known,) = cluster.scheduler.workers.values()
        known.last_seen -= 1000
        await cluster.scheduler.check_worker_ttl()
        frame, _ = await run.until("lost")
        assert "build-7 is gone" in frame["why"]
        assert (folder / "jobs" / "ferry-1.1.aa").is_dir(), "its agent still works"
        worker.send_signal(signal.SIGCONT)
        await asyncio.wait_for(worker.wait(), 20)
        assert (folder / "jobs" / "ferry-1.1.aa" / "result.json").exists(), "its agent has ended"
    finally:
        if worker.returncode is None:
            worker.kill()
        await worker.communicate()
