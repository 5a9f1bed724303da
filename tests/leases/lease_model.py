"""The protocol of leases as a model: every order of events is tried, within bounds.

A state holds the remote (lease, target), pushes under way, and what each worker knows. Workers look at the
remote and send pushes; a push arrives any time later or never, so an answer that is lost needs no step of its
own: the worker looks again while its push is still under way. A lease is believed expired at any time. The
server compares old values, and applies the two refs of a push one after the other; it may die between them,
in either order.

What is left out: clocks (a belief that comes at any time includes them), contents, deleted refs, locks that a
dead server leaves, several specs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

FREE, HELD, LANDED = range(3)
"""States of a lease. Nothing is written yet where its token is 0."""

IDLE, AT_WORK, DONE, DEAD = range(4)
"""What a worker is at; an idle one keeps nothing of its past."""

FORGER = 0
"""Somebody with push rights for leases who runs no protocol; workers are counted from 1."""


class Lease(NamedTuple):
    """A value of the lease's ref; two writes are never the same value."""

    token: int
    owner: int
    state: int
    nonce: int  # of landings: how many were written before for this token


class Target(NamedTuple):
    """A value of the target branch."""

    landed: int  # the token whose work completed the spec; 0 for none
    landings: int
    foreign: int  # pushes by others


class Push(NamedTuple):
    """A push: both refs in one transaction, or one of them. None leaves a ref out."""

    old_lease: Lease | None
    new_lease: Lease | None
    old_target: Target | None
    new_target: Target | None


class Worker(NamedTuple):
    """What a worker remembers."""

    phase: int
    token: int


class Budget(NamedTuple):
    """How often misfortunes may still come."""

    crashes: int  # a worker dies for good, or forgets everything
    foreign: int  # pushes to the target by others
    halves: int  # the server dies between two refs
    forged: int  # a `landed` lease is written by somebody else


class State(NamedTuple):
    """All of it at one moment."""

    lease: Lease
    target: Target
    locked: (
        Push | None
    )  # what is left of the push that the server is just applying; it has locks on both refs
    budget: Budget
    workers: tuple[Worker, ...]
    pushes: tuple[Push, ...]  # under way, in a fixed order; those that can only be refused are left out


@dataclass(frozen=True)
class Rules:
    """The protocol by its defaults; a rule is taken away to see that the search finds what it prevents."""

    landing: Literal["one push", "target first", "lease first"] = "one push"
    looks_at_target: bool = True  # before a landing: is the spec completed there?
    holder_completes: bool = True  # a half landing whose nonce is in the worker's own state
    others_claim_halves: bool = True  # a half landing of somebody else is claimed and judged again
    completion_moves_lease: bool = True  # completing compares and moves the lease, too
    observers_complete: bool = False  # a commit is pushed because a ref of somebody else said so


@dataclass(frozen=True)
class Bounds:
    """How far the search goes."""

    workers: int = 2
    tokens: int = 3
    crashes: int = 1
    foreign: int = 1
    halves: int = 1
    forged: int = 0


@dataclass(frozen=True)
class Finding:
    """What a search found."""

    states: int
    violation: str | None  # of the first state that breaks an invariant
    trace: tuple[State, ...]  # the shortest way to it
    stuck: int  # states with a claim left from which the spec can never be done; 0 beside a violation


class BrokenInvariant(Exception):
    """A landing that must not be."""


def explore(rules: Rules, bounds: Bounds) -> Finding:
    """Search all states, breadth first.

    Example:
        assert explore(Rules(), Bounds()).violation is None
    """
    model = _LeaseModel(rules, bounds)
    first = model.first_state()
    number_of = {first: 0}
    states = [first]
    before: list[list[int]] = [[]]
    for number, state in enumerate(states):
        try:
            following = model.following(state)
        except BrokenInvariant as broken:
            trace = _trace(number, states, before)
            return Finding(len(states), str(broken), trace, 0)
        for after in following:
            known = number_of.setdefault(after, len(states))
            if known == len(states):
                states.append(after)
                before.append([])
            before[known].append(number)
    return Finding(len(states), None, (), _count_stuck(states, before, bounds.tokens))


def _trace(number: int, states: list[State], before: list[list[int]]) -> tuple[State, ...]:
    """Give the way to a state: the first that led to it came by the shortest way."""
    way = [states[number]]
    while number:
        number = before[number][0]
        way.append(states[number])
    return tuple(reversed(way))


def _count_stuck(states: list[State], before: list[list[int]], tokens: int) -> int:
    can_end = [state.target.landed > 0 for state in states]
    todo = [number for number, ends in enumerate(can_end) if ends]
    while todo:
        for earlier in before[todo.pop()]:
            if not can_end[earlier]:
                can_end[earlier] = True
                todo.append(earlier)
    return sum(not ends and state.lease.token < tokens for state, ends in zip(states, can_end, strict=True))


class _LeaseModel:
    """The steps that lead from one state to the next."""

    def __init__(self, rules: Rules, bounds: Bounds) -> None:
        self._rules = rules
        self._bounds = bounds

    def first_state(self) -> State:
        bounds = self._bounds
        budget = Budget(bounds.crashes, bounds.foreign, bounds.halves, bounds.forged)
        workers = (Worker(IDLE, 0),) * bounds.workers
        return State(Lease(0, FORGER, FREE, 0), Target(0, 0, 0), None, budget, workers, ())

    def following(self, state: State) -> list[State]:
        """Give every state that can come next.

        Raises:
            BrokenInvariant: One of the steps is a landing that must not be.
        """
        return [*self._server_steps(state), *self._worker_steps(state), *_misfortunes(state)]

    def _server_steps(self, state: State) -> Iterator[State]:
        if state.locked is not None:
            yield _applied(state, state.locked)
            if state.budget.halves:
                spent = state.budget._replace(halves=state.budget.halves - 1)
                yield state._replace(locked=None, budget=spent)
            return
        for push in state.pushes:
            yield _applied(state, push)
            if state.budget.halves and push.new_lease is not None and push.new_target is not None:
                lease = push._replace(old_target=None, new_target=None)
                target = push._replace(old_lease=None, new_lease=None)
                yield _applied(state, lease)._replace(locked=target)
                yield _applied(state, target)._replace(locked=lease)

    def _worker_steps(self, state: State) -> Iterator[State]:
        for index, worker in enumerate(state.workers):
            steps = ()
            if worker.phase == IDLE:
                steps = self._steps_of_idle(state, index + 1)
            elif worker.phase == AT_WORK:
                steps = self._steps_at_work(state, index + 1, worker.token)
            for after, push in steps:
                moved = state if after == worker else _with_worker(state, index, after)
                yield moved if push is None else _with_push(moved, push)

    def _steps_of_idle(self, state: State, me: int) -> Iterator[tuple[Worker, Push | None]]:
        """Look, and claim what is free, believed expired, or half landed."""
        lease, target = state.lease, state.target
        idle = Worker(IDLE, 0)
        if target.landed:
            yield Worker(DONE, 0), _settling(lease, target)
            return
        if lease.owner == me and lease.state == HELD:
            yield Worker(AT_WORK, lease.token), None
        claims = lease.state != LANDED or self._rules.others_claim_halves
        if claims and lease.token < self._bounds.tokens:
            yield idle, Push(lease, Lease(lease.token + 1, me, HELD, 0), None, None)
        if lease.state == LANDED and self._rules.observers_complete:
            yield idle, self._completing(lease, target)

    def _steps_at_work(self, state: State, me: int, token: int) -> Iterator[tuple[Worker, Push | None]]:
        """Land, give back, complete a half landing of its own, or find out that the lease is lost."""
        lease, target = state.lease, state.target
        at_work = Worker(AT_WORK, token)
        is_mine = lease.owner == me and lease.token == token
        if target.landed and self._rules.looks_at_target:
            yield Worker(DONE, 0), _settling(lease, target)
        elif is_mine and lease.state == HELD:
            yield at_work, self._landing(lease, target)
            yield Worker(IDLE, 0), Push(lease, lease._replace(state=FREE), None, None)
        elif is_mine and lease.state == LANDED and self._rules.holder_completes:
            yield at_work, self._completing(lease, target)
        else:
            yield Worker(IDLE, 0), None

    def _landing(self, lease: Lease, target: Target) -> Push:
        push = Push(lease, lease._replace(state=LANDED), target, _landed(target, lease.token))
        if self._rules.landing == "target first":
            return push._replace(old_lease=None, new_lease=None)
        if self._rules.landing == "lease first":
            return push._replace(old_target=None, new_target=None)
        return push

    def _completing(self, lease: Lease, target: Target) -> Push:
        push = Push(lease, lease._replace(nonce=lease.nonce + 1), target, _landed(target, lease.token))
        if self._rules.completion_moves_lease and self._rules.landing == "one push":
            return push
        return push._replace(old_lease=None, new_lease=None)


def _settling(lease: Lease, target: Target) -> Push | None:
    """Have a lease that is still held follow the target that its token completed."""
    if lease.state != HELD or lease.token != target.landed:
        return None
    return Push(lease, lease._replace(state=LANDED), None, None)


def _landed(target: Target, token: int) -> Target:
    return target._replace(landed=token, landings=target.landings + 1)


def _misfortunes(state: State) -> Iterator[State]:
    """Give what may befall a state: a death, a loss of memory, pushes of others."""
    budget = state.budget
    if budget.crashes:
        spent = state._replace(budget=budget._replace(crashes=budget.crashes - 1))
        for index, worker in enumerate(state.workers):
            if worker.phase in (IDLE, AT_WORK):
                yield _with_worker(spent, index, Worker(DEAD, 0))
            if worker.phase == AT_WORK:
                yield _with_worker(spent, index, Worker(IDLE, 0))
    if state.locked is not None:
        return
    if budget.foreign:
        target = state.target._replace(foreign=state.target.foreign + 1)
        spent = budget._replace(foreign=budget.foreign - 1)
        yield _with_refs(state._replace(budget=spent), state.lease, target)
    if budget.forged and state.lease.token:
        lease = Lease(state.lease.token, FORGER, LANDED, 0)
        spent = budget._replace(forged=budget.forged - 1)
        yield _with_refs(state._replace(budget=spent), lease, state.target)


def _applied(state: State, push: Push) -> State:
    """Give the state after a push, or what is left of one, was applied."""
    if push.new_target is not None:
        _check_landing(state, push.new_target)
    lease = state.lease if push.new_lease is None else push.new_lease
    target = state.target if push.new_target is None else push.new_target
    return _with_refs(state._replace(locked=None), lease, target)


def _check_landing(state: State, new: Target) -> None:
    if new.landings > 1:
        raise BrokenInvariant("I1: a second landing")
    if new.landed != state.lease.token:
        raise BrokenInvariant("I2: a stale landing")
    if state.lease.owner == FORGER:
        raise BrokenInvariant("D1: a landing under a forged lease")


def _with_refs(state: State, lease: Lease, target: Target) -> State:
    """Move refs, and leave out pushes whose old values are gone: no value ever comes back."""
    pushes = tuple(
        push for push in state.pushes if push.old_lease in (None, lease) and push.old_target in (None, target)
    )
    return state._replace(lease=lease, target=target, pushes=pushes)


def _with_push(state: State, push: Push) -> State:
    """Send a push; the same one twice does no more than one."""
    if push in state.pushes:
        return state
    return state._replace(pushes=tuple(sorted((*state.pushes, push), key=repr)))


def _with_worker(state: State, index: int, worker: Worker) -> State:
    workers = state.workers
    return state._replace(workers=(*workers[:index], worker, *workers[index + 1 :]))
