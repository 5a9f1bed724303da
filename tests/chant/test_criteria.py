"""Acceptance criteria: one reading of them, whatever tool asks (reference 2.7 R, 10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import LAW, ONE_ERA, criteria, drive
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio

SECTION = "## Acceptance Criteria\n\n"


async def counted(call: Caller, body: str) -> tuple[int, int]:
    """Give total and open criteria of a body, after every tool said the same."""
    call.project.spec("one", body=body)
    verify = await call.data("chant_verify", id="one")
    total, unchecked = verify["criteria"]["total"], verify["criteria"]["unchecked"]
    assert verify["criteria"]["checked"] == total - unchecked
    assert len(verify["unchecked_items"]) == unchecked
    assert verify["verified"] == (total > 0 and unchecked == 0)
    assert (await call.data("chant_spec_get", id="one"))["criteria"] == verify["criteria"]
    checks = (await call.data("chant_diagnose", id="one"))["checks"]
    details = next(check["details"] for check in checks if check["name"] == "Acceptance criteria")
    assert details.startswith(f"{unchecked} unchecked items remaining" if unchecked else "All satisfied")
    return total, unchecked


async def test_the_documented_vector(call: Caller) -> None:
    body = f"""# Vector

{SECTION}- [ ] a
- [x] b
- [X] c
  - [ ] nested

```
- [ ] fenced
```

### Sub

- [ ] under a sub-heading

## Next

- [ ] after
"""
    assert await counted(call, body) == (5, 3)


async def test_an_open_item_of_the_first_of_two_sections_is_not_overlooked(call: Caller) -> None:
    body = f"# Two\n\n{SECTION}- [ ] open\n\n## Other\n\ntext\n\n{SECTION}- [x] done"

    assert await counted(call, body) == (2, 1)
    assert (await call.data("chant_verify", id="one"))["verified"] is False


@ONE_ERA
@pytest.mark.parametrize("level", [2, 3, 4, 5, 6])
async def test_the_section_may_be_a_heading_of_any_lower_level(call: Caller, level: int) -> None:
    assert await counted(call, f"# T\n\n{'#' * level} Acceptance Criteria\n\n- [ ] a\n- [x] b") == (2, 1)


@ONE_ERA
@pytest.mark.parametrize(
    ("start", "heading", "belongs"),
    [
        ("##", "### Deeper", True),
        ("##", "###### Deepest", True),
        ("##", "## Same", False),
        ("##", "# Higher", False),
        ("###", "#### Deeper", True),
        ("###", "### Same", False),
        ("###", "## Higher", False),
        ("##", "Setext\n---", False),
        ("##", "Setext\n===", False),
        ("##", "###NoHeading", True),
        ("##", "    ## Indented code", True),
        ("##", "- item\n  ## Inside the item", True),
        ("##", "> ## Inside a quote", True),
        ("##", "```\n## Fenced\n```", True),
    ],
)
async def test_where_the_section_ends(call: Caller, start: str, heading: str, belongs: bool) -> None:
    body = f"# T\n\n{start} Acceptance Criteria\n\n- [x] a\n\n{heading}\n\n- [ ] b"

    assert await counted(call, body) == ((2, 1) if belongs else (1, 0))


@ONE_ERA
@pytest.mark.parametrize("bullet", ["-", "*", "+"])
@pytest.mark.parametrize(("box", "unchecked"), [("[ ]", 1), ("[x]", 0), ("[X]", 0)])
async def test_any_bullet_and_either_x_counts(call: Caller, bullet: str, box: str, unchecked: int) -> None:
    assert await counted(call, f"# T\n\n{SECTION}{bullet} {box} item") == (1, unchecked)


@ONE_ERA
@pytest.mark.parametrize("indent", ["  ", "   ", "    ", "\t"])
async def test_nested_items_count(call: Caller, indent: str) -> None:
    body = f"# T\n\n{SECTION}- [x] a\n{indent}- [ ] b\n{indent * 2}* [x] c\n- plain\n{indent}- [ ] d"

    assert await counted(call, body) == (4, 2)


@ONE_ERA
@pytest.mark.parametrize(
    "code",
    [
        "```\n- [ ] no\n```",
        "~~~\n- [ ] no\n~~~",
        "```md\n- [ ] no\n```",
        "~~~ md\n- [ ] no\n```\n- [ ] no\n~~~",
        "````\n```\n- [ ] no\n```\n````",
        "  - item\n\n    ```\n    - [ ] no\n    ```",
        "```\n- [ ] no",
        "~~~\n- [ ] no\n\n## Next\n\n- [ ] no",
        "para\n\n      - [ ] no, indented code",
    ],
)
async def test_items_in_code_do_not_count(call: Caller, code: str) -> None:
    assert await counted(call, f"# T\n\n{SECTION}- [ ] yes\n\n{code}") == (1, 1)


async def test_a_fenced_heading_opens_no_section(call: Caller) -> None:
    assert await counted(call, f"# T\n\n```\n{SECTION}- [ ] no\n```\n\n- [ ] no") == (0, 0)


@ONE_ERA
@pytest.mark.parametrize(
    ("line", "total"),
    [
        ("- [ ] one - [ ] and in the same line", 1),
        ("text with - [ ] in the middle", 0),
        ("see `- [ ]` for the form", 0),
        ("- plain [ ] box later", 0),
        ("-[ ] no blank", 0),
        ("- [] no blank inside", 0),
        ("- [  ] two blanks", 0),
        ("- [y] another letter", 0),
        ("- [-] a dash", 0),
        ("- \\[ ] escaped", 0),
        ("- [ ]no blank after", 0),
        ("- [x](link) is a link", 0),
        ("| - [ ] | table |\n|---|---|", 0),
        ("<!-- - [ ] comment -->", 0),
    ],
)
async def test_only_a_box_at_the_start_of_an_item_counts(call: Caller, line: str, total: int) -> None:
    assert await counted(call, f"# T\n\n{SECTION}{line}") == (total, total)


@ONE_ERA
@pytest.mark.parametrize(
    ("heading", "is_one"),
    [
        ("## Acceptance Criteria", True),
        ("## Acceptance Criteria ##", True),
        ("##   Acceptance Criteria  ", True),
        ("## Acceptance Criteria (first half)", True),
        ("Acceptance Criteria\n---", True),
        ("## acceptance criteria", True),
        ("### ACCEPTANCE CRITERIA", True),
        ("## My Acceptance Criteria", False),
        ("## Acceptance", False),
        ("# Acceptance Criteria", False),
        ("##Acceptance Criteria", False),
        ("**Acceptance Criteria**", False),
        ("## Other Criteria", False),
    ],
)
async def test_which_heading_opens_the_section(call: Caller, heading: str, is_one: bool) -> None:
    assert await counted(call, f"# T\n\n{heading}\n\n- [ ] a") == ((1, 1) if is_one else (0, 0))


async def test_line_ends_of_windows_change_nothing(call: Caller) -> None:
    body = f"# T\n\n{SECTION}- [ ] a\n- [x] b\n\n```\n- [ ] no\n```\n\n## Next\n\n- [ ] no"

    assert await counted(call, body.replace("\n", "\r\n")) == (2, 1)
    assert (await call.data("chant_verify", id="one"))["unchecked_items"] == ["- [ ] a"]


async def test_lint_counts_what_verify_counts(call: Caller) -> None:
    items = ["* [ ] star", "+ [X] plus", "- [ ] dash", "  - [x] nested"]
    body = criteria(*items) + "\n\n```\n- [ ] fenced\n- [ ] fenced\n```\n\n### Sub\n\n- [ ] sub"
    call.project.config("lint:\n  thresholds:\n    complexity_criteria: 4\n")
    call.project.spec("one", body=body)

    assert (await call.data("chant_verify", id="one"))["criteria"]["total"] == 5
    found = (await call.data("chant_lint", id="one"))["diagnostics"]
    messages = [diagnostic["message"] for diagnostic in found if diagnostic["rule"] == "complexity"]
    assert len(messages) == 1
    assert "5" in messages[0]
    assert "4" in messages[0]


async def test_finalize_refuses_what_verify_calls_open(call: Caller) -> None:
    call.project.spec("one", status="in_progress", body="# T\n\n### Acceptance Criteria\n\n* [ ] a\n+ [x] b")
    call.project.repository()

    assert "1 unchecked acceptance criteria" in await call.error("chant_finalize", id="one", force=True)


@ONE_ERA
@pytest.mark.parametrize(
    ("status", "calls"),
    [
        (
            "in_progress",
            [
                ("chant_finalize", {"force": True}),
                ("chant_spec_update", {"status": "completed", "force": True}),
                ("chant_finalize", {"force": True}),
                ("chant_spec_update", {"output": "done", "labels": ["x"]}),
                ("chant_archive", {}),
            ],
        ),
        ("failed", [("chant_reset", {}), ("chant_cancel", {})]),
        ("failed", [("chant_resume", {}), ("chant_spec_update", {"status": "in_progress"})]),
        (
            "pending",
            [
                (tool, {})
                for tool in ("chant_spec_get", "chant_verify", "chant_diagnose", "chant_lint", "chant_log")
            ],
        ),
    ],
)
async def test_no_other_tool_ticks_a_box(
    call: Caller, status: str, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    call.project.spec("one", status=status, body=criteria("- [ ] never ticked"))
    call.project.log("one", "x\n")
    for tool, arguments in calls:
        await call(tool, id="one", **arguments)

    files = [*call.project.root.rglob("one.md")]
    assert len(files) == 1
    assert "- [ ] never ticked" in files[0].read_text(encoding="utf-8")


_LINE = st.sampled_from(
    [
        "## Acceptance Criteria",
        "### Sub",
        "## Next",
        "- [ ] a",
        "- [x] b",
        "* [X] c",
        "  - [ ] d",
        "1. one",
        "text",
        "",
        "```",
        "~~~",
        "> quote",
        "- [ ]",
    ]
)


def test_all_tools_agree_on_any_body(project: Project) -> None:
    server = project.server()

    @LAW
    @given(lines=st.lists(_LINE, max_size=12))
    def law(lines: list[str]) -> None:
        async def example(call: Caller) -> None:
            await counted(call, "\n".join(["# T", *lines]))

        drive(project, server, example)

    law()
