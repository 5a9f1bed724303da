"""Where the work of a clone lands: target and lease move together, and the checkout follows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from leases.clones import SLOW_BEAT, TARGET, LeaseClone, SharedProject
from leases.remotes import RefFormat, Remote, Transport, run_git
from work.kit import ID, OTHER, THIRD, wait_for

MakeRemote = Callable[..., Remote]

LEASE = f"refs/chant/leases/{ID}"


@pytest.mark.parametrize(
    ("transport", "ref_format"),
    [("path", "files"), ("git", "files"), ("git", "reftable"), ("http", "files"), ("ssh", "files")],
)
def test_work_lands_with_one_push_of_target_and_lease(
    tmp_path: Path, make_remote: MakeRemote, transport: Transport, ref_format: RefFormat
) -> None:
    shared = SharedProject(tmp_path, make_remote(transport, ref_format))
    shared.publish([ID])
    clone = shared.clone()
    clone.start(ID)
    record = clone.ended(ID)
    assert (record["end_state"], record["reason"]) == ("completed", None)
    pushes = [push for push in shared.remote.pushes() if TARGET in push.refs and not push.is_probe]
    landed = [push.refs for push in pushes][1:]
    assert [LEASE in refs for refs in landed] == [True]
    lease = shared.lease(ID)
    tip = shared.remote.refs()[TARGET]
    assert (lease["state"], lease["commit"], lease["token"]) == ("landed", tip, record["token"])
    assert 'run_token: "1"' in shared.shown(tip, f".chant/specs/{ID}.md")
    assert (clone.tip(), clone.git("status", "--short")) == (tip, "")
    # What is gone from the remote with the run: its sign of life.
    wait_for(lambda: not shared.remote.refs("refs/chant/orchestrators"), "the end of the sign of life")


def test_changes_and_commits_in_the_checkout_do_not_stop_a_landing(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    shared = SharedProject(tmp_path, make_remote(), SLOW_BEAT)
    shared.publish([ID, OTHER, THIRD], "wait")
    dirty, ahead, apart = clones = [shared.clone() for _ in range(3)]
    works = dict(zip((ID, OTHER, THIRD), clones, strict=True))
    for id, clone in works.items():
        clone.start(id)
        clone.said(id, "out waiting")
    own = write_own(dirty, f"work/{ID}.txt")
    write_own(ahead, "notes.txt")
    ahead.commit("Other work")
    theirs = write_own(apart, f"work/{THIRD}.txt")
    apart.commit("The same file")
    reasons: dict[str, str | None] = {}
    for id, clone in works.items():
        clone.go(id)
        record = clone.ended(id)
        assert (record["end_state"], clone.project.status(id)) == ("completed", "completed")
        assert (shared.completions(id), shared.lease(id)["state"]) == (1, "landed")
        reasons[id] = record["reason"]
    stays = "it landed on origin; this checkout was not brought up to it: "
    assert str(reasons[ID]).startswith(stays), reasons
    assert f"work/{ID}.txt" in str(reasons[ID])
    # Target and work are on the remote: nothing of the runs stays.
    assert [clone.branches() for clone in clones] == [[], [], []]
    assert reasons[OTHER] is None
    ahead.git("merge-base", "--is-ancestor", shared.lease(OTHER)["commit"], "main")
    conflict = "its branch main has other commits that conflict; merge them by hand"
    assert reasons[THIRD] == f"{stays}{conflict}"
    assert own.read_text("utf-8") == theirs.read_text("utf-8") == "mine\n"


def write_own(clone: LeaseClone, name: str) -> Path:
    """Write a file as the user does."""
    file = clone.root / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine\n", encoding="utf-8")
    return file


def test_edit_of_the_spec_that_others_pushed_meanwhile_stays(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedProject(tmp_path, make_remote())
    shared.publish([ID], "wait")
    clone = shared.clone()
    clone.start(ID)
    clone.said(ID, "out waiting")
    path = f".chant/specs/{ID}.md"
    file = shared.author.root / path
    file.write_text(file.read_text("utf-8").replace("\n# ", "\nA word of others.\n\n# ", 1), encoding="utf-8")
    shared.author.commit()
    run_git(shared.author.root, "push", "-q", "origin", "HEAD:main")
    clone.go(ID)
    assert clone.ended(ID)["end_state"] == "completed"
    landed = shared.remote.git("show", f"main:{path}")
    assert "A word of others." in landed
    assert "status: completed" in landed


def test_leases_of_archived_specs_go_with_the_next_push(
    tmp_path: Path, make_remote: Callable[..., Remote]
) -> None:
    shared = SharedProject(tmp_path, make_remote(), SLOW_BEAT)
    shared.publish([ID, OTHER, THIRD])
    clone = shared.clone()
    clone.start(ID)
    assert clone.ended(ID)["end_state"] == "completed"
    # What only a lease says has not landed, whatever the archive has.
    forged = {"orchestrator": "o-1", "host": "far", "at": "then", "commit": "12" * 20}
    shared.write_lease(THIRD, token=1, state="landed", **forged)
    archive = clone.root / ".chant" / "archive"
    archive.mkdir()
    for id in (ID, THIRD):
        clone.git("mv", f".chant/specs/{id}.md", f".chant/archive/{id}.md")
    clone.git("commit", "-q", "-m", "Archive")
    clone.git("push", "-q", "origin", "main")
    before = len(shared.remote.pushes())
    clone.handle().look_at_leases()
    assert len(shared.remote.pushes()) == before, "no push is made for it"
    clone.start(OTHER)
    assert clone.ended(OTHER)["end_state"] == "completed"
    left = {name.rpartition("/")[2] for name in shared.remote.refs("refs/chant/leases")}
    assert left == {OTHER, THIRD}
