"""A holder whose lease moved cannot land, however late its push arrives; its work is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from leases.clones import SLOW_BEAT, TARGET, LeaseClone, SharedProject
from leases.landing_faults import faults_of
from leases.remotes import Remote, Transport
from leases.two_pushes import split_pushes
from work.kit import ID, OTHER, Record, wait_for

MakeRemote = Callable[..., Remote]

KEPT = f"refs/chant/runs/{ID}/1"


def at_work(shared: SharedProject) -> LeaseClone:
    """Have a clone work on the spec; its agent waits."""
    shared.publish([ID, OTHER], "wait")
    clone = shared.clone()
    clone.start(ID)
    clone.said(ID, "out waiting")
    return clone


def check_overtaken(shared: SharedProject, clone: LeaseClone, record: Record) -> None:
    """Check that a run ended without a landing, and that another holds the spec."""
    assert record["end_state"] not in ("completed", None), record
    assert (shared.completions(ID), shared.landings(ID)) == (0, [])
    assert (shared.lease(ID)["token"], shared.lease(ID)["state"]) == (2, "held")
    assert clone.branches() == [f"chant/{ID}"], "its commits stay"


def test_run_whose_lease_moved_ends_at_the_next_look(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote())
    clone = at_work(shared)
    shared.write_lease(ID, token=2, orchestrator="o-other")
    check_overtaken(shared, clone, clone.ended(ID))
    check_kept(shared, clone)


def check_kept(shared: SharedProject, clone: LeaseClone) -> None:
    """Check that the next push of a clone takes the commits of the run along."""
    clone.go(OTHER)
    clone.start(OTHER)
    tip = clone.git("rev-parse", f"chant/{ID}")
    wait_for(lambda: shared.remote.refs("refs/chant/runs") == {KEPT: tip}, "the commits on the remote")
    assert clone.ended(OTHER)["end_state"] == "completed"


@pytest.mark.parametrize("transport", ["git", "http"])
def test_push_that_arrives_after_the_takeover_changes_nothing(
    tmp_path: Path, make_remote: MakeRemote, transport: Transport
) -> None:
    shared = SharedProject(tmp_path, make_remote(transport), SLOW_BEAT)
    clone = at_work(shared)
    before = shared.remote.refs()[TARGET]
    with shared.remote.hold_next_push() as held:
        clone.go(ID)
        assert TARGET in held.wait()
        shared.write_lease(ID, token=2, orchestrator="o-other")
        held.release()
        record = clone.ended(ID)
    check_overtaken(shared, clone, record)
    assert "token 2" in record["reason"], record["reason"]
    assert shared.remote.refs()[TARGET] == before
    check_kept(shared, clone)


# The counter-trial


def test_two_pushes_instead_of_one_land_stale_work(
    tmp_path: Path, make_remote: MakeRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The checker is that of `test_machines`, where the product passes it."""
    shared = SharedProject(tmp_path, make_remote("git"), SLOW_BEAT)
    shared.publish([ID], "wait")
    late, second = shared.clone(), shared.clone()
    with monkeypatch.context() as patch:
        patch.setenv("PATH", split_pushes(tmp_path / "programs", TARGET))
        late.start(ID)
    late.said(ID, "out waiting")
    with shared.remote.hold_next_push() as held:
        late.go(ID)
        assert TARGET in held.wait()
        second.handle().takeover(ID, force=True, from_clone=True)
        second.start(ID)
        second.said(ID, "out waiting")
        held.release()
        late.ended_anyhow(ID)
    second.go(ID)
    second.ended(ID)
    faults = faults_of(shared, [ID])
    assert [fault for fault in faults if f"{ID}: stale: token 1 landed, the newest claim is" in fault], faults
