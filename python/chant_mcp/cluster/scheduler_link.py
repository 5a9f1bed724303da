"""A placer's connection to its scheduler.

What workers send is unpickled here: only a confined placer may do that.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distributed import Client, wait  # pyright: ignore[reportUnknownVariableType]
from distributed.scheduler import KilledWorker

from chant_mcp.cluster import worker_task
from chant_mcp.cluster.engine import configure_engine
from chant_mcp.cluster.placement import WorkerView, worker_view
from chant_mcp.cluster.received import as_items, as_table
from chant_mcp.cluster.security import check_address, head_security
from chant_mcp.errors import ChantError

if TYPE_CHECKING:
    from chant_mcp.cluster.placer_jobs import PlacedJob

ANSWER_SECONDS = 15.0
"""How long a scheduler or a worker has for an answer."""

HearsMessage = Callable[[dict[str, Any]], None]


class LinkError(Exception):
    """The scheduler or a worker cannot be spoken to; the message is a sentence."""


class SchedulerLink:
    """One connection; a broken one is never repaired, but replaced."""

    def __init__(self, client: Any, address: str) -> None:
        """Take the connected client."""
        self._client = client
        self._address = address
        self._stream = client.scheduler_comm

    @classmethod
    async def connect(cls, address: str, tls: Path, hear: HearsMessage) -> SchedulerLink:
        """Connect to a scheduler of ours.

        Args:
            address: `tls://host:port`.
            tls: The folder of certificates.
            hear: Called with what workers say of their jobs.

        Raises:
            LinkError: It is none, or does not answer.
        """
        configure_engine()
        client: Any = None
        try:
            client = Client(
                check_address(address),
                security=head_security(tls),
                asynchronous=True,
                timeout=ANSWER_SECONDS,
                set_as_default=False,
            )
            await client
            answer = await asyncio.wait_for(client.scheduler.chant_hello(), ANSWER_SECONDS)
        except ChantError as error:
            raise LinkError(error.message) from error
        except asyncio.CancelledError:
            if client is not None:
                await _close(client)
            raise
        except Exception as error:
            if client is not None:
                await _close(client)
            raise LinkError(f"The scheduler at {address} does not answer ({_words(error)}).") from error
        if not isinstance(answer, dict) or "engine" not in answer:
            await _close(client)
            raise LinkError(f"The scheduler at {address} was not started by chant-mcp.")

        def hear_event(event: Any) -> None:
            hear(_message_of(event))

        client.subscribe_topic(worker_task.TOPIC, hear_event)
        return cls(client, address)

    @property
    def is_alive(self) -> bool:
        """Whether it still stands: the engine's client connects again by itself, but lets all jobs go."""
        return self._client.status == "running" and self._client.scheduler_comm is self._stream

    async def workers(self) -> list[WorkerView]:
        """List the workers.

        Raises:
            LinkError: The scheduler does not answer.
        """
        try:
            listed = await asyncio.wait_for(self._client.scheduler.chant_workers(), ANSWER_SECONDS)
        except Exception as error:
            raise LinkError(f"The scheduler at {self._address} does not answer ({_words(error)}).") from error
        return [view for one in listed if (view := worker_view(one)) is not None]

    def submit(self, job: PlacedJob, worker: WorkerView) -> Any:
        """Hand a job to a worker, and to no other: attempts are counted elsewhere.

        Raises:
            OSError: Its commits cannot be read.
        """
        resources = {f"agent-{job.needs.agent}": 1}
        if job.needs.account is not None:
            resources[f"account-{job.needs.account}"] = 1
        return self._client.submit(
            worker_task.run_job,
            job.text,
            job.start.read_bytes(),
            key=job.key,
            workers=[worker.address],
            allow_other_workers=False,
            resources=resources,
            retries=0,
            pure=False,
        )

    def submit_read(self, worker: WorkerView, kind: str, place: str, *, with_items: bool) -> Any:
        """Have a worker, and no other, read a repository."""
        return self._client.submit(
            worker_task.read_repository,
            kind,
            place,
            with_items,
            key=f"{worker_task.READ}{uuid.uuid4().hex}",
            workers=[worker.address],
            allow_other_workers=False,
            resources={worker_task.READS: 1},
            retries=0,
            pure=False,
        )

    async def wait_for(self, future: Any) -> None:
        """Wait until a job has ended; its result stays where it is.

        Raises:
            LinkError: The job is lost: its worker, or the scheduler.
        """
        try:
            with self._client.as_current():
                await wait([future])
        except Exception as error:
            raise LinkError(_words(error)) from error

    async def result(self, future: Any) -> Any:
        """Fetch a result.

        Raises:
            JobRefused: The worker refused the job.
            LinkError: The job is lost: its worker, or the scheduler.
        """
        try:
            return await future
        except ChantError as error:
            raise JobRefused(error.message) from error
        except KilledWorker as error:
            raise LinkError("its process ended, or it was silent for too long") from error
        except Exception as error:
            raise LinkError(_words(error)) from error

    async def ask(self, worker: str, act: Callable[..., Any], *arguments: Any) -> Any:
        """Have a worker call a function, beside its jobs.

        Raises:
            LinkError: It does not answer.
        """
        try:
            answers = await asyncio.wait_for(
                self._client.run(act, *arguments, workers=[worker]), ANSWER_SECONDS
            )
        except Exception as error:
            raise LinkError(f"The worker at {worker} does not answer ({_words(error)}).") from error
        return answers.get(worker)

    async def close(self) -> None:
        """End the connection."""
        await _close(self._client)


class JobRefused(Exception):
    """The worker refused a job; the message is a sentence."""


async def _close(client: Any) -> None:
    try:
        await asyncio.wait_for(client.close(timeout=0.5), 5)
    except Exception as error:
        del error  # it is gone either way


def _message_of(event: Any) -> dict[str, Any]:
    """Return what a worker said; events are pairs of a time and a message."""
    message = as_items(event)[1:2]
    return (as_table(message[0]) if message else None) or {}


def _words(error: BaseException) -> str:
    return (str(error) or type(error).__name__).strip().partition("\n")[0][:300]
