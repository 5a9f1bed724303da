"""`python -m bench.torture.clones`: clones of one project share out its specs under faults; see README.md.

Each clone keeps a command at work on whatever it gets. Meanwhile runners are killed, others stand still for
longer than a lease lives, and some pushes are held up for as long. In the end the remote alone says whether
every spec landed exactly once, under the newest token.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import click

from bench.leases import BenchProject, git, open_project
from bench.wire import OURS

_TTL = 6.0
_LEASES = "leases: {remote: origin, beat: 1s, ttl: 6s, push_interval: 500ms}"
_AT_ONCE = 3
"""How many agents one clone keeps at work."""
_PAUSE = 1.5
"""Seconds between two faults."""
_HELD = """#!/bin/bash
if [[ " $* " == *' push '* ]] && ((RANDOM % 12 == 0)); then echo x >> {log}; sleep {wait}; fi
exec {git} "$@"
"""
"""A git that holds up one push in twelve."""


@dataclass
class CloneFaults:
    """What was done to the processes of clones."""

    counts: Counter[str] = field(default_factory=Counter[str])
    ends: Counter[str] = field(default_factory=Counter[str])


def main() -> None:
    """Torture and check; print what is wrong, and end with 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m bench.torture.clones", description=__doc__)
    parser.add_argument("--clones", type=int, default=8, help="how many clones (default: 8)")
    parser.add_argument("--specs", type=int, default=200, help="how many specs (default: 200)")
    parser.add_argument("--seconds", type=float, default=1800, help="how long at most (default: 30 minutes)")
    parser.add_argument("--seed", type=int, default=1, help="the same seed chooses the same faults")
    given = parser.parse_args()
    clones, specs = cast(int, given.clones), cast(int, given.specs)
    begun = time.monotonic()
    with open_project("git", specs, 1, _LEASES) as project:
        first, bare, environment = project.clone, project.remote.folder, dict(project.environment)
        roots = [first, *(_clone(project, number) for number in range(1, clones))]
        until = begun + cast(float, given.seconds)
        faults = _work_under_faults(roots, bare, environment, until, cast(int, given.seed))
        wrong = find_violations(bare, _ids(first))
    for kind, times in sorted(faults.counts.items()):
        click.echo(f"{times:5} × {kind}")
    for end, times in sorted(faults.ends.items()):
        click.echo(f"{times:5} × a command ended with {end}")
    for line in wrong:
        click.echo(f"WRONG {line}")
    took = time.monotonic() - begun
    click.echo(f"{clones} clones × {specs} specs in {took:.0f} s: {len(wrong)} violations")
    sys.exit(1 if wrong else 0)


def find_violations(bare: Path, ids: list[str]) -> list[str]:
    """Say what is wrong on a remote, from nothing but its refs and commits."""
    completions, landings = count_landings(bare)
    wrong: list[str] = []
    for id in ids:
        lines = git(
            bare, "log", "--reverse", "--first-parent", "--format=%s", f"refs/chant/leases/{id}"
        ).splitlines()
        leases: list[dict[str, Any]] = [json.loads(line) for line in lines if line.startswith("{")]
        tokens = [lease["token"] for lease in leases]
        landed = re.search(r"^run_token: \W?(\d+)", git(bare, "show", f"main:.chant/specs/{id}.md"), re.M)
        if tokens != sorted(tokens):
            wrong.append(f"{id}: its tokens are {tokens}")
        if (completions[id], landings[id]) != (1, 1):
            wrong.append(f"{id}: {completions[id]} completions and {landings[id]} landings")
        if leases[-1]["state"] != "landed":
            wrong.append(f"{id}: its lease says {leases[-1]['state']}")
        if landed is None or int(landed.group(1)) != tokens[-1]:
            wrong.append(
                f"{id}: it landed with token {landed and landed.group(1)}, the lease has {tokens[-1]}"
            )
    return wrong


def count_landings(folder: Path) -> tuple[Counter[str], Counter[str]]:
    """Count for each spec how often the main branch of a repository completed it, and merged its work."""
    shown = git(
        folder, "log", "--first-parent", "--unified=0", "--patch", "--format=", "main", "--", ".chant/specs"
    )
    completions: Counter[str] = Counter()
    name = ""
    for line in shown.splitlines():
        if line.startswith("+++ b/.chant/specs/"):
            name = line.removeprefix("+++ b/.chant/specs/").removesuffix(".md")
        elif line == "+status: completed":
            completions[name] += 1
    subjects = git(folder, "log", "--first-parent", "--format=%s", "main").splitlines()
    landings = Counter(
        found.group(1)
        for subject in subjects
        if (found := re.match(r"Merge chant/(\S+?)[:,]?(?:\s|$)", subject))
    )
    return completions, landings


def _clone(project: BenchProject, number: int) -> Path:
    root = project.remote.clone(project.clone.parent / f"clone-{number}")
    project.trust(root)
    return root


def _work_under_faults(
    roots: list[Path], bare: Path, environment: dict[str, str], until: float, seed: int
) -> CloneFaults:
    """Have all clones work until every spec has landed; give what was done to them meanwhile."""
    faults = CloneFaults()
    over = threading.Event()
    with _held_pushes(roots[0].parent, environment, faults) as held:
        workers = [
            threading.Thread(target=_work_off, args=(root, held if number % 2 else environment, over, faults))
            for number, root in enumerate(roots)
        ]
        for worker in workers:
            worker.start()
        chance = random.Random(seed)
        while time.monotonic() < until and _count_landed(bare) < len(_ids(roots[0])):
            time.sleep(_PAUSE)
            _disturb(chance.choice(roots), chance, faults)
        over.set()
        for worker in workers:
            worker.join()
    for root in roots:
        # The last lease says so a push after the landing of a run that another process settled.
        subprocess.run(
            [*OURS, "leases", "--look"], cwd=root, env=environment, capture_output=True, check=False
        )
    return faults


@contextmanager
def _held_pushes(folder: Path, environment: dict[str, str], faults: CloneFaults) -> Generator[dict[str, str]]:
    """Make an environment whose git holds up some pushes."""
    programs = folder / "held"
    programs.mkdir()
    log = folder / "held-pushes"
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    wrapper = programs / "git"
    wrapper.write_text(_HELD.format(log=log, wait=1.5 * _TTL, git=real))
    wrapper.chmod(0o755)
    yield {**environment, "PATH": f"{programs}{os.pathsep}{environment['PATH']}"}
    faults.counts["push held up"] += len(log.read_text().splitlines()) if log.exists() else 0


def _work_off(root: Path, environment: dict[str, str], over: threading.Event, faults: CloneFaults) -> None:
    """Keep a command at work in one clone."""
    ids = _ids(root)
    chance = random.Random(root.name)
    while not over.is_set():
        command = [*OURS, "work", chance.choice(ids), "--parallel", str(_AT_ONCE), "--wait"]
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)
        faults.ends[str(done.returncode)] += 1
        over.wait(0.5)


def _disturb(root: Path, chance: random.Random, faults: CloneFaults) -> None:
    """Kill a runner of a clone, or have it stand still for longer than its lease lives."""
    running = [pid for pid in _runners(root) if _is_ours(pid)]
    if not running:
        return
    pid = chance.choice(running)
    with suppress(ProcessLookupError):
        if chance.random() < 0.5:
            os.kill(pid, signal.SIGKILL)
            faults.counts["runner killed"] += 1
            return
        os.kill(pid, signal.SIGSTOP)
        faults.counts["runner stood still"] += 1
        threading.Timer(1.5 * _TTL, _go_on, [pid]).start()


def _go_on(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGCONT)


def _runners(root: Path) -> list[int]:
    found: list[int] = []
    for file in (root / ".chant" / "processes").glob("*.json"):
        with suppress(OSError, ValueError):
            record = json.loads(file.read_text())
            if record.get("status") == "running":
                found.append(record["pid"])
    return found


def _is_ours(pid: int) -> bool:
    """Say whether a number still belongs to a runner of ours."""
    try:
        return b"chant_mcp" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _count_landed(bare: Path) -> int:
    words = ("git", "grep", "--files-with-matches", "^status: completed", "main", "--", ".chant/specs")
    # It ends with 1 while there is none.
    found = subprocess.run(words, cwd=bare, capture_output=True, text=True, check=False)
    return len(found.stdout.splitlines())


def _ids(root: Path) -> list[str]:
    return sorted(path.stem for path in (root / ".chant" / "specs").glob("*.md"))


if __name__ == "__main__":
    main()
