"""A cluster inside of the test's own process: scheduler, workers and placer on one loop, behind real TLS."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from chant_mcp.cluster import placer
from chant_mcp.cluster.certificates import make_certificates
from chant_mcp.cluster.engine import configure_engine
from chant_mcp.cluster.job_table import JobTable
from chant_mcp.cluster.placer import Placer, PlacerSettings
from chant_mcp.cluster.placer_frames import LONGEST_LINE, Frame, read_frame, write_frame
from chant_mcp.cluster.scheduler import ClusterScheduler
from chant_mcp.cluster.worker import AgentOffer, ClusterWorker, WorkerOffer, WorkerPlan

JOB = (sys.executable, "-I", "-S", str(Path(__file__).with_name("stand_in_job.py")))
SECRET = "ab" * 32
PATIENCE = 60
"""Seconds after which a test gives up on what should have happened."""


def job(number: int = 1, **more: Any) -> dict[str, Any]:
    """A job as the head describes it."""
    known = {"schema": 1, "key": f"ferry-{number}.1.aa", "process_id": f"ferry-{number}", "spec": "ferry"}
    return {**known, "token": 1, "project": "ferries", "agent": "demo", "account": None, **more}


class Connection:
    """A job client's connection to a placer."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.seen: list[Frame] = []

    async def send(self, frame: Frame, *parts: bytes) -> None:
        """Send a frame."""
        await write_frame(self.writer, frame, *parts)

    async def next(self) -> tuple[Frame, bytes] | None:
        """Read a frame; nothing at the end."""
        read = await asyncio.wait_for(read_frame(self.reader), PATIENCE)
        if read is not None:
            self.seen.append(read[0])
        return read

    async def until(self, what: str) -> tuple[Frame, bytes]:
        """Read frames up to one of a kind."""
        while (read := await self.next()) is not None:
            if read[0]["is"] == what:
                return read
        raise AssertionError(f"the connection ended before `{what}`: {self.seen}")

    async def close(self) -> None:
        """End the connection."""
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()


class Grid:
    """A cluster of a test."""

    def __init__(self, folder: Path, tls: Path) -> None:
        self.folder, self.tls = folder, tls
        self.stack = contextlib.AsyncExitStack()
        self.scheduler: Any = None
        self.sockets = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="c-")))
        self.placing: asyncio.Task[None] | None = None

    @property
    def state(self) -> Path:
        """The placer's folder."""
        return self.folder / "placer"

    async def worker(self, name: str = "build-7", slots: int = 1, **more: Any) -> ClusterWorker:
        """Have a worker join."""
        offer = WorkerOffer({"demo": AgentOffer(slots=slots, version="1.2")}, **more.pop("offers", {}))
        plan = WorkerPlan(
            address=more.pop("address", None) or self.scheduler.address,
            tls=self.tls,
            name=name,
            folder=self.folder / name,
            offer=offer,
            program=more.pop("program", JOB),
            environment=more.pop("environment", None) or dict(os.environ),
            **more,
        )
        worker: Any = ClusterWorker(plan)
        await worker
        self.stack.push_async_callback(self.leave, worker)
        return worker

    async def leave(self, worker: Any) -> None:
        """Have a worker leave, with its jobs."""
        jobs: JobTable = worker.jobs
        await worker.close()
        await eventually(lambda: not jobs.running())

    async def start_placer(self, **more: Any) -> None:
        """Start the placer."""
        self.state.mkdir(exist_ok=True)
        known = {
            "address": self.scheduler.address,
            "tls": self.tls,
            "project": "ferries",
            "idle_seconds": 600,
        }
        settings = PlacerSettings(
            folder=self.state, socket_folder=self.sockets, secret=SECRET, **{**known, **more}
        )
        self.placing = asyncio.create_task(Placer(settings).run())
        self.stack.push_async_callback(self.end_placer)
        await eventually((self.sockets / "s").exists)

    async def end_placer(self) -> None:
        """End the placer."""
        assert self.placing is not None
        self.placing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.placing

    async def connect(self, secret: str = SECRET) -> Connection:
        """Connect to the placer as a job client does."""
        opened = await asyncio.open_unix_connection(self.sockets / "s", limit=LONGEST_LINE)
        connection = Connection(*opened)
        self.stack.push_async_callback(connection.close)
        await connection.send({"hello": 1, "secret": secret})
        return connection

    async def place(self, told: dict[str, Any], start: bytes = b"start") -> Connection:
        """Hand a job to the placer."""
        connection = await self.connect()
        await connection.send({"do": "place", "job": told}, start)
        return connection

    def status(self) -> dict[str, Any]:
        """What the placer says of the cluster."""
        return json.loads((self.state / "status.json").read_text())

    def job_state(self, number: int) -> str | None:
        """What the placer says of a job."""
        return self.status()["jobs"].get(f"ferry-{number}", {}).get("state")


def listens(path: Path) -> bool:
    """Say whether somebody listens at a socket; its file is there a moment before."""
    with socket.socket(socket.AF_UNIX) as connection:
        return connection.connect_ex(str(path)) == 0


async def eventually(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    for _ in range(PATIENCE * 100):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came to be")


@contextlib.asynccontextmanager
async def grid(folder: Path, tls: Path) -> AsyncIterator[Grid]:
    """Start a scheduler, and end all that was started with it."""
    configure_engine()
    placer._LOOK_SECONDS = 0.1
    made = Grid(folder, tls)
    async with made.stack:
        made.scheduler = await made.stack.enter_async_context(ClusterScheduler("tls://127.0.0.1:0", tls))
        yield made


def certificates(folder: Path) -> Path:
    """Make certificates in a folder."""
    make_certificates(folder)
    return folder
