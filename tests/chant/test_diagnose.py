"""`chant_diagnose`: what is wrong with a spec, graded by its status (reference 5.7)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import DAY, ONE_ERA, criteria, pretty, record

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Caller, Project

pytestmark = pytest.mark.anyio

ID = f"{DAY}-001-x7m"
SIX = ["Spec file", "Log file", "Lock file", "Git commit", "Acceptance criteria", "Status consistency"]


def check(data: Any, name: str) -> dict[str, Any]:
    return next(check for check in data["checks"] if check["name"] == name)


def commit(project: Project, message: str, *words: str) -> str:
    """Make a commit and give its short hash."""
    project.git(*words, "commit", "-qm", message, "--allow-empty")
    return project.git(*words, "rev-parse", "--short", "HEAD").strip()


def healthy(data: Any) -> bool:
    assert all(set(check) == {"name", "passed", "details"} for check in data["checks"])
    is_said = data["diagnosis"] == "All checks passed. Spec appears healthy."
    assert is_said == all(check["passed"] for check in data["checks"])
    assert is_said == (data["suggestion"] is None)
    return is_said


@pytest.mark.requirement(
    "chant:diagnose:answer_has_the_documented_keys",
    "chant:diagnose:checks_file_log_lock_commit_criteria",
    "chant:diagnose:fresh_pending_spec_is_healthy",
    "chant:diagnose:healthy_spec_is_said_to_be",
    "chant:diagnose:location_names_the_worktree",
)
@ONE_ERA
@pytest.mark.parametrize("in_git", [True, False])
async def test_a_fresh_pending_spec_is_healthy(call: Caller, in_git: bool) -> None:
    call.project.spec(ID, body=criteria("- [ ] open"))
    if in_git:
        call.project.repository()

    data = await call.data("chant_diagnose", id="001")
    assert list(data)[:6] == ["spec_id", "status", "location", "checks", "diagnosis", "suggestion"]
    assert (data["spec_id"], data["status"], data["location"]) == (ID, "pending", "main repository")
    assert [check["name"] for check in data["checks"]][:6] == SIX
    assert healthy(data)
    assert await call.text("chant_diagnose", id="001") == pretty(data)


@pytest.mark.requirement("chant:diagnose:spec_file_check")
@ONE_ERA
@pytest.mark.parametrize(
    ("text", "details"),
    [
        ("---\nstatus: pending\n---\n# One\n", "Valid YAML"),
        ("# One\n", "Valid YAML"),
        ("---\nstatus: [\n---\n", "Invalid YAML: "),
        ("---\nstatus: nonsense\n---\n", "Invalid YAML: "),
        ("---\nstatus: pending\n", "Invalid YAML: "),
        (b"\xff\xfe", "Cannot read: "),
    ],
)
async def test_the_file_is_checked(call: Caller, text: str | bytes, details: str) -> None:
    call.project.write(ID, text)

    data = await call.data("chant_diagnose", id=ID)
    found = check(data, "Spec file")
    assert found["details"].startswith(details)
    assert found["passed"] == (details == "Valid YAML")
    assert healthy(data) == found["passed"]


@pytest.mark.requirement("chant:diagnose:spec_file_check")
@ONE_ERA
@pytest.mark.parametrize("kind", ["folder", "dangling"])
async def test_what_is_no_file_cannot_be_read(call: Caller, kind: str) -> None:
    path = call.project.path(ID)
    if kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("nowhere.md")

    found = check(await call.data("chant_diagnose", id=ID), "Spec file")
    assert found["details"].startswith("Cannot read: ")
    assert found["passed"] is False


@pytest.mark.requirement("chant:diagnose:log_file_check")
@ONE_ERA
@pytest.mark.parametrize(
    ("age", "words"),
    [
        (0, "just now"),
        (50, "just now"),
        (65, "1 minutes ago"),
        (45 * 60 + 5, "45 minutes ago"),
        (2 * 3600 + 5, "2 hours ago"),
        (23 * 3600 + 5, "23 hours ago"),
        (3 * 86400 + 5, "3 days ago"),
        (400 * 86400 + 5, "400 days ago"),
    ],
)
async def test_the_log_is_checked(call: Caller, age: int, words: str) -> None:
    call.project.spec(ID)
    log = call.project.log(ID, "twelve bytes")
    then = time.time() - age
    os.utime(log, (then, then))

    found = check(await call.data("chant_diagnose", id=ID), "Log file")
    text = f"Exists (12 bytes), last modified: {words} (checked in main)"
    assert found["details"].replace("1 minute ago", "1 minutes ago") == text
    assert found["passed"] is True


@pytest.mark.requirement("chant:diagnose:log_file_check")
async def test_a_log_of_the_future_is_no_trouble(call: Caller) -> None:
    call.project.spec(ID)
    log = call.project.log(ID, "x")
    os.utime(log, (time.time() + 86_400, time.time() + 86_400))

    assert check(await call.data("chant_diagnose", id=ID), "Log file")["details"].startswith(
        "Exists (1 bytes)"
    )


@pytest.mark.requirement("chant:diagnose:log_file_check", "chant:diagnose:lock_file_check")
async def test_missing_log_and_lock_are_said_to_be_missing(call: Caller) -> None:
    call.project.spec(ID)

    data = await call.data("chant_diagnose", id=ID)
    assert check(data, "Log file")["details"] == "Does not exist (checked in main)"
    assert check(data, "Lock file")["details"] == "Not present (checked in main)"


def lock(project: Project, pid: int) -> Path:
    path = project.root / ".chant" / ".locks" / f"{ID}.lock"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{pid}", encoding="utf-8")
    return path


@pytest.mark.requirement("chant:diagnose:lock_file_check")
async def test_a_lock_of_a_living_process_is_present(call: Caller) -> None:
    call.project.spec(ID, status="in_progress")
    lock(call.project, os.getpid())

    found = check(await call.data("chant_diagnose", id=ID), "Lock file")
    assert found["details"].startswith("Present (spec may be running) (checked in main)")
    assert str(os.getpid()) in found["details"]
    assert found["passed"] is True


@pytest.mark.requirement("chant:diagnose:lock_age_and_owner_are_looked_at")
async def test_a_lock_of_a_dead_process_is_told_from_a_held_one(call: Caller) -> None:
    call.project.spec(ID, status="in_progress")
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    path = lock(call.project, dead.pid)
    os.utime(path, (time.time() - 7_300, time.time() - 7_300))
    stale = check(await call.data("chant_diagnose", id=ID), "Lock file")
    lock(call.project, os.getpid())
    held = check(await call.data("chant_diagnose", id=ID), "Lock file")

    assert str(dead.pid) in stale["details"]
    assert stale["details"].replace(str(dead.pid), "") != held["details"].replace(str(os.getpid()), "")
    assert "2 hours" in stale["details"]


@pytest.mark.requirement("chant:diagnose:lock_file_check")
@ONE_ERA
@pytest.mark.parametrize("text", ["", "not a number", "-1", "0", "99999999999999999999", "\x00\xff"])
async def test_an_odd_lock_is_no_trouble(call: Caller, text: str) -> None:
    call.project.spec(ID)
    lock(call.project, 1).write_text(text, encoding="utf-8")

    assert check(await call.data("chant_diagnose", id=ID), "Lock file")["details"].startswith("Present")


@pytest.mark.requirement("chant:diagnose:git_commit_check")
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


@pytest.mark.requirement("chant:diagnose:git_commit_check")
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


@pytest.mark.requirement("chant:diagnose:git_commit_check", "store:index:write_before_the_call_is_seen")
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


@pytest.mark.requirement("chant:diagnose:criteria_check")
@ONE_ERA
@pytest.mark.parametrize(
    ("items", "details"),
    [
        ([], "All satisfied"),
        (["- [x] a"], "All satisfied"),
        (["- [x] a", "- [ ] b", "- [ ] c"], "2 unchecked items remaining"),
    ],
)
async def test_the_criteria_are_checked(call: Caller, items: list[str], details: str) -> None:
    call.project.spec(ID, status="completed", body=criteria(*items))
    call.project.repository()

    found = check(await call.data("chant_diagnose", id=ID), "Acceptance criteria")
    assert found["details"] == details
    assert found["passed"] == (details == "All satisfied")


@pytest.mark.requirement(
    "chant:diagnose:in_progress_with_commit_is_inconsistent",
    "chant:diagnose:completed_without_evidence_is_inconsistent",
    "chant:diagnose:pending_with_commit_is_inconsistent",
    "chant:diagnose:unfinalized_spec_is_recognised",
    "chant:diagnose:commit_with_open_criteria_is_recognised",
    "chant:diagnose:other_failures_are_named",
    "chant:diagnose:healthy_spec_is_said_to_be",
)
@ONE_ERA
@pytest.mark.parametrize(
    ("status", "has_commit", "is_met", "details", "diagnosis"),
    [
        (
            "in_progress",
            True,
            True,
            "Status is in_progress but commit exists (should be completed?)",
            "Spec appears complete but wasn't finalized.",
        ),
        (
            "in_progress",
            True,
            False,
            "Status is in_progress but commit exists (should be completed?)",
            "Spec has a commit but acceptance criteria not all satisfied.",
        ),
        ("in_progress", False, False, None, None),
        ("completed", True, True, None, None),
        ("completed", False, True, None, None),  # by hand: no commit is needed (decisions 3, Completion)
        (
            "completed",
            True,
            False,
            "Status is completed but acceptance criteria unchecked",
            "Spec has issues: ",
        ),
        ("pending", True, False, "Status is pending but commit exists", "Spec has issues: "),
        ("pending", False, False, None, None),
        ("ready", True, False, "Status is pending but commit exists", "Spec has issues: "),
    ],
)
async def test_status_and_evidence_must_agree(
    call: Caller, status: str, has_commit: bool, is_met: bool, details: str | None, diagnosis: str | None
) -> None:
    call.project.spec(ID, status=status, body=criteria("- [x] a" if is_met else "- [ ] a"))
    call.project.repository()
    if has_commit:
        commit(call.project, f"chant({ID}): a")

    data = await call.data("chant_diagnose", id=ID)
    found = check(data, "Status consistency")
    assert found["passed"] == (details is None)
    assert healthy(data) == (details is None)
    if details is not None and diagnosis is not None:
        assert found["details"] == details
        assert data["diagnosis"].startswith(diagnosis)
        if diagnosis.endswith(": "):
            failed = [check["name"] for check in data["checks"] if not check["passed"]]
            assert data["diagnosis"] == diagnosis + ", ".join(failed)


@pytest.mark.requirement("chant:diagnose:completed_without_evidence_is_inconsistent")
async def test_a_completed_run_without_a_commit_is_inconsistent(call: Caller) -> None:
    call.project.spec(ID, status="completed", body=criteria("- [x] a"))
    call.project.log(ID, "done\n")
    call.project.repository()
    record(call.project, f"{ID}-4242")

    data = await call.data("chant_diagnose", id=ID)
    found = check(data, "Status consistency")
    assert (found["passed"], found["details"]) == (False, "Status is completed but no commit found")
    assert data["diagnosis"] == "Spec has issues: Status consistency"


@pytest.mark.requirement("chant:diagnose:other_statuses_get_a_remark")
@ONE_ERA
@pytest.mark.parametrize(
    ("status", "remark"),
    [
        ("paused", "Paused (work stopped mid-execution)"),
        ("failed", "Marked as failed"),
        ("needs_attention", "Marked as needs attention"),
        ("blocked", "Blocked by unmet dependencies"),
        ("cancelled", "Marked as cancelled ("),
    ],
)
async def test_other_statuses_pass_with_a_remark(call: Caller, status: str, remark: str) -> None:
    call.project.spec(ID, status=status, depends_on=["absent"] if status == "blocked" else None)
    call.project.repository()

    found = check(await call.data("chant_diagnose", id=ID), "Status consistency")
    assert found["details"].startswith(remark)
    assert found["passed"] is True


@pytest.mark.requirement("chant:diagnose:dependency_reasons_are_named")
async def test_the_reasons_of_a_blocked_spec_are_named(call: Caller) -> None:
    call.project.spec("base", status="in_progress")
    call.project.spec("D", type="group", depends_on=["base"])
    call.project.spec("D.1", status="pending", depends_on=["absent"], approval="{required: true}")

    data = await call.data("chant_diagnose", id="D.1")
    assert data["status"] == "blocked"
    assert not healthy(data)
    told = str(data["checks"])
    for word in ("base", "absent", "approval"):
        assert word in told


@pytest.mark.requirement("chant:diagnose:suggestions_name_tools_that_exist")
async def test_approval_is_not_said_to_be_a_dependency(call: Caller) -> None:
    call.project.spec("one", approval="{required: true}", depends_on=["absent"])

    data = await call.data("chant_diagnose", id="one")
    assert "Mend depends_on with chant_spec_update: approval" not in data["suggestion"]
    assert "absent" in data["suggestion"]


def worktree(project: Project, branch: str, folder: str = "elsewhere") -> Path:
    path = project.root.parent / folder
    project.git("worktree", "add", "-q", "-b", branch, str(path))
    return path


@pytest.mark.requirement("chant:diagnose:location_names_the_worktree")
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


@pytest.mark.requirement("chant:diagnose:log_file_check", "chant:diagnose:lock_file_check")
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


@pytest.mark.requirement(
    "chant:diagnose:branch_merge_state_is_named", "chant:config:main_branch_and_prefix_are_honoured"
)
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


@pytest.mark.requirement("chant:diagnose:suggestions_name_tools_that_exist")
@ONE_ERA
@pytest.mark.parametrize(
    ("status", "has_commit", "box", "word"),
    [
        ("in_progress", True, "[x]", "finalize"),
        ("in_progress", True, "[ ]", "criteri"),
        ("completed", True, "[ ]", "criteri"),
        ("pending", True, "[ ]", ""),
    ],
)
async def test_suggestions_name_tools_that_exist(
    call: Caller, status: str, has_commit: bool, box: str, word: str
) -> None:
    call.project.spec(ID, status=status, body=criteria(f"- {box} a"))
    call.project.repository()
    if has_commit:
        commit(call.project, f"chant({ID}): a")
    suggestion = (await call.data("chant_diagnose", id=ID))["suggestion"]
    tools = {tool.name for tool in (await call.client.list_tools()).tools}

    assert suggestion
    assert word in suggestion.lower()
    assert "just chant" not in suggestion
    assert set(re.findall(r"chant_\w+", suggestion)) <= tools
    assert not re.search(r"`chant (?!_)\w+", suggestion)


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


@pytest.mark.requirement("git:reads:reftable_repository", "git:reads:sha256_repository")
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


@pytest.mark.requirement("git:reads:partial_clone")
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


@pytest.mark.requirement("git:program:environment_is_cleaned")
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


@pytest.mark.requirement("chant:diagnose:git_commit_check")
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
