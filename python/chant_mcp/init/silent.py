"""Keeping `.chant/` out of git for one checkout's owner alone: `.git/info/exclude`."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

from chant_mcp.errors import GitError, RefusedError
from chant_mcp.init import files

_LINE = b".chant/"

_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES")
"""Variables of git's that say nothing about which repository is meant."""


def change(root: Path, environment: Mapping[str, str]) -> tuple[Path, files.Change]:
    """Plan the line that excludes `.chant/`.

    Returns:
        The repository's common folder and the change inside it; of a linked worktree, that is the
        folder that all worktrees share.

    Raises:
        RefusedError: When git tracks files of `.chant/`, or there is no repository.
        GitError: When git cannot be run.
    """
    common = Path(_git(root, environment, "rev-parse", "--git-common-dir"))
    exclude = Path(_git(root, environment, "rev-parse", "--git-path", "info/exclude"))
    tracked = _git(root, environment, "ls-files", "--", ".chant").splitlines()
    if tracked:
        raise RefusedError(
            f"--silent is refused: git tracks `{tracked[0]}`, so that excluding `.chant/` would do nothing.\n"
            "Take it out of git first (`git rm -r --cached .chant`), or leave --silent out."
        )
    folder = (root / common).resolve()
    name = (root / exclude).resolve().relative_to(folder).as_posix()
    before = files.read(folder, name)
    return folder, files.Change(name, before, _with_line(before or b""))


def _with_line(before: bytes) -> bytes:
    if _LINE in (line.strip() for line in before.splitlines()):
        return before
    gap = b"" if not before or before.endswith(b"\n") else b"\n"
    return before + gap + _LINE + b"\n"


def _git(root: Path, environment: Mapping[str, str], *words: str) -> str:
    kept = {
        name: value for name, value in environment.items() if not name.startswith("GIT_") or name in _KEPT
    }
    try:
        done = subprocess.run(
            ["git", *words], cwd=root, env=kept, capture_output=True, check=False, stdin=subprocess.DEVNULL
        )
    except OSError as error:
        raise GitError(f"git cannot be run: {error.strerror}") from error
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip()
        raise RefusedError(f"--silent needs a git repository: {why}")
    return done.stdout.decode(errors="surrogateescape").rstrip("\r\n")
