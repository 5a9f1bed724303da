"""Approving and rejecting: what is written, what is refused, what follows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from chant_mcp._core import ChantProject
from chant_mcp.errors import ChantError, InvalidArgumentError, RefusedError
from harness import Caller, Project, user_config
from writing import git

ID = "2026-01-22-001-x7m"
OTHER = "2026-01-22-002-k3f"
BODY = "# Log in\n\nWords.\n\n## Acceptance Criteria\n\n- [ ] Works\n- [x] Tested"
ASKED = "{required: true}"
AFTER = "Earlier.\r\n\r\n## Notes"
STAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"


@pytest.fixture
def chant(project: Project) -> ChantProject:
    """A handle of a project in git whose user is Ada."""
    git(project.root, "init", "-q", "-b", "main")
    git(project.root, "config", "user.name", "Ada Lovelace")
    git(project.root, "config", "user.email", "ada@example.org")
    git(project.root, "-c", "user.name=Ada Lovelace", "commit", "-q", "--allow-empty", "--author",
        "Ada Lovelace <ada@example.org>", "-m", "Begin")  # fmt: skip
    return ChantProject(project.root, environment=dict(os.environ), user_config=user_config())


def action(project: Project, name: str) -> None:
    """Configure what a rejection does."""
    project.config(f"approval:\n  rejection_action: {name}\n")


def test_an_approval_is_written_and_lets_work_begin(project: Project, chant: ChantProject) -> None:
    project.spec(ID, body=BODY, approval=ASKED)
    assert chant.ready().data["specs"] == []
    said = chant.approve("x7m", reason="Go on.").text
    assert said == f"Approved spec: {ID} (by Ada Lovelace)"
    text = project.text(ID)
    assert re.search(
        rf"^approval:\n  required: true\n  status: approved\n  by: Ada Lovelace\n  at: {STAMP}\n---$",
        text,
        re.MULTILINE,
    )
    assert re.search(
        rf"- \[x\] Tested\n\n## Approval Discussion\n\n"
        rf"\*\*Ada Lovelace\*\* approved, {STAMP}\n\n> Go on\.\n\Z",
        text,
    )
    assert [spec["id"] for spec in chant.ready().data["specs"]] == [ID]
    assert chant.lint(ID).data["errors"] == 0


HEAD = "---\r\n# why\r\ntype: code   # kind\r\nstatus: pending\r\nowner:   ada\r\n"
BLOCK = (
    "approval:   # asked by Grace\r\n    # since May\r\n    at_first: 'no'\r\n"
    "    status: pending\r\n    required: true # so it is\r\n"
)


def test_everything_else_stays_byte_for_byte(project: Project, chant: ChantProject) -> None:
    body = f"\r\n# Log in  \r\n\r\nWords.\r\n\r\n## Approval Discussion\r\n\r\n{AFTER}\r\n\r\nEnd"
    project.write(ID, f"{HEAD}{BLOCK}---\r\n{body}")
    chant.approve(ID, by="Ada Lovelace")
    text = project.text(ID)
    (stamp,) = set(re.findall(STAMP, text))
    decided = f"status: approved\r\n    by: Ada Lovelace\r\n    at: {stamp}\r\n"
    block = BLOCK.replace("status: pending\r\n", decided)
    entry = f"Earlier.\r\n\r\n**Ada Lovelace** approved, {stamp}\r\n\r\n## Notes"
    assert text == f"{HEAD}{block}---\r\n{body.replace(AFTER, entry)}"


def test_entries_that_would_be_lost_stop_it(project: Project, chant: ChantProject) -> None:
    project.spec(ID, approval="{required: true, ticket: 7}")
    before = project.text(ID)
    with pytest.raises(ChantError, match="approval"):
        chant.approve(ID)
    assert project.text(ID) == before


def test_decisions_follow_one_another_in_the_discussion(project: Project, chant: ChantProject) -> None:
    project.spec(ID, body=BODY, approval=ASKED)
    reason = "Split it:\n\n## Acceptance Criteria\n\n- [ ] not a criterion\n"
    chant.reject(ID, reason, by="Grace Hopper")
    chant.approve(ID)
    text = project.text(ID).split("## Approval Discussion\n\n")[1]
    assert re.fullmatch(
        rf"\*\*Grace Hopper\*\* rejected, {STAMP}\n\n> Split it:\n>\n"
        rf"> ## Acceptance Criteria\n>\n> - \[ \] not a criterion\n"
        rf"\n\*\*Ada Lovelace\*\* approved, {STAMP}\n",
        text,
    )
    assert project.text(ID).count("## Approval Discussion") == 1
    assert len(chant.verify(ID).data["unchecked_items"]) == 1
    assert chant.spec_get(ID).data["approval"]["status"] == "approved"


def test_the_same_decision_again_changes_nothing(project: Project, chant: ChantProject) -> None:
    project.spec(ID, body=BODY, approval=ASKED)
    for decide in (
        lambda: chant.approve(ID, by="Grace Hopper"),
        lambda: chant.reject(ID, "no", by="Grace Hopper"),
    ):
        decide()
        before = project.text(ID)
        said = decide().text
        assert re.match(
            f"Spec '{ID}' is (approved|rejected) already, by Grace Hopper; nothing was changed", said
        )
        assert project.text(ID) == before


def test_a_name_that_made_no_commit_is_warned_of(project: Project, chant: ChantProject) -> None:
    for id, by, is_known in [(ID, "Adah", False), (OTHER, "ada@example.org", True)]:
        project.spec(id, approval=ASKED)
        said = chant.approve(id, by=by).text
        assert (f"\nWarning: no commit of this repository is by '{by}'." in said) != is_known


def test_history_is_read_no_further_than_the_first_commit_of_a_person(
    project: Project, chant: ChantProject, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(
        "#!/bin/sh\n"
        f'case "$*" in *"log --all"*) {shutil.which("git")} "$@"; exec sleep 60 ;; esac\n'
        f'exec {shutil.which("git")} "$@"\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    project.spec(ID, approval=ASKED)
    begun = time.monotonic()
    assert chant.approve(ID).text == f"Approved spec: {ID} (by Ada Lovelace)"
    assert time.monotonic() - begun < 30, "the rest of a history that takes a minute is not waited for"


def test_it_works_without_git_and_without_commits(project: Project) -> None:
    chant = ChantProject(project.root, environment=dict(os.environ))
    project.spec(ID, approval=ASKED)
    with pytest.raises(InvalidArgumentError, match="'by': expected who decides, as git names no user here"):
        chant.approve(ID)
    assert chant.approve(ID, by="Ada").text == f"Approved spec: {ID} (by Ada)"
    git(project.root, "init", "-q")
    project.spec(OTHER, approval=ASKED)
    assert "Warning" in chant.approve(OTHER, by="Ada").text


REFUSED = [
    ("approve", {"status": "cancelled"}, "is cancelled: there is nothing to approve"),
    ("reject", {"status": "cancelled"}, "is cancelled: there is nothing to reject"),
    ("approve", {"status": "completed"}, "is completed and asked for no approval"),
    ("reject", {"status": "completed"}, "is completed: its work is done"),
    (
        "reject",
        {"status": "completed", "approval": "{required: true, status: approved, by: Ada, at: x}"},
        "is completed and was approved: its work is done and cannot be rejected any more",
    ),
]


@pytest.mark.parametrize(("word", "keys", "words"), REFUSED)
def test_what_is_past_is_refused(
    project: Project, chant: ChantProject, word: str, keys: dict[str, str], words: str
) -> None:
    project.spec(ID, **keys)
    before = project.text(ID)
    with pytest.raises(ChantError, match=words):
        chant.approve(ID) if word == "approve" else chant.reject(ID, "no")
    assert project.text(ID) == before


@pytest.mark.parametrize("reason", ["", " \n", "a\0b"])
def test_a_rejection_says_why(project: Project, chant: ChantProject, reason: str) -> None:
    project.spec(ID)
    before = project.text(ID)
    with pytest.raises(InvalidArgumentError, match="Invalid parameter 'reason'"):
        chant.reject(ID, reason)
    assert project.text(ID) == before


@pytest.mark.parametrize("by", ["", " ", "Ada\nstatus: completed", "x" * 201])
def test_a_name_is_one_line(project: Project, chant: ChantProject, by: str) -> None:
    project.spec(ID)
    with pytest.raises(InvalidArgumentError, match="Invalid parameter 'by'"):
        chant.approve(ID, by=by)


@pytest.mark.parametrize("variable", ["CHANT_WORKTREE", "CHANT_RUN"])
def test_an_agent_cannot_decide_about_any_spec(project: Project, variable: str) -> None:
    project.spec(ID, approval=ASKED)
    chant = ChantProject(project.root, environment={**os.environ, variable: "/tmp/x"})
    before = project.text(ID)
    for decide in (lambda: chant.approve(ID, by="Ada"), lambda: chant.reject(ID, "no", by="Ada")):
        with pytest.raises(RefusedError, match=rf"from inside a run \({variable} is set\): a person decides"):
            decide()
    assert project.text(ID) == before


@pytest.mark.anyio
async def test_no_tool_decides(call: Caller) -> None:
    tools = await call.client.list_tools()
    named = [tool.name for tool in tools.tools if re.search("approve|reject", tool.name)]
    assert named == []
    assert "Unknown tool" in await call.error("chant_approve", id=ID)


# What a rejection does


def test_manually_nothing_else_happens(project: Project, chant: ChantProject) -> None:
    project.spec(ID, body=BODY, approval=ASKED)
    said = chant.reject(ID, "Too large.").text
    assert said == f"Rejected spec: {ID} (by Ada Lovelace)"
    assert sorted(path.name for path in project.specs.iterdir()) == [f"{ID}.md"]
    assert (project.status(ID), chant.spec_get(ID).data["status"]) == ("pending", "blocked")
    with pytest.raises(RefusedError, match="it has been rejected by Ada Lovelace"):
        chant.work_start(ID)


@pytest.mark.parametrize("depends_on", [None, ["2026-01-22-002-k3f"]])
def test_a_fix_spec_is_made_that_the_rejected_one_waits_for(
    project: Project, chant: ChantProject, depends_on: list[str] | None
) -> None:
    action(project, "dependency")
    project.spec(OTHER, status="completed")
    project.spec(ID, body=BODY, target_files=["auth.py"], depends_on=depends_on)
    said = chant.reject(ID, "Mend the tests.\n\n- [ ] first").text
    (fix,) = {path.stem for path in project.specs.glob("*.md")} - {ID, OTHER}
    assert said.splitlines()[1] == f"Created fix spec: {fix}; '{ID}' waits for it"
    spec = chant.spec_get(ID).data
    assert (spec["status"], spec["depends_on"]) == ("blocked", [*(depends_on or []), fix])
    made = chant.spec_get(fix).data
    assert (made["title"], made["target_files"]) == ("Fix what was rejected: Log in", ["auth.py"])
    assert f"Ada Lovelace rejected spec `{ID}`" in made["body"]
    assert "> Mend the tests.\n>\n> - [ ] first\n" in made["body"]
    assert made["criteria"]["total"] == 1
    assert [ready["id"] for ready in chant.ready().data["specs"]] == [fix]
    assert [f for f in chant.lint(fix).data["diagnostics"] if f["severity"] == "error"] == []
    chant.approve(ID)
    assert chant.spec_get(ID).data["status"] == "blocked", "not before the fix is done"
    chant.spec_update(fix, status="completed", force=True)
    assert chant.spec_get(ID).data["status"] == "pending"


def test_each_criterion_becomes_a_member(project: Project, chant: ChantProject) -> None:
    action(project, "group")
    project.spec(ID, body=BODY, target_files=["auth.py"], approval=ASKED)
    said = chant.reject(ID, "Too large.").text
    assert said.splitlines()[1] == f"Created members: {ID}.1, {ID}.2; '{ID}' is their driver"
    spec = chant.spec_get(ID).data
    assert (spec["type"], [member["id"] for member in spec["members"]]) == ("driver", [f"{ID}.1", f"{ID}.2"])
    assert f"\n- {ID}.1: Works\n- {ID}.2: Tested\n" in project.text(ID)
    assert spec["criteria"]["total"] == 0
    for number, words in [(1, "Works"), (2, "Tested")]:
        member = chant.spec_get(f"{ID}.{number}").data
        assert (member["title"], member["criteria"]["total"], member["status"]) == (words, 1, "pending")
        assert member["target_files"] == ["auth.py"]
    assert [ready["id"] for ready in chant.ready().data["specs"]] == [f"{ID}.1"], (
        "in the order of the criteria"
    )


def test_without_criteria_there_are_no_members_and_no_rejection(
    project: Project, chant: ChantProject
) -> None:
    action(project, "group")
    project.spec(ID)
    before = project.text(ID)
    with pytest.raises(RefusedError, match="has no acceptance criteria that could become members"):
        chant.reject(ID, "no")
    assert project.text(ID) == before


@pytest.mark.parametrize("name", ["dependency", "group"])
@pytest.mark.parametrize("moment", ["journal-staged", "journal-step", "journal-done"])
def test_a_crash_leaves_all_of_it_or_nothing(
    project: Project, chant: ChantProject, name: str, moment: str
) -> None:
    action(project, name)
    project.spec(ID, body=BODY)
    before = project.text(ID)
    command = [sys.executable, "-m", "chant_mcp", "reject", ID, "--reason", "no"]
    crashing = {**os.environ, "CHANT_STOP_AT": moment}
    done = subprocess.run(command, cwd=project.root, env=crashing, check=False, capture_output=True)
    assert done.returncode < 0, done.stderr
    opened = ChantProject(project.root, environment=dict(os.environ))
    files = sorted(Path(path).stem for path in project.specs.glob("*.md"))
    assert (project.text(ID) == before) == (moment != "journal-done")
    if project.text(ID) == before:
        assert files == [ID]
        opened.reject(ID, "no")
        files = sorted(Path(path).stem for path in project.specs.glob("*.md"))
    assert len(files) == (2 if name == "dependency" else 3)
    assert "status: rejected" in project.text(ID)


def test_an_unknown_action_is_told_and_nothing_is_written(project: Project, chant: ChantProject) -> None:
    action(project, "delete")
    project.spec(ID)
    before = project.text(ID)
    with pytest.raises(ChantError, match="delete"):
        chant.reject(ID, "no")
    assert project.text(ID) == before


def test_work_that_was_finalized_and_waits_is_sent_back(project: Project, chant: ChantProject) -> None:
    project.spec(ID, status="completed", completed_at="2026-01-22T10:00:00Z", approval=ASKED)
    chant.reject(ID, "Not yet.")
    assert project.status(ID) == "needs_attention"
    assert "completed_at" not in project.text(ID)


def test_nothing_is_committed_or_staged(project: Project, chant: ChantProject) -> None:
    project.spec(ID, approval=ASKED)
    git(project.root, "add", "-A")
    git(project.root, "commit", "-qm", "Specs")
    (project.root / "notes.txt").write_text("mine\n", encoding="utf-8")
    git(project.root, "add", "notes.txt")
    head = git(project.root, "rev-parse", "HEAD")
    chant.approve(ID)
    assert git(project.root, "rev-parse", "HEAD") == head
    assert git(project.root, "diff", "--cached", "--name-only") == "notes.txt\n"
    assert git(project.root, "diff", "--name-only") == f".chant/specs/{ID}.md\n"
