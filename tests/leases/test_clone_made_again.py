"""A clone that was removed and made again at the same path, as in CI, and a stop during a landing."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from chant_mcp.errors import ChantError
from leases.clones import QUICK_TTL, SLOW_BEAT, LeaseClone, SharedProject
from leases.remotes import Remote
from work.kit import ID, OTHER, Record, lives, wait_for

MakeRemote = Callable[..., Remote]

ADVANCE = "pool: {files: 1, folders: 2}\nchecks: {unit: [sh, -c, 'true']}\n"
"""Folders for later runs are made in advance, and commits are checked in folders of their own."""


def kill(clone: LeaseClone) -> None:
    """Kill the runner of the spec, as a crash does."""
    record = clone.record(ID)
    os.kill(record["pid"], signal.SIGKILL)
    wait_for(lambda: not lives(record["pid"]), "the end of the runner")


def pause(clone: LeaseClone) -> None:
    """Pause the run."""
    clone.handle().pause(ID)
    clone.ended(ID)


@pytest.mark.parametrize("stop", [kill, pause])
def test_clone_that_was_made_again_works(
    tmp_path: Path, make_remote: MakeRemote, stop: Callable[[LeaseClone], None]
) -> None:
    shared = SharedProject(tmp_path, make_remote(), QUICK_TTL + ADVANCE)
    shared.publish([ID, OTHER], "wait")
    clone = shared.clone()
    (clone.root / "local.txt").write_text("never pushed\n", encoding="utf-8")
    clone.git("add", "-A")
    clone.git("commit", "-q", "-m", "Local alone")
    clone.start(ID)
    clone.said(ID, "out waiting")
    stop(clone)
    shutil.rmtree(clone.root)
    again = LeaseClone(shared.remote.clone(clone.root))

    def starts() -> bool:
        try:
            again.start(ID)
        except ChantError as error:
            is_held = "is worked on by" in str(error)
            if not is_held:
                raise
            return False
        return True

    wait_for(starts, "the spec to be free")
    again.go(ID)
    record = again.ended(ID)
    assert record["end_state"] == "completed", record


def test_pause_during_a_landing_is_not_stale(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote("git"), SLOW_BEAT)
    shared.publish([ID], "wait")
    clone = shared.clone()
    record: Record = clone.start(ID)
    clone.said(ID, "out waiting")
    with ThreadPoolExecutor() as aside, shared.remote.hold_next_push() as held:
        clone.go(ID)
        held.wait()
        paused = aside.submit(clone.handle().pause, ID)
        wait_for(lambda: not lives(record["pid"]), "the end of the runner")
        while not paused.done():
            for run in clone.handle().work_list(include_completed=True).data["processes"]:
                assert not run["stale"], run
        held.release()
    assert "completed" in paused.result().text or "paused" in paused.result().text
