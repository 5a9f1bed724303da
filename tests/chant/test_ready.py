"""`chant_ready`: the specs that can be worked now."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from chant.reading import DAY, ONE_ERA, archive, criteria, ids, listed, problem_of, ready
from writing import answer_text

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio


@pytest.mark.requirement(
    "chant:ready:lists_specs_without_unmet_dependencies", "chant:ready:answer_has_the_keys_of_spec_list"
)
async def test_only_specs_without_unmet_dependencies_are_listed(call: Caller) -> None:
    call.project.spec("done", status="completed")
    call.project.spec("free", depends_on=["done"], labels=["x"], body="# Free")
    call.project.spec("waits", depends_on=["free"])
    call.project.spec("running", status="in_progress")
    call.project.spec("asks", status="needs_attention")
    call.project.spec("rests", status="paused")
    call.project.spec("gone", status="cancelled")

    expected = {
        "specs": [
            {
                "id": "free",
                "title": "Free",
                "status": "pending",
                "type": "code",
                "depends_on": ["done"],
                "labels": ["x"],
            }
        ],
        "total": 1,
        "limit": 50,
        "returned": 1,
    }
    assert await call.data("chant_ready") == expected
    assert await call.text("chant_ready") == answer_text(expected)


@pytest.mark.requirement("chant:ready:default_limit_is_50", "chant:ready:answer_has_the_keys_of_spec_list")
async def test_fifty_are_listed_unless_another_limit_is_given(call: Caller) -> None:
    for n in range(52):
        call.project.spec(f"spec-{n:02}")
    call.project.spec("waits", depends_on=["spec-00"])

    data = await call.data("chant_ready")
    assert (data["total"], data["limit"], data["returned"], len(ids(data))) == (52, 50, 50, 50)
    data = await call.data("chant_ready", limit=2)
    assert (data["total"], data["limit"], data["returned"]) == (52, 2, 2)
    assert ids(data) == ["spec-00", "spec-01"]
    data = await call.data("chant_ready", limit=50, offset=50)
    assert ids(data) == ["spec-50", "spec-51"]
    data = await call.data("chant_ready", limit=0)
    assert (data["specs"], data["total"]) == ([], 52)


async def test_ready_specs_stand_in_the_order_of_their_ids(call: Caller) -> None:
    expected = [
        "2026-01-21-zzz-aaa",
        f"{DAY}-009-aaa",
        f"{DAY}-00a-aaa.1",
        f"{DAY}-00a-aaa.2",
        f"{DAY}-00a-aaa.10",
        f"{DAY}-010-aaa",
        "free",
    ]
    for id in random.Random(3).sample(expected, len(expected)):
        call.project.spec(id, depends_on=[])
    call.project.spec(f"{DAY}-00a-aaa", type="group")

    assert await ready(call) == expected


async def test_a_failed_spec_is_listed_with_its_status(call: Caller) -> None:
    call.project.spec("fresh")
    call.project.spec("failed", status="failed")
    call.project.spec("failed-and-blocked", status="failed", depends_on=["fresh"])

    data = await call.data("chant_ready")
    assert {spec["id"]: spec["status"] for spec in data["specs"]} == {"fresh": "pending", "failed": "failed"}


@ONE_ERA
@pytest.mark.parametrize("type", ["group", "driver"])
@pytest.mark.parametrize("members", [0, 1])
@pytest.mark.parametrize("status", ["pending", "failed"])
async def test_containers_are_not_listed(call: Caller, type: str, members: int, status: str) -> None:
    call.project.spec("big", type=type, status=status, body=criteria("- [ ] a"))
    for n in range(members):
        call.project.spec(f"big.{n + 1}", status="completed")

    assert await ready(call) == []


async def test_a_stored_ready_is_not_ready(call: Caller) -> None:
    call.project.spec("claims", status="ready")

    assert await ready(call) == []
    assert (await listed(call))["claims"] == "ready"


@ONE_ERA
@pytest.mark.parametrize(
    ("status", "is_ready"),
    [
        ("pending", True),
        ("failed", True),
        ("blocked", True),  # a stored `blocked` without a reason is pending
        ("in_progress", False),
        ("paused", False),
        ("completed", False),
        ("needs_attention", False),
        ("cancelled", False),
    ],
)
async def test_which_statuses_can_be_ready(call: Caller, status: str, is_ready: bool) -> None:
    call.project.spec("one", status=status)

    assert await ready(call) == (["one"] if is_ready else [])


@ONE_ERA
@pytest.mark.parametrize("status", ["pending", "failed"])
@pytest.mark.parametrize(
    ("approval", "is_ready"),
    [
        ("{required: true}", False),
        ("{required: true, status: pending}", False),
        ("{required: true, status: rejected, by: Ada, at: x}", False),
        ("{required: true, status: approved, by: Ada, at: x}", True),
        ("{required: false, status: rejected}", True),
        ("{status: pending}", True),
    ],
)
async def test_required_approval_is_waited_for(
    call: Caller, status: str, approval: str, is_ready: bool
) -> None:
    call.project.spec("one", status=status, approval=approval)

    assert await ready(call) == (["one"] if is_ready else [])


@ONE_ERA
@pytest.mark.parametrize("body", ["# Big", criteria("- [ ] a")])
@pytest.mark.parametrize(
    ("statuses", "is_ready"),
    [
        (["completed", "completed"], True),
        (["completed", "cancelled"], True),
        (["cancelled", "cancelled"], True),
        (["completed", "pending"], False),
        (["completed", "failed"], False),
        (["in_progress", "completed"], False),
    ],
)
async def test_a_spec_waits_for_its_members(
    call: Caller, body: str, statuses: list[str], is_ready: bool
) -> None:
    call.project.spec("big", body=body)
    for n, status in enumerate(statuses, 1):
        call.project.spec(f"big.{n}", status=status)

    assert ("big" in await ready(call)) == is_ready


async def test_nested_members_are_waited_for_too(call: Caller) -> None:
    call.project.spec("big")
    call.project.spec("big.1", status="completed")
    call.project.spec("big.1.1", status="in_progress")

    assert await ready(call) == []


async def test_archived_members_are_done(call: Caller) -> None:
    call.project.spec("big")
    archive(call.project, "big.1")
    call.project.spec("big.2", status="completed")

    assert await ready(call) == ["big"]


@pytest.mark.requirement("chant:ready:lists_specs_without_unmet_dependencies")
async def test_unreadable_files_are_told_beside_the_ready_specs(call: Caller) -> None:
    call.project.spec("good")
    call.project.write("broken", "---\nstatus: [\n---\n")

    data = await call.data("chant_ready")
    assert ids(data) == ["good"]
    assert problem_of(data, "broken")
