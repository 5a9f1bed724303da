"""Runs on a disk that fails: starts, records, worktrees and landings; afterwards nothing is lost."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from chant_mcp.errors import ChantError
from work.checkouts import ID, Checkout, made
from work.kit import PROGRAM, wait_for_ends
from work.troubled import Trouble, is_told, trouble_for

PARTS = 8
"""So many moments of a run are tried, spread evenly."""


_COUNTED: list[int] = []
"""How often a run writes, once that was found out."""


def count_writes(trouble: Trouble, folder: Path) -> int:
    """Find out how often a run of which nothing fails writes."""
    if not _COUNTED:
        trouble.fail(1, 0)
        whole = made(folder / "whole")
        assert run_once(whole, trouble.environment).returncode == 0
        assert whole.record()["end_state"] == "completed"
        _COUNTED.append(trouble.done)
    return _COUNTED[0]


def run_once(checkout: Checkout, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the spec by a command, and wait until nothing of it lives."""
    done = subprocess.run(
        [*PROGRAM, "--project", str(checkout.project.root), "work", ID],
        env={**os.environ, **environment},
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    wait_for_ends(checkout.records)
    return done


@pytest.mark.parametrize("lasts", [1, 12])
@pytest.mark.parametrize("half", [0, 1])
def test_whichever_write_of_a_run_fails_its_work_is_done_in_the_end(
    lasts: int, half: int, tmp_path: Path
) -> None:
    trouble = trouble_for(tmp_path / "trouble", tmp_path)
    writes = count_writes(trouble, tmp_path)
    assert writes > 100
    for part in range(half, PARTS, 2):
        checkout = made(tmp_path / f"part{part}")
        checkout.write("kept.txt", "staged\n")
        checkout.git("add", "kept.txt")
        checkout.write("notes.txt", "mine\n")
        before, old = checkout.seen(), checkout.tip()
        number = 1 + writes * part // PARTS
        trouble.fail(number, number + lasts - 1)
        done = run_once(checkout, trouble.environment)
        assert trouble.failed
        trouble.heal()
        at = f"write {number} of {writes}: {done.stderr} {[r['reason'] for r in checkout.records()]}"
        if done.returncode:
            # What a runner has no way to say is reported as that.
            assert is_told(done.stderr) or "ended before the run was under way" in done.stderr, at
        checkout.git("merge-base", "--is-ancestor", old, "main")
        finish(checkout, at)
        after = checkout.seen()
        assert after["refs"] == before["refs"], at
        assert (checkout.top / "notes.txt").read_text("utf-8") == "mine\n"
        assert checkout.git("show", ":kept.txt") == "staged\n", at
        assert checkout.worktrees() == [], at
        checkout.check_sound()


@pytest.mark.parametrize("before_the_end", [4, 7, 10, 13])
def test_work_that_was_merged_is_never_called_failed(before_the_end: int, tmp_path: Path) -> None:
    """The last writes of a run say that it is merged, and that it is over."""
    trouble = trouble_for(tmp_path / "trouble", tmp_path)
    number = count_writes(trouble, tmp_path) - before_the_end
    checkout = made(tmp_path / "failing")
    trouble.fail(number, number)
    run_once(checkout, trouble.environment)
    while not trouble.failed:
        # Not every run writes as often: what comes at once is written at once.
        number -= 1
        checkout = made(tmp_path / f"failing-{number}")
        trouble.fail(number, number)
        run_once(checkout, trouble.environment)
    trouble.heal()
    is_merged = checkout.project.status(ID) == "completed"
    assert checkout.chant().recover() == []
    record = checkout.record()
    assert (record["end_state"] == "completed") is is_merged, (number, record)
    finish(checkout, f"write {number}")
    checkout.check_sound()


def finish(checkout: Checkout, at: str) -> None:
    """Have the work done now that the disk is well again, as people would."""
    assert checkout.chant().recover() == [], at
    if checkout.project.status(ID) == "completed":
        assert checkout.record()["end_state"] == "completed", at
        return
    try:
        record = checkout.run()
    except ChantError as error:
        raise AssertionError(f"{at}: {error}") from error
    assert record["end_state"] == "completed", f"{at}: {record['reason']}"
    assert checkout.project.status(ID) == "completed", at
