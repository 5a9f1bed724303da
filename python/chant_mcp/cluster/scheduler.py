"""The scheduler: the engine's own, behind mutual TLS, without its HTTP server."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.config
from distributed import Scheduler
from tornado.ioloop import PeriodicCallback

from chant_mcp.cluster.engine import WORKER_TTL, configure_engine
from chant_mcp.cluster.folder_use import folder_in_use
from chant_mcp.cluster.security import check_address, head_security

OFFER = "chant_offer"
"""The name below which a worker says what it offers."""

_BLOCKED = (
    "run_function",
    "proxy",
    "register_scheduler_plugin",
    "register_nanny_plugin",
    "benchmark_hardware",
    "dump_cluster_state_to_url",
)
_LOOKS = 20
"""Looks at idleness in the time that a scheduler may be idle."""
_TTL_LOOKS = 10
"""Looks for silent workers in the time that a worker may be silent."""


class ClusterScheduler(Scheduler):
    """A scheduler that opens one port, and tells placers what workers offer.

    What it reads from a connection runs as code, so that the only port asks for a certificate. It has no
    dashboard and no page for metrics: the engine's HTTP server asks for none.
    """

    def __init__(self, address: str, tls: Path) -> None:
        """Take the address to listen on, such as `tls://0.0.0.0:8786`, and the folder of certificates."""
        # What the engine brings for data frames and locks is left out: nothing here uses it.
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            host=check_address(address),
            security=head_security(tls),
            extensions={},
            dashboard=False,
            blocked_handlers=list(_BLOCKED),
        )
        own: dict[str, Any] = {"chant_hello": self.answer_hello, "chant_workers": self.list_workers}
        self.handlers.update(own)  # pyright: ignore[reportUnknownMemberType]
        # The engine looks once in that time, so that it gave up a silent worker after up to twice as long.
        look = PeriodicCallback(self.check_worker_ttl, 1000 * WORKER_TTL / _TTL_LOOKS)
        self.periodic_callbacks["worker-ttl"] = look

    def start_http_server(self, *_: Any, **__: Any) -> None:
        """Open nothing: the engine starts this server even where no dashboard is wanted."""

    async def answer_hello(self) -> dict[str, str]:
        """Say that this is one of our schedulers."""
        return {"engine": configure_engine()}

    async def list_workers(self) -> list[dict[str, Any]]:
        """List workers with what they offer, and the slots that are taken, over all placers."""
        now = time.time()
        return [
            {
                "address": worker.address,
                "name": str(worker.name),
                "host": worker.host,
                "offer": worker.extra.get(OFFER),
                "silent": max(0.0, now - worker.last_seen),
                "taken": {
                    str(task.key): list(task.resource_restrictions or ()) for task in worker.processing
                },
            }
            for worker in self.workers.values()
        ]

    def has_clients(self) -> bool:
        """Say whether a placer is connected."""
        return any(name != "fire-and-forget" for name in self.clients)


async def serve_scheduler(
    address: str, tls: Path, folder: Path, *, ready: Callable[[str], None], idle_seconds: float | None = None
) -> None:
    """Run a scheduler until a signal or a client asks it to end.

    Args:
        address: Where it listens, such as `tls://127.0.0.1:0`.
        tls: The folder of certificates.
        folder: Its own; the file `wanted` in it is touched by who is about to connect.
        ready: Called with the address once it listens.
        idle_seconds: How long it waits for a placer, before it ends by itself and removes `cluster.json`.

    Raises:
        OSError: The address cannot be listened on.
    """
    configure_engine()
    dask.config.set({"temporary-directory": str(folder)})
    async with ClusterScheduler(address, tls) as scheduler:
        _close_on_signals(scheduler)
        watch = None
        if idle_seconds is not None:
            watch = asyncio.create_task(_close_when_idle(scheduler, folder, idle_seconds))
        ready(scheduler.address)
        await scheduler.finished()
        if watch is not None:
            watch.cancel()


def _close_on_signals(scheduler: Scheduler) -> None:
    loop = asyncio.get_running_loop()
    ending: list[asyncio.Task[Any]] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, lambda: ending.append(loop.create_task(_close(scheduler, "signal"))))


async def _close(scheduler: Scheduler, reason: str) -> None:
    await scheduler.close(reason=reason)


async def _close_when_idle(scheduler: ClusterScheduler, folder: Path, seconds: float) -> None:
    last = time.monotonic()
    while True:
        await asyncio.sleep(seconds / _LOOKS)
        if scheduler.has_clients():
            last = time.monotonic()
        elif time.monotonic() - last > seconds and _withdraw(folder, seconds):
            await _close(scheduler, "idle")
            return


def _withdraw(folder: Path, seconds: float) -> bool:
    """Take back the word that this cluster is there, unless somebody has just asked for it."""
    try:
        with folder_in_use(folder, waits=False):
            if time.time() - (folder / "wanted").stat().st_mtime < seconds:
                return False
            (folder / "cluster.json").unlink(missing_ok=True)
            return True
    except BlockingIOError:
        return False


def run_scheduler(address: str, tls: Path, folder: Path, *, idle_seconds: float | None = None) -> None:
    """Run a scheduler, and print one line of JSON with its address and process once it listens."""

    def tell(actual: str) -> None:
        sys.stdout.write(json.dumps({"address": actual, "pid": os.getpid()}) + "\n")
        sys.stdout.flush()

    asyncio.run(serve_scheduler(address, tls, folder, ready=tell, idle_seconds=idle_seconds))
