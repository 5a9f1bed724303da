"""A project of so many specs, tickets, tasks of a plan and tasks of a feature, opened in this process."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chant_mcp
from chant_mcp.tool_calls import Offer, OfferedTools

_A_ROW = 10
"""Specs and tickets that wait for one another."""
_BELOW = 6
"""Tasks that a task of the plan waits for: it is a tree, so that what stands around a task is little."""
_REFS = 12
"""References to other plans that are there to be expanded."""

_KEPT = 40
"""Items of each kind, the first ones, that stay; those behind them are cancelled, removed and deleted."""


@dataclass(slots=True)
class Scene:
    """A project on disk, and everything that may be asked of it."""

    root: Path
    size: int
    """How many items there are of each kind."""
    workspace: chant_mcp.Workspace
    tools: OfferedTools
    _numbers: dict[str, Iterator[int]] = field(default_factory=dict[str, Iterator[int]])

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool as a client does."""
        entry = self.tools.entries[tool]
        return entry.run(self.tools.session, **self.tools.checked(tool, arguments))

    def fresh(self, kind: str) -> int:
        """The number of an item that no operation was given yet."""
        numbers = self._numbers.setdefault(kind, itertools.count(_KEPT))
        return next(numbers)

    def spec(self, number: int) -> str:
        """The ID of a spec."""
        return spec_id(number)

    def ticket(self, number: int) -> str:
        """The code of a ticket."""
        return ticket_code(number)

    def removable_task(self) -> str:
        """A task of the plan for which only the one above it waits, and which waits for none."""
        return f"t{self.size - 1 - (self.fresh('task') - _KEPT)}"


def spec_id(number: int) -> str:
    """The ID of a spec."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    place, letters = number, ""
    for _ in range(3):
        place, rest = divmod(place, 36)
        letters = digits[rest] + letters
    return f"2026-01-22-001-{letters}"


def ticket_code(number: int) -> str:
    """The code of a ticket."""
    return f"COST-{number + 1:03}"


def make_scene(root: Path, size: int, home: Path) -> Scene:
    """Write a project and open it.

    Args:
        root: A folder that is not there yet.
        size: How many items of each kind.
        home: A home folder for the user of the project.
    """
    _write_specs(root, size)
    logs = root / ".chant" / "logs"
    _write_all(logs, iter([(f"{spec_id(0)}.log", "A line.\n")]))
    _write_tickets(root, size)
    (root / "plan.vine").write_text(plan(size), encoding="utf-8")
    (root / "child.vine").write_text(_CHILD, encoding="utf-8")
    _write_features(root, size)
    home.mkdir(parents=True, exist_ok=True)
    environment = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / "config"), "SPECIFY_FEATURE": "001-login"}
    workspace = chant_mcp.open(root, environment=environment, exactly=True)
    return Scene(root, size, workspace, OfferedTools(workspace.session, Offer(["all"])))


def _write_all(folder: Path, texts: Iterator[tuple[str, str]]) -> None:
    folder.mkdir(parents=True)
    for name, text in texts:
        (folder / name).write_text(text, encoding="utf-8")


def _write_specs(root: Path, size: int) -> None:
    def text(number: int) -> str:
        waits = f"depends_on:\n- {spec_id(number - 1)}\n" if number % _A_ROW else ""
        # Some specs are in progress, so that they can be completed, and some have failed.
        status = ("pending", "in_progress", "failed", "completed")[number % 4]
        approval = "approval:\n  required: true\n  status: pending\n" if number % 4 == 0 else ""
        boxes = "- [ ] It is shown\n- [x] It is written down\n" if number % 4 == 0 else "- [x] It is done\n"
        return (
            f"---\ntype: code\nstatus: {status}\n{waits}{approval}---\n\n# Spec number {number}\n\n"
            f"What it is about.\n\n## Acceptance Criteria\n\n{boxes}"
        )

    _write_all(root / ".chant" / "specs", ((f"{spec_id(n)}.md", text(n)) for n in range(size)))


def _write_tickets(root: Path, size: int) -> None:
    day = "2026-01-22T09:20:02.492Z"

    def text(number: int) -> str:
        waits = f"dependsOn: {ticket_code(number - 1)}\n" if number % _A_ROW else ""
        return (
            f"---\ncode: {ticket_code(number)}\nstatus: Proposed\ndateCreated: {day}\nlastModified: {day}\n"
            f"type: Bug Fix\npriority: Low\n{waits}---\n\n# Ticket number {number}\n\n## 1. Description\n\n"
            "What has to change.\n\n## 2. Solution Analysis\n\nHow.\n"
        )

    config = '[project]\nname = "Cost"\ncode = "COST"\n'
    root.joinpath(".mdt-config.toml").write_text(config, encoding="utf-8")
    _write_all(root / "docs" / "CRs", ((f"{ticket_code(n)}-change.md", text(n)) for n in range(size)))


_CHILD = """\
vine 1.2.0
title: Part
---
[top] The part (notstarted)
-> leaf
---
[leaf] Its task (notstarted)
"""


def plan(size: int) -> str:
    """A plan in which each task waits for a few others, with references below the first of them."""
    blocks = ["vine 1.2.0\ntitle: Plan\n---\n"]
    for number in range(size):
        first = number * _BELOW + 1
        below = [f"t{at}" for at in range(first, min(first + _BELOW, size))]
        below += [f"r{number}"] if number < _REFS else []
        waits = "".join(f"-> {id}\n" for id in below)
        text = "What has to be done is said here.\n"
        blocks.append(f"[t{number}] Task number {number} (notstarted)\n{text}{waits}")
    refs = [f"ref [r{number}] Part {number} (./child.vine)\n" for number in range(_REFS)]
    return blocks[0] + "---\n".join([*blocks[1:], *refs])


def _write_features(root: Path, size: int) -> None:
    (root / ".specify").mkdir()
    for number, name in enumerate(("login", "search"), 1):
        folder = root / "specs" / f"{number:03}-{name}"
        boxes = "".join(f"- [ ] T{at:03} Do part {at}\n" for at in range(1, size + 1))
        documents = {"spec.md": "# It\n", "plan.md": "# How\n", "tasks.md": f"# Tasks\n\n{boxes}"}
        _write_all(folder, iter(documents.items()))


Work = Callable[[Scene, int], object]
"""An operation on a scene; the number is another one at each call."""
