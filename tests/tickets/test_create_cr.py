"""`create_cr`: what is written, under which number and name (seed tickets 180-228; reference 2.7, 3.7)."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from harness import Caller, text_of
from tickets.filing import MOMENT, ONE_ERA, TYPES, Tickets, answer, codes, invalid, refused
from writing import leftovers, tree

pytestmark = pytest.mark.anyio

KEYS = [
    "code",
    "title",
    "status",
    "type",
    "priority",
    "dateCreated",
    "lastModified",
    "filePath",
    "assignee",
    "phaseEpic",
]


async def created(call: Caller, title: str = "New", kind: str = "Bug Fix", **data: Any) -> dict[str, Any]:
    """Create a ticket that needs no warning and give what is answered of it."""
    found = await answer(call, "create_cr", type=kind, data={"title": title, **data})
    assert list(found) == ["cr"], found
    return found["cr"]


@pytest.mark.requirement(
    "tickets:create_cr:answer_has_the_ticket",
    "tickets:create_cr:optional_data",
    "tickets:create_cr:lists_are_comma_separated",
)
async def test_the_seeds_example(call: Caller, tickets: Tickets) -> None:
    for number in (10, 15, 24):
        tickets.ticket(number)
    begun = datetime.now(timezone.utc)
    found = await answer(
        call,
        "create_cr",
        project="MDT",
        type="Feature Enhancement",
        data={
            "title": "Add user authentication system",
            "priority": "High",
            "assignee": "senior-dev@example.com",
            "phaseEpic": "Phase 2",
            "dependsOn": "MDT-010,MDT-015",
        },
    )
    cr = found["cr"]
    assert list(found) == ["cr"]
    assert list(cr) == KEYS
    date = cr["dateCreated"]
    assert MOMENT.fullmatch(date)
    assert abs(datetime.fromisoformat(date.replace("Z", "+00:00")) - begun) < timedelta(minutes=1)
    name = "MDT-025-add-user-authentication-system"
    assert cr == {
        "code": "MDT-025",
        "title": "Add user authentication system",
        "status": "Proposed",
        "type": "Feature Enhancement",
        "priority": "High",
        "dateCreated": date,
        "lastModified": date,
        "filePath": str(tickets.path(name)),
        "assignee": "senior-dev@example.com",
        "phaseEpic": "Phase 2",
    }
    front = (
        f"---\ncode: MDT-025\ntitle: Add user authentication system\nstatus: Proposed\n"
        f"dateCreated: {date}\nlastModified: {date}\ntype: Feature Enhancement\npriority: High\n"
        f"phaseEpic: Phase 2\ndependsOn: MDT-010,MDT-015\nassignee: senior-dev@example.com\n---\n\n"
    )
    text = tickets.text(name)
    assert text.startswith(f"{front}# Add user authentication system\n\n## 1. Description\n")
    attributes = await answer(call, "get_cr", key=25, mode="attributes")
    assert attributes["dependsOn"] == ["MDT-010", "MDT-015"]
    assert codes(await answer(call, "list_crs"))[0] == "MDT-025"


@ONE_ERA
@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.requirement("tickets:create_cr:uses_a_template")
async def test_the_template_of_every_type_makes_a_sound_ticket(
    call: Caller, tickets: Tickets, kind: str
) -> None:
    cr = await created(call, "A $& {code} title", kind)
    assert cr["type"] == kind
    (row,) = (await answer(call, "list_crs"))["crs"]
    assert row["title"] == "A $& {code} title"
    listed = await answer(call, "list_crs")
    assert "problems" not in listed
    sections = (await call.data("manage_cr_sections", key=1, operation="list"))["sections"]
    top = [section["header"] for section in sections if section["level"] == 2]
    assert [header.split(".")[0] for header in top] == [f"## {n}" for n in range(1, len(top) + 1)]
    assert any("Acceptance Criteria" in header for header in top)
    assert top[-1].endswith(". References")
    assert not any(section["empty"] for section in sections)
    again = await created(call, "Second", kind.upper())
    assert again["type"] == kind
    advice = await answer(call, "suggest_cr_improvements", key=1)
    assert advice["overallScore"] < 5, "an outline is no ticket yet"
    assert not any("lacks" in weakness for weakness in advice["weaknesses"]), "it has the required sections"


@pytest.mark.requirement("tickets:create_cr:title_is_required", "tickets:errors:validation_error")
async def test_the_seeds_validation_error(call: Caller, tickets: Tickets) -> None:
    before = tree(tickets.root)
    for data in ({}, {"title": None}, {"title": ""}, {"title": " \n "}):
        refusal = await invalid(call, "create_cr", project="MDT", type="InvalidType", data=data)
        assert list(refusal) == ["title", "type"]
        assert refusal["title"] == "Title is required"
        assert refusal["type"].startswith("Invalid CR type: 'InvalidType'")
        assert refusal["type"].endswith(f"Must be one of: {', '.join(TYPES)}")
    assert tree(tickets.root) == before


@pytest.mark.requirement(
    "tickets:create_cr:project_type_data_are_required", "tickets:errors:validation_error"
)
async def test_what_is_missing_is_named(call: Caller) -> None:
    assert await invalid(call, "create_cr") == {
        "type": "Missing required parameter: type",
        "data": "Missing required parameter: data",
    }
    assert await invalid(call, "create_cr", type="Bug Fix") == {"data": "Missing required parameter: data"}
    refusal = await invalid(call, "create_cr", type="Bug Fix", data="title")
    assert refusal == {"data": "Invalid parameter 'data': expected object, got string"}


@ONE_ERA
@pytest.mark.requirement("tickets:create_cr:priority_is_medium", "tickets:create_cr:optional_data")
async def test_what_is_not_given_is_left_out(call: Caller, tickets: Tickets) -> None:
    cr = await created(call, assignee="", phaseEpic=None, blocks="", content="# New\n")
    assert cr["priority"] == "Medium"
    assert (cr["assignee"], cr["phaseEpic"]) == (None, None)
    date = cr["dateCreated"]
    assert tickets.text("MDT-001-new") == (
        f"---\ncode: MDT-001\ntitle: New\nstatus: Proposed\ndateCreated: {date}\nlastModified: {date}\n"
        "type: Bug Fix\npriority: Medium\n---\n\n# New\n"
    )


@ONE_ERA
async def test_what_clients_of_the_earlier_server_send_is_accepted(call: Caller, tickets: Tickets) -> None:
    data: dict[str, Any] = {
        "status": "proposed",
        "type": "bug fix",
        "impactAreas": ["API", "Command line", "API"],
    }
    cr = await created(call, content="text\n", **data)
    assert (cr["status"], cr["type"]) == ("Proposed", "Bug Fix")
    assert "\nimpactAreas: API,Command line\n---\n" in tickets.text("MDT-001-new")
    shown = await answer(call, "get_cr", key=1, mode="attributes")
    assert shown["impactAreas"] == ["API", "Command line"]
    found = await answer(call, "update_cr_attrs", key=1, attributes={"impactAreas": "API, Docs"})
    assert found["changed"] == {"impactAreas": {"from": ["API", "Command line"], "to": ["API", "Docs"]}}
    await answer(call, "update_cr_attrs", key=1, attributes={"impactAreas": []})
    assert "impactAreas" not in tickets.text("MDT-001-new")


WRONG: dict[str, tuple[Any, str]] = {
    "title": ("x" * 2001, "expected at most 2000 characters, got 2001"),
    "priority": ("Urgent", "Invalid priority 'Urgent'. Must be one of: Low, Medium, High, Critical"),
    "phaseEpic": (["A"], "expected text, got array"),
    "assignee": ("a\nstatus: Rejected", "expected one line of text"),
    "dependsOn": ("MDT-1 and MDT-2", "'MDT-1 and MDT-2' is no key; expected codes such as MDT-007"),
    "blocks": ({"a": 1}, "expected text, got object"),
    "relatedTickets": ([["MDT-1"]], "expected text, got array"),
    "content": (5, "expected text, got number"),
    "status": ("Approved", "A new CR is Proposed; leave it out, and use update_cr_status"),
    "type": ("Research", "Type contradicts the parameter 'type', which says 'Bug Fix'"),
    "code": ("MDT-9", "the code of a ticket does not change"),
    "slug": ("../../x", "Unknown attribute; "),
    "impactAreas": ([["A"]], "expected text, got array"),
    "prioritty": ("High", "did you mean priority?"),
}


@ONE_ERA
@pytest.mark.requirement("tickets:errors:validation_error")
async def test_everything_wrong_is_told_at_once_and_nothing_is_written(
    call: Caller, tickets: Tickets
) -> None:
    before = tree(tickets.root)
    for name, (value, words) in WRONG.items():
        refusal = await invalid(call, "create_cr", type="Bug Fix", data={"title": "T", name: value})
        assert list(refusal) == [name]
        assert words in refusal[name]
    everything = {name: value for name, (value, _) in WRONG.items() if name != "content"}
    refusal = await invalid(call, "create_cr", type="Bug Fix", data=everything)
    assert set(refusal) == set(everything)
    assert tree(tickets.root) == before


# Content


CONTENT: list[tuple[str, str, str]] = [
    ("text", "New", "# New\n\ntext\n"),
    ("\n\ntext\n\n", "New", "# New\n\ntext\n\n"),
    ("# Own title\n\ntext", "New", "# New\n\n# Own title\n\ntext\n"),
    ("# New\n\ntext", "New", "# New\n\ntext\n"),
    ("#  new #\n", "new", "#  new #\n"),
    ("New\n===\n", "New", "New\n===\n"),
    (
        "# Description\nUsers log in.\n\n# Rationale\n",
        "New",
        "# New\n\n# Description\nUsers log in.\n\n# Rationale\n",
    ),
    ("a\r\nb\r\n", "New", "# New\n\na\nb\n"),
    ("```sh\n# not a title\n```\n", "New", "# New\n\n```sh\n# not a title\n```\n"),
    ("text\n\n# Later\n", "New", "# New\n\ntext\n\n# Later\n"),
    (r"a\n\nb \\n c", "New", "# New\n\na\\n\\nb \\\\n c\n"),
    ("```\nopen", "New", "# New\n\n```\nopen\n"),
    ("---\n\ntext\n", "New", "# New\n\n---\n\ntext\n"),
    ("ü 🙂 $& `x`", "New", "# New\n\nü 🙂 $& `x`\n"),
    ("", "New", "# New\n"),
]


@ONE_ERA
@pytest.mark.requirement("tickets:create_cr:content_overrides_the_template")
async def test_content_is_stored_as_it_is_given(call: Caller, tickets: Tickets) -> None:
    for number, (content, title, body) in enumerate(CONTENT, 1):
        cr = await created(call, content=content)
        assert cr["title"] == title
        text = tickets.text(f"MDT-{number:03}-new")
        assert text.split("---\n\n", 1)[1] == body, content
        assert text_of(await call("get_cr", key=number)) == f"\n{body}"
    assert "problems" not in await answer(call, "list_crs")


@ONE_ERA
async def test_content_that_is_no_body_is_refused(call: Caller, tickets: Tickets) -> None:
    before = tree(tickets.root)
    for content, words in [
        ("---\nstatus: Implemented\n---\n\ntext", "it begins with front matter"),
        ("a\0b", "NUL"),
        ("x" * 1_000_001, "expected at most 1000000 characters, got 1000001"),
    ]:
        refusal = await invalid(call, "create_cr", type="Bug Fix", data={"title": "T", "content": content})
        assert words in refusal["content"]
    assert tree(tickets.root) == before


# Numbers


async def numbered(call: Caller) -> str:
    """Create a ticket and give its code."""
    return (await created(call))["code"]


@ONE_ERA
async def test_a_number_is_never_given_twice(call: Caller, tickets: Tickets) -> None:
    assert await numbered(call) == "MDT-001"
    assert await numbered(call) == "MDT-002"
    for key in (2, 1):
        await answer(call, "delete_cr", key=key)
    assert await numbered(call) == "MDT-003"
    tickets.path("MDT-003-new").unlink()
    assert await numbered(call) == "MDT-004", "one that another program removed does not come again either"
    assert (tickets.root / ".mdt-next").read_text(encoding="utf-8").strip() == "5"


NAMED = {
    "MDT-041-x": ("---\ncode: MDT-041\n---\n", 42),
    "MDT-1600": ("# No trailing hyphen\n", 1601),
    "mdt-099-lower": ("---\n---\n", 100),
    "any": ("---\ncode: MDT-77\n---\n", 78),
    "MDT-012_underscore": ("x", 13),
    "MDT-1234-gap": ("", 1235),
}


@ONE_ERA
@pytest.mark.parametrize("name", NAMED)
async def test_names_and_codes_of_files_both_count(call: Caller, tickets: Tickets, name: str) -> None:
    text, expected = NAMED[name]
    tickets.write("MDT-003-gap-below", "---\ncode: MDT-003\n---\n")
    tickets.write("API-5000-of-another", "---\ncode: API-5000\n---\n")
    tickets.write("2024-10-02-notes", "notes\n")
    tickets.write(name, text)
    assert await numbered(call) == f"MDT-{expected:03}"


@ONE_ERA
async def test_a_folder_of_sub_documents_and_the_counter_count(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(3)
    (tickets.root / tickets.folder / "MDT-008").mkdir()
    assert await numbered(call) == "MDT-009"
    (tickets.root / ".mdt-next").write_text("86", encoding="ascii")
    assert await numbered(call) == "MDT-086"
    (tickets.root / ".mdt-next").write_text("2\n", encoding="ascii")
    assert await numbered(call) == "MDT-087", "a counter that lags is passed over"
    assert (tickets.root / ".mdt-next").read_text(encoding="ascii").strip() == "88"
    assert (tickets.root.parent / ".mdt-next").exists() is False


@ONE_ERA
async def test_a_counter_file_that_holds_something_else_is_left_alone(call: Caller, tickets: Tickets) -> None:
    (tickets.root / ".mdt-next").write_text("mine", encoding="utf-8")
    found = await answer(call, "create_cr", type="Bug Fix", data={"title": "New"})
    assert found["cr"]["code"] == "MDT-001"
    assert "`.mdt-next` holds no number" in found["warnings"][0]
    assert (tickets.root / ".mdt-next").read_text(encoding="utf-8") == "mine"


@ONE_ERA
async def test_a_project_says_where_its_numbers_begin(call: Caller, tickets: Tickets) -> None:
    tickets.defines(startNumber=1500, counterFile="docs/next", ticketsPath="work/crs")
    (tickets.root / "docs").mkdir()
    cr = await created(call, "New")
    assert cr["code"] == "MDT-1500"
    assert cr["filePath"] == str(tickets.root / "work/crs/MDT-1500-new.md")
    assert (tickets.root / "docs/next").read_text(encoding="utf-8") == "1501"
    assert await numbered(call) == "MDT-1501"


# Names of files


SLUGS = {
    "Add user authentication system": "add-user-authentication-system",
    "  Trim me: a title!  ": "trim-me-a-title",
    "Привет мир": "privet-mir",
    "北京 plan": "bei-jing-plan",
    "Größe — ändern": "grosse-andern",
    "日本語": None,
    "🙂": None,
    "../../etc/passwd": "etcpasswd",
    "a/b\\c:d*?": "abcd",
    "A" * 250: "a" * 50,
    "CON": "con",
    "-- -x- --": "x",
    "ﬁne Ⅳ": None,
    "???": "bug-fix",
}


@ONE_ERA
async def test_the_name_of_a_file_is_made_of_the_words_of_the_title(call: Caller, tickets: Tickets) -> None:
    for number, (title, slug) in enumerate(SLUGS.items(), 1):
        cr = await created(call, title)
        assert cr["title"] == " ".join(title.split())
        name = cr["filePath"].rsplit("/", 1)[1]
        assert re.fullmatch(rf"MDT-{number:03}-[a-z0-9]+(-[a-z0-9]+)*\.md", name), name
        assert slug is None or name == f"MDT-{number:03}-{slug}.md"
    assert set(tree(tickets.root)) == {
        ".mdt-config.toml",
        ".mdt-next",
        *(f"docs/CRs/{name}.md" for name in tickets.names()),
    }
    assert len(tickets.names()) == len(SLUGS)
    assert leftovers(tickets.root) == []


TITLES = [
    "quoted: yes",
    "# hash",
    "- dash",
    "[x] {y}",
    'it\'s "so"',
    "yes",
    "001",
    "null",
    "a # b",
    "*x*",
    "trailing:",
    "!tag &anchor",
    "tab\there",
]


@ONE_ERA
async def test_what_yaml_would_read_otherwise_is_quoted(call: Caller, tickets: Tickets) -> None:
    for title in TITLES:
        if "\t" in title:
            refusal = await invalid(call, "create_cr", type="Bug Fix", data={"title": title})
            assert list(refusal) == ["title"]
            continue
        await created(call, title, assignee=title, phaseEpic=title)
    for row, title in zip(reversed((await answer(call, "list_crs"))["crs"]), TITLES, strict=False):
        found = await answer(call, "get_cr", key=row["code"], mode="attributes")
        assert (found["title"], found["assignee"], found["phaseEpic"]) == (title, title, title)
        assert "problems" not in found


@ONE_ERA
async def test_a_title_that_no_heading_can_have_is_refused(call: Caller, tickets: Tickets) -> None:
    refusal = await invalid(call, "create_cr", type="Bug Fix", data={"title": "Learn C #"})
    assert "does not end in hashes" in refusal["title"]
    assert not (tickets.root / "docs").exists()


# Relations


@ONE_ERA
@pytest.mark.requirement("tickets:create_cr:lists_are_comma_separated")
async def test_relations_are_given_as_text_or_list_and_stored_as_text(call: Caller, tickets: Tickets) -> None:
    for number in (1, 2, 3):
        tickets.ticket(number)
    for number, given in enumerate(
        ["MDT-1, MDT-002", " mdt-1 ,2,, ", ["MDT-1", "2"], [1, 2], ["MDT-1,MDT-2"], "1,none,N/A,2,1"], 4
    ):
        cr = await created(call, relatedTickets=given)
        assert "relatedTickets: MDT-001,MDT-002\n" in tickets.text(f"MDT-{number:03}-new")
        found = await answer(call, "get_cr", key=cr["code"], mode="attributes")
        assert found["relatedTickets"] == ["MDT-001", "MDT-002"]


@ONE_ERA
async def test_relations_that_lead_nowhere_are_warned_about_and_loops_refused(
    call: Caller, tickets: Tickets
) -> None:
    tickets.ticket(1, dependsOn="MDT-002")
    before = tree(tickets.root)
    refusal = await invalid(
        call, "create_cr", type="Bug Fix", data={"title": "T", "dependsOn": "MDT-001", "content": "x"}
    )
    assert refusal == {"dependsOn": "it would close a cycle: MDT-002 waits for MDT-001 waits for MDT-002"}
    refusal = await invalid(call, "create_cr", type="Bug Fix", data={"title": "T", "blocks": "MDT-002"})
    assert refusal == {"blocks": "MDT-002 cannot name itself; leave it out"}
    assert tree(tickets.root) == before
    data = {"title": "T", "dependsOn": "MDT-099,chant:2026-01-22-001-x7m", "relatedTickets": "API-5"}
    found = await answer(call, "create_cr", type="Bug Fix", data=data)
    assert found["warnings"] == ["dependsOn names MDT-099, which does not exist"]
    listed = await answer(call, "get_cr", key=found["cr"]["code"], mode="attributes")
    assert listed["dependsOn"] == ["MDT-099", "chant:2026-01-22-001-x7m"]


@ONE_ERA
@pytest.mark.requirement("tickets:errors:project_not_found")
async def test_a_tickets_folder_outside_of_the_project_is_neither_read_nor_written(
    call: Caller, tickets: Tickets
) -> None:
    outside = tickets.root.parent / "outside"
    outside.mkdir()
    (outside / "MDT-001-x.md").write_text("---\ncode: MDT-001\n---\n", encoding="utf-8")
    (tickets.root / "link").symlink_to(outside)
    for folder in ("../outside", str(outside), "docs/../../outside", "link"):
        tickets.defines(ticketsPath=folder)
        before = tree(tickets.root.parent)
        listed = await answer(call, "list_projects")
        assert listed["projects"] == []
        (problem,) = listed["problems"]
        assert problem["path"] == str(tickets.root / ".mdt-config.toml")
        assert "expected a path inside of the project" in problem["why"]
        for tool, arguments in [
            ("create_cr", {"type": "Bug Fix", "data": {"title": "T"}}),
            ("get_cr", {"key": 1}),
            ("delete_cr", {"key": 1}),
        ]:
            error = await refused(call, tool, project="MDT", **arguments)
            assert error["code"] == "PROJECT_NOT_FOUND"
        assert tree(tickets.root.parent) == before
    (tickets.root / "link").unlink()


@ONE_ERA
async def test_a_counter_outside_of_the_project_is_refused(call: Caller, tickets: Tickets) -> None:
    tickets.defines(counterFile="../next")
    (problem,) = (await answer(call, "list_projects"))["problems"]
    assert "`../next` leads elsewhere" in problem["why"]
    assert (await refused(call, "list_crs", project="MDT"))["code"] == "PROJECT_NOT_FOUND"
