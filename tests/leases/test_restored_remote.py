"""A remote that was put back to an older state: what it lost is said everywhere, and tokens never fall."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cli.kit import Cli
from leases.clones import SLOW_BEAT, TARGET, LeaseClone, SharedProject
from leases.remotes import Remote
from work.kit import ID, OTHER, THIRD

MakeRemote = Callable[..., Remote]


def restore(remote: Remote, refs: dict[str, str]) -> None:
    """Put all refs of a remote back to what they were."""
    for name in remote.refs():
        if name not in refs:
            remote.write_ref(name, None)
    for name, object in refs.items():
        remote.write_ref(name, object)


def landed(clone: LeaseClone, id: str) -> None:
    """Have a clone land a spec."""
    clone.start(id)
    assert clone.ended(id)["end_state"] == "completed"


@pytest.fixture
def shared(tmp_path: Path, make_remote: MakeRemote) -> SharedProject:
    """Three specs on a remote by path."""
    shared = SharedProject(tmp_path, make_remote(), SLOW_BEAT)
    shared.publish([ID, OTHER, THIRD])
    return shared


@pytest.fixture
def clone(shared: SharedProject) -> LeaseClone:
    """A clone that landed a spec, on a remote that was then restored from a backup made before."""
    clone = shared.clone()
    backup = shared.remote.refs()
    landed(clone, ID)
    restore(shared.remote, backup)
    clone.handle().look_at_leases()
    return clone


def test_what_the_remote_lost_is_an_error_everywhere(
    shared: SharedProject, clone: LeaseClone, monkeypatch: pytest.MonkeyPatch
) -> None:
    tip = clone.tip()
    handle = clone.handle()
    (said,) = handle.leases().data["problems"]
    assert f"origin lacks 1 spec that landed there: {ID} ({tip[:7]})" in said
    assert f"`git push origin {tip}:refs/heads/main` brings all of it back" in said
    assert handle.lint().data["leases"] == [said]
    assert said.startswith(handle.status().data["problems"][0]["message"][:-3])
    assert said in handle.doctor().data["problems"]
    monkeypatch.chdir(clone.root)
    assert "origin lacks 1 spec" in Cli(clone.project)("lint", code=1)
    clone.start(OTHER)
    record = clone.ended(OTHER)
    assert (record["end_state"], record["reason"]) == ("awaiting_merge", said)
    clone.git("push", "-q", "origin", f"{tip}:refs/heads/main")
    assert "completed" in handle.merge(OTHER).text
    assert shared.completed() == {ID, OTHER}
    assert "problems" not in handle.leases().data
    assert "leases" not in handle.lint().data


def test_remote_that_went_on_since_is_united_by_a_merge(shared: SharedProject, clone: LeaseClone) -> None:
    other = shared.clone()
    landed(other, OTHER)
    clone.handle().look_at_leases()
    (said,) = clone.handle().leases().data["problems"]
    tip = clone.git("rev-parse", TARGET)
    assert f"`git pull --no-rebase origin main`, `git merge {tip[:7]}` and a push bring it back" in said
    clone.git("pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    clone.git("push", "-q", "origin", "main")
    clone.handle().look_at_leases()
    assert "problems" not in clone.handle().leases().data
    assert shared.completed() == {ID, OTHER}


def test_work_that_is_not_wanted_is_given_back_with_a_higher_token(
    shared: SharedProject, clone: LeaseClone
) -> None:
    clone.handle().free_lease(ID)
    lease = shared.lease(ID)
    assert (lease["state"], lease["token"]) == ("free", 2)
    assert "problems" not in clone.handle().leases().data


@pytest.mark.parametrize("value", [{"schema": 99, "token": 41}, {"schema": 99, "token": "many"}])
def test_unreadable_lease_is_given_back_above_every_token_that_was_there(
    shared: SharedProject, value: dict[str, object]
) -> None:
    shared.write_lease(ID, token=40, orchestrator="o-gone", host="far", at="then", state="held")
    shared.write_lease(ID, **value)
    fresh = shared.clone()
    fresh.handle().look_at_leases()
    fresh.handle().free_lease(ID)
    lease = shared.lease(ID)
    assert lease["state"] == "free"
    assert lease["token"] > 40
    assert fresh.handle().ready().data["total"] == 3
