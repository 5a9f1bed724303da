"""chant_reset and chant_resume: a spec is made pending again, nothing is lost (reference chant 5.12)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chant_mcp.errors import ChantError
from harness import opened
from state_folder import lock_file
from writing import (
    ID,
    OTHER,
    STRANGE_SIGNS,
    Worker,
    changed,
    commit,
    git,
    strange_sign,
    tree,
    untouched,
    workers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness import Caller, Project

pytestmark = pytest.mark.anyio

FILE = f".chant/specs/{ID}.md"
BRANCH = f"chant/{ID}"
BACKUP = f"refs/chant/backup/{ID}"


@pytest.fixture
def worker(project: Project) -> Iterator[Callable[[str], Worker]]:
    """Start processes that work on specs."""
    with workers(project.root) as start:
        yield start


def refused(project: Project) -> str:
    """Give the words of a refusal that leaves every file and reference as it was."""
    before = tree(project.root), references(project)
    with pytest.raises(ChantError) as error:
        opened(project.root).reset(ID)
    assert (tree(project.root), references(project)) == before
    return str(error.value)


def references(project: Project) -> str:
    return git(project.root, "for-each-ref", check=False)


def backups(project: Project) -> dict[str, str]:
    rows = git(project.root, "for-each-ref", "--format=%(refname) %(objectname)", BACKUP)
    return dict(row.split() for row in rows.splitlines())


def worked(project: Project, branch: str = BRANCH, **keys: object) -> tuple[Path, str]:
    """Make a repository with a failed spec whose branch has a commit, checked out in a worktree."""
    project.spec(ID, **{"status": "failed", **keys})
    project.repository()
    path = project.root.parent / "worktree"
    project.git("worktree", "add", "-q", "-b", branch, str(path))
    return path, commit(path, f"chant({ID}): unmerged work")


@pytest.mark.parametrize("tool", ["chant_reset", "chant_resume"])
@pytest.mark.parametrize("status", ["failed", "in_progress"])
@pytest.mark.requirement("chant:reset:failed_becomes_pending", "chant:resume:does_what_reset_does")
async def test_a_spec_becomes_pending_again(call: Caller, tool: str, status: str) -> None:
    before = call.project.spec(ID, status=f"{status}  # why", owner="ada").read_bytes()
    result = await call(tool, id="001")
    assert not result.is_error
    assert result.structured_content is None
    assert call.project.status(ID) == "pending  # why"
    after = call.project.path(ID).read_bytes()
    assert changed(before, after) == [f"-status: {status}  # why", "+status: pending  # why"]
    call.project.path(ID).write_bytes(before)
    assert await call.text(tool, id=ID) == f"Reset spec '{ID}' to pending"


@pytest.mark.requirement("chant:resume:does_what_reset_does")
async def test_both_refuse_with_the_same_words(call: Caller) -> None:
    call.project.spec(ID, status="completed")
    assert await call.error("chant_resume", id=ID) == await call.error("chant_reset", id=ID)
    assert await call.error("chant_resume", id="zz") == await call.error("chant_reset", id="zz")
    assert await call.error("chant_resume") == "Missing required parameter: id"


@pytest.mark.requirement("chant:resume:is_described_as_deprecated")
async def test_resume_is_described_as_deprecated(call: Caller) -> None:
    tools = {tool.name: tool for tool in (await call.client.list_tools()).tools}
    description = tools["chant_resume"].description or ""
    assert "deprecated" in description
    assert "chant_reset" in description
    for name in ("chant_resume", "chant_reset"):
        schema = tools[name].input_schema
        assert list(schema["properties"]) == schema["required"] == ["id"]
        assert schema["properties"]["id"]["type"] == "string"


RUN = f"""\
---
type: code
# of the last run
status: failed  # it broke
branch: {BRANCH}
labels: [a]
commits:
- abc1234
- def5678
completed_at: 2026-01-22T10:00:00Z
model: gpt-5
owner: ada
retry_state:
  attempts: 2
  last_retry_time: 1
  next_retry_time: 2
# the end
---
# Work

branch: not this one
"""


@pytest.mark.parametrize("eol", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_what_the_last_run_wrote_is_taken_out_and_nothing_else(project: Project, eol: str) -> None:
    before = project.write(ID, RUN.replace("\n", eol)).read_bytes()
    opened(project.root).reset(ID)
    lines = [line.removesuffix("\r") for line in changed(before, project.path(ID).read_bytes())]
    assert lines == [
        "-status: failed  # it broke",
        f"-branch: {BRANCH}",
        "+status: pending  # it broke",
        "-commits:",
        "-- abc1234",
        "-- def5678",
        "-completed_at: 2026-01-22T10:00:00Z",
        "-retry_state:",
        "-  attempts: 2",
        "-  last_retry_time: 1",
        "-  next_retry_time: 2",
    ]


@pytest.mark.parametrize(
    ("status", "name"),
    [
        ("pending", "Pending"),
        ("paused", "Paused"),
        ("completed", "Completed"),
        ("needs_attention", "NeedsAttention"),
        ("ready", "Ready"),
        ("blocked", "Blocked"),
        ("cancelled", "Cancelled"),
    ],
)
def test_another_status_is_refused_and_removes_nothing(project: Project, status: str, name: str) -> None:
    waits = [OTHER] if status == "blocked" else None
    path, _ = worked(project, status=status, depends_on=waits)
    for folder, suffix in ((".locks", "lock"), ("pids", "pid")):
        (project.root / ".chant" / folder).mkdir()
        (project.root / ".chant" / folder / f"{ID}.{suffix}").write_text("999999999\n", encoding="utf-8")
    words = refused(project).splitlines()[0]
    assert words == (
        f"Failed to reset spec: Spec '{ID}' is not in failed or in_progress state (current: {name}). "
        "Only failed or in_progress specs can be reset."
    )
    assert path.exists()


@pytest.mark.parametrize("status", ["failed", "in_progress"])
def test_a_spec_that_is_worked_is_not_reset(
    project: Project, worker: Callable[[str], Worker], status: str
) -> None:
    path, tip = worked(project, status=status)
    agent = worker(ID)
    words = refused(project)
    assert words.startswith("Failed to reset spec: ")
    assert str(agent.pid) in words
    assert agent.lives(), "nobody is signalled"
    assert git(path, "rev-parse", "HEAD").strip() == tip


@pytest.mark.parametrize("sign", STRANGE_SIGNS)
def test_what_the_project_itself_says_of_work_is_no_obstacle_and_stays(
    project: Project, worker: Callable[[str], Worker], sign: str
) -> None:
    project.spec(ID, status="in_progress")
    worker(ID).end()
    assert lock_file(project.root, ID).exists()
    other = worker(OTHER)
    left = [strange_sign(project.root, sign, ID, pid) for pid in (999_999_999, other.pid)]
    texts = [path.read_bytes() for path in left]
    opened(project.root).reset(ID)
    assert project.status(ID) == "pending"
    assert [path.read_bytes() for path in left] == texts
    assert not lock_file(project.root, ID).exists()
    assert lock_file(project.root, OTHER).exists(), "only the spec's own is removed"
    assert other.lives()


@pytest.mark.parametrize("names_it", [True, False])
@pytest.mark.parametrize("worktree", ["clean", "none", "folder gone"])
def test_the_branch_is_kept_as_a_backup(project: Project, names_it: bool, worktree: str) -> None:
    path, tip = worked(project)
    if names_it:
        project.spec(ID, status="failed", branch=BRANCH)
    if worktree == "none":
        project.git("worktree", "remove", str(path))
    elif worktree == "folder gone":
        path.rename(path.with_name("elsewhere"))
    text = opened(project.root).reset(ID).text
    assert text.splitlines()[0] == f"Reset spec '{ID}' to pending"
    assert backups(project) == {f"{BACKUP}/1": tip}
    assert f"{BACKUP}/1" in text
    assert project.status(ID) == "pending"
    if worktree == "clean":
        left = project.git("branch", "--list", BRANCH).strip()
        assert bool(left) == path.exists(), "worktree and branch go together"


def test_every_reset_keeps_a_backup_of_its_own(project: Project) -> None:
    project.spec(ID, status="failed")
    project.repository()
    tips = {}
    for number in (1, 2, 3):
        project.git("branch", "-f", BRANCH, "main")
        project.git("checkout", "-q", BRANCH)
        tips[f"{BACKUP}/{number}"] = commit(project.root, f"attempt {number}", f"{number}.txt")
        project.git("checkout", "-q", "main")
        opened(project.root).reset(ID)
        opened(project.root).spec_update(ID, status="failed", force=True)
    assert backups(project) == tips
    project.git("gc", "-q", "--prune=now")
    for tip in tips.values():
        assert project.git("cat-file", "-t", tip) == "commit\n"


def test_the_configured_prefix_names_the_branch(project: Project) -> None:
    project.config("defaults:\n  branch_prefix: agents/\n")
    _, tip = worked(project, branch=f"agents/{ID}")
    project.git("branch", BRANCH, "main")
    opened(project.root).reset(ID)
    assert backups(project) == {f"{BACKUP}/1": tip}
    assert project.git("branch", "--list", BRANCH).strip() == BRANCH, "a branch of another name stays"


@pytest.mark.requirement("chant:reset:failed_becomes_pending")
@pytest.mark.parametrize("id", [ID, "a b", "a~b", "x.lock", "@{1}", "-x", "é漢"])
def test_a_spec_without_a_branch_is_reset_in_a_repository(project: Project, id: str) -> None:
    project.spec(id, status="failed")
    project.repository()
    before = references(project)
    assert opened(project.root).reset(id).text == f"Reset spec '{id}' to pending"
    assert references(project) == before
    assert project.status(id) == "pending"


@pytest.mark.parametrize("has_worktree", [True, False])
def test_a_branch_of_the_users_own_is_left_alone(project: Project, has_worktree: bool) -> None:
    path, tip = worked(project, branch="feature/mine")
    project.spec(ID, status="failed", branch="feature/mine")
    project.git("commit", "-qam", "It failed")
    if not has_worktree:
        project.git("worktree", "remove", str(path))
    else:
        (path / "notes.txt").write_text("mine\n", encoding="utf-8")
    with untouched(project.root, but=[FILE]):
        opened(project.root).reset(ID)
    assert project.git("rev-parse", "feature/mine").strip() == tip
    if has_worktree:
        assert (path / "notes.txt").read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize("dirt", ["untracked", "modified", "staged", "untracked folder", "conflict"])
def test_a_dirty_worktree_refuses_and_nothing_changes(project: Project, dirt: str) -> None:
    path, tip = worked(project)
    if dirt == "untracked folder":
        (path / "new").mkdir()
    if dirt == "conflict":
        commit(path, "theirs")
        git(path, "checkout", "-q", "-b", "side", "HEAD~1")
        commit(path, "ours")
        git(path, "checkout", "-q", BRANCH)
        git(path, "merge", "-q", "side", check=False)
        tip = git(path, "rev-parse", "HEAD").strip()
    else:
        name = {"untracked": "new.txt", "untracked folder": "new/a.txt"}.get(dirt, "work.txt")
        (path / name).write_text("not committed\n", encoding="utf-8")
    if dirt == "staged":
        git(path, "add", "-A")
    before = tree(path), git(path, "status", "--porcelain")
    words = refused(project)
    assert words.startswith("Failed to reset spec: ")
    assert str(path) in words
    assert (tree(path), git(path, "status", "--porcelain")) == before
    assert project.git("rev-parse", BRANCH).strip() == tip


def test_a_locked_worktree_is_left_in_place(project: Project) -> None:
    path, tip = worked(project)
    project.git("worktree", "lock", str(path))
    try:
        opened(project.root).reset(ID)
    except ChantError:
        assert project.status(ID) == "failed"
    else:
        assert backups(project) == {f"{BACKUP}/1": tip}
    assert (path / "work.txt").exists()
    assert project.git("rev-parse", BRANCH).strip() == tip


def test_a_branch_that_is_checked_out_stays_checked_out(project: Project) -> None:
    project.spec(ID, status="failed")
    project.repository()
    project.git("checkout", "-qb", BRANCH)
    tip = commit(project.root, f"chant({ID}): unmerged work")
    (project.root / "mine.txt").write_text("mine\n", encoding="utf-8")
    project.git("add", "mine.txt")
    with untouched(project.root, but=[FILE]):
        try:
            opened(project.root).reset(ID)
        except ChantError:
            assert project.status(ID) == "failed"
            assert backups(project) == {}
    assert project.git("rev-parse", "HEAD").strip() == tip


def test_a_reset_that_cannot_write_the_spec_removes_nothing(project: Project) -> None:
    """What can fail is tried before anything is taken away (reference chant 8.2 W6)."""
    path, tip = worked(project)
    project.path(ID).chmod(0o444)
    branch, files = project.git("for-each-ref", "refs/heads"), tree(project.root)
    with pytest.raises(ChantError, match=r"^Failed to reset spec: "):
        opened(project.root).reset(ID)
    assert project.git("for-each-ref", "refs/heads") == branch
    assert tree(project.root) == files
    assert git(path, "rev-parse", "HEAD").strip() == tip


async def test_the_users_index_files_and_stash_stay(call: Caller) -> None:
    worked(call.project)
    root = call.project.root
    (root / "kept.txt").write_text("stashed\n", encoding="utf-8")
    git(root, "stash", "push", "-q", "-u")
    (root / "staged.txt").write_text("staged\n", encoding="utf-8")
    git(root, "add", "staged.txt")
    (root / "staged.txt").write_text("and changed\n", encoding="utf-8")
    (root / "untracked.txt").write_text("untracked\n", encoding="utf-8")
    head = git(root, "rev-parse", "HEAD")
    index = git(root, "ls-files", "--stage")
    stash = git(root, "stash", "list")
    files = tree(root)
    await call.text("chant_reset", id=ID)
    assert git(root, "rev-parse", "HEAD") == head
    assert git(root, "symbolic-ref", "HEAD") == "refs/heads/main\n"
    assert git(root, "ls-files", "--stage") == index
    assert git(root, "stash", "list") == stash
    now = tree(root)
    assert {name for name in files if files[name] != now.get(name)} == {FILE}
    assert set(now) == set(files)
    assert git(root, "diff", "--cached", "--name-only").split() == ["staged.txt"]
