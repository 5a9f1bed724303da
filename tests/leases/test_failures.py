"""What goes wrong beside connections: frozen holders, damaged copies, throttling, refs that others move."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from leases.clones import LEASES, QUICK_TTL, SLOW_BEAT, TARGET, LeaseClone, SharedProject
from leases.remotes import Remote, run_git
from work.kit import ID, OTHER, wait_for

MakeRemote = Callable[..., Remote]

LEASE = f"refs/chant/leases/{ID}"


def at_work(shared: SharedProject, *ids: str) -> LeaseClone:
    """Have a clone work on the first spec; its agent waits."""
    shared.publish([ID, *ids], "wait")
    clone = shared.clone()
    clone.start(ID)
    clone.said(ID, "out waiting")
    return clone


def check_landed_once(shared: SharedProject, id: str, token: int = 1) -> None:
    """Check that a spec landed once, with a token."""
    lease = shared.lease(id)
    assert (shared.completions(id), len(shared.landings(id))) == (1, 1)
    assert (lease["state"], lease["token"]) == ("landed", token)


def test_holder_that_slept_longer_than_its_lease_pushes_nothing_when_it_wakes(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    shared = SharedProject(tmp_path, make_remote("git"), QUICK_TTL)
    asleep = at_work(shared)
    runner = asleep.record(ID)["pid"]
    os.kill(runner, signal.SIGSTOP)
    try:
        asleep.go(ID)
        other = shared.clone()
        wait_for(lambda: has_started(other), "the takeover")
        other.go(ID)
        assert other.ended(ID)["end_state"] == "completed"
        before = len(shared.remote.pushes())
    finally:
        os.kill(runner, signal.SIGCONT)
    record = asleep.ended(ID)
    assert record["end_state"] not in ("completed", None), record
    later = [ref for push in shared.remote.pushes()[before:] for ref in push.refs]
    assert not {TARGET, LEASE} & set(later), later
    check_landed_once(shared, ID, token=2)


def has_started(clone: LeaseClone) -> bool:
    """Try to start the first spec; return whether that was possible."""
    try:
        clone.start(ID)
    except Exception:
        return False
    return True


@pytest.mark.parametrize("damage", ["text in a ref", "ref without its object"])
def test_damaged_copies_of_the_remote_are_fetched_again(
    tmp_path: Path, make_remote: MakeRemote, damage: str
) -> None:
    shared = SharedProject(tmp_path, make_remote(), SLOW_BEAT)
    clone = at_work(shared)
    clone.handle().look_at_leases()
    copy = clone.root / ".git/refs/chant/looked/origin/leases" / ID
    copy.write_text("no object\n" if damage == "text in a ref" else f"{'12' * 20}\n", encoding="utf-8")
    clone.go(ID)
    record = clone.ended(ID)
    assert record["end_state"] == "completed", record["reason"]
    check_landed_once(shared, ID)


def test_throttled_clone_asks_less_often_and_its_runs_go_on(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote("http"), LEASES)
    clone = at_work(shared, OTHER)
    shared.remote.status = 429
    before = shared.remote.connections
    started = time.monotonic()
    assert "cannot be claimed: origin does not answer: `git fetch` failed" in (said := clone.refused(OTHER))
    assert "429" in said, said
    wait_for(lambda: shared.remote.connections >= before + 3, "some looks")
    # The first at once, then behind two and four intervals.
    assert time.monotonic() - started > (2 + 4) * 0.2 * 0.9
    assert clone.record(ID)["status"] == "running"
    shared.remote.status = None
    clone.go(ID)
    assert clone.ended(ID)["end_state"] == "completed"
    check_landed_once(shared, ID)


def test_run_whose_lease_was_deleted_lands_all_the_same(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), LEASES)
    clone = at_work(shared, OTHER)
    shared.write_lease(OTHER, token=4, orchestrator="o-gone", host="far", at="then", state="free")
    clone.handle().look_at_leases()
    for id in (ID, OTHER):
        shared.remote.write_ref(f"refs/chant/leases/{id}", None)
    clone.go(ID, OTHER)
    assert clone.ended(ID)["end_state"] == "completed"
    check_landed_once(shared, ID)
    # Tokens grow, although the remote has forgotten them.
    clone.start(OTHER)
    assert clone.ended(OTHER)["end_state"] == "completed"
    check_landed_once(shared, OTHER, token=5)
    shared.remote.write_ref(LEASE, None)
    late = shared.clone()
    late.project.path(ID).write_text(late.project.text(ID).replace("completed", "pending"), "utf-8")
    assert "is completed on the remote already" in late.refused(ID)


def test_copy_of_a_clone_takes_a_name_of_its_own(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), LEASES)
    clone = at_work(shared, OTHER)
    copy = shared.clone()
    assert copy.handle().leases(look=True).data["leases"]
    shutil.copy(own_name_file(clone), own_name_file(copy))
    name = shared.lease(ID)["orchestrator"]
    beat = f"refs/chant/orchestrators/{name}"
    known = shared.remote.refs(beat)
    wait_for(lambda: shared.remote.refs(beat) != known, "another sign of life")
    copy.start(OTHER)
    assert shared.lease(OTHER)["orchestrator"] != name
    assert f"is worked on by {name}" in copy.refused(ID)
    for one, id in ((clone, ID), (copy, OTHER)):
        one.go(id)
        assert one.ended(id)["end_state"] == "completed"
        check_landed_once(shared, id)


def own_name_file(clone: LeaseClone) -> Path:
    """Name the file in which a clone keeps its name."""
    (file,) = (clone.root / ".git" / "chant-mcp").rglob("orchestrator.json")
    return file


def test_work_does_not_land_on_a_target_that_was_moved_back(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), SLOW_BEAT)
    shared.publish([ID], "wait")
    withdrawn = shared.author.root / "withdrawn.txt"
    kept = shared.remote.refs()[TARGET]
    withdrawn.write_text("withdrawn\n", encoding="utf-8")
    shared.author.commit()
    run_git(shared.author.root, "push", "-q", "origin", "HEAD:main")
    clone = shared.clone()
    clone.start(ID)
    clone.said(ID, "out waiting")
    shared.remote.write_ref(TARGET, kept)
    clone.go(ID)
    record = clone.ended(ID)
    assert record["end_state"] == "needs_attention", record
    assert "main of origin was moved back or rewritten" in record["reason"]
    assert shared.remote.refs()[TARGET] == kept
    assert clone.branches() == [f"chant/{ID}"]
