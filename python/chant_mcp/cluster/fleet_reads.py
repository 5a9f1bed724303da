"""Has the workers of a cluster read repositories for a fleet.

What workers send is unpickled here: only a confined process may do that (`chant-mcp cluster read`). Standard
input is one line of JSON: `asked`, a list of number, kind and place, and `known`, the names of results that
need not be sent. Standard output has a line of JSON for each place: `at` with `worker`, `commit`, `result`
and `items`, or `at` with `why`; the last one says `done`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from chant_mcp.cluster.placement import WorkerView
from chant_mcp.cluster.read_offer import LARGEST_ITEMS, PlaceKind
from chant_mcp.cluster.received import as_table
from chant_mcp.cluster.scheduler_link import JobRefused, LinkError, SchedulerLink
from chant_mcp.errors import RefusedError

READ_SECONDS = 1800.0
"""How long a worker has for one repository: fetches may take long."""

_LOOK_SECONDS = 2.0

Say = Callable[[dict[str, Any]], None]


class AskedPlace(NamedTuple):
    """A repository that is to be read."""

    at: int
    kind: PlaceKind
    place: str


class _FleetReads:
    """The places that are still to be read, and the workers that read them."""

    def __init__(
        self, link: SchedulerLink, asked: Iterable[AskedPlace], known: frozenset[str], say: Say
    ) -> None:
        self._link = link
        self._waiting = deque(asked)
        self._known = known
        self._say = say

    async def run(self) -> None:
        """Have each place read by a worker that offers it, a few at once on each."""
        workers = [worker for worker in await self._link.workers() if worker.reads.at_once > 0]
        self._drop_unoffered(workers)
        gone = {worker.address: asyncio.Event() for worker in workers}
        watch = asyncio.create_task(self._watch(gone))
        try:
            turns = [
                self._read_on(worker, gone[worker.address])
                for worker in workers
                for _ in range(worker.reads.at_once)
            ]
            await asyncio.gather(*turns)
        finally:
            watch.cancel()
        for place in self._waiting:
            self._fail(place, "the workers that offer to read it are gone")

    def _drop_unoffered(self, workers: list[WorkerView]) -> None:
        offered: deque[AskedPlace] = deque()
        for place in self._waiting:
            if any(worker.reads.covers(place.kind, place.place) for worker in workers):
                offered.append(place)
            else:
                count = f"{len(workers)} that read" if workers else "none reads"
                self._fail(place, f"no worker of the cluster offers to read it ({count} repositories)")
        self._waiting = offered

    async def _watch(self, gone: dict[str, asyncio.Event]) -> None:
        """Miss workers that have left: the engine would wait for them."""
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                there = {worker.address for worker in await self._link.workers()}
            except LinkError:
                there = set[str]()
            for address, event in gone.items():
                if address not in there or not self._link.is_alive:
                    event.set()

    async def _read_on(self, worker: WorkerView, gone: asyncio.Event) -> None:
        while not gone.is_set() and (place := self._next(worker)) is not None:
            await self._read_one(worker, gone, place)

    async def _read_one(self, worker: WorkerView, gone: asyncio.Event, place: AskedPlace) -> None:
        try:
            self._say({"at": place.at, "worker": worker.name, **await self._read(worker, gone, place)})
        except JobRefused as refusal:
            self._fail(place, f"worker {worker.name}: {refusal}")
        except LinkError as error:
            self._fail(place, f"worker {worker.name} is gone ({error})")

    def _next(self, worker: WorkerView) -> AskedPlace | None:
        for place in self._waiting:
            if worker.reads.covers(place.kind, place.place):
                self._waiting.remove(place)
                return place
        return None

    async def _read(self, worker: WorkerView, gone: asyncio.Event, place: AskedPlace) -> dict[str, Any]:
        if place.kind == "address":
            tip = await self._ask(worker, gone, place, with_items=False)
            if tip["result"] in self._known:
                return tip
        return await self._ask(worker, gone, place, with_items=True)

    async def _ask(
        self, worker: WorkerView, gone: asyncio.Event, place: AskedPlace, *, with_items: bool
    ) -> dict[str, Any]:
        future = self._link.submit_read(worker, place.kind, place.place, with_items=with_items)
        reading = asyncio.ensure_future(self._link.result(future))
        leaving = asyncio.ensure_future(gone.wait())
        try:
            await asyncio.wait((reading, leaving), timeout=READ_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                raise LinkError("it left" if gone.is_set() else f"no answer in {READ_SECONDS:.0f} s")
            return _checked(reading.result())
        finally:
            for task in (reading, leaving):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, LinkError, JobRefused):
                    await task

    def _fail(self, place: AskedPlace, why: str) -> None:
        self._say({"at": place.at, "why": why})


def _checked(value: Any) -> dict[str, Any]:
    """Return an answer as it was agreed.

    Raises:
        JobRefused: It is none.
    """
    sent = as_table(value) or {}
    commit, result, items = (sent.get(name) for name in ("commit", "result", "items"))
    is_sound = isinstance(commit, str) and isinstance(result, str) and isinstance(items, str | None)
    if not is_sound or len(items or "") > LARGEST_ITEMS:
        raise JobRefused("it sent no answer that can be read")
    return {"commit": commit, "result": result, "items": items}


async def read_for_fleet(
    address: str, tls: Path, asked: Iterable[AskedPlace], known: frozenset[str], say: Say
) -> None:
    """Have workers read places, and say what each holds.

    Raises:
        RefusedError: The scheduler cannot be spoken to.
    """
    try:
        link = await SchedulerLink.connect(address, tls, lambda _: None)
        try:
            await _FleetReads(link, asked, known, say).run()
        finally:
            await link.close()
    except LinkError as error:
        raise RefusedError(str(error)) from error


def serve_fleet(address: str, tls: Path, questions: TextIO, answers: TextIO) -> None:
    """Read what is asked from a stream, and write the answers to another.

    Raises:
        RefusedError: The scheduler cannot be spoken to.
    """
    sent = json.loads(questions.readline())
    asked = [AskedPlace(*one) for one in sent["asked"]]

    def say(line: dict[str, Any]) -> None:
        answers.write(json.dumps(line) + "\n")
        answers.flush()

    asyncio.run(read_for_fleet(address, tls, asked, frozenset(sent["known"]), say))
    say({"done": True})
