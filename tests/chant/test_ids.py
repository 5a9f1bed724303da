"""IDs: which files are specs, how they are ordered, and how a part of an ID finds one."""

from __future__ import annotations

import itertools
import random
import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chant.reading import DAY, LAW, ONE_ERA, archive, clear, drive, ids, listed
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio

# Which files are specs


@ONE_ERA
@pytest.mark.parametrize(
    "stem",
    [
        "free-name",
        "UPPER",
        "with blank",
        "2026-01-22-001-x7m.1",
        "x.y.z",
        "Ünïcode-日本",
        "a'b",
        "-",
        "README",
    ],
)
async def test_any_file_name_without_extension_is_an_id(call: Caller, stem: str) -> None:
    call.project.spec(stem)

    assert list(await listed(call)) == [stem]
    assert (await call.data("chant_spec_get", id=stem))["id"] == stem


@ONE_ERA
@pytest.mark.parametrize("name", ["a.MD", "a.Md", "a.md.tmp", "a.markdown", "a.md~", "a.txt", "amd"])
async def test_other_extensions_are_no_specs(call: Caller, name: str) -> None:
    call.project.spec("real")
    (call.project.specs / name).write_text("---\nstatus: pending\n---\n# No\n", encoding="utf-8")

    data = await call.data("chant_spec_list")
    assert ids(data) == ["real"]
    assert "problems" not in data or data["problems"] == []


async def test_a_file_named_only_md_disturbs_nothing(call: Caller) -> None:
    call.project.spec("real")
    call.project.spec("")

    assert "real" in await listed(call)
    assert (await call.data("chant_spec_get", id="real"))["id"] == "real"


@ONE_ERA
@pytest.mark.parametrize("stem", ["a..b", "x" * 240, "tab\tname", "back\\slash", " ", "new\nline"])
async def test_a_stem_that_cannot_be_an_id_is_not_lost(call: Caller, stem: str) -> None:
    call.project.spec(stem)
    call.project.spec("real")

    data = await call.data("chant_spec_list")
    assert "real" in ids(data)
    assert stem in ids(data) or len(data["problems"]) == 1


# Order (reference 10.2)

ORDERED = [
    f"{DAY}-009-x",
    f"{DAY}-00a-x",
    f"{DAY}-00a-x.1",
    f"{DAY}-00a-x.2",
    f"{DAY}-00a-x.10",
    f"{DAY}-00z-x",
    f"{DAY}-010-x",
]


async def test_the_documented_order_of_ids(call: Caller) -> None:
    for id in random.Random(7).sample(ORDERED, len(ORDERED)):
        call.project.spec(id)

    assert ids(await call.data("chant_spec_list")) == ORDERED


@ONE_ERA
@pytest.mark.parametrize(
    ("first", "second"),
    [
        *itertools.pairwise(ORDERED),
        ("2025-12-31-zzz-zzz", "2026-01-01-001-aaa"),
        ("2026-01-09-001-aaa", "2026-01-10-001-aaa"),
        (f"{DAY}-001-aaa", f"{DAY}-001-aab"),
        (f"{DAY}-zzz-aaa", f"{DAY}-1000-aaa"),
        (f"{DAY}-001-aaa.2.10", f"{DAY}-001-aaa.10.2"),
        (f"{DAY}-001-aaa.9", f"{DAY}-001-aab"),
        ("alpha", "beta"),
        ("Beta", "alpha"),
        ("note-10", "note-9"),
        ("free.2", "free.10"),
        ("free", "free.1"),
    ],
)
async def test_one_id_stands_before_another(call: Caller, first: str, second: str) -> None:
    call.project.spec(second)
    call.project.spec(first)

    assert ids(await call.data("chant_spec_list")) == [first, second]


async def test_nested_members_follow_the_member_they_extend(call: Caller) -> None:
    driver = f"{DAY}-001-aaa"
    expected = [f"{driver}{tail}" for tail in ("", ".1", ".2", ".2.1", ".2.2", ".2.10", ".10", ".10.1")]
    for seed in range(3):
        clear(call.project)
        for id in random.Random(seed).sample(expected, len(expected)):
            call.project.spec(id)

        assert ids(await call.data("chant_spec_list")) == expected


@ONE_ERA
@pytest.mark.parametrize("odd", ["a-b-c-d-e", "----", "é-ü-日-本-語", "2026-01-22--x", "2026-01-22-0é1-x7m"])
async def test_an_odd_five_part_id_is_listed(call: Caller, odd: str) -> None:
    call.project.spec(odd)
    call.project.spec(f"{DAY}-001-x7m")

    assert set(await listed(call)) == {odd, f"{DAY}-001-x7m"}
    assert (await call.data("chant_spec_get", id=odd))["id"] == odd
    assert (await call.data("chant_diagnose", id=odd))["spec_id"] == odd


async def test_a_sequence_larger_than_any_number_is_ordered(call: Caller) -> None:
    huge = f"{DAY}-{'z' * 60}-x"
    call.project.spec(huge)
    call.project.spec(f"{DAY}-001-x")

    assert ids(await call.data("chant_spec_list")) == [f"{DAY}-001-x", huge]


_PARTS = st.sampled_from(["2026", "01", "2", "zzz", "009", "00a", "1000", "x", "A", "é"])
_STEMS = st.builds(
    lambda parts, tail: "-".join(parts) + tail,
    st.lists(_PARTS, min_size=1, max_size=6),
    st.sampled_from(["", "", ".1", ".2", ".10", ".2.1", ".x", ".1x"]),
)
_GENERATED = st.builds(
    lambda day, sequence, suffix, tail: f"2026-01-{day}-{sequence}-{suffix}{tail}",
    st.sampled_from(["21", "22"]),
    st.sampled_from(["001", "00a", "zzz", "1000"]),
    st.sampled_from(["abc", "abd"]),
    st.sampled_from(["", ".1", ".2", ".10", ".2.1"]),
)


def test_order_is_total_and_does_not_depend_on_the_others(project: Project) -> None:
    server = project.server()

    @LAW
    @given(st.data())
    def law(data: st.DataObject) -> None:
        stems = data.draw(st.lists(_STEMS | _GENERATED, min_size=3, max_size=9, unique=True))
        kept = data.draw(st.lists(st.sampled_from(stems), min_size=2, unique=True))

        async def example(call: Caller) -> None:
            clear(project)
            for stem in stems:
                project.spec(stem)
            whole = ids(await call.data("chant_spec_list"))
            assert sorted(whole) == sorted(stems)
            for stem in set(stems) - set(kept):
                project.path(stem).unlink()
            assert ids(await call.data("chant_spec_list")) == [id for id in whole if id in kept]

        drive(project, server, example)

    law()


# Partial IDs (reference 2.6, 10.1)


@pytest.mark.requirement("chant:spec_get:partial_id_works")
@ONE_ERA
@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("001", f"{DAY}-001-aaa"),
        ("aaa", f"{DAY}-001-aaa"),
        ("jjj", f"{DAY}-00a-jjj"),
        (".1", f"{DAY}-00a-jjj.1"),
        ("free", "free-name"),
        (f"{DAY}-00a-jjj", f"{DAY}-00a-jjj"),
    ],
)
async def test_the_documented_partial_ids(call: Caller, text: str, found: str) -> None:
    for id in (f"{DAY}-001-aaa", f"{DAY}-00a-jjj", f"{DAY}-00a-jjj.1", "free-name"):
        call.project.spec(id)

    assert (await call.data("chant_spec_get", id=text))["id"] == found
    assert (await call.data("chant_diagnose", id=text))["spec_id"] == found
    assert (await call.data("chant_verify", id=text))["spec_id"] == found


@ONE_ERA
@pytest.mark.parametrize(
    "text", ["FREE", "Free-name", "nothing", "002", "é", "x" * 5000, "../specs/free-name"]
)
async def test_an_unknown_id_is_not_found(call: Caller, text: str) -> None:
    call.project.spec(f"{DAY}-001-aaa")
    call.project.spec("free-name")

    error = await call.error("chant_spec_get", id=text)
    assert error.splitlines()[0].startswith("Spec not found: " + text[:40])
    assert len(error) < 10_000


@ONE_ERA
@pytest.mark.parametrize(
    "tool", ["chant_spec_get", "chant_log", "chant_diagnose", "chant_lint", "chant_verify"]
)
async def test_every_reading_tool_says_not_found_alike(call: Caller, tool: str) -> None:
    assert (await call.error(tool, id="nope")).splitlines()[0] == "Spec not found: nope"


async def test_an_ambiguous_id_names_the_matches_in_order(call: Caller) -> None:
    for id in (f"{DAY}-00a-jjj.1", "free-name", f"{DAY}-00a-jjj", f"{DAY}-001-aaa"):
        call.project.spec(id)

    error = await call.error("chant_spec_get", id=DAY)
    assert error.splitlines()[0] == (
        f"Ambiguous spec ID '{DAY}'. Matches: {DAY}-001-aaa, {DAY}-00a-jjj, {DAY}-00a-jjj.1"
    )


async def test_a_long_list_of_matches_is_capped(call: Caller) -> None:
    everything = [f"{DAY}-{n:03}-aaa" for n in range(300)]
    for id in everything:
        call.project.spec(id)

    error = await call.error("chant_spec_get", id="aaa")
    named = re.findall(r"2026-01-22-\d{3}-aaa", error)
    assert 0 < len(named) < 100
    assert named == everything[: len(named)]


@ONE_ERA
@pytest.mark.parametrize(
    "tool", ["chant_spec_get", "chant_log", "chant_diagnose", "chant_lint", "chant_verify"]
)
@pytest.mark.parametrize("specs", [1, 2])
async def test_an_empty_id_is_refused(call: Caller, tool: str, specs: int) -> None:
    for n in range(specs):
        call.project.spec(f"spec-{n}")
        call.project.log(f"spec-{n}", "line\n")

    assert "spec-0" not in await call.error(tool, id="")


async def test_a_full_id_wins_over_partial_matches(call: Caller) -> None:
    for id in ("abc", "abc-def", "x-abc", "y-abc"):
        call.project.spec(id)

    assert (await call.data("chant_spec_get", id="abc"))["id"] == "abc"


async def test_a_unique_suffix_wins_over_today(call: Caller) -> None:
    call.project.spec(f"{date.today().isoformat()}-001-abc")
    call.project.spec("note-001")

    assert (await call.data("chant_spec_get", id="001"))["id"] == "note-001"


async def test_three_characters_find_the_spec_of_today(call: Caller) -> None:
    call.project.spec("2020-01-01-001-old")
    call.project.spec("2020-01-02-001-old")
    before = date.today().isoformat()
    call.project.spec(f"{before}-001-new")

    result = await call("chant_spec_get", id="001")
    if date.today().isoformat() == before:
        assert result.structured_content is not None
        assert result.structured_content["id"] == f"{before}-001-new"


@ONE_ERA
@pytest.mark.parametrize("text", ["01-", "-001", "0"])
async def test_only_three_characters_mean_today(call: Caller, text: str) -> None:
    call.project.spec("2020-01-01-001-old")
    call.project.spec(f"{date.today().isoformat()}-001-new")

    assert (await call.error("chant_spec_get", id=text)).startswith(f"Ambiguous spec ID '{text}'")


async def test_two_specs_of_today_with_one_number_are_ambiguous(call: Caller) -> None:
    today = date.today().isoformat()
    call.project.spec(f"{today}-001-aaa")
    call.project.spec(f"{today}-001-bbb")

    assert (await call.error("chant_spec_get", id="001")).startswith("Ambiguous spec ID '001'")


@ONE_ERA
@pytest.mark.parametrize("text", [f"{DAY}-001-old", "001-old"])
async def test_an_archived_id_is_said_to_be_archived(call: Caller, text: str) -> None:
    archive(call.project, f"{DAY}-001-old")
    call.project.spec("other")

    error = await call.error("chant_spec_get", id=text)
    assert error.startswith(f"Spec not found: {text}")
    assert "archived" in error
    assert f"{DAY}-001-old" in error


async def test_an_active_match_is_not_disturbed_by_the_archive(call: Caller) -> None:
    archive(call.project, f"{DAY}-001-old")
    call.project.spec(f"{DAY}-001-new")

    assert (await call.data("chant_spec_get", id="001"))["id"] == f"{DAY}-001-new"


def test_resolution_agrees_with_the_rules_read_literally(project: Project) -> None:
    server = project.server()

    @LAW
    @given(
        stems=st.lists(st.text("ab1-é", min_size=1, max_size=5), min_size=1, max_size=6, unique=True),
        texts=st.lists(st.text("ab1-.é", min_size=1, max_size=4), min_size=1, max_size=6),
    )
    def law(stems: list[str], texts: list[str]) -> None:
        async def example(call: Caller) -> None:
            clear(project)
            for stem in stems:
                project.spec(stem)
            for text in texts:
                expected = _resolved(stems, text)
                if expected in stems:
                    assert (await call.data("chant_spec_get", id=text))["id"] == expected
                else:
                    assert (await call.error("chant_spec_get", id=text)).startswith(expected)

        drive(project, server, example)

    law()


def _resolved(stems: list[str], text: str) -> str:
    """Resolve a text by reference 2.6 without the rule about today, or give the error's beginning."""
    if text in stems:
        return text
    suffixes = [stem for stem in stems if stem.endswith(text)]
    if len(suffixes) == 1:
        return suffixes[0]
    inside = [stem for stem in stems if text in stem]
    if len(inside) == 1:
        return inside[0]
    return f"Ambiguous spec ID '{text}'" if inside else f"Spec not found: {text}"


# Generated IDs, seen through chant_add


async def added(call: Caller, description: str = "Add a thing", **arguments: object) -> str:
    text = await call.text("chant_add", description=description, **arguments)
    return text.splitlines()[0].removeprefix("Created spec: ")


async def test_a_generated_id_is_date_sequence_and_random_suffix(call: Caller) -> None:
    before = date.today().isoformat()
    made = [await added(call) for _ in range(5)]
    after = date.today().isoformat()

    for id in made:
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}-[0-9a-z]{3,}-[0-9a-z]{3}", id)
        assert before <= id[:10] <= after
        assert call.project.path(id).exists()
    assert len({id[-3:] for id in made}) > 1
    if before == after:
        assert [id[11:14] for id in made] == ["001", "002", "003", "004", "005"]


@ONE_ERA
@pytest.mark.parametrize(
    ("there", "next"),
    [
        ("009-abc", "00a"),
        ("00z-abc", "010"),
        ("0zz-abc", "100"),
        ("zzz-abc", "1000"),
        ("00a-abc.7", "00b"),
        ("005-abc", "006"),
        ("005-a-b-c", "006"),
    ],
)
async def test_the_next_sequence_is_one_more_than_the_highest_of_the_day(
    call: Caller, there: str, next: str
) -> None:
    today = date.today().isoformat()
    call.project.spec(f"{today}-001-xyz")
    call.project.spec(f"{today}-{there}")
    call.project.spec("2020-01-01-zz0-xyz")
    made = await added(call)

    if made.startswith(today):
        assert made.split("-")[3] == next


async def test_an_unreadable_spec_of_today_counts_for_the_sequence(call: Caller) -> None:
    today = date.today().isoformat()
    call.project.write(f"{today}-00k-bad", "---\nstatus: [\n---\n")
    made = await added(call)

    if made.startswith(today):
        assert made.split("-")[3] == "00l"


async def test_a_member_extends_its_driver(call: Caller) -> None:
    driver = f"{DAY}-001-abc"
    call.project.spec(driver, type="driver")

    assert await added(call, parent=driver) == f"{driver}.1"
    assert await added(call, parent=driver) == f"{driver}.2"
    assert await added(call, parent=f"{driver}.2") == f"{driver}.2.1"
    call.project.spec(f"{driver}.10")
    assert await added(call, parent=driver) == f"{driver}.11"


@ONE_ERA
@pytest.mark.parametrize(
    ("id", "waits"),
    [
        ("big.2", True),  # a digit follows the dot: a member
        ("big.second", False),
        ("big-2", False),
        ("bigger.2", False),
    ],
)
async def test_a_member_is_an_id_that_goes_on_with_a_dot_and_a_digit(
    call: Caller, id: str, waits: bool
) -> None:
    call.project.spec("big", depends_on=["elsewhere"])
    call.project.spec("elsewhere", status="in_progress")
    call.project.spec(id)

    assert (await listed(call))[id] == ("blocked" if waits else "pending")


async def test_specs_in_sub_folders_are_found_at_any_depth(call: Caller) -> None:
    for path in ("top.md", "area/inner.md", "area/deep/er/innermost.md"):
        target = call.project.specs / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"# {Path(path).stem}\n", encoding="utf-8")

    assert ids(await call.data("chant_spec_list")) == ["inner", "innermost", "top"]
    assert (await call.data("chant_spec_get", id="innermost"))["title"] == "innermost"


async def test_an_edit_of_a_spec_in_a_sub_folder_stays_there(call: Caller) -> None:
    path = call.project.specs / "area" / "inner.md"
    path.parent.mkdir()
    path.write_text("---\ntype: code\nstatus: pending\n---\n# Inner\n", encoding="utf-8")
    await call.text("chant_spec_update", id="inner", labels=["x"])

    assert "- x" in path.read_text(encoding="utf-8")
    assert [found.name for found in call.project.specs.rglob("*.md")] == ["inner.md"]


async def test_a_member_without_its_driver_is_loaded_and_warned_about(call: Caller) -> None:
    call.project.spec("gone.1")
    call.project.spec("here")
    call.project.spec("here.1")

    assert set(await listed(call)) == {"gone.1", "here", "here.1"}
    lint = await call.data("chant_lint")
    warned = [found for found in lint["diagnostics"] if "rphan" in found["message"]]
    assert [found["spec_id"] for found in warned] == ["gone.1"]
    assert warned[0]["severity"] == "warning"
    assert "gone" in warned[0]["message"]
