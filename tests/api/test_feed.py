"""The feed of changes: what it reports equals what a look at everything finds."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path
from typing import Any

import chant_mcp
from api.projects import fill
from chant_mcp._core import counted_work
from cli.ticket_files import write_ticket
from harness import Project

STATES = ("pending", "in_progress", "completed", "failed")


def items_of(ws: chant_mcp.Workspace) -> dict[str, Any]:
    """Look at every item."""
    rows: list[dict[str, Any]] = ws.core.list(limit=1_000).data["items"]
    return {row["key"]: (row["status"], row.get("ready"), row.get("title")) for row in rows}


class Edits:
    """Random edits of files, as other programs make them."""

    def __init__(self, project: Project, seed: int) -> None:
        self.project, self.choice = project, random.Random(seed)

    def make(self) -> None:
        """Make one."""
        self.choice.choice([self._spec, self._spec, self._member, self._task, self._ticket, self._feature])()

    def _spec(self) -> None:
        number, choice = self.choice.randrange(8), self.choice
        id = f"2026-02-01-{number:03}-abc"
        if choice.random() < 0.2:
            self.project.path(id).unlink(missing_ok=True)
            return
        others = [f"2026-02-01-{other:03}-abc" for other in choice.sample(range(8), 2) if other != number]
        needs = choice.choice([[], others, ["vine:plan.vine#log"], ["tickets:DEM-007"]])
        self.project.spec(id, status=choice.choice(STATES), depends_on=needs)

    def _member(self) -> None:
        self.project.spec("2026-02-01-000-abc.1", status=self.choice.choice(STATES))

    def _task(self) -> None:
        state = self.choice.choice(["notstarted", "started", "reviewing", "complete"])
        name = self.choice.choice("ab")
        text = f"vine 1.2.0\n---\n[ship] Ship (notstarted)\n-> log\n-> {name}\n---\n[log] Log ({state})\n"
        text += f"-> {name}\n---\n[{name}] Name ({state})\n"
        (self.project.root / "plan.vine").write_text(text, encoding="utf-8")

    def _ticket(self) -> None:
        state = self.choice.choice(["Proposed", "Approved", "Implemented"])
        write_ticket(self.project, self.choice.choice([7, 8]), "# Words", status=state)

    def _feature(self) -> None:
        marks = [self.choice.choice([" ", "x"]) for _ in range(3)]
        lines = [f"- [{mark}] T00{at} Do it" for at, mark in enumerate(marks, 1)]
        path = self.project.root / "specs" / "060-login" / "tasks.md"
        path.write_text("# Tasks\n\n## Phase 1: Begin\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


def test_what_the_feed_reports_is_what_a_look_at_everything_finds(project: Project) -> None:
    ws = chant_mcp.open(fill(project).root)
    edits = Edits(project, 7)
    before, cursor = items_of(ws), ws.core.changes_since()["cursor"]
    for turn in range(40):
        for _ in range(edits.choice.randrange(1, 4)):
            edits.make()
        found = ws.core.changes_since(cursor)
        now = items_of(ws)
        named = {change["key"]: change["what"] for change in found["changes"]}
        differing = {key for key in now.keys() & before.keys() if now[key] != before[key]}
        assert {key for key, what in named.items() if what == "added"} == now.keys() - before.keys(), turn
        assert {key for key, what in named.items() if what == "removed"} == before.keys() - now.keys(), turn
        assert differing <= {key for key, what in named.items() if what == "changed"}, turn
        states = {change["key"]: change["state"] for change in found["changes"] if change["state"]}
        assert states == {key: now[key][0] for key in states}, turn
        before, cursor = now, found["cursor"]


def test_a_change_costs_what_it_concerns_however_many_items_there_are(tmp_path: Path) -> None:
    visited: list[int] = []
    for count in (30, 300):
        project = Project(tmp_path / str(count))
        for number in range(count):
            project.spec(f"2026-02-01-{number:03}-abc")
        changes = chant_mcp.open(project.root).core.changes()
        for state in ("in_progress", "completed"):  # the first change sorts what waits for what
            before = counted_work()["visited"]
            project.spec("2026-02-01-007-abc", status=state)
            found = changes.wait(10.0)
            assert found is not None
            assert found["changed"] == ["chant:2026-02-01-007-abc"]
        visited.append(counted_work()["visited"] - before)
    assert visited[0] == visited[1], visited


def test_cursors_of_others_are_reset(project: Project) -> None:
    first, second = (
        chant_mcp.open(fill(project).root) if not n else chant_mcp.open(project.root) for n in (0, 1)
    )
    cursor = first.core.changes_since()["cursor"]
    assert first.core.changes_since(cursor) == {"cursor": cursor, "reset": False, "changes": []}
    for strange in (cursor, "", "0-0", "x"):
        assert second.core.changes_since(strange)["reset"] is True


def test_a_wait_ends_at_once_when_it_is_stopped(project: Project) -> None:
    changes = chant_mcp.open(fill(project).root).core.changes()
    found: list[object] = []
    waiting = threading.Thread(target=lambda: found.append(changes.wait(600.0)))
    waiting.start()
    start = time.monotonic()
    changes.stop()
    waiting.join(10)
    assert (found, time.monotonic() - start < 5) == ([None], True)
    assert changes.wait(600.0) is None


def test_what_lies_around_items_is_reported_when_asked_for(project: Project) -> None:
    changes = chant_mcp.open(project.root).core.changes()
    (project.root / ".specify").mkdir()
    found = changes.wait(10.0, around=True)
    assert found is not None
    assert (found["around"], found["changes"]) == (True, [])
    project.write("2026-01-22-001-abc", "---\nstatus: [\n---\n")
    found = changes.wait(10.0, around=True)
    assert found is not None
    assert (found["around"], found["changes"]) == (True, [])
