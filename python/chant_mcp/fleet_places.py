"""What the places of a fleet mean: folders, patterns of folders, and lists of addresses."""

from __future__ import annotations

import glob
from collections.abc import Iterable, Mapping
from os.path import sep
from pathlib import Path
from typing import NamedTuple

from chant_mcp.tables import ProblemRow

__all__ = ["FoundPlaces", "find_places"]

_LARGEST_LIST = 1_000_000
"""Bytes of a list of addresses."""


class FoundPlaces(NamedTuple):
    """Folders and addresses, each once, and what is wrong with places."""

    folders: list[str]
    addresses: list[str]
    problems: list[ProblemRow]


def find_places(places: Iterable[str], environment: Mapping[str, str]) -> FoundPlaces:
    """Find what places mean, in their order."""
    folders: dict[str, None] = {}
    addresses: dict[str, None] = {}
    problems: list[ProblemRow] = []
    for place in places:
        path = Path(_with_home(place, environment)).resolve()
        if path.is_dir():
            folders[str(path)] = None
        elif path.exists():
            try:
                _take_list(path, environment, folders, addresses)
            except (OSError, ValueError) as error:
                problems.append(_problem(str(path), f"it is no list of addresses: {error}"))
        elif found := _find_folders(path):
            folders.update(dict.fromkeys(found))
        else:
            problems.append(_problem(place, "nothing is there"))
    return FoundPlaces(list(folders), list(addresses), problems)


def _find_folders(pattern: Path) -> list[str]:
    """The folders that a pattern means to a shell, which leaves hidden ones out."""
    found = glob.glob(f"{pattern}{sep}", recursive=True)  # noqa: PTH207
    return sorted(folder.rstrip(sep) for folder in found)


def _take_list(
    path: Path,
    environment: Mapping[str, str],
    folders: dict[str, None],
    addresses: dict[str, None],
) -> None:
    """Take what a list names: folders, seen from that of the list, and addresses."""
    for line in _read_list(path):
        folder = (path.parent / _with_home(line, environment)).resolve()
        if folder.is_dir():
            folders[str(folder)] = None
        else:
            addresses[line] = None


def _with_home(place: str, environment: Mapping[str, str]) -> str:
    home = environment.get("HOME") or environment.get("USERPROFILE")
    if home and (place == "~" or place.startswith(("~/", "~\\"))):
        return home + place[1:]
    return place


def _read_list(path: Path) -> list[str]:
    if not path.is_file():
        raise ValueError("it is no file")
    if path.stat().st_size > _LARGEST_LIST:
        raise ValueError(f"it has more than {_LARGEST_LIST} bytes")
    lines = (line.strip() for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def _problem(place: str, reason: str) -> ProblemRow:
    return ProblemRow(None, place, None, None, reason)
