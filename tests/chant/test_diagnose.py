"""`chant_diagnose`: what is wrong with a spec, graded by its status (reference 5.7)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from chant.diagnosing import check, commit, healthy, lock
from chant.reading import ENDED, ONE_ERA, criteria, record
from writing import ID, answer_text

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio

SIX = ["Spec file", "Log file", "Lock file", "Git commit", "Acceptance criteria", "Status consistency"]


@pytest.mark.requirement("chant:diagnose:checks_file_log_lock_commit_criteria")
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
    assert await call.text("chant_diagnose", id="001") == answer_text(data)


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


@ONE_ERA
@pytest.mark.parametrize(
    ("age", "words"),
    [
        (0, "just now"),
        (50, "just now"),
        (65, "1 minute ago"),
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
    assert found["details"] == text
    assert found["passed"] is True


async def test_a_log_of_the_future_is_no_trouble(call: Caller) -> None:
    call.project.spec(ID)
    log = call.project.log(ID, "x")
    os.utime(log, (time.time() + 86_400, time.time() + 86_400))

    assert check(await call.data("chant_diagnose", id=ID), "Log file")["details"].startswith(
        "Exists (1 bytes)"
    )


async def test_missing_log_and_lock_are_said_to_be_missing(call: Caller) -> None:
    call.project.spec(ID)

    data = await call.data("chant_diagnose", id=ID)
    assert check(data, "Log file")["details"] == "Does not exist (checked in main)"
    assert check(data, "Lock file")["details"] == "Not present (checked in main)"


async def test_a_lock_of_a_living_process_is_present(call: Caller) -> None:
    call.project.spec(ID, status="in_progress")
    lock(call.project, os.getpid())

    found = check(await call.data("chant_diagnose", id=ID), "Lock file")
    assert found["details"].startswith("Present (spec may be running) (checked in main)")
    assert str(os.getpid()) in found["details"]
    assert found["passed"] is True


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


@ONE_ERA
@pytest.mark.parametrize("text", ["", "not a number", "-1", "0", "99999999999999999999", "\x00\xff"])
async def test_an_odd_lock_is_no_trouble(call: Caller, text: str) -> None:
    call.project.spec(ID)
    lock(call.project, 1).write_text(text, encoding="utf-8")

    assert check(await call.data("chant_diagnose", id=ID), "Lock file")["details"].startswith("Present")


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


async def test_a_completed_run_without_a_commit_is_inconsistent(call: Caller) -> None:
    call.project.spec(ID, status="completed", body=criteria("- [x] a"))
    call.project.log(ID, "done\n")
    call.project.repository()
    record(call.project, f"{ID}-4242", completed_at=ENDED)

    data = await call.data("chant_diagnose", id=ID)
    found = check(data, "Status consistency")
    assert (found["passed"], found["details"]) == (False, "Status is completed but no commit found")
    assert data["diagnosis"] == "Spec has issues: Status consistency"


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


async def test_approval_is_not_said_to_be_a_dependency(call: Caller) -> None:
    call.project.spec("one", approval="{required: true}", depends_on=["absent"])

    data = await call.data("chant_diagnose", id="one")
    assert "Fix depends_on with chant_spec_update: approval" not in data["suggestion"]
    assert "absent" in data["suggestion"]


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
