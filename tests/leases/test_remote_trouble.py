"""A remote that is gone, slow or refuses; and what is asked of it when all is well, or without leases."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from harness import seconds_here
from leases.clones import LEASES, SharedProject
from leases.remotes import Remote
from leases.tcp_proxy import HALF_OPEN, PASS, TcpProxy
from work.kit import ID, OTHER, wait_for

MakeRemote = Callable[..., Remote]

LIMIT = 10.0
"""Seconds in which a start is refused whose remote does not answer."""


@pytest.mark.parametrize("trouble", ["gone", "half open", "refusing"])
def test_start_without_an_answer_of_the_remote_is_refused_and_reads_go_on(
    tmp_path: Path, make_remote: MakeRemote, make_proxy: Callable[[Remote], TcpProxy], trouble: str
) -> None:
    remote = make_remote("git")
    shared = SharedProject(tmp_path, remote)
    shared.publish([ID])
    proxy = make_proxy(remote)
    clone = shared.clone(proxy.port)
    if trouble == "gone":
        proxy.refuse()
    elif trouble == "half open":
        proxy.mode = HALF_OPEN
    else:
        remote.refuse_pushes("refs/chant/*", "no refs of yours")
    started = time.monotonic()
    refusals: list[str] = []
    start = Thread(target=lambda: refusals.append(clone.refused(ID)))
    start.start()
    handle = clone.handle()
    reading = time.monotonic()
    for read in (handle.status, handle.ready, handle.work_list):
        read()
    assert time.monotonic() - reading < seconds_here(1)
    start.join()
    assert time.monotonic() - started < seconds_here(LIMIT)
    said = {
        "gone": "cannot be claimed: origin does not answer: `git fetch` failed",
        "half open": "cannot be claimed: origin does not answer: `git fetch` failed: it was ended because",
        "refusing": "hook declined",
    }[trouble]
    assert said in refusals[0], refusals
    assert clone.records() == []
    assert clone.git("status", "--short") == ""
    proxy.mode = PASS
    proxy.accept()
    remote.allow_pushes()
    clone.start(ID)
    assert clone.ended(ID)["end_state"] == "completed"


def test_run_that_ends_while_the_remote_is_gone_lands_when_it_is_back(
    tmp_path: Path, make_remote: MakeRemote
) -> None:
    remote = make_remote("git")
    shared = SharedProject(tmp_path, remote)
    shared.publish([ID], "wait")
    clone = shared.clone()
    clone.start(ID)
    clone.said(ID, "out waiting")
    remote.refuse_connections()
    clone.go(ID)
    record = clone.ended(ID)
    assert record["end_state"] == "awaiting_merge", record["reason"]
    assert "origin does not answer" in record["reason"]
    assert clone.handle().recover() == []
    assert clone.record(ID)["end_state"] == "awaiting_merge"
    remote.accept_connections()

    def has_landed() -> bool:
        clone.handle().recover()
        return clone.record(ID)["end_state"] == "completed"

    wait_for(has_landed, "the landing")
    assert (shared.completions(ID), shared.lease(ID)["state"]) == (1, "landed")
    assert clone.tip() == remote.refs()["refs/heads/main"]


# What is asked of git


@pytest.fixture
def git_calls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Put a git into the path that notes what it is asked for."""
    real = shutil.which("git")
    folder = tmp_path / "programs"
    folder.mkdir()
    wrapper = folder / "git"
    log = tmp_path / "git-calls"
    wrapper.write_text(f'#!/bin/sh\necho "$*" >> {log}\nexec {real} "$@"\n', encoding="utf-8")
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return lambda: log.read_text("utf-8").splitlines()


def asks_remote(call: str) -> bool:
    """Return whether a call of git speaks to a remote."""
    words = call.split()
    return any(word in words for word in ("push", "fetch", "ls-remote", "pull", "send-pack", "fetch-pack"))


def test_without_leases_no_git_speaks_to_a_remote(
    tmp_path: Path, make_remote: MakeRemote, git_calls: Callable[[], list[str]]
) -> None:
    remote = make_remote("path")
    shared = SharedProject(tmp_path, remote, "")
    shared.publish([ID, OTHER])
    clone, leasing = shared.clone(), shared.clone()
    known = len(git_calls())
    clone.start(ID)
    assert clone.ended(ID)["end_state"] == "completed"
    handle = clone.handle()
    for read in (handle.status, handle.ready, handle.work_list, handle.recover):
        read()
    calls = git_calls()[known:]
    assert calls
    assert not [call for call in calls if "origin" in call.split() or "push" in call.split()]
    assert not remote.refs("refs/chant")
    assert not clone.git("for-each-ref", "refs/chant/looked")
    assert not list(Path(os.environ["XDG_STATE_HOME"]).rglob("leases"))
    # With leases the same is seen.
    leasing.configure(LEASES)
    leasing.start(OTHER)
    assert leasing.ended(OTHER)["end_state"] == "completed"
    assert [call for call in git_calls() if "origin" in call.split() and asks_remote(call)]
    assert remote.refs("refs/chant/leases")


# How often is pushed


def test_pushes_grow_with_time_and_not_with_runs(tmp_path: Path, make_remote: MakeRemote) -> None:
    """At most a push an interval, and half as many again for repetitions."""
    interval = 0.5
    settings = "leases: {remote: origin, beat: 1s, ttl: 10s, push_interval: 500ms}\n"
    shared = SharedProject(tmp_path, make_remote("path"), f"{settings}limits: {{agents_at_once: 20}}\n")
    ids = [f"2026-01-22-{number:03}-x7m" for number in range(10)]
    shared.publish(ids)
    clone = shared.clone()
    before = len(shared.remote.pushes())
    started = time.monotonic()
    starts = [Thread(target=clone.start, args=(id,)) for id in ids]
    for start in starts:
        start.start()
    for start in starts:
        start.join()
    for id in ids:
        assert clone.ended(id)["end_state"] == "completed"
    seconds = time.monotonic() - started
    pushes = len([push for push in shared.remote.pushes() if not push.is_probe]) - before
    assert pushes <= 1.5 * seconds / interval + 2, (pushes, seconds)
    assert [shared.completions(id) for id in ids] == [1] * len(ids)
