"""chant_finalize of a spec that an agent ran on: its log and a commit of it count (decisions 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chant.reading import ENDED, record
from state_folder import log_file, put_private
from writing import ID, OTHER, commit, tree

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio

NO_LOG = (
    "Failed to finalize spec: Cannot mark spec as completed: no agent execution log found. "
    "Use force parameter to override."
)


def log(project: Project, id: str) -> None:
    """Write what a run reported, where runs of ours write it."""
    put_private(log_file(project.root, id), "worked\n")


async def test_without_a_log_it_is_refused_and_force_waives_that_alone(call: Caller) -> None:
    call.project.spec(ID, status="in_progress")
    call.project.repository()
    record(call.project, f"{ID}-1", completed_at=ENDED)
    before = tree(call.project.specs)
    assert await call.error("chant_finalize", id=ID) == NO_LOG
    forced = await call.error("chant_finalize", id=ID, force=True)
    assert forced.startswith("Failed to finalize spec: No matching commits found\n")
    assert tree(call.project.specs) == before
    commit(call.project.root, f"chant({ID}): work")
    assert (await call.text("chant_finalize", id=ID, force=True)).startswith(f"Finalized spec: {ID}")


async def test_a_log_without_a_commit_of_the_spec_is_no_evidence(call: Caller) -> None:
    call.project.spec(ID, status="in_progress")
    call.project.repository()
    record(call.project, f"{ID}-1", completed_at=ENDED)
    log(call.project, ID)
    commit(call.project.root, f"chant({OTHER}): something else")
    error = await call.error("chant_finalize", id=ID)
    assert error.startswith("Failed to finalize spec: No matching commits found\n")
    assert f"chant({ID}):" in error
    assert call.project.status(ID) == "in_progress"


async def test_with_log_and_commit_it_is_completed_and_the_commit_named(call: Caller) -> None:
    call.project.spec(ID, status="in_progress")
    call.project.repository()
    record(call.project, f"{ID}-1", completed_at=ENDED)
    log(call.project, ID)
    short = commit(call.project.root, f"chant({ID}): work")[:7]
    assert f"Commits: {short}" in await call.text("chant_finalize", id=ID)
    assert call.project.status(ID) == "completed"


async def test_a_run_of_another_spec_asks_for_nothing(call: Caller) -> None:
    call.project.spec(ID, status="in_progress")
    record(call.project, f"{OTHER}-1")
    assert (await call.text("chant_finalize", id=ID)).startswith(f"Finalized spec: {ID}")
