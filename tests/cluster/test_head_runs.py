"""Runs whose agents work on a cluster, seen from the machine that answers for them."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from chant_mcp.web_board.tools import board_runs
from cli.kit import Cli
from cluster.head_kit import ADDRESS, ON, HeadWorkshop, refused
from cluster.head_kit import head as head
from harness import seconds_here
from work.kit import ID, OTHER, kill, lives, wait_for
from writing import git


def test_work_done_elsewhere_lands_here_with_what_its_agent_reported(
    head: HeadWorkshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "s3cret-of-this-machine")
    head.spec(ID)
    head.commit()
    record = head.done(ID)
    assert record["end_state"] == "completed", record["reason"]
    assert head.main(f"work/{ID}.txt") == "by token 1\n"
    assert record["placed"]["worker"] == "build-7"
    assert record["placed"]["target"] == ON
    assert record["confinement"] == "confined there"
    assert record["exit_code"] == 0
    assert record["usage"]["cost_usd"] == 0.25
    assert (record["agent"]["name"], record["agent"]["reported_model"]) == ("demo", "large")
    log = head.log(ID)
    assert f"\n2026-01-22T10:00:00.000Z out Working on {ID}\n2026-01-22T10:00:00.000Z out Committed\n" in log
    assert head.placed() == [ID]
    placed = head.asked("place")[-1]
    assert "s3cret-of-this-machine" not in json.dumps(head.asked("place"))
    assert placed["job"]["token"] == 1
    assert placed["job"]["start"] == record["base"]
    assert "prompt" not in placed["job"]["prompt"]


def test_an_agent_that_is_not_installed_here_works_there_and_one_placer_serves_all(
    head: HeadWorkshop,
) -> None:
    offers = {"claude": {"slots": 3, "busy": 0}}
    head.plan(workers=[{"name": "build-7", "state": "alive", "agents": offers}])
    head.spec(ID)
    head.spec(OTHER)
    head.commit()
    first = head.done(ID, agent="claude")
    assert first["end_state"] == "completed", first["reason"]
    [placer] = head.placers()
    head.done(OTHER, agent="claude")
    assert head.placers() == [placer]


def test_a_start_that_meets_a_placer_about_to_end_starts_another(head: HeadWorkshop) -> None:
    head.spec(ID)
    head.spec(OTHER)
    head.commit()
    head.done(ID)
    [placer] = head.placers()
    head.plan(leaves=True)
    record = head.done(OTHER)
    assert record["end_state"] == "completed", record["reason"]
    assert head.placers() != [placer]


def test_the_placer_reaches_its_own_folders_alone_and_has_no_variable_of_ours(
    head: HeadWorkshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "key-of-this-machine")
    head.spec(ID)
    head.commit()
    folder = head.cluster_folder()
    folder.mkdir(mode=0o700)
    (folder / "secret").touch(mode=0o600)
    certificate = head.certificates / "ca.pem"
    certificate.touch()
    head.plan(probes=[str(head.root / "ferry.txt"), str(folder / "secret"), str(certificate)])
    head.done(ID)
    told = json.loads((head.cluster_folder() / "placer" / "probed.json").read_text(encoding="utf-8"))
    assert told["read"] == [str(certificate)]
    assert "ANTHROPIC_API_KEY" not in told["variables"]
    assert not {"GIT_SSH_COMMAND", "SSH_AUTH_SOCK"} & set(told["variables"])
    named = head.cluster_folder() / "placer.json"
    assert named.stat().st_mode & 0o077 == 0
    socket = Path(json.loads(named.read_text(encoding="utf-8"))["socket"])
    assert socket.parent.stat().st_mode & 0o077 == 0


def test_targets_that_cannot_be_used_are_refused_before_anything_begins(head: HeadWorkshop) -> None:
    head.spec(ID)
    head.commit()
    with head.nothing_begins():
        assert f"({ON}), got 'nowhere'" in refused(head, ID, on="nowhere")
        assert "expected the name of a cluster" in refused(head, ID, on="tls://127.0.0.1:9")
        said = Cli(head.project).error("work", ID, "--on", "tcp://127.0.0.1:9")
        assert "does not speak TLS. Agents' work is code: refusing." in said.replace("\n", " ")


def test_a_scheduler_that_does_not_answer_is_named(head: HeadWorkshop) -> None:
    head.plan(state="gone", why="connection refused")
    head.spec(ID)
    head.commit()
    said = refused(head, ID)
    assert f"the scheduler at {ADDRESS} does not answer (connection refused)" in said
    head.plan(dies="This needs the extra")
    assert "its placer ended: This needs the extra" in refused(head, ID)
    head.plan()
    assert head.done(ID)["end_state"] == "completed"


def test_an_agent_that_no_worker_offers_is_refused_with_what_they_offer(head: HeadWorkshop) -> None:
    head.spec(ID)
    head.commit()
    said = refused(head, ID, agent="codex")
    assert said == 'No worker offers agent "codex" (2 workers, 4 slots of demo).'


def test_a_spec_that_git_does_not_track_is_refused(head: HeadWorkshop) -> None:
    head.spec(ID)
    head.commit()
    head.spec(OTHER)
    assert "Git does not track spec" in refused(head, OTHER)


def test_a_job_with_a_value_that_is_a_secret_is_not_sent(
    head: HeadWorkshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "s3cret-of-this-machine")
    head.spec(ID)
    head.commit()
    git(head.root, "remote", "add", "origin", "https://example.org/s3cret-of-this-machine/x")
    assert "its `remote` holds the value of a variable" in refused(head, ID)
    assert not head.asked("place")


def test_a_run_whose_worker_is_lost_has_failed(head: HeadWorkshop) -> None:
    head.plan(jobs={ID: "lose"})
    head.spec(ID)
    head.commit()
    record = head.done(ID)
    assert (record["end_state"], record["cause"], record["exit_code"]) == ("failed", "worker_lost", None)
    assert record["reason"] == "The machine that the agent worked on is lost (the worker is silent)"


def test_an_orchestrator_tries_a_lost_spec_once_more_on_another_worker(head: HeadWorkshop) -> None:
    head.plan(jobs={ID: "lose_once", OTHER: "lose"})
    head.configure("watch: {failure: {retry_delay_ms: 0}}\n")
    head.spec(ID)
    head.spec(OTHER)
    head.commit()
    head.handle().work_start(ID, on=ON, parallel=2)
    above = next(record for record in head.records() if record["mode"].startswith("parallel"))
    head.ended(above["process_id"])
    record = head.record(ID)
    assert (record["end_state"], record["token"]) == ("completed", 2)
    assert record["placed"]["worker"] == "build-8"
    assert {asked["job"]["token"] for asked in head.asked("place") if asked["job"]["spec"] == OTHER} == {1, 2}
    assert head.record(OTHER)["cause"] == "worker_lost"


def test_an_agent_that_failed_there_failed_here(head: HeadWorkshop) -> None:
    head.plan(jobs={ID: "fail"})
    head.spec(ID)
    head.commit()
    record = head.done(ID)
    assert (record["end_state"], record["cause"], record["exit_code"]) == ("failed", "rate_limit", 3)
    assert record["denials"] == [{"tool": "Bash", "message": "refused"}]


def test_a_result_of_another_job_is_not_taken_over(head: HeadWorkshop) -> None:
    head.plan(jobs={ID: "other_key"})
    head.spec(ID)
    head.commit()
    record = head.done(ID)
    assert (record["end_state"], record["cause"]) == ("failed", "work_rejected")
    assert "its result is of another job" in record["reason"]
    assert git(head.root, "rev-parse", record["branch"]).strip() == record["base"]


def test_a_run_elsewhere_is_followed_shown_and_paused_with_its_commits(head: HeadWorkshop) -> None:
    head.plan(jobs={ID: "wait"})
    head.spec(ID)
    head.commit()
    started = head.start(ID)
    wait_for(lambda: "Started there" in head.log(ID), "the start there")
    time.sleep(0.6)  # longer than the time between two looks for a reader
    assert not head.asked("read")
    chant = head.handle()
    wait_for(lambda: f"Working on {ID}" in chant.log(ID).data["content"], "the log", seconds_here(2))
    work = chant.work_list().data
    assert work["processes"][0]["placed"]["worker"] == "build-7"
    [cluster] = work["clusters"]
    assert cluster["workers"][0] == {"name": "build-7", "state": "alive", "busy": 0, "slots": 2}
    words = Cli(head.project)("runs")
    assert "demo on build-7" in words
    assert f"Cluster {ON}: build-7 0/2, build-8 0/2" in words
    page = json.loads(board_runs(head.session()))
    assert page["runs"][0]["agent"] == "demo on build-7"
    assert page["busy"] == [f"Cluster {ON}: build-7 0/2, build-8 0/2"]
    counts = chant.status().data
    assert counts["clusters"] == work["clusters"]
    assert f"Cluster {ON}: build-7 0/2, build-8 0/2" in Cli(head.project)("status")
    chant.pause(ID)
    assert head.record(ID)["end_state"] == "paused"
    assert head.asked("stop")
    assert git(head.root, "show", f"{started['branch']}:work/{ID}.txt") == "by token 1\n"
    head.plan()
    assert head.done(ID)["end_state"] == "completed"


def test_a_killed_runner_leaves_no_job_client(head: HeadWorkshop) -> None:
    head.plan(jobs={ID: "wait"})
    head.spec(ID)
    head.commit()
    head.start(ID)
    wait_for(lambda: "Started there" in head.log(ID), "the start there")
    record = head.record(ID)
    kill(record["pid"])
    head.handle().work_list()
    head.let_go(ID)
    wait_for(lambda: not lives(record["agent"]["pid"]), "the end of the client")


def test_room_is_that_of_the_cluster_and_not_of_this_machine(head: HeadWorkshop) -> None:
    ids = [f"2026-01-22-00{number}-abc" for number in range(1, 5)]
    head.plan(jobs=dict.fromkeys(ids, "wait"))
    head.configure("limits: {agents_at_once: 1}\n")
    for id in ids:
        head.spec(id)
    head.commit()
    head.handle().work_start(ids[0], on=ON, parallel=3)
    wait_for(lambda: len(head.placed()) == 3, "three jobs")
    first, *_ = head.placed()
    head.let_go(first)
    wait_for(lambda: len(head.placed()) == 4, lambda: f"the fourth job: {head.records()}")
    assert head.ended(first)["end_state"] == "completed"
    for id in ids:
        head.let_go(id)
    above = next(record for record in head.records() if record["mode"].startswith("parallel"))
    assert head.ended(above["process_id"])["end_state"] == "completed"


def test_without_a_target_no_placer_is_started(head: HeadWorkshop) -> None:
    head.spec(ID, "commit")
    head.commit()
    head.handle().work_start(ID)
    head.ended(ID)
    assert "placed" not in head.record(ID)
    assert not head.placers()
    assert not {"accounts", "clusters", "foreseen_conflicts"} & set(head.handle().status().data)
