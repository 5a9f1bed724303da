"""Receipts of runs reach the remote in the push that lands their work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from leases.clones import SLOW_BEAT, TARGET, SharedProject
from leases.remotes import Remote
from work.kit import ID

MakeRemote = Callable[..., Remote]

RECEIPT = f"refs/chant/receipts/{ID}/1"


def test_a_receipt_is_in_the_push_of_its_landing_and_proves_it_in_another_clone(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    shared = SharedProject(tmp_path, make_remote(), SLOW_BEAT)
    shared.publish([ID])
    worker, reader = shared.clone(), shared.clone()
    worker.start(ID)
    assert worker.ended(ID)["end_state"] == "completed"
    landed = [push.refs for push in shared.remote.pushes() if TARGET in push.refs][-1]
    assert RECEIPT in landed
    there = shared.remote.refs("refs/chant/receipts")
    assert there == {RECEIPT: worker.git("rev-parse", RECEIPT)}

    reader.git("pull", "-q", "origin", "main")
    handle = reader.handle()
    taken = handle.receipt_fetch(None).data
    assert (taken["new"], taken["refused"]) == ([RECEIPT], [])
    (verified,) = handle.receipt_verify(ID).data["specs"]
    assert (verified["verdict"], verified["holds"]) == ("consistent", True)


@pytest.mark.parametrize("obstacle", ["there_already", "forbidden"])
def test_a_receipt_that_the_remote_does_not_take_stops_no_landing(
    tmp_path: Path, make_remote: MakeRemote, obstacle: str
) -> None:
    shared = SharedProject(tmp_path, make_remote(), SLOW_BEAT)
    shared.publish([ID])
    worker = shared.clone()
    if obstacle == "forbidden":
        shared.remote.refuse_pushes("refs/chant/receipts/*")
    else:
        shared.remote.write_ref(RECEIPT, shared.remote.refs()[TARGET])
    before = shared.remote.refs("refs/chant/receipts")
    worker.start(ID)
    assert worker.ended(ID)["end_state"] == "completed"
    assert shared.completions(ID) == 1
    assert shared.remote.refs("refs/chant/receipts") == before
    assert worker.git("rev-parse", "--verify", RECEIPT)
