"""The entry of the registry of MCP servers, and the places that have to say the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from release.settings import PLACEHOLDER, ReleaseSettings

FILE = "server.json"

_SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"


def entry_of(settings: ReleaseSettings) -> dict[str, Any]:
    """Give the entry of a release."""
    return {
        "$schema": _SCHEMA,
        "name": settings.registry_name,
        "title": "chant",
        "description": settings.about,
        "version": settings.version,
        "packages": [
            {
                "registryType": "pypi",
                "identifier": settings.package,
                "version": settings.version,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "environmentVariables": [
                    {
                        "name": "CHANT_PROJECT",
                        "description": "The project's folder; else it is found from the working directory.",
                        "format": "filepath",
                        "isRequired": False,
                    }
                ],
            }
        ],
    }


def write_entry(settings: ReleaseSettings, root: Path) -> Path:
    """Write the entry into a checkout."""
    path = root / FILE
    path.write_text(json.dumps(entry_of(settings), indent=2) + "\n", encoding="utf-8")
    return path


def differences(settings: ReleaseSettings, root: Path) -> list[str]:
    """Say which places of a checkout do not say what the settings do."""
    found: list[str] = []
    if json.loads((root / FILE).read_text("utf-8")) != entry_of(settings):
        found.append(f"{FILE} is not that of these settings: run `python -m release`")
    mark = f"<!-- mcp-name: {settings.registry_name} -->"
    if mark not in (root / "README.md").read_text("utf-8"):
        found.append(f"README.md lacks {mark}")
    if len(settings.about) > 100:
        found.append(f"the description has {len(settings.about)} characters; the registry takes 100")
    return found


def blockers(settings: ReleaseSettings, root: Path) -> list[str]:
    """Say why a release cannot be published; afterwards its README cannot be changed any more."""
    found = differences(settings, root)
    if PLACEHOLDER in settings.registry_name:
        found.append(
            f"registry-name in pyproject.toml says {PLACEHOLDER}: name who publishes, there and in README.md"
        )
    return found
