"""chant_archive: what is done moves away, whole, and keeps counting as done (seed; reference chant 5.15)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chant_mcp.errors import ChantError
from harness import opened
from writing import ID, OTHER, commit, git, tree, untouched

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Caller, Project

pytestmark = pytest.mark.anyio

FILE = f".chant/specs/{ID}.md"
PLACE = f".chant/archive/2026-01-22/{ID}.md"


def place(id: str) -> str:
    return f".chant/archive/{id[:10]}/{id}.md"


def refused(project: Project, id: str = ID) -> str:
    """Give the words of a refusal that leaves every file and the index as they were."""

    def state() -> object:
        return tree(project.root), git(project.root, "ls-files", "--stage", check=False)

    before = state()
    with pytest.raises(ChantError) as error:
        opened(project.root).archive(id)
    assert state() == before
    return str(error.value)


@pytest.mark.parametrize("status", ["completed", "cancelled"])
@pytest.mark.requirement("chant:archive:moves_a_completed_spec")
async def test_a_spec_that_is_done_moves_as_it_is(call: Caller, status: str) -> None:
    text = f"\ufeff---\r\nstatus: {status} # so\r\nodd: [1,  2]\r\n---\r\n\r\n# Work  \r\nno end"
    data = call.project.write(ID, text).read_bytes()
    result = await call("chant_archive", id="x7m")
    assert not result.is_error
    assert result.structured_content is None
    assert tree(call.project.root) == {PLACE: data}
    assert (await call.data("chant_spec_list"))["total"] == 0
    call.project.write(OTHER, text)
    assert await call.text("chant_archive", id="002") == f"Archived spec: 002 -> {place(OTHER)}"


@pytest.mark.parametrize(
    ("status", "name"),
    [
        ("pending", "Pending"),
        ("in_progress", "InProgress"),
        ("paused", "Paused"),
        ("failed", "Failed"),
        ("needs_attention", "NeedsAttention"),
        ("ready", "Ready"),
        ("blocked", "Blocked"),
    ],
)
async def test_a_spec_that_is_not_done_stays(call: Caller, status: str, name: str) -> None:
    waits = [OTHER] if status == "blocked" else None
    call.project.spec(ID, status=status, depends_on=waits)
    before = tree(call.project.root)
    error = await call.error("chant_archive", id=ID)
    assert error.splitlines()[0] == f"Spec '{ID}' must be completed to archive (current: {name})"
    assert tree(call.project.root) == before


@pytest.mark.requirement("chant:archive:moves_a_completed_spec")
def test_an_archived_spec_is_not_active_any_more(project: Project) -> None:
    project.spec(ID, status="completed")
    opened(project.root).archive(ID)
    chant = opened(project.root)
    for act in (chant.spec_get, chant.archive, chant.reset, chant.cancel, chant.finalize):
        with pytest.raises(ChantError, match="archive"):
            act(ID)


@pytest.mark.requirement("chant:archive:moves_a_completed_spec")
@pytest.mark.parametrize("status", ["completed", "cancelled"])
async def test_dependents_of_an_archived_spec_stay_free(call: Caller, status: str) -> None:
    call.project.spec(ID, status=status)
    call.project.spec(OTHER, depends_on=[ID])
    await call.text("chant_archive", id=ID)
    ready = await call.data("chant_ready")
    assert [spec["id"] for spec in ready["specs"]] == [OTHER]
    assert (await call.data("chant_spec_get", id=OTHER))["status"] == "pending"


def with_branch(project: Project, *, merged: bool, main: str = "main") -> None:
    project.spec(ID, status="completed", branch="feature/x")
    project.git("init", "-q", "-b", main)
    project.git("add", "-A")
    project.git("commit", "-qm", "Begin")
    project.git("checkout", "-qb", "feature/x")
    commit(project.root, f"chant({ID}): work")
    project.git("checkout", "-q", main)
    if merged:
        project.git("merge", "-q", "--no-ff", "-m", "Merge", "feature/x")


@pytest.mark.parametrize("main", ["main", "trunk"])
def test_a_spec_whose_work_is_not_merged_stays(project: Project, main: str) -> None:
    project.config(f"defaults:\n  main_branch: {main}\n")
    with_branch(project, merged=False, main=main)
    words = refused(project)
    assert ID in words
    assert "feature/x" in words
    assert main in words
    project.git("merge", "-q", "feature/x")
    opened(project.root).archive(ID)
    assert PLACE in tree(project.root)


@pytest.mark.parametrize("case", ["merged", "branch gone", "branch is main", "no repository", "squashed"])
def test_a_spec_without_unmerged_work_goes(project: Project, case: str) -> None:
    if case == "no repository":
        project.spec(ID, status="completed", branch="feature/x")
    else:
        with_branch(project, merged=case == "merged")
    if case in ("branch gone", "squashed"):
        project.git("branch", "-D", "feature/x")
    elif case == "branch is main":
        project.spec(ID, status="completed", branch="main")
    opened(project.root).archive(ID)
    assert PLACE in tree(project.root)


def test_a_member_whose_work_is_not_merged_keeps_its_driver(project: Project) -> None:
    with_branch(project, merged=False)
    project.path(ID).rename(project.path(f"{ID}.1"))
    project.spec(ID, type="driver", status="completed")
    assert f"{ID}.1" in refused(project)


def index_of(project: Project) -> dict[str, str]:
    """Give path → mode and blob of everything in the index."""
    rows = project.git("ls-files", "--stage").splitlines()
    return {path: fields for fields, path in (row.split("\t") for row in rows)}


async def test_each_move_of_a_session_is_staged(call: Caller) -> None:
    """What was committed since the first look at the index is in it at the second."""
    call.project.repository()
    for number in range(1, 4):
        id = f"2026-01-22-00{number}-abc"
        call.project.spec(id, status="completed")
        call.project.git("add", "-A")
        call.project.git("commit", "-qm", f"Add {id}")
        await call.text("chant_archive", id=id)
        place = f".chant/archive/2026-01-22/{id}.md"
        staged = call.project.git("diff", "--cached", "--name-status", "-M").split()
        assert staged[-3:] == ["R100", f".chant/specs/{id}.md", place]
        call.project.git("commit", "-qm", f"Archive {id}")


@pytest.mark.parametrize("change", ["none", "unstaged", "staged", "both"])
async def test_the_move_of_a_tracked_file_is_staged_and_nothing_else(call: Caller, change: str) -> None:
    project = call.project
    project.spec(ID, status="completed")
    (project.root / "code.txt").write_text("old\n", encoding="utf-8")
    project.repository()
    head = project.git("rev-parse", "HEAD")
    if change in ("staged", "both"):
        project.spec(ID, status="completed", owner="staged")
        project.git("add", FILE)
    if change in ("unstaged", "both"):
        project.spec(ID, status="completed", owner="not-staged")
    (project.root / "code.txt").write_text("staged\n", encoding="utf-8")
    project.git("add", "code.txt")
    (project.root / "code.txt").write_text("and changed\n", encoding="utf-8")
    (project.root / "mine.txt").write_text("mine\n", encoding="utf-8")
    index, files = index_of(project), tree(project.root)
    assert await call.text("chant_archive", id="001") == f"Archived spec: 001 -> {PLACE}"
    index[PLACE] = index.pop(FILE)
    files[PLACE] = files.pop(FILE)
    assert index_of(project) == index
    assert tree(project.root) == files
    assert project.git("rev-parse", "HEAD") == head
    if change == "none":
        status = project.git("status", "--porcelain", "--", ".chant").splitlines()
        assert status == [f"R  {FILE} -> {PLACE}"]


@pytest.mark.parametrize("why", ["untracked", "ignored", "no repository", "ignored folder"])
def test_an_untracked_file_is_only_renamed(project: Project, why: str) -> None:
    if why != "no repository":
        project.repository()
    if why == "ignored":
        (project.root / ".gitignore").write_text("*.md\n", encoding="utf-8")
    elif why == "ignored folder":
        (project.root / ".git" / "info" / "exclude").write_text(".chant/\n", encoding="utf-8")
    data = project.spec(ID, status="completed").read_bytes()
    index = git(project.root, "ls-files", "--stage", check=False)
    text = opened(project.root).archive(ID).text
    assert text == f"Archived spec: {ID} -> {PLACE}"
    assert tree(project.root)[PLACE] == data
    assert FILE not in tree(project.root)
    assert git(project.root, "ls-files", "--stage", check=False) == index


@pytest.mark.parametrize("kind", ["reftable", "sha256", "split index", "sparse", "below the top"])
def test_the_move_is_staged_in_every_kind_of_repository(project: Project, kind: str) -> None:
    project.spec(ID, status="completed")
    root = project.root
    top = root.parent if kind == "below the top" else root
    option = {"reftable": ["--ref-format=reftable"], "sha256": ["--object-format=sha256"]}.get(kind, [])
    git(top, "init", "-q", "-b", "main", *option)
    git(top, "add", "-A")
    git(top, "commit", "-qm", "Begin")
    if kind == "split index":
        git(top, "update-index", "--split-index")
    elif kind == "sparse":
        (root / "far").mkdir()
        commit(root, "far away", "far/file.txt")
        git(root, "sparse-checkout", "set", "--cone", "--sparse-index", ".chant")
    opened(root).archive(ID)
    staged = git(root, "diff", "--cached", "--name-status", "--relative", "-M").split()
    assert staged == ["R100", FILE, PLACE]
    git(top, "commit", "-qm", "Archive")
    assert git(top, "fsck", "--no-dangling") == ""


def test_a_member_goes_alone(project: Project) -> None:
    project.spec(ID, type="driver", status="in_progress")
    project.spec(f"{ID}.1", status="completed")
    project.spec(f"{ID}.2")
    text = opened(project.root).archive(f"{ID}.1").text
    assert text == f"Archived spec: {ID}.1 -> {place(f'{ID}.1')}"
    assert set(tree(project.root)) == {place(f"{ID}.1"), FILE, f".chant/specs/{ID}.2.md"}
    assert [spec["id"] for spec in opened(project.root).ready().data["specs"]] == [f"{ID}.2"]


@pytest.mark.parametrize("status", ["pending", "in_progress", "failed", "needs_attention", "paused"])
@pytest.mark.parametrize("member", [".2", ".1.1"])
def test_a_driver_waits_for_its_members(project: Project, status: str, member: str) -> None:
    project.spec(ID, type="driver", status="completed")
    project.spec(f"{ID}.1", status="completed")
    project.spec(f"{ID}{member}", status=status)
    assert f"{ID}{member}" in refused(project)


@pytest.mark.parametrize("tracked", [True, False])
async def test_a_driver_takes_its_members_along_in_order(call: Caller, tracked: bool) -> None:
    project = call.project
    project.spec(ID, type="driver", status="completed")
    members = [f"{ID}.{number}" for number in ("1", "2", "2.1", "10")]
    for id in members:
        project.spec(id, status="cancelled" if id.endswith(".2") else "completed")
    project.spec(f"{ID}x", status="completed")
    if tracked:
        project.repository()
    text = await call.text("chant_archive", id=ID)
    first, *rest = text.splitlines()
    assert first == f"Archived spec: {ID} -> {PLACE}"
    told = "\n".join(rest)
    assert [told.index(f"{id}.md") for id in members] == sorted(told.index(f"{id}.md") for id in members)
    moved = {place(id) for id in [ID, *members]}
    files = {name for name in tree(project.root) if not name.startswith(".chant-mcp/")}
    assert files == moved | {f".chant/specs/{ID}x.md"}
    if tracked:
        assert moved <= set(index_of(project))
        assert FILE not in index_of(project)


IDS = [
    "a",
    "ab.1",
    "a-b-c-d-e",
    "ten-bytes!",
    "é" * 9,
    "é" * 12,
    "漢字",
    "a b",
    "-x",
    "2026-01-22",
    "CON",
    "🦀" * 10,
]


@pytest.mark.parametrize("id", IDS)
async def test_any_id_is_archived_below_the_archive_folder(call: Caller, id: str) -> None:
    call.project.spec(id, status="completed")
    call.project.spec(OTHER)
    result = await call("chant_archive", id=id)
    files = set(tree(call.project.root))
    if result.is_error:
        assert f".chant/specs/{id}.md" in files
    else:
        assert files == {place(id), f".chant/specs/{OTHER}.md"}
    assert (await call.data("chant_spec_list"))["total"] == len(files) - (0 if result.is_error else 1)


@pytest.mark.parametrize("name", ["...md", "..md", ".md", ".hidden.md"])
def test_a_name_that_would_lead_elsewhere_goes_nowhere(project: Project, name: str) -> None:
    path = project.specs / name
    path.write_text("---\nstatus: completed\n---\n\n# Odd\n", encoding="utf-8")
    before = tree(project.root.parent)
    chant = opened(project.root)
    for id in (name.removesuffix(".md"), name, "..", "../specs", f"specs/{name}"):
        with pytest.raises(ChantError):
            chant.archive(id)
    assert tree(project.root.parent) == before


def occupied(project: Project, id: str, kind: str) -> Path:
    path = project.root / place(id)
    path.parent.mkdir(parents=True)
    if kind == "file":
        path.write_text("kept\n", encoding="utf-8")
    elif kind == "link":
        path.symlink_to("nowhere")
    else:
        path.mkdir()
        (path / "kept.txt").write_text("kept\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["file", "link", "folder"])
def test_an_archived_file_of_that_name_is_kept(project: Project, kind: str) -> None:
    project.spec(ID, status="completed")
    occupied(project, ID, kind)
    project.repository()
    assert PLACE in refused(project)


@pytest.mark.parametrize("taken", ["", ".1", ".3"])
def test_when_one_place_is_taken_nothing_moves(project: Project, taken: str) -> None:
    project.spec(ID, type="driver", status="completed")
    for number in range(1, 5):
        project.spec(f"{ID}.{number}", status="completed")
    occupied(project, f"{ID}{taken}", "file")
    project.repository()
    assert place(f"{ID}{taken}") in refused(project)


@pytest.mark.parametrize("obstacle", ["archive", "archive/2026-01-22"])
def test_a_file_where_the_folder_should_be_is_kept(project: Project, obstacle: str) -> None:
    project.spec(ID, status="completed")
    path = project.root / ".chant" / obstacle
    path.parent.mkdir(exist_ok=True)
    path.write_text("kept\n", encoding="utf-8")
    refused(project)


@pytest.mark.requirement("chant:archive:moves_a_completed_spec")
def test_a_spec_in_a_sub_folder_goes_to_the_same_archive(project: Project) -> None:
    data = project.spec(f"later/{ID}", status="completed").read_bytes()
    assert opened(project.root).archive(ID).text == f"Archived spec: {ID} -> {PLACE}"
    assert tree(project.root) == {PLACE: data}


def test_an_index_that_is_locked_loses_nothing(project: Project) -> None:
    """Another git command is at work: the move is reported to be not staged, or nothing moves."""
    project.spec(ID, status="completed")
    project.repository()
    index = index_of(project)
    (project.root / ".git" / "index.lock").write_bytes(b"")
    data = project.path(ID).read_bytes()
    try:
        text = opened(project.root).archive(ID).text
    except ChantError:
        assert tree(project.root) == {FILE: data}
    else:
        assert tree(project.root) == {PLACE: data}
        assert "not staged" in text
    assert (project.root / ".git" / "index.lock").exists()
    (project.root / ".git" / "index.lock").unlink()
    assert index_of(project) == index


def test_branches_stash_and_worktree_stay(project: Project) -> None:
    project.spec(OTHER)
    project.repository()
    (project.root / "kept.txt").write_text("stashed\n", encoding="utf-8")
    project.git("stash", "push", "-q", "-u")
    project.git("checkout", "-qb", "mine")
    (project.root / "staged.txt").write_text("staged\n", encoding="utf-8")
    project.git("add", "staged.txt")
    project.spec(ID, status="completed")
    with untouched(project.root, but=[FILE, PLACE]):
        opened(project.root).archive(ID)
