"""What people and agents do about specs that other clones work on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from chant_mcp._core import ChantProject
from chant_mcp.errors import ChantError
from cli.kit import Cli, read_data
from leases.clones import LEASES, TARGET, LeaseClone, SharedProject
from leases.landing_faults import faults_of
from leases.remotes import Remote
from work.kit import ID, OTHER, PROGRAM, wait_for

pytestmark = pytest.mark.anyio


@pytest.fixture
def shared(tmp_path: Path, make_remote: Callable[..., Remote]) -> SharedProject:
    """Two specs that agents wait on, on a remote by path."""
    shared = SharedProject(tmp_path, make_remote(), LEASES)
    shared.publish((ID, OTHER), "wait")
    return shared


@pytest.fixture
def clones(shared: SharedProject) -> tuple[LeaseClone, LeaseClone]:
    """A clone with an agent at work on the first spec, and another one."""
    first, second = shared.clone(), shared.clone()
    first.start(ID)
    return first, second


@pytest.fixture
def cli(clones: tuple[LeaseClone, LeaseClone], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Commands in the clone without an agent."""
    monkeypatch.chdir(clones[1].root)
    return Cli(clones[1].project)


def settled(shared: SharedProject, state: str) -> None:
    """Wait until the lease of the first spec is in a state."""
    wait_for(lambda: shared.lease(ID)["state"] == state, lambda: f"{state} in {shared.lease(ID)}")


def test_the_command_lists_which_clone_works_on_what(
    shared: SharedProject, clones: tuple[LeaseClone, LeaseClone], cli: Cli
) -> None:
    first, second = clones
    assert "No clone works on a spec." in cli("leases")
    said = cli("leases", "--look")
    lease = shared.lease(ID)
    assert ID in said
    assert lease["orchestrator"] in said.replace("\n", "")
    (row,) = cli.json("leases")["leases"]
    assert (row["spec_id"], row["token"], row["here"]) == (ID, lease["token"], False)
    (own,) = first.handle().leases().data["leases"]
    assert own["here"]
    first.go(ID)
    first.ended(ID)
    settled(shared, "landed")
    assert second.handle().leases(look=True).data["leases"] == []
    (row,) = cli.json("leases", "--all")["leases"]
    assert row["state"] == "landed"


def test_a_pause_of_work_elsewhere_asks_that_clone(
    shared: SharedProject, clones: tuple[LeaseClone, LeaseClone], cli: Cli
) -> None:
    first, _ = clones
    said = cli("pause", ID)
    assert "Asked that clone to pause it" in said
    assert first.ended(ID)["end_state"] == "paused"
    settled(shared, "free")
    assert "No running process found" in cli.error("pause", OTHER)


async def test_a_tool_asks_and_never_takes(
    shared: SharedProject, clones: tuple[LeaseClone, LeaseClone]
) -> None:
    first, second = clones
    token = shared.lease(ID)["token"]
    async with second.client() as call:
        told = await call.data("chant_takeover", id=ID, force=True)
    assert "Asked that clone to stop" in told["analysis"]
    assert "chant-mcp takeover" in told["suggestion"]
    assert first.ended(ID)["end_state"] == "taken_over"
    settled(shared, "free")
    assert shared.lease(ID)["token"] == token


def test_a_cancellation_of_work_elsewhere_asks_that_clone(
    clones: tuple[LeaseClone, LeaseClone], cli: Cli
) -> None:
    first, second = clones
    cli("leases", "--look")
    assert "Asked that clone to cancel it" in cli("cancel", ID)
    assert second.project.status(ID) == "pending"
    assert first.ended(ID)["end_state"] == "cancelled"
    assert first.project.status(ID) == "cancelled"


def test_a_person_takes_a_spec_at_once(
    shared: SharedProject, clones: tuple[LeaseClone, LeaseClone], cli: Cli
) -> None:
    first, second = clones
    token = shared.lease(ID)["token"]
    said = cli("takeover", ID, "--force")
    assert f"with token {token + 1}" in said.replace("\n", " ")
    assert "cannot land any more" in said.replace("\n", " ")
    assert f"chant-mcp work {ID}" in said.replace("\n", " ")
    assert shared.lease(ID)["token"] == token + 1
    assert first.ended(ID)["end_state"] == "taken_over"
    second.go(ID)
    second.start(ID)
    assert second.ended(ID)["status"] == "completed"
    assert shared.completions(ID) == 1


def test_a_person_gives_back_what_a_dead_clone_holds(
    shared: SharedProject, clones: tuple[LeaseClone, LeaseClone], cli: Cli
) -> None:
    first, _ = clones
    shared.write_lease(OTHER, token=4, orchestrator="o-gone", host="far", at="2026-01-22T10:00:00Z")
    assert f"Given back: spec '{OTHER}'" in cli("leases", "--free", OTHER)
    lease = shared.lease(OTHER)
    assert (lease["state"], lease["token"]) == ("free", 4)
    refused = Cli(first.project)
    os.chdir(first.root)
    assert "works on it" in refused.error("leases", "--free", ID)
    first.go(ID)
    first.ended(ID)


def test_a_start_offline_claims_nothing(shared: SharedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = shared.clone()
    monkeypatch.chdir(clone.root)
    cli = Cli(clone.project)
    shared.remote.refuse_connections()
    try:
        assert f"chant-mcp work {OTHER} --offline" in cli.error("work", OTHER)
        clone.go(OTHER)
        cli("work", OTHER, "--offline", "--wait")
    finally:
        shared.remote.accept_connections()
    assert clone.project.status(OTHER) == "completed"
    assert shared.remote.refs("refs/chant/leases") == {}


@pytest.mark.parametrize("is_taken", [False, True])
def test_work_that_was_done_offline_is_claimed_before_it_lands(shared: SharedProject, is_taken: bool) -> None:
    clone = shared.clone()
    before = clone.tip()
    clone.go(OTHER)
    clone.start(OTHER, offline=True)
    assert clone.ended(OTHER)["end_state"] == "completed"
    assert shared.completions(OTHER) == 0
    if is_taken:
        other = shared.clone()
        other.go(OTHER)
        other.start(OTHER)
        assert other.ended(OTHER)["end_state"] == "completed"
        tip = shared.remote.refs()[TARGET]
        with pytest.raises(ChantError, match="was landed on origin by another clone meanwhile"):
            clone.handle().merge(OTHER)
        assert shared.remote.refs()[TARGET] == tip
        assert clone.branches() == [f"chant/{OTHER}"]
        assert clone.git("rev-list", "--count", f"{before}..chant/{OTHER}") != "0"
    else:
        assert "has landed on the remote" in clone.handle().merge().text
        landed = shared.remote.refs()[TARGET]
        clone.git("merge-base", "--is-ancestor", landed, "main")
        assert clone.git("diff", landed, "main") == clone.git("status", "--short") == ""
        assert clone.branches() == []
        assert clone.handle().merge().text == "Nothing waits for a merge."
    assert faults_of(shared, [OTHER]) == []


def test_the_log_of_work_elsewhere_is_followed_to_its_end(
    shared: SharedProject, clones: tuple[LeaseClone, LeaseClone], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, _ = clones
    monkeypatch.setattr("chant_mcp.commands.remote_run.time.sleep", lambda _: first.go(ID))
    lines = [read_data(line) for line in cli("log", "-f", ID, "--json").splitlines()]
    assert lines[0]["spec_id"] == ID
    assert lines[0]["state"] in ("held", "running")
    assert lines[-1]["state"] == "landed"
    first.ended(ID)
    assert shared.completions(ID) == 1


async def test_a_server_in_use_looks_aside(clones: tuple[LeaseClone, LeaseClone]) -> None:
    first, second = clones
    async with second.client() as call:
        found = await call.data("chant_ready")
        while "held_elsewhere" not in found:
            found = await call.data("chant_ready")
    assert found["held_elsewhere"] == 1
    first.go(ID)
    first.ended(ID)


def test_an_untrusted_clone_looks_at_no_remote(shared: SharedProject) -> None:
    clone = shared.clone()
    untrusting = ChantProject(clone.root, environment=dict(os.environ), program=PROGRAM)
    untrusting.ready()
    assert not untrusting.may_look_at_leases()
    trusting = clone.handle()
    trusting.ready()
    assert trusting.may_look_at_leases()


def test_doctor_tries_the_remote_and_leaves_nothing(
    shared: SharedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = shared.clone()
    monkeypatch.chdir(clone.root)
    before = shared.remote.refs()
    found = clone.handle().doctor().data
    assert "holds leases" in found["remote"]
    assert "a path" in found["remote"]
    assert not [problem for problem in found["problems"] if "origin" in problem]
    shared.remote.set_atomic(False)
    assert "does not speak atomic pushes" in " ".join(clone.handle().doctor().data["problems"])
    shared.remote.set_atomic(True)
    shared.remote.refuse_pushes("refs/chant/*", "no such refs here")
    assert "takes no refs below `refs/chant`" in " ".join(clone.handle().doctor().data["problems"])
    shared.remote.allow_pushes()
    lock = shared.remote.leave_lock(f"refs/chant/leases/{ID}")
    os.utime(lock, (0, 0))
    assert f"rm '{lock}'" in " ".join(clone.handle().doctor().data["problems"])
    lock.unlink()
    assert shared.remote.refs() == before
    assert "refs/chant/probed" not in clone.git("for-each-ref")


def test_lint_names_leases_that_somebody_rewrote(
    shared: SharedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone = shared.clone()
    monkeypatch.chdir(clone.root)
    cli = Cli(clone.project)
    assert "leases" not in cli.json("lint")
    lost = clone.git("commit-tree", "-m", "Lost", "HEAD^{tree}")
    shared.write_lease(ID, token=5, orchestrator="o-1", host="far", state="landed", commit=lost)
    shared.write_lease(OTHER, token=5, orchestrator="o-1", host="far")
    cli("leases", "--look")
    shared.write_lease(OTHER, token=4)
    cli("leases", "--look")
    fallen, lost_work = cli.json("lint", code=1)["leases"]
    assert lost_work.startswith(f"Spec '{ID}' landed with commit {lost}")
    assert "from token 5 to 4" in fallen
    assert "leases: " in cli("lint", code=1)
