"""A worker: this machine as a place for runs of a cluster."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from distributed import Worker, WorkerPlugin
from distributed.comm.addressing import get_address_host
from distributed.core import Status, rpc
from distributed.utils import get_ip

from chant_mcp.cluster.engine import configure_engine
from chant_mcp.cluster.job_table import LARGEST_BUNDLE, JobProgram, JobTable, Sweep
from chant_mcp.cluster.read_offer import NOTHING_READ, ReadOffer
from chant_mcp.cluster.repository_reads import RepositoryReads
from chant_mcp.cluster.scheduler import OFFER
from chant_mcp.cluster.security import check_address, worker_security
from chant_mcp.cluster.worker_task import READ, READS
from chant_mcp.errors import RefusedError
from chant_mcp.release import release

ORPHAN_GRACE = 60.0
"""Seconds without a scheduler after which a worker ends its jobs."""

_FIRST_WAIT, _LONGEST_WAIT = 1.0, 15.0


class AgentOffer(TypedDict):
    """An agent that a worker has."""

    slots: int
    """How many of its runs there may be at once."""
    version: str | None


@dataclass(frozen=True)
class WorkerOffer:
    """What a machine offers: names alone, never a key."""

    agents: Mapping[str, AgentOffer]
    accounts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()
    """Repositories that its owner lets it fetch."""
    trusted: tuple[str, ...] = ()
    """Acting configurations that its owner accepted, by hash."""
    reads: ReadOffer = NOTHING_READ
    """Repositories that it reads for fleets."""
    trusts_any: bool = False
    """Whether its owner may accept more while it is there: the worker is the user's own."""

    @property
    def slots(self) -> int:
        """All slots."""
        return sum(agent["slots"] for agent in self.agents.values())

    @property
    def resources(self) -> dict[str, float]:
        """The slots as the engine counts them."""
        agents = {f"agent-{name}": float(agent["slots"]) for name, agent in self.agents.items()}
        accounts = {f"account-{name}": float(self.slots) for name in self.accounts}
        return {**agents, **accounts, READS: float(self.reads.at_once)}

    def as_data(self) -> dict[str, Any]:
        """The offer as it travels."""
        return {
            "agents": {name: dict(agent) for name, agent in self.agents.items()},
            "accounts": list(self.accounts),
            "labels": list(self.labels),
            "remotes": list(self.remotes),
            "trusted": list(self.trusted),
            "trusts_any": self.trusts_any,
            "release": release(),
            "reads": self.reads.as_data(),
        }


@dataclass(frozen=True)
class WorkerPlan:
    """How a worker joins a cluster."""

    address: str
    """The scheduler's, such as `tls://head:8786`."""
    tls: Path
    name: str
    folder: Path
    """The worker's own."""
    offer: WorkerOffer
    program: JobProgram
    """What is started with the folder of a job behind it."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    sweep: Sweep | None = None
    """What removes and keeps the folders of jobs, if not the table itself."""
    largest_bundle: int = LARGEST_BUNDLE
    """The bytes of commits that it sends back; what needs more is pushed, or kept."""
    listen: str | None = None
    """Where it listens; else on the interface that leads to the scheduler."""
    returns: bool = True
    """Whether it joins again when the scheduler has gone."""


class _StopsLetGo(WorkerPlugin):
    """Ends the job of a task that is not wanted any more: its placer is gone."""

    name = "chant-stops-let-go"

    def setup(self, worker: Worker) -> None:
        """Take the worker."""
        assert isinstance(worker, ClusterWorker)
        self._worker = worker

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        """Stop what runs and was let go; keep what ended and was not taken."""
        if start == "executing" and finish == "cancelled":
            self._worker.jobs.let_go(str(key))
        elif finish in ("released", "forgotten") and not str(key).startswith(READ):
            self._worker.run_aside(self._worker.keep_later, str(key))


class ClusterWorker(Worker):
    """A worker with one port, behind mutual TLS, and no HTTP server."""

    def __init__(self, plan: WorkerPlan) -> None:
        """Take how it joins; its jobs begin where `jobs/` of its folder lies."""
        self.jobs = JobTable(plan.folder, plan.program, plan.environment, plan.sweep, plan.largest_bundle)
        self.reads = RepositoryReads(plan.offer.reads, plan.folder / "fleet")
        self._watch: asyncio.Task[None] | None = None
        self._leaving: asyncio.Task[str | None] | None = None
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            plan.address,
            name=plan.name,
            host=plan.listen or str(get_ip(get_address_host(plan.address))),
            nthreads=max(1, plan.offer.slots + plan.offer.reads.at_once),
            resources=plan.offer.resources,
            security=worker_security(plan.tls),
            local_directory=str(plan.folder / "engine"),
            memory_limit=0,
            startup_information={OFFER: lambda _: plan.offer.as_data()},
            plugins=(_StopsLetGo(),),
            extensions={},
            dashboard=False,
            nanny=None,
        )

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Open nothing: the engine starts this server even where no dashboard is wanted."""

    async def start_unsafe(self) -> Any:
        """Join, and watch over the scheduler from then on."""
        started = await super().start_unsafe()
        self.watch_scheduler(ORPHAN_GRACE)
        return started

    def watch_scheduler(self, grace: float) -> None:
        """Leave once the scheduler has not answered for these seconds, from now on."""
        if self._watch is not None:
            self._watch.cancel()
        self._watch = asyncio.create_task(self._close_when_orphaned(grace))

    async def close(self, *args: Any, **kwargs: Any) -> str | None:
        """Ask all jobs to end, and leave."""
        self.jobs.close()
        if self._watch is not None:
            self._watch.cancel()
        return await super().close(*args, **{**kwargs, "executor_wait": False})

    def run_aside(self, act: Callable[[str], None], key: str) -> None:
        """Run what touches the disk beside the loop."""
        threading.Thread(target=act, args=(key,), daemon=True).start()

    def keep_later(self, key: str) -> None:
        """Keep a job's folder, unless its result is accepted: that message may be on its way."""
        time.sleep(2 * _FIRST_WAIT)
        self.jobs.keep(key)

    async def _close_when_orphaned(self, grace: float) -> None:
        """Leave when the scheduler has not answered for too long: somebody else may do this work by now."""
        scheduler: Any = self.scheduler
        heard = time.monotonic()
        pause = grace / 6
        while self.status not in (Status.closed, Status.closing):
            try:
                await asyncio.wait_for(scheduler.chant_hello(), pause)
                heard = time.monotonic()
            except (OSError, asyncio.TimeoutError):
                pass
            if time.monotonic() - heard > grace:
                # Its own task: closing cancels this one.
                self._leaving = asyncio.create_task(self.close(reason="no-scheduler"))
                return
            await asyncio.sleep(pause)


async def check_scheduler(address: str, tls: Path) -> None:
    """Refuse a scheduler that is none of ours, or that does not believe our certificate.

    Raises:
        RefusedError: It does not answer, or not as one of ours.
    """
    security: Any = worker_security(tls)
    arguments = security.get_connection_args("worker")
    scheduler: Any = rpc(check_address(address), connection_args=arguments, timeout=10)
    try:
        async with scheduler:
            answer = await asyncio.wait_for(scheduler.chant_hello(), 10)
    except (OSError, asyncio.TimeoutError) as error:
        raise RefusedError(
            f"The scheduler at {address} does not answer, or does not know our certificates ({_why(error)}). "
            f"Is it there, and were the files in {tls} made together with its own?"
        ) from error
    if not isinstance(answer, dict) or "engine" not in answer:
        raise RefusedError(
            f"The scheduler at {address} was not started by chant-mcp. Start one with `chant-mcp cluster up`."
        )


def _why(error: BaseException) -> str:
    cause = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    return str(cause) or type(cause).__name__


async def serve_worker(plan: WorkerPlan, *, ready: Callable[[str], None], say: Callable[[str], None]) -> None:
    """Offer this machine to a cluster until a signal asks it to end.

    Args:
        plan: How it joins.
        ready: Called with its address whenever it has joined.
        say: Called with a sentence when it waits for a scheduler.

    Raises:
        RefusedError: The scheduler cannot be joined at the start.
    """
    configure_engine()
    await check_scheduler(plan.address, plan.tls)
    ending = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ending.set)
    wait = _FIRST_WAIT
    while not ending.is_set():
        if await _serve_once(plan, ready, say, ending):
            wait = _FIRST_WAIT
        if not plan.returns or ending.is_set():
            return
        say(f"The scheduler at {plan.address} is gone. Trying again in {wait:.0f} s.")
        await _first_of(ending.wait(), asyncio.sleep(wait))
        wait = min(wait * 2, _LONGEST_WAIT)


async def _serve_once(
    plan: WorkerPlan, ready: Callable[[str], None], say: Callable[[str], None], ending: asyncio.Event
) -> bool:
    """Join and stay until the scheduler or a signal ends it; say whether it joined."""
    try:
        await check_scheduler(plan.address, plan.tls)
        worker = ClusterWorker(plan)
        await worker
    except (RefusedError, OSError, ValueError, RuntimeError) as error:
        say(str(error))
        return False
    ready(worker.address)
    await _first_of(worker.finished(), ending.wait())
    await worker.close(reason="worker-leaves")
    await _jobs_ended(worker.jobs)
    return True


async def _jobs_ended(jobs: JobTable) -> None:
    """Wait for jobs that were asked to end; the table kills those that do not."""
    while jobs.running():
        await asyncio.sleep(0.1)


async def _first_of(*waits: Any) -> None:
    tasks = [asyncio.ensure_future(one) for one in waits]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def run_worker(plan: WorkerPlan, say: Callable[[str], None]) -> None:
    """Run a worker, and print a line of JSON with its address and name whenever it has joined."""
    import json
    import sys

    def tell(address: str) -> None:
        sys.stdout.write(json.dumps({"address": address, "name": plan.name}) + "\n")
        sys.stdout.flush()

    asyncio.run(serve_worker(plan, ready=tell, say=say))
