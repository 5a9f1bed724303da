"""`work --all --follow` in several clones: nothing is refused, all lands once, later specs are begun, too."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cli.kit import Cli
from leases.clones import LEASES, LeaseClone, SharedProject
from leases.landing_faults import faults_of
from leases.remotes import Remote, run_git
from work.kit import PROGRAM, wait_for

MakeRemote = Callable[..., Remote]

IDS = [f"2026-01-22-{number:03}-x7m" for number in range(1, 7)]
LATE = "2026-01-23-001-x7m"
WAITS_FOR_LATE = "2026-01-23-002-x7m"


@contextmanager
def following(clone: LeaseClone) -> Iterator[Path]:
    """Have a clone work on all that is ready, until the block ends; gives the file of what it says."""
    said = clone.root.with_suffix(".said")
    words = (*PROGRAM, "work", "--all", "--follow", "--parallel", "2")
    with said.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            words, cwd=clone.root, env=os.environ, stdout=out, stderr=subprocess.STDOUT
        )
        try:
            yield said
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 0, said.read_text(encoding="utf-8")


def test_clones_share_the_work_without_a_refusal(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), LEASES)
    shared.publish(IDS)
    clones = [shared.clone(), shared.clone()]
    with following(clones[0]) as one, following(clones[1]) as other:
        wait_for(lambda: shared.completed() == set(IDS), "all specs")
        # What others write later is begun, and what waits for that behind it.
        run_git(shared.author.root, "pull", "-q", "--rebase", "origin", "main")
        shared.author.spec(WAITS_FOR_LATE, depends_on=[LATE])
        shared.publish([LATE])
        late = {LATE, WAITS_FOR_LATE}
        wait_for(lambda: shared.completed() == {*IDS, *late}, "the later specs")
    texts = [said.read_text(encoding="utf-8") for said in (one, other)]
    assert all("Nothing more is started" in text for text in texts)
    lines = [line for text in texts for line in text.splitlines()]
    assert not [line for line in lines if line.startswith(("Spec", "No spec", "main was not"))], lines
    assert faults_of(shared, [*IDS, *late]) == []
    # The last runs write their ends while the command ends.
    for clone in clones:
        wait_for(
            lambda clone=clone: all(one["status"] != "running" for one in clone.records()), "the last ends"
        )


def test_following_needs_all_and_shows_itself(tmp_path: Path, make_remote: MakeRemote) -> None:
    shared = SharedProject(tmp_path, make_remote(), LEASES)
    shared.publish(IDS[:1])
    cli = Cli(shared.clone().project)
    assert "add `--all`" in cli.run("work", "--follow").output
    assert "until you end it" in cli.run("work", "--all", "--follow", "--wait").output
