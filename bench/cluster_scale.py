"""Where the limit of one orchestrator is, by simulation with measured costs: `python -m bench.cluster_scale`.

With `--measure` starts, landings and memory are measured first, with an agent of four commands; processor
time is what `python -m bench.runs` says. Otherwise the figures of README.md are used. The simulation has
agents on other machines. Each run needs the head (the orchestrator's machine) four times: its claim waits for
the next push, its start takes its turn, its end takes processor time and its turn at the landing, and it has
landed with the next push. Nothing here speaks to a cluster.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import re
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.leases import open_project, write
from bench.wire import OURS

_HOURS = 6.0
_WARM_UP = 2.0
"""Hours until all is as it stays."""
_MEASURED = 12
_JOB_CLIENT = 5e6
"""Private memory of a small Python process, in bytes: the one that waits for the agent elsewhere."""
_AT_ONCE = 4


_CONFIG = """---
project: {{name: shared}}
defaults: {{provider: sh, main_branch: main}}
agents:
  sh:
    command:
      - sh
      - -c
      - |
        echo begins; sleep 1; date > "$CHANT_SPEC_ID.md"
        sed -i "s/- \\[ \\]/- [x]/" "$CHANT_SPEC_FILE"
        git add -A; git commit -qm "chant($CHANT_SPEC_ID): Work"; echo ends
{leases}
---
"""
"""An agent of four commands, so that the agent itself costs nearly nothing."""


@dataclass(frozen=True, slots=True)
class HeadCosts:
    """What a run costs the head, in seconds, processor seconds and bytes."""

    start: float = 0.21
    """A start, from the orchestrator's decision to the agent; one at a time."""
    start_work: float = 0.11
    """Processor time until the agent works."""
    landing: float = 0.22
    """A landing; one at a time."""
    end_work: float = 0.11
    """Processor time from the agent's end to the landing."""
    memory: float = 13e6
    """A runner and what stands for its agent here, until its run has landed."""
    push_interval: float = 15.0


@dataclass(frozen=True, slots=True)
class Cluster:
    """What is simulated."""

    machines: int = 500
    slots: int = 10
    minutes: float = 30.0
    """An agent's work, as the median of a lognormal distribution of spread 0.5."""
    cores: int = 8
    """Of the head."""
    orchestrators: int = 1
    """Heads that share the plan by claims; each has its own machine and a part of the agents."""


@dataclass(slots=True)
class Server:
    """Something that does one thing at a time, or as many as it has places."""

    places: list[float]
    busy: float = 0.0

    def take(self, now: float, seconds: float) -> float:
        """Give the time at which it is done with what comes now."""
        free = heapq.heappop(self.places)
        done = max(now, free) + seconds
        heapq.heappush(self.places, done)
        self.busy += seconds
        return done

    def use(self, now: float) -> float:
        """Give the share of its time that was needed; above 1 it falls behind."""
        return self.busy / (now * len(self.places))


@dataclass(frozen=True, slots=True)
class Figures:
    """What came of a simulation."""

    working: float
    """The share of agents that work, of all slots."""
    landed_a_minute: float
    waiting_to_land: float
    """Seconds from an agent's end until its work has landed, as the median."""
    memory: float
    uses: Mapping[str, float]


def simulate(cluster: Cluster, costs: HeadCosts, seed: int = 1) -> Figures:
    """Simulate some hours of a full plan and give the figures behind the warm-up."""
    chance = random.Random(seed)
    agents = cluster.machines * cluster.slots // cluster.orchestrators
    starts, landings = Server([0.0]), Server([0.0])
    cores = Server([0.0] * cluster.cores)
    end, warm = _HOURS * 3600, _WARM_UP * 3600
    worked, held, landed = 0.0, 0.0, 0
    waits: list[float] = []

    def tick(now: float) -> float:
        return (now // costs.push_interval + 1) * costs.push_interval

    # What happens next, by time: a slot that is free, or an agent that has ended.
    events = [(0.0, at, -1.0) for at in range(agents)]
    while events:
        now, slot, began = heapq.heappop(events)
        if now > end:
            break
        if began < 0:
            ready = cores.take(tick(now), costs.start_work)
            begun = starts.take(ready, costs.start)
            minutes = chance.lognormvariate(0, 0.5) * cluster.minutes
            worked += _within(begun, begun + minutes * 60, warm, end)
            heapq.heappush(events, (begun + minutes * 60, slot, begun))
            continue
        heapq.heappush(events, (now, slot, -1.0))
        judged = cores.take(now, costs.end_work)
        done = tick(landings.take(judged, costs.landing))
        held += _within(began, done, warm, end)
        if warm < done <= end:
            landed += 1
            waits.append(done - now)
    span = end - warm
    return Figures(
        working=worked / (span * agents),
        landed_a_minute=landed * cluster.orchestrators / (span / 60),
        waiting_to_land=statistics.median(waits) if waits else float("inf"),
        memory=held / span * costs.memory,
        uses={name: server.use(end) for name, server in _named(starts, landings, cores)},
    )


def _named(starts: Server, landings: Server, cores: Server) -> list[tuple[str, Server]]:
    return [("starts", starts), ("landings", landings), ("cores", cores)]


def _within(begin: float, end: float, first: float, last: float) -> float:
    return max(0.0, min(end, last) - max(begin, first))


def print_row(name: str, cluster: Cluster, costs: HeadCosts) -> None:
    """Simulate and print one row."""
    found = simulate(cluster, costs)
    uses = " ".join(f"{name} {use:4.0%}" for name, use in found.uses.items())
    write(
        f"{name:44} {found.working:7.1%} {found.landed_a_minute:9.1f} {found.waiting_to_land:9.0f} s "
        f"{found.memory / 1e9:7.1f} GB  {uses}"
    )


def print_table(costs: HeadCosts) -> None:
    """Print what more agents do, and at 5,000 what each thing moves."""
    write(", ".join(f"{one.name} {getattr(costs, one.name):g}" for one in fields(costs)))
    write(f"{'':44} {'working':>7} {'landed/min':>9} {'to land':>11} {'memory':>10}  the head's use")
    usual = Cluster()
    for machines in (5, 50, 100, 200, 500, 1000, 2000):
        print_row(f"{machines * usual.slots} agents", replace(usual, machines=machines), costs)
    short, quick = replace(usual, minutes=3), replace(costs, start=costs.start / 2)
    quicker = replace(quick, landing=costs.landing / 2)
    variants: list[tuple[str, Cluster, HeadCosts]] = [
        ("5,000, agents of 10 minutes", replace(usual, minutes=10), costs),
        ("5,000, agents of 3 minutes", short, costs),
        ("5,000 of 3 minutes, 4 orchestrators", replace(short, orchestrators=4), costs),
        ("5,000 of 3 minutes, starts in half the time", short, quick),
        ("the same, and landings in half the time", short, quicker),
        ("5,000, head of 2 cores", replace(usual, cores=2), costs),
        ("5,000, push interval of 60 s", usual, replace(costs, push_interval=60)),
    ]
    for name, cluster, changed in variants:
        print_row(name, cluster, changed)


def measure() -> HeadCosts:
    """Measure on this machine what runs cost: some in a row, then several at once for their memory."""
    with open_project("path", _MEASURED, 1, "", _CONFIG) as project:
        clone, environment = project.clone, project.environment
        first = min(path.stem for path in (clone / ".chant" / "specs").glob("*.md"))
        command = [*OURS, "work", first, "--chain", "--wait"]
        subprocess.run(command, cwd=clone, env=environment, check=True, capture_output=True)
        phases = [_phases(clone, record) for record in _records(clone) if record["mode"] == "single"]
    with open_project("path", _AT_ONCE, 1, "", _CONFIG) as project:
        memory = _memory_of_runners(project.clone, project.environment)
    starts, landings = zip(*phases, strict=True)
    write(f"{len(phases)} runs in a row; start {_spread(starts)}, landing {_spread(landings)}")
    write(f"memory of {len(memory)} runners at once: {_spread([size / 1e6 for size in memory], 'MB')}")
    return HeadCosts(
        start=statistics.median(starts),
        landing=statistics.median(landings),
        memory=statistics.median(memory) + _JOB_CLIENT,
    )


def _spread(values: Sequence[float], unit: str = "s") -> str:
    return f"{statistics.median(values):.2f} {unit} ({min(values):.2f} to {max(values):.2f})"


def _records(clone: Path) -> list[dict[str, Any]]:
    files = (clone / ".git" / "chant-mcp" / "processes").glob("*/*/*.json")
    return [json.loads(file.read_text(encoding="utf-8")) for file in files]


def _phases(clone: Path, record: Mapping[str, Any]) -> tuple[float, float]:
    """Give the seconds from a record's start to its agent's first line, and from the last line to the end."""
    log = (clone / ".chant" / "logs" / f"{record['spec_id']}.log").read_text(encoding="utf-8")
    lines = [_moment(line.split()[0]) for line in log.splitlines() if line[:2] == "20"]
    return lines[0] - _moment(record["started_at"]), _moment(record["completed_at"]) - lines[-1]


def _moment(stamp: str) -> float:
    return datetime.fromisoformat(stamp.replace("Z", "+00:00")).timestamp()


def _memory_of_runners(clone: Path, environment: Mapping[str, str]) -> list[float]:
    """Give the private memory of runners while their agents work."""
    first = min(path.stem for path in (clone / ".chant" / "specs").glob("*.md"))
    command = [*OURS, "work", first, "--parallel", str(_AT_ONCE), "--wait"]
    sizes: dict[int, float] = {}
    with subprocess.Popen(command, cwd=clone, env=environment, stdout=subprocess.DEVNULL) as working:
        while working.poll() is None:
            for record in _records(clone):
                if record["mode"] == "single" and record["status"] == "running":
                    sizes[record["pid"]] = max(sizes.get(record["pid"], 0.0), _private(record["pid"]))
            time.sleep(0.05)
    return [size for size in sizes.values() if size]


def _private(pid: int) -> float:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    return sum(1024.0 * int(size) for size in re.findall(r"^Private_\w+:\s+(\d+)", text, re.MULTILINE))


def main() -> None:
    """Measure if that is asked for, and simulate."""
    parser = argparse.ArgumentParser(prog="python -m bench.cluster_scale", description=__doc__)
    parser.add_argument("--measure", action="store_true", help="measure the costs on this machine first")
    asked = parser.parse_args()
    print_table(measure() if asked.measure else HeadCosts())


if __name__ == "__main__":
    main()
