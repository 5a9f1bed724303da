"""Packages of plugins, built as wheels by hand: no network, and no tool that builds."""

from __future__ import annotations

import base64
import hashlib
import importlib
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# Where Python has no reader of TOML, pytest brings one along.
tomllib: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")


def build_wheel(source: Path, folder: Path) -> Path:
    """Build the wheel of a folder with a `pyproject.toml` and modules beside it."""
    project = tomllib.loads((source / "pyproject.toml").read_text("utf-8"))["project"]
    modules = {path.name: path.read_text("utf-8") for path in sorted(source.glob("*.py"))}
    return write_wheel(folder, project, modules)


def write_wheel(folder: Path, project: Mapping[str, Any], modules: Mapping[str, str]) -> Path:
    """Write the wheel of a project, as its `[project]` table says it is."""
    name, version = project["name"].replace("-", "_"), project["version"]
    info = f"{name}-{version}.dist-info"
    groups = project["entry-points"].items()
    entries = "".join(
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in named.items())
        for group, named in groups
    )
    files = {
        **modules,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": entries,
    }
    record = "".join(f"{path},{_hash(text)},{len(text.encode())}\n" for path, text in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return wheel


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256={base64.urlsafe_b64encode(digest).decode().rstrip('=')}"
