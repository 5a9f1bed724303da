"""`chant_search`: specs whose title or body contains a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from chant.reading import DAY, LAW, ONE_ERA, STATUSES, archive, clear, drive, ids, problem_of
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio


async def found(call: Caller, query: str, **arguments: object) -> list[str]:
    return ids(await call.data("chant_search", query=query, **arguments))


@pytest.mark.requirement("chant:search:looks_in_title_and_body")
async def test_titles_and_bodies_are_searched(call: Caller) -> None:
    call.project.spec(f"{DAY}-002-bbb", body="# Other\n\n## Notes\n\n- mentions the needle here")
    call.project.spec(f"{DAY}-001-aaa", body="# The needle", labels=["x"], depends_on=["absent"])
    call.project.spec(f"{DAY}-003-ccc", body="# Nothing")

    data = await call.data("chant_search", query="needle")
    assert list(data)[:4] == ["specs", "total", "limit", "returned"]
    assert (data["total"], data["limit"], data["returned"]) == (2, 50, 2)
    keys = ["id", "title", "status", "type", "depends_on", "labels"]
    assert [{key: spec[key] for key in keys} for spec in data["specs"]] == [
        {
            "id": f"{DAY}-001-aaa",
            "title": "The needle",
            "status": "blocked",
            "type": "code",
            "depends_on": ["absent"],
            "labels": ["x"],
        },
        {
            "id": f"{DAY}-002-bbb",
            "title": "Other",
            "status": "pending",
            "type": "code",
            "depends_on": None,
            "labels": None,
        },
    ]


@pytest.mark.requirement("chant:search:looks_in_title_and_body")
@ONE_ERA
@pytest.mark.parametrize("query", ["secret-label", "documentation", "status:", "---", "spec-one", "haiku"])
async def test_front_matter_and_id_are_not_searched(call: Caller, query: str) -> None:
    call.project.spec(
        "spec-one", type="documentation", labels=["secret-label"], model="haiku", body="# Title\n\nbody"
    )

    assert await found(call, query) == []


@pytest.mark.requirement("chant:search:ignores_case")
@ONE_ERA
@pytest.mark.parametrize(
    ("text", "query", "matches"),
    [
        ("Add User AUTH", "user auth", True),
        ("add user auth", "USER", True),
        ("authentication", "THENTIC", True),
        ("ÜBERTRAGUNG der Größe", "übertragung", True),
        ("übertragung", "ÜBER", True),
        ("ΣΙΓΜΑ", "σιγμα", True),
        ("日本語の仕様", "本語", True),
        ("Привет", "ПРИВЕТ", True),
        ("a.b", "a?b", False),
        ("abc", "a.c", False),
        ("path\\to", "\\TO", True),
        ("100%_done", "%_D", True),
        ("tab\there", "B\tH", True),
        ("words apart", "apart words", False),
        ("words  apart", "words apart", False),
        ("İstanbul", "stanbul", True),
        ("ﬃ ligature", "LIGATURE", True),
    ],
)
async def test_the_query_is_a_literal_substring_in_any_case(
    call: Caller, text: str, query: str, matches: bool
) -> None:
    call.project.spec("in-title", body=f"# {text}")
    call.project.spec("in-body", body=f"# T\n\n{text}\n\nmore")

    assert await found(call, query) == (["in-body", "in-title"] if matches else [])


@pytest.mark.requirement("chant:search:looks_in_title_and_body")
async def test_a_query_may_span_lines(call: Caller) -> None:
    call.project.spec("one", body="# T\n\nfirst\nsecond")

    assert await found(call, "FIRST\nsecond") == ["one"]


@pytest.mark.requirement("chant:search:status_filters")
async def test_status_limits_the_matches(call: Caller) -> None:
    for status in ("pending", "completed", "cancelled", "failed"):
        call.project.spec(status, status=status, body="# word")
    call.project.spec("waits", depends_on=["failed"], body="# word")

    assert await found(call, "word") == ["cancelled", "completed", "failed", "pending", "waits"]
    for status in ("pending", "completed", "cancelled", "failed"):
        assert await found(call, "word", status=status) == [status]
    assert await found(call, "word", status="blocked") == ["waits"]
    assert await found(call, "absent", status="pending") == []


@ONE_ERA
@pytest.mark.parametrize("status", ["done", "Pending", ""])
async def test_an_unknown_status_is_refused(call: Caller, status: str) -> None:
    call.project.spec("one", body="# word")

    assert (await call.error("chant_search", query="word", status=status)).startswith(
        f"Invalid status: {status}"
    )


async def test_an_empty_query_matches_everything(call: Caller) -> None:
    call.project.spec("a", body="")
    call.project.spec("b", status="cancelled")

    assert await found(call, "") == ["a", "b"]


async def test_the_archive_is_not_searched(call: Caller) -> None:
    archive(call.project, f"{DAY}-001-old")
    call.project.spec("active", body="# Archived? No")

    assert await found(call, "archived") == ["active"]


async def test_matches_are_shown_fifty_at_a_time(call: Caller) -> None:
    for n in range(60):
        call.project.spec(f"spec-{n:02}", body="# word")

    data = await call.data("chant_search", query="word")
    assert (data["total"], data["limit"], data["returned"], len(ids(data))) == (60, 50, 50, 50)
    assert await found(call, "word", offset=50) == [f"spec-{n}" for n in range(50, 60)]
    assert await found(call, "word", limit=3, offset=1) == ["spec-01", "spec-02", "spec-03"]
    data = await call.data("chant_search", query="word", limit=0)
    assert (data["specs"], data["total"]) == ([], 60)


async def test_many_long_matches_fit_an_answer(call: Caller) -> None:
    body = "# " + "t" * 300 + "\n\n" + "é" * 2_000 + " word " + '"' * 2_000
    for n in range(200):
        call.project.spec(f"spec-{n:03}", body=body)

    shown: list[str] = []
    while len(shown) < 200:
        assert len(await call.text("chant_search", query="word", limit=1_000, offset=len(shown))) < 50_000
        more = await found(call, "word", limit=1_000, offset=len(shown))
        assert more
        shown += more
    assert shown == [f"spec-{n:03}" for n in range(200)]


@pytest.mark.requirement("chant:search:looks_in_title_and_body")
@ONE_ERA
@pytest.mark.parametrize("query", ["x", "é", "日", "e\u0301"])
async def test_an_excerpt_never_cuts_a_character(call: Caller, query: str) -> None:
    for n in range(1, 90):
        call.project.spec(f"s{n:02}", body=f"# T\n\n{'日' * n}{query}{'🎉' * (90 - n)}")

    data = await call.data("chant_search", query=query, limit=100)
    assert data["total"] == 89
    assert "\ufffd" not in str(data)


@pytest.mark.requirement("chant:search:looks_in_title_and_body")
async def test_unreadable_files_are_told_beside_the_matches(call: Caller) -> None:
    call.project.spec("good", body="# word")
    call.project.write("broken", "---\nstatus: [\n---\n# word\n")

    data = await call.data("chant_search", query="word")
    assert ids(data) == ["good"]
    assert problem_of(data, "broken")


@pytest.mark.requirement("chant:search:looks_in_title_and_body")
async def test_the_text_of_a_spec_edited_before_the_call_is_searched(call: Caller) -> None:
    call.project.spec("one", body="# before")
    assert await found(call, "before") == ["one"]
    call.project.spec("one", body="# afterx")

    assert await found(call, "before") == []
    assert await found(call, "afterx") == ["one"]


@pytest.mark.requirement("chant:search:looks_in_title_and_body", "chant:search:ignores_case")
def test_search_finds_what_a_naive_search_finds(project: Project) -> None:
    server = project.server()
    letters = "aAbB .\nÄäßéÉ日"

    @LAW
    @given(
        bodies=st.lists(
            st.tuples(st.text(letters, max_size=12), st.sampled_from(STATUSES)), min_size=1, max_size=6
        ),
        queries=st.lists(st.text(letters, max_size=3), min_size=1, max_size=5),
        status=st.none() | st.sampled_from(["completed", "cancelled"]),
    )
    def law(bodies: list[tuple[str, str]], queries: list[str], status: str | None) -> None:
        async def example(call: Caller) -> None:
            clear(project)
            for n, (body, stored) in enumerate(bodies):
                project.spec(f"s{n}", status=stored, body=f"# {body}|")
            for query in queries:
                expected = [
                    f"s{n}"
                    for n, (body, stored) in enumerate(bodies)
                    if query.lower() in f"\n# {body}|\n".lower() and status in (None, stored)
                ]
                assert await found(call, query, status=status) == expected

        drive(project, server, example)

    law()
