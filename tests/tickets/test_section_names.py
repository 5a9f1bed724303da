"""Every name that an answer prints means one section, word for word, in every operation (reference 4.3)."""

from __future__ import annotations

from typing import Any

import pytest
from chant_mcp._core import TicketProjects
from harness import Caller
from hypothesis import given
from hypothesis import strategies as st
from tickets.filing import LAW, ONE_ERA, Tickets, refusal_of, refused, told

HEAD = "---\ncode: MDT-001\n---\n\n"

DUPLICATES = """\
# Title of the ticket

## 1. Description

### Problem Statement

in the first

### Functional Requirements

## 2. Feature AA

### Requirements

of AA

## 3. Feature B

### Requirements

of B

### Non-Functional Requirements

### Requirements

again of B

## Feature AA / More

### Requirements

of more

## 4. Problem

### Functional

exact
"""

FOUND: list[tuple[str, str]] = [
    ("1. Description", "## 1. Description"),
    ("Description", "## 1. Description"),
    ("## 1. description", "## 1. Description"),
    ("## Description", "## 1. Description"),
    ("descr", "## 1. Description"),
    ("Problem Statement", "### Problem Statement"),
    ("### Problem Statement", "### Problem Statement"),
    ("## Problem Statement", "### Problem Statement"),
    ("1. Description / Problem Statement", "### Problem Statement"),
    ("# Title of the ticket / ## 1. Description / ### Problem Statement", "### Problem Statement"),
    ("Title of the ticket / Description / Problem Statement", "### Problem Statement"),
    ("Problem", "## 4. Problem"),
    ("## 4. Problem", "## 4. Problem"),
    ("## Problem", "## 4. Problem"),
    ("Functional", "### Functional"),
    ("### Functional", "### Functional"),
    ("non-functional requirements", "### Non-Functional Requirements"),
    ("## 2. Feature AA / ### Requirements", "## 2. Feature AA / ### Requirements"),
    ("Feature AA / Requirements", "## 2. Feature AA / ### Requirements"),
    ("## Feature AA / More", "## Feature AA / More"),
    ("## Feature AA / More / ### Requirements", "## Feature AA / More / ### Requirements"),
    ("# Title of the ticket", "# Title of the ticket"),
    ("title", "# Title of the ticket"),
]
"""How a section is asked for, and the name that answers give it."""

MANY: list[tuple[str, int]] = [
    ("Requirements", 4),
    ("### Requirements", 4),
    ("3. Feature B / Requirements", 2),
]
"""Names that mean several sections, and how many."""


@pytest.mark.anyio
@ONE_ERA
@pytest.mark.requirement(
    "tickets:sections:section_by_name",
    "tickets:sections:section_by_header",
    "tickets:sections:section_by_path",
)
async def test_a_name_means_the_section_that_it_fits_best(call: Caller, tickets: Tickets) -> None:
    tickets.write("MDT-001-x", HEAD + DUPLICATES)
    for asked, name in FOUND:
        _, data = await told(call, key=1, operation="get", section=asked)
        assert data["section"] == name, asked
    for asked, text in (("## 2. Feature AA / ### Requirements", "of AA"), ("### Functional", "exact")):
        assert (await told(call, key=1, operation="get", section=asked))[1]["content"] == text


@ONE_ERA
@pytest.mark.anyio
@pytest.mark.requirement("tickets:sections:section_by_header")
async def test_marks_before_a_name_are_those_of_the_section(call: Caller, tickets: Tickets) -> None:
    tickets.write("MDT-001-x", HEAD + "# T\n\n## Notes\n\nabove\n\n### 1. Notes\n\nbelow\n")
    for asked, text in (("### Notes", "below"), ("## Notes", "above\n\n### 1. Notes\n\nbelow")):
        assert (await told(call, key=1, operation="get", section=asked))[1]["content"] == text


@pytest.mark.anyio
@ONE_ERA
async def test_a_name_of_several_sections_is_answered_with_names_of_one_each(
    call: Caller, tickets: Tickets
) -> None:
    for asked, count in MANY:
        tickets.write("MDT-001-x", HEAD + DUPLICATES)
        error = await refused(call, "manage_cr_sections", key=1, operation="get", section=asked)
        assert error["code"] == "AMBIGUOUS_SECTION"
        assert list(error["details"]) == ["section", "key", "matches"]
        assert (error["details"]["section"], error["details"]["key"]) == (asked, "MDT-001")
        matches = error["details"]["matches"]
        assert len(set(matches)) == len(matches) == count
        assert all(match in error["error"] for match in matches)
        for operation in ("replace", "append", "prepend"):
            again = await refused(
                call, "manage_cr_sections", key=1, operation=operation, section=asked, content="x"
            )
            assert again == error
        await every_operation(call, tickets, HEAD + DUPLICATES, matches)


@pytest.mark.anyio
@ONE_ERA
@pytest.mark.requirement("tickets:errors:section_not_found")
async def test_a_name_of_no_section_is_answered_with_all_there_are(call: Caller, tickets: Tickets) -> None:
    seeds = "## Description\n\n## Implementation\n\n## Acceptance Criteria\n"
    tickets.write("MDT-001-x", HEAD + seeds)
    for arguments in ({"operation": "get"}, {"operation": "update", "updateMode": "append", "content": "x"}):
        error = await refused(call, "manage_cr_sections", key=1, section="## Invalid Section", **arguments)
        assert error == {
            "error": "Section not found in document",
            "code": "SECTION_NOT_FOUND",
            "details": {
                "section": "## Invalid Section",
                "key": "MDT-001",
                "availableSections": ["## Description", "## Implementation", "## Acceptance Criteria"],
            },
        }
    tickets.write("MDT-001-x", HEAD + DUPLICATES)
    for asked in ("Nothing like it", "#", "## ", "# Title of the ticket / ### Requirements / x"):
        error = await refused(call, "manage_cr_sections", key=1, operation="get", section=asked)
        assert error["code"] in ("SECTION_NOT_FOUND", "AMBIGUOUS_SECTION"), asked
    error = await refused(call, "manage_cr_sections", key=1, operation="get", section="Nothing like it")
    choices = error["details"]["availableSections"]
    assert len(choices) == 14
    await every_operation(call, tickets, HEAD + DUPLICATES, choices)


@pytest.mark.anyio
@ONE_ERA
@pytest.mark.requirement("tickets:sections:section_by_path")
async def test_what_a_list_prints_is_understood_word_for_word(call: Caller, tickets: Tickets) -> None:
    tickets.write("MDT-001-x", HEAD + DUPLICATES)
    text, data = await told(call, key=1, operation="list")
    printed = [line.strip().removeprefix("- ").rsplit(" (", 1)[0] for line in text.splitlines()[4:]]
    paths = [section["path"] for section in data["sections"]]
    assert len(printed) == len(paths) - 1, "the title stands above the tree"
    for names in (["# Title of the ticket", *printed], paths):
        for path, name in zip(paths, names, strict=True):
            assert (await told(call, key=1, operation="get", section=name))[1]["path"] == path
    await every_operation(call, tickets, HEAD + DUPLICATES, printed)
    await every_operation(call, tickets, HEAD + DUPLICATES, paths)


async def every_operation(call: Caller, tickets: Tickets, text: str, names: list[str]) -> None:
    """Check that each name means one section in every operation, and each another one."""
    for operation in ("replace", "append", "prepend"):
        places: list[int] = []
        for name in names:
            tickets.write("MDT-001-x", text)
            _, before = await told(call, key=1, operation="get", section=name)
            update = {"operation": "update", "updateMode": operation}
            _, data = await told(call, key=1, section=name, content="<mark>", **update)
            assert data["section"] == before["section"]
            written = tickets.text("MDT-001-x")
            assert written.count("<mark>") == 1
            places.append(written.index("<mark>"))
        assert operation == "append" or len(set(places)) == len(names)


@pytest.mark.anyio
@ONE_ERA
async def test_a_header_that_stands_several_times_is_never_taken_for_one_of_them(
    call: Caller, tickets: Tickets
) -> None:
    """One of the three is in a place of its own; that makes it no more meant than the others."""
    tickets.write("MDT-001-x", f"{HEAD}# T\n\n## A\n\n### R\n\n## B\n\n### R\n\n### R\n")
    matches = ["## A / ### R", "## B / ### R (1)", "## B / ### R (2)"]
    for asked in ("R", "### R", "r", "## R"):
        error = await refused(
            call, "manage_cr_sections", key=1, operation="append", section=asked, content="x"
        )
        assert (error["code"], error["details"]["matches"]) == ("AMBIGUOUS_SECTION", matches)


# Any document

HEADER = st.builds(
    lambda level, text: f"{'#' * level} {text}".rstrip(),
    st.integers(1, 4),
    st.sampled_from(
        [
            "A",
            "a",
            "B",
            "1. A",
            "A (1)",
            "A (2)",
            "A / B",
            "A / ## B",
            "## A",
            "",
            "1",
            "Ä 🙂",
            "A  B",
            "`A`",
            "/",
        ]
    ),
)
DOCUMENT = st.lists(HEADER, min_size=1, max_size=9).map(
    lambda headers: "".join(f"{header}\n\ntext {number}\n\n" for number, header in enumerate(headers))
)


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> tuple[Tickets, TicketProjects]:
    """A project that lives through all examples."""
    tickets = Tickets(tmp_path_factory.mktemp("shelf"))
    tickets.defines()
    return tickets, tickets.handle()


@LAW
@given(DOCUMENT)
def test_in_any_document_each_section_has_names_of_its_own(
    shelf: tuple[Tickets, TicketProjects], body: str
) -> None:
    tickets, handle = shelf
    text = HEAD + body
    tickets.write("MDT-001-x", text)
    listed: Any = handle.manage_cr_sections(None, "1", "list").data
    paths = [section["path"] for section in listed["sections"]]
    refusal = refusal_of(lambda: handle.manage_cr_sections(None, "1", "get", section="no such section"))
    names = refusal["details"]["availableSections"]
    assert len(names) == len(paths)
    for path, name in zip(paths, names, strict=True):
        for asked in (path, name):
            got: Any = handle.manage_cr_sections(None, "1", "get", section=asked).data
            assert (got["path"], got["section"]) == (path, name)
    starts: list[int] = []
    for name in names:
        tickets.write("MDT-001-x", text)
        handle.manage_cr_sections(None, "1", "prepend", section=name, content="<mark>")
        starts.append(tickets.text("MDT-001-x").split("---\n\n", 1)[1].index("<mark>"))
    assert starts == sorted(starts), "names stand in the order of the document"
    assert len(set(starts)) == len(paths)


@LAW
@given(DOCUMENT, st.text(max_size=12) | HEADER)
def test_whatever_is_asked_for_the_choices_of_the_refusal_can_be_asked_for(
    shelf: tuple[Tickets, TicketProjects], body: str, asked: str
) -> None:
    tickets, handle = shelf
    tickets.write("MDT-001-x", HEAD + body)
    refusal = refusal_of(lambda: handle.manage_cr_sections(None, "1", "get", section=asked))
    if refusal is None:
        return
    if refusal["code"] == "VALIDATION_ERROR":
        assert not asked.strip()
        return
    details = refusal["details"]
    choices = details.get("matches", details.get("availableSections"))
    assert choices
    for choice in choices:
        got: Any = handle.manage_cr_sections(None, "1", "get", section=choice).data
        assert got["section"] == choice
