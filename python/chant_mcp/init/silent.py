"""Keeping `.chant/` out of git for one checkout's owner alone: `.git/info/exclude`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from chant_mcp.errors import RefusedError
from chant_mcp.init import files
from chant_mcp.init.repository import Repository

_LINE = b".chant/"


def change(root: Path, environment: Mapping[str, str]) -> tuple[Path, files.FileChange]:
    """Plan the line that excludes `.chant/`.

    Returns:
        The repository's common folder and the change inside it; of a linked worktree, that is the
        folder that all worktrees share.

    Raises:
        RefusedError: When git tracks files of `.chant/`, or there is no repository.
        GitError: When git cannot be run.
    """
    repository = Repository(root, environment, wanted_by="--silent")
    folder, name = repository.shared("info/exclude")
    tracked = repository.ask("ls-files", "--", ".chant").splitlines()
    if tracked:
        raise RefusedError(
            f"--silent is refused: git tracks `{tracked[0]}`, so excluding `.chant/` has no effect.\n"
            "Remove it from git first (`git rm -r --cached .chant`), or omit --silent."
        )
    before = files.read(folder, name)
    return folder, files.FileChange(name, before, _with_line(before or b""))


def _with_line(before: bytes) -> bytes:
    if _LINE in (line.strip() for line in before.splitlines()):
        return before
    gap = b"" if not before or before.endswith(b"\n") else b"\n"
    return before + gap + _LINE + b"\n"
