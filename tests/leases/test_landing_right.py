"""A target that nobody here may push to is found before an agent is paid."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from leases.clones import SLOW_BEAT, TARGET, LeaseClone, SharedProject
from leases.remotes import Remote
from work.kit import ID, OTHER

MakeRemote = Callable[..., Remote]

RULE = "GH006: Protected branch update failed"
ADVICE = "Set `landing: pr` below `leases`"


@pytest.fixture
def shared(tmp_path: Path, make_remote: MakeRemote) -> SharedProject:
    """Two specs on a remote by `git://`."""
    shared = SharedProject(tmp_path, make_remote("git"), SLOW_BEAT)
    shared.publish([ID, OTHER])
    return shared


def check_refused(clone: LeaseClone, id: str) -> None:
    """Check that a start is refused with the words of the host, and that no agent began."""
    refused = clone.refused(id)
    assert "origin does not let this clone push to main" in refused
    assert RULE in refused
    assert ADVICE in refused
    assert not [record for record in clone.records() if record["spec_id"] == id]


def test_protected_target_is_refused_at_the_start_in_the_hosts_words(shared: SharedProject) -> None:
    clone = shared.clone()
    shared.remote.refuse_pushes(TARGET, RULE)
    before = shared.remote.refs()
    check_refused(clone, ID)
    assert shared.remote.refs() == before, "neither a claim nor the try leaves anything"
    (problem,) = [text for text in clone.handle().doctor().data["problems"] if "push to main" in text]
    assert RULE in problem
    shared.remote.allow_pushes()
    clone.start(ID)
    assert clone.ended(ID)["end_state"] == "completed"
    assert not [text for text in clone.handle().doctor().data["problems"] if "push to main" in text]


def test_a_landing_that_is_refused_is_remembered(shared: SharedProject) -> None:
    clone = shared.clone()
    clone.start(ID)
    assert clone.ended(ID)["end_state"] == "completed"
    shared.remote.refuse_pushes(TARGET, RULE)
    clone.start(OTHER)
    record = clone.ended(OTHER)
    assert record["end_state"] == "needs_attention"
    assert RULE in record["reason"]
    assert ADVICE in record["reason"]
    assert RULE in clone.refused(OTHER)
    assert len(clone.records()) == 2


def test_a_rule_about_other_refs_says_nothing_of_the_target(shared: SharedProject) -> None:
    clone = shared.clone()
    shared.remote.refuse_pushes("refs/chant/probe/*", "no such folder")
    clone.start(ID)
    assert clone.ended(ID)["end_state"] == "completed"
