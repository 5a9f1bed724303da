"""Which project is meant, and its handles, each opened when it is first needed."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from chant_mcp._core import ChantProject

_FEATURE_FOLDER = re.compile(r"\d{3}-.+")


@dataclass(frozen=True, slots=True)
class Place:
    """A project's root and the folders that were searched for it."""

    root: Path
    searched: tuple[Path, ...]


def find_place(working_directory: Path, given: Path | None = None) -> Place:
    """Find the project's root (decisions 3, "Which project").

    Args:
        working_directory: Where to begin.
        given: A folder named by the user, taken as it is.

    Returns:
        The folder given; else the nearest one upwards with work files in it; else the top of the git
        checkout; else the working directory.
    """
    if given is not None:
        root = working_directory / given
        return Place(root, (root,))
    searched = (working_directory, *working_directory.parents)
    for folder in searched:
        if _holds_work_files(folder):
            return Place(folder, (folder,))
    tops = (folder for folder in searched if (folder / ".git").exists())
    return Place(next(tops, working_directory), searched)


def _holds_work_files(folder: Path) -> bool:
    if folder.name == ".chant":
        return False  # its `specs` are no features
    markers = (".chant", ".specify", ".mdt-config.toml", "docs/CRs")
    if any((folder / marker).exists() for marker in markers):
        return True
    try:
        return any(
            _FEATURE_FOLDER.fullmatch(entry.name) and entry.is_dir() for entry in (folder / "specs").iterdir()
        )
    except OSError:
        return False


def dialects_in(root: Path) -> tuple[str, ...]:
    """Name the dialects whose files a folder holds, in the order of the toolsets."""
    return ("chant",) if (root / ".chant").is_dir() else ()


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


class Session:
    """One project and its handles; shared by all calls of a server."""

    def __init__(
        self,
        place: Place,
        *,
        environment: Mapping[str, str] | None = None,
        user_config: Path | None = None,
        stop_at: str | None = None,
    ) -> None:
        """Remember where the project is; nothing is opened yet.

        Args:
            place: The project's root and where it was looked for.
            environment: Variables that configuration may refer to; those that are no text are left out.
            user_config: The user's own configuration file.
            stop_at: Name of the moment at which the process is to crash, for tests.
        """
        self.place = place
        variables = (environment or {}).items()
        self._environment = {name: value for name, value in variables if _is_text(name) and _is_text(value)}
        self._user_config = user_config
        self._stop_at = stop_at
        self._opening = threading.Lock()

    @property
    def chant(self) -> ChantProject:
        """The chant specs of the project."""
        with self._opening:
            return self._chant

    @cached_property
    def _chant(self) -> ChantProject:
        return ChantProject(
            self.place.root,
            user_config=self._user_config,
            searched=[str(folder) for folder in self.place.searched],
            environment=self._environment,
            stop_at=self._stop_at,
        )
