"""`python -m bench.torture.cluster`: a cluster loses its workers while specs are worked on; see README.md.

Every few seconds a worker is killed and started again. One machine stands still for longer than the scheduler
waits for a worker, and then one worker alone, whose agents go on. In the end the remote's commits, the lives
of the agents and the process table say whether every spec landed once, whether two agents worked on one spec
for too long, whether late results were refused, and whether anything is lost or left.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import click
import psutil
from chant_mcp.cluster.engine import WORKER_TTL
from chant_mcp.cluster.placer import IDLE_SECONDS
from chant_mcp.cluster.worker import ORPHAN_GRACE

from bench.torture.agent_lives import AgentLife, AgentLives
from bench.torture.clones import find_violations
from bench.torture.trial_machines import TrialMachines, WorkerMachine
from bench.wire import OURS

_PAUSE = 5.0
"""Seconds between two kills."""
_FROZEN = 1.5 * WORKER_TTL
"""Seconds for which a machine stands still."""
_FROZEN_ALONE = WORKER_TTL + ORPHAN_GRACE + 20.0
"""Seconds for which a worker stands still whose agents go on: longer than they may beside others."""
_ENDS = 20.0
"""Seconds for the end of scheduler and workers."""
_CONFIG = """---
project: {name: ferries}
defaults: {main_branch: main}
leases: {remote: origin, beat: 2s, ttl: 20s, push_interval: 2s}
---
"""
_SPEC = """---
type: code
status: pending
---

# Spec {id}

## Acceptance Criteria

- [ ] Works
"""


@dataclass(frozen=True)
class TrialSize:
    """How much is tried."""

    workers: int
    specs: int
    seconds: float
    """How long at most."""
    agent_seconds: float

    @property
    def ids(self) -> list[str]:
        """Name the specs."""
        return [f"2026-01-22-{number + 1:03}-abc" for number in range(self.specs)]


@dataclass
class ClusterFaults:
    """What was done to machines, and how often work was asked for."""

    counts: Counter[str] = field(default_factory=Counter[str])
    frozen: list[AgentLife] = field(default_factory=list[AgentLife])
    """Agents whose machine or worker stood still."""
    landed: float | None = None
    """Seconds until all specs had landed."""


def main() -> None:
    """Torture and check; print what is wrong, and end with 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m bench.torture.cluster", description=__doc__)
    parser.add_argument("--workers", type=int, default=4, help="how many workers (default: 4)")
    parser.add_argument("--specs", type=int, default=50, help="how many specs (default: 50)")
    parser.add_argument("--quick", action="store_true", help="2 workers and 6 specs")
    parser.add_argument("--seed", type=int, default=1, help="the same seed chooses the same faults")
    parser.add_argument("--seconds", type=float, default=1200, help="how long at most (default: 20 minutes)")
    parser.add_argument("--agent-seconds", type=float, default=3, help="how long an agent works (default: 3)")
    parser.add_argument("--keep", action="store_true", help="keep the folder of the trial")
    given = parser.parse_args()
    workers, specs = (2, 6) if given.quick else (cast(int, given.workers), cast(int, given.specs))
    size = TrialSize(workers, specs, cast(float, given.seconds), cast(float, given.agent_seconds))
    home = Path(tempfile.mkdtemp(prefix="chant-cluster-")).resolve()
    begun, load = time.monotonic(), os.getloadavg()[0]
    wrong = _try(home, size, random.Random(cast(int, given.seed)))
    for line in wrong:
        click.echo(f"WRONG {line}")
    took = time.monotonic() - begun
    click.echo(f"load {load:.1f} at the start and {os.getloadavg()[0]:.1f} at the end")
    click.echo(f"{workers} workers × {specs} specs in {took:.0f} s: {len(wrong)} violations")
    if wrong or given.keep:
        click.echo(f"The trial lies in {home}")
    else:
        shutil.rmtree(home)
    sys.exit(1 if wrong else 0)


def _try(home: Path, size: TrialSize, chance: random.Random) -> list[str]:
    """Have all specs worked on under faults; give what is wrong."""
    machines = TrialMachines(home, size.agent_seconds)
    faults = ClusterFaults()
    with AgentLives(machines.lives) as lives:
        try:
            clone = _make_project(machines, size.ids)
            with _faults(machines, size.workers, lives, chance, faults):
                _work_off(machines, clone, size, faults)
        finally:
            left = _end_all(machines)
    overlaps = lives.outlived()
    for kind, times in sorted(faults.counts.items()):
        click.echo(f"{times:5} × {kind}")
    longest = max(overlaps.values(), default=0.0)
    landed = "some never" if faults.landed is None else f"after {faults.landed:.0f} s"
    click.echo(f"{len(lives.lives)} agents; all specs landed: {landed}")
    click.echo(f"{len(overlaps)} specs with two agents at once; the older one for {longest:.1f} s at most")
    bare = home / "remote.git"
    return [
        *find_violations(bare, size.ids),
        *find_overlaps(overlaps),
        *find_late_landings(bare, faults.frozen),
        *find_lost_commits(machines, [bare, clone], list(lives.lives.values()), faults.frozen),
        *left,
    ]


def find_overlaps(overlaps: dict[str, float]) -> list[str]:
    """Say on which specs an agent went on for too long once a newer one had begun."""
    return [
        f"{id}: an agent was at work on it for {seconds:.1f} s beside a newer one"
        for id, seconds in overlaps.items()
        if seconds > ORPHAN_GRACE
    ]


def find_late_landings(bare: Path, frozen: list[AgentLife]) -> list[str]:
    """Say which agents landed though their machine stood still for too long."""
    if not frozen:
        return ["no agent was at work on a machine that stood still: nothing was tried"]
    return [
        f"{life.spec}: what its agent made while its machine stood still (token {life.token}) has landed"
        for life in frozen
        if life.commit and _has_commit(bare, life.commit, "main")
    ]


def find_lost_commits(
    machines: TrialMachines, repositories: list[Path], lives: list[AgentLife], frozen: list[AgentLife]
) -> list[str]:
    """Say which commits of agents are neither in a repository nor listed by the machine that made them."""
    kept = {folder.name: machines.kept(folder).splitlines() for folder in machines.worker_folders()}
    wrong: list[str] = []
    for life in lives:
        start = f"{life.spec} (token {life.token}): "
        is_listed = any(
            line.startswith(start) and ", no commits, " not in line for line in kept[life.machine]
        )
        if life.commit is None or is_listed:
            continue
        if life in frozen:
            wrong.append(f"{start}{life.machine} does not list what was made there while it stood still")
        elif not any(_has_commit(folder, life.commit) for folder in repositories):
            wrong.append(f"{start}{life.machine} made {life.commit}, which is nowhere listed")
    return wrong


def _has_commit(folder: Path, commit: str, branch: str | None = None) -> bool:
    words = ("merge-base", "--is-ancestor", commit, branch) if branch else ("cat-file", "-e", commit)
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, check=False)
    return done.returncode == 0


def _make_project(machines: TrialMachines, ids: list[str]) -> Path:
    """Make a bare remote with specs, and the clone in which a person asks for work."""
    bare, clone = machines.home / "remote.git", machines.home / "clone"
    specs = clone / ".chant" / "specs"
    specs.mkdir(parents=True)
    (clone / ".chant" / "config.md").write_text(_CONFIG, encoding="utf-8")
    for id in ids:
        (specs / f"{id}.md").write_text(_SPEC.format(id=id), encoding="utf-8")
    steps = (
        ("init", "-q", "--bare", "-b", "main", str(bare)),
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("commit", "-qm", "Specs"),
        ("remote", "add", "origin", str(bare)),
        ("push", "-q", "-u", "origin", "main"),
    )
    for words in steps:
        subprocess.run(["git", *words], cwd=clone, env=machines.here, check=True)
    machines.accept(clone)
    return clone


def _work_off(machines: TrialMachines, clone: Path, size: TrialSize, faults: ClusterFaults) -> None:
    """Ask for work on what is open, again and again: a run whose worker is lost is tried once more only."""
    begun = time.monotonic()
    while open_ids := _open_ids(machines.home / "remote.git"):
        if time.monotonic() - begun > size.seconds:
            return
        parallel = ("--parallel", str(2 * size.workers))
        words = [*OURS, "work", open_ids[0], *parallel, "--on", machines.address, "--wait"]
        with (machines.home / "work.log").open("a", encoding="utf-8") as log:
            work = subprocess.Popen(words, cwd=clone, env=machines.here, stdout=log, stderr=log)
        try:
            faults.counts[f"work ended with {work.wait(size.seconds)}"] += 1
        except subprocess.TimeoutExpired:
            faults.counts["work did not end"] += 1
            work.kill()
    faults.landed = time.monotonic() - begun


def _open_ids(bare: Path) -> list[str]:
    words = ("grep", "--files-without-match", "^status: completed", "main", "--", ".chant/specs")
    found = subprocess.run(["git", *words], cwd=bare, capture_output=True, text=True, check=False)
    return sorted(Path(line).stem for line in found.stdout.splitlines())


@contextmanager
def _faults(
    machines: TrialMachines, number: int, lives: AgentLives, chance: random.Random, faults: ClusterFaults
) -> Generator[None]:
    """Start workers, and have them die and stand still until the block ends."""
    workers = [machines.join(f"build-{place + 1}") for place in range(number)]
    over = threading.Event()
    with ThreadPoolExecutor() as pool:
        freezer = pool.submit(_freeze_workers, machines, workers, lives, over, faults)
        killer = pool.submit(_kill_workers, machines, workers, chance, over, faults)
        try:
            yield
        finally:
            over.set()
        for thread in (killer, freezer):
            thread.result()


def _kill_workers(
    machines: TrialMachines,
    workers: list[WorkerMachine],
    chance: random.Random,
    over: threading.Event,
    faults: ClusterFaults,
) -> None:
    """Kill a worker every few seconds, and start it again after a moment."""
    due = time.monotonic() + _PAUSE
    while not over.wait(max(0.0, due - time.monotonic())):
        due += _PAUSE
        awake = [worker for worker in workers if not worker.frozen]
        if len(awake) < 2:
            continue  # nobody could land anything
        worker = chance.choice(awake)
        faults.counts["worker killed"] += 1
        faults.counts["job lost with its worker"] += len(worker.jobs())
        worker.kill()
        over.wait(chance.uniform(0, 2))
        workers[workers.index(worker)] = machines.join(worker.name)


def _freeze_workers(
    machines: TrialMachines,
    workers: list[WorkerMachine],
    lives: AgentLives,
    over: threading.Event,
    faults: ClusterFaults,
) -> None:
    """Freeze a machine on which agents have committed, then a worker alone; others take their places."""
    for whole in (True, False):
        while not (worker := _busy(workers, lives)):
            if over.wait(0.1):
                return
        place = workers.index(worker)
        kind = "machine" if whole else "worker alone"
        with machines.agents_held_up(worker):
            frozen = lives.at_work(worker.name)
            worker.freeze(whole=whole)
            faults.counts[f"{kind} frozen"] += 1
            faults.counts[f"agent at work on a frozen {kind}"] += len(frozen)
            since = time.time()
            time.sleep(_FROZEN if whole else _FROZEN_ALONE)
        faults.frozen += [life for life in frozen if not life.is_over or life.spans[-1][1] > since]
        worker.wake()
        # It ends by itself: the scheduler does not know it any more.
        with suppress(subprocess.TimeoutExpired):
            worker.process.wait(ORPHAN_GRACE)
            faults.counts[f"{kind} that woke has ended"] += 1
        workers[place] = machines.join(f"{worker.name}-{'again' if whole else 'anew'}")


def _busy(workers: list[WorkerMachine], lives: AgentLives) -> WorkerMachine | None:
    found = (one for one in workers if one.process.poll() is None and lives.at_work(one.name))
    return next(found, None)


def _end_all(machines: TrialMachines) -> list[str]:
    """End scheduler and workers; all else has to end by itself. Name and kill what does not."""
    others = [one for one in machines.processes() if not _is_member(one)]
    left = _find_left(others, IDLE_SECONDS + _ENDS)
    for process in machines.processes():
        with suppress(psutil.Error):
            process.terminate()
    return left + _find_left(machines.processes(), _ENDS)


def _is_member(process: psutil.Process) -> bool:
    """Say whether a process is a scheduler or a worker."""
    with suppress(psutil.Error):
        return not {"worker", "scheduler"}.isdisjoint(process.cmdline())
    return False


def _find_left(processes: list[psutil.Process], seconds: float) -> list[str]:
    """Wait for the end of processes; name and kill those that are left."""
    _, left = psutil.wait_procs(processes, timeout=seconds)
    named: list[str] = []
    for process in left:
        with suppress(psutil.Error):
            named.append(f"process {process.pid} was left: {' '.join(process.cmdline())[:200]}")
            process.kill()
    return named


if __name__ == "__main__":
    main()
