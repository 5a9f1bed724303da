"""What a clone tells of the others is so: work that landed, leases nobody can read, overtaken runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import chant_mcp
import pytest
from chant_mcp.errors import RefusedError
from cli.kit import Cli
from leases.clones import SLOW_BEAT, LeaseClone, SharedProject
from leases.remotes import Remote
from work.kit import ID, OTHER, THIRD, wait_for

pytestmark = pytest.mark.anyio

MakeRemote = Callable[..., Remote]


@pytest.fixture
def shared(tmp_path: Path, make_remote: MakeRemote) -> SharedProject:
    """Three specs on a remote by path."""
    shared = SharedProject(tmp_path, make_remote(), SLOW_BEAT)
    shared.publish([ID, OTHER, THIRD])
    return shared


def landed_elsewhere(shared: SharedProject) -> LeaseClone:
    """Have a clone land a spec; give another one, which has looked at the remote since."""
    first, second = shared.clone(), shared.clone()
    first.start(ID)
    assert first.ended(ID)["end_state"] == "completed"
    second.handle().look_at_leases()
    return second


async def test_what_another_clone_landed_is_shown_as_completed_there(shared: SharedProject) -> None:
    clone = landed_elsewhere(shared)
    handle = clone.handle()
    ready = handle.ready().data
    assert ([spec["id"] for spec in ready["specs"]], ready["completed_on_remote"]) == ([OTHER, THIRD], 1)
    assert handle.status().data["completed_on_remote"] == 1
    assert handle.status(brief=True).text.endswith("| 1 completed on the remote")
    listed = {spec["id"]: spec for spec in handle.spec_list().data["specs"]}
    assert (listed[ID]["status"], listed[ID]["on_remote"]) == ("pending", "completed")
    assert "on_remote" not in listed[OTHER]
    assert handle.spec_get(ID).data["on_remote"] == "completed"
    assert [item.id for item in chant_mcp.open(clone.root).ready] == [OTHER, THIRD]
    look = chant_mcp.open(clone.root).core.board_look().data
    (done,) = [column["items"] for column in look["columns"] if column["meaning"] == "done"]
    assert [(card["id"], card["on_remote"]) for card in done] == [(ID, "completed")]
    async with clone.client() as call:
        assert (await call.data("chant_ready"))["completed_on_remote"] == 1


def test_one_command_brings_the_checkout_up(shared: SharedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = landed_elsewhere(shared)
    (clone.root / "notes.txt").write_text("mine\n", encoding="utf-8")
    monkeypatch.chdir(clone.root)
    cli = Cli(clone.project)
    assert "`chant-mcp leases --pull` brings them here" in cli("ready")
    assert "Brought main up to origin" in cli("leases", "--pull")
    assert clone.status_of(ID) == "completed"
    assert clone.tip() == shared.remote.refs()["refs/heads/main"]
    assert (clone.root / "notes.txt").read_text(encoding="utf-8") == "mine\n"
    assert "completed_on_remote" not in clone.handle().ready().data
    assert "has all that is on origin" in cli("leases", "--pull")


def test_changes_of_the_user_keep_the_checkout_as_it_is(shared: SharedProject) -> None:
    clone = landed_elsewhere(shared)
    spec = clone.root / ".chant" / "specs" / f"{ID}.md"
    mine = spec.read_text(encoding="utf-8") + "\nA thought of mine.\n"
    spec.write_text(mine, encoding="utf-8")
    before = clone.tip()
    with pytest.raises(RefusedError, match=f"local changes in .chant/specs/{ID}.md"):
        clone.handle().follow_remote()
    assert (spec.read_text(encoding="utf-8"), clone.tip()) == (mine, before)
    spec.unlink()
    clone.git("checkout", "--", ".")
    clone.git("commit", "-q", "--allow-empty", "-m", "mine")
    with pytest.raises(RefusedError, match="`git pull origin main` unites them"):
        clone.handle().follow_remote()


def test_spec_whose_lease_cannot_be_read_is_not_ready(shared: SharedProject) -> None:
    clone = shared.clone()
    shared.write_lease(ID, schema=99, token=3, orchestrator="o-new")
    clone.handle().look_at_leases()
    ready = clone.handle().ready().data
    assert ([spec["id"] for spec in ready["specs"]], ready["doubtful_leases"]) == ([OTHER, THIRD], 1)
    assert clone.handle().status().data["doubtful_leases"] == 1
    (problem,) = clone.handle().leases().data["problems"]
    assert "a newer release wrote it" in problem


def test_overtaken_run_gives_its_clone_back(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), SLOW_BEAT)
    shared.publish([ID], "wait")
    first, second = shared.clone(), shared.clone()
    first.start(ID)
    first.said(ID, "out waiting")
    assert first.status_of(ID) == "in_progress"
    second.handle().takeover(ID, force=True, from_clone=True)
    second.start(ID)
    second.said(ID, "out waiting")
    second.go(ID)
    assert second.ended(ID)["end_state"] == "completed"
    record = first.ended(ID)
    holder = shared.lease(ID)
    assert f"claimed by {holder['orchestrator']} on {holder['host']}" in record["reason"], record["reason"]
    wait_for(lambda: first.status_of(ID) != "in_progress", "the spec's own state")
    assert first.git("status", "--porcelain") == "", (first.git("diff"), record)
    first.git("pull", "-q", "--ff-only")
    assert first.status_of(ID) == "completed"
