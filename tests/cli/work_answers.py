"""Answers with `--json` of commands about work of agents, clones, clusters and environments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from chant_mcp.program import own_program
from cli.at_work import CONFIG, FIRST, SECOND, THIRD, AtWork
from harness import user_config
from leases.clones import SharedProject
from leases.remotes import Remote
from work.kit import wait_for

BY_HAND, BLOCKED, LARGE = "2026-01-22-004-c9d", "2026-01-22-005-n5t", "2026-01-22-006-p7q"
WAITING, GARBLED = "2026-01-22-007-r8s", "2026-01-22-008-t9u"
CRITERIA = "\n".join(f"- [ ] Part {number}" for number in range(6))
RECIPE = "environment: {recipes: {deps: {inputs: [deps.txt], outputs: [out], steps: [[mkdir, out]]}}}\n"
PROPOSE = (
    "leases: {remote: origin, beat: 1s, ttl: 10s, push_interval: 200ms,"
    " landing: pr, propose: [echo, 'https://host.example/1']}\n"
)

WorkAnswer = tuple[tuple[str, ...], dict[str, Any]]


def _asked(agents: AtWork, *words: str, code: int = 0) -> WorkAnswer:
    result = agents.run(*words, "--json")
    assert result.exit_code == code, (words, result.output)
    return words, json.loads(result.stdout)


def answers_about_work(agents: AtWork) -> Iterator[WorkAnswer]:
    """Give what is answered while agents work, end, fail, wait for a person and propose members."""
    root = agents.project.root
    agents.spec(FIRST, "Log in")
    agents.spec(SECOND, "Log out", "fail")
    agents.spec(THIRD, "Sign up", "wait")
    agents.spec(BLOCKED, "Change it", target_files=["mine.txt"])
    agents.spec(LARGE, "Much", body=f"# Much\n\n## Acceptance Criteria\n\n{CRITERIA}\n")
    agents.spec(WAITING, "Later", "wait", body=f"# Later\n\n## Acceptance Criteria\n\n{CRITERIA}\n")
    agents.spec(GARBLED, "Odd", "split-garbage", body=f"# Odd\n\n## Acceptance Criteria\n\n{CRITERIA}\n")
    agents.project.spec(BY_HAND, body="# By hand\n\n- [x] Done\n", type="task", status="in_progress")
    agents.begin()
    yield _asked(agents, "finalize", BY_HAND)
    yield _asked(agents, "work", FIRST, "--dry-run")
    yield _asked(agents, "work", FIRST)
    yield _asked(agents, "runs", FIRST, "-f")
    yield _asked(agents, "work", FIRST, "--wait")
    yield _asked(agents, "work", FIRST, code=1)
    yield _asked(agents, "work", FIRST, "--dry-run", code=1)
    yield _asked(agents, "work", SECOND, "--wait", code=1)
    yield _asked(agents, "work", SECOND, "--dry-run")
    yield _asked(agents, "log", SECOND)
    yield _asked(agents, "log", SECOND, "--lines", "0")
    yield _asked(agents, "diagnose", SECOND, code=1)
    yield _asked(agents, "reset", SECOND)
    yield _asked(agents, "work", THIRD)
    agents.until_waiting(THIRD)
    yield _asked(agents, "runs")
    yield _asked(agents, "inbox")
    yield _asked(agents, "worktree", "list")
    yield _asked(agents, "pause", THIRD)
    yield _asked(agents, "pause", THIRD, code=1)
    yield _asked(agents, "takeover", THIRD, "--force")
    yield _asked(agents, "takeover", THIRD, code=1)
    yield _asked(agents, "work", THIRD, "--chain")
    agents.until_waiting(THIRD)
    yield _asked(agents, "takeover", THIRD)
    yield _asked(agents, "merge", THIRD, code=1)
    yield _asked(agents, "cancel", THIRD)
    (root / "mine.txt").write_text("mine\n", encoding="utf-8")
    yield _asked(agents, "work", BLOCKED, "--wait", code=1)
    yield _asked(agents, "merge")
    yield from _answers_about_reviews(agents)
    (root / "mine.txt").unlink()
    yield _asked(agents, "merge")
    yield _asked(agents, "merge")
    yield _asked(agents, "merge", BLOCKED)
    yield _asked(agents, "split", LARGE, "--wait")
    yield _asked(agents, "split", LARGE)
    yield _asked(agents, "split", LARGE, "--force")
    yield _asked(agents, "split", LARGE, code=1)
    yield _asked(agents, "split", WAITING)
    yield _asked(agents, "pause", WAITING)
    yield _asked(agents, "split", GARBLED, "--wait", code=1)
    yield _asked(agents, "runs", "--all")
    yield _asked(agents, "show", FIRST)
    yield _asked(agents, "status")
    yield _asked(agents, "receipt", "show")
    yield _asked(agents, "receipt", "verify", "--all", code=1)
    yield _asked(agents, "verify", "--drift")
    yield from _answers_about_layers(agents)


def _answers_about_reviews(agents: AtWork) -> Iterator[WorkAnswer]:
    commented = _asked(agents, "comment", BLOCKED, "mine.txt:1", "Why?")
    yield commented
    thread = commented[1]["data"]["message"].split(": ")[1].split()[0]
    yield _asked(agents, "comment", BLOCKED, thread, "Or is it needed?")
    yield _asked(agents, "comment", BLOCKED, "--criterion", "1", "Where?", "--question")
    yield _asked(agents, "comment", BLOCKED, "Later", "--draft")
    yield _asked(agents, "review")
    yield _asked(agents, "review", BLOCKED, "--seen", "1")
    yield _asked(agents, "review", BLOCKED, "--approve", code=1)
    yield _asked(agents, "review", BLOCKED, "--approve", "--unseen")
    yield _asked(agents, "review", BLOCKED)
    yield _asked(agents, "review", BLOCKED, "--resolve", "all")
    yield _asked(agents, "review", BLOCKED, "--since", "look")


def _answers_about_layers(agents: AtWork) -> Iterator[WorkAnswer]:
    yield _asked(agents, "env", "show")
    agents.project.config(CONFIG + RECIPE)
    (agents.project.root / "deps.txt").write_text("one\n", encoding="utf-8")
    agents.project.git("add", "-A")
    agents.project.git("commit", "-qm", "Recipe")
    yield _asked(agents, "env", "show")
    agents("env", "build")
    yield _asked(agents, "env", "show")


def answers_of_clones(folder: Path, remote: Remote, go_to: Callable[[Path], None]) -> Iterator[WorkAnswer]:
    """Give what is answered in a clone whose agents hold leases, and in another clone."""
    shared = SharedProject(folder, remote, PROPOSE)
    shared.publish((FIRST,))
    shared.publish((THIRD,), "wait")
    shared.publish((BY_HAND,), body="# By hand\n\n- [x] Done\n", type="task", status="in_progress")
    first, second = shared.clone(), shared.clone()

    def asked(clone: Path, *words: str, code: int = 0) -> WorkAnswer:
        go_to(clone)
        return _asked(AtWork(first.project), *words, code=code)

    yield asked(first.root, "leases")
    first.start(THIRD)
    wait_for(lambda: "out waiting" in first.log(THIRD), "its agent")
    yield asked(first.root, "leases")
    yield asked(first.root, "runs")
    yield asked(second.root, "leases", "--look", "--all")
    yield asked(second.root, "runs")
    yield asked(second.root, "pause", THIRD)
    first.ended(THIRD)
    first.start(FIRST)
    first.ended(FIRST)
    yield asked(second.root, "fence")
    second.git("fetch", "-q", "origin")
    yield asked(second.root, "fence", f"origin/chant/{FIRST}")
    yield asked(first.root, "finalize", BY_HAND)
    yield asked(first.root, "receipt", "push")
    yield asked(second.root, "receipt", "fetch")
    yield asked(second.root, "receipt", "fetch")


def answers_of_clusters(folder: Path) -> Iterator[WorkAnswer]:
    """Give what is answered about a cluster on this machine."""
    cluster = f"{{big: {{kind: local, workers: 1, slots: {{demo: 3}}, tls: {folder / 'tls'}}}}}"
    user_config().write_text(f"---\ncluster: {cluster}\naccounts: {{team-a: {{}}}}\n---\n", encoding="utf-8")

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        argv = [*own_program(sys.executable), *words]
        return subprocess.run(argv, cwd=folder, env=os.environ, capture_output=True, text=True, check=False)

    words = ("cluster", "status", "big")
    yield words, json.loads(run(*words, "--json").stdout)
    started = run("cluster", "up", "big")
    try:
        assert started.returncode == 0, started.stderr
        yield words, json.loads(run(*words, "--json").stdout)
    finally:
        run("cluster", "down", "big")
