"""Hostile jobs, bundles and agents reach nothing but their own folder."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from hashlib import sha1
from pathlib import Path
from typing import Any

from cluster import agent_of_tests
from cluster.jobs import SPEC, Head, Worker
from harness import user_config
from writing import git


def refused(worker: Worker, job: dict[str, Any], bundle: bytes | None, key: str) -> str:
    """Do a job that is refused as invalid, and give the reason."""
    result = worker.do({**job, "key": key}, bundle)
    assert (result["state"], result["cause"], result["tip"]) == ("refused", "invalid", None)
    assert not (worker.folder / "jobs" / key / "checkout").exists()
    return result["reason"]


def test_names_of_a_job_choose_nothing(tmp_path: Path, worker: Worker) -> None:
    head = Head(tmp_path)
    bundle, trace = head.bundle(), tmp_path / "trace"
    wrong = head.job(base=f"--upload-pack=touch {trace}")
    assert "`base`" in refused(worker, wrong, bundle, "option")
    assert not trace.exists()
    item = f"item.openspec.login.{'0' * 32}"
    for key, changes in {
        "order-of-a-spec": {"order": "x"},
        "item-without-order": {"spec": item},
        "large-order": {"spec": item, "order": "x" * 200_000},
    }.items():
        assert "`order`" in refused(worker, head.job(**changes), bundle, key)
    folder = worker.put(head.job(key="../up"), bundle, key="here")
    assert "`key`" in worker.start(folder).ended()["reason"]
    assert not (worker.folder / "mirrors").exists()


def test_bundles_are_checked_before_anything_is_taken_in(tmp_path: Path, worker: Worker) -> None:
    head = Head(tmp_path)
    path = tmp_path / "b"
    branch = f"refs/heads/chant/{SPEC}"
    git(head.root, "bundle", "create", "-q", str(path), branch, "refs/heads/main")
    assert "2 refs" in refused(worker, head.job(), path.read_bytes(), "refs")
    whole = head.bundle()
    other = head.job(start=head.base)
    assert "expected" in refused(worker, other, whole, "other")
    refused(worker, head.job(), whole[:-40] + bytes(40), "broken")
    refused(worker, head.job(), b"no bundle\n\n", "none")
    # A tree with an entry that git itself would take for a repository.
    blob = git(head.root, "rev-parse", "main:ferry.txt").strip()
    tree = write_object(head.root, b"tree", b"100644 .git\0" + bytes.fromhex(blob))
    commit = git(head.root, "commit-tree", tree, "-p", "main", "-m", "x").strip()
    git(head.root, "update-ref", branch, commit)
    assert ".git" in refused(worker, head.job(start=commit), head.bundle(), "tree")
    assert not list((worker.folder / "mirrors").glob("*.git/refs/chant/kept/*"))
    assert not list((worker.folder / "mirrors").glob("*.git/objects/pack/*.pack"))


def write_object(root: Path, kind: bytes, content: bytes) -> str:
    """Write an object past all checks of git, and give its id."""
    data = kind + b" " + str(len(content)).encode() + b"\0" + content
    name = sha1(data).hexdigest()
    path = root / ".git" / "objects" / name[:2] / name[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(zlib.compress(data))
    return name


def test_a_checkout_runs_no_filter_and_follows_no_link(tmp_path: Path, worker: Worker) -> None:
    head = Head(tmp_path)
    trace, outside = tmp_path / "trace", tmp_path / "outside"
    (outside / ".chant" / "specs").mkdir(parents=True)
    # A file of its own: the configuration of tests is the system's null device.
    users = tmp_path / "gitconfig"
    hooks = f"[core]\n\thooksPath = {tmp_path / 'hooks'}\n"
    users.write_text(f'{hooks}[filter "evil"]\n\tsmudge = touch {trace}; cat\n', encoding="utf-8")
    (tmp_path / "hooks").mkdir()
    hook = tmp_path / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {trace}\n", encoding="utf-8")
    hook.chmod(0o755)
    (head.root / ".gitattributes").write_text("* filter=evil\n", encoding="utf-8")
    (head.root / "away").symlink_to(outside)
    head.base = head.commit()
    git(head.root, "update-ref", "-d", f"refs/heads/chant/{SPEC}")
    head.start = head.begin()
    result = worker.do(head.job(inside="away"), head.bundle(), GIT_CONFIG_GLOBAL=str(users))
    assert result["cause"] == "invalid"
    assert "no folder of the repository" in result["reason"]
    assert not trace.exists()


def test_an_agent_writes_neither_the_mirror_nor_other_jobs(
    tmp_path: Path, make_worker: Callable[..., Worker]
) -> None:
    code = [str(Path(__file__).resolve().parent), *(folder for folder in sys.path if folder)]
    # Even where the user lets runs read and write everything around.
    confine = f"confine: {{read: {[*code, str(tmp_path)]}, write: ['{tmp_path}']}}\n"
    user_config().write_text(f"---\n{confine}{agent_of_tests.configured()}---\n", encoding="utf-8")
    worker = make_worker()
    other = worker.folder / "jobs" / "other"
    other.mkdir(parents=True)
    (other / "secret").write_text("secret", encoding="utf-8")
    head = Head(tmp_path)
    result = worker.do(head.job(agent="reach"), head.bundle())
    log = (worker.folder / "jobs" / head.job()["key"] / "log").read_text(encoding="utf-8")
    assert result["state"] == "done", log
    assert log.count("held: ") == 8
    assert "REACHED" not in log
