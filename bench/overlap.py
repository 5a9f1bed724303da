"""How well the files of a change are foreseen, and what that is worth: `python -m bench.overlap PATH…`.

Each path is a clone that somebody made; nothing is fetched, and nothing is written into it. Each landing on
its first-parent line (a merged pull request, or one squashed into a commit) stands for a spec. Its files are
foreseen from what was known before it: files that its message names (as target files), files of earlier
landings that it mentions (as dependencies), and files that earlier landings with the same scope or title
words touched (as labels). Pairs that share files are merged by `git merge-tree`, so the conflicts are git's
own. From these figures queues of real landings are simulated with 10, 50 and 100 agents under
`dispatch: fifo`, `prefer` and `spare`.
"""

from __future__ import annotations

import heapq
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path, PurePosixPath

_NEWEST = 2_000
"""So many landings of a clone are read."""
_WARM_UP = 500
"""The first landings teach the history and are not judged."""
_MOST_FILES = 60
"""A landing of more files is a sweep through everything, which nobody gives to an agent among others."""
_WINDOW = 20
"""Landings at most this far apart could have been worked on at once."""
_PAIRS = 400
"""So many pairs of each kind are merged."""
_SHARES = (0.1, 0.2, 0.3, 0.5)
"""Candidates for the least share of a label's landings that touched a file."""
_SHARE = 0.3
_SEEN = 3
_OF_DEPENDENCY, _NAMED = 0.5, 1.0
_AGENTS = (10, 50, 100)
_QUEUE, _MINUTES, _REDONE, _SEEDS = 300, 20.0, 0.6, 40
_SPARED = 2.0
"""`spare` holds back what shares more expected files than this with a run."""

_BOTS = re.compile(r"\[bot\]|dependabot|pre-commit-ci|renovate", re.IGNORECASE)
_PULL_REQUEST = re.compile(r"^Merge pull request #(\d+) from \S+")
_SCOPE = re.compile(r"^([a-z][a-z0-9_, /-]{1,24})(?:\([^)]*\))?: ")
_NUMBER = re.compile(r"#(\d{2,6})\b")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,}")


@dataclass(frozen=True, slots=True)
class Landing:
    """One landing on the first-parent line, as a spec would be seen."""

    commit: str
    before: str
    """Where the line stood before it."""
    tip: str | None
    """The end of its branch, where that was merged."""
    number: str | None
    mentions: frozenset[str]
    labels: frozenset[str]
    words: frozenset[str]
    files: frozenset[str]


def write(line: str) -> None:
    """Print a row at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _git(clone: Path, *words: str) -> str:
    done = subprocess.run(("git", "-C", str(clone), *words), capture_output=True, check=True)
    return done.stdout.decode("utf-8", "replace")


def read_landings(clone: Path) -> list[Landing]:
    """The newest landings of a clone, the oldest first."""
    form = "--format=%x01%H%x02%P%x02%an%x02%B%x02"
    line = ("--first-parent", "--diff-merges=first-parent", "--no-renames", "--name-only", f"-{_NEWEST}")
    pieces = _git(clone, "log", *line, form).split("\x01")[1:]
    return [landing for piece in reversed(pieces) if (landing := _landing(*piece.split("\x02")))]


def _landing(commit: str, parents: str, author: str, message: str, names: str) -> Landing | None:
    title, _, text = message.strip().partition("\n")
    before, *tips = parents.split() or [""]
    merged = _PULL_REQUEST.match(title)
    files = frozenset(names.split("\n")) - {""}
    if not before or (tips and not merged) or not 0 < len(files) <= _MOST_FILES:
        return None
    if _BOTS.search(author) or _BOTS.search(title):
        return None
    if merged:
        title, _, text = text.strip().partition("\n")
    numbers = _NUMBER.findall(title)
    number = merged[1] if merged else (numbers[-1] if numbers else None)
    scope = _SCOPE.match(title)
    words = frozenset(word.lower() for word in _WORD.findall(title))
    return Landing(
        commit,
        before,
        tips[0] if tips else None,
        number,
        frozenset(_NUMBER.findall(title + text)) - {number or ""},
        frozenset(re.split(r"[,/ ]+", scope[1])) if scope else words,
        frozenset(word.lower() for word in _WORD.findall(title + " " + text)),
        files,
    )


class FileHistory:
    """What earlier landings touched, by label, by number, and by the names of files."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.touched: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.times: Counter[str] = Counter()
        self.by_number: dict[str, frozenset[str]] = {}
        self.by_stem: defaultdict[str, set[str]] = defaultdict(set)

    def add(self, landing: Landing) -> None:
        """Learn one landing."""
        for label in landing.labels:
            self.times[label] += 1
            self.touched[label].update(landing.files)
        if landing.number:
            self.by_number[landing.number] = landing.files
        for file in landing.files:
            self.by_stem[PurePosixPath(file).stem.lower()].add(file)

    def named(self, landing: Landing) -> dict[str, float]:
        """Files whose name the message has; a stem of many files names none of them."""
        found = (self.by_stem.get(word, set[str]()) for word in landing.words)
        return {file: _NAMED for files in found if len(files) <= 3 for file in files}

    def of_dependencies(self, landing: Landing) -> dict[str, float]:
        """Files of earlier landings that it mentions."""
        found = (self.by_number.get(number, frozenset[str]()) for number in landing.mentions)
        return {file: _OF_DEPENDENCY for files in found for file in files}

    def of_labels(self, landing: Landing) -> dict[str, float]:
        """Files that at least that share of the landings with one of its labels touched."""
        weights: dict[str, float] = {}
        for label in landing.labels:
            # What is on every landing says nothing, and what was seen once says too much.
            if (times := self.times[label]) >= _SEEN:
                for file, count in self.touched[label].items():
                    if count / times >= self.share:
                        weights[file] = max(weights.get(file, 0.0), count / times)
        return weights

    def expected(self, landing: Landing) -> dict[str, float]:
        """Expected files with their weights, as the product does it."""
        return _joined(self.of_labels(landing), self.of_dependencies(landing), self.named(landing))


def _joined(*parts: Mapping[str, float]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for part in parts:
        for file, weight in part.items():
            weights[file] = max(weights.get(file, 0.0), weight)
    return weights


@dataclass(frozen=True, slots=True)
class Foreseen:
    """A landing with what was expected of it."""

    landing: Landing
    expected: Mapping[str, float]


_SOURCES: dict[str, Callable[[FileHistory, Landing], dict[str, float]]] = {
    "named in the message": FileHistory.named,
    "of mentioned landings": FileHistory.of_dependencies,
    "of the same labels": FileHistory.of_labels,
    "all three": FileHistory.expected,
}


def foresee(
    landings: Sequence[Landing],
    share: float,
    source: Callable[[FileHistory, Landing], dict[str, float]] = FileHistory.expected,
) -> list[Foreseen]:
    """What is expected of each landing behind the warm-up, from those before it alone."""
    history = FileHistory(share)
    judged: list[Foreseen] = []
    for at, landing in enumerate(landings):
        if at >= min(_WARM_UP, len(landings) // 3):
            judged.append(Foreseen(landing, source(history, landing)))
        history.add(landing)
    return judged


def recall_and_precision(judged: Sequence[Foreseen]) -> tuple[float, float]:
    """Of all files that were touched, those expected; of all expected, those touched."""
    hit = sum(len(one.landing.files & one.expected.keys()) for one in judged)
    touched = sum(len(one.landing.files) for one in judged)
    expected = sum(len(one.expected) for one in judged)
    return hit / max(touched, 1), hit / max(expected, 1)


def shared_weight(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    """The expected number of files that two specs share."""
    return sum(one[file] * other[file] for file in one.keys() & other.keys())


@dataclass(frozen=True, slots=True)
class TrialMerge:
    """Merges in memory: objects go into a folder of their own, so that the clone stays as it is."""

    clone: Path
    objects: Path

    def merge(self, base: str, ours: str, theirs: str) -> tuple[bool, str] | None:
        """Whether it conflicts, and the tree; nothing where git cannot merge these."""
        own = _git(self.clone, "rev-parse", "--path-format=absolute", "--git-path", "objects").strip()
        variables = {"GIT_OBJECT_DIRECTORY": str(self.objects), "GIT_ALTERNATE_OBJECT_DIRECTORIES": own}
        merging = ("merge-tree", "--write-tree", "--name-only", "--no-messages", f"--merge-base={base}")
        command = ("git", "-C", str(self.clone), *merging, ours, theirs)
        done = subprocess.run(command, capture_output=True, env=os.environ | variables)
        if done.returncode not in (0, 1):
            return None
        return done.returncode == 1, done.stdout.split(b"\n", 1)[0].decode()

    def as_if_at_once(self, first: Landing, second: Landing) -> bool | None:
        """Whether the later one would conflict with the first, had it been made without it.

        The first is taken back from where the second began; nothing where that is not possible.
        """
        without = self.merge(first.commit, second.before, first.before)
        if without is None or without[0]:
            return None
        merged = self.merge(second.before, without[1], second.commit)
        return merged and merged[0]

    def as_it_was(self, first: Landing, second: Landing) -> bool | None:
        """Whether the ends of two branches conflict that really were open at once."""
        if first.tip is None or second.tip is None:
            return None
        try:
            # Work of the second that had seen the first is no longer beside it.
            seen = _git(self.clone, "merge-base", first.tip, second.tip).strip()
        except subprocess.CalledProcessError:
            return None
        if seen in (first.tip, second.tip):
            return None
        merged = self.merge(seen, first.tip, second.tip)
        return merged and merged[0]


def near_pairs(judged: Sequence[Foreseen]) -> list[tuple[Foreseen, Foreseen]]:
    """All pairs that could have been worked on at once."""
    return [(one, other) for at, one in enumerate(judged) for other in judged[at + 1 : at + 1 + _WINDOW]]


@dataclass(frozen=True, slots=True)
class PairTrial:
    """What came of merging two landings."""

    shared: int
    foreseen: float
    conflicts: bool


def try_pairs(
    pairs: Sequence[tuple[Foreseen, Foreseen]], trial: Callable[[Landing, Landing], bool | None]
) -> list[PairTrial]:
    """Merge the pairs that can be merged."""
    with ThreadPoolExecutor(2) as pool:
        firsts, seconds = (one.landing for one, _ in pairs), (other.landing for _, other in pairs)
        ends = pool.map(trial, firsts, seconds)
        return [
            PairTrial(len(a.landing.files & b.landing.files), shared_weight(a.expected, b.expected), end)
            for (a, b), end in zip(pairs, ends, strict=True)
            if end is not None
        ]


def conflict_of_a_file(trials: Sequence[PairTrial]) -> float:
    """The likeliest probability that one shared file conflicts: `1 - (1 - p) ** shared` of a pair."""

    def expected_conflicts(p: float) -> float:
        return sum(1 - (1 - p) ** trial.shared for trial in trials)

    conflicts = sum(trial.conflicts for trial in trials)
    return min((step / 1000 for step in range(1000)), key=lambda p: abs(expected_conflicts(p) - conflicts))


def rate(trials: Sequence[PairTrial]) -> str:
    """The share of trials that conflicted, with their number."""
    conflicts = sum(trial.conflicts for trial in trials)
    return f"{conflicts / len(trials):6.1%} of {len(trials):4}" if trials else "   -"


@dataclass(slots=True)
class Job:
    """A spec in the simulation."""

    files: frozenset[str]
    expected: Mapping[str, float]
    minutes: float
    began: float = 0.0


class Running:
    """The jobs that run, and how often each file is expected of them."""

    def __init__(self) -> None:
        self.jobs = 0
        self.load: defaultdict[str, float] = defaultdict(float)

    def begin(self, job: Job) -> None:
        """One more."""
        self.jobs += 1
        for file, weight in job.expected.items():
            self.load[file] += weight

    def end(self, job: Job) -> None:
        """One less."""
        self.jobs -= 1
        for file, weight in job.expected.items():
            self.load[file] -= weight

    def overlap(self, job: Job) -> float:
        """Expected files that a job shares with all that runs."""
        return sum(weight * self.load[file] for file, weight in job.expected.items())


Policy = Callable[[Sequence[Job], Running], int | None]
"""Which of the waiting jobs begins beside those that run; none if all are held back."""


def first_come(waiting: Sequence[Job], running: Running) -> int | None:
    """`fifo`."""
    return 0


def prefer(waiting: Sequence[Job], running: Running) -> int | None:
    """The one that shares least with what runs."""
    return min(range(len(waiting)), key=lambda at: running.overlap(waiting[at]))


def spare(waiting: Sequence[Job], running: Running) -> int | None:
    """The same, but what shares too much waits while anything runs."""
    best = prefer(waiting, running)
    assert best is not None
    return best if not running.jobs or running.overlap(waiting[best]) <= _SPARED else None


_POLICIES: dict[str, Policy] = {"fifo": first_come, "prefer": prefer, "spare": spare}


def simulate(
    jobs: Sequence[Job], agents: int, policy: Policy, p: float, chance: random.Random
) -> tuple[float, float]:
    """Minutes until all have landed, and the share of work that was wasted on redoing."""
    waiting, running, ends = list(jobs), Running(), list[tuple[float, int, Job]]()
    landed: list[tuple[float, Job]] = []
    now, wasted, order = 0.0, 0.0, iter(range(1_000_000))
    while waiting or running.jobs:
        while waiting and running.jobs < agents and (at := policy(waiting, running)) is not None:
            job = waiting.pop(at)
            job.began = now
            running.begin(job)
            heapq.heappush(ends, (now + job.minutes, next(order), job))
        now, _, job = heapq.heappop(ends)
        shared = _shared_since(job, landed)
        if chance.random() < 1 - (1 - p) ** shared:
            wasted += _REDONE * job.minutes
            job.began = now
            heapq.heappush(ends, (now + _REDONE * job.minutes, next(order), job))
        else:
            running.end(job)
            landed.append((now, job))
    return now, wasted / (wasted + sum(job.minutes for job in jobs))


def _shared_since(job: Job, landed: Sequence[tuple[float, Job]]) -> int:
    beside = takewhile(lambda one: one[0] > job.began, reversed(landed))
    return sum(len(other.files & job.files) for _, other in beside)


def _queues(judged: Sequence[Foreseen], exact: bool) -> Iterator[tuple[list[Job], random.Random]]:
    for seed in range(_SEEDS):
        chance = random.Random(seed)
        begin = chance.randrange(max(len(judged) - _QUEUE, 1))
        yield (
            [
                Job(
                    one.landing.files,
                    dict.fromkeys(one.landing.files, 1.0) if exact else one.expected,
                    chance.lognormvariate(-0.125, 0.5) * _MINUTES,
                )
                for one in islice(judged, begin, begin + _QUEUE)
            ],
            chance,
        )


def write_policies(judged: Sequence[Foreseen], p: float) -> None:
    """Minutes and waste of each policy, with what was foreseen and with the true files."""
    write(
        f"  simulated, {_QUEUE} landings of about {_MINUTES:.0f} minutes, a shared file conflicts in {p:.1%}:"
    )
    write(
        "  agents  "
        + "".join(f"{name:>17}" for name in ("fifo", "prefer", "spare", "prefer, exact", "spare, exact"))
    )
    for agents in _AGENTS:
        cells: list[str] = []
        for name, exact in (
            ("fifo", False),
            ("prefer", False),
            ("spare", False),
            ("prefer", True),
            ("spare", True),
        ):
            ends = [
                simulate(jobs, agents, _POLICIES[name], p, chance) for jobs, chance in _queues(judged, exact)
            ]
            minutes, wasted = (statistics.mean(column) for column in zip(*ends, strict=True))
            cells.append(f"{minutes:9.0f}, {wasted:5.1%}")
        write(f"  {agents:6}  " + "".join(f"{cell:>17}" for cell in cells))


def measure(clone: Path) -> None:
    """Print all figures of one clone."""
    head = _git(clone, "log", "-1", "--format=%H of %cs").strip()
    landings = read_landings(clone)
    judged = foresee(landings, _SHARE)
    write(f"{clone}: {head}, {len(landings)} landings, {len(judged)} judged")
    for name, source in _SOURCES.items():
        for share in _SHARES if name in ("of the same labels", "all three") else (_SHARE,):
            recall, precision = recall_and_precision(foresee(landings, share, source))
            write(f"  files {name:22} share {share:.1f}: recall {recall:4.0%}, precision {precision:4.0%}")
    with tempfile.TemporaryDirectory() as objects:
        p = _write_conflicts(judged, TrialMerge(clone, Path(objects)))
    write_policies(judged, p)


def _write_conflicts(judged: Sequence[Foreseen], merging: TrialMerge) -> float:
    chance = random.Random(1)
    near = near_pairs(judged)
    sharing = [(a, b) for a, b in near if a.landing.files & b.landing.files]
    share = len(sharing) / max(len(near), 1)
    write(f"  pairs within {_WINDOW} landings that share a file: {share:.1%} of {len(near)}")
    picked = chance.sample(sharing, min(_PAIRS, len(sharing)))
    trials = try_pairs(picked, merging.as_if_at_once)
    p = conflict_of_a_file(trials)
    write(f"  conflicts of pairs that share files, as if at once: {rate(trials)} (a shared file: {p:.1%})")
    real = try_pairs(chance.sample(sharing, min(4 * _PAIRS, len(sharing))), merging.as_it_was)
    write(f"  conflicts of those open at once, branches as they were: {rate(real)}")
    some = try_pairs(chance.sample(near, min(_PAIRS, len(near))), merging.as_if_at_once)
    write(f"  conflicts of any pairs, as if at once:              {rate(some)}")
    bins: dict[str, Callable[[float], bool]] = {
        "none": lambda weight: weight == 0,
        "up to 1": lambda weight: 0 < weight <= 1,
        "1 to 2": lambda weight: 1 < weight <= 2,
        "above 2": lambda weight: weight > 2,
    }
    for name, is_in in bins.items():
        pairs = [(a, b) for a, b in near if is_in(shared_weight(a.expected, b.expected))]
        share = len(pairs) / max(len(near), 1)
        trials = try_pairs(chance.sample(pairs, min(_PAIRS, len(pairs))), merging.as_if_at_once)
        write(
            f"  pairs foreseen to share {name:8} {share:6.1%}, conflicts {rate(trials)}",
        )
    return p


def main() -> None:
    """Measure each clone that is named."""
    for path in sys.argv[1:] or sys.exit(__doc__):
        measure(Path(path))


if __name__ == "__main__":
    main()
