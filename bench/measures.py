"""What is measured, group by group; each group is one interleaved run with the plain call in it."""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.corpus import ABSENT_WORD, COMMON_WORD, RARE_WORD, Corpus, keep, note_of
from bench.disk import durable_replace
from bench.quiet import quiet
from bench.rows import NOTHING, Limits, Row, absolute, compared, shown
from bench.wire import OURS, PLAIN, Call, Era, Server, first_answer, request, with_handshake

_REPOSITORY = Path(__file__).parents[1]
_NOOP = Call("noop", {})
_STATUS = Call("chant_status", {})

_SMALL = Limits(1.0, 1.2)
"""An answer of a few lines."""
_PAGE = Limits(1.3, 1.5)
"""An answer of fifty entries, and `diagnose`."""
_SEARCH = Limits(3.0)
_NOISE = 1.1
"""What counts as equally fast."""
_CHANGED = 20
"""Every so manieth file is changed: 5 %."""


@dataclass(frozen=True, slots=True)
class _Read:
    """A row of calls that change nothing; round by round they may differ in their arguments."""

    name: str
    make: Callable[[int], Call]
    limits: Limits = NOTHING


def _reads(corpus: Corpus) -> list[_Read]:
    def of(ids: Sequence[str], tool: str, cut: slice = slice(None)) -> Callable[[int], Call]:
        return lambda round: Call(tool, {"id": ids[round % len(ids)][cut]})

    def same(tool: str, **arguments: int | str) -> Callable[[int], Call]:
        call = Call(tool, arguments)
        return lambda _: call

    rows = [
        _Read("spec_get", of(corpus.sample, "chant_spec_get"), _SMALL),
        _Read("status", same("chant_status"), _SMALL),
        _Read("verify", of(corpus.sample, "chant_verify"), _SMALL),
        _Read("ready, limit 10", same("chant_ready", limit=10), _SMALL),
        _Read("spec_list, limit 10", same("chant_spec_list", limit=10), _SMALL),
        _Read("ready, page of 50", same("chant_ready"), _PAGE),
        _Read("spec_list, page of 50", same("chant_spec_list"), _PAGE),
        _Read("diagnose", of(corpus.tagged, "chant_diagnose"), _PAGE),
        _Read("search, 7 hits", same("chant_search", query=RARE_WORD), _SEARCH),
        _Read("search, every other spec", same("chant_search", query=COMMON_WORD), _SEARCH),
        _Read("search, no hit", same("chant_search", query=ABSENT_WORD), _SEARCH),
        _Read("log, 50 KB", same("chant_log", id=corpus.small_log)),
        _Read("log, 50 MB", same("chant_log", id=corpus.large_log)),
        _Read("spec_get, partial ID", of(corpus.sample, "chant_spec_get", slice(-7, None))),
        _Read("spec_list, last page", same("chant_spec_list", offset=corpus.specs * 9 // 10)),
    ]
    if corpus.branched:
        rows.append(_Read("diagnose, with a branch", of(corpus.branched, "chant_diagnose")))
    return rows


def reads(corpus: Corpus, rounds: int, era: Era) -> list[Row]:
    """Warm calls that change nothing, and what the server then holds in memory."""
    todo = _reads(corpus)
    samples: dict[str, list[float]] = {read.name: [] for read in todo}
    plain_samples: list[float] = []
    lint_samples: list[float] = []
    on_loop: list[float] = []
    chance = random.Random(1)
    lint = Call("chant_lint", {})
    with Server(OURS, corpus.root, era) as ours, Server(PLAIN, corpus.root, era) as plain:
        ours.call(_STATUS).text()
        fresh = ours.memory()
        first_diagnosis = ours.call(Call("chant_diagnose", {"id": corpus.tagged[0]}))
        for read in todo:
            for number in range(16):
                ours.call(read.make(number)).text()
                plain.call(_NOOP).text()
        ours.call(lint).text()
        with quiet():
            for number in range(rounds):
                chance.shuffle(todo)
                for read in todo:
                    plain_samples.append(plain.call(_NOOP).seconds)
                    samples[read.name].append(ours.call(read.make(number)).seconds)
                on_loop.append(plain.call(Call("noop_on_loop", {})).seconds)
            for _ in range(max(rounds // 30, 3)):
                plain.call(_NOOP)
                lint_samples.append(ours.call(lint).seconds)
        after = ours.memory()
    base, size = statistics.median(plain_samples), corpus.specs
    rows = [
        compared("plain call", size, plain_samples, base),
        compared("plain call, async function", size, on_loop, base),
        *(compared(read.name, size, samples[read.name], base, read.limits) for read in _reads(corpus)),
        compared("diagnose, first of a process", size, [first_diagnosis.seconds], base),
        absolute("lint, all specs", size, lint_samples, Limits(0.3)),
        *_memory(size, [fresh.now], [after.now], [after.peak]),
    ]
    return [_like_the_small_log(row, samples["log, 50 KB"]) for row in rows]


def _memory(size: int, fresh: list[float], after: list[float], peak: list[float]) -> list[Row]:
    limits = Limits(120e6, 700e6)
    return [
        absolute("memory after the first call", size, fresh, limits, "bytes"),
        absolute("memory after all these", size, after, limits, "bytes"),
        absolute("its peak", size, peak, NOTHING, "bytes"),
    ]


def _like_the_small_log(row: Row, small: list[float]) -> Row:
    if row.name != "log, 50 MB":
        return row
    most = _NOISE * statistics.median(small)
    return Row(row.name, row.specs, row.samples, plain=row.plain, promise="as the 50 KB one", most=most)


@dataclass(frozen=True, slots=True)
class _Write:
    """A row of calls among writes; whether it changes something itself."""

    name: str
    make: Callable[[int], Call]
    changes: bool
    limits: Limits = NOTHING
    """What a call that changes nothing may take, where that is a time."""


def _writes(corpus: Corpus) -> list[_Write]:
    """The calls of one round. Their order is fixed: what a call costs depends on the one before."""

    def update(shift: int) -> Callable[[int], Call]:
        return lambda round: Call(
            "chant_spec_update",
            {"id": corpus.sample[(2 * round + shift) % len(corpus.sample)], "labels": [f"round-{round}"]},
        )

    def add(round: int) -> Call:
        given = {
            "description": f"Measure what a new spec costs, number {round}",
            "criteria": ["It appears in the list", "It waits for what it names", "It is on disk"],
            "depends_on": [corpus.sample[round % len(corpus.sample)]],
            "labels": ["perf"],
        }
        return Call("chant_add", given)

    def ready(_: int) -> Call:
        return Call("chant_ready", {"limit": 10})

    return [
        _Write("spec_update", update(0), changes=True),
        _Write("spec_update, right after one", update(1), changes=True),
        _Write("ready, right after an update", ready, changes=False),
        _Write("lint, all specs, after one edit", lambda _: Call("chant_lint", {}), False, Limits(0.02)),
        _Write("add", add, changes=True),
        _Write("ready, right after an add", ready, changes=False),
    ]


def writes(corpus: Corpus, rounds: int, era: Era) -> list[Row]:
    """Calls that change one spec."""
    todo = _writes(corpus)
    samples: dict[str, list[float]] = {write.name: [] for write in todo}
    plain_samples: list[float] = []
    flushes: list[float] = []
    with (
        borrowed(corpus) as (scratch, made),
        Server(OURS, corpus.root, era) as ours,
        Server(PLAIN, corpus.root, era) as plain,
        quiet(),
    ):
        for number in range(rounds):
            plain.call(_NOOP)  # after the pause of a flush every process is slow
            plain_samples.append(plain.call(_NOOP).seconds)
            flushes.append(durable_replace(scratch / "replaced.md", 2_000))
            for write in todo:
                reply = ours.call(write.make(number))
                samples[write.name].append(reply.seconds)
                if write.name == "add":
                    made.append(corpus.path(reply.text().split()[2]))
    base, flush, size = statistics.median(plain_samples), statistics.median(flushes), corpus.specs
    most = 1.5 * base + flush
    promise = f"≤ 1.5 × plain + fsyncs = {shown(most, 'seconds')}"
    rows = [
        compared("plain call, between writes", size, plain_samples, base),
        compared("a durable 2 KB replace", size, flushes, base),
    ]
    for write in todo:
        given = samples[write.name]
        if write.changes:
            rows.append(Row(write.name, size, given, plain=base, promise=promise, most=most))
        elif write.limits is NOTHING:
            rows.append(compared(write.name, size, given, base))
        else:
            rows.append(absolute(write.name, size, given, write.limits))
    return rows


@contextmanager
def borrowed(corpus: Corpus) -> Generator[tuple[Path, list[Path]]]:
    """Lend a kept project to somebody who changes it, and put it back as it was.

    Yields:
        A folder on the same file system, and a list for the files that are made.
    """
    note_of(corpus).unlink(missing_ok=True)
    touched = {corpus.path(id): corpus.path(id).read_bytes() for id in corpus.sample}
    scratch = corpus.root / ".bench"
    scratch.mkdir(exist_ok=True)
    made = [scratch / "replaced.md"]
    try:
        yield scratch, made
    finally:
        for path in made:
            path.unlink(missing_ok=True)
        scratch.rmdir()
        for path, content in touched.items():
            path.write_bytes(content)
    keep(corpus, note_of(corpus))


def index(corpus: Corpus, times: int) -> list[Row]:
    """From nothing to the first answer in a fresh process, files in the page cache."""
    command = (sys.executable, "-m", "bench.index_probe", str(corpus.root))
    runs: list[tuple[float, float, float]] = []
    for _ in range(times + 1):
        done = subprocess.run(command, cwd=_REPOSITORY, check=True, capture_output=True)
        first, again, joining = json.loads(done.stdout)
        runs.append((first, again, joining))
    # The first process may have brought the files into the page cache.
    first, again, joining = zip(*runs[1:], strict=True)
    return [
        absolute("index, fresh process", corpus.specs, first, Limits(0.120, 1.5)),
        absolute("index, second opening of a process", corpus.specs, again, Limits(0.120, 1.5)),
        Row("workspace, joined after the index", corpus.specs, joining),
    ]


def changed(corpus: Corpus, times: int, cold: float, era: Era) -> list[Row]:
    """The call after another program changed 5 % of the files.

    Args:
        corpus: The project.
        times: How often that is done.
        cold: Seconds for the index of all files.
        era: Of the protocol.
    """
    paths = sorted((corpus.root / ".chant" / "specs").glob("*.md"))[::_CHANGED]
    before = {path: path.read_bytes() for path in paths}
    names = "\n".join(map(str, paths))
    samples: list[float] = []
    plain_samples: list[float] = []
    note_of(corpus).unlink(missing_ok=True)
    try:
        with Server(OURS, corpus.root, era) as ours, Server(PLAIN, corpus.root, era) as plain:
            for number in range(times):
                ours.call(_STATUS)
                command = (sys.executable, "-m", "bench.editor", f"{number}")
                subprocess.run(command, cwd=_REPOSITORY, check=True, input=names, text=True)
                with quiet():
                    plain_samples.append(plain.call(_NOOP).seconds)
                    samples.append(ours.call(_STATUS).seconds)
    finally:
        for path, content in before.items():
            path.write_bytes(content)
    keep(corpus, note_of(corpus))
    most = statistics.median(plain_samples) + 2 * cold / _CHANGED
    promise = f"≤ plain + 2 × 5 % of the index = {shown(most, 'seconds')}"
    name = f"status, after {len(paths):,} files changed"
    return [Row(name, corpus.specs, samples, promise=promise, most=most)]


def starts(corpus: Corpus, times: int) -> list[Row]:
    """From the start of a process to its first answer, ours and the plain server in turns."""
    listing = request("tools/list")
    status = request("tools/call", {"name": "chant_status", "arguments": {}})
    ours: list[float] = []
    plain: list[float] = []
    one_shot: list[float] = []
    for _ in range(times):
        plain.append(first_answer(PLAIN, corpus.root, with_handshake(listing), ends=False))
        ours.append(first_answer(OURS, corpus.root, [listing], ends=True))
        one_shot.append(first_answer(OURS, corpus.root, [status], ends=True))
    base = statistics.median(plain)
    return [
        Row("start of the plain server, tools/list", 0, plain),
        Row("one-liner, tools/list", 0, ours, promise="sooner than the plain server", most=base),
        Row("one-liner, chant_status", corpus.specs, one_shot),
    ]
