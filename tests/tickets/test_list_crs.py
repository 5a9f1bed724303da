"""`list_crs`: rows, filters, pages and fields (seed tickets 75-117; reference tickets 3.5 and 10)."""

from __future__ import annotations

import os
from typing import Any

import pytest
from harness import Caller, text_of
from tickets.filing import (
    LONG_AGO,
    MOMENT,
    ONE_ERA,
    PRIORITIES,
    ROW,
    STATUSES,
    TYPES,
    Tickets,
    answer,
    codes,
    invalid,
)

pytestmark = pytest.mark.anyio

EXAMPLE = """\
---
code: MDT-001
status: In Progress
dateCreated: 2025-09-07T10:00:00.000Z
lastModified: 2025-10-02T09:20:02.492Z
type: Feature Enhancement
priority: High
phaseEpic: Phase A
dependsOn: MDT-002
assignee: developer@example.com
---

# Multi-project CR dashboard
"""


@pytest.mark.requirement(
    "tickets:list_crs:ticket_has_nine_keys",
    "tickets:list_crs:totals",
    "tickets:list_crs:filters_by_status",
    "tickets:list_crs:filters_by_type",
    "tickets:list_crs:filters_by_priority",
)
async def test_the_seeds_example(call: Caller, tickets: Tickets) -> None:
    tickets.write("MDT-001-multi-project-cr-dashboard", EXAMPLE)
    filters = {
        "status": ["In Progress", "Approved"],
        "type": "Feature Enhancement",
        "priority": ["High", "Critical"],
    }
    found = await answer(call, "list_crs", project="MDT", filters=filters)
    assert found == {
        "crs": [
            {
                "code": "MDT-001",
                "title": "Multi-project CR dashboard",
                "status": "In Progress",
                "type": "Feature Enhancement",
                "priority": "High",
                "dateCreated": "2025-09-07T10:00:00.000Z",
                "lastModified": "2025-10-02T09:20:02.492Z",
                "assignee": "developer@example.com",
                "phaseEpic": "Phase A",
            }
        ],
        "total": 1,
        "filtered": 1,
    }
    assert list(found) == ["crs", "total", "filtered"]
    assert list(found["crs"][0]) == ROW


@pytest.mark.requirement("tickets:list_crs:ticket_has_nine_keys")
async def test_what_a_file_does_not_say_has_its_documented_default(call: Caller, tickets: Tickets) -> None:
    path = tickets.write("MDT-003-only-a-name", "---\ncode: MDT-003\n---\n")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    (row,) = (await answer(call, "list_crs"))["crs"]
    assert list(row) == ROW
    assert MOMENT.fullmatch(row.pop("dateCreated"))
    assert row == {
        "code": "MDT-003",
        "title": "only a name",
        "status": "Proposed",
        "type": "Feature Enhancement",
        "priority": "Medium",
        "lastModified": "2023-11-14T22:13:20.000Z",
        "assignee": None,
        "phaseEpic": None,
    }


# Filters


def one_of_each(tickets: Tickets) -> None:
    """Write a ticket of every status, with the types and priorities in turn."""
    for number, status in enumerate(STATUSES):
        tickets.ticket(
            number + 1,
            status=status,
            type=TYPES[number % len(TYPES)],
            priority=PRIORITIES[number % len(PRIORITIES)],
            phaseEpic=f"Phase {number % 2}",
            assignee="ada@example.org" if number % 3 == 0 else None,
        )


CASES: list[tuple[dict[str, Any], list[int]]] = [
    ({}, [7, 6, 5, 4, 3, 2, 1]),
    ({"status": "Approved"}, [2]),
    ({"status": ["Approved"]}, [2]),
    ({"status": ["Approved", "In Progress"]}, [3, 2]),
    ({"status": "Implemented"}, [4]),
    ({"status": "implemented"}, [4]),
    ({"status": " ON HOLD "}, [6]),
    ({"status": "Partially Implemented"}, [7]),
    ({"type": "Bug Fix"}, [3]),
    ({"type": ["architecture", "Research"]}, [7, 6, 1]),
    ({"priority": "Low"}, [5, 1]),
    ({"priority": ["HIGH", "critical"]}, [7, 4, 3]),
    ({"status": ["Approved", "On Hold"], "priority": "Medium"}, [6, 2]),
    ({"status": ["Approved"], "type": "Bug Fix"}, []),
    ({"phaseEpic": "phase 1"}, [6, 4, 2]),
    ({"phaseEpic": "Phase 7"}, []),
    ({"assignee": ["ada@example.org", "nobody"]}, [7, 4, 1]),
    ({"assignee": "ada"}, []),
    ({"status": []}, []),
    ({"status": None}, [7, 6, 5, 4, 3, 2, 1]),
    ({"status": None, "type": "Bug Fix"}, [3]),
]
"""Filters, and the numbers of the tickets they leave, the newest first."""


@ONE_ERA
@pytest.mark.requirement(
    "tickets:list_crs:filters_by_status",
    "tickets:list_crs:filters_by_type",
    "tickets:list_crs:filters_by_priority",
    "tickets:list_crs:totals",
)
async def test_filters_leave_what_has_one_of_the_values_of_each(call: Caller, tickets: Tickets) -> None:
    one_of_each(tickets)
    for filters, numbers in CASES:
        found = await answer(call, "list_crs", filters=filters)
        assert codes(found) == [f"MDT-{number:03}" for number in numbers], filters
        assert (found["total"], found["filtered"]) == (7, len(numbers)), filters
    assert codes(await answer(call, "list_crs", filters=None))[0] == "MDT-007"


REFUSED: list[tuple[dict[str, Any], str, str]] = [
    (
        {"status": "Implementd"},
        "status",
        f"Invalid status 'Implementd'. Must be one of: {', '.join(STATUSES)}",
    ),
    ({"status": ["Approved", "Done"]}, "status", "Invalid status 'Done'."),
    ({"status": ""}, "status", "Invalid status ''."),
    ({"type": "Feature"}, "type", f"Invalid type 'Feature'. Must be one of: {', '.join(TYPES)}"),
    ({"priority": "P1"}, "priority", "Invalid priority 'P1'. Must be one of: Low, Medium, High, Critical"),
    ({"priority": 1}, "priority", "expected text or a list of texts, got number"),
    ({"status": [["Approved"]]}, "status", "expected text or a list of texts, got array"),
    ({"status": {"is": "Approved"}}, "status", "expected text or a list of texts, got object"),
    ({"statuss": "Approved"}, "statuss", "did you mean status?"),
    ({"prio": "High"}, "prio", "allowed are: status, type, priority, assignee, phaseEpic"),
]


@ONE_ERA
@pytest.mark.parametrize(("filters", "field", "words"), REFUSED)
@pytest.mark.requirement("tickets:errors:validation_error")
async def test_a_filter_that_can_match_nothing_is_refused_with_what_there_is(
    call: Caller, tickets: Tickets, filters: dict[str, Any], field: str, words: str
) -> None:
    one_of_each(tickets)
    refusal = await invalid(call, "list_crs", filters=filters)
    assert list(refusal) == [field]
    assert words in refusal[field]


@pytest.mark.requirement("tickets:errors:validation_error")
async def test_all_bad_filters_are_told_at_once(call: Caller) -> None:
    refusal = await invalid(call, "list_crs", filters={"status": "x", "type": "y", "priority": "Low"})
    assert list(refusal) == ["status", "type"]


@ONE_ERA
async def test_words_of_files_that_nobody_documented_can_be_filtered_by(
    call: Caller, tickets: Tickets
) -> None:
    tickets.ticket(1, type="Tech Debt", status="Superseded", priority="P1")
    tickets.ticket(2)
    row = (await answer(call, "list_crs", filters={"status": "superseded"}))["crs"][0]
    assert (row["status"], row["type"], row["priority"]) == ("Superseded", "Tech Debt", "P1")
    assert codes(await answer(call, "list_crs", filters={"type": "tech debt"})) == ["MDT-001"]
    refusal = await invalid(call, "list_crs", filters={"priority": "P2"})
    assert refusal["priority"].endswith("Critical, P1"), "words found are among the choices"


# Pages and fields


@pytest.mark.requirement("tickets:list_crs:totals")
async def test_a_thousand_tickets_cost_less_than_10_kb_and_say_how_to_get_the_rest(
    call: Caller, tickets: Tickets
) -> None:
    for number in range(1, 1001):
        tickets.ticket(
            number,
            f"Ticket about subject {number} in the importer",
            type="Feature Enhancement",
            priority="High",
            lastModified=LONG_AGO,
            assignee="developer@example.com",
            phaseEpic="Phase A",
        )
    result = await call("list_crs", project="MDT")
    assert len(text_of(result).encode()) < 10_000
    first = await answer(call, "list_crs", project="MDT")
    assert len(first["crs"]) == 20
    assert {key: value for key, value in first.items() if key != "crs"} == {
        "total": 1000,
        "filtered": 1000,
        "returned": 20,
        "next_offset": 20,
    }
    seen: list[str] = []
    offset = 0
    while offset is not None:
        page = await answer(call, "list_crs", limit=400, offset=offset, fields=["title"])
        assert len(text_of(await call("list_crs", limit=400, offset=offset))) < 50_000
        seen += codes(page)
        assert page["returned"] == len(page["crs"])
        offset = page.get("next_offset")
    assert seen == [f"MDT-{number:03}" for number in range(1000, 0, -1)]


@ONE_ERA
@pytest.mark.requirement("tickets:list_crs:totals")
async def test_pages_of_what_is_filtered(call: Caller, tickets: Tickets) -> None:
    for number in range(1, 11):
        tickets.ticket(number, status="Approved" if number % 2 else "Proposed")
    expected = {
        (2, 0): (["MDT-009", "MDT-007"], 2, 2),
        (2, 2): (["MDT-005", "MDT-003"], 2, 4),
        (2, 4): (["MDT-001"], 1, None),
        (9, 5): ([], 0, None),
        (9, 99): ([], 0, None),
        (0, 0): ([], 0, None),
        (5, 0): (["MDT-009", "MDT-007", "MDT-005", "MDT-003", "MDT-001"], None, None),
    }
    for (limit, offset), (found, returned, following) in expected.items():
        page = await answer(call, "list_crs", filters={"status": "Approved"}, limit=limit, offset=offset)
        assert codes(page) == found
        assert (page["total"], page["filtered"]) == (10, 5)
        assert (page.get("returned"), page.get("next_offset")) == (returned, following), (limit, offset)


@ONE_ERA
async def test_fields_choose_the_keys_and_the_code_is_always_there(call: Caller, tickets: Tickets) -> None:
    tickets.write("MDT-001-a", EXAMPLE)
    path = str(tickets.path("MDT-001-a"))
    expected: dict[tuple[str, ...], dict[str, Any]] = {
        (): {},
        ("title",): {"title": "Multi-project CR dashboard"},
        ("priority", "status"): {"status": "In Progress", "priority": "High"},
        ("filePath", "dependsOn"): {"dependsOn": ["MDT-002"], "filePath": path},
        ("code", "blocks", "relatedTickets"): {"blocks": [], "relatedTickets": []},
    }
    for fields, values in expected.items():
        (row,) = (await answer(call, "list_crs", fields=[*fields]))["crs"]
        assert list(row.items()) == [("code", "MDT-001"), *values.items()]
    refusal = await invalid(call, "list_crs", fields=["title", "body"])
    assert refusal["fields"].startswith("Unknown field 'body'; ")
    for field in refusal["fields"].split("allowed are: ")[1].split(", "):
        (row,) = (await answer(call, "list_crs", fields=[field]))["crs"]
        assert field in row


@ONE_ERA
@pytest.mark.requirement("tickets:list_crs:ticket_has_nine_keys")
async def test_long_values_are_cut_in_lists_and_whole_elsewhere(call: Caller, tickets: Tickets) -> None:
    title = "Ein sehr langer Titel über viele Dinge " * 40
    tickets.ticket(1, phaseEpic="p" * 3000, body="x")
    tickets.write("MDT-001-ticket", tickets.text("MDT-001-ticket").replace("# Ticket", f"# {title}"))
    (row,) = (await answer(call, "list_crs"))["crs"]
    assert row["title"] == f"{title[:120]}… ({len(title.strip())} characters)"
    assert row["phaseEpic"] == f"{'p' * 120}… (3000 characters)"
    found = await answer(call, "get_cr", key=1, mode="attributes")
    assert (found["title"], found["phaseEpic"]) == (title.strip(), "p" * 3000)


# Files


@ONE_ERA
@pytest.mark.requirement("tickets:list_crs:totals")
async def test_what_cannot_be_read_is_told_and_hides_nothing(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(1)
    tickets.write("MDT-002-latin", b"---\ncode: MDT-002\n---\n\n# gr\xfc\xdfe\n")
    tickets.write("MDT-003-odd", "---\ncode: nonsense\nassignee: [a\ndateCreated: soon\n---\n")
    tickets.write("note", "---\ntitle: No code\n---\n")
    tickets.write("README", "# About this folder\n")
    (tickets.root / tickets.folder / "MDT-004").mkdir()
    (tickets.root / tickets.folder / "MDT-005-notes.txt").write_text("x", encoding="utf-8")
    found = await answer(call, "list_crs")
    assert codes(found) == ["MDT-003", "MDT-001"]
    assert (found["total"], found["filtered"]) == (2, 2)
    told = [(problem["path"], problem.get("line")) for problem in found["problems"]]
    odd = "docs/CRs/MDT-003-odd.md"
    assert told[0] == ("docs/CRs/MDT-002-latin.md", None)
    assert {path for path, _ in told} == {told[0][0], odd, "docs/CRs/note.md"}
    words = " ".join(problem["message"] for problem in found["problems"])
    for expected in ("UTF-8", "`nonsense` is no code", "dateCreated: soon", "it has no code"):
        assert expected in words


@ONE_ERA
async def test_many_problems_are_counted(call: Caller, tickets: Tickets) -> None:
    for number in range(1, 31):
        tickets.ticket(number, dateCreated="soon")
    found = await answer(call, "list_crs", limit=1)
    assert len(found["problems"]) == 5
    assert found["problems_total"] == 30


@ONE_ERA
async def test_a_list_follows_every_change_of_the_folder(call: Caller, tickets: Tickets) -> None:
    assert await answer(call, "list_crs") == {"crs": [], "total": 0, "filtered": 0}
    path = tickets.ticket(1)
    assert codes(await answer(call, "list_crs")) == ["MDT-001"]
    path.write_text(path.read_text("utf-8").replace("Proposed", "Approved"), encoding="utf-8")
    assert (await answer(call, "list_crs"))["crs"][0]["status"] == "Approved"
    path.rename(path.with_name("MDT-009-moved.md"))
    assert codes(await answer(call, "list_crs")) == ["MDT-001"], "the front matter says the code"
    path.with_name("MDT-009-moved.md").unlink()
    assert codes(await answer(call, "list_crs")) == []
    (tickets.root / tickets.folder).rmdir()
    assert (await answer(call, "list_crs"))["total"] == 0


@ONE_ERA
async def test_numbers_are_in_the_order_of_numbers(call: Caller, tickets: Tickets) -> None:
    for number in (9, 1000, 99, 10, 1):
        tickets.ticket(number)
    expected = ["MDT-1000", "MDT-099", "MDT-010", "MDT-009", "MDT-001"]
    assert codes(await answer(call, "list_crs")) == expected
