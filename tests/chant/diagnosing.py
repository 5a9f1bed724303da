"""What the tests of `chant_diagnose` share: a check by its name, commits, and locks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from state_folder import lock_file
from writing import ID

if TYPE_CHECKING:
    from pathlib import Path

    from harness import Project


def check(data: Any, name: str) -> dict[str, Any]:
    return next(check for check in data["checks"] if check["name"] == name)


def commit(project: Project, message: str, *words: str) -> str:
    """Make a commit and give its short hash."""
    project.git(*words, "commit", "-qm", message, "--allow-empty")
    return project.git(*words, "rev-parse", "--short", "HEAD").strip()


def healthy(data: Any) -> bool:
    assert all(set(check) == {"name", "passed", "details"} for check in data["checks"])
    is_said = data["diagnosis"] == "All checks passed. Spec appears healthy."
    assert is_said == all(check["passed"] for check in data["checks"])
    assert is_said == (data["suggestion"] is None)
    return is_said


def lock(project: Project, pid: int) -> Path:
    path = lock_file(project.root, ID)
    path.write_text(f"{pid}", encoding="utf-8")
    return path
