"""What a release is called, from one place each: pyproject.toml and the workspace's Cargo.toml."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PLACEHOLDER = "OWNER"
"""Stands in the registry's name until a release says who publishes it."""

_NAME = re.compile(r"io\.github\.[A-Za-z0-9-]+/[a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class ReleaseSettings:
    """What a release is called."""

    package: str
    version: str
    about: str
    registry_name: str
    """The name in the registry of MCP servers; it names who publishes it."""


def read_settings(root: Path = ROOT) -> ReleaseSettings:
    """Read the settings of a checkout.

    Raises:
        ValueError: When one is missing, or the registry's name is none.
    """
    name = _value(root / "pyproject.toml", "tool.release", "registry-name")
    if not _NAME.fullmatch(name):
        raise ValueError(f"registry-name is {name!r}; expected io.github.<owner>/<name>")
    return ReleaseSettings(
        package=_value(root / "pyproject.toml", "project", "name"),
        version=_value(root / "Cargo.toml", "workspace.package", "version"),
        about=_value(root / "pyproject.toml", "tool.release", "about"),
        registry_name=name,
    )


def _value(path: Path, table: str, key: str) -> str:
    """Read a text of a table (the library for TOML is newer than the oldest Python that we support)."""
    is_in_table = False
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("["):
            is_in_table = line == f"[{table}]"
        elif is_in_table and (found := re.fullmatch(rf'{re.escape(key)} = "([^"\\]*)"', line)):
            return found[1]
    raise ValueError(f"{path.name} has no text {key} in [{table}]")
