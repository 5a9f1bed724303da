"""`update_cr_attrs`, `update_cr_status` and `delete_cr` (seed tickets 230-290; reference 3.8, 3.9)."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from harness import Caller
from tickets.filing import LONG_AGO, MOMENT, ONE_ERA, STATUSES, Tickets, answer, codes, invalid, refused
from writing import changed, leftovers, tree

pytestmark = pytest.mark.anyio

TEXT = """\
---
code: MDT-001
title: Old title
status: "Proposed"   # nobody agreed yet
dateCreated: 2025-09-07T10:00:00.000Z
lastModified: 2025-09-08
type: Bug Fix
priority: Low
relatedTickets: MDT-002
# the rest is ours
estimate: 3
---

# Old title

status: Proposed
lastModified: x

## Notes

Text.
"""
NAME = "MDT-001-old-title"


async def updated(call: Caller, key: object = 1, /, **attributes: Any) -> dict[str, Any]:
    """Change attributes and give what is answered."""
    return await answer(call, "update_cr_attrs", key=key, attributes=attributes)


def recent(moment: str) -> bool:
    """Return whether a moment is of this minute."""
    assert MOMENT.fullmatch(moment)
    then = datetime.fromisoformat(moment.replace("Z", "+00:00"))
    return abs((datetime.now(timezone.utc) - then).total_seconds()) < 60


@pytest.mark.requirement("tickets:update_cr_attrs:changes_attributes")
async def test_the_seeds_example(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(10)
    tickets.ticket(15)
    before = tickets.write(NAME, TEXT).read_bytes()
    found = await answer(
        call,
        "update_cr_attrs",
        project="MDT",
        key="MDT-001",
        attributes={"priority": "Critical", "assignee": "lead-dev@example.com", "blocks": "MDT-010,MDT-015"},
    )
    assert list(found) == ["cr", "changed"]
    assert found["changed"] == {
        "priority": {"from": "Low", "to": "Critical"},
        "assignee": {"from": None, "to": "lead-dev@example.com"},
        "blocks": {"from": [], "to": ["MDT-010", "MDT-015"]},
    }
    assert found["cr"] == await answer(call, "get_cr", key=1, mode="attributes")
    now = found["cr"]["lastModified"]
    assert recent(now)
    assert changed(before, tickets.bytes(NAME)) == [
        "-lastModified: 2025-09-08",
        f"+lastModified: {now}",
        "-priority: Low",
        "+priority: Critical",
        "+blocks: MDT-010,MDT-015",
        "+assignee: lead-dev@example.com",
    ]
    assert leftovers(tickets.root) == []


EACH: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"title": "New: one"}, {"title": ("Old title", "New: one")}, ['title: "New: one"', "# New: one"]),
    ({"priority": "hIGH"}, {"priority": ("Low", "High")}, ["priority: High"]),
    ({"phaseEpic": " Phase B "}, {"phaseEpic": (None, "Phase B")}, ["phaseEpic: Phase B"]),
    ({"assignee": "Ada, Bob"}, {"assignee": (None, "Ada, Bob")}, ["assignee: Ada, Bob"]),
    (
        {"relatedTickets": "3, MDT-2"},
        {"relatedTickets": (["MDT-002"], ["MDT-003", "MDT-002"])},
        ["relatedTickets: MDT-003,MDT-002"],
    ),
    ({"dependsOn": ["MDT-3"]}, {"dependsOn": ([], ["MDT-003"])}, ["dependsOn: MDT-003"]),
    ({"blocks": [2, 3]}, {"blocks": ([], ["MDT-002", "MDT-003"])}, ["blocks: MDT-002,MDT-003"]),
    (
        {"implementationDate": "2025-10-02"},
        {"implementationDate": (None, "2025-10-02")},
        ["implementationDate: 2025-10-02"],
    ),
    (
        {"implementationNotes": "done: # all"},
        {"implementationNotes": (None, "done: # all")},
        ['implementationNotes: "done: # all"'],
    ),
    ({"relatedTickets": ""}, {"relatedTickets": (["MDT-002"], [])}, []),
    ({"relatedTickets": []}, {"relatedTickets": (["MDT-002"], [])}, []),
    ({"relatedTickets": "none"}, {"relatedTickets": (["MDT-002"], [])}, []),
]


@ONE_ERA
@pytest.mark.parametrize(("given", "expected", "lines"), EACH, ids=lambda value: str(value)[:30])
@pytest.mark.requirement("tickets:update_cr_attrs:changes_attributes")
async def test_each_attribute_changes_its_own_lines_and_no_others(
    call: Caller, tickets: Tickets, given: dict[str, Any], expected: dict[str, Any], lines: list[str]
) -> None:
    before = tickets.write(NAME, TEXT).read_bytes()
    tickets.ticket(2)
    tickets.ticket(3)
    found = await updated(call, **given)
    assert "warnings" not in found
    assert found["changed"] == {name: {"from": old, "to": new} for name, (old, new) in expected.items()}
    edits = changed(before, tickets.bytes(NAME))
    now = found["cr"]["lastModified"]
    assert sorted(line[1:] for line in edits if line[0] == "+") == sorted([*lines, f"lastModified: {now}"])
    gone = {line[1:].split(":")[0] for line in edits if line[0] == "-"}
    of_title = {"title", "# Old title"} if "title" in given else set()
    assert gone <= {"lastModified", *given, *of_title}


@ONE_ERA
async def test_what_is_so_already_is_not_written(call: Caller, tickets: Tickets) -> None:
    path = tickets.write(NAME, TEXT)
    stamp = path.stat()
    for given in (
        {},
        {"priority": "low"},
        {"title": "Old title", "relatedTickets": ["MDT-2"], "assignee": ""},
        {"phaseEpic": None, "priority": None},
    ):
        found = await updated(call, **given)
        assert found["changed"] == {}
        assert found["cr"]["lastModified"] == "2025-09-08"
    found = await answer(call, "update_cr_status", key=1, status="proposed")
    assert (found["changed"], found["cr"]["status"]) == ({}, "Proposed")
    assert path.read_bytes() == TEXT.encode()
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (stamp.st_ino, stamp.st_mtime_ns)


WRONG: dict[str, list[tuple[Any, str]]] = {
    "priority": [
        ("Urgent", "Must be one of: Low, Medium, High, Critical"),
        ("", "Invalid priority ''"),
        (1, "got number"),
    ],
    "title": [("", "Title is required"), ("a\nb", "one line"), (None, "")],
    "implementationDate": [
        ("soon", "'soon' is no date; expected one such as 2025-10-02"),
        ("2025-13-40", "no date"),
    ],
    "phaseEpic": [
        ("x\nstatus: Rejected", "one line of text without control characters"),
        ("\u0085x\u0085y", "one line"),
    ],
    "assignee": [
        ("x\r\ncode: MDT-9", "one line"),
        ("a\u2028b", "one line"),
        ("x" * 2001, "at most 2000 characters"),
    ],
    "implementationNotes": [("a\0b", "control characters"), (["a"], "expected text, got array")],
    "dependsOn": [
        ("MDT-1", "MDT-001 cannot name itself; leave it out"),
        (["MDT-2\nstatus: x"], "one line"),
        ("two", "'two' is no key"),
        (True, "got boolean"),
        ("MDT-002 MDT-003", "is no key; expected codes such as MDT-007 with commas between them"),
    ],
    "blocks": [([1], "MDT-001 cannot name itself")],
    "relatedTickets": [("mdt-0001", "MDT-001 cannot name itself"), (1.5, "got number")],
    "status": [("Approved", "use update_cr_status to change the status")],
    "code": [("MDT-002", "the code of a ticket does not change")],
    "lastModified": [("2025-01-01", "Unknown attribute; ")],
    "asignee": [("x", "did you mean assignee?")],
    "type": [("Bug Fix", "Unknown attribute; ")],
    "__proto__": [({}, "Unknown attribute; ")],
}


@ONE_ERA
@pytest.mark.parametrize("name", WRONG)
@pytest.mark.requirement("tickets:update_cr_attrs:excludes_status", "tickets:errors:validation_error")
async def test_a_value_that_may_not_be_is_refused_and_nothing_is_written(
    call: Caller, tickets: Tickets, name: str
) -> None:
    tickets.write(NAME, TEXT)
    for value, words in WRONG[name]:
        if value is None:
            assert (await updated(call, **{name: value}))["changed"] == {}
            continue
        refusal = await invalid(call, "update_cr_attrs", key=1, attributes={name: value})
        assert list(refusal) == [name]
        assert words in refusal[name]
        assert tickets.text(NAME) == TEXT


@ONE_ERA
@pytest.mark.requirement("tickets:errors:validation_error", "tickets:update_cr_attrs:parameters_are_required")
async def test_all_bad_values_and_missing_parameters_are_told_at_once(call: Caller, tickets: Tickets) -> None:
    tickets.write(NAME, TEXT)
    refusal = await invalid(
        call,
        "update_cr_attrs",
        key=1,
        attributes={"status": "x", "priority": "y", "title": "", "blocks": "z"},
    )
    assert set(refusal) == {"status", "priority", "title", "blocks"}
    assert await invalid(call, "update_cr_attrs", project="MDT") == {
        "key": "Missing required parameter: key",
        "attributes": "Missing required parameter: attributes",
    }
    assert tickets.text(NAME) == TEXT


# Titles


@ONE_ERA
async def test_a_title_changes_wherever_it_stands(call: Caller, tickets: Tickets) -> None:
    cases = {
        "title: A\n---\n\n# A\n\n# A\n": "title: B\nX---\n\n# B\n\n# A\n",
        "---\n\n# A\n": "X---\n\n# B\n",
        "title: A # c\n---\ntext\n": "title: B # c\nX---\ntext\n",
        "---\ntext\n": "title: B\nX---\ntext\n",
        "title: drifted\n---\n\nA\n=\n\nx\n": "title: B\nX---\n\n# B\n\nx\n",
        "---\n```\n# A\n```\n# A\n": "X---\n```\n# A\n```\n# B\n",
        "---\n#\n# A #\n": "X---\n#\n# B\n",
    }
    for number, (text, expected) in enumerate(cases.items(), 1):
        code = f"MDT-{number:03}"
        head = f"---\ncode: {code}\n"
        tickets.write(f"{code}-a", head + text)
        found = await updated(call, number, title="B")
        assert found["cr"]["title"] == "B"
        stamp = f"lastModified: {found['cr']['lastModified']}\n"
        assert tickets.text(f"{code}-a") == head + expected.replace("X", stamp), text
    assert tickets.names() == [f"MDT-{number:03}-a" for number in range(1, len(cases) + 1)], "names stay"
    assert (
        "does not end in hashes"
        in (await invalid(call, "update_cr_attrs", key=1, attributes={"title": "C #"}))["title"]
    )


@ONE_ERA
async def test_the_title_is_the_first_heading_else_the_key_else_the_name(
    call: Caller, tickets: Tickets
) -> None:
    cases = {
        "---\ntitle: Key\n---\n\n# Heading\n": "Heading",
        "---\ntitle: Key\n---\n\n```\n# code\n```\n## Second level\n": "Key",
        "---\nstatus: Approved\n---\n\ntext\n": "some words",
        "---\ntitle: Key\n---\n\n    # indented code\n": "Key",
        "---\ntitle: Key\n---\n<!--\n# comment\n-->\n": "Key",
        "---\ntitle: Key\n---\n~~~\n# code\n": "Key",
        "---\ntitle: Key\n---\nText\nmore\n===\n": "Text more",
        "---\ntitle: ''\n---\n#\n": "some words",
    }
    for text, title in cases.items():
        tickets.write("MDT-001-some-words", text)
        assert (await answer(call, "get_cr", key=1, mode="metadata"))["title"] == title, text


# Status

NEXT = {
    "Proposed": ["Approved", "Rejected"],
    "Approved": ["In Progress", "Rejected"],
    "In Progress": ["Implemented", "Approved", "On Hold", "Partially Implemented"],
    "Implemented": ["In Progress"],
    "Rejected": ["Proposed"],
    "On Hold": ["In Progress", "Approved"],
    "Partially Implemented": ["Implemented", "In Progress"],
    "Superseded": [*STATUSES],
}


@ONE_ERA
@pytest.mark.parametrize("status", NEXT)
@pytest.mark.requirement("tickets:update_cr_status:workflow_is_checked")
async def test_the_workflow_allows_what_it_says_and_nothing_else(
    call: Caller, tickets: Tickets, status: str
) -> None:
    for target in STATUSES:
        path = tickets.ticket(1, status=f"'{status}' # why", lastModified=LONG_AGO)
        before = path.read_bytes()
        if target in NEXT[status]:
            found = await answer(call, "update_cr_status", key=1, status=target)
            assert list(found) == ["cr", "changed"]
            assert found["changed"] == {"status": {"from": status, "to": target}}
            assert found["cr"]["status"] == target
            assert recent(found["cr"]["lastModified"])
            assert changed(before, path.read_bytes()) == [
                f"-status: '{status}' # why",
                f"+status: '{target}' # why",
                f"-lastModified: {LONG_AGO}",
                f"+lastModified: {found['cr']['lastModified']}",
            ]
        elif target == status:
            found = await answer(call, "update_cr_status", key=1, status=target)
            assert found["changed"] == {}
            assert path.read_bytes() == before
        else:
            error = await refused(call, "update_cr_status", key=1, status=target)
            assert error == {
                "error": f"Invalid status transition from '{status}' to '{target}'. "
                f"Valid transitions from '{status}': {', '.join(NEXT[status])}",
                "code": "INVALID_TRANSITION",
                "details": {"from": status, "to": target, "allowed": NEXT[status]},
            }
            assert path.read_bytes() == before
            for choice in error["details"]["allowed"]:
                path.write_bytes(before)
                assert (await answer(call, "update_cr_status", key=1, status=choice))["cr"][
                    "status"
                ] == choice


@ONE_ERA
@pytest.mark.requirement(
    "tickets:update_cr_status:parameters_are_required", "tickets:errors:validation_error"
)
async def test_a_status_is_one_of_the_documented_words(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(1)
    for status in ("Done", "", "Approve", "Superseded"):
        assert await invalid(call, "update_cr_status", key=1, status=status) == {
            "status": f"Invalid status '{status}'. Must be one of: {', '.join(STATUSES)}"
        }
    assert await invalid(call, "update_cr_status") == {
        "key": "Missing required parameter: key",
        "status": "Missing required parameter: status",
    }
    found = await answer(call, "update_cr_status", project="MDT", key="MDT-001", status="approved")
    assert found["changed"] == {"status": {"from": "Proposed", "to": "Approved"}}


@ONE_ERA
async def test_a_file_without_a_status_is_proposed(call: Caller, tickets: Tickets) -> None:
    tickets.write("MDT-001-x", "---\ncode: MDT-001\n---\n")
    tickets.write("MDT-002-x", "---\ncode: MDT-002\nstatus:\n---\n")
    for key in (1, 2):
        error = await refused(call, "update_cr_status", key=key, status="Implemented")
        assert error["details"]["from"] == "Proposed"
        found = await answer(call, "update_cr_status", key=key, status="Approved")
        assert found["changed"] == {"status": {"from": "Proposed", "to": "Approved"}}
        assert tickets.text(f"MDT-{key:03}-x").count("status: Approved\n") == 1


# Delete


@pytest.mark.requirement(
    "tickets:delete_cr:answers_with_message_and_file", "tickets:delete_cr:parameters_are_required"
)
async def test_the_seeds_delete(call: Caller, tickets: Tickets) -> None:
    path = tickets.ticket(1, status="Implemented", type="Bug Fix")
    other = tickets.ticket(10)
    found = await answer(call, "delete_cr", project="MDT", key="MDT-001")
    assert found == {"message": "CR MDT-001 deleted successfully", "deletedFile": str(path)}
    assert not path.exists()
    assert other.exists()
    assert codes(await answer(call, "list_crs")) == ["MDT-010"]
    error = await refused(call, "delete_cr", project="MDT", key="MDT-001")
    assert error["code"] == "CR_NOT_FOUND"
    assert await invalid(call, "delete_cr", project="MDT") == {"key": "Missing required parameter: key"}


@ONE_ERA
async def test_what_a_deleted_ticket_leaves_behind_is_told(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(1)
    tickets.ticket(2, dependsOn="[MDT-1, MDT-3]")
    tickets.ticket(3, relatedTickets="MDT-001", blocks="mdt-1,MDT-9")
    tickets.ticket(11, dependsOn="MDT-011")
    folder = tickets.root / tickets.folder / "MDT-001"
    folder.mkdir()
    (folder / "tasks.md").write_text("x", encoding="utf-8")
    found = await answer(call, "delete_cr", key=1)
    assert list(found) == ["message", "deletedFile", "warnings"]
    assert found["warnings"] == [
        "MDT-001 is still named in relatedTickets of MDT-003",
        "MDT-001 is still named in dependsOn of MDT-002",
        "MDT-001 is still named in blocks of MDT-003",
        f"its folder {folder} was left as it is",
    ]
    assert (folder / "tasks.md").read_text(encoding="utf-8") == "x"


@ONE_ERA
async def test_links_inside_the_project_are_followed_and_stay_links(call: Caller, tickets: Tickets) -> None:
    real = tickets.root / "real.md"
    real.write_text("---\ncode: MDT-001\nstatus: Proposed\n---\n# Linked\n", encoding="utf-8")
    link = tickets.path("MDT-001-link")
    link.parent.mkdir(parents=True)
    link.symlink_to(Path("../../real.md"))
    await answer(call, "update_cr_status", key=1, status="Approved")
    assert link.is_symlink()
    assert "status: Approved\n" in real.read_text(encoding="utf-8")
    await answer(call, "delete_cr", key=1)
    assert not link.is_symlink()
    assert real.exists()


@ONE_ERA
async def test_a_link_out_of_the_project_is_neither_read_nor_written(call: Caller, tickets: Tickets) -> None:
    outside = tickets.root.parent / "outside.md"
    outside.write_text("---\ncode: MDT-001\nstatus: Proposed\n---\n# Secret\n", encoding="utf-8")
    tickets.ticket(2)
    tickets.path("MDT-001-link").symlink_to(outside)
    before = tree(tickets.root.parent)
    for tool, arguments in [
        ("get_cr", {}),
        ("update_cr_status", {"status": "Approved"}),
        ("manage_cr_sections", {"operation": "append", "section": "Secret", "content": "x"}),
    ]:
        error = await refused(call, tool, key=1, **arguments)
        assert error["code"] in ("CR_NOT_FOUND", "FILE_SYSTEM_ERROR")
        assert "Secret" not in str(error)
    assert codes(await answer(call, "list_crs")) == ["MDT-002"]
    assert tree(tickets.root.parent) == before
