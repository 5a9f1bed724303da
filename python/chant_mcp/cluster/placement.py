"""Which worker a job goes to: a free slot of its agent, where its account and its repository are known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chant_mcp.cluster.read_offer import NOTHING_READ, ReadOffer, received_offer
from chant_mcp.cluster.received import as_items, as_table

_LONGEST_TEXT = 200
_MOST_NAMES = 100


@dataclass(frozen=True, slots=True)
class JobNeeds:
    """What a job asks of a worker."""

    agent: str
    account: str | None = None
    remote: str | None = None
    acting: str | None = None
    avoid: str | None = None
    """A worker that lost an earlier attempt: another is better."""


@dataclass(slots=True)
class WorkerView:
    """A worker as the scheduler describes it: bounded and checked, for workers are machines of others."""

    address: str
    name: str
    host: str
    slots: Mapping[str, int]
    versions: Mapping[str, str | None]
    accounts: tuple[str, ...]
    labels: tuple[str, ...]
    remotes: tuple[str, ...]
    trusted: tuple[str, ...]
    """Acting configurations that its owner accepted, by hash."""
    silent: float
    """Seconds since it was heard."""
    taken: dict[str, str] = field(default_factory=dict[str, str])
    """The agents of its jobs, by key."""
    charged: Mapping[str, int] = field(default_factory=dict[str, int])
    """How many of its jobs work on an account, by name."""
    reads: ReadOffer = NOTHING_READ
    """Repositories that it reads for fleets."""
    trusts_any: bool = False
    """Whether its owner may accept more while it is there."""
    release: str | None = None
    """The release of this program that it runs."""

    def trusts(self, acting: str | None) -> bool:
        """Say whether jobs of a project may act there."""
        return acting is None or self.trusts_any or acting in self.trusted

    def busy(self, agent: str) -> int:
        """Slots of an agent that are taken."""
        return sum(name == agent for name in self.taken.values())

    def free(self, agent: str) -> int:
        """Slots of an agent that are free."""
        return self.slots.get(agent, 0) - self.busy(agent)


def worker_view(described: Mapping[str, Any]) -> WorkerView | None:
    """Read how a scheduler describes a worker; `None` where it is none of ours."""
    offer = as_table(described.get("offer"))
    if offer is None:
        return None
    agents = {
        name[:_LONGEST_TEXT]: agent
        for name, one in list((as_table(offer.get("agents")) or {}).items())[:_MOST_NAMES]
        if (agent := as_table(one)) is not None
    }
    jobs = as_table(described.get("taken")) or {}
    return WorkerView(
        address=str(described.get("address")),
        name=str(described.get("name"))[:_LONGEST_TEXT],
        host=str(described.get("host"))[:_LONGEST_TEXT],
        slots={name: _count(agent.get("slots")) for name, agent in agents.items()},
        versions={name: _text(agent.get("version")) for name, agent in agents.items()},
        accounts=_names(offer.get("accounts")),
        labels=_names(offer.get("labels")),
        remotes=_names(offer.get("remotes")),
        trusted=_names(offer.get("trusted")),
        silent=float(described.get("silent") or 0),
        taken={
            key: agent
            for key, resources in jobs.items()
            if (agent := _named(resources, "agent-")) is not None
        },
        charged=Counter(name for used in jobs.values() if (name := _named(used, "account-")) is not None),
        reads=received_offer(offer.get("reads")),
        trusts_any=offer.get("trusts_any") is True,
        release=_text(offer.get("release")),
    )


def choose_worker(workers: Iterable[WorkerView], needs: JobNeeds) -> WorkerView | str:
    """Choose a worker with a free slot, or say why a job waits.

    Only workers whose owners accepted what acts in its project are chosen. Those that may fetch its
    repository come first, then the one with most free slots; the name decides what is left.
    """
    all_workers = list(workers)
    fitting = [worker for worker in all_workers if _fits(worker, needs)]
    if not fitting:
        return _why_none(all_workers, needs)
    free = [worker for worker in fitting if worker.free(needs.agent) > 0]
    if not free:
        slots = sum(worker.slots[needs.agent] for worker in fitting)
        return f'All {slots} slots of agent "{needs.agent}" are taken.'
    return min(
        free,
        key=lambda worker: (
            worker.name == needs.avoid,
            needs.remote is not None and needs.remote not in worker.remotes,
            -worker.free(needs.agent),
            worker.name,
        ),
    )


def _fits(worker: WorkerView, needs: JobNeeds) -> bool:
    has_account = needs.account is None or needs.account in worker.accounts
    return worker.slots.get(needs.agent, 0) > 0 and has_account and worker.trusts(needs.acting)


def _why_none(workers: list[WorkerView], needs: JobNeeds) -> str:
    if not workers:
        return "No worker has joined the cluster."
    count = f"{len(workers)} worker" + ("s" if len(workers) > 1 else "")
    having = [worker for worker in workers if worker.slots.get(needs.agent, 0) > 0]
    if having and not any(worker.trusts(needs.acting) for worker in having):
        return (
            f"No worker accepts what acts in this project ({count}): "
            f"start one with `--trust {needs.acting}`, or name that hash in `trust` of the cluster."
        )
    if having:
        return f'No worker with agent "{needs.agent}" has account "{needs.account}" ({count}).'
    slots: dict[str, int] = {}
    for worker in workers:
        for name, number in worker.slots.items():
            slots[name] = slots.get(name, 0) + number
    offered = ", ".join(f"{number} slots of {name}" for name, number in sorted(slots.items()))
    return f'No worker offers agent "{needs.agent}" ({count}, {offered or "no slots"}).'


def _named(resources: Any, kind: str) -> str | None:
    """Name the agent or the account among the resources of a job."""
    names = (str(one) for one in as_items(resources) if str(one).startswith(kind))
    return next((name.removeprefix(kind)[:_LONGEST_TEXT] for name in names), None)


def _names(value: Any) -> tuple[str, ...]:
    return tuple(str(item)[:_LONGEST_TEXT] for item in as_items(value)[:_MOST_NAMES])


def _count(value: Any) -> int:
    return max(0, min(value, 10_000)) if isinstance(value, int) and not isinstance(value, bool) else 0


def _text(value: Any) -> str | None:
    return value[:_LONGEST_TEXT] if isinstance(value, str) else None
