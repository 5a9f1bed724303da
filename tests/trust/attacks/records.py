"""Attacks by records of runs in the work tree."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from trust.attacks.table import attack
from trust.clones import NEXT, RUN, SPEC, Clone, now, ticks
from writing import git


def forged(clone: Clone, **changes: Any) -> dict[str, Any]:
    """Make a record of a run, with some keys as an attacker would have them."""
    record = {
        "schema": 1,
        "process_id": RUN,
        "spec_id": SPEC,
        "pid": 4_194_301,
        "pid_start": "1",
        "status": "failed",
        "end_state": "awaiting_merge",
        "mode": "single",
        "generation": 1,
        "token": 1,
        "started_at": now(),
        "updated_at": now(),
        "branch": f"chant/{SPEC}",
        "base": git(clone.root, "rev-parse", "main").strip(),
        "target": "main",
        "worktree": "../../Documents",
        "agent": {"name": "claude", "argv": [str(clone.trap)], "pid": clone.innocent},
    }
    return record | changes


def record(clone: Clone, name: str = RUN, **changes: Any) -> None:
    text = json.dumps(forged(clone, **changes))
    clone.write(f".chant/processes/{name}.json", text, 0o600)
    clone.commit()


def living(clone: Clone, **changes: Any) -> dict[str, Any]:
    """Say that the innocent process is a run's."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="utf-8").strip()
    identity = {"pid": clone.innocent, "pid_start": ticks(clone.innocent), "boot_id": boot}
    agent = {"name": "claude", "argv": [], **identity}
    return {**identity, "agent": agent, "status": "running", "end_state": None, **changes}


@attack(forged=True, dangerous=True)
def a_worktree_beside_the_clone(clone: Clone) -> None:
    """A run that ended names the user's documents as its worktree."""
    record(clone, end_state="failed", completed_at="2020-01-01T00:00:00.000Z")


@attack(forged=True)
def a_worktree_by_its_whole_path(clone: Clone) -> None:
    """The same folder by its absolute path."""
    record(clone, worktree=str(clone.documents), end_state="lost")


@attack(forged=True)
def a_worktree_behind_a_link(clone: Clone) -> None:
    """The worktree is a link in the clone that leads to the documents."""
    clone.link("tree", "../Documents")
    record(clone, worktree="tree", end_state="lost")


@attack(forged=True)
def a_worktree_that_is_the_neighbour(clone: Clone) -> None:
    """The worktree is the user's other repository, with an unfinished branch."""
    record(clone, worktree=str(clone.neighbour), end_state="lost", stop_requested="cancel")


@attack(forged=True)
def a_worktree_that_is_the_clone(clone: Clone) -> None:
    """The worktree is the clone itself."""
    record(clone, worktree=str(clone.root), end_state="completed", status="completed")


@attack(forged=True, dangerous=True)
def a_merge_of_an_unfinished_branch(clone: Clone) -> None:
    """The user's own unfinished branch waits to be merged, says a record."""
    record(clone, branch="unfinished", end_state="awaiting_merge", worktree=None)


@attack(forged=True)
def a_merge_into_another_branch(clone: Clone) -> None:
    """The work is to land on the user's unfinished branch."""
    record(clone, branch=f"chant/{SPEC}", target="unfinished")


@attack(forged=True)
def a_merge_that_is_said_to_be_done(clone: Clone) -> None:
    """A record says that work is merged, so that its branch can go and its spec is completed."""
    commit = git(clone.root, "rev-parse", f"chant/{SPEC}").strip()
    record(clone, end_state="lost", merge={"state": "merged", "commit": commit})


@attack(forged=True)
def a_merge_of_the_main_branch(clone: Clone) -> None:
    """Branch and target are both main, which a clean-up would delete."""
    record(clone, branch="main", target="main", merge={"state": "merged", "commit": "HEAD"})


@attack(forged=True)
def a_base_that_is_a_switch(clone: Clone) -> None:
    """The base of the work is a switch of git that writes a file."""
    record(clone, base=f"--output={clone.mark}", branch=f"--output={clone.mark}")


@attack(forged=True)
def a_log_outside(clone: Clone) -> None:
    """The log of a run is a letter of the user."""
    record(clone, log="../../Documents/letter.txt")


@attack(forged=True)
def a_log_by_its_whole_path(clone: Clone) -> None:
    """The log of a run that lives is a letter of the user, by its absolute path."""
    record(clone, **living(clone), log=str(clone.documents / "letter.txt"))


@attack(forged=True, dangerous=True)
def a_runner_that_is_innocent(clone: Clone) -> None:
    """A process that has nothing to do with it is the runner, with its true start and machine."""
    record(clone, **living(clone), stop_requested="cancel", adopted_at=now())


@attack(forged=True)
def a_dead_runner_with_an_innocent_agent(clone: Clone) -> None:
    """The runner is dead, and its agent, to be ended, is a process that has nothing to do with it."""
    record(clone, **(living(clone) | {"pid": 4_194_301, "pid_start": "1"}))


@attack(forged=True)
def a_process_group_of_others(clone: Clone) -> None:
    """The agent is process 1, or every process."""
    everything = {"name": "claude", "argv": [], "pid": 1, "pgid": clone.innocent, "session": clone.innocent}
    record(clone, status="running", end_state=None, agent=everything, pid=1)
    record(clone, f"{SPEC}-0", process_id=f"{SPEC}-0", pid=0, status="running", end_state=None)


@attack(forged=True)
def a_stop_that_resets(clone: Clone) -> None:
    """Somebody asked to reset the spec, says a record."""
    record(clone, end_state="lost", stop_requested="reset")


@attack(forged=True)
def a_run_that_waits_for_approval(clone: Clone) -> None:
    """Work waits for an approval that the record has."""
    record(clone, end_state="awaiting_approval", approval={"status": "approved", "by": "ada"})


@attack(forged=True)
def a_run_that_ended_well(clone: Clone) -> None:
    """The run completed its spec, says a record."""
    record(clone, status="completed", end_state="completed", exit_code=0)


@attack(forged=True)
def a_proposal_of_members(clone: Clone) -> None:
    """A split proposes members that no person thought of."""
    members = [{"title": "Evil", "description": "../../Documents/x", "criteria": ["x"]}]
    proposal = {"of": "", "members": members}
    record(clone, mode="split", status="completed", end_state="completed", proposal=proposal)


@attack(forged=True)
def a_worktree_of_a_split(clone: Clone) -> None:
    """A split that was lost left its files beside the clone."""
    record(clone, mode="split", end_state="lost", worktree=f"../../Documents/.split/{RUN}/files")


@attack(forged=True)
def parents_in_a_circle(clone: Clone) -> None:
    """Two runs are each other's parent, and one its own."""
    other = f"{SPEC}-2"
    record(clone, parent=other, mode="chain", status="running", end_state=None)
    record(clone, other, process_id=other, parent=RUN, mode="parallel(2)", status="running", end_state=None)
    record(clone, f"{SPEC}-3", process_id=f"{SPEC}-3", parent=f"{SPEC}-3")


@attack(forged=True)
def a_huge_token(clone: Clone) -> None:
    """The token is larger than every other, so that this run is the newest."""
    record(clone, token=2**64 - 1, generation=2**64 - 1)


@attack(forged=True)
def numbers_beyond_all_measure(clone: Clone) -> None:
    """Numbers that fit nowhere."""
    text = json.dumps(forged(clone)).replace("4194301,", "-1e999,").replace('"token": 1', '"token": -7')
    clone.write(f".chant/processes/{RUN}.json", text)
    clone.commit()


@attack(forged=True)
def a_later_layout(clone: Clone) -> None:
    """The record is of a release to come."""
    record(clone, schema=2, end_state="lost")


@attack(forged=True)
def another_name_inside(clone: Clone) -> None:
    """The name in the record is not that of its file."""
    record(clone, process_id="../../../Documents/letter", end_state="lost")


@attack(forged=True, dangerous=True)
def a_spec_that_climbs(clone: Clone) -> None:
    """The spec of a run leads out of the clone."""
    record(clone, spec_id="../../../Documents/2026-01-22-009-doc", process_id=RUN, end_state="lost")


@attack(forged=True)
def a_spec_that_steers(clone: Clone) -> None:
    """The spec of a run holds line ends and the escapes of terminals."""
    record(clone, spec_id="x\n\x1b]0;owned\x07\x1b[2J", reason="\x1b[2Jx", end_state="lost")


@attack(forged=True)
def a_record_behind_a_link(clone: Clone) -> None:
    """The record is a link to a file beside the clone."""
    record = clone.documents / "record.json"
    record.write_text(json.dumps(forged(clone, end_state="lost")), encoding="utf-8")
    clone.link(f".chant/processes/{RUN}.json", "../../../Documents/record.json")
    clone.commit()


@attack(forged=True)
def a_folder_of_records_behind_a_link(clone: Clone) -> None:
    """The folder of records is a link to the user's documents."""
    record = clone.documents / f"{RUN}.json"
    record.write_text(json.dumps(forged(clone, end_state="lost")), encoding="utf-8")
    clone.link(".chant/processes", "../../Documents")
    clone.commit()


@attack(forged=True)
def a_record_that_is_a_pipe(clone: Clone) -> None:
    """The record is a named pipe, which an archive can hold: who opens it waits for ever."""
    clone.commit()
    for name in (f".chant/processes/{RUN}.json", f".chant/.locks/{SPEC}.lock", f".chant/logs/{NEXT}.log"):
        (clone.root / name).parent.mkdir(exist_ok=True)
        os.mkfifo(clone.root / name)


@attack(forged=True)
def a_record_of_ten_megabytes(clone: Clone) -> None:
    """The record is as large as a film."""
    record(clone, reason="x" * (10 << 20))


@attack(forged=True)
def a_record_that_is_nested_deeply(clone: Clone) -> None:
    """The record holds lists in lists in lists."""
    text = json.dumps(forged(clone, agent=None)).replace("null", "[" * 100_000 + "]" * 100_000)
    clone.write(f".chant/processes/{RUN}.json", text)
    clone.commit()
