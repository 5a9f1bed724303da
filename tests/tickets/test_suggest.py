"""`suggest_cr_improvements`: the seed's shape, the same advice each time, a score that adds up."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Caller
from mcp import Client
from tickets.filing import ONE_ERA, TYPES, Tickets, answer, invalid, refused, server_of
from writing import tree

pytestmark = pytest.mark.anyio

GOOD = """\
# Keep sessions over restarts

## 1. Description

### Problem Statement

Whoever restarts the server has to sign in again on every device, which costs support two hours a week.

### Current State

Sessions are kept in memory.

### Desired state

A restart is not noticed by anybody who is signed in.

### RATIONALE

It is the complaint that support hears most often.

## 4. Acceptance Criteria

- [ ] A session survives a restart of the server
- [x] Sessions of older releases end with a message
"""

FRONT = {
    "code": "MDT-001",
    "status": "In Progress",
    "type": "Feature Enhancement",
    "priority": "Medium",
    "phaseEpic": "Phase 2",
    "assignee": "ada",
    "dependsOn": "MDT-002",
}


def write(tickets: Tickets, body: str = GOOD, **keys: str | None) -> None:
    """Write the ticket that is asked about, and one that it may depend on."""
    lines = [f"{key}: {value}\n" for key, value in {**FRONT, **keys}.items() if value is not None]
    tickets.write("MDT-001-x", f"---\n{''.join(lines)}---\n\n{body}")
    tickets.ticket(2)


async def advice(call: Caller) -> Any:
    """Ask for advice, and check that it explains itself."""
    found = await answer(call, "suggest_cr_improvements", project="MDT", key="MDT-001")
    parts = found["scoreParts"]
    assert sum(part["outOf"] for part in parts) == pytest.approx(10)
    assert int(round(sum(part["score"] for part in parts) * 100) / 10) / 10 == found["overallScore"]
    assert len(found["suggestions"]) == len(found["weaknesses"])
    ranks = [("High", "Medium", "Low").index(item["priority"]) for item in found["suggestions"]]
    assert ranks == sorted(ranks)
    told = [
        weakness for part in parts if part["score"] < part["outOf"] for weakness in part["why"].split("; ")
    ]
    assert sorted(told) == sorted(found["weaknesses"]), "each loss is a weakness, and each weakness a loss"
    assert all((part["why"] == "nothing to improve") == (part["score"] == part["outOf"]) for part in parts)
    return found


@pytest.mark.requirement(
    "tickets:suggest:suggestion_has_four_keys",
    "tickets:suggest:answer_has_score_strengths_weaknesses",
    "tickets:suggest:parameters_are_required",
)
async def test_the_answer_has_the_shape_of_the_seed(call: Caller, tickets: Tickets) -> None:
    write(tickets, "# Short\n", priority="High")
    found = await advice(call)
    assert list(found) == ["suggestions", "overallScore", "strengths", "weaknesses", "scoreParts"]
    for item in found["suggestions"]:
        assert list(item) == ["category", "priority", "suggestion", "reason"]
        assert item["category"] in ("Content", "Structure", "Relations", "Status", "Attributes")
        assert item["priority"] in ("High", "Medium", "Low")
        assert item["suggestion"]
        assert item["reason"]
    assert isinstance(found["overallScore"], float)
    assert {"category": "Structure", "priority": "Medium"}.items() <= next(
        item for item in found["suggestions"] if "Risk Assessment" in item["suggestion"]
    ).items()
    assert all(isinstance(text, str) for text in [*found["strengths"], *found["weaknesses"]])
    assert await invalid(call, "suggest_cr_improvements") == {"key": "Missing required parameter: key"}
    assert (await refused(call, "suggest_cr_improvements", key=9))["code"] == "CR_NOT_FOUND"


@ONE_ERA
async def test_a_ticket_without_a_flaw_has_ten_and_no_suggestion(call: Caller, tickets: Tickets) -> None:
    """Its headings are written in several ways."""
    write(tickets)
    found = await advice(call)
    assert (found["overallScore"], found["suggestions"], found["weaknesses"]) == (10.0, [], [])
    assert len(found["strengths"]) >= 5
    write(tickets, GOOD.upper().replace("[X]", "[x]"))
    assert (await advice(call))["overallScore"] == 10.0


FLAWS: dict[str, tuple[dict[str, Any], str, str]] = {
    "a section is missing": (
        {"body": GOOD.replace("### Current State", "### Now")},
        "Structure",
        "`Current State`",
    ),
    "a section is empty": (
        {"body": GOOD.replace("Sessions are kept in memory.", "TODO")},
        "Content",
        "`Current State`",
    ),
    "the words stand in text only": (
        {"body": GOOD.replace("### RATIONALE", "The rationale is this:")},
        "Structure",
        "`Rationale`",
    ),
    "the heading stands in code": (
        {"body": GOOD.replace("### RATIONALE", "```\n### Rationale\n```\n")},
        "Structure",
        "`Rationale`",
    ),
    "no criteria": ({"body": GOOD.split("## 4.")[0]}, "Structure", "`Acceptance Criteria`"),
    "criteria without boxes": (
        {"body": GOOD.replace("[ ] ", "").replace("[x] ", "")},
        "Structure",
        "checkboxes",
    ),
    "a vague criterion": ({"body": GOOD + "- [ ] works\n"}, "Content", "`works`"),
    "waits for itself": ({"dependsOn": "MDT-1"}, "Relations", "`MDT-001`"),
    "waits for nothing there": ({"dependsOn": "MDT-77"}, "Relations", "`MDT-77`"),
    "waits for what it blocks": ({"blocks": "mdt-2"}, "Relations", "`MDT-002`"),
    "an unknown status": ({"status": "Superseded"}, "Status", "Proposed, Approved"),
    "an unknown type": ({"type": "Tech Debt"}, "Attributes", "Technical Debt"),
    "an unknown priority": ({"priority": "P1"}, "Attributes", "Low, Medium, High, Critical"),
    "no phase": ({"phaseEpic": None}, "Attributes", "`phaseEpic`"),
    "implemented with open criteria": ({"status": "Implemented"}, "Status", "acceptance criteria"),
    "nobody works on it": ({"assignee": None}, "Status", "`assignee`"),
    "approved and implemented": (
        {"status": "Approved", "implementationDate": "2025-10-02"},
        "Status",
        "`implementationDate`",
    ),
}


@ONE_ERA
@pytest.mark.parametrize("flaw", FLAWS)
async def test_each_flaw_costs_something_and_is_told(call: Caller, tickets: Tickets, flaw: str) -> None:
    changes, category, words = FLAWS[flaw]
    write(tickets, **changes)
    found = await advice(call)
    assert found["overallScore"] < 10
    told = [item["suggestion"] for item in found["suggestions"] if item["category"] == category]
    assert any(words in suggestion for suggestion in told), found["suggestions"]


@ONE_ERA
async def test_the_same_ticket_gets_the_same_advice_from_every_server(call: Caller, tickets: Tickets) -> None:
    write(
        tickets, GOOD.replace("### ", "#### "), dependsOn="MDT-5,MDT-4,MDT-3", blocks="MDT-9", priority="High"
    )
    before = tree(tickets.root)
    first = await advice(call)
    async with Client(tickets.server()) as client:
        assert await advice(Caller(client, call.project)) == first
    tickets.path("MDT-001-x").rename(tickets.path("MDT-001-renamed"))
    assert await advice(call) == first
    tickets.path("MDT-001-renamed").rename(tickets.path("MDT-001-x"))
    assert tree(tickets.root) == before, "advice writes nothing"


@ONE_ERA
async def test_advice_on_templates_names_only_what_is_there(call: Caller, tickets: Tickets) -> None:
    for number, kind in enumerate(TYPES, 1):
        await answer(call, "create_cr", type=kind, data={"title": "T"})
        found = await answer(call, "suggest_cr_improvements", key=number)
        assert found["overallScore"] < 3
        text = str(found)
        assert "find_related_crs" not in text
        listed = await call.data("manage_cr_sections", key=number, operation="list")
        titles = " ".join(section["header"] for section in listed["sections"])
        for item in found["suggestions"]:
            if item["suggestion"].startswith("Fill"):
                for name in item["suggestion"].split("`")[1::2]:
                    assert name in titles


@ONE_ERA
async def test_a_relation_may_lead_to_another_project(call: Caller, tickets: Tickets) -> None:
    other = Tickets(tickets.root / "nested", "API")
    other.defines()
    other.ticket(1)
    write(tickets, dependsOn="API-1")
    home = tickets.root.parent / "home" / ".config" / "markdown-ticket" / "projects"
    home.mkdir(parents=True)
    (home / "api.toml").write_text(f'[project]\npath = "{other.root}"\n', encoding="utf-8")
    assert (await advice(call))["overallScore"] < 10
    async with Client(server_of(tickets.root, home=tickets.root.parent / "home")) as client:
        assert (await advice(Caller(client, call.project)))["overallScore"] == 10.0
