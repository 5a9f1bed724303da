"""Which folder is the project: one rule for every command, tool and script."""

from __future__ import annotations

import os
from collections.abc import Sequence

from chant_mcp import project_root
from chant_mcp.formats import plan_formats_in
from chant_mcp.project_root import find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    AnyPath = str | os.PathLike[str]


class Place:
    """A project's root and the folders searched for it, as texts: `pathlib` takes long to import."""

    def __init__(
        self,
        root: AnyPath,
        searched: Sequence[AnyPath],
        *,
        is_guess: bool = False,
        is_given: bool = False,
        start: AnyPath | None = None,
    ) -> None:
        self.folder = os.fspath(root)
        self.searched = tuple(os.fspath(folder) for folder in searched)
        self.is_guess = is_guess
        """Whether nothing says that this is a project; it is where the server was started."""
        self.is_given = is_given
        """Whether the user named it."""
        self.start = None if start is None else os.fspath(start)
        """Where it was looked for from, when that is another folder: relative names start there."""

    @property
    def root(self) -> Path:
        """The project's root."""
        from pathlib import Path

        return Path(self.folder)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(self.folder)


def find_place(working_directory: AnyPath, given: AnyPath | None = None) -> Place:
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
        root = os.path.join(working_directory, given)
        return Place(root, (root,), is_given=True)
    root, searched, is_guess = find_root(os.fspath(working_directory), holds_plans)
    return Place(root, searched, is_guess=is_guess, start=working_directory)


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
        if holds_work_files(place.folder) or holds_plans(place.folder):
            return place
    return Place(start.folder, (*roots, *start.searched), is_guess=True)


def holds_work_files(folder: AnyPath) -> bool:
    """Return whether a folder is the root of a project."""
    return project_root.holds_work_files(os.fspath(folder))


def holds_plans(folder: AnyPath) -> bool:
    """Return whether a folder is the root of plans in a format without tools of its own."""
    return bool(plan_formats_in(folder))


def may_have_features(root: AnyPath) -> bool:
    """Say whether a folder is set up for spec-kit, or holds features."""
    return os.path.isdir(os.path.join(root, ".specify")) or project_root.has_features(os.fspath(root))
