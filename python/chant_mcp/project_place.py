"""Which folder is the project: one rule for every command, tool and script."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from chant_mcp import project_root
from chant_mcp.formats import plan_formats_in
from chant_mcp.project_root import find_root


class Place(NamedTuple):
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
    root, searched, is_guess = find_root(str(working_directory), lambda folder: holds_plans(Path(folder)))
    start = working_directory
    return Place(Path(root), tuple(map(Path, searched)), is_guess=is_guess, start=start)


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
    return project_root.holds_work_files(str(folder))


def holds_plans(folder: Path) -> bool:
    """Return whether a folder is the root of plans in a format without tools of its own."""
    return bool(plan_formats_in(folder))


def may_have_features(root: Path) -> bool:
    """Say whether a folder is set up for spec-kit, or holds features."""
    return (root / ".specify").is_dir() or project_root.has_features(str(root))
