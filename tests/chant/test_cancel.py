"""chant_cancel: one line changes, no one's work goes on unseen (seed; reference chant 5.14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
from writing import ID, OTHER, STRANGE_SIGNS, Worker, changed, strange_sign, tree, untouched, workers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from harness import Caller, Project

pytestmark = pytest.mark.anyio


@pytest.fixture
def worker(project: Project) -> Iterator[Callable[[str], Worker]]:
    """Start processes that work on specs."""
    with workers(project.root) as start:
        yield start


@pytest.mark.parametrize(
    "status", ["pending", "in_progress", "paused", "blocked", "failed", "needs_attention"]
)
@pytest.mark.requirement("chant:cancel:sets_cancelled")
async def test_a_spec_that_is_not_done_is_cancelled(call: Caller, status: str) -> None:
    waits = ["2026-01-22-0zz-zzz"] if status == "blocked" else None
    before = call.project.spec(ID, status=f"{status}  # so far", depends_on=waits, owner="ada").read_bytes()
    result = await call("chant_cancel", id="x7m")
    assert not result.is_error
    assert result.structured_content is None
    assert changed(before, call.project.path(ID).read_bytes()) == [
        f"-status: {status}  # so far",
        "+status: cancelled  # so far",
    ]


async def test_the_answer_is_one_line_when_nobody_waits(call: Caller) -> None:
    call.project.spec(ID)
    assert await call.text("chant_cancel", id="001") == f"Cancelled spec: {ID}"


async def test_cancelling_twice_is_refused(call: Caller) -> None:
    before = call.project.spec(ID, status="cancelled").read_bytes()
    assert await call.error("chant_cancel", id=ID) == f"Spec '{ID}' is already cancelled"
    assert call.project.path(ID).read_bytes() == before


@pytest.mark.parametrize(("status", "name"), [("completed", "Completed"), ("ready", "Ready")])
async def test_another_status_is_refused(call: Caller, status: str, name: str) -> None:
    before = call.project.spec(ID, status=status).read_bytes()
    error = await call.error("chant_cancel", id=ID)
    words = f"Failed to transition spec to Cancelled: Invalid transition from {name} to Cancelled"
    assert error.splitlines()[0] == words
    assert call.project.path(ID).read_bytes() == before


async def test_dependents_and_open_members_are_named(call: Caller) -> None:
    call.project.spec(ID, type="driver", status="in_progress")
    call.project.spec(f"{ID}.1", status="completed")
    call.project.spec(f"{ID}.2", status="in_progress")
    call.project.spec(f"{ID}.10")
    call.project.spec(OTHER, depends_on=[ID])
    call.project.spec("2026-01-22-003-ind", depends_on=[OTHER])
    call.project.spec("2026-01-22-004-not")
    files = tree(call.project.root)
    first, *rest = (await call.text("chant_cancel", id=ID)).splitlines()
    told = "\n".join(rest)
    assert first == f"Cancelled spec: {ID}"
    assert OTHER in told
    assert f"{ID}.2" in told
    assert f"{ID}.10" in told
    assert told.index(f"{ID}.2") < told.index(f"{ID}.10")
    assert "004-not" not in told
    assert f"{ID}.1," not in told
    assert not told.endswith(f"{ID}.1")
    now = tree(call.project.root)
    assert {name for name in files if files[name] != now[name]} == {f".chant/specs/{ID}.md"}
    ready = await call.data("chant_ready")
    assert OTHER in [spec["id"] for spec in ready["specs"]], "a cancelled dependency satisfies"


def test_an_agent_is_never_left_running(project: Project, worker: Callable[[str], Worker]) -> None:
    before = project.spec(ID, status="in_progress").read_bytes()
    agent = worker(ID)
    with pytest.raises(ChantError, match=str(agent.pid)):
        ChantProject(project.root).cancel(ID)
    assert agent.lives()
    assert project.path(ID).read_bytes() == before


@pytest.mark.parametrize("sign", STRANGE_SIGNS)
@pytest.mark.requirement("chant:cancel:sets_cancelled")
def test_what_the_project_itself_says_of_work_stops_nobody(
    project: Project, worker: Callable[[str], Worker], sign: str
) -> None:
    project.spec(ID, status="in_progress")
    other = worker(OTHER)
    left = strange_sign(project.root, sign, ID, other.pid)
    text = left.read_bytes()
    ChantProject(project.root).cancel(ID)
    assert project.status(ID) == "cancelled"
    assert other.lives()
    assert left.read_bytes() == text


@pytest.mark.requirement("chant:cancel:sets_cancelled")
def test_what_a_dead_agent_left_stops_nobody(project: Project, worker: Callable[[str], Worker]) -> None:
    project.spec(ID, status="in_progress")
    worker(ID).end()
    ChantProject(project.root).cancel(ID)
    assert project.status(ID) == "cancelled"


def test_an_agent_of_another_spec_does_not_matter(project: Project, worker: Callable[[str], Worker]) -> None:
    project.spec(ID, status="in_progress")
    project.spec(f"{ID}.1", status="in_progress")
    worker(f"{ID}.1")
    ChantProject(project.root).cancel(ID)
    assert project.status(ID) == "cancelled"
    assert project.status(f"{ID}.1") == "in_progress"


@pytest.mark.requirement("chant:cancel:sets_cancelled")
def test_the_users_repository_stays_as_it_is(project: Project) -> None:
    project.spec(ID)
    project.repository()
    (project.root / "mine.txt").write_text("mine\n", encoding="utf-8")
    project.git("add", "mine.txt")
    with untouched(project.root, but=[f".chant/specs/{ID}.md"]):
        ChantProject(project.root).cancel(ID)


@pytest.mark.requirement("chant:cancel:sets_cancelled")
def test_a_spec_that_waits_is_cancelled_from_its_stored_status(project: Project) -> None:
    project.spec(OTHER)
    before = project.spec(ID, depends_on=[OTHER]).read_bytes()
    ChantProject(project.root).cancel(ID)
    assert changed(before, project.path(ID).read_bytes()) == ["-status: pending", "+status: cancelled"]


async def test_what_was_cancelled_is_told_so_when_its_conflict_cannot_be_closed(call: Caller) -> None:
    call.project.spec(ID)
    conflict = call.project.spec(OTHER, type="conflict", original_spec=ID, source_branch=f"chant/{ID}")
    conflict.chmod(0o444)
    assert (await call.text("chant_cancel", id=ID)).startswith(f"Cancelled spec: {ID}")
    assert call.project.status(ID) == "cancelled"
