"""`chant_status`: how many specs are in each state."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING

import pytest
from chant.reading import LAW, ONE_ERA, STATUSES, clear, drive, listed, problem_of
from hypothesis import given
from hypothesis import strategies as st
from writing import answer_text

if TYPE_CHECKING:
    from harness import Caller, Project

pytestmark = pytest.mark.anyio

COUNTED = (
    "total",
    "pending",
    "in_progress",
    "completed",
    "failed",
    "blocked",
    "cancelled",
    "needs_attention",
)


@pytest.mark.requirement("chant:status:counts_by_status")
async def test_the_counts_have_the_documented_keys_in_order(call: Caller) -> None:
    for n in range(3):
        call.project.spec(f"p{n}")
    for n in range(2):
        call.project.spec(f"i{n}", status="in_progress")
    call.project.spec("c", status="completed")

    expected = dict(zip(COUNTED, (6, 3, 2, 1, 0, 0, 0, 0), strict=True))
    assert await call.data("chant_status") == expected
    assert await call.text("chant_status") == answer_text(expected)


async def test_every_stored_status_is_counted_where_it_belongs(call: Caller) -> None:
    for status in STATUSES:
        call.project.spec(f"stored-{status}", status=status)
    call.project.spec("waits", depends_on=["stored-failed"])

    assert await call.data("chant_status") == {
        "total": 10,
        "pending": 3,  # pending, ready, and a stored `blocked` without a reason
        "in_progress": 2,  # in_progress and paused
        "completed": 1,
        "failed": 1,
        "blocked": 1,
        "cancelled": 1,
        "needs_attention": 1,
    }


@pytest.mark.requirement("chant:status:brief_is_one_line", "chant:status:brief_names_what_occurs_in_order")
@ONE_ERA
@pytest.mark.parametrize(
    ("counts", "line"),
    [
        (
            {
                "needs_attention": 1,
                "cancelled": 1,
                "failed": 1,
                "completed": 1,
                "in_progress": 2,
                "blocked": 4,
                "pending": 11,
            },
            "11 pending | 2 in_progress | 1 completed | 1 failed | 4 blocked | 1 cancelled "
            "| 1 needs_attention",
        ),
        (
            {"pending": 3, "in_progress": 2, "completed": 15},
            "3 pending | 2 in_progress | 15 completed",
        ),
        ({"cancelled": 2}, "2 cancelled"),
        ({"paused": 1, "ready": 1}, "1 pending | 1 in_progress"),
    ],
)
async def test_the_brief_line_names_what_occurs(call: Caller, counts: dict[str, int], line: str) -> None:
    for status, count in counts.items():
        for n in range(count):
            blocker = ["absent"] if status == "blocked" else None
            call.project.spec(f"{status}-{n}", status="pending" if blocker else status, depends_on=blocker)

    result = await call("chant_status", brief=True)
    assert not result.is_error
    assert await call.text("chant_status", brief=True) == line
    assert result.structured_content is None


async def test_the_brief_line_of_an_empty_project(call: Caller) -> None:
    assert await call.text("chant_status", brief=True) == "No specs"


async def test_brief_wins_over_activity(call: Caller) -> None:
    call.project.spec("one", status="in_progress")

    assert await call.text("chant_status", brief=True, include_activity=True) == "1 in_progress"


@pytest.mark.requirement(
    "chant:status:activity_is_added_on_request", "chant:status:activity_entry_has_five_keys"
)
async def test_activity_names_each_spec_in_progress(call: Caller) -> None:
    spec = call.project.spec("with-log", status="in_progress", body="# Add user auth")
    log = call.project.log("with-log", "line\n")
    os.utime(spec, (1_769_092_200, 1_769_092_200))  # 2026-01-22T14:30:00Z
    os.utime(log, (1_769_092_500, 1_769_092_500))
    os.utime(call.project.spec("bare", status="in_progress"), (0, 0))
    call.project.spec("rests", status="paused")
    call.project.spec("idle")

    plain = await call.data("chant_status")
    assert "in_progress_activity" not in plain
    data = await call.data("chant_status", include_activity=True)
    assert {key: data[key] for key in COUNTED} == plain
    bare, with_log = data["in_progress_activity"]
    assert list(with_log)[:5] == ["id", "title", "spec_modified", "log_modified", "has_log"]
    assert with_log["id"] == "with-log"
    assert with_log["title"] == "Add user auth"
    assert with_log["has_log"] is True
    assert (bare["id"], bare["log_modified"], bare["has_log"]) == ("bare", None, False)
    local = datetime.fromtimestamp(1_769_092_200).strftime("%Y-%m-%d %H:%M:%S")
    assert with_log["spec_modified"] == local
    assert "2026-01-22T14:30:00" in json.dumps(with_log)
    assert "2026-01-22T14:35:00" in json.dumps(with_log)
    in_utc = [value for key, value in with_log.items() if "utc" in key]
    assert len(in_utc) == 2
    assert [datetime.fromisoformat(value.replace("Z", "+00:00")) for value in in_utc] == [
        datetime(2026, 1, 22, 14, 30, tzinfo=timezone.utc),
        datetime(2026, 1, 22, 14, 35, tzinfo=timezone.utc),
    ]


@pytest.mark.requirement("chant:status:activity_is_added_on_request")
async def test_activity_is_an_empty_list_when_nothing_is_in_progress(call: Caller) -> None:
    call.project.spec("idle")

    assert (await call.data("chant_status", include_activity=True))["in_progress_activity"] == []


@pytest.mark.requirement("chant:status:activity_times_have_the_documented_form")
@pytest.mark.parametrize(
    ("zone", "local"),
    [
        ("UTC", "2026-01-22 23:30:00"),
        ("Asia/Kathmandu", "2026-01-23 05:15:00"),
        ("America/New_York", "2026-01-22 18:30:00"),
    ],
)
def test_activity_times_are_local(project: Project, zone: str, local: str) -> None:
    path = project.spec("one", status="in_progress")
    os.utime(path, (1_769_124_600, 1_769_124_600))  # 2026-01-22T23:30:00Z
    script = (
        "import sys; from chant_mcp import ChantProject;"
        "print(ChantProject(sys.argv[1]).status(include_activity=True).text)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(project.root)],
        env={**os.environ, "TZ": zone},
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    entry = json.loads(done.stdout)["in_progress_activity"][0]
    assert entry["spec_modified"] == local


@pytest.mark.requirement("chant:status:activity_times_have_the_documented_form")
async def test_activity_times_follow_the_files(call: Caller) -> None:
    path = call.project.spec("one", status="in_progress")
    seen = set()
    for second in (1_000_000_000, 1_100_000_000, 1_200_000_000):
        os.utime(path, (second, second))
        log = call.project.log("one", "x\n")
        os.utime(log, (second + 60, second + 60))
        entry = (await call.data("chant_status", include_activity=True))["in_progress_activity"][0]
        for key, at in (("spec_modified", second), ("log_modified", second + 60)):
            assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", entry[key])
            assert entry[key] == datetime.fromtimestamp(at).strftime("%Y-%m-%d %H:%M:%S")
        seen.add(entry["spec_modified"])
    assert len(seen) == 3


async def test_unreadable_files_are_listed(call: Caller) -> None:
    call.project.spec("good")
    call.project.write("broken", "---\nstatus: nonsense\n---\n")

    data = await call.data("chant_status")
    assert data["pending"] == data["total"] == 1
    assert "nonsense" in problem_of(data, "broken.md")["message"]
    assert await call.text("chant_status", brief=True) == "1 pending"


def test_the_counts_are_those_of_the_list(project: Project) -> None:
    server = project.server()

    @LAW
    @given(
        specs=st.lists(
            st.tuples(st.sampled_from(STATUSES), st.lists(st.integers(0, 5), max_size=2)), max_size=6
        )
    )
    def law(specs: list[tuple[str, list[int]]]) -> None:
        async def example(call: Caller) -> None:
            clear(project)
            for n, (status, depends_on) in enumerate(specs):
                project.spec(f"s{n}", status=status, depends_on=[f"s{d}" for d in depends_on])
            shown = {**await listed(call), **await listed(call, status="cancelled")}
            data = await call.data("chant_status")
            folded = [{"ready": "pending", "paused": "in_progress"}.get(s, s) for s in shown.values()]
            expected = {key: folded.count(key) for key in COUNTED[1:]}
            assert data == {"total": len(specs), **expected}

        drive(project, server, example)

    law()
