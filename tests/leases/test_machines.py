"""Several clones that share out the specs of a project, while runners are killed and frozen."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from chant_mcp.errors import ChantError
from laws import TRIALS
from leases.clones import LeaseClone, SharedProject
from leases.landing_faults import faults_of
from leases.remotes import Remote
from work.kit import Record, kill, wait_for

TTL = 1.6
SETTINGS = "leases: {remote: origin, beat: 400ms, ttl: 1600ms, push_interval: 200ms}\n"
SPECS = [f"2026-01-22-{number:03}-x7m" for number in range(8 * TRIALS)]
SECONDS = 90.0 * TRIALS


def work_off(clone: LeaseClone, shared: SharedProject, ids: list[str]) -> None:
    """Start whatever this clone gets, one after the other, until all specs are completed on the remote."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        completed = shared.completed()
        if completed.issuperset(ids):
            return
        for id in [id for id in ids if id not in completed]:
            try:
                clone.handle().work_start(id)
            except ChantError:
                continue
            clone.ended_anyhow(id)
        time.sleep(0.1)


def run_of(clone: LeaseClone) -> Record:
    """Give a run whose agent is at work."""

    def found() -> list[Record]:
        return [one for one in clone.records() if one["status"] == "running" and one["agent"]]

    wait_for(found, "a run")
    return found()[0]


def test_specs_land_once_while_a_runner_is_killed_and_one_is_frozen(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedProject(tmp_path, make_remote("git"), SETTINGS)
    shared.publish(SPECS, "slow", "seconds=0.6")
    clones = [shared.clone() for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        works = [
            pool.submit(work_off, clone, shared, SPECS[number:] + SPECS[:number])
            for number, clone in enumerate(clones)
        ]
        kill(run_of(clones[0])["pid"])
        frozen = run_of(clones[1])["pid"]
        os.kill(frozen, signal.SIGSTOP)
        time.sleep(2 * TTL)
        os.kill(frozen, signal.SIGCONT)
        for work in works:
            work.result()
    for clone in clones:
        clone.handle().recover()
    # The last lease says so a push after the landing of a run that was settled by another process.
    assert faults_of(shared, SPECS) == []
