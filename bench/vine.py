"""What the vine tools cost: one plan in one file, read by many calls and changed a task at a time."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chant_mcp._core import VineFiles

from bench.disk import durable_replace
from bench.quiet import quiet
from bench.rows import NOTHING, Limits, Row, absolute, compared, shown
from bench.wire import OURS, PLAIN, Call, Era, Server

_NOOP = Call("noop", {})
_SMALL = Limits(1.0)
_PAGE = Limits(1.3)
_PARSE = Limits(0.015)
_CHAIN = 100
"""Tasks that wait for one another; the root waits for the first of each such chain."""
_STATUSES = ("complete",) * 4 + ("started", "reviewing", "notstarted", "notstarted", "planning", "blocked")


def plan(tasks: int) -> str:
    """Make a plan of so many tasks; the same number gives the same bytes."""
    chance = random.Random(1)
    count = tasks - 1
    root = "".join(f"-> t{at}\n" for at in range(0, count, _CHAIN))
    blocks = [f"vine 1.2.0\ntitle: A plan of {tasks} tasks\n---\n[root] All of it (notstarted)\n{root}"]
    for at in range(count):
        is_last = (at + 1) % _CHAIN == 0 or at + 1 == count
        blocks.append(
            f"[t{at}] Task number {at} of the plan ({chance.choice(_STATUSES)})\n"
            "What has to be done is said here, and what to look at when it is reviewed.\n"
            + ("" if is_last else f"-> t{at + 1}\n")
            + ("" if at % 7 else "> What was settled while it was worked on\n")
        )
    return "---\n".join(blocks)


@dataclass(frozen=True, slots=True)
class _Read:
    name: str
    make: Callable[[int], Call]
    limits: Limits = NOTHING


def _reads(tasks: int) -> list[_Read]:
    def asks(action: str, **more: object) -> Callable[[int], Call]:
        return lambda _: Call("vine_read", {"file": "plan", "action": action, **more})

    def of_task(action: str) -> Callable[[int], Call]:
        return lambda round: Call(
            "vine_read", {"file": "plan", "action": action, "id": f"t{round * 37 % (tasks - 1)}"}
        )

    return [
        _Read("vine summary", asks("summary"), _SMALL),
        _Read("vine task", of_task("task"), _SMALL),
        _Read("vine context", of_task("context"), _SMALL),
        _Read("vine_next, limit 2", lambda _: Call("vine_next", {"file": "plan", "limit": 2}), _SMALL),
        _Read("vine_next, 50 entries", lambda _: Call("vine_next", {"file": "plan", "limit": 10}), _PAGE),
        _Read("vine_next, 250 entries", lambda _: Call("vine_next", {"file": "plan"})),
        _Read("vine list, a page of 50", asks("list", limit=50)),
        _Read("vine search, few hits", asks("search", query="number 777")),
        _Read("vine descendants", of_task("descendants")),
    ]


def vine(folder: Path, tasks: int, rounds: int, era: Era) -> list[Row]:
    """Reads and writes of a plan, the plain call among them."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "plan.vine"
    text = plan(tasks)
    path.write_text(text, encoding="utf-8")
    (folder / "small.vine").write_text(plan(10), encoding="utf-8")
    reads = _reads(tasks)
    samples: dict[str, list[float]] = {read.name: [] for read in reads}
    plain_samples: list[float] = []
    chance = random.Random(1)
    with Server(OURS, folder, era) as ours, Server(PLAIN, folder, era) as plain_server:
        for read in reads:
            for number in range(16):
                ours.call(read.make(number)).text()
                plain_server.call(_NOOP).text()
        with quiet():
            for number in range(rounds):
                chance.shuffle(reads)
                for read in reads:
                    plain_samples.append(plain_server.call(_NOOP).seconds)
                    samples[read.name].append(ours.call(read.make(number)).seconds)
    base = statistics.median(plain_samples)
    rows = [compared("plain call, among vine reads", tasks, plain_samples, base)]
    rows += [compared(read.name, tasks, samples[read.name], base, read.limits) for read in _reads(tasks)]
    rows += _writes(folder, tasks, rounds // 2, era)
    rows.append(
        absolute("vine, first reading of a plan", tasks, _parses(folder, max(rounds // 10, 5)), _PARSE)
    )
    path.write_text(text, encoding="utf-8")
    return rows


def _writes(folder: Path, tasks: int, rounds: int, era: Era) -> list[Row]:
    """Status changes, and what the disk alone takes for a file of that size."""
    changes: list[float] = []
    small: list[float] = []
    afterwards: list[float] = []
    plain_samples: list[float] = []
    flushes: list[float] = []
    size = (folder / "plan.vine").stat().st_size

    def change(file: str, number: int, of: int) -> Call:
        status = "started" if number % 2 else "planning"
        operation = {"op": "set_status", "id": f"t{number * 37 % of}", "status": status}
        return Call("vine_write", {"file": file, "operations": [operation], "limit": 10})

    with Server(OURS, folder, era) as ours, Server(PLAIN, folder, era) as plain_server, quiet():
        for number in range(rounds):
            plain_server.call(_NOOP)  # after the pause of a flush every process is slow
            plain_samples.append(plain_server.call(_NOOP).seconds)
            flushes.append(durable_replace(folder / "replaced.bin", size))
            reply = ours.call(change("plan", number, tasks - 1))
            changes.append(reply.seconds)
            reply.text()
            afterwards.append(ours.call(Call("vine_next", {"file": "plan", "limit": 10})).seconds)
            small.append(ours.call(change("small", number, 9)).seconds)
    base, flush = statistics.median(plain_samples), statistics.median(flushes)
    most = 2 * base + flush
    promise = f"≤ 2 × plain + fsyncs = {shown(most, 'seconds')}"
    name = f"a durable replace of {size / 1e6:.1f} MB"
    return [
        compared("plain call, among vine writes", tasks, plain_samples, base),
        compared(name, tasks, flushes, base),
        Row("vine set_status", tasks, changes, plain=base, promise=promise, most=most),
        compared("vine_next, right after one", tasks, afterwards, base),
        compared("vine set_status, plan of 10 tasks", tasks, small, base),
    ]


def _parses(folder: Path, times: int) -> list[float]:
    """Seconds for reading, validating and sorting out a plan that nothing is known of."""
    seconds: list[float] = []
    for _ in range(times):
        files = VineFiles(folder)
        begin = time.perf_counter()
        files.read("plan", "validate")
        seconds.append(time.perf_counter() - begin)
    return seconds
