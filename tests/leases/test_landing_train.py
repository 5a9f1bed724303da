"""The landings of a clone that go together: their order, and checks on what they come to."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from leases.clones import TARGET, LeaseClone, SharedProject
from leases.remotes import Remote, run_git
from leases.test_broken_landings import start_alone
from work.kit import FOURTH, ID, OTHER, THIRD, kill, wait_for

MakeRemote = Callable[..., Remote]

UNIT = "Works <!-- check: unit -->"
LEASES = "leases: {remote: origin, beat: 1s, ttl: 10s, push_interval: 200ms, checks: merged}\n"
NO_OTHER = f"echo checking; test ! -e work/{OTHER}.txt"
"""A check that fails on the work on one spec."""

GATHERING = 5
"""Seconds that checks wait for runs that are about to merge."""


def checked(script: str) -> str:
    """Give a configuration whose only check is a script, run on what lands."""
    return f"{LEASES}checks:\n  unit: [sh, -c, '{script}']\n"


def queue_of(clone: LeaseClone) -> Path:
    """Name the folder of a clone's landings."""
    return clone.root / ".git" / "chant-mcp" / "leases" / "_" / "origin"


@contextmanager
def held(file: Path) -> Iterator[None]:
    """Hold the lock of a file, as another process would."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def waiting_landings(clone: LeaseClone) -> int:
    """Count the landings that the leader has taken and not answered."""
    return sum('"wish":"land"' in text for text in texts(queue_of(clone) / "taken"))


def texts(folder: Path) -> list[str]:
    """Read the files of a folder; some may go meanwhile."""
    found: list[str] = []
    for file in folder.iterdir():
        with suppress(FileNotFoundError):
            found.append(file.read_text(encoding="utf-8"))
    return found


def checks_run(clone: LeaseClone, *ids: str) -> int:
    """Count how often the check was run: each run says so in the log of a spec."""
    return sum(clone.log(id).count(" out checking\n") for id in ids)


@contextmanager
def checked_together(clone: LeaseClone, landings: int) -> Iterator[None]:
    """Have so many landings be checked together: nobody checks any before all of them wait."""
    with held(queue_of(clone) / "checker"):
        yield
        wait_for(lambda: waiting_landings(clone) == landings, "the landings")


def finish_together(clone: LeaseClone, *ids: str) -> None:
    """Have works that wait end, and their landings be checked together."""
    with checked_together(clone, len(ids)):
        clone.go(*ids)


def started(shared: SharedProject, *ids: str) -> LeaseClone:
    """Start work on specs that waits for a sign."""
    clone = shared.clone()
    for id in ids:
        clone.start(id)
    for id in ids:
        clone.said(id, "out waiting")
    return clone


def test_of_four_landings_with_one_that_fails_three_land_and_one_needs_attention(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    shared = SharedProject(tmp_path, make_remote(), checked(NO_OTHER))
    ids = [ID, OTHER, THIRD, FOURTH]
    shared.publish(ids, "wait", criteria=[UNIT])
    clone = started(shared, *ids)
    finish_together(clone, *ids)
    records = {id: clone.ended(id) for id in ids}
    assert {id: record["end_state"] for id, record in records.items()} == {
        **dict.fromkeys(ids, "completed"),
        OTHER: "needs_attention",
    }
    assert records[OTHER]["reason"] == (
        "check 'unit' failed with exit code 1, twice, with this work merged onto main, and passes there "
        f"without it. It did not land and stays on chant/{OTHER}; the log has what the check said"
    )
    assert clone.branches() == [f"chant/{OTHER}"]
    assert shared.completed() == {ID, THIRD, FOURTH}
    # The end, two halves, the target or the rest of the train, and the one that fails a second time.
    assert 4 <= checks_run(clone, *ids) <= 6
    assert clone.log(OTHER).count(" out checking\n") >= 2
    # What landed is what was checked, and the receipts say so.
    trees = shared.remote.git("log", "--first-parent", "--format=%T", TARGET).split()
    for id in (ID, THIRD, FOURTH):
        (check,) = records[id]["checks"]
        assert (check["name"], check["exit"]) == ("unit", 0)
        assert check["tree"] in trees
    assert trees[0] in {records[id]["checks"][0]["tree"] for id in (ID, THIRD, FOURTH)}


def test_landings_that_pass_cost_one_check_and_one_push(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), checked("echo checking"))
    ids = [ID, OTHER, THIRD]
    shared.publish(ids, "wait", criteria=[UNIT])
    clone = started(shared, *ids)
    finish_together(clone, *ids)
    assert [clone.ended(id)["end_state"] for id in ids] == ["completed"] * 3
    assert checks_run(clone, *ids) == 1
    pushes = [push for push in shared.remote.pushes() if TARGET in push.refs and not push.is_probe]
    landed = [push.refs for push in pushes][1:]
    assert len(landed) == 1
    assert [f"refs/chant/leases/{id}" in landed[0] for id in ids] == [True] * 3
    verified = clone.handle().receipt_verify().data["specs"]
    assert [one["verdict"] for one in verified] == ["consistent"] * 3


def test_check_that_fails_on_the_target_itself_blames_no_run(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), checked("echo checking; test -e repaired.txt"))
    shared.publish([ID], criteria=[UNIT])
    before = shared.remote.refs()[TARGET]
    clone = shared.clone()
    clone.start(ID)
    record = clone.ended(ID)
    assert (record["end_state"], record["reason"]) == (
        "awaiting_merge",
        f"check 'unit' failed with exit code 1 on main itself ({before[:7]}), without any work that waits: "
        "no run is to blame. Fix main, then `chant-mcp merge ID` lands this work; work that fixes it lands "
        "in the same way",
    )
    # A look at the project lands nothing that was not checked.
    ran = checks_run(clone, ID)
    clone.handle().recover()
    assert (checks_run(clone, ID), shared.remote.refs()[TARGET]) == (ran, before)
    (shared.author.root / "repaired.txt").write_text("well\n", encoding="utf-8")
    shared.author.commit()
    run_git(shared.author.root, "push", "-q", "origin", "HEAD:main")
    clone.handle().merge()
    assert shared.completed() == {ID}


def test_target_that_moves_during_the_check_has_the_work_checked_again(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    # The check sees what others pushed meanwhile; it fails on both together.
    script = f"echo checking; test ! -e foreign.txt || test ! -e work/{ID}.txt"
    shared = SharedProject(tmp_path, make_remote(), checked(script))
    shared.publish([ID], "wait", criteria=[UNIT])
    clone = started(shared, ID)
    with held(queue_of(clone) / "checker"):
        clone.go(ID)
        wait_for(lambda: waiting_landings(clone) == 1, "the landing")
        (shared.author.root / "foreign.txt").write_text("others\n", encoding="utf-8")
        shared.author.commit()
        run_git(shared.author.root, "push", "-q", "origin", "HEAD:main")
    record = clone.ended(ID)
    assert record["end_state"] == "needs_attention"
    assert str(record["reason"]).startswith("check 'unit' failed with exit code 1, twice")
    assert shared.completions(ID) == 0


def test_work_whose_check_fails_once_and_passes_then_lands(tmp_path: Path, make_remote: MakeRemote) -> None:
    # What a check leaves in a folder that it may write is all that is there the second time.
    kept = tmp_path / "kept"
    kept.mkdir()
    script = f"echo checking; mkdir {kept}/first && exit 1; true"
    shared = SharedProject(tmp_path, make_remote(), f"{checked(script)}confine:\n  write: [{kept}]\n")
    shared.publish([ID], criteria=[UNIT])
    clone = shared.clone()
    clone.start(ID)
    assert clone.ended(ID)["end_state"] == "completed"
    # It failed, passed on the target, and passed then.
    assert checks_run(clone, ID) == 3


def test_when_the_process_that_checks_is_killed_another_goes_on(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    shared = SharedProject(tmp_path, make_remote(), checked("echo checking; sleep 1"))
    shared.publish([ID, OTHER], "wait", criteria=[UNIT])
    clone = started(shared, ID, OTHER)
    clone.go(ID)
    clone.said(ID, " out checking")
    clone.go(OTHER)
    wait_for(lambda: waiting_landings(clone) == 2, "the landings")
    kill(clone.record(ID)["pid"])
    assert clone.ended(OTHER)["end_state"] == "completed"
    # Its landing was in the queue, and landed with the other one.
    assert clone.handle().recover() == []
    assert clone.record(ID)["end_state"] == "completed"
    assert shared.completed() == {ID, OTHER}


def test_work_of_a_checker_that_died_alone_waits_for_a_person(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    shared = SharedProject(tmp_path, make_remote(), checked("echo checking"))
    shared.publish([ID], criteria=[UNIT])
    clone = shared.clone()
    start_alone(clone, CHANT_STOP_AT="before-train-check")
    clone.ended_anyhow(ID)
    assert clone.handle().recover() == []
    record = clone.record(ID)
    assert record["end_state"] == "awaiting_merge"
    assert "`chant-mcp merge ID` runs them and lands it" in str(record["reason"])
    assert shared.completions(ID) == 0
    clone.handle().merge(ID)
    assert (shared.completions(ID), clone.record(ID)["end_state"]) == (1, "completed")


def test_what_most_specs_wait_for_merges_first_and_a_conflict_leaves_the_train_alone(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    shared = SharedProject(tmp_path, make_remote(), checked("echo checking"))
    shared.publish([ID, THIRD], "wait", targets=["ferry.txt"], criteria=[UNIT])
    shared.publish([OTHER], "wait", criteria=[UNIT])
    shared.publish([FOURTH], depends_on=[THIRD])
    clone = started(shared, ID, OTHER, THIRD)
    ready = queue_of(clone) / "ready"
    # That of the work that conflicts is none.
    with checked_together(clone, 2), held(ready / "0000000000-first"):
        clone.go(ID, OTHER, THIRD)
        wait_for(lambda: len(list(ready.iterdir())) == 4, "the runs that are ready")
    states = {id: clone.ended(id)["end_state"] for id in (ID, OTHER, THIRD)}
    assert states == {ID: "awaiting_merge", OTHER: "completed", THIRD: "completed"}
    assert checks_run(clone, ID, OTHER, THIRD) == 1
    found = shared.remote.git("log", "--first-parent", "--reverse", "--format=%s", TARGET)
    merged = [line.split(":")[0] for line in found.splitlines() if line.startswith("Merge chant/")]
    assert merged == [f"Merge chant/{THIRD}", f"Merge chant/{OTHER}"]


def test_checks_wait_for_a_run_that_is_about_to_merge(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), checked("echo checking"))
    shared.publish([ID], "wait", criteria=[UNIT])
    clone = started(shared, ID)
    with held(queue_of(clone) / "ready" / "9999999999-last"):
        begun = time.monotonic()
        clone.go(ID)
        wait_for(lambda: waiting_landings(clone) == 1, "the landing")
        time.sleep(0.5)
        ran = checks_run(clone, ID)
        # A look that came late says nothing.
        assert ran == 0 or time.monotonic() - begun > GATHERING
    assert clone.ended(ID)["end_state"] == "completed"
    assert checks_run(clone, ID) == 1
