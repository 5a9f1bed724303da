"""The nine statuses and which may follow which (reference chant 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chant.reading import STATUSES
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError, IllegalTransitionError
from writing import ID, changed

if TYPE_CHECKING:
    from harness import Caller, Project

NAMES = {
    status: "".join(word.capitalize() for word in status.split("_")) for status in STATUSES
}  # InProgress

# The printed table, row by row, columns in the order of STATUSES.
LEGAL = {
    "pending": "●●     ●●",
    "in_progress": " ●●●●●  ●",
    "paused": " ●●     ●",
    "completed": "●  ●     ",
    "failed": "●●  ●    ",
    "needs_attention": "●●   ●   ",
    "ready": "      ●  ",
    "blocked": "●●     ●●",
    "cancelled": "●       ●",
}

MENDED = {
    ("failed", "cancelled"),
    ("needs_attention", "cancelled"),
    ("in_progress", "pending"),
    ("completed", "needs_attention"),
    ("paused", "pending"),
}

PAIRS = [(start, end) for start in STATUSES for end in STATUSES]


def is_legal(start: str, end: str) -> bool:
    return LEGAL[start][STATUSES.index(end)] == "●" or (start, end) in MENDED


def stored(project: Project, status: str) -> bytes:
    """Write a spec with a status; a blocked one has its reason."""
    waits = "depends_on: [2026-01-22-00z-zzz]\n" if status == "blocked" else ""
    text = (
        f"---\ntype: code\nstatus: {status}  # as it stands\n{waits}owner: ada\n---\n\n# Work\n\nstatus: x\n"
    )
    return project.write(ID, text).read_bytes()


def status_lines(start: str, end: str) -> list[str]:
    """The only lines that may differ."""
    if start == end:
        return []
    return [f"-status: {start}  # as it stands", f"+status: {end}  # as it stands"]


def test_the_printed_table_is_copied_right() -> None:
    assert sum(row.count("●") for row in LEGAL.values()) == 28
    assert not any(LEGAL[start][STATUSES.index(end)] == "●" for start, end in MENDED)


@pytest.mark.parametrize(("start", "end"), PAIRS)
def test_an_unforced_transition_is_as_the_table_says(project: Project, start: str, end: str) -> None:
    before = stored(project, start)
    chant = ChantProject(project.root)
    if is_legal(start, end):
        assert chant.spec_update(ID, status=end).text.splitlines()[0] == f"Updated spec: {ID}"
        assert changed(before, project.path(ID).read_bytes()) == status_lines(start, end)
        return
    with pytest.raises(IllegalTransitionError) as refused:
        chant.spec_update(ID, status=end)
    words = f"Failed to update spec: Invalid transition from {NAMES[start]} to {NAMES[end]}"
    assert str(refused.value).splitlines()[0] == words
    assert project.path(ID).read_bytes() == before


@pytest.mark.parametrize(("start", "end"), PAIRS)
@pytest.mark.requirement("chant:spec_update:status_is_set")
def test_a_forced_transition_is_always_accepted(project: Project, start: str, end: str) -> None:
    before = stored(project, start)
    chant = ChantProject(project.root)
    assert chant.spec_update(ID, status=end, force=True).text.splitlines()[0] == f"Updated spec: {ID}"
    assert changed(before, project.path(ID).read_bytes()) == status_lines(start, end)
    assert ChantProject(project.root).spec_get(ID).data["status"] in {end, "blocked", "pending"}


@pytest.mark.anyio
async def test_a_client_reads_an_illegal_pair_in_words(call: Caller) -> None:
    call.project.spec(ID, status="cancelled")
    error = await call.error("chant_spec_update", id=ID, status="in_progress")
    assert error == "Failed to update spec: Invalid transition from Cancelled to InProgress"
    call.project.spec(ID, status="needs_attention")
    error = await call.error("chant_spec_update", id=ID, status="ready")
    assert error == "Failed to update spec: Invalid transition from NeedsAttention to Ready"


@pytest.mark.parametrize("status", STATUSES)
def test_each_of_the_nine_is_read_and_can_be_set(project: Project, status: str) -> None:
    project.spec(ID, status=status, depends_on=["2026-01-22-00z-zzz"] if status == "blocked" else None)
    listed = ChantProject(project.root).spec_list(status).data
    assert [spec["status"] for spec in listed["specs"]] == [status]
    assert not listed.get("problems")
    project.spec(ID, status=status)
    ChantProject(project.root).spec_update(ID, status=status)
    assert project.status(ID) == status


@pytest.mark.parametrize(
    "word", ["Pending", "PENDING", "inprogress", "in-progress", "InProgress", "done", "complete", '"ready "']
)
def test_another_spelling_in_a_file_is_a_problem_and_no_edit_touches_it(project: Project, word: str) -> None:
    before = project.spec(ID, status=word).read_bytes()
    chant = ChantProject(project.root)
    listed = chant.spec_list().data
    assert listed["specs"] == []
    assert ID in str(listed["problems"])
    with pytest.raises(ChantError):
        chant.spec_update(ID, status="pending", force=True)
    assert project.path(ID).read_bytes() == before


@pytest.mark.parametrize(
    "edit",
    [
        {"labels": ["a", "b"]},
        {"model": "gpt-5"},
        {"output": "Half done."},
        {"depends_on": []},
        {"check": ["one"]},
    ],
    ids=str,
)
def test_a_stored_paused_survives_edits_of_other_keys(project: Project, edit: dict[str, object]) -> None:
    project.spec(ID, status="paused", body="# Work\n\n## Acceptance Criteria\n\n- [ ] one")
    chant = ChantProject(project.root)
    chant.spec_update(ID, **edit)  # type: ignore[arg-type]
    assert project.status(ID) == "paused"
    assert chant.spec_get(ID).data["status"] == "paused"
