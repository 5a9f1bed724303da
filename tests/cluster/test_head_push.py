"""What the head does with commits that a worker says it pushed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from cluster.head_kit import HeadWorkshop
from cluster.head_kit import head as head
from work.kit import ID, Record, wait_for
from writing import git

REF = f"refs/chant/runs/{ID}/1"


@pytest.fixture
def remote(head: HeadWorkshop, tmp_path: Path) -> Path:
    """The remote of a project whose spec is ready to be worked on."""
    head.spec(ID)
    head.commit()
    remote = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(head.root), str(remote))
    git(head.root, "remote", "add", "origin", str(remote))
    return remote


def done_elsewhere(head: HeadWorkshop, remote: Path, ref: str, said: dict[str, Any]) -> tuple[str, Record]:
    """Have a worker push to a ref and say so; give the commit, and the record of the run that ended."""
    head.plan(results={ID: {"pushed": None, **said}})
    head.start(ID)

    def committed() -> list[Path]:
        return list(head.cluster_folder().glob(f"placer/{ID}-*/.git/logs/refs/heads/chant/{ID}"))

    wait_for(lambda: committed() and "done elsewhere" in committed()[0].read_text("utf-8"), "the commit")
    work = committed()[0].parents[5]
    commit = git(work, "rev-parse", "HEAD").strip()
    git(work, "push", "-q", str(remote), f"{commit}:{ref}")
    head.let_go(ID)
    return commit, head.ended(ID)


def test_what_a_worker_says_chooses_neither_the_remote_nor_the_ref(
    head: HeadWorkshop, remote: Path, tmp_path: Path
) -> None:
    own = {"ref": "refs/heads/evil", "name": "refs/heads/evil", "remote": str(tmp_path), "url": "ext::x"}
    commit, record = done_elsewhere(head, remote, "refs/heads/evil", own)
    assert (record["end_state"], record["cause"]) == ("failed", "work_rejected")
    said = f"its worker says that it pushed {commit} to {REF} of origin: there is no such ref"
    assert said in record["reason"]
    refs = git(head.root, "for-each-ref", "--format=%(objectname) %(refname)")
    assert commit not in refs
    assert "evil" not in refs
    assert git(head.root, "rev-parse", record["branch"]).strip() == record["base"]
    assert not list((head.root / ".git" / "objects").glob("tmp_*"))


def test_a_pushed_commit_of_a_failed_run_stays_on_the_remote_until_the_spec_lands(
    head: HeadWorkshop, remote: Path
) -> None:
    failed = {"state": "failed", "exit_code": 3, "cause": "turn_limit"}
    commit, record = done_elsewhere(head, remote, REF, failed)
    assert (record["end_state"], record["cause"]) == ("failed", "turn_limit")
    assert git(head.root, "rev-parse", record["branch"]).strip() == commit
    assert git(remote, "rev-parse", REF).strip() == commit
    [listed] = head.handle().work_list(include_completed=True).data["processes"]
    assert listed["placed"]["pushed"] == commit
    head.plan()
    again = head.done(ID)
    assert (again["end_state"], again["token"]) == ("completed", 2), again["reason"]
    assert git(head.root, "merge-base", commit, "main").strip() == commit
    assert REF not in git(remote, "for-each-ref")


def test_work_that_stays_on_its_machine_is_named_with_the_words_of_that_machine(
    head: HeadWorkshop, remote: Path
) -> None:
    head.plan(results={ID: {"kept": True, "reason": "They could be pushed from there"}})
    record = head.done(ID)
    assert (record["end_state"], record["cause"]) == ("failed", "work_kept")
    why = "The agent's commits are kept on the machine that made them (They could be pushed from there)"
    assert record["reason"] == why
    [listed] = head.handle().work_list(include_completed=True).data["processes"]
    assert "Let that machine push to the remote" in listed["next_step"]
