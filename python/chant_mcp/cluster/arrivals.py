"""Whether the workers of a cluster that was started have come, and can do what is wanted of them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Workers = Sequence[dict[str, Any]]
"""Workers as a scheduler lists them."""

_POLL_SECONDS = 0.3


@dataclass(frozen=True)
class ExpectedWorkers:
    """The workers that were started."""

    names: tuple[str, ...] = ()
    """Their names, where they are known."""
    count: int = 0
    """How many there are; their names begin with `prefix` where they are not known."""
    prefix: str = ""

    def missing(self, workers: Workers) -> list[str]:
        """Name those that are not among workers; numbers stand for those without a known name."""
        there = {str(worker["name"]) for worker in workers}
        if self.names:
            return [name for name in self.names if name not in there]
        came = sum(name.startswith(self.prefix) for name in there)
        return [f"{self.prefix}{number}" for number in range(came + 1, self.count + 1)]


@dataclass(frozen=True)
class ProjectNeeds:
    """What the project asks of a worker in whose folder the cluster is started."""

    agents: tuple[str, ...] = ()
    """Any one of them will do."""
    acting: str | None = None
    """What acts in the project, by its hash; None where nothing does."""


def wait_for_workers(
    expected: ExpectedWorkers, ask: Callable[[], Workers], seconds: float, ended: Callable[[], Iterable[str]]
) -> Workers:
    """Wait until all workers have said hello, and give those that have.

    Args:
        expected: Those that were started.
        ask: Asks the scheduler for its workers.
        seconds: How long to wait at most.
        ended: Names those that are known not to come any more.
    """
    until = time.monotonic() + seconds
    while True:
        workers = ask()
        missing = set(expected.missing(workers))
        if not missing or missing <= set(ended()) or time.monotonic() >= until:
            return workers
        time.sleep(min(_POLL_SECONDS, max(0.0, until - time.monotonic())))


def faults_of(worker: dict[str, Any], release: str, needs: ProjectNeeds | None) -> list[str]:
    """Say what keeps a worker that has come from doing what is wanted of it; nothing where it can."""
    faults: list[str] = []
    if worker.get("release") != release:
        theirs = worker.get("release") or "an unknown one"
        faults.append(f"it runs release {theirs} of chant-mcp, and this machine {release}: install the same")
    if worker.get("silent"):
        faults.append("it has fallen silent")
    if needs is None or not worker["agents"]:
        return faults
    if needs.agents and not set(needs.agents) & set(worker["agents"]):
        offered = ", ".join(sorted(worker["agents"]))
        wanted = " or ".join(needs.agents)
        faults.append(f"it offers {offered}, and this project works with {wanted}")
    if needs.acting is not None and not (worker.get("trusts_any") or needs.acting in worker["trusted"]):
        faults.append(
            "its owner has not accepted what acts in this project, so it takes none of its jobs: "
            f"`chant-mcp worker … --trust {needs.acting}` does, or `trust` of the cluster"
        )
    return faults


def twice_named(names: Iterable[str]) -> list[str]:
    """Name what is there more than once."""
    return sorted(name for name, number in Counter(names).items() if number > 1)


def last_lines(text: str, most: int = 12) -> str:
    """Give the last lines of what a program printed, in one line; empty for nothing."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip(" │╭╮╰╯─")]
    return " ".join(line.strip("│ ") for line in lines[-most:])[-900:]
