"""`get_cr`: three modes, keys, pieces (seed tickets 119-176; reference tickets 3.2, 3.6 and 10)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from harness import Caller, text_of
from tickets.filing import LONG_AGO, ONE_ERA, ROW, Tickets, answer, invalid, note_of, refused
from writing import tree

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
relatedTickets: MDT-003,MDT-004
dependsOn: MDT-002
blocks: MDT-005
assignee: developer@example.com
---
# Multi-project CR dashboard

# Description

Detailed markdown content...
"""
NAME = "MDT-001-multi-project-cr-dashboard"

ATTRIBUTES = {
    "code": "MDT-001",
    "title": "Multi-project CR dashboard",
    "status": "In Progress",
    "type": "Feature Enhancement",
    "priority": "High",
    "dateCreated": "2025-09-07T10:00:00.000Z",
    "lastModified": "2025-10-02T09:20:02.492Z",
    "assignee": "developer@example.com",
    "phaseEpic": "Phase A",
    "dependsOn": ["MDT-002"],
    "blocks": ["MDT-005"],
    "relatedTickets": ["MDT-003", "MDT-004"],
}


@pytest.mark.requirement("tickets:get_cr:attributes_is_the_front_matter")
async def test_the_seeds_attributes(call: Caller, tickets: Tickets) -> None:
    tickets.write(NAME, EXAMPLE)
    found = await answer(call, "get_cr", project="MDT", key="MDT-001", mode="attributes")
    assert found == ATTRIBUTES
    assert list(found) == list(ATTRIBUTES)


@pytest.mark.requirement("tickets:get_cr:metadata_has_the_path")
async def test_the_seeds_metadata(call: Caller, tickets: Tickets) -> None:
    path = tickets.write(NAME, EXAMPLE)
    found = await answer(call, "get_cr", project="MDT", key="MDT-001", mode="metadata")
    assert list(found.items()) == [
        ("code", "MDT-001"),
        ("title", "Multi-project CR dashboard"),
        ("status", "In Progress"),
        ("type", "Feature Enhancement"),
        ("priority", "High"),
        ("dateCreated", "2025-09-07T10:00:00.000Z"),
        ("lastModified", "2025-10-02T09:20:02.492Z"),
        ("phaseEpic", "Phase A"),
        ("filePath", str(path)),
    ]


@pytest.mark.requirement("tickets:get_cr:full_is_plain_markdown", "tickets:get_cr:mode_is_full")
async def test_the_whole_markdown_comes_as_it_is_stored(call: Caller, tickets: Tickets) -> None:
    tickets.write(NAME, EXAMPLE)
    body = EXAMPLE.split("---\n")[2]
    for arguments in ({}, {"mode": "full"}, {"mode": None}):
        result = await call("get_cr", project="MDT", key="MDT-001", **arguments)
        assert text_of(result) == body
        assert len(result.content) == 1
        assert result.structured_content is None


BODIES = [
    "",
    "\n",
    "# T\n",
    "\n\n  # not a title\n\ntext",
    "\r\n# T\r\n\r\ntext\r\n",
    "# T\n\n```sh\n# a comment\n#!/bin/sh\n```\n\n# Second\n\n---\ncode: MDT-002\n---\n",
    "text \t\n\n\n\n",
    "# ü 🙂\u2028x\u00a0\n",
    "# T\n\n| a | b |\n|---|---|\n| `|` | \\| |\n\n<!-- # no -->\n",
    "# `code` *emph* \\# #\n",
]


@ONE_ERA
async def test_no_character_of_a_body_is_changed_or_left_out(call: Caller, tickets: Tickets) -> None:
    for body in BODIES:
        tickets.write("MDT-001-x", f"---\ncode: MDT-001\n---\n{body}")
        assert text_of(await call("get_cr", key=1)) == body


@ONE_ERA
@pytest.mark.requirement("tickets:get_cr:attributes_is_the_front_matter")
async def test_attributes_end_with_the_files_own_other_keys(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(
        1,
        title_style=None,
        reviewers="[ada, 'bob']",
        estimate="3.50",
        url="https://example.org/#x",
        implementationDate="2025-10-02",
        implementationNotes='"two: parts, three"',
        map="{a: 1}",
        empty="",
    )
    found = await answer(call, "get_cr", key=1, mode="attributes")
    assert list(found)[12:] == [
        "reviewers",
        "estimate",
        "url",
        "implementationDate",
        "implementationNotes",
        "map",
        "empty",
    ]
    assert found["reviewers"] == ["ada", "bob"]
    assert found["estimate"] == "3.50"
    assert found["url"] == "https://example.org/#x"
    assert found["implementationDate"] == "2025-10-02"
    assert found["implementationNotes"] == "two: parts, three"
    assert found["map"] == {"a": 1}
    assert not found["empty"]


@ONE_ERA
@pytest.mark.requirement("tickets:get_cr:attributes_is_the_front_matter")
async def test_commas_make_lists_of_relations_only(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(1, "One, two", assignee="ada, bob", phaseEpic="A, B", dependsOn="MDT-2, none,,MDT-3")
    found = await answer(call, "get_cr", key=1, mode="attributes")
    assert (found["title"], found["assignee"], found["phaseEpic"]) == ("One, two", "ada, bob", "A, B")
    assert found["dependsOn"] == ["MDT-2", "MDT-3"]


@ONE_ERA
@pytest.mark.requirement("tickets:get_cr:mode_is_full", "tickets:errors:validation_error")
async def test_an_unknown_mode_is_refused_with_those_there_are(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(1)
    for mode in ("Full", "meta", ""):
        why = f"Invalid mode '{mode}'. Must be one of: full, attributes, metadata"
        assert await invalid(call, "get_cr", key=1, mode=mode) == {"mode": why}


@ONE_ERA
@pytest.mark.requirement("tickets:get_cr:light_modes_are_light")
async def test_light_modes_cost_a_tenth_of_a_usual_ticket(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(1, type="Bug Fix", assignee="developer@example.com", body="A line of text.\n" * 500)
    full = len(text_of(await call("get_cr", key=1)))
    for mode in ("attributes", "metadata"):
        assert len(text_of(await call("get_cr", key=1, mode=mode))) < full / 10


# Keys


async def test_a_ticket_is_meant_by_its_whole_code_or_number_in_any_spelling(
    call: Caller, tickets: Tickets
) -> None:
    tickets.ticket(1, "First")
    tickets.ticket(11, "Eleventh")
    tickets.ticket(1501, "Late")
    for key in (1, 1.0, "1", "01", "001", "MDT-1", "mdt-001", " MDT-0001 ", "Mdt-01"):
        for arguments in ({}, {"project": "MDT"}):
            found = await answer(call, "get_cr", key=key, mode="metadata", **arguments)
            assert found["title"] == "First", key
    for key in (1501, "mdt-1501", "MDT-001501"):
        assert (await answer(call, "get_cr", key=key, mode="metadata"))["title"] == "Late"


@ONE_ERA
@pytest.mark.requirement("tickets:errors:cr_not_found", "tickets:errors:validation_error")
async def test_a_part_of_a_code_or_of_a_name_means_nothing(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(11, "Eleventh")
    tickets.ticket(110, "Eleven and more")
    before = tree(tickets.root)
    for tool in ("get_cr", "delete_cr", "suggest_cr_improvements"):
        for key in ("MDT", "MDT-", "eleventh", "MDT-011-eleventh", "MDT-11x", "-11", "1.1", "", " ", "*"):
            refusal = await invalid(call, tool, project="MDT", key=key)
            assert refusal["key"] == f"'{key}' is no key; expected a code such as MDT-007 or its number"
        for key in ("MDT-1", "1", 1, "MDT-111"):
            error = await refused(call, tool, key=key)
            assert error["code"] == "CR_NOT_FOUND"
            assert error["details"]["availableKeys"] == ["MDT-110", "MDT-011"]
    assert tree(tickets.root) == before


@ONE_ERA
@pytest.mark.requirement("tickets:errors:cr_not_found")
async def test_a_key_of_another_project_is_not_found_in_this_one(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(1)
    error = await refused(call, "get_cr", project="MDT", key="API-1")
    assert error["error"] == "CR 'API-001' not found in project 'MDT'"
    assert error["details"] == {"project": "MDT", "key": "API-001", "availableKeys": ["MDT-001"]}
    error = await refused(call, "get_cr", key="API-1")
    assert (error["code"], error["details"]["project"]) == ("PROJECT_NOT_FOUND", "API")


@ONE_ERA
async def test_the_code_is_what_the_front_matter_says_else_the_name(call: Caller, tickets: Tickets) -> None:
    tickets.write("MDT-001-a", "---\ncode: MDT-5\n---\n# Unpadded\n")
    tickets.write("MDT-002-b", "---\ncode: mdt-6\n---\n# Lower case\n")
    tickets.write("MDT-003-c", "---\nkey: MDT-007\n---\n# By key\n")
    tickets.write("mdt-004", "---\nstatus: Approved\n---\n# By name\n")
    tickets.write("MDT-8_odd", "# No front matter\n")
    tickets.write("anything", "---\ncode: MDT-9\n---\n# Any name\n")
    titles = {5: "Unpadded", 6: "Lower case", 7: "By key", 4: "By name", 8: "No front matter", 9: "Any name"}
    for key, title in titles.items():
        found = await answer(call, "get_cr", key=key, mode="metadata")
        assert (found["code"], found["title"]) == (f"MDT-{key:03}", title)
    for key in (1, 2, 3):
        assert (await refused(call, "get_cr", key=key))["code"] == "CR_NOT_FOUND"


# Pieces


async def test_the_pieces_of_a_long_body_make_up_the_whole(call: Caller, tickets: Tickets) -> None:
    body = "# Long\n\n" + "".join(f'Line {number} "ü🙂"\t\\\n' for number in range(9_000))
    tickets.write("MDT-001-long", f"---\ncode: MDT-001\n---\n{body}")
    for most in (None, 7_919):
        parts: list[str] = []
        offset: int | None = 0
        while offset is not None:
            limit = {} if most is None else {"max_chars": most}
            result = await call("get_cr", key=1, offset=offset, **limit)
            text = text_of(result)
            assert len(text) <= (most or 40_000)
            parts.append(text)
            end = offset + len(text)
            if len(result.content) == 1:
                break
            note = note_of(result)
            assert note == f"Characters {offset} to {end} of {len(body)}; offset={end} gives what follows."
            found = re.search(r"offset=(\d+)", note)
            offset = found and int(found[1])
        assert "".join(parts) == body
        assert len(parts) > 4


@ONE_ERA
async def test_pieces_at_the_edges(call: Caller, tickets: Tickets) -> None:
    tickets.write("MDT-001-x", "---\ncode: MDT-001\n---\nabc🙂d")
    for offset, most, expected in [(0, 5, "abc🙂d"), (3, 1, "🙂"), (4, 1, "d"), (5, 1, ""), (99, 1, "")]:
        assert text_of(await call("get_cr", key=1, offset=offset, max_chars=most)) == expected
    why = "Invalid parameter 'max_chars': expected integer of at least 1, got 0"
    assert await invalid(call, "get_cr", key=1, max_chars=0) == {"max_chars": why}


# Two files of one code


@pytest.mark.requirement("tickets:errors:duplicate_cr")
async def test_two_files_of_one_code_are_both_told_and_neither_is_changed(
    call: Caller, tickets: Tickets
) -> None:
    first = tickets.write("MDT-001-a", f"---\ncode: MDT-001\ndateCreated: {LONG_AGO}\n---\n# A\n")
    second = tickets.write("MDT-001-b", "---\ncode: mdt-1\n---\n# B\n")
    tickets.ticket(2)
    paths = [str(first), str(second)]
    before = tree(tickets.root)
    rows = (await answer(call, "list_crs"))["crs"]
    assert [(row["code"], row["title"], row.get("filePath")) for row in rows] == [
        ("MDT-002", "Ticket", None),
        ("MDT-001", "A", paths[0]),
        ("MDT-001", "B", paths[1]),
    ]
    for mode in ("attributes", "metadata"):
        found = await answer(call, "get_cr", key=1, mode=mode)
        assert found["title"] == "A"
        assert found["files"] == paths
    result = await call("get_cr", key=1)
    assert text_of(result) == "# A\n"
    assert all(path in note_of(result) for path in paths)
    changes: list[tuple[str, dict[str, Any]]] = [
        ("update_cr_attrs", {"attributes": {"priority": "High"}}),
        ("update_cr_status", {"status": "Approved"}),
        ("delete_cr", {}),
        ("manage_cr_sections", {"operation": "append", "section": "A", "content": "x"}),
    ]
    for tool, arguments in changes:
        error = await refused(call, tool, key=1, **arguments)
        assert error["code"] == "DUPLICATE_CR"
        assert error["details"] == {"key": "MDT-001", "files": paths}
        assert all(path in error["error"] for path in paths)
    assert tree(tickets.root) == before
    second.unlink()
    assert list(await answer(call, "get_cr", key=1, mode="metadata"))[:9] == [
        *[key for key in ROW if key != "assignee"],
        "filePath",
    ]
    assert "files" not in await answer(call, "get_cr", key=1, mode="metadata")


@ONE_ERA
@pytest.mark.requirement("tickets:errors:file_system_error")
async def test_a_file_that_is_no_text_is_told_with_its_place(call: Caller, tickets: Tickets) -> None:
    path = tickets.write("MDT-001-latin", b"---\ncode: MDT-001\n---\n\n# gr\xfc\xdfe\n")
    for tool, arguments in [
        ("get_cr", {}),
        ("update_cr_status", {"status": "Approved"}),
        ("manage_cr_sections", {"operation": "list"}),
    ]:
        error = await refused(call, tool, key=1, **arguments)
        assert error["code"] == "FILE_SYSTEM_ERROR"
        assert error["details"]["key"] == "MDT-001"
        assert error["details"]["file"] == str(path)
        assert "UTF-8" in error["details"]["reason"]
        assert error["error"].count("cannot be read") == 1
