"""A holder whose lease moved cannot land, however late its push arrives; its work is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from leases.clones import SLOW_BEAT, TARGET, LeaseClone, SharedProject
from leases.remotes import Remote, Transport
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


@pytest.mark.requirement("leases:takeover:holder_ends", "leases:takeover:commits_are_kept")
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


@pytest.mark.requirement("leases:takeover:late_push_is_refused", "leases:takeover:commits_are_kept")
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
