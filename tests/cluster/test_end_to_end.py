"""Whole runs on a real cluster: runner, job client, placer, scheduler, workers, jobs and agents meet."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from cli.kit import Cli
from cluster.head_kit import ON, PlacedWorkshop
from cluster.machines import WORKERS, Machines, ended, machines
from harness import Project, started_process, user_config
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


@pytest.mark.requirement("cluster:whole:spread_and_landed")
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


@pytest.mark.requirement("cluster:whole:lost_worker")
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


@pytest.mark.requirement("cluster:whole:lost_scheduler")
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


@pytest.mark.requirement("cluster:whole:log_while_it_works", "cluster:whole:no_key_leaves")
def test_the_log_is_here_while_the_agent_works_there_and_no_key_of_ours_is(grid: Orchestrator) -> None:
    grid.spec(ID, "wait")
    grid.commit()
    Cli(grid.project)("work", ID, "--on", ON)
    grid.agent_at_work(ID)
    begin = time.monotonic()
    wait_for(lambda: "out waiting" in grid.handle().log(ID).data["content"], "the line", patience=2)
    assert time.monotonic() - begin < 2
    [placer] = grid.placers()
    [job] = [job for job in grid.machines.jobs(ID) if (job / "checkout").exists()]
    carried = [Path(f"/proc/{placer}/environ"), job / "job.json", job / "start.bundle"]
    carried += [Path(f"/proc/{agent}/environ") for agent in grid.machines.agents(ID)]
    carried += [file for file in _cluster_files(grid) if file.is_file()]
    assert len(carried) > 5
    assert not [file for file in carried if KEY.encode() in file.read_bytes()]
    grid.machines.go(ID)
    assert grid.ended(ID)["end_state"] == "completed"


def _cluster_files(grid: Orchestrator) -> Iterator[Path]:
    """Find what the head keeps of a cluster: placer, status, job."""
    for folder in (grid.root / ".git").glob("**/clusters"):
        yield from folder.rglob("*")
