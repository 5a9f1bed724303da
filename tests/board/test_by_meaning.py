"""The board by meaning, as pages ask for it: columns, items, pictures, plans and differences."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from board.changing import MixedProject, feature, opened, plan, record, spec_id
from chant_mcp._core import SpeckitFeatures, Workspace, counted_work
from chant_mcp.errors import InvalidArgumentError
from cli.ticket_files import ticket_project, write_ticket
from harness import Project

MEANINGS = ("can_begin", "being_worked_on", "waits_for_you", "waits", "done")

BODY = """\
# Über *all*

Raw <script>alert(1)</script> [good](https://a.b) [bad](javascript:alert(1))

## Acceptance Criteria

- [x] One
- [ ] Two
"""


def live(root: Path, spec: str) -> None:
    """Lay the record of a run whose process is this one."""
    start = Path("/proc/self/stat").read_text("utf-8").rpartition(")")[2].split()[19]
    record(
        root,
        spec,
        "running",
        status="running",
        end_state=None,
        pid=os.getpid(),
        pid_start=start,
        completed_at=None,
    )


def meanings(workspace: Workspace) -> dict[str, str]:
    """What each item means, with what a person has to do; each stands in one column only."""
    found: dict[str, str] = {}
    for column in workspace.board_look(limit=200).data["columns"]:
        assert column["count"] == len(column["items"])
        for card in column["items"]:
            assert card["key"] not in found
            assert ("why" in card) == (column["meaning"] == "waits_for_you")
            found[card["key"]] = " ".join([column["meaning"], *([card["why"]] if "why" in card else [])])
    return found


ITEMS: tuple[tuple[str, Mapping[str, Any], str], ...] = (
    ("can_begin", {}, ""),
    ("waits", {"depends_on": [spec_id(0)]}, ""),
    ("done", {"status": "completed"}, ""),
    ("", {"status": "cancelled"}, ""),
    ("being_worked_on", {"status": "in_progress"}, ""),
    ("waits_for_you failed", {"status": "failed"}, ""),
    ("waits_for_you attention", {"status": "needs_attention"}, ""),
    ("waits_for_you paused", {"status": "paused"}, ""),
    ("waits_for_you approve", {"approval": "{required: true}"}, ""),
    ("waits_for_you rejected", {"approval": "{required: true, status: rejected}"}, ""),
    ("can_begin", {"approval": "{required: true, status: approved}"}, ""),
    ("waits", {"approval": "{required: true}", "depends_on": [spec_id(0)]}, ""),
    ("waits_for_you merge", {"status": "in_progress"}, "awaiting_merge"),
    ("waits_for_you conflict", {"status": "in_progress"}, "conflict"),
    (
        "waits_for_you approve",
        {"status": "needs_attention", "approval": "{required: true}"},
        "awaiting_approval",
    ),
    ("waits_for_you paused", {"status": "in_progress"}, "paused"),
    ("being_worked_on", {"status": "in_progress"}, "taken_over"),
    ("waits_for_you question", {"status": "in_progress"}, "asks"),
    ("being_worked_on", {"status": "pending"}, "live"),
    ("done", {"status": "completed"}, "awaiting_merge"),
)
"""What specs mean: the meaning, the keys of the spec, and what became of its run."""


def begin_run(root: Path, id: str, state: str) -> None:
    """Let a run of a spec come to a state."""
    match state:
        case "":
            pass
        case "asks":
            SpeckitFeatures(root, environment={**os.environ, "CHANT_SPEC_ID": id}).ask("Which colour?")
        case "live":
            live(root, id)
        case "conflict":
            tried = {"old": "a" * 40, "new": "b" * 40}
            record(root, id, "awaiting_merge", merge={"state": "waiting", "tried": tried})
        case _:
            record(root, id, state)


def test_each_item_of_each_dialect_has_one_meaning(project: Project) -> None:
    root = project.root
    expected: dict[str, str] = {}
    for number, (meaning, keys, _) in enumerate(ITEMS):
        project.spec(spec_id(number), **keys)
        expected[f"chant:{spec_id(number)}"] = meaning
    project.spec(spec_id(50), type="driver")
    project.spec(spec_id(50) + ".1")
    feature(root)
    ticket_project(root)
    statuses = ("Proposed", "Approved", "In Progress", "Implemented", "Rejected", "On Hold", "Odd")
    for number, status in enumerate(statuses):
        write_ticket(root, number + 1, status=status)
    write_ticket(root, 9, status="Proposed", dependsOn="DEM-002")
    write_ticket(root, 10, status="Approved", dependsOn="DEM-002")
    states = ("notstarted", "planning", "started", "reviewing", "complete", "blocked")
    plan(
        root,
        "[whole] All (notstarted)\n" + "".join(f"-> {state}\n" for state in states),
        *(f"[{state}] Task ({state})\n" for state in states),
    )
    expected |= {
        f"chant:{spec_id(50)}": "waits",
        f"chant:{spec_id(50)}.1": "can_begin",
        "speckit:060-login#T001": "done",
        "speckit:060-login#T002": "can_begin",
        "speckit:060-login#T003": "waits",
        "tickets:DEM-001": "waits_for_you approve",
        "tickets:DEM-002": "can_begin",
        "tickets:DEM-003": "being_worked_on",
        "tickets:DEM-004": "done",
        "tickets:DEM-005": "done",
        "tickets:DEM-006": "waits",
        "tickets:DEM-007": "waits",
        "tickets:DEM-009": "waits",
        "tickets:DEM-010": "waits",
        "vine:plan.vine#whole": "waits",
        "vine:plan.vine#notstarted": "can_begin",
        "vine:plan.vine#planning": "can_begin",
        "vine:plan.vine#started": "being_worked_on",
        "vine:plan.vine#reviewing": "being_worked_on",
        "vine:plan.vine#complete": "done",
        "vine:plan.vine#blocked": "waits",
    }
    workspace = opened(root)
    workspace.board_look()
    for number, (_, _, state) in enumerate(ITEMS):
        begin_run(root, spec_id(number), state)
    assert meanings(workspace) == {key: meaning for key, meaning in expected.items() if meaning}
    entries = workspace.board_waiting().data["entries"]
    kinds = {"approve": "approval", "rejected": "approval", "attention": "failure", "failed": "failure"}
    kinds["paused"] = "pause"
    waiting = {entry["key"]: entry["kind"] for entry in entries}
    acts = {key: meaning.split(" ")[1] for key, meaning in expected.items() if " " in meaning}
    assert waiting == {key: kinds.get(act, act) for key, act in acts.items() if act != "question"}


def pages(workspace: Workspace, **search: Any) -> dict[str, Any]:
    """All columns by their pages, and what is counted beside them."""
    look = workspace.board_look(limit=3, **search).data
    found: dict[str, Any] = {key: look[key] for key in ("dialects", "labels", "problems_total")}
    for column in look["columns"]:
        rows: list[Any] = []
        offset: int | None = 0
        while offset is not None:
            page = workspace.board_rows(column["meaning"], limit=40, offset=offset, **search).data
            rows += page["items"]
            offset = page.get("next_offset")
        assert column["items"] == rows[:3]
        assert column["count"] == len(rows) == len({row["key"] for row in rows})
        found[column["meaning"]] = rows
    return found


def test_kept_columns_are_those_that_a_first_look_finds(project: Project) -> None:
    mixed = MixedProject(project)
    kept = opened(project.root, mixed.vine)
    searches: tuple[dict[str, Any], ...] = (
        {"search": "2026-03-01-01"},
        {"label": "l1"},
        {"dialect": "vine"},
    )
    chance = random.Random(7)
    for step in range(14):
        for _ in range(chance.choice((1, 1, 1, 3))):
            mixed.change(chance)
        fresh = opened(project.root)
        for search in ({}, searches[step % 3]):
            assert pages(kept, **search) == pages(fresh, **search), (step, search)


class Viewer:
    """A page that asks only for what changed, as the board's page does."""

    def __init__(self, workspace: Workspace, **search: Any) -> None:
        """Look for the first time."""
        self.workspace, self.search = workspace, search
        self.seen: dict[str, Any] = workspace.board_look(limit=5, **search).data

    def look(self) -> int:
        """Look again, and give how many columns came with their items."""
        look = self.workspace.board_look(limit=5, since=self.seen["cursor"], **self.search).data
        sent = 0
        for new, old in zip(look["columns"], self.seen["columns"], strict=True):
            sent += "items" in new
            new.setdefault("items", old["items"])
        self.seen = look
        return sent

    def columns(self) -> list[Any]:
        """Give what the page shows."""
        return [(of["meaning"], of["count"], of["items"]) for of in self.seen["columns"]]


def test_who_asks_for_what_changed_sees_what_a_whole_look_shows(project: Project) -> None:
    mixed = MixedProject(project)
    workspace = opened(project.root, mixed.vine)
    viewers = [Viewer(workspace), Viewer(workspace, label="l1"), Viewer(workspace, search="2026")]
    chance = random.Random(11)
    sent = [0, 0]
    for _ in range(25):
        mixed.change(chance)
        for viewer in viewers:
            sent[0] += viewer.look()
            assert viewer.look() == 0, "nothing changed since"
            assert viewer.columns() == Viewer(workspace, **viewer.search).columns()
            sent[1] += 5
    assert 0 < sent[0] < sent[1] / 2, "most columns are as they were"
    for cursor in ("", "words", opened(project.root).board_look().data["cursor"]):
        assert all("items" in of for of in workspace.board_look(since=cursor).data["columns"]), cursor


def test_a_look_after_a_change_visits_what_changed(project: Project) -> None:
    for number in range(200):
        project.spec(spec_id(number), depends_on=[spec_id(number - 1)] if number else None, priority="high")
    workspace = opened(project.root)
    workspace.board_look()
    visited: list[int] = []
    for number in (100, 5, 150):
        project.spec(spec_id(number), status="completed")
        workspace.version()
        before = counted_work()["visited"]
        workspace.board_look()
        visited.append(counted_work()["visited"] - before)
    # At the first change it is worked out what waits for what.
    assert max(visited[1:]) < 10
    versions = [workspace.board_look().data["version"] for _ in range(2)]
    assert versions[0] == versions[1]
    record(project.root, spec_id(3), "awaiting_merge")
    assert workspace.board_look().data["version"] > versions[1]


def test_words_that_are_no_meaning_or_dialect_are_refused(project: Project) -> None:
    workspace = opened(project.root)
    empty = workspace.board_look().data
    assert [(column["meaning"], column["count"]) for column in empty["columns"]] == [(m, 0) for m in MEANINGS]
    assert empty["dialects"] == empty["labels"] == []
    assert workspace.board_look("", dialect="", label="").data == empty
    with pytest.raises(InvalidArgumentError, match="can_begin, being_worked_on"):
        workspace.board_rows("ready")
    for ask in (workspace.board_look, workspace.board_graph):
        with pytest.raises(InvalidArgumentError, match="chant, vine"):
            ask(dialect="jira")


def test_an_item_comes_with_all_that_a_page_shows(project: Project) -> None:
    project.spec(spec_id(1), body=BODY, depends_on=[spec_id(2)], type="driver")
    project.spec(spec_id(1) + ".1", body="# Part", status="completed")
    project.spec(spec_id(2))
    workspace = opened(project.root)
    item = workspace.board_item(spec_id(1)).data
    assert item["document"][:2] == [
        ["h1", "Über ", ["em", "all"]],
        ["p", "Raw <script>alert(1)</script> ", ["a", "https://a.b", "good"], " bad"],
    ]
    assert item["document"][-1] == ["ul", ["task_done", "One"], ["task_open", "Two"]]
    lines = project.text(spec_id(1)).splitlines()
    assert [(row["text"], row["done"], lines[row["line"] - 1]) for row in item["criteria"]] == [
        ("One", True, "- [x] One"),
        ("Two", False, "- [ ] Two"),
    ]
    assert [row["level"] for row in item["sections"]] == [1, 2]
    assert item["meaning"] == "waits"
    assert item["waits_for"] == [f"chant:{spec_id(2)}"]
    assert item["around"]["waits_for"][0]["key"] == f"chant:{spec_id(1)}.1"
    assert item["children"] == [{"key": f"chant:{spec_id(1)}.1", "title": "Part", "meaning": "done"}]
    assert workspace.board_item(spec_id(1) + ".1").data["parent"] == f"chant:{spec_id(1)}"
    document = workspace.board_document(spec_id(1)).data
    assert document["version"] == item["version"]
    project.spec(spec_id(1), body=BODY + "More.\n", type="driver")
    assert workspace.board_document(spec_id(1)).data["version"] != item["version"]


TAGS = {"svg", "defs", "marker", "g", "title", "rect", "circle", "path", "text"}
ATTRIBUTES = set(
    """
    x y x1 y1 x2 y2 cx cy r rx ry width height d points transform text-anchor dominant-baseline viewBox class
    data-key data-from data-to marker-end marker-start id refX refY orient markerWidth markerHeight
    markerUnits role aria-label font-size textLength lengthAdjust
    """.split()  # noqa: SIM905
)


def elements(scene: Any) -> Iterator[tuple[str, dict[str, str]]]:
    """All elements of a picture; their contents are elements and texts."""
    tag, attributes, children = scene
    yield tag, attributes
    for child in children:
        if not isinstance(child, str):
            yield from elements(child)


def test_a_picture_is_made_of_listed_elements(project: Project) -> None:
    for number in range(90):
        before = [spec_id(number - 1)] if number % 30 else None
        label = ["odd"] if number % 2 else None
        status = "completed" if number == 0 else "pending"
        body = '# "><script>alert(1)</script>'
        project.spec(spec_id(number), depends_on=before, labels=label, status=status, body=body)
    project.spec(spec_id(95), depends_on=["vine:gone.vine#x"])
    workspace = opened(project.root)
    asked: tuple[dict[str, Any], ...] = (
        {},
        {"name": spec_id(10), "depth": 2},
        {"label": "odd"},
        {"dialect": "vine"},
    )
    for question in asked:
        answer = workspace.board_graph(**question).data
        found = list(elements(answer["scene"]))
        assert {tag for tag, _ in found} <= TAGS
        assert {name for _, attributes in found for name in attributes} <= ATTRIBUTES
        drawn = [attributes["data-key"] for _, attributes in found if "data-key" in attributes]
        assert sorted(drawn) == sorted(row["key"] for row in answer["items"])
        assert len(drawn) == answer["shown"] <= 60
    near = {row["key"]: row for row in workspace.board_graph(spec_id(10), depth=2).data["items"]}
    assert set(near) == {f"chant:{spec_id(number)}" for number in range(8, 13)}
    all_rows = workspace.board_graph().data["items"]
    critical = [row for row in all_rows if row["critical"]]
    assert critical
    assert not any("slack" in row for row in all_rows), "no run has ended, so nothing is estimated"
    classes = {
        attributes["class"]
        for _, attributes in elements(workspace.board_graph(spec_id(1), depth=1).data["scene"])
        if "class" in attributes
    }
    assert {"edge edge-met", "figure meaning-done"} <= classes


def test_past_and_planned_work_comes_in_seconds(project: Project) -> None:
    project.spec(spec_id(1), body="# First", status="completed")
    project.spec(spec_id(2))
    project.spec(spec_id(3), depends_on=[spec_id(2)])
    record(project.root, spec_id(1), "completed", status="completed")
    project.path("broken").write_text("---\nstatus: odd\n---\n", encoding="utf-8")
    workspace = opened(project.root)
    timeline = workspace.board_timeline().data
    assert [(run["key"], run["title"], run["outcome"]) for run in timeline["past"]] == [
        (f"chant:{spec_id(1)}", "First", "completed")
    ]
    planned = [(row["key"][-7:], row["start"], row["end"], row["critical"]) for row in timeline["planned"]]
    assert planned == [("002-aaa", 0.0, 5400.0, True), ("003-aaa", 5400.0, 10800.0, True)]
    problems = workspace.board_problems().data
    assert problems["total"] == len(problems["problems"]) >= 1
    assert problems["total"] == workspace.board_look().data["problems_total"]
    assert workspace.board_problems(5).data["problems"] == []


def test_the_branch_of_a_run_is_compared_with_its_beginning(project: Project) -> None:
    project.spec(spec_id(1))
    (project.root / "a.txt").write_text("one\ntwo\nthree\n", encoding="utf-8")
    project.repository()
    base = project.git("rev-parse", "HEAD").strip()
    project.git("checkout", "-qb", "work")
    (project.root / "a.txt").write_text("one\n2\u202e\nthree\n", encoding="utf-8")
    (project.root / "b.bin").write_bytes(b"\0\1\2")
    (project.root / "c.txt").write_text("line\n" * 3000, encoding="utf-8")
    (project.root / "d.txt").write_text("last\n", encoding="utf-8")
    project.git("add", "-A")
    project.git("commit", "-qm", "Work")
    project.git("checkout", "-q", "main")
    workspace = opened(project.root)
    with pytest.raises(InvalidArgumentError, match="a run works or worked"):
        workspace.board_diff(spec_id(1))
    record(project.root, spec_id(1), "awaiting_merge", branch="work", base=base, target="main")
    diff = workspace.board_diff(spec_id(1)).data
    assert diff["cut"] is True
    first, binary, long, last = diff["files"]
    assert (first["path"], first["added"], first["removed"]) == ("a.txt", 1, 1)
    assert first["hunks"][0]["lines"] == [[" ", "one"], ["-", "two"], ["+", "2\ufffd"], [" ", "three"]]
    assert (binary["path"], binary["binary"], binary["hunks"]) == ("b.bin", True, [])
    assert long["added"] == 3000
    assert sum(len(hunk["lines"]) for file in diff["files"] for hunk in file["hunks"]) == 2000
    assert (last["path"], last["hunks"]) == ("d.txt", [])


def test_done_begins_with_the_newest_and_cards_say_who_is_on_them(project: Project) -> None:
    for number in range(5):
        project.spec(f"2026-03-0{number + 1}-001-aaa", status="completed", assignee="ada")
        project.spec(f"2026-03-0{number + 1}-002-bbb")
    workspace = opened(project.root)
    done = workspace.board_rows("done", limit=2).data
    assert [row["id"] for row in done["items"]] == ["2026-03-05-001-aaa", "2026-03-04-001-aaa"]
    assert done["items"][0]["assignee"] == "ada"
    rest = workspace.board_rows("done", limit=9, offset=done["next_offset"]).data["items"]
    assert [row["id"] for row in rest] == [f"2026-03-0{number}-001-aaa" for number in (3, 2, 1)]
    first = workspace.board_rows("can_begin", limit=1).data["items"]
    assert first[0]["id"] == "2026-03-01-002-bbb"
