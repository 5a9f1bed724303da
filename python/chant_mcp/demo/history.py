"""A sample project of real size with a past: three releases, their runs, and a commit for each day.

Three agents work on it day and night since the first of September; two releases are out. Times, costs,
failures and the order of work come from a simulation whose seed is fixed, so that the project is the same
everywhere. A run counts until its work landed, with the review of a person in between.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, NamedTuple

from chant_mcp._core import ChantProject
from chant_mcp.demo.sample import SampleProject

START = datetime(2025, 9, 1, tzinfo=timezone.utc)
TODAY = 63
"""So many days after the start the story stops."""

_SEED = 2
_HOUR, _DAY = 3_600, 86_400
_AGENTS = 3
_RELEASES = (("Pilot", 6, 15), ("Season", 7, 15), ("Islands", 8, 15))
"""Name, layers, and specs of each layer."""
_WAIST = 2
"""The layer of the last release that is a single spec."""
_ADDED_LATER = 0.2
"""The share of specs that are thought of while a release is in work."""
_USUAL_HOURS = {"docs": 8.0, "web": 14.0, "booking": 18.0, "feed": 24.0, "format": 48.0}
"""Half of the work with a label takes less."""
_DOLLARS_AN_HOUR = 0.2
_TOKENS_A_DOLLAR = 400_000
_FAILED, _PAUSED = 0.12, 0.05
"""The shares of attempts that fail half-way, and that are paused there and continued later."""

_VERBS = ("Add", "Check", "Document", "Import", "Show", "Speed up", "Test", "Translate")
_NOUNS = (
    *("bicycles", "boarding passes", "bookings", "cabins", "cancellations", "crossings", "fares", "groups"),
    *("invoices", "meals", "ports", "refunds", "sailings", "seat maps", "timetables", "waiting lists"),
)
_LAUNCH = (
    *("Write the announcement", "Tell the ports", "Train the crews"),
    *("Print the posters", "Open the desk"),
)
_CREW = ("Sign in with a badge", "List today's sailings", "Scan a pass", "Count bicycles", "Report a delay")
_SETTINGS = {
    ".chant/config.md": "---\nproject:\n  name: harbour\n---\n\n# harbour\n",
    ".chant/.gitignore": "logs/\nprocesses/\n",
}


class AgentPace(NamedTuple):
    """An agent that the project uses, by what its work takes and costs beside that of others."""

    name: str
    share: float
    """Of all attempts."""
    times: float
    """So many times the seconds."""
    dollars: float
    """So many times the money."""


_PACES = (AgentPace("steady", 0.7, 1.0, 1.0), AgentPace("swift", 0.3, 0.6, 1.9))


class SpecAttempt(NamedTuple):
    """An attempt at a spec; times are in seconds since the start."""

    start: float
    end: float
    agent: AgentPace
    state: str
    """`completed`, `failed` or `paused`."""
    dollars: float


@dataclass(slots=True)
class HistorySpec:
    """A spec of the story, and the work on it."""

    id: str
    title: str
    label: str
    release: str
    added: float
    """When it was written down, in seconds since the start."""
    seconds: float
    """How long it takes an agent of the usual pace that succeeds at once."""
    depends_on: list[str] = field(default_factory=list[str])
    attempts: list[SpecAttempt] = field(default_factory=list[SpecAttempt])

    @property
    def end(self) -> float:
        """When it was done."""
        return self.attempts[-1].end

    def status(self, now: float) -> str:
        """Its status at a moment."""
        started = [attempt for attempt in self.attempts if attempt.start <= now]
        if not started:
            return "pending"
        return started[-1].state if started[-1].end <= now else "in_progress"

    def text(self, now: float, known: Mapping[str, HistorySpec]) -> str:
        """Its file as it is at a moment: it waits for what is written down by then."""
        status = self.status(now)
        waits = [id for id in self.depends_on if known[id].added <= now]
        front = f"type: code\nstatus: {status}\nlabels:\n- {self.label}\n"
        front += "depends_on:\n" * bool(waits) + "".join(f"- {id}\n" for id in waits)
        if status == "completed":
            front += f"completed_at: {_stamp(self.end)}\n"
        box = "x" if status == "completed" else " "
        return f"---\n{front}---\n\n# {self.title}\n\n## Acceptance Criteria\n\n- [{box}] Works on staging\n"

    def records(self, now: float) -> Iterator[dict[str, Any]]:
        """What is known of its runs that ended by a moment."""
        for number, attempt in enumerate(self.attempts, 1):
            if attempt.end > now:
                return
            tokens = int(attempt.dollars * _TOKENS_A_DOLLAR)
            yield {
                "schema": 1,
                "process_id": f"{self.id}-{number}",
                "spec_id": self.id,
                "pid": number,
                "status": "completed" if attempt.state == "completed" else "failed",
                "end_state": attempt.state,
                "mode": "single",
                "generation": 1,
                "token": number,
                "started_at": _stamp(attempt.start),
                "updated_at": _stamp(attempt.end),
                "completed_at": _stamp(attempt.end),
                "agent": {"name": attempt.agent.name, "argv": [attempt.agent.name]},
                "usage": {
                    "input_tokens": tokens // 10,
                    "cached_tokens": tokens * 8 // 10,
                    "output_tokens": tokens // 10,
                    "cost_usd": round(attempt.dollars, 4),
                },
            }


class HistoryProject:
    """The project in a folder of its own.

    Example:
        >>> import os
        >>> from pathlib import Path
        >>> from chant_mcp.demo.history import HistoryProject
        >>> HistoryProject(Path("harbour"), os.environ).build()  # doctest: +SKIP
    """

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        """Take a new or empty folder; nothing is written yet.

        Args:
            root: The project's folder.
            environment: For git; variables of git and of ours are left out of it.
        """
        self.root = root
        self._git = SampleProject(root, environment)
        self.specs: Sequence[HistorySpec] = _work_off_releases(random.Random(_SEED))
        """All specs of the story, those included that come later than today."""

    def build(self) -> None:
        """Write the files, the records of runs, and the commits.

        Raises:
            GitError: When git cannot be run or fails.
        """
        self.root.mkdir(parents=True, exist_ok=True)
        day = START.date().isoformat()
        self._git.git(day, "init", "-q", "-b", "main")
        self._git.git(day, "fast-import", "--quiet", given="".join(self._commits()))
        self._git.git(day, "reset", "-q", "--hard")
        self._write_records()

    def _write_records(self) -> None:
        """Write the records of runs, and of each spec which one is the newest."""
        project = ChantProject(self.root)
        records, tokens = project.state_part("processes"), project.state_part("tokens", shared=True)
        for spec in self.specs:
            for record in spec.records(TODAY * _DAY):
                _write_private(records / f"{record['process_id']}.json", json.dumps(record))
                _write_private(tokens / spec.id, f"{record['token']}\n")

    def _commits(self) -> Iterator[str]:
        """What `git fast-import` reads: each day what changed since the day before."""
        known = {spec.id: spec for spec in self.specs}
        last = self.specs[-1]
        before: dict[str, str] = {}
        for day in range(TODAY + 1):
            now = day * _DAY
            written = [spec for spec in self.specs if spec.added <= now]
            files = {f".chant/specs/{spec.id}.md": spec.text(now, known) for spec in written}
            files |= _SETTINGS | (_other_plans(last.id) if last in written else {})
            moment = int(START.timestamp()) + now
            yield f"commit refs/heads/main\ncommitter Ada <ada@example.org> {moment} +0000\n"
            yield _data(f"Day {day}")
            for path, text in files.items():
                if before.get(path) != text:
                    yield f"M 100644 inline {path}\n{_data(text)}"
            before = files


def _work_off_releases(chance: random.Random) -> list[HistorySpec]:
    """Plan all releases, one after the other, each worked off until it is out."""
    specs: list[HistorySpec] = []
    numbers = Counter[str]()
    start = 0.0
    for name, layers, width in _RELEASES:
        release = ReleasePlan(name, start, numbers, chance)
        release.plan_layers(layers, width)
        start = _work_off(release.specs, start, chance)
        specs += release.specs
    return specs


class ReleasePlan:
    """The specs of a release, each of which waits for some of the layer below it."""

    def __init__(self, name: str, start: float, numbers: Counter[str], chance: random.Random) -> None:
        """Take its name, its start in seconds, how many specs each day has, and the source of chance."""
        self.specs: list[HistorySpec] = []
        """All of them; the last one says that it is out, and waits for all others."""
        self._name = name
        self._start = start
        self._numbers = numbers
        self._chance = chance
        self._titles = [f"{verb} {noun}" for verb in _VERBS for noun in _NOUNS]
        chance.shuffle(self._titles)

    def plan_layers(self, layers: int, width: int) -> None:
        """Plan so many layers of so many specs, and some that are thought of later."""
        below: list[HistorySpec] = []
        for layer in range(layers):
            if self._name == _RELEASES[-1][0] and layer == _WAIST:
                # What follows mostly waits for it, but some of it for what lies below.
                waist = self._add("Settle the format that islands exchange", "format", waits=below)
                below = [waist] * width + below
                continue
            found = [self._add_part(below) for _ in range(width)]
            if layer % 2:
                found.append(self._add(f"Agree on format {layer} of {self._name}", "format", waits=below[:2]))
            below = [spec for spec in found if spec.added == self._start]
        named = {id for spec in self.specs for id in spec.depends_on}
        ends = [spec for spec in self.specs if spec.id not in named]
        self._add(f"{self._name} is out", "docs", waits=ends)

    def _add_part(self, below: Sequence[HistorySpec]) -> HistorySpec:
        chance = self._chance
        label = chance.choices(("docs", "web", "booking", "feed"), (2, 3, 3, 2))[0]
        later = chance.randint(2, 26) * _DAY if chance.random() < _ADDED_LATER else 0
        waits = chance.sample(below, min(len(below), chance.randint(1, 2)))
        return self._add(f"{self._titles.pop()} ({label})", label, waits=waits, later=later)

    def _add(
        self, title: str, label: str, *, waits: Sequence[HistorySpec], later: float = 0.0
    ) -> HistorySpec:
        added = self._start + later
        day = f"{START + timedelta(seconds=added):%Y-%m-%d}"
        self._numbers[day] += 1
        number = self._numbers[day]
        seconds = _USUAL_HOURS[label] * _HOUR * math.exp(0.5 * self._chance.gauss(0, 1))
        names = list(dict.fromkeys(spec.id for spec in waits))
        spec = HistorySpec(f"{day}-{number:03}-{number:03x}", title, label, self._name, added, seconds, names)
        self.specs.append(spec)
        return spec


def _work_off(specs: Sequence[HistorySpec], start: float, chance: random.Random) -> float:
    """Have the agents take what is free, in the order of IDs, and give the end of the last work.

    What failed or was paused is free again when a person looked at it; meanwhile the agent does other work.
    """
    ends: dict[str, float] = {}
    free_at = [start] * _AGENTS
    free_from = {spec.id: spec.added for spec in specs}
    left = dict.fromkeys(free_from, 1.0)
    while len(ends) < len(specs):
        agent = min(range(_AGENTS), key=free_at.__getitem__)
        begins = {
            spec.id: max(free_at[agent], free_from[spec.id], *(ends[id] for id in spec.depends_on))
            for spec in specs
            if spec.id not in ends and all(id in ends for id in spec.depends_on)
        }
        spec = min((one for one in specs if one.id in begins), key=lambda one: (begins[one.id], one.id))
        attempt = _attempt(spec.seconds * left[spec.id], begins[spec.id], chance)
        spec.attempts.append(attempt)
        free_at[agent] = attempt.end
        if attempt.state == "completed":
            ends[spec.id] = attempt.end
            continue
        free_from[spec.id] = attempt.end + chance.uniform(4, 24) * _HOUR
        left[spec.id] /= 2 if attempt.state == "paused" else 1
    return max(ends.values())


def _attempt(seconds: float, now: float, chance: random.Random) -> SpecAttempt:
    """An attempt at so much work; one that fails or is paused ends half-way."""
    pace = chance.choices(_PACES, [pace.share for pace in _PACES])[0]
    (state,) = chance.choices(("failed", "paused", "completed"), (_FAILED, _PAUSED, 1 - _FAILED - _PAUSED))
    part = seconds if state == "completed" else seconds / 2
    dollars = part / _HOUR * _DOLLARS_AN_HOUR * pace.dollars * math.exp(0.3 * chance.gauss(0, 1))
    return SpecAttempt(now, now + part * pace.times, pace, state, dollars)


def _other_plans(gate: str) -> dict[str, str]:
    """A task graph that waits for the last release, and a feature beside it."""
    steps = "---\n".join(
        f"[step-{number}] {title} (notstarted)"
        + f" @needs(chant:{gate})" * (number == 1)
        + "\n"
        + (f"-> step-{number - 1}\n" if number > 1 else "")
        for number, title in reversed(list(enumerate(_LAUNCH, 1)))
    )
    tasks = "".join(f"- [ ] T{number:03} {title}\n" for number, title in enumerate(_CREW, 1))
    return {
        "launch.vine": f"vine 1.2.0\ntitle: Launch\n---\n{steps}",
        "specs/010-crew/spec.md": "# Crew\n",
        "specs/010-crew/plan.md": "# Plan\n",
        "specs/010-crew/tasks.md": f"# Tasks\n\n## Phase 1: The crew's page\n\n{tasks}",
    }


def _write_private(path: Path, text: str) -> None:
    """Write a file that only its owner can read, as our own state has to be."""
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")


def _stamp(seconds: float) -> str:
    return f"{START + timedelta(seconds=int(seconds)):%Y-%m-%dT%H:%M:%S}Z"


def _data(text: str) -> str:
    return f"data {len(text.encode())}\n{text}\n"
