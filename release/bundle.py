"""The bundle that desktop hosts install by a click: a manifest, and a project that names our release."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path
from typing import Any

from release.settings import ReleaseSettings

_MANIFEST = "manifest.json"
_PROJECT = "pyproject.toml"
_ENTRY = "server.py"

_STARTS = '''"""Starts the server where a host runs this file."""

from chant_mcp.cli import main

main()
'''

_MOMENT = (2020, 1, 1, 0, 0, 0)
"""When the files in a bundle were changed: always the same, so that the same release is the same bundle."""

_PLACEHOLDER = re.compile(r"\$\{([^}]*)\}")

_REQUIRED = {"manifest_version", "name", "version", "description", "author", "server"}


def manifest_of(settings: ReleaseSettings) -> dict[str, Any]:
    """Give the manifest of a release."""
    return {
        "manifest_version": "0.4",
        "name": settings.package,
        "display_name": "chant",
        "version": settings.version,
        "description": settings.about,
        "author": {"name": settings.registry_name.removeprefix("io.github.").partition("/")[0]},
        "server": {
            "type": "uv",
            "entry_point": _ENTRY,
            "mcp_config": {
                "command": "uv",
                "args": [
                    "run",
                    "--directory",
                    "${__dirname}",
                    settings.package,
                    "mcp",
                    "--project",
                    "${user_config.project}",
                ],
            },
        },
        "user_config": {
            "project": {
                "type": "directory",
                "title": "Project",
                "description": "The folder that holds the specs, plans, features or tickets.",
                "required": True,
            }
        },
        "tools_generated": True,
        "prompts_generated": True,
        "license": "MIT OR Apache-2.0",
        "compatibility": {"platforms": ["darwin", "linux", "win32"], "runtimes": {"python": ">=3.10"}},
    }


def project_of(settings: ReleaseSettings) -> str:
    """Give the project in the bundle: it has our release as its only dependency."""
    return (
        "[project]\n"
        f'name = "{settings.package}-bundle"\n'
        f'version = "{settings.version}"\n'
        'requires-python = ">=3.10"\n'
        f'dependencies = ["{settings.package}=={settings.version}"]\n'
    )


def write_bundle(settings: ReleaseSettings, folder: Path) -> Path:
    """Write the bundle of a release.

    Raises:
        ValueError: When its manifest would be refused.
    """
    manifest = manifest_of(settings)
    if wrong := manifest_problems(manifest):
        raise ValueError("; ".join(wrong))
    texts = {
        _MANIFEST: json.dumps(manifest, indent=2) + "\n",
        _PROJECT: project_of(settings),
        _ENTRY: _STARTS,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{settings.package}-{settings.version}.mcpb"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as bundle:
        for name, text in texts.items():
            bundle.writestr(zipfile.ZipInfo(name, _MOMENT), text)
    return path


def manifest_problems(manifest: dict[str, Any]) -> list[str]:
    """Say what hosts would refuse in a manifest: what is missing, and placeholders that stand for nothing."""
    found = [f"{name} is missing" for name in sorted(_REQUIRED - manifest.keys())]
    if manifest.get("manifest_version") != "0.4":
        found.append("manifest_version is not 0.4")
    if not manifest.get("author", {}).get("name"):
        found.append("author has no name")
    server = manifest.get("server", {})
    found += [
        f"server.{name} is missing" for name in ("type", "entry_point", "mcp_config") if name not in server
    ]
    options = manifest.get("user_config", {})
    for name, option in options.items():
        lacking = {"type", "title", "description"} - option.keys()
        found += [f"user_config.{name}.{one} is missing" for one in sorted(lacking)]
    known = {"__dirname", "HOME", "DESKTOP", "DOCUMENTS", "DOWNLOADS", "pathSeparator", "/"}
    known |= {f"user_config.{name}" for name in options}
    config = server.get("mcp_config", {})
    words = [config.get("command", ""), *config.get("args", []), *config.get("env", {}).values()]
    used = {name for word in words for name in _PLACEHOLDER.findall(word)}
    return found + [f"${{{name}}} stands for nothing" for name in sorted(used - known)]
