"""Landings that break: answers that get lost, pushes that the server did by half, runners that die."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from leases.clones import QUICK_TTL, SLOW_BEAT, TARGET, LeaseClone, SharedProject
from leases.remotes import Remote, Transport, run_git
from leases.tcp_proxy import ANSWER_LOST, TcpProxy
from work.kit import FOURTH, ID, OTHER, PROGRAM, THIRD, Record, kill, lives, wait_for

MakeRemote = Callable[..., Remote]

LEASE = f"refs/chant/leases/{ID}"


# Answers that get lost


@pytest.mark.parametrize("transport", ["git", "http"])
def test_of_pushes_whose_answer_is_lost_none_lands_twice_and_no_run_fails(
    tmp_path: Path, make_remote: MakeRemote, make_proxy: Callable[[Remote], TcpProxy], transport: Transport
) -> None:
    shared = SharedProject(tmp_path, make_remote(transport))
    ids = [ID, OTHER, THIRD, FOURTH]
    shared.publish(ids)
    proxy = make_proxy(shared.remote)
    numbers = itertools.count(1)

    def is_third_push(first: bytes) -> bool:
        return b"git-receive-pack" in first and next(numbers) % 3 == 0

    proxy.mode = replace(ANSWER_LOST, applies_to=is_third_push)
    clones = [shared.clone(proxy.port), shared.clone(proxy.port)]
    for id, clone in zip(ids, itertools.cycle(clones), strict=False):
        clone.start(id)
    for id, clone in zip(ids, itertools.cycle(clones), strict=False):
        record = clone.ended(id)
        assert record["end_state"] == "completed", record["reason"]
        assert (shared.completions(id), len(shared.landings(id)), shared.tokens(id)) == (1, 1, [1])
        assert clone.agents_started(id) == 1
    assert next(numbers) > 3


# Landings that stand on each other


def test_landing_in_the_queue_on_a_refused_try_does_not_say_that_the_try_has_landed(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    remote = make_remote("git")
    shared = SharedProject(tmp_path, remote, SLOW_BEAT)
    shared.publish([ID], "wait")
    clone = shared.clone()
    clone.start(ID)
    clone.said(ID, "out waiting")
    before = remote.refs()[TARGET]
    with remote.hold_next_push() as held:
        clone.go(ID)
        assert TARGET in held.wait()
        remote.write_ref(
            TARGET, remote.git("commit-tree", "-p", before, "-m", "Others", f"{before}^{{tree}}")
        )
        remote.refuse_connections()
        held.release()
        assert clone.ended(ID)["end_state"] == "awaiting_merge"
    tried = clone.record(ID)["merge"]["begun"][-1]["new"]
    # Another run of this clone has built on that try, and its landing waits for the leader.
    folder = clone.root / ".git" / "chant-mcp" / "leases" / "_" / "origin"
    wish = {
        "wish": "land",
        "spec": OTHER,
        "run": "other",
        "token": 1,
        "old": tried,
        "new": tried,
        "along": [],
    }
    file = folder / "queue" / f"{0:020}-{'a' * 32}"
    with (folder / "leader").open("r+") as leader, ThreadPoolExecutor(1) as pool:
        fcntl.flock(leader, fcntl.LOCK_EX)
        file.write_text(json.dumps({"nonce": "a" * 32, "wish": wish}), encoding="utf-8")
        remote.accept_connections()
        landing = pool.submit(clone.handle().recover)
        wait_for(lambda: landing.done() or len(list(file.parent.iterdir())) > 1, "a question to the remote")
        assert not landing.done(), "it did not ask the remote"
        fcntl.flock(leader, fcntl.LOCK_UN)
        landing.result()
    assert clone.record(ID)["end_state"] == "completed"
    assert (shared.completions(ID), len(shared.landings(ID)), shared.lease(ID)["state"]) == (1, 1, "landed")


# Checkouts that follow


@pytest.mark.parametrize("words", ["", "\nA thought of a person.\n"])
def test_checkout_follows_past_copies_that_hold_no_more_than_what_landed(
    tmp_path: Path, make_remote: MakeRemote, words: str
) -> None:
    """As the copy of a spec whose run has landed and did not bring the checkout up itself."""
    shared = SharedProject(tmp_path, make_remote("git"))
    shared.publish([ID, OTHER], "wait")
    clone, others = shared.clone(), shared.clone()
    clone.start(ID)
    clone.said(ID, "out waiting")
    copy = clone.project.path(OTHER)
    pending = copy.read_text("utf-8")
    copy.write_text(pending.replace("status: pending", "status: in_progress") + words, "utf-8")
    others.project.path(OTHER).write_text(pending.replace("status: pending", "status: completed"), "utf-8")
    others.git("commit", "-qam", "Done elsewhere")
    others.git("push", "-q", "origin", "main")
    before = clone.tip()
    clone.go(ID)
    assert clone.ended(ID)["end_state"] == "completed"
    if words:
        assert (clone.tip(), clone.project.status(OTHER)) == (before, "in_progress")
        assert copy.read_text("utf-8").endswith(words)
    else:
        assert clone.tip() == shared.remote.refs()[TARGET]
        assert clone.project.status(OTHER) == "completed"


# Half pushes


@pytest.mark.parametrize(("transport", "how"), [("git", "dies"), ("path", "fails")])
def test_holder_completes_its_half_landing(
    tmp_path: Path, make_remote: MakeRemote, transport: Transport, how: Literal["dies", "fails"]
) -> None:
    shared = SharedProject(tmp_path, make_remote(transport), SLOW_BEAT)
    shared.publish([ID], "wait")
    clone = shared.clone()
    clone.start(ID)
    clone.said(ID, "out waiting")
    before = shared.remote.refs()[TARGET]
    with shared.remote.break_at(TARGET, how):
        clone.go(ID)
        wait_for(lambda: shared.lease(ID)["state"] == "landed", "half a landing")
        assert shared.remote.refs()[TARGET] == before
    assert clone.ended(ID)["end_state"] == "completed"
    assert (shared.completions(ID), len(shared.landings(ID)), shared.tokens(ID)) == (1, 1, [1])
    assert shared.lease(ID)["commit"] == shared.remote.refs()[TARGET]


def test_half_landing_of_a_silent_holder_is_claimed_by_another_clone(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    shared = SharedProject(tmp_path, make_remote("git"), QUICK_TTL)
    shared.publish([ID], "wait")
    first, second = shared.clone(), shared.clone()
    start_alone(first)
    first.said(ID, "out waiting")
    before = shared.remote.refs()[TARGET]
    with shared.remote.break_at(TARGET):
        first.go(ID)
        wait_for(lambda: shared.lease(ID)["state"] == "landed", "half a landing")
        kill(first.record(ID)["pid"])
    assert "is about to land from another clone" in second.refused(ID)
    assert shared.remote.refs()[TARGET] == before, "nobody else completes it"
    start_when_silent(second)
    second.go(ID)
    assert second.ended(ID)["end_state"] == "completed"
    # The first clone comes back: its work is not landed a second time.
    first.handle().recover()
    assert (shared.completions(ID), len(shared.landings(ID)), shared.tokens(ID)) == (1, 1, [1, 2])
    record = first.ended(ID)
    assert record["end_state"] != "completed"


def start_alone(clone: LeaseClone, **variables: str) -> None:
    """Start work by a command, so that no process looks after a runner that dies."""
    subprocess.run(
        [*PROGRAM, "--project", str(clone.root), "work", ID],
        env={**os.environ, **variables},
        check=True,
        capture_output=True,
        timeout=60,
    )


def start_when_silent(clone: LeaseClone) -> None:
    """Start work as soon as the holder counts as dead."""

    def is_started() -> bool:
        try:
            clone.start(ID)
        except Exception:
            return False
        return True

    wait_for(is_started, "the start")


def test_commit_that_a_forged_lease_names_is_landed_by_none(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote("git"), QUICK_TTL)
    shared.publish([ID], "wait")
    holder, other = shared.clone(), shared.clone()
    holder.start(ID)
    holder.said(ID, "out waiting")
    hostile = hostile_commit(shared)
    name = shared.lease(ID)["orchestrator"]
    shared.write_lease(ID, state="landed", commit=hostile, orchestrator=name)
    holder.go(ID)
    record = holder.ended(ID)
    if record["end_state"] != "completed":
        start_when_silent(other)
        other.go(ID)
        assert other.ended(ID)["end_state"] == "completed"
    assert shared.completions(ID) == 1
    for clone in (holder, other):
        clone.handle().recover()
        assert not clone.git("ls-tree", "-r", "--name-only", "main", "--", "hostile.txt")
    assert shared.shown(TARGET, "hostile.txt") == ""


def hostile_commit(shared: SharedProject) -> str:
    """Put a commit on the remote, but on no branch, as those can who may not push the target."""
    author = shared.author
    (author.root / "hostile.txt").write_text("owned\n", encoding="utf-8")
    commit = author.commit("Hostile")
    run_git(author.root, "push", "-q", "origin", f"{commit}:refs/chant/runs/x/1")
    return commit


# Runners that die


def dies(clone: LeaseClone, moment: str) -> Record:
    """Have a runner die at a moment of its landing; the one that started it is gone by then."""
    start_alone(clone, CHANT_STOP_AT=moment)
    record = clone.record(ID)
    clone.go(ID)
    wait_for(lambda: not lives(record["pid"]), "the end of the runner")
    record = clone.record(ID)
    assert record["status"] == "running", record
    return record


@pytest.mark.parametrize("moment", ["before-land-push", "after-land-push"])
def test_runner_that_dies_around_its_push_is_settled_by_the_next_look(
    tmp_path: Path, make_remote: MakeRemote, moment: str
) -> None:
    shared = SharedProject(tmp_path, make_remote("git"))
    shared.publish([ID], "wait")
    clone = shared.clone()
    dies(clone, moment)
    assert shared.completions(ID) == int(moment == "after-land-push")
    for _ in range(2):
        assert clone.handle().recover() == []
        record = clone.record(ID)
        assert (record["status"], record["end_state"]) == ("completed", "completed"), record
        assert (shared.completions(ID), len(shared.landings(ID)), shared.tokens(ID)) == (1, 1, [1])
        assert (shared.lease(ID)["state"], clone.tip()) == ("landed", shared.remote.refs()[TARGET])
        assert clone.project.status(ID) == "completed"


def test_work_of_a_dead_runner_does_not_land_over_a_takeover(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote("git"))
    shared.publish([ID], "wait")
    clone = shared.clone()
    dies(clone, "before-land-push")
    shared.write_lease(ID, token=2, orchestrator="o-other")
    clone.handle().recover()
    assert clone.record(ID)["status"] != "completed"
    assert (shared.completions(ID), shared.lease(ID)["token"]) == (0, 2)
    assert clone.branches() == [f"chant/{ID}"]
