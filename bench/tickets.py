"""What the tickets tools cost, and what their smaller answers save against whole documents."""

from __future__ import annotations

import json
import random
import shutil
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chant_mcp._core import Answer, TicketProjects

from bench.disk import durable_replace
from bench.quiet import quiet
from bench.rows import NOTHING, Limits, Row, absolute, compared, shown
from bench.wire import OURS, PLAIN, Call, Era, Server

MOST = 10_000
"""Tickets of the largest project that is measured."""

_NOOP = Call("noop", {})
_SMALL = Limits(1.0)
_FILTERED = Limits(1.5)
_LARGE = 200_000
"""Bytes of the last ticket."""
_LARGE_UPDATE = 0.003
_CODE = "TCK"
_STATUSES = ("Implemented",) * 5 + ("Proposed", "Approved", "In Progress", "On Hold", "Rejected")
_TYPES = ("Architecture", "Feature Enhancement", "Bug Fix", "Technical Debt", "Documentation")
_PRIORITIES = ("Low", "Medium", "Medium", "High", "Critical")
_HEADINGS = (
    "## 1. Description",
    "### Problem Statement",
    "### Current State",
    "### Desired State",
    "## 2. Solution Analysis",
    "## 3. Implementation Specification",
    "### Technical Requirements",
    "## 4. Acceptance Criteria",
    "## 5. Implementation Notes",
)
_SENTENCES = (
    "The board shows a ticket as soon as its file is written, whoever wrote it.",
    "What `dependsOn` names has to be done first; see *Relations* for the words that may stand there.",
    "A reader of the old format finds every key where it was, comments and quotes included.",
    "Measured with ten thousand files, most of the time goes into reading what nobody asked for.",
    "Two writers of one ticket wait for each other; none of them sees half of a change.",
    "Nothing outside the folder of the tickets is touched, and links that lead out are refused.",
)
_LINES = (
    "- [ ] The error names the key, what was expected and a next step",
    "- [x] Files of earlier releases are read as before",
    "```sh\ncurl -s localhost:3001/api/projects | jq '.[].code'\n# not a heading\n```",
    "| Field | Before | After |\n|---|---|---|\n| status | Proposed | Approved |",
)


def make(folder: Path, tickets: int) -> None:
    """Make a project of so many tickets, the last of them a large one; the same number gives the same bytes.

    Bodies have 1 to 10 KB in nine sections; tickets depend on up to three earlier ones.
    """
    shutil.rmtree(folder, ignore_errors=True)
    home = folder / "docs" / "CRs"
    home.mkdir(parents=True)
    config = f'[project]\nname = "{tickets:,} tickets"\ncode = "{_CODE}"\n'
    (folder / ".mdt-config.toml").write_text(config, encoding="utf-8")
    chance = random.Random(1)
    for number in range(1, tickets + 1):
        size = _LARGE if number == tickets else chance.randint(1_000, 10_000)
        text = _front_matter(number, chance) + _body(number, size, chance)
        (home / f"{_code(number)}-what-has-to-change.md").write_text(text, encoding="utf-8")


def _code(number: int) -> str:
    return f"{_CODE}-{number:03}"


def _front_matter(number: int, chance: random.Random) -> str:
    day = f"2025-{number % 12 + 1:02}-{number % 28 + 1:02}T09:20:02.492Z"
    lines = [
        f"code: {_code(number)}",
        f"status: {chance.choice(_STATUSES)}",
        f"dateCreated: {day}",
        f"lastModified: {day}",
        f"type: {chance.choice(_TYPES)}",
        f"priority: {chance.choice(_PRIORITIES)}",
        f"phaseEpic: Phase {number % 7}",
    ]
    earlier = [_code(chance.randrange(1, number)) for _ in range(chance.randint(0, 3)) if number > 1]
    if earlier:
        lines.append(f"dependsOn: {','.join(dict.fromkeys(earlier))}")
    if number % 3 == 0:
        lines.append(f"relatedTickets: {_code(number // 3)}")
    if number % 2:
        lines.append("assignee: ada@example.org")
    return "---\n" + "\n".join(lines) + "\n---\n\n"


def _body(number: int, size: int, chance: random.Random) -> str:
    parts = [f"# What has to change, number {number}\n"]
    # A large ticket has more sections, not longer ones.
    rounds = max(size // 10_000, 1)
    room = size // (rounds * len(_HEADINGS))
    for round in range(rounds):
        for heading in _HEADINGS:
            own = f"{heading} {round}" if round else heading
            parts.append(f"{own}\n\n{_text(room - len(own), chance)}")
    return "\n".join(parts)


def _text(size: int, chance: random.Random) -> str:
    text = f"{chance.choice(_LINES)}\n"
    while len(text) < size:
        text += f"\n{' '.join(chance.choices(_SENTENCES, k=3))}\n"
    return text


@dataclass(frozen=True, slots=True)
class _Read:
    name: str
    make: Callable[[int], Call]
    limits: Limits = NOTHING


def _reads(tickets: int) -> list[_Read]:
    def ticket(tool: str, **more: object) -> Callable[[int], Call]:
        return lambda round: Call(tool, {"key": _code(round * 37 % (tickets - 1) + 1), **more})

    def same(tool: str, **arguments: object) -> Callable[[int], Call]:
        return lambda _: Call(tool, arguments)

    filters = {"status": "In Progress", "priority": ["High", "Critical"]}
    section = {"operation": "get", "section": "### Current State"}
    return [
        _Read("get_cr, full", ticket("get_cr"), _SMALL),
        _Read("get_cr, attributes", ticket("get_cr", mode="attributes"), _SMALL),
        _Read("get_cr, metadata", ticket("get_cr", mode="metadata"), _SMALL),
        _Read("sections list", ticket("manage_cr_sections", operation="list"), _SMALL),
        _Read("sections get", ticket("manage_cr_sections", **section), _SMALL),
        _Read("list_crs, filtered", same("list_crs", filters=filters), _FILTERED),
        _Read("list_crs, default page", same("list_crs")),
        _Read("list_crs, 50 with three keys", same("list_crs", limit=50, fields=["title", "status"])),
        _Read("get_project_info", same("get_project_info", key=_CODE)),
        _Read("suggest_cr_improvements", ticket("suggest_cr_improvements")),
    ]


def tickets(folder: Path, tickets: int, rounds: int, era: Era) -> list[Row]:
    """Reads and changes of a project, the plain call among them."""
    make(folder, tickets)
    reads = _reads(tickets)
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
    rows = [compared("plain call, among ticket reads", tickets, plain_samples, base)]
    rows += [compared(read.name, tickets, samples[read.name], base, read.limits) for read in _reads(tickets)]
    rows += _writes(folder, tickets, rounds // 2, era)
    first = _first_readings(folder, max(rounds // 30, 5))
    rows.append(absolute("tickets, first reading", tickets, first, NOTHING))
    return rows


@dataclass(frozen=True, slots=True)
class _Change:
    """A call of the rounds of changes, and how many durable writes of a ticket's size it may cost."""

    name: str
    make: Callable[[int], Call]
    flushes: int | None


def _changes(folder: Path, tickets: int) -> list[_Change]:
    """The calls of one round. Their order is fixed: what a call costs depends on the one before."""
    approved = _of_status(folder, "Approved")

    def attributes(round: int) -> Call:
        key = _code(round * 41 % (tickets - 1) + 1)
        return Call("update_cr_attrs", {"key": key, "attributes": {"assignee": f"round {round}"}})

    def status(round: int) -> Call:
        word = "Approved" if round % 2 else "In Progress"
        return Call("update_cr_status", {"key": approved[round // 2 % len(approved)], "status": word})

    def create(round: int) -> Call:
        data = {"title": f"Measure what a new ticket costs, {round}", "dependsOn": _code(round % tickets + 1)}
        return Call("create_cr", {"type": "Bug Fix", "data": data})

    def section(round: int) -> Call:
        return _section_update(_code(round * 43 % (tickets - 1) + 1), "### Current State", round)

    filters = {"status": "In Progress", "priority": ["High", "Critical"]}
    return [
        _Change("update_cr_attrs", attributes, 1),
        _Change("list_crs, filtered, right after", lambda _: Call("list_crs", {"filters": filters}), None),
        _Change("update_cr_status", status, 1),
        _Change("section update", section, 1),
        _Change("create_cr", create, 2),
    ]


def _section_update(key: str, section: str, round: int) -> Call:
    content = f"As of round {round}:\n\n{' '.join(_SENTENCES[:3])}"
    return Call(
        "manage_cr_sections",
        {"key": key, "operation": "update", "updateMode": "replace", "section": section, "content": content},
    )


def _of_status(folder: Path, status: str) -> list[str]:
    found = TicketProjects(folder).list_crs(filters={"status": status}, limit=200, fields=["status"])
    return [ticket["code"] for ticket in found.data["crs"]]


def _writes(folder: Path, tickets: int, rounds: int, era: Era) -> list[Row]:
    """Changes of tickets, and what the disk alone takes for files of their sizes."""
    changes = _changes(folder, tickets)
    samples: dict[str, list[float]] = {change.name: [] for change in changes}
    plain_samples: list[float] = []
    flushes: list[float] = []
    large_flushes: list[float] = []
    large_updates: list[float] = []
    sizes = [path.stat().st_size for path in (folder / "docs" / "CRs").iterdir()]
    usual = round(statistics.median(sizes))
    scratch = folder / "replaced.bin"
    with Server(OURS, folder, era) as ours, Server(PLAIN, folder, era) as plain_server, quiet():
        for number in range(rounds):
            plain_server.call(_NOOP)  # after the pause of a flush every process is slow
            plain_samples.append(plain_server.call(_NOOP).seconds)
            flushes.append(durable_replace(scratch, usual))
            for change in changes:
                reply = ours.call(change.make(number))
                samples[change.name].append(reply.seconds)
                reply.text()
            large_flushes.append(durable_replace(scratch, max(sizes)))
            reply = ours.call(_section_update(_code(tickets), "### Current State 9", number))
            large_updates.append(reply.seconds)
            reply.text()
    base, flush = statistics.median(plain_samples), statistics.median(flushes)
    rows = [
        compared("plain call, among ticket changes", tickets, plain_samples, base),
        compared(f"a durable replace of {usual / 1e3:.1f} KB", tickets, flushes, base),
        compared(f"a durable replace of {max(sizes) / 1e3:.0f} KB", tickets, large_flushes, base),
    ]
    for change in changes:
        given = samples[change.name]
        if change.flushes is None:
            rows.append(compared(change.name, tickets, given, base))
            continue
        most = 1.5 * base + change.flushes * flush
        several = f"{change.flushes} × " if change.flushes > 1 else ""
        promise = f"≤ 1.5 × plain + {several}fsyncs = {shown(most, 'seconds')}"
        rows.append(Row(change.name, tickets, given, plain=base, promise=promise, most=most))
    without = [call - flush for call, flush in zip(large_updates, large_flushes, strict=True)]
    rows.append(compared("section update, 200 KB", tickets, large_updates, base))
    rows.append(absolute("the same, less its durable replace", tickets, without, Limits(_LARGE_UPDATE)))
    return rows


def _first_readings(folder: Path, times: int) -> list[float]:
    """Seconds for finding the project, reading all of its tickets and counting them."""
    seconds: list[float] = []
    for _ in range(times):
        begin = time.perf_counter()
        TicketProjects(folder).get_project_info(_CODE)
        seconds.append(time.perf_counter() - begin)
    return seconds


@dataclass(frozen=True, slots=True)
class Saving:
    """What a call takes of the words of a model, against the whole document."""

    call: str
    taken: float
    """Bytes sent and answered, the median of a sample of tickets."""
    share: float
    """The median of what is saved of each whole document; negative where it costs more."""
    seed: str
    """What the seed says is saved."""


_SAMPLE = 200
_LIGHT, _PART = "90–95 %", "84–94 %"


def savings(folder: Path, tickets: int) -> list[Saving]:
    """Count the bytes of each mode of `get_cr` and each operation on sections; changes some tickets."""
    handle = TicketProjects(folder)
    numbers = range(1, tickets, max(tickets // _SAMPLE, 1))
    taken: dict[str, list[int]] = {}
    shares: dict[str, list[float]] = {}
    seeds: dict[str, str] = {}
    for key in map(_code, numbers):
        whole = len(handle.get_cr(None, key).text.encode())
        for name, seed, sent, answer in _answers(handle, key):
            size = len(json.dumps(sent)) + len(answer.text.encode())
            taken.setdefault(name, []).append(size)
            shares.setdefault(name, []).append(1 - size / whole)
            seeds[name] = seed
    return [
        Saving(name, statistics.median(sizes), statistics.median(shares[name]), seeds[name])
        for name, sizes in taken.items()
    ]


def _answers(handle: TicketProjects, key: str) -> Sequence[tuple[str, str, Mapping[str, Any], Answer]]:
    """The calls that are counted: their names, what the seed promises, arguments and answers."""
    section, content = "### Current State", " ".join(_SENTENCES[:3])

    def sections(operation: str, **named: str) -> tuple[Mapping[str, Any], Answer]:
        name, text = named.get("section"), named.get("content")
        answer = handle.manage_cr_sections(None, key, operation, section=name, content=text)
        return {"key": key, "operation": operation, **named}, answer

    def mode(word: str) -> tuple[Mapping[str, Any], Answer]:
        return {"key": key, "mode": word}, handle.get_cr(None, key, mode=word)

    return [
        ("get_cr, full", "", *mode("full")),
        ("get_cr, attributes", _LIGHT, *mode("attributes")),
        ("get_cr, metadata", _LIGHT, *mode("metadata")),
        ("sections list", _PART, *sections("list")),
        ("sections get", _PART, *sections("get", section=section)),
        ("sections replace", _PART, *sections("replace", section=section, content=content)),
        ("sections append", _PART, *sections("append", section=section, content=content)),
        ("sections prepend", _PART, *sections("prepend", section=section, content=content)),
    ]
