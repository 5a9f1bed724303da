"""`chant_verify`: which criteria of a spec are ticked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chant.reading import ONE_ERA, criteria, snapshot
from writing import answer_text

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio


@pytest.mark.requirement("chant:verify:answer_has_the_documented_keys", "chant:verify:all_met_is_verified")
async def test_a_spec_with_every_criterion_ticked_is_verified(call: Caller) -> None:
    call.project.spec("2026-02-02-001-xyz", body=criteria(*(f"- [x] item {n}" for n in range(5))))

    expected = {
        "spec_id": "2026-02-02-001-xyz",
        "verified": True,
        "criteria": {"total": 5, "checked": 5, "unchecked": 0},
        "unchecked_items": [],
        "verification_notes": "All acceptance criteria met",
    }
    assert await call.data("chant_verify", id="001") == expected
    assert await call.text("chant_verify", id="001") == answer_text(expected)


@pytest.mark.requirement(
    "chant:verify:answer_has_the_documented_keys",
    "chant:verify:open_items_are_listed",
    "chant:verify:open_items_are_counted_in_the_note",
)
async def test_open_criteria_are_listed_and_counted(call: Caller) -> None:
    items = ("- [x] a", "- [ ] Tests added", "- [X] b", "- [x] c", "- [ ] Documentation updated")
    call.project.spec("2026-02-02-001-xyz", body=criteria(*items))

    expected = {
        "spec_id": "2026-02-02-001-xyz",
        "verified": False,
        "criteria": {"total": 5, "checked": 3, "unchecked": 2},
        "unchecked_items": ["- [ ] Tests added", "- [ ] Documentation updated"],
        "verification_notes": "2 criteria not yet checked",
    }
    assert await call.data("chant_verify", id="001") == expected
    assert await call.text("chant_verify", id="001") == answer_text(expected)


@pytest.mark.requirement("chant:verify:open_items_are_listed")
@ONE_ERA
@pytest.mark.parametrize(
    ("line", "item"),
    [
        ("* [ ] star", "- [ ] star"),
        ("+ [ ] plus", "- [ ] plus"),
        ("  - [ ] indented", "- [ ] indented"),
        ("- [ ]   wide", "- [ ] wide"),
        ("- [ ] with `code` and **bold**", "- [ ] with `code` and **bold**"),
        ("- [ ] ünïcode 日本", "- [ ] ünïcode 日本"),
        ("- [ ] trailing blanks   ", "- [ ] trailing blanks"),
    ],
)
async def test_an_open_item_is_written_in_one_form(call: Caller, line: str, item: str) -> None:
    call.project.spec("one", body=criteria(line, "", "end"))

    assert (await call.data("chant_verify", id="one"))["unchecked_items"] == [item]


@ONE_ERA
@pytest.mark.parametrize(
    "body",
    ["# A", criteria(), criteria("- plain item"), "# A\n\n- [x] outside any section", criteria("none yet")],
)
async def test_a_spec_without_criteria_is_not_verified(call: Caller, body: str) -> None:
    call.project.spec("one", body=body)

    data = await call.data("chant_verify", id="one")
    assert (data["verified"], data["unchecked_items"]) == (False, [])
    assert data["criteria"] == {"total": 0, "checked": 0, "unchecked": 0}
    assert data["verification_notes"] == "No acceptance criteria found"


async def test_verifying_executes_and_changes_nothing(call: Caller) -> None:
    mark = call.project.root / "executed"
    call.project.config(f"checks:\n  touch: ['touch', '{mark}']\n")
    call.project.spec(
        "one",
        body=criteria(f"- [ ] `touch {mark}` <!-- check: touch -->", f"- [x] $(touch {mark})"),
    )
    call.project.repository()
    before = snapshot(call.project.root)
    data = await call.data("chant_verify", id="one")

    assert data["criteria"] == {"total": 2, "checked": 1, "unchecked": 1}
    assert not mark.exists()
    assert snapshot(call.project.root) == before


@pytest.mark.requirement("chant:verify:open_items_are_listed")
async def test_many_open_items_fit_an_answer(call: Caller) -> None:
    call.project.spec("one", body=criteria(*(f"- [ ] {n} {'x' * 300}" for n in range(1_000))))

    text, data = await call.text("chant_verify", id="one"), await call.data("chant_verify", id="one")
    assert len(text) < 50_000
    assert data["criteria"] == {"total": 1_000, "checked": 0, "unchecked": 1_000}
    assert data["verification_notes"].startswith("1000 criteria not yet checked")
    shown = len(data["unchecked_items"])
    assert 0 < shown < 1_000
    assert str(shown) in text or str(1_000 - shown) in text, "what was left out is not said"
    assert data["unchecked_items_total"] == 1_000


@pytest.mark.requirement("chant:verify:open_items_are_listed")
async def test_a_long_open_item_fits_an_answer(call: Caller) -> None:
    call.project.spec("one", body=criteria(f"- [ ] {'long ' * 20_000}", "- [ ] short"))

    text, data = await call.text("chant_verify", id="one"), await call.data("chant_verify", id="one")
    assert len(text) < 50_000
    assert data["unchecked_items"][0].endswith("characters)")
    assert data["unchecked_items"][1:] == ["- [ ] short"]
    assert "unchecked_items_total" not in data


@pytest.mark.requirement("chant:verify:open_items_are_counted_in_the_note")
async def test_ticks_made_before_the_call_are_seen(call: Caller) -> None:
    path = call.project.spec("one", body=criteria("- [ ] a", "- [ ] b"))
    assert (await call.data("chant_verify", id="one"))["criteria"]["unchecked"] == 2
    path.write_text(path.read_text(encoding="utf-8").replace("- [ ] a", "- [x] a"), encoding="utf-8")
    assert (await call.data("chant_verify", id="one"))["unchecked_items"] == ["- [ ] b"]
    path.write_text(path.read_text(encoding="utf-8").replace("- [ ] b", "- [x] b"), encoding="utf-8")
    assert (await call.data("chant_verify", id="one"))["verified"] is True
