"""What tools and commands tell of specs that other clones hold, without asking the remote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chant_mcp
import pytest
from chant_mcp.errors import RefusedError
from cli.kit import Cli
from leases.clones import QUICK_TTL, SLOW_BEAT, LeaseClone, SharedProject
from leases.remotes import Remote
from work.kit import ID, OTHER, THIRD, wait_for

pytestmark = pytest.mark.anyio

IDS = (ID, OTHER, THIRD)

MakeRemote = Callable[..., Remote]


@pytest.fixture
def shared(tmp_path: Path, make_remote: MakeRemote) -> SharedProject:
    """Three specs that agents wait on, on a remote by path."""
    shared = SharedProject(tmp_path, make_remote(), SLOW_BEAT)
    shared.publish(IDS, "wait")
    return shared


@contextmanager
def at_work(clone: LeaseClone, *ids: str) -> Iterator[None]:
    """Have agents of a clone at work on specs, until the block ends."""
    for id in ids:
        clone.start(id)
    try:
        yield
    finally:
        clone.go(*ids)
        for id in ids:
            clone.ended(id)


def looked(clone: LeaseClone) -> LeaseClone:
    """Have a clone look at the remote."""
    clone.handle().look_at_leases()
    return clone


async def test_runs_of_other_clones_are_listed_from_the_last_look(shared: SharedProject) -> None:
    first, second = shared.clone(), shared.clone()
    assert second.handle().work_list().data["elsewhere"] == []
    assert second.handle().work_list().data["looked_seconds_ago"] is None
    with at_work(first, ID):
        assert second.handle().work_list().data["elsewhere"] == []
        looked(second)
        shared.remote.refuse_connections()
        try:
            data = second.handle().work_list().data
            async with second.client() as call:
                told = await call.data("chant_work_list")
        finally:
            shared.remote.accept_connections()
        lease = shared.lease(ID)
        (held,) = data["elsewhere"]
        assert told["elsewhere"] == data["elsewhere"]
        names = {"spec_id": ID, "token": lease["token"], "since": lease["at"]}
        holder = {"orchestrator": lease["orchestrator"], "host": lease["host"]}
        assert {key: held[key] for key in (*names, *holder)} == names | holder
        assert "looked_seconds_ago" not in data
        assert first.handle().work_list().data["elsewhere"] == []


async def test_what_another_clone_works_on_is_not_ready(shared: SharedProject) -> None:
    first, second = shared.clone(), shared.clone()
    with at_work(first, ID):
        looked(second)
        handle = second.handle()
        ready = handle.ready().data
        assert ([spec["id"] for spec in ready["specs"]], ready["total"]) == ([OTHER, THIRD], 2)
        assert ready["held_elsewhere"] == 1
        assert handle.ready(include_held=True).data["total"] == 3
        assert handle.status().data["held_elsewhere"] == 1
        assert handle.status(brief=True).text.endswith("| 1 held elsewhere")
        ws = chant_mcp.open(second.root)
        assert [item.id for item in ws.ready] == [OTHER, THIRD]
        assert len(ws.items.where(ready=True, include_held=True)) == 3
        assert ws.core.ready().data["held_elsewhere"] == 1
        look = ws.core.board_look().data
        columns = {column["meaning"]: [item["id"] for item in column["items"]] for column in look["columns"]}
        assert (columns["being_worked_on"], columns["can_begin"]) == ([ID], [OTHER, THIRD])
        async with second.client() as call:
            assert (await call.data("chant_ready"))["held_elsewhere"] == 1
    looked(second)
    ready = second.handle().ready().data
    assert "held_elsewhere" not in ready


def test_the_command_ready_counts_what_it_leaves_out(
    shared: SharedProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = shared.clone(), shared.clone()
    with at_work(first, ID):
        looked(second)
        monkeypatch.chdir(second.root)
        cli = Cli(second.project)
        said = cli("ready")
        assert ID not in said
        assert "Other clones work on 1 more" in said
        assert ID in cli("ready", "--held")
        assert cli.json("ready", "--held")["total"] == 3
        assert "In other clones:" in cli("runs")


def test_a_holder_without_a_sign_of_life_keeps_nothing(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), QUICK_TTL)
    shared.publish([ID], "wait")
    clone = shared.clone()
    shared.write_lease(
        ID, token=1, orchestrator="o-gone", host="far", state="held", at="2026-01-22T10:00:00Z"
    )
    looked(clone)
    assert clone.handle().ready().data["held_elsewhere"] == 1

    def is_silent() -> bool:
        looked(clone)
        (held,) = clone.handle().work_list().data["elsewhere"]
        return held["state"] == "silent"

    wait_for(is_silent, "the silence of the holder")
    assert [spec["id"] for spec in clone.handle().ready().data["specs"]] == [ID]


def test_what_others_write_into_leases_is_bounded(shared: SharedProject) -> None:
    clone = shared.clone()
    shared.write_lease(ID, token=3, orchestrator="o-\x1b[31m" + "x" * 999, host="far\n", at="now")
    shared.write_lease(OTHER, spec=THIRD, token=1, orchestrator="o-2", host="far", at="now")
    looked(clone)
    (held,) = clone.handle().work_list().data["elsewhere"]
    assert (held["spec_id"], held["host"], len(held["orchestrator"])) == (ID, "far", 200)
    assert "\x1b" not in held["orchestrator"]


def test_without_leases_answers_are_as_before(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), "")
    shared.publish([ID])
    clone = shared.clone()
    before = shared.remote.refs()
    data: dict[str, Any] = clone.handle().work_list().data
    assert set(data) == {"processes", "summary"}
    assert not clone.handle().may_look_at_leases()
    assert "held_elsewhere" not in clone.handle().ready().data
    with pytest.raises(RefusedError, match="not shared among clones"):
        clone.handle().leases()
    assert shared.remote.refs() == before
