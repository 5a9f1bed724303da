"""A project of all four dialects that changes at random, and its parts for the board by meaning."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from chant_mcp._core import ChantProject, SpeckitFeatures, TicketProjects, VineFiles, Workspace
from cli.ticket_files import ticket_project, write_ticket
from harness import Project
from state_folder import put_record

TASKS = """\
# Tasks

## Phase 1: Setup

- [x] T001 Make the folder
- [ ] T002 Fill it
- [ ] T003 Look at it (depends on T002)
"""


def opened(root: Path, vine: VineFiles | None = None) -> Workspace:
    """Everything in a folder, nothing of it known yet."""
    return Workspace(
        root,
        chant=ChantProject(root),
        vine=vine or VineFiles(root),
        speckit=SpeckitFeatures(root),
        tickets=TicketProjects(root),
    )


def spec_id(number: int) -> str:
    """The ID of a spec of the test."""
    return f"2026-03-01-{number:03}-aaa"


def record(root: Path, spec: str, state: str, **keys: object) -> None:
    """Lay the record of a run that ended among the project's own."""
    base: dict[str, Any] = {
        "schema": 1,
        "process_id": f"{spec}-1",
        "pid": 1,
        "spec_id": spec,
        "status": "failed",
        "end_state": state,
        "reason": "A reason.",
        "generation": 1,
        "token": 1,
        "mode": "single",
        "started_at": "2026-03-01T08:00:00Z",
        "updated_at": "2026-03-01T09:30:00Z",
        "completed_at": "2026-03-01T09:30:00Z",
    }
    put_record(root, {**base, **keys})


def feature(root: Path, tasks: str = TASKS) -> None:
    """Write a feature."""
    folder = root / "specs" / "060-login"
    folder.mkdir(parents=True, exist_ok=True)
    (root / ".specify").mkdir(exist_ok=True)
    (folder / "tasks.md").write_text(tasks, encoding="utf-8")


def plan(root: Path, *tasks: str, file: str = "plan.vine") -> None:
    """Write a task graph of which the first task is the whole."""
    (root / file).write_text("vine 1.2.0\n---\n" + "---\n".join(tasks), encoding="utf-8")


class MixedProject:
    """A project of all dialects, and what may happen to it."""

    def __init__(self, project: Project) -> None:
        """Fill a project."""
        self.project = project
        self.root = project.root
        self.vine = VineFiles(project.root)
        self.order = [f"t{number}" for number in range(20)]
        self.states = dict.fromkeys(self.order, "notstarted")
        for number in range(120):
            before = [spec_id(number - 1)] if number % 3 else None
            project.spec(spec_id(number), body=None, depends_on=before)
        parts = [f"[p{number}] Part {number} (notstarted)\n" for number in range(12)]
        whole = "[whole] Whole (notstarted)\n" + "".join(f"-> p{number}\n" for number in range(12))
        plan(self.root, whole, *parts, file="parts.vine")
        ticket_project(self.root)
        chance = random.Random(5)
        for change in (self.tasks, self.ticket, self.feature):
            change(chance)

    def change(self, chance: random.Random) -> None:
        """Let one thing happen."""
        often = (self.spec, self.spec, self.spec, self.moved, self.moved)
        chance.choice((*often, self.no_spec, self.tasks, self.ticket, self.feature, self.run))(chance)

    def spec(self, chance: random.Random) -> None:
        """Write a spec."""
        before = [spec_id(chance.randrange(60)) for _ in range(chance.randrange(3))]
        keys: dict[str, Any] = {"labels": [f"l{chance.randrange(4)}"], "depends_on": before or None}
        if chance.random() < 0.2:
            keys["approval"] = "{required: true}"
        status = chance.choice(("pending", "pending", "completed", "in_progress", "failed", "cancelled"))
        self.project.spec(spec_id(chance.randrange(60)), status=status, **keys)

    def no_spec(self, chance: random.Random) -> None:
        """Remove a spec, if it is there."""
        self.project.path(spec_id(chance.randrange(60))).unlink(missing_ok=True)

    def tasks(self, chance: random.Random) -> None:
        """Write a task graph: its tasks in a row, each waiting for the next."""
        self.states[chance.choice(self.order)] = chance.choice(
            ("complete", "started", "reviewing", "notstarted")
        )
        if chance.random() < 0.5:
            chance.shuffle(self.order)
        behind = [*(f"-> {name}\n" for name in self.order[1:]), ""]
        rows = zip(self.order, behind, strict=True)
        plan(
            self.root, *(f"[{name}] {name.upper()} ({self.states[name]})\n{before}" for name, before in rows)
        )

    def moved(self, chance: random.Random) -> None:
        """Move a task of a graph, which is nothing but moved."""
        one, other = chance.sample(range(12), 2)
        operation = {"op": "move_task", "id": f"p{one}", "before": f"p{other}"}
        self.vine.write(str(self.root / "parts.vine"), [operation])

    def ticket(self, chance: random.Random) -> None:
        """Write a ticket."""
        before = f"DEM-{chance.randrange(1, 10):03}"
        status = chance.choice(("Approved", "Implemented", "Proposed"))
        write_ticket(self.root, chance.randrange(1, 10), status=status, dependsOn=before)

    def feature(self, chance: random.Random) -> None:
        """Write a feature."""
        box = chance.choice(("- [x] T002", "- [ ] T002", "- [~] T002"))
        feature(self.root, TASKS.replace("- [ ] T002", box))

    def run(self, chance: random.Random) -> None:
        """Let a run of a spec end."""
        state = chance.choice(("awaiting_merge", "paused", "failed"))
        record(self.root, spec_id(chance.randrange(60)), state)
