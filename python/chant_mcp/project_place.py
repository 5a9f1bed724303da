"""Which folder is the project: one rule for every command, tool and script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chant_mcp.formats import plan_formats_in

_FEATURE_FOLDER = re.compile(r"\d{3,}[-_].+")


@dataclass(frozen=True, slots=True)
class Place:
    """A project's root and the folders that were searched for it."""

    root: Path
    searched: tuple[Path, ...]
    is_guess: bool = False
    """Whether nothing says that this is a project; it is where the server was started."""
    is_given: bool = False
    """Whether the user named it."""
    start: Path | None = None
    """Where it was looked for from, when that is another folder: relative names start there."""


def find_place(working_directory: Path, given: Path | None = None) -> Place:
    """Find the project's root (decisions 3, "Which project").

    Args:
        working_directory: Where to begin.
        given: A folder named by the user, taken as it is.

    Returns:
        The folder given; else the nearest one upwards with work files in it; else the nearest one with plans
        in another format; else the top of the git checkout; else the working directory. What lies above the
        checkout is another project: a worktree, a submodule or a nested repository has its own files.
    """
    if given is not None:
        root = working_directory / given
        return Place(root, (root,), is_given=True)
    upwards = (working_directory, *working_directory.parents)
    at = next((at for at, folder in enumerate(upwards) if (folder / ".git").exists()), None)
    searched = upwards if at is None else upwards[: at + 1]
    for holds in (holds_work_files, holds_plans):
        for folder in searched:
            if holds(folder):
                return Place(folder, (folder,), start=working_directory)
    root = working_directory if at is None else upwards[at]
    return Place(root, searched, is_guess=at is None, start=working_directory)


def find_in_roots(roots: Sequence[Path], start: Place) -> Place:
    """Find the project's root in folders that a client works in (decisions 3, "Which project").

    Args:
        roots: The folders, the first one preferred.
        start: What is meant otherwise.

    Returns:
        The first project that one of the folders belongs to; else `start`, with the folders among those
        searched.
    """
    for place in map(find_place, roots):
        if holds_work_files(place.root) or holds_plans(place.root):
            return place
    return Place(start.root, (*roots, *start.searched), is_guess=True)


def holds_work_files(folder: Path) -> bool:
    """Return whether a folder is the root of a project."""
    if folder.name == ".chant":
        return False  # its `specs` are no features
    markers = (".chant", ".specify", ".mdt-config.toml", "docs/CRs")
    if any((folder / marker).exists() for marker in markers):
        return True
    return _has_features(folder)


def holds_plans(folder: Path) -> bool:
    """Return whether a folder is the root of plans in a format without tools of its own."""
    return bool(plan_formats_in(folder))


def may_have_features(root: Path) -> bool:
    """Say whether a folder is set up for spec-kit, or holds features."""
    return (root / ".specify").is_dir() or _has_features(root)


def _has_features(folder: Path) -> bool:
    try:
        return any(
            _FEATURE_FOLDER.fullmatch(entry.name) and entry.is_dir() for entry in (folder / "specs").iterdir()
        )
    except OSError:
        return False
