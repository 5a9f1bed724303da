"""Commits of a job that are too large to be sent back go to the remote that the machine's owner accepted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cluster.jobs import SPEC, Head, Worker
from writing import git

REF = f"refs/chant/runs/app%3a{SPEC}/1"
"""The ref of the first run of the spec, in a project that is a folder of its repository."""


def test_what_is_too_large_is_pushed_to_the_ref_of_the_run_and_nowhere_else(
    tmp_path: Path, make_worker: Callable[..., Worker]
) -> None:
    head = Head(tmp_path, inside="app")
    remote = tmp_path / "remote.git"
    git(head.root, "clone", "-q", "--bare", "--branch", "main", str(head.root), str(remote))
    git(remote, "config", "uploadpack.allowFilter", "true")
    git(remote, "config", "uploadpack.allowAnySHA1InWant", "true")
    before = set(refs(remote))
    bundle = head.bundle(head.base)
    url = remote.as_uri()
    worker = make_worker(**{"remote": [url], "largest-bundle": ["10"]})
    job = head.job(key="first", inside="app", remote=url)

    pushed = worker.do(job, bundle)
    assert (pushed["state"], pushed["pushed"], pushed["reason"]) == ("done", pushed["tip"], None), pushed
    assert set(refs(remote)) - before == {f"{pushed['tip']} {REF}"}
    assert not (worker.folder / "jobs" / "first" / "result.bundle").exists()

    # A second run makes the same commit if it comes within the same second.
    git(remote, "update-ref", REF, head.base)
    taken = worker.do({**job, "key": "second"}, bundle)
    assert (taken["kept"], "pushed" in taken) == (True, False)
    assert f"has other commits as {REF} ({head.base})" in taken["reason"]
    assert set(refs(remote)) - before == {f"{head.base} {REF}"}, "nothing is overwritten"

    strange = worker.do({**job, "key": "third", "remote": f"{url}/"}, head.bundle())
    assert strange["kept"] is True
    assert f"were started with `--remote {url}/`" in strange["reason"]
    assert git(remote, "rev-parse", REF).strip() == head.base
    kept = worker.folder / "jobs" / "third"
    assert head.fetch(kept / "result.bundle") == strange["tip"], "the commits are kept"
    (kept / "acknowledged").touch()
    worker.options = {}
    assert worker.machine().sweep(worker.folder, only="third").data["kept"] == ["third"]


def refs(repository: Path) -> list[str]:
    """Give the refs of a repository with their commits."""
    return git(repository, "for-each-ref", "--format=%(objectname) %(refname)").splitlines()
