"""A job on a worker machine: what it needs, what it makes and what it hands back."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

from cluster import agent_of_tests
from cluster.jobs import SPEC, Head, Worker
from harness import user_config
from work import caller
from writing import git


def configure(more: str) -> None:
    """Add lines to the configuration of the machine's user."""
    lines = user_config().read_text(encoding="utf-8").removesuffix("---\n")
    user_config().write_text(f"{lines}{more}---\n", encoding="utf-8")


def test_a_job_is_a_run_whose_commits_and_log_come_back(tmp_path: Path, worker: Worker) -> None:
    head = Head(tmp_path)
    running = worker.start(worker.put(head.job(), head.bundle()))
    assert "confined" in running.heard("started")["confinement"]
    result = running.ended()
    assert (result["state"], result["exit_code"], result["schema"]) == ("done", 0, 1)
    assert result["key"] == head.job()["key"]
    assert result["agent"]["name"] == "demo"
    assert head.fetch(running.folder / "result.bundle") == result["tip"]
    subjects = git(head.root, "log", "--format=%s", f"{head.start}..refs/chant/back").splitlines()
    assert subjects == [f"chant({SPEC}): Spec {SPEC}"]
    spec = git(head.root, "show", f"refs/chant/back:.chant/specs/{SPEC}.md")
    assert "[x]" in spec
    assert "status: pending" in spec, "the runtime's own words are not in it"
    log = (running.folder / "log").read_text(encoding="utf-8")
    assert "Z out Committed" in log
    assert not (running.folder / "log").is_symlink()
    assert running.heard("ended")["state"] == "done"


def test_jobs_of_one_repository_run_at_once(tmp_path: Path, worker: Worker) -> None:
    head = Head(tmp_path, inside="app")
    bundle = head.bundle()
    jobs = [head.job(key=f"job-{number}", inside="app") for number in range(3)]
    running = [worker.start(worker.put(job, bundle)) for job in jobs]
    assert [job.ended()["state"] for job in running] == ["done"] * 3
    head.fetch(running[0].folder / "result.bundle")
    changed = git(head.root, "diff", "--name-only", head.start, "refs/chant/back").split()
    assert changed == [f"app/.chant/specs/{SPEC}.md", f"app/work/{SPEC}.txt"]


def test_a_thin_bundle_fits_once_the_mirror_has_the_base(tmp_path: Path, worker: Worker) -> None:
    head = Head(tmp_path)
    thin = head.bundle(head.base)
    first = worker.do(head.job(key="first"), thin)
    assert (first["state"], first["cause"]) == ("refused", "base_missing")
    assert worker.do(head.job(key="second"), head.bundle())["state"] == "done"
    third = worker.do(head.job(key="third"), thin)
    assert third["state"] == "done"
    assert third["tip"]


def test_after_a_landing_what_came_since_is_enough(tmp_path: Path, worker: Worker) -> None:
    head = Head(tmp_path)
    first = head.base
    assert worker.do(head.job(key="whole"), head.bundle())["state"] == "done"
    (head.root / "landed.txt").write_text("landed\n", encoding="utf-8")
    head.base, head.start = head.commit(), head.begin()
    thin = head.bundle(head.base)
    refused = worker.do(head.job(key="thin"), thin)
    assert (refused["cause"], first in refused["known"]) == ("base_missing", True)
    result = worker.do(head.job(key="since"), head.bundle(first))
    assert result["state"] == "done", result
    head.fetch(worker.folder / "jobs" / "since" / "result.bundle")
    assert worker.do(head.job(key="next"), thin)["state"] == "done", "the mirror has the new base"


def test_a_mirror_that_was_not_used_for_a_month_goes_when_nothing_borrows_from_it(
    tmp_path: Path, worker: Worker
) -> None:
    head = Head(tmp_path)
    assert worker.do(head.job(key="first"), head.bundle())["state"] == "done"
    [mirror] = worker.folder.glob("mirrors/*.git")
    gate = mirror.with_suffix(".lock")

    def swept() -> list[str]:
        return worker.machine().sweep(worker.folder).data["mirrors"]

    long_ago = time.time() - 31 * 24 * 3600
    os.utime(gate, (long_ago, long_ago))
    assert swept() == [], "work is kept that borrows from it"
    [kept] = (worker.folder / "kept").iterdir()
    shutil.rmtree(kept)
    os.utime(gate)
    assert swept() == [], "it was used lately"
    os.utime(gate, (long_ago, long_ago))
    with gate.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert swept() == [], "a job fills it"
    assert swept() == [mirror.stem]
    assert not mirror.exists()


def test_the_base_is_fetched_from_a_remote_that_was_accepted(
    tmp_path: Path, make_worker: Callable[..., Worker]
) -> None:
    head = Head(tmp_path)
    remote = tmp_path / "remote.git"
    git(head.root, "clone", "-q", "--bare", str(head.root), str(remote))
    git(remote, "config", "uploadpack.allowFilter", "true")
    git(remote, "config", "uploadpack.allowAnySHA1InWant", "true")
    thin = head.bundle(head.base)
    worker = make_worker(remote=[remote.as_uri()])
    strange = worker.do(head.job(key="strange", remote=f"{remote.as_uri()}/"), thin)
    assert strange["cause"] == "base_missing", "another address is not asked"
    result = worker.do(head.job(key="known", remote=remote.as_uri()), thin)
    assert result["state"] == "done", result
    [kept] = worker.folder.glob("mirrors/*.git/refs/chant/kept/*")
    assert git(kept.parents[3], "config", "remote.origin.partialclonefilter").strip() == "blob:none"
    head.fetch(worker.folder / "jobs" / "known" / "result.bundle")


def test_what_acts_in_the_project_is_accepted_by_the_machines_owner(
    tmp_path: Path, make_worker: Callable[..., Worker]
) -> None:
    head = Head(tmp_path, config="defaults:\n  main_branch: main\n  provider: demo\n")
    refused = make_worker(trust=["0" * 64]).do(head.job(), head.bundle())
    assert (refused["state"], refused["cause"], refused["tip"]) == ("refused", "untrusted", None)
    hash = refused["reason"].split("--trust ")[1].split("`")[0]
    git(head.root, "config", "core.sshCommand", "ssh -v")
    report = head.shop.handle().trust_report()
    assert report["hash_of_commits"] == hash != report["hash"], "settings of one clone do not travel"
    accepting = make_worker(trust=[hash])
    assert accepting.do(head.job(), head.bundle())["state"] == "done"


def test_agents_and_accounts_are_those_of_the_machine(
    tmp_path: Path, make_worker: Callable[..., Worker]
) -> None:
    variables = "{TELL_PLAIN: MACHINES_PLAIN, TEAM_API_KEY: MACHINES_KEY}"
    configure(f"{agent_of_tests.configured()}accounts:\n  team-a: {{variables: {variables}}}\n")
    head = Head(tmp_path)
    bundle = head.bundle()
    worker = make_worker(agent=["tell", "fail"])
    job = head.job(agent="tell", account="team-a")
    missing = worker.do({**job, "key": "unset"}, bundle)
    assert missing["cause"] == "no_account"
    assert "MACHINES_" in missing["reason"]
    assert worker.do({**job, "key": "demo", "agent": "demo"}, bundle)["cause"] == "no_agent"
    key = "key-of-team-a-0123456789"
    result = worker.do({**job, "key": "told"}, bundle, MACHINES_PLAIN="plain", MACHINES_KEY=key)
    assert result["state"] == "done"
    log = (worker.folder / "jobs" / "told" / "log").read_text(encoding="utf-8")
    told = json.loads(next(line for line in log.splitlines() if "TELL_PLAIN" in line).split(" out ")[1])
    assert told == {"TELL_PLAIN": 5, "TEAM_API_KEY": len(key), "MACHINES_KEY": None}
    assert key not in log
    failed = worker.do({**job, "key": "failed", "agent": "fail", "account": None}, bundle)
    assert (failed["state"], failed["exit_code"], failed["tip"]) == ("failed", 3, None)
    leaked = worker.do({**job, "key": "leaked", "model": key}, bundle, MACHINES_KEY=key)
    assert (leaked["state"], leaked["cause"]) == ("refused", "secret")


def test_the_machine_offers_what_it_has(make_worker: Callable[..., Worker]) -> None:
    configure(
        f"{agent_of_tests.configured()}accounts:\n"
        "  set: {variables: {TEAM_API_KEY: MACHINES_KEY}}\n  unset: {variables: {TEAM_API_KEY: NO_KEY}}\n"
    )
    worker = make_worker()
    offer = worker.machine(MACHINES_KEY="x").offer(worker.folder).data
    assert set(agent_of_tests.SCENES) <= set(offer["agents"])
    assert "demo" not in offer["agents"]
    here = worker.machine().offer(worker.folder, built_in=True).data["agents"]
    assert set(here) - set(offer["agents"]) == {"demo", "ollama", "openai"}
    assert offer["accounts"] == ["set"]
    assert offer["disk"]["free"] > 0
    assert not offer["disk"]["is_full"]
    worker.options = {"agent": ["demo", "codex-of-nobody"]}
    named = worker.machine().offer(worker.folder).data
    assert list(named["agents"]) == ["demo"]
    assert named["missing"] == ["codex-of-nobody"]


def test_an_agent_has_the_tools_of_its_run(tmp_path: Path, worker: Worker) -> None:
    configure(f"agents:\n  caller: {{command: {caller.agent()}}}\n")
    head = Head(tmp_path)
    tick = {"tool": "chant_spec_update", "arguments": {"id": SPEC, "check": ["Works"]}}
    caller.plan(tick, {"do": "git commit -qam Ticked"})
    result = worker.do(head.job(agent="caller"), head.bundle())
    assert result["tip"], (result, caller.answers())
    head.fetch(worker.folder / "jobs" / result["key"] / "result.bundle")
    assert "- [x] Works" in git(head.root, "show", f"refs/chant/back:.chant/specs/{SPEC}.md")
