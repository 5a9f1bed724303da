"""Runs and the state they live in: copies for others, copies of a whole repository."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from harness import Project
from state_folder import part, record_file, state_folder
from work.kit import ID, OTHER, Workshop
from writing import git, tree


def waiting(shop: Workshop) -> Path:
    """Have a run wait for its merge; give the file that is in its way."""
    shop.spec(ID)
    shop.commit()
    mine = shop.root / "work" / f"{ID}.txt"
    mine.parent.mkdir()
    mine.write_text("mine\n", encoding="utf-8")
    shop.handle().work_start(ID)
    assert shop.ended(ID)["end_state"] == "awaiting_merge"
    return mine


def test_records_and_logs_are_copied_for_other_programs(shop: Workshop) -> None:
    shop.spec(ID)
    shop.commit()
    shop.handle().work_start(ID)
    record = shop.ended(ID)
    copy = shop.root / ".chant" / "processes" / f"{record['process_id']}.json"
    assert json.loads(copy.read_text("utf-8")) == record
    log = part(shop.root, "logs") / f"{ID}.log"
    assert (shop.root / ".chant" / "logs" / f"{ID}.log").read_bytes() == log.read_bytes()
    listed = shop.handle().work_list(include_completed=True).data
    shutil.rmtree(shop.root / ".chant" / "processes")
    (shop.root / ".chant" / "logs" / f"{ID}.log").write_text("forged\n", encoding="utf-8")
    again = shop.handle().work_list(include_completed=True).data
    assert again == listed
    assert "forged" not in shop.handle().log(ID).data["content"]


def test_copies_are_not_written_through_links(shop: Workshop, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    for name in ("processes", "logs"):
        (shop.root / ".chant" / name).symlink_to(outside)
    inside = shop.root / "inside"
    inside.mkdir()
    shop.spec(ID)
    shop.commit()
    shop.handle().work_start(ID)
    assert shop.ended(ID)["end_state"] == "completed"
    assert list(outside.iterdir()) == []
    assert list(inside.iterdir()) == []


def test_a_copied_repository_has_nothing_of_the_originals_runs(shop: Workshop, tmp_path: Path) -> None:
    mine = waiting(shop)
    copy = Workshop.__new__(Workshop)
    copy.root = tmp_path / "copy"
    subprocess.run(["cp", "-a", str(shop.root), str(copy.root)], check=True)
    (copy.root / mine.relative_to(shop.root)).unlink()
    before = tree(copy.root)
    assert copy.handle().recover() == []
    [run] = copy.handle().work_list(include_completed=True).data["processes"]
    assert (run["status"], run["stale"]) == ("failed", True)
    assert tree(copy.root) == before
    assert git(copy.root, "log", "--format=%s", "main").splitlines() == ["Specs"]
    # The original's run is as it was, and goes on.
    assert shop.record(ID)["end_state"] == "awaiting_merge"
    mine.unlink()
    assert shop.handle().recover() == []
    assert shop.project.status(ID) == "completed"


def test_a_moved_repository_keeps_its_runs(shop: Workshop, tmp_path: Path) -> None:
    mine = waiting(shop)
    worktree = shop.worktrees()
    moved = Workshop.__new__(Workshop)
    moved.root, moved.project = tmp_path / "moved", Project(tmp_path / "moved")
    shop.root.rename(moved.root)
    assert moved.record(ID)["end_state"] == "awaiting_merge"
    (moved.root / mine.relative_to(shop.root)).unlink()
    # Worktrees lie in a folder of the repository's path; a run in another one is reported and left alone.
    told = "\n".join(moved.handle().recover())
    assert "worktree" in told
    assert all(path.exists() for path in worktree)
    assert moved.record(ID)["end_state"] == "awaiting_merge"


def test_a_worktree_without_our_mark_stays(shop: Workshop) -> None:
    shop.spec(ID, "wait")
    shop.commit()
    shop.handle().work_start(ID)
    shop.said(ID, "waiting")
    shop.handle().takeover(ID)
    [worktree] = shop.worktrees()
    mark = worktree.with_name(f"{worktree.name}.run.json")
    assert json.loads(mark.read_text("utf-8"))["spec"] == ID
    mark.unlink()
    told = shop.handle().reset(ID).text
    assert "for which run it was made" in told
    assert worktree.exists()
    assert shop.branches() == [f"chant/{ID}"]


def test_names_of_specs_become_names_of_branches_and_files_in_one_way(shop: Workshop) -> None:
    name = "Fix It..now"
    shop.spec(name)
    shop.commit()
    shop.handle().work_start(name)
    record = shop.ended(name)
    assert record["end_state"] == "completed", record["reason"]
    escaped = "%46ix%20%49t%2e.now"
    assert record["process_id"] == f"{escaped}-{record['pid']}"
    assert record["branch"] == f"chant/{escaped}"
    assert record_file(shop.root, record["process_id"]).exists()
    assert (part(shop.root, "logs") / f"{escaped}.log").exists()
    assert "Thinking" in shop.handle().log(name).data["content"] or shop.handle().log(name).data["content"]
    assert shop.project.status(name) == "completed"


def test_nobody_else_can_read_what_runs_leave_in_our_folders(shop: Workshop) -> None:
    """With a mask that takes no right away, the rights are those that we give."""
    top = Path(os.environ["XDG_STATE_HOME"]) / "chant-mcp"
    before = os.umask(0)
    try:
        shop.spec(ID, "fail")
        shop.spec(OTHER, "wait")
        shop.commit()
        shop.handle().work_start(ID)
        shop.ended(ID)
        shop.handle().work_start(OTHER)
        shop.said(OTHER, "waiting")
        [failed, *_] = shop.worktrees()
        open_to_others = [
            f"{stat.filemode(path.lstat().st_mode)} {path}"
            for root in (top, state_folder(shop.root))
            for path in [root, *root.rglob("*")]
            # In a folder of a run, which is closed itself, its agent gives what rights it wants to.
            if not re.search(r"/worktrees/[^/]+/[^/]+/", str(path)) and path.lstat().st_mode & 0o077
        ]
        assert open_to_others == []
        assert failed.with_name(f"{failed.name}.prompt.md").exists()
        shop.handle().cancel(OTHER)
    finally:
        os.umask(before)


@pytest.mark.parametrize("keeps", ["nothing", "branches"])
def test_a_project_that_was_made_again_at_its_place_starts_the_same_spec(
    shop: Workshop, tmp_path: Path, keeps: str
) -> None:
    shop.spec(ID, "fail")
    shop.commit()
    shop.handle().work_start(ID)
    old = Path(shop.ended(ID)["worktree"])
    (old / "mine.txt").write_text("mine\n", encoding="utf-8")
    kept = tmp_path / "kept"
    if keeps == "branches":  # as after a restore of what others have
        git(tmp_path, "clone", "-q", "--mirror", str(shop.root), str(kept))
    specs = shutil.copytree(shop.root / ".chant" / "specs", tmp_path / "specs")
    shutil.rmtree(shop.root)
    shutil.copytree(specs, shop.root / ".chant" / "specs")
    again = Workshop(Project(shop.root))
    if keeps == "branches":
        git(shop.root, "init", "-q", "-b", "main")
        git(shop.root, "fetch", "-q", str(kept), "refs/heads/chant/*:refs/heads/chant/*")
    again.spec(ID)
    again.commit()
    again.handle().work_start(ID)
    record = again.ended(ID)
    assert record["end_state"] == "completed", record["reason"]
    assert (old / "mine.txt").exists()
    told = again.handle().prune_worktrees().text
    assert f"Kept {old}: it was made for a project that was at this place before." in told
