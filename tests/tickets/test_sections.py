"""`manage_cr_sections` in the words of the seed and as data (seed tickets 294-383; reference 4 and 10)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from harness import Caller, text_of
from tickets.filing import MOMENT, ONE_ERA, Tickets, answer, invalid, refused, told

pytestmark = pytest.mark.anyio

HEAD = "---\ncode: MDT-001\nlastModified: 2025-01-01\n---\n\n"
NAME = "MDT-001-x"


def with_body(tickets: Tickets, body: str) -> bytes:
    """Write the ticket that all tests here are about and give its bytes."""
    return tickets.write(NAME, HEAD + body).read_bytes()


def body_of(tickets: Tickets) -> str:
    """Read the ticket's body; the front matter may differ in its date only."""
    text = tickets.text(NAME)
    front, body = text.split("---\n\n", 1)
    assert re.sub(r"lastModified: .*", "lastModified: 2025-01-01", front) + "---\n\n" == HEAD
    return body


def long(chars: int) -> str:
    """Make a paragraph of so many characters."""
    return ("word " * chars)[: chars - 1] + "."


EXAMPLE = f"""\
# Multi-project CR dashboard

## Description

{long(1234 - 567 - 345 - 46)}

### Problem Statement

{long(567)}

### Current State

{long(345)}

## Implementation

{long(890)}

## Acceptance Criteria

{long(432)}
"""


@pytest.mark.requirement("tickets:sections:list_shows_the_tree", "tickets:sections:parameters_are_required")
async def test_the_seeds_list(call: Caller, tickets: Tickets) -> None:
    with_body(tickets, EXAMPLE)
    text, data = await told(call, project="MDT", key="MDT-001", operation="list")
    assert text == (
        "📑 **Sections in CR MDT-001** - Multi-project CR dashboard\n"
        "\n"
        "Found 3 sections:\n"
        "\n"
        "- ## Description (1234 chars)\n"
        "  - ### Problem Statement (567 chars)\n"
        "  - ### Current State (345 chars)\n"
        "- ## Implementation (890 chars)\n"
        "- ## Acceptance Criteria (432 chars)"
    )
    title = "# Multi-project CR dashboard"
    sections = [
        (title, 1, title, len(EXAMPLE) - len(title) - 3),
        ("## Description", 2, f"{title} / ## Description", 1234),
        ("### Problem Statement", 3, f"{title} / ## Description / ### Problem Statement", 567),
        ("### Current State", 3, f"{title} / ## Description / ### Current State", 345),
        ("## Implementation", 2, f"{title} / ## Implementation", 890),
        ("## Acceptance Criteria", 2, f"{title} / ## Acceptance Criteria", 432),
    ]
    assert data == {
        "code": "MDT-001",
        "title": "Multi-project CR dashboard",
        "total": 6,
        "sections": [
            {"header": header, "level": level, "path": path, "chars": chars, "empty": False}
            for header, level, path, chars in sections
        ],
    }
    assert list(data) == ["code", "title", "total", "sections"]
    assert list(data["sections"][0]) == ["header", "level", "path", "chars", "empty"]


@pytest.mark.requirement("tickets:sections:get_shows_the_content", "tickets:sections:section_by_header")
async def test_the_seeds_get(call: Caller, tickets: Tickets) -> None:
    with_body(tickets, EXAMPLE)
    text, data = await told(call, project="MDT", key="MDT-001", operation="get", section="## Implementation")
    assert text == (
        "📖 **Section Content from CR MDT-001**\n"
        "\n"
        "**Section:** ## Implementation\n"
        "**Content Length:** 890 characters\n"
        "\n"
        "---\n"
        "\n"
        f"{long(890)}\n"
        "\n"
        "---\n"
        "\n"
        'Use `manage_cr_sections` with operation="update" to modify this section.'
    )
    assert list(data.items()) == [
        ("code", "MDT-001"),
        ("section", "## Implementation"),
        ("level", 2),
        ("path", "# Multi-project CR dashboard / ## Implementation"),
        ("chars", 890),
        ("content", long(890)),
    ]


OUTCOMES = {
    "replace": "The section content has been completely replaced.",
    "append": "Content has been added to the end of the section.",
    "prepend": "Content has been added to the beginning of the section.",
}


@pytest.mark.parametrize("mode", OUTCOMES)
@pytest.mark.requirement(
    "tickets:sections:update_says_what_it_did",
    "tickets:sections:update_mode_is_one_of_three",
    "tickets:sections:operation_is_one_of_three",
)
async def test_the_seeds_update(call: Caller, tickets: Tickets, mode: str) -> None:
    """The seed's example says `append`; sent to later releases of its server it overwrote the section."""
    with_body(tickets, EXAMPLE)
    content = "\n\n### Additional Technical Notes\n\nNew implementation details..."
    text, data = await told(
        call,
        project="MDT",
        key="MDT-001",
        operation="update",
        section="## Implementation",
        updateMode=mode,
        content=content,
    )
    moment = data["lastModified"]
    assert MOMENT.fullmatch(moment)
    path = str(tickets.path(NAME))
    assert text == (
        "✅ **Updated Section in CR MDT-001**\n"
        "\n"
        "**Section:** ## Implementation\n"
        f"**Operation:** {mode}\n"
        f"**Content Length:** {len(content)} characters\n"
        "\n"
        "- Title: Multi-project CR dashboard\n"
        f"- Updated: {moment}\n"
        f"- File: {path}\n"
        "\n"
        f"{OUTCOMES[mode]}"
    )
    assert list(data.items()) == [
        ("code", "MDT-001"),
        ("title", "Multi-project CR dashboard"),
        ("section", "## Implementation"),
        ("operation", mode),
        ("contentLength", len(content)),
        ("changed", True),
        ("lastModified", moment),
        ("filePath", path),
    ]
    assert f"lastModified: {moment}\n" in tickets.text(NAME)
    old, new = f"{long(890)}\n\n", f"{content.strip()}\n\n"
    expected = {"replace": new, "append": old + new, "prepend": new + old}[mode]
    assert body_of(tickets) == EXAMPLE.replace(old, expected)
    got = await call.data("manage_cr_sections", key=1, operation="get", section="## Implementation")
    assert got["content"] == expected.strip()


@ONE_ERA
@pytest.mark.requirement("tickets:sections:update_mode_is_one_of_three")
async def test_a_mode_may_be_given_as_the_operation(call: Caller, tickets: Tickets) -> None:
    for mode in OUTCOMES:
        results = []
        for spelling in (
            {"operation": "update", "updateMode": mode},
            {"operation": mode},
            {"operation": mode, "updateMode": mode},
            {"operation": mode, "updateMode": None},
        ):
            with_body(tickets, EXAMPLE)
            text, data = await told(call, key=1, section="Implementation", content="New.", **spelling)
            results.append((body_of(tickets), MOMENT.sub("", text), data["operation"]))
        assert len(set(results)) == 1


CALLS: list[tuple[dict[str, Any], str, str]] = [
    ({"operation": "frobnicate"}, "operation", "Must be one of: list, get, update, replace, append, prepend"),
    ({"operation": "List"}, "operation", "Invalid operation 'List'."),
    ({"operation": "get"}, "section", "section is required"),
    ({"operation": "get", "section": " "}, "section", "section is required"),
    ({"operation": "update", "section": "A"}, "updateMode", "Must be one of: replace, append, prepend"),
    (
        {"operation": "update", "section": "A", "updateMode": "insert"},
        "updateMode",
        "'insert'. Must be one of",
    ),
    ({"operation": "update", "updateMode": "append", "content": "x"}, "section", "section is required"),
    ({"operation": "append", "section": "A"}, "content", "content is required"),
    ({"operation": "append", "section": "A", "content": " \n"}, "content", "content is required"),
    ({"operation": "append", "section": "A", "content": "a\0"}, "content", "NUL"),
    (
        {"operation": "append", "section": "A", "content": "x" * 500_001},
        "content",
        "at most 500000 characters",
    ),
    (
        {"operation": "append", "section": "A", "content": "x", "updateMode": "replace"},
        "updateMode",
        "it says replace, the operation says append",
    ),
    ({"operation": "append", "section": "A", "content": "## A"}, "content", "only the section's own heading"),
]


@ONE_ERA
@pytest.mark.requirement("tickets:sections:parameters_are_required", "tickets:errors:validation_error")
async def test_calls_that_lack_something_are_refused(call: Caller, tickets: Tickets) -> None:
    before = with_body(tickets, "# T\n\n## A\n\ntext\n")
    for arguments, field, words in CALLS:
        refusal = await invalid(call, "manage_cr_sections", key=1, **arguments)
        assert list(refusal) == [field]
        assert words in refusal[field], arguments
    assert await invalid(call, "manage_cr_sections", project="MDT") == {
        "key": "Missing required parameter: key",
        "operation": "Missing required parameter: operation",
    }
    assert tickets.bytes(NAME) == before


# What counts as a section


HEADERS = """\
Lead text
---

# Title

## Trailing blanks \t

##No blank
####### Seven
 ## One blank before
    ## Four blanks
## Closing ##
Setext
------

```sh
# in a fence
## also
```

~~~~
~~~
## still in it
~~~~

<!--
## in a comment
-->

- item

  ## In an item

> ## In a quote

### `code` and *emphasis*
##
\\## escaped
"""


@ONE_ERA
async def test_headers_are_those_that_markdown_knows(call: Caller, tickets: Tickets) -> None:
    with_body(tickets, HEADERS)
    text, data = await told(call, key=1, operation="list")
    assert [section["header"] for section in data["sections"]] == [
        "## Lead text",
        "# Title",
        "## Trailing blanks",
        "## One blank before",
        "## Closing",
        "## Setext",
        "### `code` and *emphasis*",
        "##",
    ]
    assert [line.strip(" -").split(" (")[0] for line in text.splitlines()[4:]] == [
        section["header"] for section in data["sections"]
    ]
    assert data["total"] == 8


@ONE_ERA
async def test_lines_in_a_fence_are_no_sections_and_stay_as_they_are(call: Caller, tickets: Tickets) -> None:
    body = "# T\n\n## Setup\n\n```sh\n# install\n## Setup\nmake\n```\n\n## Use\n\ntext\n"
    with_body(tickets, body)
    error = await refused(call, "manage_cr_sections", key=1, operation="get", section="# install")
    assert error["details"]["availableSections"] == ["# T", "## Setup", "## Use"]
    await told(call, key=1, operation="append", section="Setup", content="More.")
    assert body_of(tickets) == body.replace("```\n\n## Use", "```\n\nMore.\n\n## Use")
    await told(call, key=1, operation="replace", section="Use", content="```\n# comment\n```")
    assert body_of(tickets).endswith("## Use\n\n```\n# comment\n```\n")
    _, data = await told(call, key=1, operation="list")
    assert [section["header"] for section in data["sections"]] == ["# T", "## Setup", "## Use"]


@ONE_ERA
@pytest.mark.requirement("tickets:sections:list_shows_the_tree")
async def test_trees_of_other_shapes(call: Caller, tickets: Tickets) -> None:
    cases = {
        "": "Found 0 sections: there are no headings outside of code.",
        "text only\n": "Found 0 sections: there are no headings outside of code.",
        "# T\n": "Found 0 sections: there are no headings outside of code.",
        "# T\n\n## A\n": "Found 1 section:\n\n- ## A (empty)",
        "## A\n\nx\n\n## B\n": "Found 2 sections:\n\n- ## A (1 chars)\n- ## B (empty)",
        "# T\n\n# U\n\n## A\n": "Found 2 sections:\n\n- # T (empty)\n- # U (4 chars)\n  - ## A (empty)",
        "# T\n\n### Deep\n\n## A\n": "Found 2 sections:\n\n  - ### Deep (empty)\n- ## A (empty)",
    }
    for body, expected in cases.items():
        with_body(tickets, body)
        text, _ = await told(call, key=1, operation="list")
        assert text.split("\n\n", 1)[1] == expected, body


# What is written


WRITES: list[tuple[str, str, str, str, str]] = [
    ("# T\n\n## A\n\nold\n\n## B\n", "A", "replace", "new", "# T\n\n## A\n\nnew\n\n## B\n"),
    ("# T\n\n## A\n\nold\n\n## B\n", "A", "append", "new\n\n\n", "# T\n\n## A\n\nold\n\nnew\n\n## B\n"),
    ("# T\n\n## A\n\nold\n\n## B\n", "A", "prepend", "\n\nnew", "# T\n\n## A\n\nnew\n\nold\n\n## B\n"),
    ("## A\nold\n## B\nx", "A", "replace", "new", "## A\n\nnew\n\n## B\nx"),
    ("## A\n\n### C\n\nc\n\n## B\n", "A", "append", "new", "## A\n\n### C\n\nc\n\nnew\n\n## B\n"),
    ("## A\n\n### C\n\nc\n\n## B\n", "A", "prepend", "new", "## A\n\nnew\n\n### C\n\nc\n\n## B\n"),
    ("## A\n\n### C\n\nc\n\n## B\n", "A", "replace", "new", "## A\n\nnew\n\n## B\n"),
    ("## A\n\n## B\n", "A", "append", "new", "## A\n\nnew\n\n## B\n"),
    ("## A\n\nold", "A", "append", "new", "## A\n\nold\n\nnew"),
    ("## A\n\nold\n\n\n", "A", "append", "new", "## A\n\nold\n\nnew\n\n\n"),
    ("## A\n\nold\n", "A", "replace", "new", "## A\n\nnew\n"),
    ("## A", "A", "append", "new", "## A\n\nnew\n"),
    ("## A\n\n    code\n", "A", "append", "    more", "## A\n\n    code\n\n    more\n"),
    ("## A\n\nold\n", "A", "append", r"a\n\nb \\n $& \1", "## A\n\nold\n\na\\n\\nb \\\\n $& \\1\n"),
    ("## A\n\nold\n", "A", "append", "## A\n\nnew", "## A\n\nold\n\nnew\n"),
    ("## A\n\nold\n", "A", "replace", "## A\n\nnew", "## A\n\nnew\n"),
    ("## A\n\nold\n", "A", "replace", "## Z\n\nnew", "## Z\n\nnew\n"),
    ("## A\n\nold\n", "A", "append", "## Z\n\nnew", "## A\n\nold\n\n## Z\n\nnew\n"),
    ("## A\n\nold\n", "A", "replace", "### Z\n\nnew", "## A\n\n### Z\n\nnew\n"),
    (
        "## A\n\nold\n",
        "A",
        "replace",
        "Alpha beta gamma delta epsilon\n\n## Next section\n\nx",
        "## A\n\nAlpha beta gamma delta epsilon\n\n## Next section\n\nx\n",
    ),
    ("# T\n\n## A\n\nx\n", "# T", "replace", "# New $& title", "# New $& title\n\n## A\n\nx\n"),
    ("# T\n\n## A\n\nx\n", "# T", "replace", "only text", "# T\n\nonly text\n"),
    ("T\n===\n\nx\n", "T", "replace", "# U", "# U\n\nx\n"),
    ("# T\n\nlead\n\n## A\n", "# T", "prepend", "first", "# T\n\nfirst\n\nlead\n\n## A\n"),
    (
        "## A\n\n| a |\n|---|\n| b |\n\n## B\n",
        "A",
        "append",
        "| c |",
        "## A\n\n| a |\n|---|\n| b |\n\n| c |\n\n## B\n",
    ),
    ("## A\n\n- [ ] x", "A", "append", "- [x] y", "## A\n\n- [ ] x\n\n- [x] y"),
]


@ONE_ERA
@pytest.mark.requirement("tickets:sections:text_goes_where_it_belongs")
async def test_text_goes_where_it_belongs_and_nothing_else_moves(call: Caller, tickets: Tickets) -> None:
    for body, section, mode, content, expected in WRITES:
        for eol in ("\n", "\r\n"):
            head = HEAD.replace("\n", eol)
            tickets.write(NAME, head + body.replace("\n", eol))
            await told(call, key=1, operation=mode, section=section, content=content)
            text = tickets.bytes(NAME).decode()
            written = text.split(f"---{eol}{eol}", 1)[1]
            assert written == expected.replace("\n", eol), (body, mode, content)
            assert text.count("\n") == text.count(eol)


@ONE_ERA
async def test_what_else_a_replacement_did_is_told(call: Caller, tickets: Tickets) -> None:
    with_body(tickets, "# T\n\n## A\n\n### C\n\nc\n\n#### D\n\n## B\n\n### C\n")
    text, data = await told(call, key=1, operation="replace", section="A", content="## Z\n\nnew")
    assert text.splitlines()[-1] == (
        "The section is now called Z. The section content has been completely replaced. "
        "2 sub-sections were removed with it: ## A / ### C, #### D."
    )
    assert data["renamedTo"] == "Z"
    assert data["removedSections"] == ["## A / ### C", "#### D"]
    text, data = await told(call, key=1, operation="replace", section="B", content="x")
    assert text.endswith("1 sub-section was removed with it: ### C.")
    text, data = await told(call, key=1, operation="replace", section="B", content="x")
    assert text.endswith("Nothing changed: the section reads like that already.")
    assert data["changed"] is False


@ONE_ERA
async def test_the_title_changes_with_its_heading(call: Caller, tickets: Tickets) -> None:
    tickets.write(NAME, "---\ncode: MDT-001\ntitle: 'Old'\n---\n\n# Old\n\n## A\n\nx\n")
    text, data = await told(call, key=1, operation="replace", section="# Old", content="# New: title\n")
    assert data["title"] == "New: title"
    assert "- Title: New: title\n" in text
    assert text.endswith("The section is now called New: title.")
    assert tickets.text(NAME) == (
        f"---\ncode: MDT-001\ntitle: 'New: title'\nlastModified: {data['lastModified']}\n---\n\n"
        "# New: title\n\n## A\n\nx\n"
    )
    assert (await answer(call, "get_cr", key=1, mode="attributes"))["title"] == "New: title"


@ONE_ERA
async def test_text_that_would_swallow_what_follows_is_refused(call: Caller, tickets: Tickets) -> None:
    before = with_body(tickets, "# T\n\n## A\n\nx\n\n## B\n\ny\n")
    for content in ("```sh\nmake\n", "<!-- open", "~~~\n```\n"):
        for mode in OUTCOMES:
            refusal = await invalid(
                call, "manage_cr_sections", key=1, operation=mode, section="A", content=content
            )
            assert "which would swallow the section 'B' behind it; close it" in refusal["content"]
    assert tickets.bytes(NAME) == before
    await told(call, key=1, operation="append", section="B", content="```sh\nat the end")


@ONE_ERA
async def test_content_never_becomes_front_matter(call: Caller, tickets: Tickets) -> None:
    tickets.write(NAME, "# T\n\n## A\n\nx\n")
    content = "---\ncode: MDT-009\nstatus: Implemented\n---\n"
    await told(call, key=1, operation="prepend", section="# T", content=content)
    found = await answer(call, "get_cr", key=1, mode="attributes")
    assert (found["code"], found["status"]) == ("MDT-001", "Proposed")
    assert content in tickets.text(NAME)


# Pieces


async def test_the_pieces_of_a_long_section_make_up_the_whole(call: Caller, tickets: Tickets) -> None:
    content = "".join(f'Line {number} "ü🙂"\\\n' for number in range(6_000)).strip()
    with_body(tickets, f"# T\n\n## Long\n\n{content}\n\n## B\n\nx\n")
    for most in ({}, {"max_chars": 9_001}):
        parts: list[str] = []
        offset: int | None = 0
        while offset is not None:
            result = await call(
                "manage_cr_sections", key=1, operation="get", section="Long", offset=offset, **most
            )
            data = result.structured_content
            assert data is not None
            assert data["chars"] == len(content)
            text = text_of(result)
            assert len(text) < 50_000
            assert f"---\n\n{data['content']}\n\n---" in text
            parts.append(data["content"])
            end = offset + len(data["content"])
            offset = data.get("next_offset")
            rest = (
                f"[Characters {end - len(parts[-1])} to {end} of {len(content)}; call again with offset {end}"
            )
            assert (rest in text) == (offset is not None)
        assert "".join(parts) == content
        assert len(parts) > 2


@ONE_ERA
async def test_headings_of_any_length_fit_an_answer(call: Caller, tickets: Tickets) -> None:
    with_body(tickets, f"# {'t' * 300_000}\n\n## {'s' * 300_000}\n\nx\n")
    result = await call("manage_cr_sections", key=1, operation="list")
    assert len(text_of(result)) < 50_000
    assert len(str(result.structured_content)) < 50_000


@ONE_ERA
async def test_a_list_of_many_sections_comes_in_pages(call: Caller, tickets: Tickets) -> None:
    with_body(tickets, "# T\n\n" + "".join(f"## Section {n}\n\n### Part\n\n" for n in range(1_000)))
    found: list[str] = []
    offset: int | None = 0
    pages = 0
    while offset is not None:
        text, data = await told(call, key=1, operation="list", offset=offset)
        assert data["total"] == 2_001
        assert len(text) < 50_000
        found += [section["path"] for section in data["sections"]]
        offset = data.get("next_offset")
        assert (f"call again with offset {offset}.]" in text) == (offset is not None)
        pages += 1
    assert pages > 1
    assert len(set(found)) == len(found) == 2_001


async def test_a_box_is_ticked_and_opened_by_its_text(call: Caller, tickets: Tickets) -> None:
    criteria = "- [ ]  It *is*\n  shown\n* [X] It is said\n"
    body = f"# T\n\n## 4. Acceptance Criteria\n\n{criteria}\n## Notes\n\n- [ ] Later\n"
    with_body(tickets, body)
    text, data = await told(call, key="MDT-001", operation="check", content="- [ ] It *is* shown")
    assert body_of(tickets) == body.replace("[ ]  It", "[x]  It")
    assert text.endswith("It *is* shown\n\n2 of 2 boxes are ticked.")
    assert (data["checked"], data["changed"], data["met"], data["total"]) == (True, True, 2, 2)
    before = tickets.bytes(NAME)
    _, data = await told(call, key="MDT-001", operation="check", content="It is said")
    assert (data["changed"], tickets.bytes(NAME)) == (False, before)
    for said in ("It *is* shown", "It is said"):
        await told(call, key="MDT-001", operation="uncheck", content=said)
    assert body_of(tickets) == body.replace("[X]", "[ ]")
    _, data = await told(call, key="MDT-001", operation="check", section="Notes", content="Later")
    assert (body_of(tickets), data["total"]) == (body.replace("[X]", "[ ]").replace("[ ] L", "[x] L"), 1)
    before = tickets.bytes(NAME)
    for content, said in (("Later", "It *is* shown | It is said"), (None, "content is required")):
        found = await invalid(call, "manage_cr_sections", key="MDT-001", operation="check", content=content)
        assert said in found["content"]
    assert tickets.bytes(NAME) == before
