"""A ticket project for the tests of its commands."""

from __future__ import annotations

from pathlib import Path

from harness import Project

BODY = """\
# Log in

## 1. Problem

Nobody *knows* who is there.

### Today

All are guests.

## 2. Plan
"""


def ticket_project(root: Path, code: str = "DEM", **keys: str) -> None:
    """Make a folder a ticket project."""
    root.mkdir(parents=True, exist_ok=True)
    lines = [f'{key} = "{value}"' for key, value in {"name": f"Project {code}", "code": code, **keys}.items()]
    (root / ".mdt-config.toml").write_text("[project]\n" + "\n".join(lines) + "\n", encoding="utf-8")


def write_ticket(project: Project | Path, number: int, body: str = "", **keys: object) -> Path:
    """Write a ticket of the project DEM as it is: texts as they are, lists in flow style."""
    root = project.root if isinstance(project, Project) else project
    path = root / "docs" / "CRs" / f"DEM-{number:03}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    all_keys: dict[str, object] = {"code": f"DEM-{number:03}", "status": "Approved", **keys}
    lines = [f"{key}: {value}" for key, value in all_keys.items()]
    path.write_text("\n".join(["---", *lines, "---", "", body]), encoding="utf-8")
    return path


def cells(text: str) -> list[list[str]]:
    """Split a table's lines into cells; two blanks lie between cells at least."""
    lines = [line for line in text.splitlines() if "──" not in line]
    return [[cell.strip() for cell in line.split("  ") if cell.strip()] for line in lines]
