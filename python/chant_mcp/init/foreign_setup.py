"""Commands and files that settings of other tools ask for: a person may take them over; none is followed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from chant_mcp.errors import ChantError
from chant_mcp.init import files

_LARGEST = 1024 * 1024
"""Bytes of a file up to which it is read."""

_LONGEST = 200
"""Characters of a value that are shown."""

_MOST = 40
"""Values of one file that are shown."""


@dataclass(frozen=True, slots=True)
class ForeignSetting:
    """A value of another tool's file."""

    file: str
    line: int
    """The line that it begins on, from 1; 0 where it is not found again."""
    key: str
    value: str

    def text(self) -> str:
        """Write it as one line."""
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {self.key}: {self.value}"


def settings(root: Path) -> list[ForeignSetting]:
    """Find what files of other tools ask for; a file that cannot be read gives one line that says so."""
    found: list[ForeignSetting] = []
    for name, keys in _JSON_FILES.items():
        if (text := _text(root, name)) is not None:
            found += list(_values(name, text, keys))[:_MOST]
    for name in _PATTERN_FILES:
        if (text := _text(root, name)) is not None:
            found += [
                ForeignSetting(name, number, "copied file", _shown(line.strip()))
                for number, line in enumerate(text.splitlines(), 1)
                if line.strip() and not line.lstrip().startswith("#")
            ][:_MOST]
    for name in _WORKFLOWS:
        if (text := _text(root, name)) is not None:
            found += list(_steps(name, text))[:_MOST]
    return found


_DEVCONTAINER = (
    "onCreateCommand",
    "updateContentCommand",
    "postCreateCommand",
    "postStartCommand",
    "forwardPorts",
    "containerEnv",
    "remoteEnv",
)

_JSON_FILES: dict[str, tuple[str, ...]] = {
    ".cursor/environment.json": ("install", "start", "terminals"),
    ".cursor/worktrees.json": ("setup-worktree", "setup-worktree-unix"),
    "conductor.json": ("scripts",),
    ".devcontainer.json": _DEVCONTAINER,
    ".devcontainer/devcontainer.json": _DEVCONTAINER,
}
"""Files of JSON, with the keys that are shown; images, and commands for outside a container, are left out."""

_PATTERN_FILES = (".worktreeinclude",)
"""Files with a pattern of ignored files in each line, which other tools copy into the folder of a run."""

_WORKFLOWS = (".github/workflows/copilot-setup-steps.yml", ".github/workflows/copilot-setup-steps.yaml")


def _text(root: Path, name: str) -> str | None:
    try:
        found = files.read(root, name)
    except ChantError:
        return None
    return None if found is None or len(found) > _LARGEST else found.decode("utf-8-sig", errors="replace")


def _values(file: str, text: str, keys: tuple[str, ...]) -> Iterator[ForeignSetting]:
    try:
        given: Any = json.loads(_plain_json(text))
    except (ValueError, RecursionError):
        yield ForeignSetting(file, 0, "not read", "it is no JSON")
        return
    if not isinstance(given, dict):
        return
    for key in keys:
        if key in given:
            for name, value in _leaves(key, cast("dict[str, object]", given)[key]):
                yield ForeignSetting(file, _line_of(text, name.rpartition(".")[2]), name, _shown(value))


def _leaves(name: str, value: object) -> Iterator[tuple[str, str]]:
    """Give each command or word of a value, with the keys that lead to it."""
    match value:
        case dict():
            for key, inner in cast("dict[str, object]", value).items():
                yield from _leaves(f"{name}.{key}", inner)
        case list():
            words = cast("list[object]", value)
            if all(isinstance(word, str | int) for word in words):
                yield name, " ".join(str(word) for word in words)
            else:
                for inner in words:
                    yield from _leaves(name, inner)
        case str() | bool() | int() | float():
            yield name, str(value)
        case _:
            pass


def _plain_json(text: str) -> str:
    """Take comments and commas before a closing bracket away, as editors write them."""
    string = r'("(?:\\.|[^"\\])*")'
    without_comments = re.sub(rf"{string}|//[^\n]*|/\*.*?\*/", _kept, text, flags=re.DOTALL)
    return re.sub(rf"{string}|,(?=\s*[}}\]])", _kept, without_comments)


def _kept(found: re.Match[str]) -> str:
    return found.group(1) or ""


def _line_of(text: str, key: str) -> int:
    at = text.find(json.dumps(key))
    return 0 if at < 0 else text.count("\n", 0, at) + 1


def _steps(file: str, text: str) -> Iterator[ForeignSetting]:
    """Give the commands and actions of a workflow's steps, each by its first line."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        found = re.match(r"\s*(?:-\s+)?(run|uses):\s*(\S.*)?$", line)
        if found is None:
            continue
        key, value = found.group(1), (found.group(2) or "").strip()
        if value in ("", "|", "|-", "|+", ">", ">-", ">+"):
            value = next((after.strip() for after in lines[number:] if after.strip()), "")
        yield ForeignSetting(file, number, key, _shown(value))


def _shown(value: str) -> str:
    """Write a value on one line, without characters that control a terminal."""
    line = "".join(c if c.isprintable() else " " for c in value)
    line = " ".join(line.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
