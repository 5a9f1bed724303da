"""Attacks by the repository itself: its git folder, hooks and configuration."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from trust.attacks.table import attack
from trust.clones import NEXT, SPEC, Clone
from writing import git


def hostile_commands(clone: Clone) -> str:
    trap = f"['{clone.trap}']"
    return (
        f"defaults:\n  provider: own\n  main_branch: main\nagents:\n  own:\n    command: {trap}\n"
        f"    prompt: stdin\nchecks:\n  tests: {trap}\n"
    )


@attack(dangerous=True)
def a_git_file_to_the_neighbour(clone: Clone) -> None:
    """The clone's `.git` is a file that points at the user's trusted repository."""
    clone.config(hostile_commands(clone))
    shutil.rmtree(clone.root / ".git")
    clone.write(".git", "gitdir: ../neighbour/.git\n")


@attack()
def a_git_link_to_the_neighbour(clone: Clone) -> None:
    """The clone's `.git` is a link to the user's trusted repository."""
    clone.config(hostile_commands(clone))
    clone.link(".git", "../neighbour/.git")


@attack()
def a_worktree_of_the_neighbour(clone: Clone) -> None:
    """The clone poses as a worktree of the user's trusted repository."""
    clone.config(hostile_commands(clone))
    own = clone.root / ".git"
    shutil.rmtree(own)
    own.write_text("gitdir: .hidden\n", encoding="utf-8")
    clone.write(".hidden/HEAD", "ref: refs/heads/main\n")
    clone.write(".hidden/commondir", "../../neighbour/.git\n")
    clone.write(".hidden/gitdir", f"{own}\n")


@attack()
def a_registered_worktree_outside(clone: Clone) -> None:
    """The user's documents are a worktree of the clone, says its git folder, and a folder that is gone."""
    clone.commit()
    for name, place in (("docs", clone.documents), (SPEC, clone.documents), ("gone", clone.place / "gone")):
        folder = f".git/worktrees/{name}"
        clone.write(f"{folder}/HEAD", f"ref: refs/heads/chant/{SPEC}\n")
        clone.write(f"{folder}/commondir", "../..\n")
        clone.write(f"{folder}/gitdir", f"{place / '.git'}\n")


def _filtered_worktree(clone: Clone, *, split: bool) -> None:
    """Unpack a linked worktree of a spec's branch, with a change that a filter is asked about."""
    clone.write(".gitattributes", "* filter=trap\n")
    clone.commit()
    tree = clone.root / "tree"
    git(clone.root, "worktree", "add", "-q", str(tree), f"chant/{SPEC}")
    if split:
        git(tree, "update-index", "--split-index")
    (tree / ".gitattributes").write_text("* filter=trap\n", encoding="utf-8")
    (tree / "unfinished.txt").write_text("more\n", encoding="utf-8")
    for key in ("filter.trap.clean", "filter.trap.smudge", "core.fsmonitor"):
        _git_config(clone, key, str(clone.trap))


@attack(dangerous=True)
def a_worktree_with_a_filter(clone: Clone) -> None:
    """The archive has a worktree of a spec's branch, with changes that a filter has to be asked about."""
    _filtered_worktree(clone, split=False)


@attack(dangerous=True)
def a_worktree_that_git_alone_reads(clone: Clone) -> None:
    """The same with an index that only the program of git understands."""
    _filtered_worktree(clone, split=True)


@attack(dangerous=True)
def a_place_of_worktrees_in_the_tree(clone: Clone) -> None:
    """Where worktrees of runs lie is in the clone, and one is there: a repository that runs programs."""
    clone.config("defaults:\n  worktree_root: trees\n  main_branch: main\n")
    clone.commit()
    hash = hashlib.sha1(b"", usedforsecurity=False)  # as git names a text
    common = str((clone.root / ".git").resolve()).encode()
    hash.update(b"blob %d\0" % len(common) + common)
    for split, id in ((False, SPEC), (True, NEXT)):
        tree = clone.root / "trees" / f"clone-{hash.hexdigest()[:12]}" / id
        shutil.copytree(clone.root / ".git", tree / ".git", ignore=shutil.ignore_patterns("worktrees"))
        git(tree, "reset", "-q", "--hard")
        if split:
            git(tree, "update-index", "--split-index")
        (tree / ".gitattributes").write_text("* filter=trap\n", encoding="utf-8")
        (tree / "plan.vine").write_text("more\n", encoding="utf-8")
        for key in ("filter.trap.clean", "core.fsmonitor"):
            _git_config(clone, key, str(clone.trap), file=str(tree / ".git" / "config"))


@attack()
def a_bare_repository_in_the_tree(clone: Clone) -> None:
    """The tree is a bare repository of its own, with hooks and a configuration that runs programs."""
    shutil.rmtree(clone.root / ".git" / "hooks")
    shutil.copytree(clone.root / ".git", clone.root, dirs_exist_ok=True)
    shutil.rmtree(clone.root / ".git")
    _git_config(clone, "core.fsmonitor", str(clone.trap), file="config")
    for hook in _HOOKS:
        clone.write(f"hooks/{hook}", clone.trap.read_bytes(), 0o755)


@attack()
def a_bare_repository_below(clone: Clone) -> None:
    """A folder of specs is a bare repository whose configuration runs programs."""
    clone.commit()
    for folder in (".chant", ".chant/specs", "specs", "docs/CRs"):
        for part in ("HEAD", "config", "objects", "refs"):
            source = clone.root / ".git" / part
            (shutil.copytree if source.is_dir() else shutil.copy)(source, clone.root / folder / part)
        _git_config(clone, "core.fsmonitor", str(clone.trap), file=f"{folder}/config")


@attack()
def a_submodule_of_the_neighbour(clone: Clone) -> None:
    """A folder of specs is a submodule whose repository is the user's other one, with an update that runs."""
    clone.commit()
    clone.write(".chant/specs/.git", "gitdir: ../../../neighbour/.git\n")
    clone.write("specs/.git", "gitdir: ../../neighbour/.git\n")
    clone.write(
        ".gitmodules",
        f'[submodule "s"]\n\tpath = specs\n\turl = ext::{clone.trap}\n\tupdate = !{clone.trap}\n',
    )


@attack()
def a_work_tree_elsewhere(clone: Clone) -> None:
    """The clone's git says that its work tree is the user's documents."""
    clone.config(hostile_commands(clone))
    clone.commit()
    _git_config(clone, "core.worktree", str(clone.documents))


@attack()
def objects_of_the_neighbour(clone: Clone) -> None:
    """The clone takes its objects and refs from the user's other repository."""
    clone.commit()
    clone.write(".git/objects/info/alternates", f"{clone.neighbour / '.git' / 'objects'}\n")
    clone.link(".git/refs/heads/other", "../../../../neighbour/.git/refs/heads/unfinished")
    clone.write(".git/packed-refs", f"{'0' * 40} refs/heads/../../../Documents/x\n")


_HOOKS = (
    "post-index-change",
    "post-checkout",
    "post-merge",
    "pre-commit",
    "commit-msg",
    "post-commit",
    "pre-merge-commit",
    "reference-transaction",
    "fsmonitor-watchman",
)


@attack(dangerous=True)
def hooks_in_an_archive(clone: Clone) -> None:
    """The archive's git folder has hooks."""
    clone.commit()
    for hook in _HOOKS:
        clone.write(f".git/hooks/{hook}", clone.trap.read_bytes(), 0o755)


@attack()
def hooks_in_the_tree(clone: Clone) -> None:
    """The archive's git finds its hooks in the work tree."""
    for hook in _HOOKS:
        clone.write(f"hooks/{hook}", clone.trap.read_bytes(), 0o755)
    clone.commit()
    _git_config(clone, "core.hooksPath", "hooks")


def _git_config(clone: Clone, key: str, value: str, file: str = ".git/config") -> None:
    git(clone.place, "config", "-f", str(clone.root / file), "--add", key, value)


def _stale(clone: Clone) -> None:
    """Have a comparison of the work tree with the last commit look at the texts."""
    for name in ("plan.vine", f".chant/specs/{NEXT}.md", ".chant/config.md"):
        os.utime(clone.root / name, (1, 1))


@attack(dangerous=True)
def a_monitor_of_git(clone: Clone) -> None:
    """Git's own configuration names a program to ask for changes."""
    clone.commit()
    _git_config(clone, "core.fsmonitor", str(clone.trap))
    _stale(clone)


@attack()
def an_external_diff(clone: Clone) -> None:
    """Git's own configuration names a program that shows differences."""
    clone.write(".gitattributes", "* diff=trap\n")
    clone.commit()
    for key in ("diff.external", "diff.trap.command", "diff.trap.textconv"):
        _git_config(clone, key, str(clone.trap))
    _stale(clone)


@attack()
def a_filter(clone: Clone) -> None:
    """Attributes name a filter that git's own configuration has a program for, a required one."""
    clone.write(".gitattributes", "* filter=trap merge=trap\n")
    clone.commit()
    for key in ("filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "merge.trap.driver"):
        _git_config(clone, key, str(clone.trap))
    _git_config(clone, "filter.trap.required", "true")
    _stale(clone)


@attack()
def a_signature_program(clone: Clone) -> None:
    """Each commit that is shown has a signature to be checked, and each that is made one to be given."""
    clone.commit()
    for key in ("gpg.program", "gpg.ssh.program", "gpg.x509.program"):
        _git_config(clone, key, str(clone.trap))
    for key in ("log.showSignature", "commit.gpgSign", "merge.verifySignatures"):
        _git_config(clone, key, "true")


@attack()
def programs_of_git(clone: Clone) -> None:
    """Editors, pagers, helpers and aliases of git's own configuration are programs of the attacker."""
    clone.commit()
    for key in (
        *("core.editor", "core.pager", "core.sshCommand", "core.askPass", "core.gitProxy"),
        *("core.alternateRefsCommand", "credential.helper", "sequence.editor", "pager.log", "pager.show"),
    ):
        _git_config(clone, key, str(clone.trap))
    for alias in ("log", "show", "status", "worktree", "merge", "rev-parse", "x"):
        _git_config(clone, f"alias.{alias}", f"!{clone.trap}")


@attack()
def a_remote_that_runs(clone: Clone) -> None:
    """Objects are missing, and the remote that promised them is a program."""
    clone.commit()
    for key, value in {
        "remote.origin.url": f"ext::{clone.trap}",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": str(clone.trap),
        "remote.origin.vcs": "ext",
        "extensions.partialClone": "origin",
        "protocol.ext.allow": "always",
        "core.repositoryformatversion": "1",
    }.items():
        _git_config(clone, key, value)
    blob = git(clone.neighbour, "rev-parse", f"unfinished:.chant/specs/{NEXT}.md").strip()
    (clone.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink(missing_ok=True)


@attack()
def an_included_configuration(clone: Clone) -> None:
    """Git's own configuration includes a file of the tree that runs programs."""
    clone.write("more", f"[core]\n\tfsmonitor = {clone.trap}\n\tpager = {clone.trap}\n")
    clone.commit()
    _git_config(clone, "include.path", "../more")
    _git_config(clone, "includeIf.onbranch:main.path", str(clone.root / "more"))


def _traps(clone: Clone, folder: str) -> None:
    for hook in _HOOKS:
        clone.write(f"{folder}/{hook}", clone.trap.read_bytes(), 0o755)


def _users_git(text: str) -> None:
    """Have the user's own configuration of git say something more."""
    with Path(os.environ["GIT_CONFIG_GLOBAL"]).open("a", encoding="utf-8") as file:
        file.write(text)


@attack()
def hooks_of_one_worktree(clone: Clone) -> None:
    """A worktree's own configuration names hooks, over harmless ones of the repository's."""
    _traps(clone, "tools")
    clone.write("decoys/commit-msg", "#!/bin/sh\n", 0o755)
    clone.commit()
    _git_config(clone, "core.hooksPath", "decoys")
    _git_config(clone, "extensions.worktreeConfig", "true")
    _git_config(clone, "core.hooksPath", "tools", file=".git/config.worktree")


@attack()
def hooks_where_the_user_has_theirs(clone: Clone) -> None:
    """The user's git looks for hooks in a folder of each work tree, and this one has it."""
    _traps(clone, ".team")
    clone.commit()
    _users_git("[core]\n\thooksPath = .team\n")


@attack()
def a_hooks_folder_that_leads_into_the_tree(clone: Clone) -> None:
    """The folder of hooks is a link into the work tree."""
    _traps(clone, "tools")
    clone.commit()
    clone.link(".git/hooks", "../tools")


@attack()
def an_include_below_gits_own_folder(clone: Clone) -> None:
    """An include leads from the folder of the git program to a file of the clone."""
    clone.write("more", f"[core]\n\tfsmonitor = {clone.trap}\n\tpager = {clone.trap}\n")
    clone.commit()
    above = "/".join([".."] * 20)
    _git_config(clone, "include.path", f"%(prefix)/{above}{clone.root}/more")


@attack()
def includes_for_a_branch_and_a_remote(clone: Clone) -> None:
    """Files that are included on the branch of a spec, for a remote and in worktrees run programs."""
    clone.write("more", f"[core]\n\tfsmonitor = {clone.trap}\n\thooksPath = {clone.root}/tools\n")
    _traps(clone, "tools")
    clone.commit()
    for condition in ("onbranch:chant/**", "hasconfig:remote.*.url:**", "gitdir:**/worktrees/**"):
        _git_config(clone, f"includeIf.{condition}.path", "../more")
