"""`chant_lint`: which specs, in what order, how many at a time, and what cannot be read (reference 5.8)."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import pytest
from chant.linting import SECTION
from chant.reading import DAY, ONE_ERA, criteria, problem_of
from writing import ID, answer_text

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio


@pytest.mark.requirement(
    "chant:lint:diagnostic_has_severity_rule_message_suggestion", "chant:lint:all_specs_without_id"
)
async def test_the_answer_has_the_decided_shape(call: Caller) -> None:
    call.project.spec(ID, body="no title", depends_on=["absent"])
    call.project.spec("clean", body="# Clean\n\n- add a\n- test b\n\n" + SECTION + "- [ ] add c\n- [ ] add d")

    data = await call.data("chant_lint")
    assert list(data)[:5] == ["specs_checked", "errors", "warnings", "diagnostics", "scores"]
    assert (data["specs_checked"], data["errors"], data["warnings"]) == (2, 2, 0)
    assert [(found["spec_id"], found["rule"], found["severity"]) for found in data["diagnostics"]] == [
        (ID, "dependency", "error"),
        (ID, "title", "error"),
    ] or [(found["spec_id"], found["rule"]) for found in data["diagnostics"]] == [
        (ID, "title"),
        (ID, "dependency"),
    ]
    assert [list(found) for found in data["scores"]] == [
        [
            "id",
            "title",
            "traffic_light",
            "complexity",
            "confidence",
            "splittability",
            "ac_quality",
            "isolation",
            "suggestions",
        ]
    ] * 2
    assert [found["title"] for found in data["scores"]] == [None, "Clean"]
    assert await call.text("chant_lint") == answer_text(data)


@pytest.mark.requirement("chant:lint:one_spec_by_id")
async def test_one_spec_is_linted_by_a_part_of_its_id(call: Caller) -> None:
    call.project.spec(ID, body="no title")
    call.project.spec(f"{DAY}-002-abc", body="no title")
    call.project.write("broken", "---\nstatus: [\n---\n")

    data = await call.data("chant_lint", id="001")
    assert (data["specs_checked"], data["errors"]) == (1, 1)
    assert {found["spec_id"] for found in data["diagnostics"]} == {ID}
    assert [found["id"] for found in data["scores"]] == [ID]


@pytest.mark.requirement("chant:lint:all_specs_without_id")
async def test_an_empty_project_has_no_findings(call: Caller) -> None:
    data = await call.data("chant_lint")
    assert (data["specs_checked"], data["errors"], data["warnings"]) == (0, 0, 0)
    assert (data["diagnostics"], data["scores"]) == ([], [])


async def test_findings_and_scores_are_in_the_order_of_ids(call: Caller) -> None:
    expected = [f"{DAY}-009-x", f"{DAY}-00a-x", f"{DAY}-00a-x.2", f"{DAY}-00a-x.10", f"{DAY}-010-x", "free"]
    for id in random.Random(5).sample(expected, len(expected)):
        call.project.spec(id, body="", depends_on=["absent"])
    call.project.write(f"{DAY}-00b-broken", "---\nstatus: [\n---\n")

    data = await call.data("chant_lint")
    assert [found["id"] for found in data["scores"]] == expected
    order = [found["spec_id"] for found in data["diagnostics"]]
    assert order == sorted(order, key=[*expected[:4], f"{DAY}-00b-broken", *expected[4:]].index)
    assert len(order) == 2 * len(expected) + 1


@pytest.mark.requirement("chant:lint:unreadable_front_matter_is_an_error")
@ONE_ERA
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("---\nstatus: [\n---\n", "Invalid YAML frontmatter: "),
        ("---\nstatus: pending\nstatus: failed\n---\n", "Invalid YAML frontmatter: "),
        ("---\nlabels: urgent\n---\n# A\n", "labels"),
        ("---\ncustom: 1\ncustom: 2\n---\n# A\n", "custom"),
        (b"\xff\xfe", "UTF-8"),
    ],
)
async def test_unreadable_files_are_listed_as_problems(call: Caller, text: str | bytes, words: str) -> None:
    call.project.spec("good")
    call.project.write("bad", text)

    data = await call.data("chant_lint")
    assert words in problem_of(data, "bad.md")["message"]
    assert "good" in [found["id"] for found in data["scores"]]


@pytest.mark.requirement("chant:lint:unreadable_front_matter_is_an_error")
@ONE_ERA
@pytest.mark.parametrize("text", ["---\nstatus: [\n---\n", "---\n- a\n---\n", "---\na: b: c\n---\n"])
async def test_unreadable_front_matter_is_an_error_of_the_rule_parse(call: Caller, text: str) -> None:
    call.project.spec("good", body=criteria("- [ ] a"))
    call.project.write("bad", text)

    data = await call.data("chant_lint")
    (found,) = [found for found in data["diagnostics"] if found["spec_id"] == "bad"]
    assert (found["rule"], found["severity"]) == ("parse", "error")
    assert found["message"].startswith("Invalid YAML frontmatter: ")
    assert data["errors"] == 1


@ONE_ERA
@pytest.mark.parametrize("text", ["---\nlint: [\n---\n", "---\nlint: 5\n---\n", "---\nproject: x\n"])
async def test_a_config_that_cannot_be_read_is_told(call: Caller, text: str) -> None:
    call.project.spec("one")
    (call.project.root / ".chant" / "config.md").write_text(text, encoding="utf-8")

    error = await call.error("chant_lint")
    assert error.startswith("Failed to load config: ")
    assert len(error.splitlines()[0]) > len("Failed to load config: ")


async def test_many_findings_fit_an_answer_and_can_be_paged(call: Caller) -> None:
    for n in range(120):
        call.project.spec(f"spec-{n:03}", body="", depends_on=[f"absent-{m}" for m in range(5)])

    text = await call.text("chant_lint")
    data = json.loads(text)
    assert len(text) < 50_000
    assert (data["specs_checked"], data["errors"]) == (120, 720)
    seen_scores: list[str] = []
    seen_findings: list[tuple[str, str]] = []
    offset: int | None = 0
    while offset is not None:
        text = await call.text("chant_lint", offset=offset, limit=300)
        page = json.loads(text)
        assert len(text) < 50_000
        assert page["errors"] == 720
        seen_scores += [found["id"] for found in page["scores"]]
        seen_findings += [(found["spec_id"], found["message"]) for found in page["diagnostics"]]
        assert page.get("next_offset", 10_000) > offset
        offset = page.get("next_offset")
    assert seen_scores == [f"spec-{n:03}" for n in range(120)]
    assert len(seen_findings) == len(set(seen_findings)) == 720
