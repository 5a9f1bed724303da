"""Tools of one dialect tell the truth about what waits for items of others."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.ticket_files import ticket_project, write_ticket
from harness import Caller, Project

pytestmark = [pytest.mark.anyio]

SPEC = "2026-01-22-001-x7m"


def write_plan(project: Project, status: str, needs: str = "") -> Path:
    """Write a graph of one task."""
    path = project.root / "plan.vine"
    path.write_text(f"vine 1.2.0\n---\n[build] Build ({status}){needs}\n", encoding="utf-8")
    return path


async def test_a_spec_waits_for_a_task_and_a_ticket_until_both_are_done(call: Caller) -> None:
    ticket_project(call.project.root)
    write_ticket(call.project, 7)
    write_plan(call.project, "reviewing")
    call.project.spec(SPEC, depends_on=["vine:plan.vine#build", "tickets:DEM-7"])
    assert (await call.data("chant_ready"))["specs"] == []
    waits = (await call.data("chant_spec_get", id=SPEC))["waiting_for"]
    assert [(wait["id"], wait["status"], wait["note"]) for wait in waits] == [
        ("vine:plan.vine#build", "reviewing", "task in plan.vine"),
        ("tickets:DEM-7", "Approved", "ticket in docs/CRs/DEM-007.md"),
    ]
    assert "Blocked by unmet dependencies" in await call.text("chant_diagnose", id=SPEC)
    write_plan(call.project, "complete")
    write_ticket(call.project, 7, status="Implemented")
    assert [spec["id"] for spec in (await call.data("chant_ready"))["specs"]] == [SPEC]


async def test_lint_names_items_of_other_dialects_that_are_not_there(call: Caller) -> None:
    call.project.spec(SPEC, depends_on=["vine:plan.vine#build"])
    assert "Unknown dependency 'vine:plan.vine#build'" in await call.text("chant_lint")
    write_plan(call.project, "notstarted")
    assert "Unknown dependency" not in await call.text("chant_lint")
    call.project.spec(SPEC, depends_on=["vine:plan.vine#other"])
    assert "no task other in plan.vine" in await call.text("chant_lint")


async def test_a_task_that_needs_a_spec_is_not_offered_and_not_claimed_before(call: Caller) -> None:
    call.project.spec(SPEC)
    write_plan(call.project, "notstarted", f" @needs(chant:{SPEC})")
    claim = {"file": "plan.vine", "operations": [{"op": "claim", "id": "build"}]}
    found = await call.data("vine_next", file="plan.vine")
    assert found["ready_to_start"] == []
    assert found["waiting"] == [{"id": "build", "waits_for": [f"chant:{SPEC}"]}]
    refusal = await call.error("vine_write", **claim)
    assert f'Cannot claim "build": it needs what is not done: chant:{SPEC} (pending).' in refusal
    call.project.spec(SPEC, status="completed")
    found = await call.data("vine_next", file="plan.vine")
    assert [task["id"] for task in found["ready_to_start"]] == ["build"]
    await call.text("vine_write", **claim)


async def test_force_claims_a_task_that_needs_a_spec(call: Caller) -> None:
    write_plan(call.project, "notstarted", " @needs(chant:gone)")
    operation = {"op": "claim", "id": "build"}
    refusal = await call.error("vine_write", file="plan.vine", operations=[operation])
    assert "chant:gone (no such spec)" in refusal
    await call.text("vine_write", file="plan.vine", operations=[{**operation, "force": True}])


async def test_a_ticket_waits_for_a_spec_until_it_is_done(call: Caller) -> None:
    from chant_mcp import TicketProjects

    ticket_project(call.project.root)
    write_ticket(call.project, 7, dependsOn=f"chant:{SPEC}")
    call.project.spec(SPEC, status="in_progress")
    tickets = TicketProjects(call.project.root)
    assert tickets.ready().data["crs"] == []
    wait = {"reason": "ticket", "code": f"chant:{SPEC}", "status": "in_progress"}
    assert tickets.graph().data["nodes"][0]["waitingFor"] == [wait]
    assert f'"DEM-007" -> "chant:{SPEC}"' in tickets.picture(format="dot").text
    call.project.spec(SPEC, status="cancelled")
    assert [ticket["code"] for ticket in tickets.ready().data["crs"]] == ["DEM-007"]
    assert f'"DEM-007" -> "chant:{SPEC}"' in tickets.picture(format="dot", all=True).text


async def test_a_script_takes_an_export_in_pieces(call: Caller) -> None:
    from chant_mcp._core import ChantProject, SpeckitFeatures, TicketProjects, VineFiles, Workspace

    root = call.project.root
    for number in range(250):
        call.project.spec(f"2026-01-22-{number:03}-abc")
    chant, vine, tickets = ChantProject(root), VineFiles(root), TicketProjects(root)
    features = SpeckitFeatures(root)
    workspace = Workspace(root, chant=chant, vine=vine, speckit=features, tickets=tickets)
    assert workspace.dialects() == ["chant"]
    pieces = list(workspace.export("csv", fields=["id"]))
    assert len(pieces) == 4
    assert "".join(pieces).count("\r\n") == 251
    assert workspace.root == root.resolve()
