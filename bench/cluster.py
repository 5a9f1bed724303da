"""What a cluster costs: `python -m bench.cluster [WORKERS …]`.

A scheduler, workers and a placer as processes of their own behind mutual TLS, and jobs that sleep in place of
agents. Each worker has one slot, but for the thousand queued jobs: there one has eight.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import psutil
from chant_mcp.cluster.certificates import make_certificates
from chant_mcp.cluster.engine import configure_engine
from chant_mcp.cluster.local_cluster import ensure_local_cluster
from chant_mcp.cluster.placer_frames import LONGEST_LINE, read_frame, write_frame
from chant_mcp.program import own_program

_WORKERS = (1, 2, 4, 8)
_ROUNDS = 15
_SLEEP = 2.0
_QUEUED = 1000
_SECRET = "ab" * 32

_JOB = """
import json, sys, time
from pathlib import Path
folder = Path(sys.argv[1])
job = json.loads((folder / "job.json").read_text())
print(json.dumps({"is": "started", "confinement": "none"}), flush=True)
time.sleep(job["seconds"])
(folder / "log").write_text("one line\\n")
(folder / "result.bundle").write_bytes(b"x" * 10_000)
(folder / "result.json").write_text(json.dumps({"key": job["key"], "state": "done"}))
"""

_WORKER = """
import os, sys
from pathlib import Path
from chant_mcp.cluster.worker import AgentOffer, WorkerOffer, WorkerPlan, run_worker
address, tls, folder, name, slots, job = sys.argv[1:]
offer = WorkerOffer({"demo": AgentOffer(slots=int(slots), version=None)})
program = (sys.executable, "-I", "-S", job)
plan = WorkerPlan(address, Path(tls), name, Path(folder), offer, program, dict(os.environ), returns=False)
run_worker(plan, say=lambda sentence: None)
"""


def main() -> None:
    """Print the rows."""
    numbers = [int(word) for word in sys.argv[1:]] or list(_WORKERS)
    configure_engine()
    _write(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    _write(f"start of a local cluster, new and found: {_local_start()}")
    with _Machines() as machines:
        machines.join("one", slots=1)
        there_and_back, memory = asyncio.run(_one_by_one(machines))
        _write(f"one job there and back, median of {_ROUNDS}: {there_and_back}; memory: {memory}")
    for number in numbers:
        with _Machines() as machines:
            for which in range(number):
                machines.join(f"w{which}", slots=1)
            _write(f"{number} workers: {asyncio.run(_rate(machines, number))}")
    with _Machines() as machines:
        machines.join("wide", slots=8)
        _write(f"{_QUEUED} queued jobs, 8 slots: {asyncio.run(_queue(machines))}")
    _write(f"load at the end {os.getloadavg()[0]:.1f}")


class _Machines:
    """A scheduler and workers, as processes."""

    def __enter__(self) -> _Machines:
        self._stack = ExitStack()
        self.folder = Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="chant-bench-")))
        make_certificates(self.folder / "tls")
        (self.folder / "job.py").write_text(_JOB)
        self.scheduler, told = self._start(
            *own_program(sys.executable), "cluster", "scheduler", "tls://127.0.0.1:0", "--tls", str(self.tls)
        )
        self.address: str = told["address"]
        self.workers: list[psutil.Process] = []
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def tls(self) -> Path:
        """The folder of certificates."""
        return self.folder / "tls"

    def join(self, name: str, slots: int) -> None:
        """Have a worker join."""
        words = [self.address, self.tls, self.folder / name, name, slots, self.folder / "job.py"]
        process, _ = self._start(sys.executable, "-c", _WORKER, *map(str, words))
        self.workers.append(process)

    def _start(self, *argv: str) -> tuple[psutil.Process, dict[str, Any]]:
        process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self._stack.enter_context(_ended(process))
        assert process.stdout is not None
        return psutil.Process(process.pid), json.loads(process.stdout.readline())


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Generator[None]:
    try:
        yield
    finally:
        process.terminate()
        process.communicate()


@asynccontextmanager
async def _placer(machines: _Machines) -> AsyncGenerator[psutil.Process]:
    sockets, state = machines.folder / "s", machines.folder / "placer"
    sockets.mkdir()
    state.mkdir()
    settings = {"folder": state, "socket_folder": sockets, "tls": machines.tls, "project": "ferries"}
    line = {**{name: str(value) for name, value in settings.items()}, "address": machines.address}
    process = subprocess.Popen(
        [*own_program(sys.executable), "placer"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with _ended(process):
        assert process.stdin is not None
        process.stdin.write(json.dumps({**line, "secret": _SECRET}).encode() + b"\n")
        process.stdin.flush()
        while not (sockets / "s").exists() or '"connected"' not in (state / "status.json").read_text():
            await asyncio.sleep(0.01)
        yield psutil.Process(process.pid)


async def _run(machines: _Machines, number: int, seconds: float) -> tuple[float, float]:
    """Run a job; return the seconds from its placing to its agent's start, and to its result."""
    reader, writer = await asyncio.open_unix_connection(machines.folder / "s" / "s", limit=LONGEST_LINE)
    await write_frame(writer, {"hello": 1, "secret": _SECRET})
    job = {"key": f"f-{number}.1.a", "process_id": f"f-{number}", "spec": "f", "token": 1, "agent": "demo"}
    begin = started = time.perf_counter()
    await write_frame(writer, {"do": "place", "job": {**job, "seconds": seconds}}, b"x" * 10_000)
    while (read := await read_frame(reader)) is not None:
        if read[0]["is"] == "started":
            started = time.perf_counter()
        elif read[0]["is"] == "ended":
            writer.close()
            return started - begin, time.perf_counter() - begin
    raise RuntimeError("the job did not end")


def _local_start() -> str:
    times: list[float] = []
    with tempfile.TemporaryDirectory(prefix="chant-bench-") as folder:
        environment = {**os.environ, "HOME": folder}
        for _ in range(2):
            begin = time.perf_counter()
            program = own_program(sys.executable)
            ensure_local_cluster(Path(folder), program, environment, slots={"demo": 2}, idle_seconds=1)
            times.append(time.perf_counter() - begin)
        time.sleep(4)  # until it has ended
    return f"{times[0]:.2f} s; {1000 * times[1]:.0f} ms"


async def _one_by_one(machines: _Machines) -> tuple[str, str]:
    async with _placer(machines) as placer:
        times = [await _run(machines, number, 0) for number in range(_ROUNDS)]
        memory = _memory(machines, placer)
    begun, ended = (statistics.median(column) for column in zip(*times, strict=True))
    return f"agent started after {1000 * begun:.0f} ms, result after {1000 * ended:.0f} ms", memory


async def _rate(machines: _Machines, workers: int) -> str:
    jobs = 6 * workers
    async with _placer(machines):
        begin = time.perf_counter()
        await asyncio.gather(*(_run(machines, number, _SLEEP) for number in range(jobs)))
        seconds = time.perf_counter() - begin
    ideal = 60 * workers / _SLEEP
    rate = 60 * jobs / seconds
    return f"{rate:.0f} jobs of {_SLEEP:.0f} s a minute, {100 * rate / ideal:.0f} % of the ideal"


async def _queue(machines: _Machines) -> str:
    async with _placer(machines) as placer:
        begin = time.perf_counter()
        await asyncio.gather(*(_run(machines, number, 0) for number in range(_QUEUED)))
        seconds = time.perf_counter() - begin
        memory = _memory(machines, placer)
    return f"{seconds:.0f} s, {1000 * seconds / _QUEUED:.0f} ms a job; memory: {memory}"


def _memory(machines: _Machines, placer: psutil.Process) -> str:
    def megabytes(processes: Sequence[psutil.Process]) -> float:
        return max(one.memory_info().rss for one in processes) / 2**20

    parts = {"scheduler": [machines.scheduler], "worker": machines.workers, "placer": [placer]}
    return ", ".join(f"{name} {megabytes(those):.0f} MB" for name, those in parts.items())


def _write(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
