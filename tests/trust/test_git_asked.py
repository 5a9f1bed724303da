"""What git itself would use of a folder counts, wherever its configuration finds it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from trust.kit import Folder
from writing import git

HOOK = "pre-merge-commit"


@dataclass(frozen=True)
class GitFolder:
    """A folder, what lies beside it, and a program that nobody has agreed to."""

    folder: Folder

    @property
    def root(self) -> Path:
        """The folder."""
        return self.folder.root

    @property
    def outside(self) -> Path:
        """A folder of the user beside it."""
        return self.root.parent / "outside"

    def config(self, *words: str) -> None:
        """Have the folder's own git say something."""
        git(self.root, "config", *words)

    def user_config(self, text: str) -> None:
        """Have the user's own configuration of git say something more."""
        with Path(os.environ["GIT_CONFIG_GLOBAL"]).open("a", encoding="utf-8") as file:
            file.write(text)

    def write(self, path: Path, text: str, mode: int = 0o644) -> Path:
        """Write a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def hook(self, folder: Path, text: str = "exit 0") -> Path:
        """Write a hook."""
        return self.write(folder / HOOK, f"#!/bin/sh\n{text}\n", 0o755)

    def runs_the_mark(self, at: Path | None = None) -> bool:
        """Have git run its hook, as a merge would, and say whether that was the one that leaves a mark."""
        words = ["git", "-C", str(at or self.root), "hook", "run", "--ignore-missing", HOOK]
        subprocess.run(words, check=False, capture_output=True)
        return self.folder.mark.exists()


Swap = Callable[[], object]


def _swaps(of: GitFolder, hooks: Path) -> Swap:
    of.hook(hooks)
    return lambda: of.hook(hooks, f"touch '{of.folder.mark}'")


def _names_hooks(of: GitFolder, file: Path) -> Swap:
    """Have an included file name other hooks later."""
    of.write(file, "[user]\n\tname = Ada\n")
    hooks = of.hook(of.outside / "hooks", f"touch '{of.folder.mark}'").parent
    return lambda: of.write(file, f"[core]\n\thooksPath = {hooks}\n")


def hooks_of_one_worktree(of: GitFolder) -> Swap:
    of.config("core.hooksPath", str(of.hook(of.outside / "decoys").parent))
    of.config("extensions.worktreeConfig", "true")
    of.config("--worktree", "core.hooksPath", "tools/hooks")
    return _swaps(of, of.root / "tools" / "hooks")


def hooks_of_the_user_in_every_work_tree(of: GitFolder) -> Swap:
    of.user_config("[core]\n\thooksPath = .team/hooks\n")
    return _swaps(of, of.root / ".team" / "hooks")


def hooks_of_the_user_that_lead_into_the_folder(of: GitFolder) -> Swap:
    of.outside.mkdir()
    (of.outside / "hooks").symlink_to(of.root / "tools")
    of.user_config(f"[core]\n\thooksPath = {of.outside / 'hooks'}\n")
    return _swaps(of, of.root / "tools")


def hooks_below_the_home_folder(of: GitFolder) -> Swap:
    of.config("core.hooksPath", "~/hooks")
    return _swaps(of, Path(os.environ["HOME"]) / "hooks")


def a_hooks_folder_that_is_a_link(of: GitFolder) -> Swap:
    hooks = of.root / ".git" / "hooks"
    if hooks.is_dir():
        hooks.rename(hooks.with_name("hooks-before"))
    hooks.symlink_to(of.root / "tools")
    return _swaps(of, of.root / "tools")


def an_include_below_gits_own_folder(of: GitFolder) -> Swap:
    above = "/".join([".."] * 20)
    of.config("include.path", f"%(prefix)/{above}{of.outside}/more")
    return _names_hooks(of, of.outside / "more")


def an_include_below_the_home_folder(of: GitFolder) -> Swap:
    of.config("include.path", "~/more")
    return _names_hooks(of, Path(os.environ["HOME"]) / "more")


def an_include_of_the_work_tree(of: GitFolder) -> Swap:
    of.config("include.path", "../tools/more")
    return _names_hooks(of, of.root / "tools" / "more")


def an_include_of_the_user_in_the_work_tree(of: GitFolder) -> Swap:
    of.user_config(f'[includeIf "gitdir:{of.root}/"]\n\tpath = {of.root}/tools/more\n')
    return _names_hooks(of, of.root / "tools" / "more")


def an_include_of_an_include(of: GitFolder) -> Swap:
    of.write(of.root / "tools" / "first", "[include]\n\tpath = ~/more\n")
    of.config("includeIf.onbranch:ma*.path", "../tools/first")
    return _names_hooks(of, Path(os.environ["HOME"]) / "more")


USED = [
    hooks_of_one_worktree,
    hooks_of_the_user_in_every_work_tree,
    hooks_of_the_user_that_lead_into_the_folder,
    hooks_below_the_home_folder,
    a_hooks_folder_that_is_a_link,
    an_include_below_gits_own_folder,
    an_include_below_the_home_folder,
    an_include_of_the_work_tree,
    an_include_of_the_user_in_the_work_tree,
    an_include_of_an_include,
]


@pytest.fixture
def of(folder: Folder) -> GitFolder:
    """A folder that is committed, on its main branch."""
    return GitFolder(folder)


@pytest.mark.parametrize("prepare", USED, ids=lambda one: one.__name__)
def test_what_git_would_run_counts_wherever_it_lies(
    prepare: Callable[[GitFolder], Swap], of: GitFolder
) -> None:
    swap = prepare(of)
    of.folder.trust()
    project = of.folder.handle()
    assert project.is_trusted()
    assert not of.runs_the_mark()
    swap()
    assert of.runs_the_mark()
    report = project.trust_report()
    assert not report["trusted"]
    assert report["difference"]
    assert not project.is_trusted()


OTHER_CONDITIONS = {
    "another branch": ("includeIf.onbranch:side.path", "~/more"),
    "a remote": ("includeIf.hasconfig:remote.*.url:https://x/**.path", "~/more"),
    "another git folder": ("includeIf.gitdir:**/worktrees/*.path", "~/more"),
}


@pytest.mark.parametrize("condition", OTHER_CONDITIONS)
def test_what_is_included_elsewhere_counts_here(condition: str, of: GitFolder) -> None:
    of.config(*OTHER_CONDITIONS[condition])
    more = of.write(Path(os.environ["HOME"]) / "more", "[core]\n\tpager = less\n")
    of.folder.trust()
    of.write(more, "[core]\n\tfsmonitor = evil\n")
    assert "fsmonitor" in "\n".join(of.folder.handle().trust_report()["difference"])


def test_settings_of_the_other_checkouts_count(of: GitFolder) -> None:
    of.config("extensions.worktreeConfig", "true")
    other = of.root.parent / "other"
    git(of.root, "worktree", "add", "-q", "-b", "side", str(other))
    of.folder.trust()
    git(other, "config", "--worktree", "filter.x.smudge", "evil")
    assert "filter.x.smudge" in "\n".join(of.folder.handle().trust_report()["difference"])


def test_what_is_the_users_alone_does_not_count(of: GitFolder) -> None:
    hooks = of.hook(of.outside / "hooks").parent
    of.user_config(f"[include]\n\tpath = {of.outside}/mine\n")
    of.folder.trust()
    of.write(of.outside / "mine", f"[core]\n\thooksPath = {hooks}\n\tfsmonitor = mine\n")
    assert of.folder.is_trusted()
    of.hook(hooks, f"touch '{of.folder.mark}'")
    assert of.runs_the_mark()
    assert of.folder.is_trusted()
