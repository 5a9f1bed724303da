"""`chant_spec_list`: which specs, in what shape, how many at a time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from chant.reading import (
    DAY,
    LAW,
    ONE_ERA,
    STATUSES,
    archive,
    clear,
    drive,
    ids,
    problem_of,
    snapshot,
)
from hypothesis import given
from hypothesis import strategies as st
from writing import answer_text

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio


@pytest.mark.requirement(
    "chant:spec_list:lists_every_spec_of_the_project",
    "chant:spec_list:answer_has_specs_total_limit_returned",
    "chant:spec_list:spec_has_id_title_status_type",
)
async def test_the_list_has_the_documented_shape(call: Caller) -> None:
    call.project.spec(
        f"{DAY}-001-x7m",
        status="in_progress",
        type="documentation",
        labels=["a", "b"],
        body="# Add user authentication",
    )
    call.project.spec(f"{DAY}-002-y8n", depends_on=f"{DAY}-001-x7m", labels=[], body="No title")

    result = await call("chant_spec_list")
    expected = {
        "specs": [
            {
                "id": f"{DAY}-001-x7m",
                "title": "Add user authentication",
                "status": "in_progress",
                "type": "documentation",
                "depends_on": None,
                "labels": ["a", "b"],
            },
            {
                "id": f"{DAY}-002-y8n",
                "title": None,
                "status": "blocked",
                "type": "code",
                "depends_on": [f"{DAY}-001-x7m"],
                "labels": [],
            },
        ],
        "total": 2,
        "limit": 50,
        "returned": 2,
    }
    assert result.structured_content == expected
    assert await call.text("chant_spec_list") == answer_text(expected)


@pytest.mark.requirement("chant:spec_list:lists_every_spec_of_the_project")
async def test_an_empty_project_gives_an_empty_list(call: Caller) -> None:
    assert await call.data("chant_spec_list") == {"specs": [], "total": 0, "limit": 50, "returned": 0}


@pytest.mark.requirement("chant:spec_list:all_nine_statuses_filter")
@ONE_ERA
@pytest.mark.parametrize("status", [status for status in STATUSES if status not in ("ready", "blocked")])
async def test_each_stored_status_filters(call: Caller, status: str) -> None:
    for other in STATUSES:
        call.project.spec(f"stored-{other}", status=other)

    data = await call.data("chant_spec_list", status=status)
    # A stored `blocked` without a reason shows as pending.
    expected = {f"stored-{status}"} | ({"stored-blocked"} if status == "pending" else set())
    found = set(ids(data))
    assert found - {"stored-ready"} == expected
    assert {spec["status"] for spec in data["specs"]} == {status}


@pytest.mark.requirement("chant:spec_list:all_nine_statuses_filter")
async def test_ready_filters_what_can_be_worked_now(call: Caller) -> None:
    call.project.spec("can")
    call.project.spec("cannot", depends_on=["can"])
    call.project.spec("running", status="in_progress")

    assert ids(await call.data("chant_spec_list", status="ready")) == ["can"]


@pytest.mark.requirement("chant:spec_list:all_nine_statuses_filter", "chant:spec_list:status_filters")
async def test_blocked_filters_by_the_derived_status(call: Caller) -> None:
    call.project.spec("base")
    call.project.spec("waits", depends_on=["base"])
    call.project.spec("free-again", status="blocked", depends_on=["done"])
    call.project.spec("done", status="completed")

    assert ids(await call.data("chant_spec_list", status="blocked")) == ["waits"]
    assert ids(await call.data("chant_spec_list", status="pending")) == ["base", "free-again"]


@ONE_ERA
@pytest.mark.parametrize("status", ["done", "Pending", "inprogress", "in-progress", "", " pending", "all"])
async def test_an_unknown_status_is_refused(call: Caller, status: str) -> None:
    call.project.spec("one")

    error = await call.error("chant_spec_list", status=status)
    assert error.startswith(f"Invalid status: {status}")
    assert all(known in error for known in STATUSES)


async def test_cancelled_specs_show_only_when_asked_for(call: Caller) -> None:
    call.project.spec("kept")
    call.project.spec("dropped", status="cancelled")

    data = await call.data("chant_spec_list")
    assert (ids(data), data["total"], data["returned"]) == (["kept"], 1, 1)
    data = await call.data("chant_spec_list", status="cancelled")
    assert (ids(data), data["total"]) == (["dropped"], 1)


@pytest.mark.requirement("chant:spec_list:lists_every_spec_of_the_project")
async def test_archived_specs_are_not_listed(call: Caller) -> None:
    archive(call.project, f"{DAY}-001-old")
    call.project.spec("active")

    assert ids(await call.data("chant_spec_list")) == ["active"]


@pytest.mark.requirement("chant:spec_list:default_limit_is_50")
async def test_fifty_specs_are_listed_unless_more_are_asked_for(call: Caller) -> None:
    for n in range(53):
        call.project.spec(f"spec-{n:02}")

    for arguments in ({}, {"limit": None}):
        data = await call.data("chant_spec_list", **arguments)
        assert (data["total"], data["limit"], data["returned"]) == (53, 50, 50)
        assert ids(data) == [f"spec-{n:02}" for n in range(50)]
    data = await call.data("chant_spec_list", limit=1000)
    assert (data["total"], data["limit"], data["returned"], len(ids(data))) == (53, 1000, 53, 53)


async def test_limit_zero_gives_an_empty_list_with_the_total(call: Caller) -> None:
    call.project.spec("a")
    call.project.spec("b")

    data = await call.data("chant_spec_list", limit=0)
    assert (data["specs"], data["total"], data["limit"], data["returned"]) == ([], 2, 0, 0)


@ONE_ERA
@pytest.mark.parametrize("tool", ["chant_spec_list", "chant_ready", "chant_search", "chant_lint"])
@pytest.mark.parametrize("name", ["limit", "offset"])
@pytest.mark.parametrize(
    ("value", "kind"),
    [(-1, "-1"), (2.5, "got number"), ("5", "got string"), (True, "got boolean"), ([1], "got array")],
)
async def test_a_limit_that_is_no_natural_number_is_refused(
    call: Caller, tool: str, name: str, value: Any, kind: str
) -> None:
    arguments = {"query": "x"} if tool == "chant_search" else {}

    error = await call.error(tool, **arguments, **{name: value})
    assert error.startswith(f"Invalid parameter '{name}': expected integer")
    assert kind in error


@pytest.mark.requirement("chant:spec_list:answer_has_specs_total_limit_returned")
async def test_a_whole_float_is_an_integer(call: Caller) -> None:
    call.project.spec("a")
    call.project.spec("b")

    data = await call.data("chant_spec_list", limit=1.0)
    assert (ids(data), data["limit"], data["returned"], data["total"]) == (["a"], 1, 1, 2)


async def test_unreadable_files_stand_beside_the_specs(call: Caller) -> None:
    call.project.spec("good")
    call.project.write("broken", "---\nstatus: [pending\n---\n# Broken\n")
    call.project.write("binary", b"---\nstatus: pending\n---\n# \xff\xfe\n")

    data = await call.data("chant_spec_list")
    assert ids(data) == ["good"]
    assert len(data["problems"]) == 2
    for name in ("broken", "binary"):
        problem = problem_of(data, name)
        assert problem["path"] == f".chant/specs/{name}.md"
        assert problem["message"]
    assert json.loads(await call.text("chant_spec_list")) == data


@pytest.mark.requirement("chant:spec_list:answer_has_specs_total_limit_returned")
async def test_a_page_too_large_for_one_answer_can_be_continued(call: Caller) -> None:
    everything = [f"spec-{n:03}" for n in range(300)]
    for id in everything:
        call.project.spec(id, labels=[f"label-{n}-{'x' * 30}" for n in range(8)], body=f"# {'ü' * 300}")

    found: list[str] = []
    while len(found) < 300:
        text = await call.text("chant_spec_list", limit=1000, offset=len(found))
        data = await call.data("chant_spec_list", limit=1000, offset=len(found))
        assert len(text) < 50_000
        assert data["returned"] == len(data["specs"]) > 0
        assert data["total"] == 300
        found += ids(data)
    assert found == everything


@pytest.mark.requirement("chant:spec_list:answer_has_specs_total_limit_returned")
def test_pages_cover_the_whole_list(project: Project) -> None:
    server = project.server()

    @LAW
    @given(
        statuses=st.lists(st.sampled_from(STATUSES), max_size=12),
        limit=st.integers(1, 5),
        wanted=st.none() | st.sampled_from(["pending", "completed", "cancelled", "failed"]),
    )
    def law(statuses: list[str], limit: int, wanted: str | None) -> None:
        async def example(call: Caller) -> None:
            clear(project)
            for n, status in enumerate(statuses):
                project.spec(f"spec-{n:02}", status=status)
            whole = ids(await call.data("chant_spec_list", status=wanted, limit=100))
            pages: list[str] = []
            for offset in range(0, len(statuses) + 1, limit):
                data = await call.data("chant_spec_list", status=wanted, limit=limit, offset=offset)
                assert data["total"] == len(whole)
                assert data["returned"] == len(data["specs"]) <= limit
                pages += ids(data)
            assert pages == whole

        drive(project, server, example)

    law()


@ONE_ERA
@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# Plain", "Plain"),
        ("Text first\n\n# Later\n\n# Second", "Later"),
        ("## Only a section", None),
        ("#NoBlank", None),
        ("   # Indented by three", "Indented by three"),
        ("#   Many blanks   ", "Many blanks"),
        ("# With `code` and *stars*: done", "With `code` and *stars*: done"),
        ("# Ünïcode 日本", "Ünïcode 日本"),
        ("", None),
        ("# Windows\r\n\r\ntext\r\n", "Windows"),
        ("#\tTab", "Tab"),
    ],
)
async def test_the_title_is_the_first_level_1_heading(call: Caller, body: str, title: str | None) -> None:
    call.project.spec("one", body=body)

    assert (await call.data("chant_spec_list"))["specs"][0]["title"] == title
    assert (await call.data("chant_spec_get", id="one"))["title"] == title


@ONE_ERA
@pytest.mark.parametrize(
    "fence",
    [
        "```\n# Not a title\n```",
        "~~~\n# Not a title\n~~~",
        "````\n```\n# Not a title\n```\n````",
        "```sh\n# Not a title\n```",
        "- item\n\n  ```\n  # Not a title\n  ```",
    ],
)
async def test_a_fenced_line_is_not_the_title(call: Caller, fence: str) -> None:
    call.project.spec("one", body=f"{fence}\n\n# The title")

    assert (await call.data("chant_spec_list"))["specs"][0]["title"] == "The title"


async def test_an_unclosed_fence_hides_what_follows(call: Caller) -> None:
    call.project.spec("one", body="```\n# Not a title")

    assert (await call.data("chant_spec_list"))["specs"][0]["title"] is None


@ONE_ERA
@pytest.mark.parametrize("body", ["#", "# ", "#   \n\ntext", "# \r\n"])
async def test_an_empty_heading_gives_no_title(call: Caller, body: str) -> None:
    call.project.spec("one", body=body)

    assert (await call.data("chant_spec_list"))["specs"][0]["title"] is None


@ONE_ERA
@pytest.mark.parametrize("type", ["code", "task", "driver", "documentation", "research", "group"])
async def test_the_six_types_are_shown_as_they_are(call: Caller, type: str) -> None:
    call.project.spec("one", type=type, members=["one.1"])
    call.project.spec("one.1")

    assert (await call.data("chant_spec_list"))["specs"][0]["type"] == type
    lint = await call.data("chant_lint", id="one")
    assert not [found for found in lint["diagnostics"] if "Invalid spec type" in found["message"]]


@pytest.mark.requirement("chant:types:unknown_type_is_read_tolerantly")
@ONE_ERA
@pytest.mark.parametrize("type", ["feature", "conflict", "bug", "Code"])
async def test_a_spec_of_another_type_is_listed_with_it(call: Caller, type: str) -> None:
    call.project.spec("one", type=type)

    data = await call.data("chant_spec_list")
    assert data["specs"][0]["type"] == type
    assert (await call.data("chant_spec_get", id="one"))["type"] == type
    assert ids(await call.data("chant_ready")) == ["one"]


@pytest.mark.requirement("chant:spec_list:lists_every_spec_of_the_project")
async def test_listing_changes_no_file(call: Caller) -> None:
    call.project.spec("one", status="blocked")
    call.project.write("two", "\ufeff---\r\nstatus: pending\r\n---\r\n# Two")
    before = snapshot(call.project.root)
    for tool, arguments in READING_TOOLS:
        await call(tool, **arguments)

    assert snapshot(call.project.root) == before


READING_TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_list", {}),
    ("chant_spec_get", {"id": "one"}),
    ("chant_ready", {}),
    ("chant_status", {"include_activity": True}),
    ("chant_log", {"id": "one"}),
    ("chant_search", {"query": "o"}),
    ("chant_diagnose", {"id": "one"}),
    ("chant_lint", {}),
    ("chant_verify", {"id": "one"}),
    ("chant_work_list", {"include_completed": True}),
]
