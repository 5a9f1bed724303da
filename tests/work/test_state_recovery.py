"""A runner that dies at any moment: the next opening of the project finds it, and the work goes on."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.errors import ChantError
from harness import user_config
from state_folder import lock_file
from work.checkouts import ID, OTHER, TARGET, Checkout, made
from work.kit import PROGRAM, Record, kill, lives, wait_for, wait_for_ends, worktree_root
from writing import Wire, git, strange_sign

BEFORE_THE_WORK = ("after-lock", "after-branch", "after-worktree", "after-status", "before-handshake")
"""Moments of a runner at which no agent has done anything."""

AFTER_THE_WORK = (
    "after-agent-exit",
    "after-evidence",
    "index-locked",
    "mid-files",
    "after-files",
    "index-written",
    "after-index",
    "after-ref",
    "after-merge",
    "before-end-record",
)
"""Moments of a runner at which the work is done and proven."""


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A checkout with changes of all kinds."""
    checkout = made(tmp_path)
    checkout.write("kept.txt", "staged\n")
    checkout.git("add", "kept.txt")
    checkout.write("kept.txt", "changed after that\n")
    checkout.write("notes.txt", "mine\n")
    return checkout


def started(checkout: Checkout, **environment: str) -> subprocess.CompletedProcess[str]:
    """Start a run by a command, so that who started it is gone when its runner dies."""
    return subprocess.run(
        [*PROGRAM, "--project", str(checkout.project.root), "work", ID],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )


def dies(checkout: Checkout, moment: str) -> Record:
    """Run a spec by a runner that dies at a moment after its agent began, and give the record it leaves.

    The agent waits until the starter is gone, which would look after a runner that dies before.
    """
    text = checkout.project.path(ID).read_text("utf-8")
    ways = [way for way in re.findall(r"demo:([a-z-]+)", text.partition("# ")[0]) if way != "wait"]
    checkout.label("wait", *ways)
    done = started(checkout, CHANT_STOP_AT=moment)
    assert done.returncode == 0, done.stderr
    record = checkout.record()
    checkout.sign(ID).touch()
    wait_for(lambda: not lives(record["pid"]), "the end of the runner")
    checkout.sign(ID).unlink()
    record = checkout.record()
    assert record["status"] == "running", record
    return record


def dies_alone(checkout: Checkout, moment: str) -> None:
    """Have a runner die at a moment after its starter died."""
    assert started(checkout, CHANT_STOP_AT="after-record").returncode == -signal.SIGABRT
    record = checkout.record()
    wait_for(lambda: not lives(record["pid"]), "the end of the runner that nobody named a run to")
    done = subprocess.run(
        [*PROGRAM, "--project", str(checkout.project.root), "work", "--runner", ID],
        input=record["process_id"],
        env={**os.environ, "CHANT_STOP_AT": moment},
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert done.returncode == -signal.SIGABRT
    assert checkout.record()["status"] == "running"


def reachable(checkout: Checkout, commit: str) -> bool:
    """Return whether a commit is reachable from a branch or a backup."""
    kept = ("refs/heads", "refs/chant/backup", "refs/chant/landed")
    refs = checkout.git("for-each-ref", "--contains", commit, *kept)
    return bool(refs)


@pytest.mark.parametrize("moment", BEFORE_THE_WORK)
def test_start_says_so_when_its_runner_dies_and_the_next_one_works(
    moment: str, checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout.label("wait")
    before, old = checkout.seen(), checkout.tip()
    monkeypatch.setenv("CHANT_STOP_AT", moment)
    with pytest.raises(ChantError, match="runner"):
        checkout.chant().work_start(ID)
    monkeypatch.delenv("CHANT_STOP_AT")
    assert checkout.ended()["end_state"] == "failed"
    assert_can_be_started_again(checkout, before, old)


@pytest.mark.parametrize("moment", BEFORE_THE_WORK)
def test_runner_that_dies_before_the_work_is_found_by_the_next_opening(
    moment: str, checkout: Checkout
) -> None:
    checkout.label("wait")
    before, old = checkout.seen(), checkout.tip()
    dies_alone(checkout, moment)
    assert checkout.chant().recover() == []
    record = checkout.record()
    assert record["end_state"] == "lost"
    assert f"The runner (PID {record['pid']}) died " in record["reason"]
    assert_can_be_started_again(checkout, before, old)


def assert_can_be_started_again(checkout: Checkout, before: dict[str, Any], old: str) -> None:
    """Check that a death before the work left nothing but a spec that can be started."""
    assert checkout.project.status(ID) in ("pending", "failed")
    assert (checkout.seen(), checkout.tip()) == (before, old)
    checkout.check_sound()
    checkout.label("work")
    record = checkout.run()
    assert (record["end_state"], record["reason"]) == ("completed", None)
    assert checkout.project.status(ID) == "completed"
    assert checkout.worktrees() == []
    checkout.check_sound()


@pytest.mark.parametrize("moment", ["after-token", "after-record"])
def test_start_whose_starter_dies_leaves_nothing_that_runs(moment: str, checkout: Checkout) -> None:
    before, old, spec = checkout.seen(), checkout.tip(), checkout.project.text(ID)
    assert started(checkout, CHANT_STOP_AT=moment).returncode == -signal.SIGABRT
    # One that ends has no environment any more before it is gone.
    wait_for_ends(checkout.records)
    assert checkout.chant().recover() == []
    assert checkout.project.text(ID) == spec
    assert (checkout.seen(), checkout.tip()) == (before, old)
    states = [record["end_state"] for record in checkout.records()]
    assert states == ([] if moment == "after-token" else ["lost"])
    assert checkout.git("for-each-ref", "refs/heads/chant") == ""
    assert checkout.run()["end_state"] == "completed"
    checkout.check_sound()


@pytest.mark.parametrize("moment", AFTER_THE_WORK)
def test_work_that_was_proven_when_its_runner_died_is_merged(moment: str, checkout: Checkout) -> None:
    before, old = checkout.seen(), checkout.tip()
    dies(checkout, moment)
    tip = git(checkout.top, "rev-parse", "-q", "--verify", f"chant/{ID}", check=False).strip()
    assert not tip or reachable(checkout, tip)

    assert checkout.chant().recover() == []
    record = checkout.record()
    assert (record["status"], record["end_state"]) == ("completed", "completed"), record
    assert checkout.project.status(ID) == "completed"
    assert checkout.project.text(ID).count("- [x]") == 2
    new = checkout.tip()
    parents = checkout.git("rev-list", "--parents", "-1", new).split()[1:]
    assert len(parents) == 2
    assert parents[0] == old
    assert not tip or git(checkout.top, "merge-base", "--is-ancestor", tip, parents[1]) == ""
    after = checkout.seen()
    for kind in ("files", "index"):
        name = f"{kind} of {checkout.top.name}"
        was, now = before.pop(name), after.pop(name)
        assert was.pop(TARGET) != now.pop(TARGET)
        assert was == now
    assert before == after
    assert checkout.git("diff", "HEAD", "--stat", "--", TARGET, checkout.spec) == ""
    assert checkout.worktrees() == []
    (receipts,) = checkout.chant().receipt_verify(ID).data["specs"]
    assert receipts["verdict"] == "consistent", receipts
    assert [one["ref"] for one in receipts["receipts"]] == [f"refs/chant/receipts/{ID}/{record['token']}"]
    checkout.check_sound()


def test_a_folder_that_was_half_removed_when_its_runner_died_goes(checkout: Checkout) -> None:
    checkout.label("work")
    dies(checkout, "after-ref")
    (git_folder,) = worktree_root().glob("*/*/.git")
    folder = git_folder.parent
    Path(f"{folder}.unfinished").touch()
    shutil.rmtree(git_folder / "refs")
    assert checkout.chant().recover() == []
    record = checkout.record()
    assert (record["end_state"], record["reason"]) == ("completed", None)
    assert [left.name for left in folder.parent.iterdir() if ID in left.name] == []


@pytest.mark.parametrize("moment", ["index-locked", "after-index", "after-ref", "after-merge"])
@pytest.mark.parametrize("style", ["squash", "rebase"])
def test_work_that_was_landing_in_another_style_lands_once(
    style: str, moment: str, checkout: Checkout
) -> None:
    config = checkout.project.root / ".chant" / "config.md"
    text = config.read_text("utf-8").replace("---\n", f"---\nlanding:\n  style: {style}\n", 1)
    config.write_text(text, encoding="utf-8")
    checkout.git("commit", "-q", "-m", "Style", "--", str(config))
    old = checkout.tip()
    dies(checkout, moment)
    moved = checkout.tip()
    assert (moved != old) == (moment in ("after-ref", "after-merge"))
    if moved != old:
        # The dead run still holds the lock of the index.
        person = checkout.git("commit-tree", "-m", "A person goes on", "-p", "main", "main^{tree}").strip()
        checkout.git("update-ref", "refs/heads/main", person)

    assert checkout.chant().recover() == []
    record, new = checkout.record(), moved if moved != old else checkout.tip()
    assert (record["end_state"], record["merge"]["commit"]) == ("completed", new), record
    assert checkout.git("rev-list", "--count", f"{new}..main").strip() == str(int(new == moved))
    assert checkout.git("rev-list", "--merges", f"{old}..{new}") == ""
    assert (
        checkout.git("rev-list", "--count", f"{old}..{new}").strip() == {"squash": "1", "rebase": "2"}[style]
    )
    assert checkout.git("rev-list", "--reverse", f"{old}..{new}").split() == record["merge"]["landed"]
    kept = checkout.git("for-each-ref", "--format=%(refname)", "refs/chant/landed").split()
    assert kept == [record["merge"]["kept"]] == [f"refs/chant/landed/chant/{ID}/1"]
    assert reachable(checkout, record["commits"][0])
    assert checkout.worktrees() == []
    assert checkout.git("for-each-ref", "refs/heads/chant") == ""
    assert checkout.git("diff", "HEAD", "--stat", "--", TARGET, checkout.spec) == ""
    (receipts,) = checkout.chant().receipt_verify(ID).data["specs"]
    assert receipts["verdict"] == "consistent", receipts
    checkout.check_sound()


def test_work_without_evidence_is_kept_when_its_runner_dies(checkout: Checkout) -> None:
    checkout.label("unticked")
    old = checkout.tip()
    dies(checkout, "after-agent-exit")
    tip = checkout.git("rev-parse", f"chant/{ID}").strip()
    assert checkout.chant().recover() == []
    record = checkout.record()
    assert record["end_state"] == "lost"
    assert "died after its agent was started" in record["reason"]
    assert checkout.project.status(ID) == "failed"
    assert checkout.tip() == old
    tree = record["worktree"]
    assert checkout.git("rev-parse", f"chant/{ID}") == git(tree, "rev-parse", f"chant/{ID}")
    assert git(checkout.top, "merge-base", "--is-ancestor", tip, f"chant/{ID}") == ""
    assert checkout.worktrees() == [ID]
    # Gone on with, in the kept worktree.
    checkout.label("work")
    record = checkout.run()
    assert (record["end_state"], record["attempt"]) == ("completed", 2)
    assert git(checkout.top, "merge-base", "--is-ancestor", tip, "main") == ""
    checkout.check_sound()


def test_commit_of_a_killed_run_stays_when_the_next_start_is_fresh(checkout: Checkout) -> None:
    checkout.label("dirty")
    dies(checkout, "after-agent-exit")
    tip = checkout.git("rev-parse", f"chant/{ID}").strip()
    changed = (Path(checkout.record()["worktree"]) / TARGET).read_text("utf-8")
    # Somebody gives it up before anything recovers it.
    checkout.chant().cancel(ID)
    checkout.project.path(ID).write_bytes(
        checkout.project.path(ID).read_bytes().replace(b"status: cancelled", b"status: pending")
    )
    checkout.label("work")
    assert checkout.run(fresh=True)["end_state"] == "completed"
    kept = f"refs/chant/backup/{ID}/1"
    assert git(checkout.top, "merge-base", "--is-ancestor", tip, kept) == ""
    assert checkout.git("show", f"{kept}:{TARGET}") == changed
    checkout.check_sound()


def test_lock_of_the_index_that_a_dead_run_left_is_freed(checkout: Checkout) -> None:
    record = dies(checkout, "index-locked")
    lock = checkout.top / ".git" / "index.lock"
    assert record["process_id"] in lock.read_text("utf-8")
    assert checkout.chant().recover() == []
    assert not lock.exists()
    assert checkout.record()["end_state"] == "completed"


@pytest.mark.parametrize("opened", ["tool", "command", "start"])
def test_any_opening_of_the_project_recovers(
    opened: str, checkout: Checkout, run_server: Callable[..., subprocess.Popen[bytes]]
) -> None:
    checkout.label("wait")
    assert started(checkout).returncode == 0
    record = checkout.record()
    agent = record["agent"]["pid"]
    kill(record["pid"])
    if opened == "command":
        command = [*PROGRAM, "--project", str(checkout.project.root), "list"]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
    elif opened == "tool":
        Wire(run_server(checkout.project.root)).text("chant_work_list")
    else:
        checkout.label("work")
        assert checkout.run()["attempt"] == 2
    first = min(checkout.records(), key=lambda record: record["token"])
    assert first["end_state"] == "lost"
    assert not lives(agent)
    assert checkout.project.status(ID) == ("completed" if opened == "start" else "failed")
    checkout.check_sound()


def test_openings_at_once_agree_on_a_run_that_died(checkout: Checkout) -> None:
    checkout.label("wait")
    for _ in range(4):
        kill(checkout.start()["pid"])
        assert at_once(checkout) == [[]] * 4
        wait_for(lambda: checkout.record()["settled_at"], "the end of the recovery")
        assert (checkout.record()["end_state"], checkout.project.status(ID)) == ("lost", "failed")
    checkout.check_sound()


def test_work_that_waited_is_merged_once_by_openings_at_once(checkout: Checkout) -> None:
    old = checkout.tip()
    checkout.write(TARGET, "changed by the user\n")
    assert checkout.run()["end_state"] == "awaiting_merge"
    checkout.git("checkout", "--", TARGET)
    assert at_once(checkout) == [[]] * 4
    assert checkout.record()["end_state"] == "completed"
    assert checkout.git("rev-list", "--count", "--first-parent", f"{old}..main").strip() == "1"
    checkout.check_sound()


def at_once(checkout: Checkout) -> list[list[str]]:
    """Open the project four times at once, and give what could not be put right."""
    opened = [checkout.chant() for _ in range(4)]
    with ThreadPoolExecutor(len(opened)) as pool:
        return [done.result() for done in [pool.submit(chant.recover) for chant in opened]]


def test_spec_that_a_person_set_in_progress_is_left_alone(checkout: Checkout) -> None:
    path = checkout.project.path(ID)
    path.write_bytes(path.read_bytes().replace(b"pending", b"in_progress"))
    text = path.read_bytes()
    assert checkout.chant().recover() == []
    assert path.read_bytes() == text


@pytest.mark.parametrize(
    ("moment", "status"), [("before-term", "in_progress"), ("after-term", "in_progress")]
)
def test_pause_whose_caller_dies_is_finished_by_the_next_opening(
    moment: str, status: str, checkout: Checkout
) -> None:
    checkout.label("wait")
    assert started(checkout).returncode == 0
    command = [
        *PROGRAM[:1],
        "-c",
        "import os, sys; from chant_mcp._core import ChantProject;"
        " given = {'user_config': sys.argv[4], 'environment': dict(os.environ), 'stop_at': sys.argv[2]};"
        " ChantProject(sys.argv[1], **given).pause(sys.argv[3])",
        str(checkout.project.root),
        moment,
        ID,
        str(user_config()),
    ]
    done = subprocess.run(command, check=False, capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGABRT
    record = checkout.record()
    if moment == "before-term":
        # Reported by the record; the agent works on until somebody looks.
        kill(record["pid"])
    wait_for(lambda: not lives(record["pid"]), "the end of the runner")
    assert checkout.chant().recover() == []
    assert checkout.record()["end_state"] == "paused"
    assert checkout.project.status(ID) == status
    assert not lives(record["agent"]["pid"])
    checkout.check_sound()


SIGNALS = ("before-term", "after-term", "before-kill", "after-kill")
"""Moments of a process that ends an agent that does not end when asked to."""


@pytest.mark.parametrize("moment", SIGNALS)
def test_runner_that_dies_while_it_ends_its_agent_is_paused_all_the_same(
    moment: str, checkout: Checkout
) -> None:
    checkout.label("stubborn")
    assert started(checkout, CHANT_STOP_AT=moment).returncode == 0
    record = checkout.record()
    checkout.said("Thinking")
    checkout.chant().pause(ID)
    assert not lives(record["agent"]["pid"])
    assert checkout.record()["end_state"] == "paused"
    assert checkout.project.status(ID) == "in_progress"
    assert_goes_on(checkout)


@pytest.mark.parametrize("moment", SIGNALS)
def test_recovery_that_dies_while_it_ends_an_agent_is_finished_by_the_next_one(
    moment: str, checkout: Checkout
) -> None:
    checkout.label("stubborn")
    assert started(checkout).returncode == 0
    checkout.said("Thinking")
    record = checkout.record()
    kill(record["pid"])
    done = subprocess.run(
        [*PROGRAM, "--project", str(checkout.project.root), "list"],
        env={**os.environ, "CHANT_STOP_AT": moment},
        check=False,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == -signal.SIGABRT
    if moment != "after-kill":
        assert lives(record["agent"]["pid"])
    assert checkout.record()["status"] == "running"
    assert checkout.chant().recover() == []
    assert not lives(record["agent"]["pid"])
    assert checkout.record()["end_state"] == "lost"
    assert checkout.project.status(ID) == "failed"
    assert_goes_on(checkout)


def assert_goes_on(checkout: Checkout) -> None:
    """Check that the work can be gone on with and completed."""
    checkout.check_sound()
    checkout.label("work")
    record = checkout.run()
    assert (record["end_state"], record["attempt"]) == ("completed", 2)
    checkout.check_sound()


def test_start_waits_for_another_process_that_looks_after_the_dead_run(checkout: Checkout) -> None:
    checkout.label("stubborn")
    assert started(checkout).returncode == 0
    checkout.said("Thinking")
    first = checkout.record()
    kill(first["pid"])
    command = [*PROGRAM, "--project", str(checkout.project.root), "list"]
    other = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    lock = lock_file(checkout.project.root, ID)
    wait_for(lambda: lock.exists() and str(other.pid) in lock.read_text("utf-8"), "the other's recovery")
    checkout.label("work")
    second = checkout.run()
    assert other.wait(30) == 0
    assert (second["end_state"], second["attempt"]) == ("completed", 2)
    ends = {record["token"]: record["end_state"] for record in checkout.records()}
    assert ends == {1: "lost", 2: "completed"}
    checkout.check_sound()


def test_files_that_dead_processes_left_are_removed_and_those_of_living_ones_stay(checkout: Checkout) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    root = checkout.project.root
    checkout.run()
    for id, pid in ((ID, dead.pid), (OTHER, os.getpid())):
        lock_file(root, id).write_text(f"{pid}\n", encoding="utf-8")
    strange = strange_sign(root, "pid file", ID, dead.pid)
    assert checkout.chant().recover() == []
    assert not lock_file(root, ID).exists()
    assert lock_file(root, OTHER).exists()
    assert strange.exists(), "what lies in the project is not ours"
