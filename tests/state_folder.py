"""Our own state of a test's project: where it lies, and records of runs that are laid there by hand.

Where it lies is asked of the product; what lies in a project's own `.chant/processes` is history to it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chant_mcp._core import ChantProject


def state_folder(root: Path) -> Path:
    """Say where the state of a project lies; it may not be there."""
    folder = ChantProject(root).state_folder
    assert folder is not None
    return folder


_PARTS: dict[tuple[Path, str, bool, bool, str | None], Path] = {}
"""The folders of parts, by what decides where they lie: who waits for a run asks fifty times a second."""


def part(root: Path, name: str, *, shared: bool = False) -> Path:
    """Make the folder of a part of a project's state, and say where it lies."""
    asked = (root, name, shared, (root / ".git").exists(), os.environ.get("XDG_STATE_HOME"))
    folder = _PARTS.get(asked)
    if folder is None or not folder.is_dir():
        folder = _PARTS[asked] = ChantProject(root).state_part(name, shared=shared)
    return folder


def records(root: Path) -> list[dict[str, Any]]:
    """Read the records of a project's runs, by their names."""
    folder = part(root, "processes")
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))]


def record_file(root: Path, process_id: str) -> Path:
    """Say where the record of a run lies."""
    return part(root, "processes") / f"{process_id}.json"


def put_private(path: Path, text: str) -> Path:
    """Write a file that only its owner can read, as the product does."""
    path.unlink(missing_ok=True)
    path.touch(mode=0o600)
    path.write_text(text, encoding="utf-8")
    return path


def put_record(root: Path, record: Mapping[str, Any]) -> Path:
    """Lay the record of a run among the project's own."""
    return put_private(record_file(root, record["process_id"]), json.dumps(record, indent=2))


def put_token(root: Path, spec_id: str, token: int) -> Path:
    """Say which run of a spec is the newest."""
    return put_private(part(root, "tokens", shared=True) / spec_id, f"{token}\n")


def lock_file(root: Path, spec_id: str) -> Path:
    """Say where the lock of a spec lies."""
    return part(root, "locks", shared=True) / f"{spec_id}.lock"


def log_file(root: Path, spec_id: str) -> Path:
    """Say where the log of a spec's runs lies."""
    return part(root, "logs") / f"{spec_id}.log"
