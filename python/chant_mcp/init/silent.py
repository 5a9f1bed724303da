"""Keeping files out of git for one checkout's owner alone: `.git/info/exclude`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from chant_mcp.errors import RefusedError
from chant_mcp.init import files
from chant_mcp.init.repository import Repository

_LINE = ".chant/"


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
    return folder, files.FileChange(name, before, _with_lines(before or b"", [_LINE]))


def excluded(root: Path, names: list[str], repository: Repository) -> tuple[Path, files.FileChange] | None:
    """Plan the lines that exclude files of a project; none where git ignores them already.

    Returns:
        As `change` does.

    Raises:
        GitError, RefusedError: When git cannot be run, or refuses.
    """
    seen = [name for name in names if not repository.ignores(name)]
    if not seen:
        return None
    folder, name = repository.shared("info/exclude")
    prefix = repository.ask("rev-parse", "--show-prefix")
    before = files.read(folder, name)
    lines = [f"/{prefix}{one}" for one in seen]
    return folder, files.FileChange(name, before, _with_lines(before or b"", lines))


def _with_lines(before: bytes, lines: list[str]) -> bytes:
    present = {line.strip() for line in before.splitlines()}
    missing = [line.encode() for line in lines if line.encode() not in present]
    if not missing:
        return before
    gap = b"" if not before or before.endswith(b"\n") else b"\n"
    return before + gap + b"".join(line + b"\n" for line in missing)
