"""The project's own part: folders, settings, prompts, and what git shall not see."""

from __future__ import annotations

import json
import re
from datetime import date
from importlib.resources import files as resources
from pathlib import Path

from chant_mcp._core import agent_names
from chant_mcp.errors import InvalidDocumentError
from chant_mcp.init import config_text, files, json_text

FOLDERS = tuple(f".chant/{name}" for name in ("specs", "prompts", "logs", "processes", ".locks", ".store"))

PROMPTS = ("standard", "split", "verify", "merge-conflict", "ollama")
"""The bundled prompts."""

_IGNORED = (
    ".locks/",
    ".store/",
    "store/",
    "logs/",
    "processes/",
    "agents.md",
    "pids/",
    "tmp/",
    "watch.pid",
    ".chant-status*.json",
    "*.db",
    "*.db-*",
    ".chant-*.tmp",
)

_IGNORE_HEAD = """\
# Local state of chant: of use on this machine only.
# `chant init` adds lines that are missing and keeps yours.
"""

PROVIDERS = dict(agent_names())
"""Spellings of the providers, and the name that is stored."""


def is_initialized(root: Path) -> bool:
    """Whether a folder holds all that a project needs."""
    return (root / ".chant" / "specs").is_dir() and (root / config_text.FILE).is_file()


def name(root: Path) -> str:
    """Find a project's name in `package.json`, `Cargo.toml` or `go.mod`; else it is the folder's."""
    places = (_name_in_package_json, _name_in_cargo_toml, _name_in_go_mod, _name_of_folder)
    named = (" ".join((place(root) or "").split()) for place in places)
    return next((name for name in named if name), "project")


def _name_in_package_json(root: Path) -> str | None:
    try:
        package = json_text.as_object(json.loads(_text(root, "package.json") or "null"))
    except (json.JSONDecodeError, RecursionError):
        return None
    name = package.get("name") if package else None
    return name if isinstance(name, str) else None


def _name_in_cargo_toml(root: Path) -> str | None:
    found = re.search(r"""^\s*name\s*=\s*["']([^"'\n]+)["']""", _text(root, "Cargo.toml"), re.MULTILINE)
    return found[1] if found else None


def _name_in_go_mod(root: Path) -> str | None:
    found = re.search(r"""^\s*module\s+"?([^\s"]+)""", _text(root, "go.mod"), re.MULTILINE)
    return found[1].rstrip("/").rsplit("/", 1)[-1] if found else None


def _name_of_folder(root: Path) -> str:
    return root.resolve().name


def _text(root: Path, name: str) -> str:
    try:
        return (root / name).read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""


def new_config(root: Path, name: str, provider: str | None, model: str | None, day: date) -> files.FileChange:
    """Plan the configuration of a new project."""
    text = config_text.new(name, provider, model, day)
    return files.FileChange(config_text.FILE, files.read(root, config_text.FILE), text.encode())


def edited_config(root: Path, values: dict[tuple[str, str], str]) -> files.FileChange:
    """Plan a configuration with some values set, each under its block and key.

    Raises:
        InvalidDocumentError: When it cannot be edited without risk.
    """
    before = files.read(root, config_text.FILE) or b""
    text = _decoded(before)
    for (block, key), value in values.items():
        text = config_text.with_value(text, block, key, value)
    return files.FileChange(config_text.FILE, before, text.encode())


def configured_provider(root: Path) -> str | None:
    """Read which provider is configured.

    Raises:
        InvalidDocumentError: When the configuration cannot be read.
    """
    return config_text.value(_decoded(files.read(root, config_text.FILE) or b""), "defaults", "provider")


def _decoded(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InvalidDocumentError(f"`{config_text.FILE}` is not UTF-8. Nothing was changed.") from error


def prompts(root: Path) -> list[files.FileChange]:
    """Plan the bundled prompts that are missing."""
    planned: list[files.FileChange] = []
    for name in PROMPTS:
        file = f".chant/prompts/{name}.md"
        if files.read(root, file) is None:
            text = (resources("chant_mcp") / "resources" / "prompts" / f"{name}.md").read_bytes()
            planned.append(files.FileChange(file, None, text))
    return planned


def ignore_file(root: Path) -> files.FileChange:
    """Plan `.chant/.gitignore`, the lines that are missing added to those it has."""
    name = ".chant/.gitignore"
    before = files.read(root, name)
    present = {line.strip() for line in (before or b"").decode(errors="replace").splitlines()}
    missing = "".join(f"{line}\n" for line in _IGNORED if line not in present)
    if before is None:
        return files.FileChange(name, None, (_IGNORE_HEAD + missing).encode())
    gap = b"" if not before or before.endswith(b"\n") else b"\n"
    return files.FileChange(name, before, before + gap + missing.encode() if missing else before)
