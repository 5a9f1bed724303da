"""What freshness costs: only what changed is read, and it holds at any size."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from chant.reading import ids
from chant_mcp import ChantProject
from harness import Caller, Project
from mcp import Client

pytestmark = pytest.mark.anyio

YOUNG = 2.1
"""Seconds in which the stamp of a file may stay the same though it is written again."""


@pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="counts what the kernel counted")
@pytest.mark.parametrize("events", [True, False])
def test_a_repeated_call_reads_only_what_changed(project: Project, events: bool) -> None:
    size, count = 20_000, 200
    for n in range(count):
        project.spec(f"s{n:03}", body=f"# T {n}\n\n" + "x" * size)
    os.utime(project.path("s000"), (10**9, 10**9))
    for path in project.specs.iterdir():
        os.utime(path, (10**9, 10**9))
    while not events and time.time() - project.path("s000").stat().st_ctime < YOUNG:
        # Without events of the kernel nothing else tells later writes of so young a file.
        time.sleep(0.1)
    handle = ChantProject(project.root, events=events)

    def cost(work: Callable[[], object]) -> int:
        def counted() -> int:
            lines = Path("/proc/self/io").read_text(encoding="utf-8").splitlines()
            return int(next(line for line in lines if line.startswith("rchar:")).split()[1])

        before = counted()
        work()
        return counted() - before

    def everything() -> None:
        for look in (handle.spec_list, handle.ready, handle.status, handle.work_list):
            look()
        handle.spec_get("s001")
        handle.verify("s001")
        handle.search("nothing")
        handle.lint("s001")

    assert cost(everything) > size * count
    assert cost(everything) < size * count / 20
    project.spec("s007", body="# Changed\n\n" + "y" * size)
    spent = cost(everything)
    assert size <= spent < size * count / 20
    assert handle.spec_get("s007").data["title"] == "Changed"


async def test_specs_in_progress_cost_no_git_process(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for n in range(20):
        project.spec(f"s{n:02}", status="in_progress", branch=f"chant/s{n:02}" if n % 2 else None)
    project.repository()
    for n in range(20):
        project.git("branch", f"chant/s{n:02}")
    real = shutil.which("git")
    calls = tmp_path / "calls"
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f'#!/bin/sh\necho "$@" >> {calls}\nexec {real} "$@"\n', encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}{os.pathsep}{os.environ['PATH']}")
    async with Client(project.server(), mode="2026-07-28") as client:
        call = Caller(client, project)
        for tool in ("chant_spec_list", "chant_ready", "chant_status", "chant_lint"):
            await call.data(tool)
        await call.data("chant_search", query="spec")
        await call.data("chant_spec_get", id="s01")
        await call.data("chant_verify", id="s01")
        await call.data("chant_status", include_activity=True)

    made = calls.read_text(encoding="utf-8").splitlines() if calls.exists() else []
    assert made == []


@pytest.mark.skipif(
    not Path("/proc/sys/fs/inotify/max_queued_events").exists(), reason="the queue is that of Linux"
)
async def test_more_changes_than_the_queue_holds_are_survived(project: Project) -> None:
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text(encoding="ascii"))
    paths = [project.write(f"s{n}", "# 000000\n") for n in range(2)]
    handle = ChantProject(project.root)
    assert ids(handle.spec_list().data) == ["s0", "s1"]
    files = [path.open("r+b", buffering=0) for path in paths]
    for n in range(most + 100):
        os.pwrite(files[n % 2].fileno(), f"{n:06}".encode(), 2)
    for file in files:
        file.close()
    project.write("s2", "# Last\n")

    titles = {spec["id"]: spec["title"] for spec in handle.spec_list().data["specs"]}
    last = {f"s{n % 2}": f"{n:06}" for n in range(most + 98, most + 100)}
    assert titles == {**last, "s2": "Last"}
    project.write("s2", "# More\n")
    assert handle.spec_get("s2").data["title"] == "More"


def test_it_holds_at_a_hundred_thousand_specs(project: Project) -> None:
    count = 100_000
    folder = os.open(project.specs, os.O_RDONLY)
    text = b"---\ntype: code\nstatus: completed\n---\n# Old\n"
    for n in range(count):
        file = os.open(f"s{n:06}.md", os.O_CREAT | os.O_WRONLY, dir_fd=folder)
        os.write(file, text)
        os.close(file)
    os.close(folder)
    handle = ChantProject(project.root)
    assert handle.status().data["completed"] == count
    project.write("s000000", "# First\n")
    project.path("s050000").unlink()
    project.path("s050001").rename(project.path("renamed"))
    project.spec("s099999", depends_on=["s050000"])
    project.path("s000002").write_bytes(b"\xff")
    os.truncate(project.path("s000003"), 0)

    data = handle.status().data
    assert (data["total"], data["completed"]) == (count - 3, count - 5)
    assert (data["pending"], data["blocked"], len(data["problems"])) == (1, 1, 2)
    assert ids(handle.ready().data) == ["s000000"]
    assert handle.spec_list(limit=1).data["total"] == count - 3
    assert ids(handle.spec_list(limit=1, offset=0).data) == ["renamed"]
    assert handle.spec_get("s000000").data["title"] == "First"
