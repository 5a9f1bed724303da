"""chant_spec_update: when a spec may be completed, and what that completes (seed; reference chant 5.9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from chant.updating import CRITERIA, refused, updated
from chant_mcp import ChantProject
from writing import ID, changed

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio


async def test_completed_is_refused_while_a_criterion_is_open(call: Caller) -> None:
    before = call.project.spec(ID, status="in_progress", body=CRITERIA).read_bytes()
    error = await call.error("chant_spec_update", id=ID, status="completed")
    prefix = "Failed to update spec: All acceptance criteria must be checked"
    assert error.startswith(prefix)
    assert call.project.path(ID).read_bytes() == before
    await call.text("chant_spec_update", id=ID, status="completed", force=True)
    assert call.project.status(ID) == "completed"


# A spec with unchecked criteria never completes: what counts is what the file will say.
OPENING: dict[str, dict[str, Any]] = {
    "uncheck": {"uncheck": ["one"]},
    "replace_body": {"replace_body": True, "output": "# Work\n\n## Acceptance Criteria\n\n- [ ] new"},
    "output": {"output": "See below.\n\n## Acceptance Criteria\n\n- [ ] new"},
}


@pytest.mark.parametrize("how", OPENING)
def test_a_call_that_opens_a_criterion_does_not_complete(project: Project, how: str) -> None:
    project.spec(ID, status="in_progress", body="# Work\n\n## Acceptance Criteria\n\n- [x] one")
    assert "criteria must be checked" in refused(project, status="completed", **OPENING[how])


def test_the_last_criteria_may_be_ticked_in_the_call_that_completes(project: Project) -> None:
    project.spec(ID, status="in_progress", body=CRITERIA)
    lines = updated(project, status="completed", check=["one", "three, with `code`"])
    assert lines == [
        "-status: in_progress",
        "+status: completed",
        "-- [ ] one",
        "+- [x] one",
        "-- [ ] three, with `code`",
        "+- [x] three, with `code`",
    ]


@pytest.mark.parametrize(
    ("member", "is_done"),
    [
        ("pending", False),
        ("in_progress", False),
        ("failed", False),
        ("needs_attention", False),
        ("paused", False),
        ("completed", True),
        ("cancelled", True),
    ],
)
@pytest.mark.parametrize("nested", ["1", "1.1"])
def test_completed_waits_for_every_member(project: Project, member: str, is_done: bool, nested: str) -> None:
    project.spec(ID, type="driver", status="in_progress")
    project.spec(f"{ID}.{nested}", status=member)
    if is_done:
        assert updated(project, status="completed") == ["-status: in_progress", "+status: completed"]
        return
    error = refused(project, status="completed")
    assert error.startswith(f"Failed to update spec: Incomplete driver members: {ID}.{nested}")
    ChantProject(project.root).spec_update(ID, status="completed", force=True)
    assert project.status(ID) == "completed"


async def test_work_by_hand_is_completed_without_a_log(call: Caller) -> None:
    call.project.spec(ID, status="in_progress")
    assert await call.text("chant_spec_update", id=ID, status="completed") == f"Updated spec: {ID}"
    assert call.project.status(ID) == "completed"


DRIVERS = [
    ("pending", "", "completed"),
    ("in_progress", "", "completed"),
    ("pending", "- [x] met", "completed"),
    ("in_progress", "- [ ] open", "in_progress"),
    ("failed", "", "failed"),
    ("needs_attention", "", "needs_attention"),
    ("cancelled", "", "cancelled"),
    ("paused", "", "paused"),
]


@pytest.mark.parametrize(("status", "criterion", "then"), DRIVERS)
@pytest.mark.parametrize("tool", ["chant_spec_update", "chant_finalize"])
async def test_the_last_member_completes_its_driver(
    call: Caller, tool: str, status: str, criterion: str, then: str
) -> None:
    body = f"# Driver\n\n## Acceptance Criteria\n\n{criterion}" if criterion else "# Driver"
    before = call.project.spec(ID, type="driver", status=status, owner="ada  # kept", body=body).read_bytes()
    call.project.spec(f"{ID}.1", status="in_progress")
    call.project.spec(f"{ID}.2", status="in_progress")
    call.project.spec(f"{ID}.3", status="cancelled")
    arguments = {"status": "completed"} if tool == "chant_spec_update" else {}
    await call.text(tool, id=f"{ID}.1", **arguments)
    assert call.project.path(ID).read_bytes() == before, "one member is still open"
    text = await call.text(tool, id=f"{ID}.2", **arguments)
    assert call.project.status(ID) == then
    if then != status:
        assert ID in text.splitlines()[-1]
        keys = {line[1:].split(":")[0] for line in changed(before, call.project.path(ID).read_bytes())}
        assert keys <= {"status", "completed_at", "model"}
    else:
        assert call.project.path(ID).read_bytes() == before


def test_completion_climbs_from_a_nested_member_to_the_outermost_driver(project: Project) -> None:
    project.spec(ID, type="driver", status="in_progress")
    project.spec(f"{ID}.1", status="completed")
    project.spec(f"{ID}.2", type="driver", status="pending", depends_on=[])
    project.spec(f"{ID}.2.1", status="in_progress")
    ChantProject(project.root).spec_update(f"{ID}.2.1", status="completed")
    assert [project.status(id) for id in (f"{ID}.2.1", f"{ID}.2", ID)] == ["completed"] * 3
