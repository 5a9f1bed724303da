"""The branch that a run starts from and lands on: the checked-out one, unless somebody names another."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from work.kit import ID, OTHER, Workshop
from writing import git

CONFIG = "defaults:\n  provider: demo\n"


@pytest.fixture
def feature(shop: Workshop) -> Workshop:
    """Check out `feature/x`, which alone has the spec and a file that `main` lacks."""
    shop.project.config(CONFIG)
    shop.commit("Start")
    git(shop.root, "switch", "-q", "-c", "feature/x")
    (shop.root / "only-here.txt").write_text("1\n", encoding="utf-8")
    shop.spec(ID)
    shop.commit("A spec on a branch")
    return shop


def work(shop: Workshop, *words: str) -> subprocess.CompletedProcess[str]:
    """Work on a spec in a process, as a person does."""
    command = [sys.executable, "-m", "chant_mcp", "work", *words]
    return subprocess.run(command, cwd=shop.root, capture_output=True, text=True, timeout=60)


def test_work_starts_from_the_branch_that_is_checked_out_and_lands_there(feature: Workshop) -> None:
    main = git(feature.root, "rev-parse", "main")
    done = work(feature, ID, "--wait")
    assert done.returncode == 0, done.stderr
    assert "starts from and lands on feature/x (" in done.stderr
    assert " on feature/x)" in done.stdout.splitlines()[-1]
    assert git(feature.root, "rev-parse", "main") == main
    assert git(feature.root, "show", f"feature/x:work/{ID}.txt")
    assert feature.record(ID)["target"] == "feature/x"
    listed = subprocess.run(
        [sys.executable, "-m", "chant_mcp", "runs", "--all"],
        cwd=feature.root,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "feature/x" in listed.stdout


def test_a_named_base_wins_and_the_configured_one_wins_over_the_present(feature: Workshop) -> None:
    git(feature.root, "branch", "release", "feature/x")
    before = git(feature.root, "rev-parse", "feature/x")
    done = work(feature, ID, "--wait", "--base", "release")
    assert done.returncode == 0, done.stderr
    assert git(feature.root, "show", f"release:work/{ID}.txt")
    assert git(feature.root, "rev-parse", "feature/x") == before

    feature.spec(OTHER)
    feature.project.config(f"{CONFIG}  main_branch: release\n")
    feature.commit("Another spec")
    trial = work(feature, OTHER, "--dry-run")
    assert "release (" in trial.stdout, trial.stderr


def test_a_base_whose_acting_files_nobody_looked_at_is_refused(feature: Workshop) -> None:
    git(feature.root, "switch", "-q", "-c", "release")
    (feature.root / "AGENTS.md").write_text("Words for agents.\n", encoding="utf-8")
    feature.commit("Words")
    git(feature.root, "switch", "-q", "feature/x")
    done = work(feature, ID, "--base", "release", "--wait")
    assert done.returncode == 0, f"words run nothing: {done.stderr}"

    feature.spec(OTHER)
    feature.commit("Another spec")
    git(feature.root, "switch", "-q", "release")
    hook = '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch x"}]}]}}'
    (feature.root / ".claude").mkdir()
    (feature.root / ".claude" / "settings.json").write_text(hook, encoding="utf-8")
    feature.commit("A hook")
    git(feature.root, "switch", "-q", "feature/x")
    with feature.nothing_begins():
        refused = work(feature, OTHER, "--base", "release")
    assert refused.returncode == 1
    assert ".claude/settings.json" in refused.stderr
    assert "Check out `release`" in refused.stderr


def test_a_detached_head_is_refused_with_the_choice(feature: Workshop) -> None:
    git(feature.root, "checkout", "-q", "--detach")
    with feature.nothing_begins():
        done = work(feature, ID)
    assert done.returncode != 0
    assert "HEAD is detached at" in done.stderr
    assert "`--base main`" in done.stderr
    git(feature.root, "branch", "-m", "main", "trunk")
    assert "--base" not in work(feature, ID).stderr, "no branch is offered that does not exist"


@pytest.mark.parametrize("is_named", [True, False])
def test_the_branch_of_a_run_is_refused_with_the_choice(feature: Workshop, is_named: bool) -> None:
    """A branch of a person's own that merely begins like those of runs is none."""
    git(feature.root, "switch", "-q", "-c", "chant/mine")
    feature.spec(OTHER)
    feature.commit("A spec that is worked on elsewhere")
    git(feature.root, "branch", f"chant/{OTHER}")
    if not is_named:
        git(feature.root, "switch", "-q", f"chant/{OTHER}")
    with feature.nothing_begins():
        refused = work(feature, ID, *(["--base", f"chant/{OTHER}"] if is_named else []))
    said = " ".join(refused.stderr.split())
    assert f"Work cannot start from `chant/{OTHER}`: it is the branch of a run" in said
    assert "`--base main`" in said
    git(feature.root, "switch", "-q", "chant/mine")
    assert "starts from and lands on chant/mine" in work(feature, ID, "--wait").stderr


def test_a_switch_of_branches_moves_no_run(feature: Workshop) -> None:
    feature.spec(ID, "fail")
    feature.commit("It fails at first")
    assert work(feature, ID, "--wait").returncode == 1
    git(feature.root, "stash", "-q")
    git(feature.root, "switch", "-q", "-c", "other")
    refused = work(feature, ID, "--wait", "--base", "main")
    said = " ".join(refused.stderr.split())
    assert "started from `feature/x` and lands there, not on `main`" in said
    assert "`--fresh`" in said
    feature.spec(ID)
    other = git(feature.root, "rev-parse", "other")
    done = work(feature, ID, "--wait")
    assert done.returncode == 0, done.stdout
    assert git(feature.root, "show", f"feature/x:work/{ID}.txt")
    assert git(feature.root, "rev-parse", "other") == other


def test_a_branch_behind_its_remote_is_mentioned(feature: Workshop, tmp_path: Path) -> None:
    remote = tmp_path / "remote.git"
    git(feature.root, "clone", "-q", "--bare", str(feature.root), str(remote))
    git(feature.root, "remote", "add", "origin", str(remote))
    git(feature.root, "fetch", "-q", "origin")
    git(feature.root, "branch", "-q", "--set-upstream-to=origin/feature/x")
    git(feature.root, "reset", "-q", "--soft", "HEAD~1")
    git(feature.root, "stash", "-q")
    git(feature.root, "checkout", "-q", "origin/feature/x", "--", ".chant")
    git(feature.root, "commit", "-q", "-m", "Its own")
    trial = work(feature, ID, "--dry-run")
    assert "1 commit behind origin/feature/x as last fetched" in trial.stdout, trial.stderr
