"""Whose trust it is: the very folder, its repository, and what it says now."""

from __future__ import annotations

import shutil
from pathlib import Path

from harness import Project
from trust.kit import Folder
from writing import git


def test_a_branch_switched_to_and_fro_is_asked_for_once_each(folder: Folder) -> None:
    folder.trust()
    git(folder.root, "switch", "-qc", "other")
    folder.asks("limits: {run_minutes: 5}\n")
    git(folder.root, "commit", "-qam", "Other limits")
    assert not folder.is_trusted()
    folder.trust()
    for branch in ("main", "other", "main"):
        git(folder.root, "switch", "-q", branch)
        assert folder.is_trusted(), branch


def test_copies_and_clones_of_a_trusted_folder_are_not_trusted(folder: Folder, tmp_path: Path) -> None:
    folder.trust()
    copied = tmp_path / "copied"
    shutil.copytree(folder.root, copied)
    cloned = tmp_path / "cloned"
    git(tmp_path, "clone", "-q", str(folder.root), str(cloned))
    for root in (copied, cloned):
        assert not Folder(Project(root)).is_trusted(), root
    assert folder.is_trusted()


def test_a_git_file_that_points_at_a_trusted_repository_lends_nothing(folder: Folder, tmp_path: Path) -> None:
    folder.trust()
    stranger = tmp_path / "stranger"
    shutil.copytree(folder.root, stranger, ignore=shutil.ignore_patterns(".git"))
    (stranger / ".git").write_text(f"gitdir: {folder.root / '.git'}\n", encoding="utf-8")
    assert not Folder(Project(stranger)).is_trusted()


def test_a_trusted_folder_with_another_repository_is_another_folder(folder: Folder, tmp_path: Path) -> None:
    folder.trust()
    shutil.move(folder.root / ".git", tmp_path / "kept")
    assert not folder.is_trusted()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    git(elsewhere, "init", "-q", "-b", "main")
    (folder.root / ".git").write_text(f"gitdir: {elsewhere / '.git'}\n", encoding="utf-8")
    assert not folder.is_trusted()


def test_a_folder_without_git_is_trusted_by_itself(project: Project, tmp_path: Path) -> None:
    folder = Folder(project)
    folder.asks()
    folder.trust()
    assert folder.is_trusted()
    project.repository()
    assert folder.is_trusted()
    shutil.move(folder.root / ".git", tmp_path / "elsewhere")
    (folder.root / ".git").write_text(f"gitdir: {tmp_path / 'elsewhere'}\n", encoding="utf-8")
    assert not folder.is_trusted(), "a repository elsewhere is another place"
