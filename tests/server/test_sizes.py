"""Answers stay readable however large a project is, say what they leave out, and lead to the rest."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from harness import Caller, Project, text_of

pytestmark = pytest.mark.anyio

MOST = 50_000
"""Characters that the text of an answer stays under."""

ODD = '"\\\t\x01é🙂'
"""Characters of which some take several in JSON."""


def id_of(number: int) -> str:
    """Make the ID of a spec."""
    return f"2026-01-22-{number:05d}-abc"


FIRST = id_of(0)


def long_titles(project: Project) -> None:
    for number in range(2_000):
        project.spec(id_of(number), body=f"# {number} {ODD * 200}")


def large_body(project: Project) -> None:
    project.spec(FIRST, body="# Large\n\n" + f"word {ODD}\n" * 600_000)


def many_entries(project: Project) -> None:
    entries = [f"entry-{number}" for number in range(10_000)]
    keys = ("labels", "target_files", "depends_on", "context", "tracks", "informed_by")
    project.spec(FIRST, **dict.fromkeys(keys, entries))
    project.spec(id_of(1), labels=entries)


def long_entries(project: Project) -> None:
    for number in range(50):
        project.spec(id_of(number), labels=["l" * 3_000 + str(entry) for entry in range(200)])


def giant_entry(project: Project) -> None:
    project.spec(FIRST, labels=["l" * 100_000], depends_on=["d" * 100_000], target_files=["f" * 100_000])


def giant_values(project: Project) -> None:
    project.spec(FIRST, prompt="p" * 100_000, branch="b" * 100_000, model="m" * 100_000)


def giant_further_values(project: Project) -> None:
    project.spec(FIRST, informed_by=["i" * 100] * 5_000, schedule="s" * 100_000)


def giant_title(project: Project) -> None:
    project.spec(FIRST, body="# " + "t" * 200_000)


def many_criteria(project: Project) -> None:
    items = "\n".join(f"- [ ] {number} {'c' * 300}" for number in range(10_000))
    project.spec(FIRST, status="in_progress", body=f"# Criteria\n\n## Acceptance Criteria\n\n{items}")


def giant_criterion(project: Project) -> None:
    project.spec(FIRST, body=f"# Criterion\n\n## Acceptance Criteria\n\n- [ ] {'c' * 200_000}")


def unreadable_values(project: Project) -> None:
    project.spec(FIRST, status="x" * 100_000)
    project.spec(id_of(1), type="y" * 100_000)


def many_problems(project: Project) -> None:
    project.spec(FIRST)
    for number in range(10_000):
        project.write(f"{id_of(number)}-{'n' * 100}", f"---\nstatus: {'s' * (number % 200)}{number}\n---\n")


def many_members(project: Project) -> None:
    project.spec(FIRST, type="driver", members=["m" * 300 + str(number) for number in range(5_000)])
    for number in range(1, 1_000):
        project.spec(f"{FIRST}.{number}")


def long_cycle(project: Project) -> None:
    for number in range(3_000):
        project.spec(id_of(number), depends_on=[id_of((number + 1) % 3_000)])


def long_log(project: Project) -> None:
    project.spec(FIRST, status="in_progress")
    project.log(FIRST, "".join(f"{number} {ODD * 20}\n" for number in range(20_000)))


def log_of_one_line(project: Project) -> None:
    project.spec(FIRST, status="in_progress")
    project.log(FIRST, ODD * 100_000 + "\n")


def many_runs(project: Project) -> None:
    project.spec(FIRST)
    folder = project.root / ".chant" / "processes"
    folder.mkdir()
    for number in range(250):
        run = {"schema": 1, "process_id": f"p{number}", "spec_id": "s" * 500, "pid": number, "mode": "single"}
        run |= {"status": "failed", "reason": "r" * 5_000, "started_at": "2026-11-20T10:00:00Z"}
        (folder / f"p{number}.json").write_text(json.dumps(run), encoding="utf-8")
        (folder / f"broken{number}.json").write_text("{" * number, encoding="utf-8")


MONSTERS: list[Callable[[Project], None]] = [
    long_titles,
    large_body,
    many_entries,
    long_entries,
    giant_entry,
    giant_values,
    giant_further_values,
    giant_title,
    many_criteria,
    giant_criterion,
    unreadable_values,
    many_problems,
    many_members,
    long_cycle,
    long_log,
    log_of_one_line,
    many_runs,
]

QUESTIONS: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_list", {}),
    ("chant_spec_list", {"limit": 2**53}),
    ("chant_ready", {"limit": 1_000_000}),
    ("chant_search", {"query": "", "limit": 1_000_000}),
    ("chant_search", {"query": "l", "limit": 1_000_000}),
    ("chant_lint", {"limit": 1_000_000}),
    ("chant_lint", {"id": FIRST}),
    ("chant_status", {}),
    ("chant_status", {"include_activity": True}),
    ("chant_status", {"brief": True}),
    ("chant_spec_get", {"id": FIRST, "max_chars": 1_000_000}),
    ("chant_spec_get", {"id": "abc"}),
    ("chant_diagnose", {"id": FIRST}),
    ("chant_verify", {"id": FIRST}),
    ("chant_log", {"id": FIRST, "lines": 1_000_000}),
    ("chant_log", {"id": FIRST, "lines": 1_000_000, "offset": 0}),
    ("chant_work_list", {"include_completed": True}),
    ("chant_spec_update", {"id": FIRST, "check": ["nothing"]}),
    ("chant_spec_update", {"id": FIRST, "status": "completed"}),
    ("chant_spec_update", {"id": id_of(2_999), "depends_on": [FIRST]}),
    ("chant_finalize", {"id": FIRST}),
    ("chant_reset", {"id": FIRST}),
    ("chant_archive", {"id": FIRST}),
]
"""Calls whose answers could grow with the project."""


@pytest.mark.parametrize("monster", MONSTERS, ids=lambda monster: monster.__name__)
async def test_no_answer_reaches_50000_characters(
    project: Project, monster: Callable[[Project], None]
) -> None:
    monster(project)
    server = project.server()
    large: dict[str, int] = {}
    for tool, arguments in QUESTIONS:
        result = await _answer(server, tool, arguments)
        if len(text := text_of(result)) >= MOST:
            large[f"{tool} {arguments}"] = len(text)
        if result.structured_content is not None:
            assert json.loads(text) == result.structured_content
    assert not large


async def _answer(server: Any, tool: str, arguments: dict[str, Any]) -> Any:
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import CallToolResult, TextContent

    try:
        return await server.call_tool(tool, arguments)
    except ToolError as error:
        return CallToolResult(content=[TextContent(type="text", text=str(error))], is_error=True)


# One document


async def test_a_body_is_read_in_pieces_of_40000_characters(call: Caller) -> None:
    body = "".join(f"{number} é🙂\n" for number in range(20_000)).strip()
    call.project.spec(FIRST, body=body)
    first = await call.data("chant_spec_get", id=FIRST)
    assert first["body"] == body[:40_000]
    assert (first["next_offset"], first["body_chars"]) == (40_000, len(body))
    second = await call.data("chant_spec_get", id=FIRST, offset=40_000, max_chars=10)
    assert second["body"] == body[40_000:40_010]
    assert second["next_offset"] == 40_010


@pytest.mark.parametrize("most", [1_000_000, 40_000, 9_999])
async def test_pieces_put_together_are_the_body(call: Caller, most: int) -> None:
    body = ("# Title\n" + f"line {ODD}\r\n" * 9_000).strip()
    call.project.write(FIRST, f"---\ntype: code\nstatus: pending\n---\n\n{body}\n")
    got, offset = "", 0
    while True:
        text = await call.text("chant_spec_get", id=FIRST, offset=offset, max_chars=most)
        data = json.loads(text)
        assert len(text) < MOST
        got += data["body"]
        if data.get("next_offset") is None:
            break
        assert data["next_offset"] > offset
        offset = data["next_offset"]
    assert got == body
    assert "next_offset" not in await call.data("chant_spec_get", id=FIRST, offset=len(body))


async def test_a_body_that_fits_is_told_as_before(call: Caller) -> None:
    call.project.spec(FIRST, body="# Short")
    data = await call.data("chant_spec_get", id=FIRST)
    assert "next_offset" not in data
    assert "body_chars" not in data


async def test_a_log_leads_on_to_its_end(call: Caller) -> None:
    text = "".join(f"{number} {ODD}\n" for number in range(5_000))
    call.project.spec(FIRST, status="in_progress")
    call.project.log(FIRST, text)
    lines: list[str] = []
    offset, more = 0, True
    while more:
        data = await call.data("chant_log", id=FIRST, offset=offset, lines=999)
        lines += data["content"].split("\n")
        assert data["byte_offset"] > offset
        offset, more = data["byte_offset"], data["has_more"]
    assert "\n".join(lines) + "\n" == text


# Lists


def numbers(project: Project, count: int) -> list[str]:
    """Write specs that are all ready, and a file that is none."""
    for number in range(count):
        project.spec(id_of(number), body=f"# Number {number}\n\n{'text ' * (number % 90)}", labels=["x" * 50])
    project.write("zz-broken", "---\nstatus: [\n---\n")
    return [id_of(number) for number in range(count)]


@pytest.mark.parametrize("tool", ["chant_spec_list", "chant_ready", "chant_search"])
async def test_paging_visits_every_spec_exactly_once(call: Caller, tool: str) -> None:
    ids = numbers(call.project, 520)
    words = {"query": "number"} if tool == "chant_search" else {}
    for limit in (7, 50, 519, 520, 521, 100_000):
        seen: list[str] = []
        offset: int | None = 0
        while offset is not None:
            text = await call.text(tool, limit=limit, offset=offset, **words)
            page = json.loads(text)
            assert len(text) < MOST
            assert page["total"] == 520
            assert page["limit"] == limit
            assert page["returned"] == len(page["specs"]) <= limit
            seen += [spec["id"] for spec in page["specs"]]
            offset = page.get("next_offset")
        assert seen == ids, limit


@pytest.mark.parametrize("tool", ["chant_spec_list", "chant_ready", "chant_search"])
async def test_pages_at_the_edges(call: Caller, tool: str) -> None:
    ids = numbers(call.project, 60)
    words = {"query": ""} if tool == "chant_search" else {}
    first = await call.data(tool, **words)
    assert (first["returned"], first["limit"], first["next_offset"]) == (50, 50, 50)
    last = await call.data(tool, offset=50, **words)
    assert [spec["id"] for spec in last["specs"]] == ids[50:]
    assert "next_offset" not in last
    for beyond in (60, 61, 2**53):
        assert (await call.data(tool, offset=beyond, **words))["specs"] == []
    none = await call.data(tool, limit=0, **words)
    assert (none["specs"], none["returned"], none["total"]) == ([], 0, 60)


async def test_paging_through_lint_visits_every_finding_exactly_once(call: Caller) -> None:
    ids = numbers(call.project, 150)
    for number in range(0, 150, 3):
        call.project.spec(
            id_of(number), type="nonsense" if number % 2 else "code", depends_on=["a", "b", "c"]
        )
    whole = await call.data("chant_lint", limit=0)
    for limit in (11, 100_000):
        findings: list[str] = []
        scores: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = await call.data("chant_lint", limit=limit, offset=offset)
            assert (page["errors"], page["warnings"]) == (whole["errors"], whole["warnings"])
            findings += [json.dumps(finding) for finding in page["diagnostics"]]
            scores += [score["id"] for score in page["scores"]]
            offset = page.get("next_offset")
        assert len(findings) == whole["errors"] + whole["warnings"]
        assert len(set(findings)) == len(findings)
        assert scores == [id for id in ids if id in scores]
        assert len(scores) == whole["red"] + whole["yellow"] + whole["green"]


async def test_paging_visits_every_run_exactly_once(call: Caller) -> None:
    call.project.spec(FIRST)
    folder = call.project.root / ".chant" / "processes"
    folder.mkdir()
    for number in range(120):
        run = {"schema": 1, "process_id": f"p{number:03d}", "spec_id": FIRST, "pid": number, "mode": "single"}
        run |= {"status": "completed", "started_at": "2026-11-20T10:00:00Z", "reason": "r" * 300}
        (folder / f"p{number:03d}.json").write_text(json.dumps(run), encoding="utf-8")
    seen: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = await call.data("chant_work_list", include_completed=True, offset=offset)
        seen += [run["process_id"] for run in page["processes"]]
        offset = page.get("next_offset")
    assert sorted(seen) == [f"p{number:03d}" for number in range(120)]


# What is left out is reported


@pytest.mark.parametrize("tool", ["chant_spec_list", "chant_spec_get"])
async def test_a_list_of_entries_that_is_cut_tells_how_many_there_are(call: Caller, tool: str) -> None:
    call.project.spec(FIRST, labels=[f"label-{number}" for number in range(4_321)])
    text = await call.text(tool, **({"id": FIRST} if tool == "chant_spec_get" else {}))
    assert "label-4320" in text or "4321" in text


async def test_criteria_that_are_cut_are_counted(call: Caller) -> None:
    items = "\n".join(f"- [ ] {number} {'c' * 50}" for number in range(1_234))
    call.project.spec(FIRST, body=f"# T\n\n## Acceptance Criteria\n\n{items}")
    data = await call.data("chant_verify", id=FIRST)
    assert data["criteria"]["unchecked"] == 1_234
    assert len(data["unchecked_items"]) < 1_234 == data["unchecked_items_total"]


async def test_problems_that_are_cut_are_counted(call: Caller) -> None:
    for number in range(100):
        call.project.write(id_of(number), f"---\nstatus: nonsense-{number}\n---\n")
    for tool in ("chant_spec_list", "chant_status"):
        data = await call.data(tool)
        assert len(data["problems"]) < 100
        assert data["problems_total"] == 100


async def test_activity_that_is_cut_is_counted(call: Caller) -> None:
    for number in range(120):
        call.project.spec(id_of(number), status="in_progress")
    data = await call.data("chant_status", include_activity=True)
    assert len(data["in_progress_activity"]) < 120
    assert data["in_progress_activity_total"] == data["in_progress"] == 120
