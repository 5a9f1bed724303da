"""Whole runs on a real cluster: runner, job client, placer, scheduler, workers, jobs and agents meet."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from cli.kit import Cli
from cluster.head_kit import ON, PlacedWorkshop
from cluster.machines import WORKERS, Machines, ended, machines
from harness import Project, seconds_here, started_process, user_config
from plans.projects import PROJECTS
from work.kit import ID, PROGRAM, processes, wait_for
from writing import git

KEY = "sk-planted-on-the-head"


class Orchestrator(PlacedWorkshop):
    """A project whose agents work on real machines."""

    def __init__(self, project: Project, machines: Machines) -> None:
        """Take an empty project, and machines that are ready."""
        super().__init__(project, machines.address, machines.tls)
        self.machines = machines

    def configure(self, yaml: str = "", *, provider: str = "demo") -> None:
        """Configure nothing that acts in the project: it would have to be accepted on the machines."""
        self.project.config("project:\n  name: ferries\n")
        settings = user_config()
        text = settings.read_text(encoding="utf-8").removesuffix("---\n")
        if "defaults:" not in text:
            text += f"defaults: {{provider: {provider}, main_branch: main}}\n"
            text += "parallel: {stagger_delay_ms: 0, stagger_jitter_ms: 0}\n"
        settings.write_text(f"{text}{yaml}---\n", encoding="utf-8")

    def agent_at_work(self, id: str) -> int:
        """Wait until the agent of a spec waits on a machine, and give its process."""
        wait_for(lambda: self.machines.agents(id), lambda: f"an agent: {self.log(id)}")
        wait_for(lambda: (self.record(id).get("placed") or {}).get("worker"), "the machine in the record")
        [agent] = self.machines.agents(id)
        return agent

    def merges(self) -> list[str]:
        """Give the specs whose work was merged into main, in order of their names."""
        subjects = [one for one in self.committed("main") if one.startswith("Merge chant/")]
        return sorted(subject.split("chant/")[1].split(":")[0] for subject in subjects)


@pytest.fixture(scope="module")
def shared_machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """The machines of this module."""
    with machines(tmp_path_factory.mktemp("machines")) as made:
        yield made


@pytest.fixture
def grid(
    shared_machines: Machines, project: Project, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Orchestrator]:
    """A project, and the machines ready for it."""
    shared_machines.make_ready()
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("DEPLOY_TOKEN", KEY)
    with closing(Orchestrator(project, shared_machines)) as made:
        yield made


def test_specs_are_spread_over_two_machines_and_each_lands_once(grid: Orchestrator) -> None:
    ids = [f"2026-01-22-00{number}-abc" for number in range(1, 7)]
    for id in ids:
        grid.spec(id, *(["wait"] if id == ids[0] else []))
    grid.commit()
    work = started_process([*PROGRAM, "work", ids[0], "--parallel", "4", "--on", ON, "--wait"], grid.root)
    grid.agent_at_work(ids[0])
    wait_for(
        lambda: len(grid.records()) > 4, "others"
    )  # the machine with an agent at work is not the next one
    grid.machines.go(ids[0])
    out, errors = work.communicate(timeout=60)
    assert work.returncode == 0, (out, errors)
    assert grid.merges() == ids
    assert all(grid.main(f"work/{id}.txt") for id in ids)
    records = [grid.record(id) for id in ids]
    assert [(record["end_state"], record["token"]) for record in records] == [("completed", 1)] * 6
    assert {record["placed"]["worker"] for record in records} == set(WORKERS)
    wait_for(lambda: not grid.machines.beside(), lambda: f"the end of {grid.machines.beside()}")
    wait_for(lambda: not any(grid.machines.jobs(id) for id in ids), "folders to go")
    wait_for(lambda: not processes(), lambda: f"the end of {processes()}")


def test_items_of_other_formats_are_worked_on_there_and_ticked_here(grid: Orchestrator) -> None:
    for name, text in PROJECTS["openspec"].items():
        (grid.root / name).parent.mkdir(parents=True, exist_ok=True)
        (grid.root / name).write_text(text, "utf-8")
    grid.commit()
    for options in (("openspec:add-login#1.1",), ("openspec:add-login", "--parallel", "2")):
        work = started_process([*PROGRAM, "work", *options, "--on", ON, "--wait"], grid.root)
        out, errors = work.communicate(timeout=90)
        assert work.returncode == 0, (out, errors)
    records = [record for record in grid.records() if record["mode"] == "single"]
    ends = [(record["item"]["key"], record["end_state"]) for record in records]
    assert ends == [(key, "completed") for key in ("openspec:add-login#1.1", "openspec:add-login#2.1")]
    assert {record["placed"]["worker"] for record in records} <= set(WORKERS)
    assert (grid.main("openspec/changes/add-login/tasks.md") or "").count("- [x] ") == 3
    assert git(grid.root, "status", "--short", "--", "openspec") == ""


def test_a_spec_whose_worker_is_killed_is_tried_elsewhere_and_lands_once(grid: Orchestrator) -> None:
    grid.configure("watch: {failure: {retry_delay_ms: 0}}\n")
    grid.spec(ID, "wait")
    grid.commit()
    grid.handle().work_start(ID, on=ON, parallel=2)
    agent = grid.agent_at_work(ID)
    first = grid.record(ID)["placed"]["worker"]
    grid.machines.worker(first).kill()
    wait_for(lambda: ended(agent), "the end of the first agent")
    wait_for(lambda: grid.record(ID)["token"] == 2, "the second try")
    grid.agent_at_work(ID)
    grid.machines.go(ID)
    record = grid.ended(ID)
    assert (record["end_state"], record["token"]) == ("completed", 2), record["reason"]
    assert record["placed"]["worker"] != first
    assert grid.merges() == [ID]
    assert [found["cause"] for found in grid.records() if found["token"] == 1] == ["worker_lost"]
    above = next(found for found in grid.records() if found["mode"].startswith("parallel"))
    assert grid.ended(above["process_id"])["end_state"] == "completed"


def test_a_run_whose_scheduler_is_killed_ends_with_its_name_and_lands_nothing(grid: Orchestrator) -> None:
    grid.spec(ID, "wait")
    before = grid.commit()
    work = started_process([*PROGRAM, "work", ID, "--on", ON, "--wait"], grid.root)
    agent = grid.agent_at_work(ID)
    grid.machines.scheduler.kill()
    out, errors = work.communicate(timeout=60)
    assert work.returncode == 1
    record = grid.ended(ID)
    assert (record["end_state"], record["cause"]) == ("failed", "worker_lost")
    gone = f"The scheduler at {grid.machines.address} is gone"
    assert gone in record["reason"]
    assert gone in " ".join((out + errors).decode().split())
    assert git(grid.root, "log", "--format=%H", "--", f"work/{ID}.txt") == ""
    assert git(grid.root, "merge-base", "main", record["branch"]).strip() == before
    wait_for(lambda: ended(agent), "the end of the agent")


def test_the_log_is_here_while_the_agent_works_there_and_no_key_of_ours_is(grid: Orchestrator) -> None:
    grid.spec(ID, "wait")
    grid.commit()
    Cli(grid.project)("work", ID, "--on", ON)
    grid.agent_at_work(ID)
    patience = seconds_here(2)
    wait_for(lambda: "out waiting" in grid.handle().log(ID).data["content"], "the line", patience)
    [placer] = grid.placers()
    [job] = [job for job in grid.machines.jobs(ID) if (job / "checkout").exists()]
    carried = [Path(f"/proc/{placer}/environ"), job / "job.json", job / "start.bundle"]
    carried += [Path(f"/proc/{agent}/environ") for agent in grid.machines.agents(ID)]
    carried += [file for file in _cluster_files(grid) if file.is_file()]
    assert len(carried) > 5
    assert not [file for file in carried if KEY.encode() in file.read_bytes()]
    grid.machines.go(ID)
    assert grid.ended(ID)["end_state"] == "completed"


@pytest.fixture
def remote(grid: Orchestrator) -> Iterator[Path]:
    """A remote that this project has, and that the machines accept."""
    remote = grid.machines.remote
    git(grid.root, "init", "-q", "-b", "main")
    git(grid.root, "init", "-q", "--bare", "-b", "main", str(remote))
    git(grid.root, "remote", "add", "origin", str(remote))
    yield remote
    shutil.rmtree(remote)


def _large(grid: Orchestrator, id: str) -> None:
    """Write a spec whose commits need more bytes than workers send back."""
    names = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(120)]
    grid.spec(id, targets=[f"work/{name}" for name in names])
    grid.commit()


def test_work_that_is_too_large_comes_back_by_the_remote_and_lands(grid: Orchestrator, remote: Path) -> None:
    _large(grid, ID)
    pushes = remote / "hooks" / "post-receive"
    pushes.write_text("#!/bin/sh\ncat >> pushes\n", encoding="utf-8")
    pushes.chmod(0o755)
    out = Cli(grid.project)("work", ID, "--on", ON, "--wait", "--skip-criteria")
    record = grid.ended(ID)
    assert (record["end_state"], record["token"]) == ("completed", 1), (out, record)
    assert len(git(grid.root, "ls-tree", "-r", "--name-only", "main", "work").split()) == 120
    changes = [line.split() for line in (remote / "pushes").read_text(encoding="utf-8").splitlines()]
    [(nothing, pushed, name), (gone, none, again)] = changes
    assert name == again == f"refs/chant/runs/{ID}/1"
    assert (int(nothing, 16), int(none, 16), gone) == (0, 0, pushed)
    assert git(grid.root, "merge-base", pushed, "main").strip() == pushed
    assert not git(remote, "for-each-ref")
    assert "pushed" not in record["placed"]
    wait_for(lambda: not (grid.machines.jobs(ID) or grid.machines.kept(ID)), "the folder to go")


def test_work_that_can_neither_be_sent_nor_pushed_is_kept_with_what_to_do(
    grid: Orchestrator, remote: Path
) -> None:
    _large(grid, ID)
    closed = remote / "hooks" / "pre-receive"
    closed.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    closed.chmod(0o755)
    assert Cli(grid.project).run("work", ID, "--on", ON, "--wait", "--skip-criteria").exit_code == 1
    record = grid.ended(ID)
    assert (record["end_state"], record["cause"]) == ("failed", "work_kept")
    assert "The agent's commits are kept on the machine that made them" in record["reason"]
    assert "let this machine's git push there" in record["reason"]
    assert not git(remote, "for-each-ref")
    wait_for(lambda: grid.machines.kept(ID), "the work among what is kept")
    [kept] = grid.machines.kept(ID)
    tip = json.loads((kept / "result.json").read_text(encoding="utf-8"))["tip"]
    assert git(kept / "checkout", "rev-parse", record["branch"]).strip() == tip


def _cluster_files(grid: Orchestrator) -> Iterator[Path]:
    """Find what the head keeps of a cluster: placer, status, job."""
    for folder in (grid.root / ".git").glob("**/clusters"):
        yield from folder.rglob("*")
