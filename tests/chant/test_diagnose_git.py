"""`chant_diagnose`: commits, branches and worktrees, in every kind of repository (reference 5.7)."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
from chant.diagnosing import check, commit, healthy, lock
from chant.reading import ONE_ERA, criteria
from writing import ID

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Caller, Project

pytestmark = pytest.mark.anyio


@ONE_ERA
@pytest.mark.parametrize(
    "message",
    [
        f"chant({ID}): add it",
        f"Merge work\n\nchant({ID})",
        f"fixup! chant({ID}): more",
        f"chant({ID})! ünïcode",
    ],
)
async def test_a_commit_with_the_tag_is_found(call: Caller, message: str) -> None:
    call.project.spec(ID, status="completed", body=criteria("- [x] a"))
    call.project.repository()
    short = commit(call.project, message)
    commit(call.project, "something else")

    data = await call.data("chant_diagnose", id=ID)
    assert check(data, "Git commit") == {"name": "Git commit", "passed": True, "details": f"Found: {short}"}
    assert healthy(data)


@ONE_ERA
@pytest.mark.parametrize(
    "message",
    [
        f"chant({ID}.1): a member's",
        f"chant({ID[:-1]}): another ID",
        f"chant(x{ID}): another ID",
        f"Chant({ID}): upper case",
        f"chant {ID}: no parentheses",
        f"about {ID}",
        "chant(2026.01.22.001.x7m): no pattern",
    ],
)
async def test_other_commits_do_not_count(call: Caller, message: str) -> None:
    call.project.spec(ID, status="completed", body=criteria("- [x] a"))
    call.project.repository()
    commit(call.project, message)

    assert check(await call.data("chant_diagnose", id=ID), "Git commit")["details"] == (
        "No matching commit found"
    )


async def test_a_commit_made_before_the_call_is_seen(call: Caller) -> None:
    call.project.spec(ID, status="in_progress", body=criteria("- [x] a"))
    call.project.repository()
    assert check(await call.data("chant_diagnose", id=ID), "Git commit")["details"].startswith("No matching")
    short = commit(call.project, f"chant({ID}): a")
    assert check(await call.data("chant_diagnose", id=ID), "Git commit")["details"] == f"Found: {short}"
    call.project.git("reset", "-q", "--hard", "HEAD~1")
    assert check(await call.data("chant_diagnose", id=ID), "Git commit")["details"].startswith("No matching")
    call.project.git("tag", "later", short)
    call.project.git("merge", "-q", "--ff-only", "later")
    assert check(await call.data("chant_diagnose", id=ID), "Git commit")["details"] == f"Found: {short}"
    call.project.git("pack-refs", "--all")
    call.project.git("gc", "-q")
    assert check(await call.data("chant_diagnose", id=ID), "Git commit")["details"] == f"Found: {short}"


def worktree(project: Project, branch: str, folder: str = "elsewhere") -> Path:
    path = project.root.parent / folder
    project.git("worktree", "add", "-q", "-b", branch, str(path))
    return path


@ONE_ERA
@pytest.mark.parametrize(
    ("config", "key", "branch"),
    [
        ("", None, f"chant/{ID}"),
        ("", "feature/mine", "feature/mine"),
        ("defaults:\n  branch_prefix: work-\n", None, f"work-{ID}"),
    ],
)
async def test_the_worktree_of_the_branch_is_the_location(
    call: Caller, config: str, key: str | None, branch: str
) -> None:
    call.project.config(config or "project:\n  name: demo\n")
    call.project.spec(ID, status="in_progress", branch=key)
    call.project.spec("other", status="in_progress")
    call.project.repository()
    path = worktree(call.project, branch)
    short = commit(call.project, f"chant({ID}): in the worktree", "-C", str(path))

    data = await call.data("chant_diagnose", id=ID)
    assert data["location"] == f"worktree: {path}"
    assert check(data, "Git commit")["details"] == f"Found: {short}"
    assert (await call.data("chant_diagnose", id="other"))["location"] == "main repository"
    call.project.git("worktree", "remove", "--force", str(path))
    assert (await call.data("chant_diagnose", id=ID))["location"] == "main repository"


async def test_a_log_in_main_is_found_although_there_is_a_worktree(call: Caller) -> None:
    call.project.spec(ID, status="in_progress")
    call.project.repository()
    worktree(call.project, f"chant/{ID}")
    call.project.log(ID, "line\n")
    lock(call.project, os.getpid())

    data = await call.data("chant_diagnose", id=ID)
    assert check(data, "Log file")["details"].startswith("Exists (5 bytes)")
    assert check(data, "Log file")["details"].endswith("(checked in main)")
    assert check(data, "Lock file")["details"].startswith("Present")


@ONE_ERA
@pytest.mark.parametrize("main", ["main", "trunk"])
async def test_the_merge_state_of_the_branch_is_named(call: Caller, main: str) -> None:
    if main != "main":
        call.project.config(f"defaults:\n  main_branch: {main}\n")
    call.project.spec(ID, status="in_progress", branch="work")
    call.project.git("init", "-q", "-b", main)
    call.project.git("add", "-A")
    commit(call.project, "Begin")
    call.project.git("branch", "work")
    merged = await branch_words(call)
    call.project.git("checkout", "-q", "work")
    commit(call.project, "on the branch")
    call.project.git("checkout", "-q", main)
    unmerged = await branch_words(call)
    call.project.git("merge", "-q", "--no-ff", "-m", "Merge", "work")
    again = await branch_words(call)
    call.project.git("branch", "-q", "-D", "work")
    absent = await branch_words(call)

    assert re.search(r"\bmerged\b", merged)
    assert "not merged" not in merged
    assert re.search(r"not (yet )?merged|unmerged", unmerged)
    assert again == merged
    assert len({merged, unmerged, absent}) == 3


async def branch_words(call: Caller) -> str:
    data = await call.data("chant_diagnose", id=ID)
    return " ".join(check["details"] or "" for check in data["checks"] if "work" in (check["details"] or ""))


# Repositories that need care


def _format(project: Project, kind: str) -> None:
    """Make the project a repository of some kind, with one commit."""
    if kind == "reftable":
        project.git("init", "-q", "-b", "main", "--ref-format=reftable")
    elif kind == "sha256":
        project.git("init", "-q", "-b", "main", "--object-format=sha256")
    elif kind == "worktree":
        home = project.root.parent / "home"
        subprocess.run(["git", "init", "-q", "-b", "main", str(home)], check=True)
        subprocess.run(["git", "-C", str(home), "commit", "-qm", "Begin", "--allow-empty"], check=True)
        made = project.root.parent / "made"
        subprocess.run(["git", "-C", str(home), "worktree", "add", "-q", "-b", "side", str(made)], check=True)
        (made / ".git").rename(project.root / ".git")
        made.rmdir()
        project.git("worktree", "repair")
    elif kind == "packed":
        project.repository()
        project.git("gc", "-q")
        return
    else:
        project.git("init", "-q", "-b", "main")
    project.git("add", "-A")
    project.git("commit", "-qm", "Begin", "--allow-empty")


@ONE_ERA
@pytest.mark.parametrize("kind", ["files", "packed", "reftable", "sha256", "worktree"])
async def test_commits_are_found_in_every_kind_of_repository(call: Caller, kind: str) -> None:
    call.project.spec(ID, status="in_progress", body=criteria("- [x] a"))
    _format(call.project, kind)
    assert check(await call.data("chant_diagnose", id=ID), "Git commit")["details"].startswith("No matching")
    short = commit(call.project, f"chant({ID}): a")

    data = await call.data("chant_diagnose", id=ID)
    assert check(data, "Git commit")["details"] == f"Found: {short}"
    assert data["diagnosis"] == "Spec appears complete but wasn't finalized."


async def test_commits_are_found_in_a_partial_clone(call: Caller) -> None:
    source = call.project.root.parent / "source"
    environment = ["-c", "protocol.file.allow=always"]
    subprocess.run(["git", "init", "-q", "-b", "main", str(source)], check=True)
    (source / "file").write_text("content\n", encoding="utf-8")
    for words in (
        ["add", "-A"],
        ["commit", "-qm", f"chant({ID}): a"],
        ["commit", "-qm", "later", "--allow-empty"],
        ["config", "uploadpack.allowFilter", "true"],
        ["config", "uploadpack.allowAnySHA1InWant", "true"],
    ):
        subprocess.run(["git", "-C", str(source), *words], check=True)
    clone = call.project.root.parent / "clone"
    subprocess.run(
        ["git", *environment, "clone", "-q", "--filter=blob:none", f"file://{source}", str(clone)], check=True
    )
    (clone / ".git").rename(call.project.root / ".git")
    (clone / "file").rename(call.project.root / "file")
    call.project.spec(ID, status="in_progress", body=criteria("- [x] a"))
    short = call.project.git("rev-parse", "--short", "HEAD~1").strip()

    assert check(await call.data("chant_diagnose", id=ID), "Git commit")["details"] == f"Found: {short}"


@ONE_ERA
@pytest.mark.parametrize("kind", ["files", "reftable", "sha256"])
async def test_the_environment_of_the_caller_changes_nothing(
    call: Caller, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    call.project.spec(ID, status="in_progress", body=criteria("- [x] a"))
    _format(call.project, kind)
    short = commit(call.project, f"chant({ID}): a")
    other = call.project.root.parent / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(other / "index"),
        "GIT_OBJECT_DIRECTORY": str(other / "objects"),
        "GIT_CEILING_DIRECTORIES": str(call.project.root.parent),
        "GIT_NAMESPACE": "elsewhere",
        "GIT_TRACE": "1",
        "GIT_PAGER": "false",
        "LC_ALL": "de_DE.UTF-8",
    }.items():
        monkeypatch.setenv(name, value)

    assert check(await call.data("chant_diagnose", id=ID), "Git commit")["details"] == f"Found: {short}"


@ONE_ERA
@pytest.mark.parametrize("state", ["no commit", "detached", "sub-folder", "no git"])
async def test_an_unusual_state_of_the_repository_is_no_trouble(
    call: Caller, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    call.project.spec(ID, status="in_progress", body=criteria("- [x] a"))
    found = "No matching commit found"
    if state == "no commit":
        call.project.git("init", "-q")
    elif state == "detached":
        call.project.repository()
        found = f"Found: {commit(call.project, f'chant({ID}): a')}"
        call.project.git("checkout", "-q", "--detach")
    elif state == "sub-folder":
        subprocess.run(["git", "init", "-q", str(call.project.root.parent)], check=True)
        found = f"Found: {commit(call.project, f'chant({ID}): a')}"
    else:
        call.project.repository()
        found = f"Found: {commit(call.project, f'chant({ID}): a')}"
        monkeypatch.setenv("PATH", str(call.project.root))

    assert check(await call.data("chant_diagnose", id=ID), "Git commit")["details"] == found
