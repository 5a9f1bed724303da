"""The placer: the one process of a head that speaks to the engine, for one project and one cluster.

What workers send may be hostile, and the engine unpickles it here. So this process is started confined and
without credentials; runs speak to it over a UNIX socket, in lines of JSON (`placer_frames`).
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import json
import sys
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from chant_mcp.cluster import worker_task
from chant_mcp.cluster.engine import configure_engine
from chant_mcp.cluster.job_table import JobResult
from chant_mcp.cluster.placement import JobNeeds, WorkerView, choose_worker
from chant_mcp.cluster.placer_frames import LONGEST_LINE, Frame, FrameError, read_frame, write_frame
from chant_mcp.cluster.placer_jobs import KeptResults, PlacedJob, read_job, read_result
from chant_mcp.cluster.placer_status import status_data, write_status
from chant_mcp.cluster.private_files import bound_log
from chant_mcp.cluster.received import as_table
from chant_mcp.cluster.scheduler_link import JobRefused, LinkError, SchedulerLink
from chant_mcp.errors import ChantError, InvalidArgumentError

IDLE_SECONDS = 60.0
"""How long a placer stays without connections and jobs."""

LOG = "placer.log"
"""The file in its folder that its standard error goes to."""

_STATUS_SECONDS = 5.0
_LOOK_SECONDS = 2.0
_HELLO_SECONDS = 10.0
_TAKING_SECONDS = 600.0
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 15.0
_GATHERED_AT_ONCE = 2
_MOST_ENDED = 200
_BACKLOG = 1024
_MOST_JOBS = 10_000
_FORWARDED = ("started",)


@dataclass(frozen=True)
class PlacerSettings:
    """What a placer is started with."""

    folder: Path
    """Its own: status and what it keeps."""
    socket_folder: Path
    secret: str
    address: str
    tls: Path
    project: str
    idle_seconds: float = IDLE_SECONDS

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self.socket_folder / "s"


def read_settings(stream: TextIO) -> PlacerSettings:
    """Read a line of JSON with `folder`, `socket_folder`, `secret`, `address`, `tls` and `project`.

    Raises:
        InvalidArgumentError: It is none, or a key is missing.
    """
    try:
        settings = json.loads(stream.readline(LONGEST_LINE))
        return PlacerSettings(
            folder=Path(settings["folder"]),
            socket_folder=Path(settings["socket_folder"]),
            secret=str(settings["secret"]),
            address=str(settings["address"]),
            tls=Path(settings["tls"]),
            project=str(settings["project"]),
            idle_seconds=float(settings.get("idle_seconds", IDLE_SECONDS)),
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidArgumentError(
            "A placer reads a line of JSON with folder, socket_folder, secret, address, tls and project."
        ) from error


class JobClient:
    """The connection of one run. Its end is the end of its job."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        """Take the writing half."""
        writer.transport.set_write_buffer_limits(high=0)
        self._writer = writer
        self._turn = asyncio.Lock()
        self.job: PlacedJob | None = None
        self.is_gone = False
        self.taken = asyncio.Event()
        """Set when it has what it was sent at the end, or has gone."""

    async def send(self, frame: Frame, *parts: bytes) -> bool:
        """Send a frame; say whether the system took it."""
        async with self._turn:
            if self.is_gone:
                return False
            try:
                await write_frame(self._writer, frame, *parts)
            except (ConnectionError, OSError):
                return False
        return True

    def leave(self) -> None:
        """Note that it is gone."""
        self.is_gone = True
        self.taken.set()


class Placer:
    """The jobs of one project on one cluster."""

    def __init__(self, settings: PlacerSettings) -> None:
        """Take the settings."""
        self._settings = settings
        self._kept = KeptResults(settings.folder / "kept")
        self._jobs: dict[str, PlacedJob] = {}
        self._clients: dict[PlacedJob, JobClient] = {}
        self._connections = 0
        self._used = time.monotonic()
        self._workers: list[WorkerView] = []
        self._link: SchedulerLink | None = None
        self._state, self._why = "connecting", None
        self._wake = asyncio.Event()
        self._changed = asyncio.Event()
        self._gathering = asyncio.Semaphore(_GATHERED_AT_ONCE)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ends = False
        self._scheduler_gone = f"The scheduler at {settings.address} is gone."

    async def run(self) -> None:
        """Serve until there has been nothing to do for a while."""
        self._write_status()
        server = await asyncio.start_unix_server(
            self._serve_client, self._settings.socket, limit=LONGEST_LINE, backlog=_BACKLOG
        )
        self._settings.socket.chmod(0o600)
        for work in (self._stay_connected(), self._keep_status()):
            self._spawn(work)
        try:
            await self._until_idle()
        finally:
            server.close()
            self._settings.socket.unlink(missing_ok=True)
            await self._end_tasks()
            self._workers = []
            self._state, self._why = "gone", "The placer ended: it had nothing to do."
            self._write_status()

    async def _end_tasks(self) -> None:
        self._ends = True  # before Python 3.12 `wait_for` may swallow that its task is cancelled
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._link is not None:
            await self._link.close()

    # Clients

    async def _serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client = JobClient(writer)
        self._connections += 1
        try:
            if await asyncio.wait_for(self._is_known(reader), _HELLO_SECONDS):
                while (read := await read_frame(reader)) is not None:
                    await self._obey(client, *read)
        except (FrameError, ConnectionError, asyncio.TimeoutError):
            pass  # the end of a connection, whatever ended it, is the end of its job
        finally:
            client.leave()
            self._connections -= 1
            if client.job is not None:
                self._let_go(client.job)
            writer.close()

    async def _is_known(self, reader: asyncio.StreamReader) -> bool:
        read = await read_frame(reader)
        secret = read[0].get("secret") if read is not None else None
        return isinstance(secret, str) and hmac.compare_digest(
            secret.encode(), self._settings.secret.encode()
        )

    async def _obey(self, client: JobClient, frame: Frame, data: bytes) -> None:
        job = client.job
        match frame.get("do"):
            case "place":
                await self._accept(client, frame, data)
            case "stop" if job is not None:
                self._stop(job, str(frame.get("why") or "stop"))
            case "read" if job is not None:
                self._spawn(self._send_page(client, job, frame.get("offset")))
            case "got":
                client.taken.set()
            case "stay":
                await self._stay(client)
            case _:
                await client.send({"is": "refused", "why": "This is not understood here.", "cause": "frame"})

    async def _stay(self, client: JobClient) -> None:
        """Stay for a run that is about to start: it connects once it has its folder."""
        if not self._ends:
            self._used = time.monotonic()
            await client.send({"is": "staying"})

    async def _accept(self, client: JobClient, frame: Frame, bundle: bytes) -> None:
        try:
            if client.job is not None and not client.job.is_over:
                raise InvalidArgumentError("A connection is for one job, and its job has not ended.")
            if len(self._jobs) >= _MOST_JOBS:
                raise InvalidArgumentError(f"There are {_MOST_JOBS} jobs already.")
            job = read_job(frame.get("job"), self._settings.folder, bundle, frame.get("avoid"))
            if job.key in self._jobs:
                raise InvalidArgumentError(f"There is a job {job.key} already.")
        except ChantError as error:
            await client.send({"is": "refused", "why": error.message, "cause": "job"})
            return
        except OSError as error:
            await client.send({"is": "refused", "why": f"No room for it: {error.strerror}.", "cause": "disk"})
            return
        client.job, client.taken = job, asyncio.Event()
        self._jobs[job.key] = job
        self._clients[job] = client
        await client.send({"is": "accepted"})
        if self._link is None:
            await client.send({"is": "waiting", "why": self._why or "The scheduler has not answered yet."})
        self._note()

    async def _send_page(self, client: JobClient, job: PlacedJob, offset: Any) -> None:
        offset = offset if isinstance(offset, int) and offset >= 0 else 0
        page = None
        if self._link is not None and job.worker is not None:
            with contextlib.suppress(LinkError):
                page = as_table(await self._link.ask(job.worker, worker_task.read_log, job.key, offset))
        data = (page or {}).get("data")
        data = data if isinstance(data, bytes) and len(data) <= LONGEST_LINE else b""
        # A frame without bytes says so, too: the client waits for one.
        await client.send({"is": "page", "offset": offset, "bytes": len(data)}, data)

    def _let_go(self, job: PlacedJob) -> None:
        """End a job whose client is gone."""
        self._clients.pop(job, None)
        if job.state == "waiting":
            self._end(job, "lost")
        elif not job.is_over:
            self._stop(job, "orphaned")

    def _stop(self, job: PlacedJob, why: str) -> None:
        if job.is_over or job.stopped is not None:
            return
        job.stopped = why
        if job.state == "waiting":
            self._lose(job, f"It was stopped before a worker had it ({why}).", cause="stopped")
        else:
            self._spawn(self._stop_on_worker(job, why))

    async def _stop_on_worker(self, job: PlacedJob, why: str) -> None:
        """Have the worker end it. Where a worker has not started it, it is taken back."""
        while self._link is not None and job.worker is not None and not job.is_over:
            with contextlib.suppress(LinkError):  # its scheduler will tell whether it is gone
                if await self._link.ask(job.worker, worker_task.stop_job, job.key, why):
                    return
            await asyncio.sleep(_LOOK_SECONDS)
            if job.state == "placed" and job.future is not None:
                await job.future.cancel()

    # The cluster

    async def _stay_connected(self) -> None:
        wait = _FIRST_WAIT
        while not self._ends:
            try:
                link = await SchedulerLink.connect(self._settings.address, self._settings.tls, self._hear)
            except LinkError as error:
                self._set_state("gone", str(error))
                await asyncio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
                continue
            wait = _FIRST_WAIT
            self._link = link
            await self._use(link)
            self._link = None
            self._lose_running(self._scheduler_gone)
            await link.close()

    async def _use(self, link: SchedulerLink) -> None:
        """Place jobs until the connection breaks."""
        why = self._scheduler_gone
        while link.is_alive and not self._ends:
            self._wake.clear()
            try:
                self._workers = await link.workers()
            except LinkError as error:
                why = str(error)
                break
            if not link.is_alive:
                break
            self._set_state("connected", None)
            self._miss_workers()
            self._place_waiting(link)
            self._changed.set()
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._wake.wait(), _LOOK_SECONDS)
        self._workers = []
        self._set_state("gone", why)

    def _miss_workers(self) -> None:
        """Lose the jobs of workers that have left, and count those that the scheduler has not seen yet."""
        views = {worker.address: worker for worker in self._workers}
        for job in list(self._jobs.values()):
            if job.worker is None or job.is_over:
                continue
            view = views.get(job.worker)
            if view is not None:
                view.taken.setdefault(job.key, job.needs.agent)
            elif job.future is not None and not job.future.done():
                self._lose(job, f"The worker {job.worker_name} is gone.")

    def _place_waiting(self, link: SchedulerLink) -> None:
        refused: dict[JobNeeds, str] = {}
        for job in [job for job in self._jobs.values() if job.state == "waiting"]:
            choice = refused.get(job.needs) or choose_worker(self._workers, job.needs)
            if isinstance(choice, str):
                refused[job.needs] = choice
                self._say_waiting(job, choice)
            else:
                self._place(link, job, choice)

    def _say_waiting(self, job: PlacedJob, why: str) -> None:
        if why != job.why_waiting:
            job.why_waiting = why
            self._tell(job, {"is": "waiting", "why": why})

    def _place(self, link: SchedulerLink, job: PlacedJob, worker: WorkerView) -> None:
        try:
            future = link.submit(job, worker)
        except OSError as error:
            self._lose(job, f"Its commits cannot be read: {error.strerror}.")
            return
        job.future, job.worker, job.worker_name = future, worker.address, worker.name
        job.move("placed")
        worker.taken[job.key] = job.needs.agent
        self._tell(job, {"is": "placed", "worker": worker.name, "host": worker.host})
        self._spawn(self._follow(link, job))

    async def _follow(self, link: SchedulerLink, job: PlacedJob) -> None:
        try:
            await link.wait_for(job.future)
            async with self._gathering:
                result = read_result(await link.result(job.future))
                if result is None:
                    self._lose(job, f"The worker {job.worker_name} sent no result that can be read.")
                    return
                if job.is_over:
                    return
                client = await self._deliver(job, result)
            if client is not None and not result["left_behind"]:
                with contextlib.suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(client.taken.wait(), _TAKING_SECONDS)
                await link.ask(str(job.worker), worker_task.accept_result, job.key)
        except JobRefused as refusal:
            self._lose(job, str(refusal), cause="worker")
        except LinkError as error:
            gone = f"The worker {job.worker_name} is gone ({error})."
            self._lose(job, gone if link.is_alive else self._scheduler_gone)
        finally:
            job.future = None

    async def _deliver(self, job: PlacedJob, result: JobResult) -> JobClient | None:
        """Send a result to its client, and return that; without one it is kept, here and on the worker."""
        client = self._clients.pop(job, None)
        log, bundle = result["log"], result["bundle"]
        frame: Frame = {"is": "ended", "result": json.loads(result["result"])}
        frame |= {"log": len(log), "bundle": len(bundle), "left_behind": result["left_behind"]}
        self._end(job, "ended")  # its slot is free, however long its client takes
        if client is not None and await client.send(frame, log, bundle):
            return client
        with contextlib.suppress(OSError):
            self._kept.add(job, result, job.stopped or "Its run was gone when it ended.")
        self._changed.set()
        return None

    def _hear(self, message: dict[str, Any]) -> None:
        """Take what a worker says of a job."""
        job = self._jobs.get(str(message.get("key")))
        if job is None or job.is_over or job.state == "waiting":
            return
        if message.get("is") in _FORWARDED:
            job.move("working")
            self._changed.set()
            confinement = str(message.get("confinement"))[:200]
            self._tell(job, {"is": "started", "confinement": confinement})

    # States

    def _lose_running(self, why: str) -> None:
        for job in list(self._jobs.values()):
            if job.worker is not None and not job.is_over:
                self._lose(job, why)
        for job in self._jobs.values():
            if job.state == "waiting":
                self._say_waiting(job, why)

    def _lose(self, job: PlacedJob, why: str, cause: str | None = None) -> None:
        """Say that nothing more will be heard of a job: lost, or refused for a cause."""
        if job.is_over:
            return
        self._end(job, "lost")
        self._tell(job, {"is": "lost", "why": why} if cause is None else _refusal(why, cause))

    def _end(self, job: PlacedJob, state: str) -> None:
        job.move(state)
        job.start.unlink(missing_ok=True)
        over = [one for one in self._jobs.values() if one.is_over]
        for old in over[: max(0, len(over) - _MOST_ENDED)]:
            del self._jobs[old.key]
        self._note()

    def _tell(self, job: PlacedJob, frame: Frame) -> None:
        client = self._clients.get(job)
        if client is not None:
            self._spawn(client.send(frame))

    def _set_state(self, state: str, why: str | None) -> None:
        if (state, why) != (self._state, self._why):
            self._state, self._why = state, why
            self._changed.set()

    def _note(self) -> None:
        self._wake.set()
        self._changed.set()

    def _spawn(self, work: Coroutine[Any, Any, Any]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # Status and end

    async def _keep_status(self) -> None:
        while not self._ends:
            self._changed.clear()
            self._write_status()
            with contextlib.suppress(OSError):
                bound_log(self._settings.folder / LOG, sys.stderr.fileno())
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._changed.wait(), _STATUS_SECONDS)
            await asyncio.sleep(0.05)  # changes come in flocks

    def _write_status(self) -> None:
        status = status_data(
            state=self._state,
            why=self._why,
            scheduler=self._settings.address,
            workers=self._workers,
            jobs=self._jobs.values(),
            kept=self._kept.listed(),
        )
        with contextlib.suppress(OSError):  # a full disk: its age says that it is old
            write_status(self._settings.folder / "status.json", status)

    async def _until_idle(self) -> None:
        pause = min(1.0, self._settings.idle_seconds / 10)
        while time.monotonic() - self._used < self._settings.idle_seconds:
            if self._connections or any(not job.is_over for job in self._jobs.values()):
                self._used = time.monotonic()
            await asyncio.sleep(pause)


def _refusal(why: str, cause: str) -> Frame:
    return {"is": "refused", "why": why, "cause": cause}


def run_placer(stream: TextIO) -> None:
    """Run a placer with the settings that a stream gives.

    Raises:
        InvalidArgumentError: The settings cannot be read.
        OSError: The socket cannot be made.
    """
    settings = read_settings(stream)
    configure_engine()
    asyncio.run(_run(settings))


async def _run(settings: PlacerSettings) -> None:
    await Placer(settings).run()
