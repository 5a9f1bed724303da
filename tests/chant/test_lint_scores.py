"""`chant_lint`: five scores, their traffic light and what they suggest (reference 10.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from chant.linting import SECTION, body
from chant.reading import ONE_ERA
from writing import ID

if TYPE_CHECKING:
    from harness import Caller

pytestmark = pytest.mark.anyio


async def score(call: Caller, id: str = ID) -> dict[str, Any]:
    (found,) = (await call.data("chant_lint", id=id))["scores"]
    assert found["id"] == id
    return found


# Scores: the documented vectors (reference 10.4)


VERBS = "# T\n\n- add a thing\n- test a thing\n\n"


async def test_a_title_alone_scores_red(call: Caller) -> None:
    call.project.spec(ID, body="# Only a title")

    found = await score(call)
    assert grades(found) == "A D C D -"
    assert found["traffic_light"] == "red"


def grades(found: dict[str, Any]) -> str:
    keys = ("complexity", "confidence", "splittability", "ac_quality", "isolation")
    return " ".join(found[key] or "-" for key in keys)


async def test_verbs_and_criteria_score_green(call: Caller) -> None:
    items = [f"- [ ] {verb} it" for verb in ("add", "test", "update", "remove")]
    call.project.spec(ID, body=VERBS + SECTION + "\n".join(items))

    found = await score(call)
    assert grades(found) == "B A C A -"
    assert found["traffic_light"] == "green"


async def test_a_small_member_scores_yellow(call: Caller) -> None:
    call.project.spec(f"{ID}.1", body=f"# T\n\n{SECTION}- [ ] Add z")

    found = await score(call, f"{ID}.1")
    assert grades(found) == "A A C C -"
    assert found["traffic_light"] == "yellow"


async def test_a_coupled_spec_scores_green(call: Caller) -> None:
    text = (
        "# T\n\n## One\n\n- add a part that is tightly coupled\n- test it\n\n## Two\n\n- update it\n\n"
        + SECTION
        + "- [ ] add a\n- [ ] add b"
    )
    call.project.spec(ID, target_files=["a", "b", "c"], body=text)

    found = await score(call)
    assert grades(found) == "B A D B -"
    assert found["traffic_light"] == "green"


# Scores, limit by limit


@ONE_ERA
@pytest.mark.parametrize(
    ("items", "files", "words", "grade"),
    [
        (3, 2, 199, "A"),
        (4, 0, 60, "B"),
        (0, 3, 60, "B"),
        (0, 0, 200, "B"),
        (5, 3, 399, "B"),
        (6, 0, 60, "C"),
        (0, 4, 60, "C"),
        (0, 0, 400, "C"),
        (7, 4, 599, "C"),
        (8, 0, 60, "D"),
        (0, 5, 60, "D"),
        (0, 0, 600, "D"),
        (8, 5, 600, "D"),
    ],
)
async def test_complexity(call: Caller, items: int, files: int, words: int, grade: str) -> None:
    call.project.spec(ID, target_files=[f"f{n}" for n in range(files)], body=body(items, words))

    assert (await score(call))["complexity"] == grade


def bullets(good: int, verbless: int = 0, prose: int = 0, *more: str) -> str:
    lines = ["# T", *["- add it"] * good, *["* thing"] * verbless, *["prose line"] * prose, *more]
    return "\n".join(lines)


@ONE_ERA
@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ("", "D"),
        (bullets(0, 0, 3), "D"),
        (bullets(1, 0, 10), "D"),  # 0.09
        (bullets(1, 0, 9), "C"),  # 0.10
        (bullets(3, 0, 7), "C"),  # 0.30 is not above 0.30
        (bullets(4, 0, 9), "B"),  # 0.307
        (bullets(6, 0, 4), "B"),  # 0.60 is not above 0.60
        (bullets(7, 0, 4), "A"),  # 0.636
        (bullets(4, 1, 0), "B"),  # verbs 0.80 are not above 0.80
        (bullets(5, 1, 0), "A"),  # verbs 0.83
        (bullets(1, 1, 0), "C"),  # verbs 0.50
        (bullets(2, 1, 0), "B"),  # verbs 0.67
        (bullets(5, 0, 1, "- add etc"), "B"),  # one vague word
        (bullets(5, 0, 0, "- add improve etc"), "B"),  # two
        (bullets(5, 0, 0, "- add improve etc similar"), "C"),  # three
        (bullets(9, 0, 0, "- add " + "etc " * 8), "C"),
        (bullets(9, 0, 0, "- add " + "etc " * 9), "D"),
        (bullets(5, 0, 0, "- add it as needed"), "B"),
        (bullets(5, 0, 0, "- add it and related work"), "B"),
        ("# T\n- [ ] Add a\n- [x] IMPLEMENT b\n* [X] test: c", "A"),
        ("# T\n- add a\n```\nprose\nprose\nprose\nprose\n- thing\n```\n- test b", "A"),
        ("# T\n- add a\n## Heading lines are no prose\n### Nor this\n- test b", "A"),
    ],
)
async def test_confidence(call: Caller, text: str, grade: str) -> None:
    call.project.spec(ID, body=text)

    assert (await score(call))["confidence"] == grade


VERB_LIST = """implement add create update fix remove delete refactor test verify ensure validate configure
setup install deploy build run execute check document write read parse handle process calculate compute
convert transform migrate upgrade downgrade"""


async def test_every_documented_verb_counts(call: Caller) -> None:
    verbs = VERB_LIST.split()
    for n, verb in enumerate(verbs):
        call.project.spec(f"s{n:02}", body=f"# T\n\n- {verb.title()} it\n")
    call.project.spec("zz", body="# T\n\n- Consider it\n")

    found = {score["id"]: score for score in (await call.data("chant_lint", limit=100))["scores"]}
    assert {verb: found[f"s{n:02}"]["confidence"] for n, verb in enumerate(verbs)} == dict.fromkeys(
        verbs, "A"
    )
    assert found["zz"]["confidence"] == "C"


@ONE_ERA
@pytest.mark.parametrize(
    ("word", "is_vague"),
    [
        ("fetch", False),
        ("sketch", False),
        ("dissimilarity", False),
        ("similarly", False),
        ("improvement", False),
        ("etc", True),
        ("etc.", True),
        ("Etc", True),
        ("(similar)", True),
        ("improve,", True),
        ("étc", False),
    ],
)
async def test_vague_words_are_whole_words(call: Caller, word: str, is_vague: bool) -> None:
    call.project.spec(ID, body=bullets(5, 0, 0, f"- add {word} it"))

    assert (await score(call))["confidence"] == ("B" if is_vague else "A")


HEADINGS = "# T\n\n## A\n\ntext\n\n## B\n\ntext\n\n### C\n\n"


@ONE_ERA
@pytest.mark.parametrize(
    ("text", "files", "grade"),
    [
        (HEADINGS, 3, "A"),
        (HEADINGS, 9, "A"),
        (HEADINGS, 2, "C"),
        (HEADINGS, 1, "C"),
        ("# T\n\n## A\n\n## B\n", 3, "C"),
        ("# T\n\n## A\n\n## B\n", 2, "B"),
        ("# T\n\n## A\n", 2, "B"),
        ("# T\n", 2, "C"),
        ("# T\n", 0, "C"),
        (HEADINGS + "These parts are tightly coupled.", 3, "D"),
        (HEADINGS + "The parts depends on each other.", 3, "D"),
        (HEADINGS + "TIGHTLY COUPLED", 3, "D"),
        ("# T\n\n## A\n\ntightly coupled\n", 2, "D"),
        ("# T\n\ntightly coupled\n", 0, "C"),
        (HEADINGS + SECTION + "- [ ] only one", 3, "C"),
        (HEADINGS + SECTION + "- [ ] only one\n\ntightly coupled", 3, "C"),
        (HEADINGS + SECTION + "- [ ] one\n- [ ] two", 4, "A"),
        ("# T\n\n```\n## A\n## B\n## C\n```\n", 3, "C"),
    ],
)
async def test_splittability(call: Caller, text: str, files: int, grade: str) -> None:
    call.project.spec(ID, target_files=[f"f{n}" for n in range(files)], body=text)

    assert (await score(call))["splittability"] == grade


@ONE_ERA
@pytest.mark.parametrize("more", ["", "tightly coupled"])
async def test_members_are_c_before_anything_else(call: Caller, more: str) -> None:
    call.project.spec(f"{ID}.1", target_files=["a", "b", "c"], body=HEADINGS + more)

    assert (await score(call, f"{ID}.1"))["splittability"] == "C"


@ONE_ERA
@pytest.mark.parametrize(("items", "grade"), [(0, "D"), (1, "C"), (2, "B"), (3, "B"), (4, "A"), (9, "A")])
@pytest.mark.parametrize("section", [SECTION, ""])
async def test_ac_quality(call: Caller, items: int, grade: str, section: str) -> None:
    lines = "\n".join(f"- [{' x'[n % 2]}] item {n}" for n in range(items))
    call.project.spec(ID, body=f"# T\n\n{section}{lines}\n\n```\n- [ ] fenced\n```\n")

    assert (await score(call))["ac_quality"] == grade


@ONE_ERA
@pytest.mark.parametrize(
    ("members", "grade"),
    [
        ([], "-"),
        ([("text", ["a"])], "A"),
        ([("member 2 does it", ["a"])], "A"),
        ([("text", ["a"]), ("text", ["b"])], "A"),
        ([("text", []), ("text", [])], "A"),
        ([("after Member  1", ["a"]), ("text", ["b"])], "D"),  # 50 %
        ([("text", ["a"])] * 2 + [("member 1", ["b"])], "C"),  # 67 % isolated, a shared: 50 %
        ([("text", [f"f{n}"]) for n in range(3)] + [("member 1", ["x"])], "B"),  # 75 %
        ([("text", [f"f{n}"]) for n in range(9)] + [("member 1", ["x"])], "B"),  # 90 % is not above 90 %
        ([("text", [f"f{n}"]) for n in range(10)] + [("member 1", ["x"])], "A"),  # 91 %
        ([("text", ["a"]), ("text", ["a"])], "D"),  # all files shared
        ([("text", ["a", "b"]), ("text", ["a", "c"])], "B"),  # a third shared
        ([("text", ["a", "b", "c", "d"]), ("text", ["a", "e"])], "B"),  # 20 % is not below 20 %
        ([("text", ["a", "b", "c", "d"]), ("text", ["a", "e", "f"])], "A"),  # 17 %
        ([("remember 12", ["a"]), ("members 3", ["b"])], "A"),
    ],
)
async def test_isolation(call: Caller, members: list[tuple[str, list[str]]], grade: str) -> None:
    call.project.spec(ID, body="# T")
    for n, (text, files) in enumerate(members, 1):
        call.project.spec(f"{ID}.{n}", target_files=files, body=f"# T\n\n{text}\n")

    assert ((await score(call))["isolation"] or "-") == grade


@ONE_ERA
@pytest.mark.parametrize(
    ("text", "files", "light"),
    [
        (VERBS + SECTION + "- [ ] add a\n- [ ] add b", 0, "green"),
        (VERBS + SECTION + "- [ ] add a\n- [ ] add b", 3, "green"),
        (VERBS + SECTION + "- [ ] add a\n- [ ] add b", 4, "yellow"),  # complexity C
        (VERBS + SECTION + "- [ ] add a\n- [ ] add b", 5, "red"),  # complexity D
        (VERBS + SECTION + "- [ ] add a", 0, "yellow"),  # ac_quality C
        (VERBS, 0, "red"),  # ac_quality D
        ("# T\n\n" + "prose\n" * 3 + SECTION + "- [ ] it\n- [ ] that", 0, "yellow"),  # confidence C
        ("# T\n\n" + "prose\n" * 30 + SECTION + "- [ ] add a\n- [ ] add b", 0, "red"),  # confidence D
        (VERBS + "tightly coupled\n\n## X\n\n" + SECTION + "- [ ] add a\n- [ ] add b", 2, "green"),
    ],
)
async def test_the_light(call: Caller, text: str, files: int, light: str) -> None:
    call.project.spec(ID, target_files=[f"f{n}" for n in range(files)], body=text)

    assert (await score(call))["traffic_light"] == light


SUGGESTIONS = {
    ("complexity", "D"): "Reduce criteria count or split spec into smaller pieces",
    ("complexity", "C"): "Consider reducing scope or splitting into subtasks",
    ("confidence", "D"): (
        "Use bullet points instead of prose paragraphs; "
        "avoid vague words like 'improve', 'as needed', 'etc', 'similar'"
    ),
    ("confidence", "C"): (
        "Increase bullet-to-prose ratio (>50%); start bullets with imperative verbs; reduce vague language"
    ),
    ("ac_quality", "D"): "Add at least 1 acceptance criteria checkbox",
    ("ac_quality", "C"): "Add at least 2 acceptance criteria checkboxes",
    ("ac_quality", "B"): "Add at least 4 acceptance criteria checkboxes for Grade A",
    ("splittability", "D"): "Remove coupling keywords ('tightly coupled', 'depends on each other')",
    ("splittability", "C"): (
        "Add target_files and organize with ## section headers to improve splittability"
    ),
    ("isolation", "D"): "Reduce cross-references between group members to improve isolation",
    ("isolation", "C"): "Consider reducing coupling between group members",
}


async def test_suggestions_follow_the_grades(call: Caller) -> None:
    words = ["", "tightly coupled", "prose " * 450, "prose " * 700]
    for n in range(48):
        items = "\n".join(f"- [ ] add {m}" for m in range((0, 1, 2, 4, 6, 8)[n % 6]))
        files = [f"f{m}" for m in range(n % 7)]
        call.project.spec(
            f"s{n:02}", target_files=files, body=f"{HEADINGS}{words[n % 4]}\n\n{SECTION}{items}"
        )
    for n in range(4):
        call.project.spec(f"big{n}", body=VERBS)
        for m in range(1, 4):
            call.project.spec(f"big{n}.{m}", target_files=["same"], body=VERBS + "member 1" * (m <= n))

    seen = set()
    for found in (await call.data("chant_lint", limit=1000))["scores"]:
        keys = {(key, found[key]) for key in ("complexity", "confidence", "ac_quality")}
        keys |= {("splittability", found["splittability"]), ("isolation", found["isolation"])}
        assert found["suggestions"] == sorted(SUGGESTIONS[key] for key in keys if key in SUGGESTIONS)
        seen |= keys
    assert len(seen & set(SUGGESTIONS)) >= 9
