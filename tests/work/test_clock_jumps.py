"""A calendar that is set ahead and back while runs are under way: nothing happens by mistake."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli.kit import read_data
from state_folder import part
from work.kit import ID, OTHER, PROGRAM, Workshop, lives, wait_for
from work.troubled import trouble_for

from bench.torture.trouble import Trouble

DAY = 24 * 3600

STAMP = re.compile(r"^(\d{4}-\d\d-\d\dT[\d:.]+Z) ", re.MULTILINE)


@pytest.fixture
def trouble(shop: Workshop, tmp_path: Path) -> Trouble:
    return trouble_for(tmp_path / "trouble", shop.root)


@pytest.fixture
def watched(shop: Workshop, trouble: Trouble) -> Iterator[None]:
    """A daemon at work that no poll wakes up, in troubled time."""
    shop.configure(
        "watch:\n  poll_interval_ms: 3600000\n"
        "  failure: {max_retries: 1, retry_delay_ms: 1500, retryable_patterns: [asked to fail]}\n"
    )
    shop.spec(ID, "fail")
    shop.spec(OTHER, "wait")
    shop.commit()
    command(shop, trouble, "watch", "--background")
    yield
    command(shop, trouble, "watch", "--stop")


def command(shop: Workshop, trouble: Trouble, *words: str) -> str:
    """Run a command to its end in troubled time."""
    done = subprocess.run(
        [*PROGRAM, "--project", str(shop.root), *words],
        env={**os.environ, **trouble.environment},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )
    return done.stdout


def tries(shop: Workshop) -> list[int]:
    """Give the attempts at a spec that are recorded."""
    return sorted(record["attempt"] for record in shop.records() if record["spec_id"] == ID)


def test_a_run_whose_limits_seem_over_goes_on_and_its_log_stays_in_order(
    shop: Workshop, trouble: Trouble
) -> None:
    shop.configure("limits: {run_minutes: 1, idle_minutes: 1, check_minutes: 1}\n")
    shop.spec(ID, "wait")
    shop.commit()
    command(shop, trouble, "work", ID)
    shop.said(ID, "waiting")
    record = shop.record(ID)
    chant = shop.handle()
    last = STAMP.findall(shop.log(ID))[-1]
    for seconds in (3 * DAY, -5 * DAY, -3600):
        trouble.jump(seconds)
        # A process that opens the project in that time looks after runs.
        assert f"{ID}" in command(shop, trouble, "runs")
        assert lives(record["pid"])
        assert lives(record["agent"]["pid"])
    shop.go(ID)
    assert shop.ended(ID)["end_state"] == "completed"
    stamps = STAMP.findall(shop.log(ID))
    assert stamps == sorted(stamps)
    assert "Going on" in chant.log(ID, since=last).data["content"]


@pytest.mark.usefixtures("watched")
def test_a_retry_waits_its_delay_and_no_longer_when_the_clock_is_set_back(
    shop: Workshop, trouble: Trouble
) -> None:
    command(shop, trouble, "work", ID)
    shop.ended(ID)
    trouble.jump(-2 * DAY)
    wait_for(lambda: tries(shop) == [1, 2], lambda: f"the second try: {shop.records()}")
    shop.ended(ID)


def test_a_retry_whose_time_seems_to_have_come_still_waits(shop: Workshop, trouble: Trouble) -> None:
    shop.configure(
        "watch:\n  poll_interval_ms: 3600000\n"
        "  failure: {max_retries: 1, retry_delay_ms: 3600000, retryable_patterns: [asked to fail]}\n"
    )
    shop.spec(ID, "fail")
    shop.spec(OTHER)
    shop.commit()
    command(shop, trouble, "watch", "--background")
    watch_log = shop.root / ".chant" / "logs" / "watch.log"
    command(shop, trouble, "work", ID)
    run = shop.ended(ID)["process_id"]
    wait_for(lambda: f"Run {run} is failed" in watch_log.read_text("utf-8"), "the daemon to see it")
    trouble.jump(2 * DAY)
    command(shop, trouble, "work", OTHER)
    other = shop.ended(OTHER)["process_id"]
    wait_for(lambda: f"Run {other} is completed" in watch_log.read_text("utf-8"), "the daemon to look again")
    command(shop, trouble, "watch", "--stop")
    assert tries(shop) == [1]


def test_no_record_is_pruned_for_seeming_old(shop: Workshop, trouble: Trouble) -> None:
    shop.spec(ID)
    shop.spec(OTHER)
    shop.commit()
    command(shop, trouble, "work", ID)
    first = shop.ended(ID)
    trouble.jump(30 * DAY)
    command(shop, trouble, "work", OTHER)
    second = shop.ended(OTHER)
    trouble.jump(-30 * DAY)
    command(shop, trouble, "list")
    assert {record["process_id"] for record in shop.records()} == {first["process_id"], second["process_id"]}
    # Branch and worktree of both went after their merges, not for their age.
    assert shop.branches() == []


def test_ids_that_the_date_is_in_stay_apart(shop: Workshop, trouble: Trouble) -> None:
    shop.commit()
    for seconds in (0, DAY, 0, -DAY, DAY):
        trouble.jump(seconds)
        command(shop, trouble, "add", f"Something {seconds}")
    found = [path.stem for path in shop.project.specs.glob("*.md")]
    numbered = sorted(id[:14] for id in found)
    assert len(set(numbered)) == 5
    assert [number[-3:] for number in numbered] == ["001", "001", "002", "001", "002"]
    assert read_data(command(shop, trouble, "list", "--json"))["total"] == 5


def test_what_seems_old_is_swept_only_when_its_writer_is_gone(shop: Workshop, trouble: Trouble) -> None:
    shop.spec(ID)
    shop.commit()
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    journal = part(shop.root, "processes").parents[2] / "journal"
    places: dict[int, list[Path]] = {}
    for pid in (os.getpid(), dead.pid):
        staged = journal / f"18ea-{pid}-0"
        staged.mkdir(parents=True)
        written = shop.project.specs / f".chant-{pid}-0.tmp"
        written.write_text("half", encoding="utf-8")
        places[pid] = [staged, written]
    trouble.jump(2 * DAY)
    command(shop, trouble, "list")
    assert [path.exists() for path in places[os.getpid()]] == [True, True]
    assert [path.exists() for path in places[dead.pid]] == [False, False]
    past = time.time() - DAY
    for path in places[os.getpid()]:
        os.utime(path, (past, past))
    command(shop, trouble, "list")
    assert [path.exists() for path in places[os.getpid()]] == [True, True]
    for path in places[os.getpid()]:
        path.unlink() if path.is_file() else path.rmdir()
