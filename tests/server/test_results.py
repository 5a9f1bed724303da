"""Answers: the same in text and structure, in the order of the seed, and nothing around them."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from harness import Caller, Project, text_of
from mcp_types import CallToolResult, TextContent
from server.pipes import Pipes, Serve, modern
from server.pipes import call as tool_call

pytestmark = pytest.mark.anyio

ID = "2026-01-22-001-x7m"
BUSY = "2026-01-22-002-abc"

RUN = {
    "schema": 1,
    "process_id": f"{ID}-4242",
    "spec_id": ID,
    "pid": 4242,
    "status": "completed",
    "started_at": "2026-11-20T10:30:00Z",
    "completed_at": "2026-11-20T10:40:00Z",
    "mode": "single",
}

DATA: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_list", {}),
    ("chant_spec_list", {"status": "in_progress", "limit": 1}),
    ("chant_spec_list", {"offset": 99}),
    ("chant_spec_get", {"id": ID}),
    ("chant_spec_get", {"id": BUSY, "offset": 3, "max_chars": 5}),
    ("chant_ready", {}),
    ("chant_status", {}),
    ("chant_status", {"include_activity": True}),
    ("chant_log", {"id": BUSY}),
    ("chant_log", {"id": BUSY, "offset": 2, "lines": 1}),
    ("chant_search", {"query": "é"}),
    ("chant_diagnose", {"id": ID}),
    ("chant_diagnose", {"id": BUSY}),
    ("chant_lint", {}),
    ("chant_lint", {"id": ID}),
    ("chant_verify", {"id": ID}),
    ("chant_work_list", {"include_completed": True}),
]
"""Calls that answer with JSON."""

PROSE: list[tuple[str, dict[str, Any], str]] = [
    ("chant_status", {"brief": True}, "1 pending | 1 in_progress | 1 failed | 1 needs_attention"),
    ("chant_spec_update", {"id": ID, "labels": ["x"]}, f"Updated spec: {ID}"),
    ("chant_add", {"description": "Do it"}, "Created spec: "),
    ("chant_reset", {"id": "2026-01-22-003-bad"}, "Reset spec '2026-01-22-003-bad' to pending"),
    ("chant_resume", {"id": "2026-01-22-003-bad"}, "Reset spec '2026-01-22-003-bad' to pending"),
    ("chant_cancel", {"id": ID}, f"Cancelled spec: {ID}"),
    ("chant_finalize", {"id": BUSY}, f"Finalized spec: {BUSY}"),
]
"""Calls that answer with words, and the first of them."""

SPEC = ["id", "title", "status", "type"]

ORDER: dict[str, dict[str, list[str]]] = {
    "chant_spec_list": {
        "": ["specs", "total", "limit", "returned"],
        "specs": [*SPEC, "depends_on", "labels"],
    },
    "chant_ready": {"": ["specs", "total", "limit", "returned"], "specs": [*SPEC, "depends_on", "labels"]},
    "chant_search": {"": ["specs", "total", "limit", "returned"], "specs": [*SPEC, "depends_on", "labels"]},
    "chant_spec_get": {
        "": [
            *SPEC,
            "depends_on",
            "labels",
            "target_files",
            "context",
            "prompt",
            "branch",
            "commits",
            "completed_at",
            "model",
            "body",
        ]
    },
    "chant_status": {
        "": [
            "total",
            "pending",
            "in_progress",
            "completed",
            "failed",
            "blocked",
            "cancelled",
            "needs_attention",
        ],
        "in_progress_activity": ["id", "title", "spec_modified", "log_modified", "has_log"],
    },
    "chant_log": {"": ["content", "byte_offset", "line_count", "has_more"]},
    "chant_diagnose": {
        "": ["spec_id", "status", "location", "checks", "diagnosis", "suggestion"],
        "checks": ["name", "passed", "details"],
    },
    "chant_lint": {
        "": ["specs_checked", "errors", "warnings", "diagnostics", "scores"],
        "diagnostics": ["spec_id", "rule", "severity", "message", "suggestion"],
    },
    "chant_verify": {
        "": ["spec_id", "verified", "criteria", "unchecked_items", "verification_notes"],
        "criteria": ["total", "checked", "unchecked"],
    },
    "chant_work_list": {
        "": ["processes", "summary"],
        "processes": ["process_id", "spec_id", "pid", "status", "started_at", "completed_at", "mode"],
        "summary": ["running", "completed", "failed"],
    },
}
"""The keys of the seed (of the reference, where the seed has none) in their order, by the key that holds
them; ours may follow."""


def fill(project: Project) -> None:
    """Write a project in which every tool has something to say."""
    body = (
        '# Straße "é" \\ ☃\n\n<b>&amp;</b> \u2028 \x7f\n\n## Acceptance Criteria\n\n- [ ] Tests\n- [x] Docs'
    )
    project.spec(ID, body=body, labels=["a", "b"], depends_on=[], target_files=["src/é.rs"])
    project.spec(BUSY, status="in_progress", body="# Busy é")
    project.spec("2026-01-22-003-bad", status="failed", body="# Failed")
    project.spec("2026-01-22-004-eye", status="needs_attention", body="# Look", depends_on=["unknown"])
    project.log(BUSY, "eins\nzwei é\ndrei\n")
    processes = project.root / ".chant" / "processes"
    processes.mkdir()
    (processes / f"{ID}-4242.json").write_text(json.dumps(RUN), encoding="utf-8")


@pytest.fixture
def filled(call: Caller) -> Caller:
    """A client on a project in which every tool has something to say."""
    fill(call.project)
    return call


def only_text(result: CallToolResult) -> str:
    """Give the text of a result that has one block."""
    assert len(result.content) == 1
    assert isinstance(result.content[0], TextContent)
    return text_of(result)


# JSON


@pytest.mark.requirement("server:result:json_has_a_row_a_line", "protocol:results:content_is_a_list_of_text")
async def test_json_answers_are_one_block_equal_to_the_structure(filled: Caller) -> None:
    for tool, arguments in DATA:
        result = await filled(tool, **arguments)
        assert not result.is_error, text_of(result)
        text = only_text(result)
        assert json.loads(text) == result.structured_content
        # Character for character but for line breaks: no banner, keys of both forms in one order.
        line = json.dumps(result.structured_content, separators=(",", ":"), ensure_ascii=False)
        assert text.replace("\n", "") == line, tool
        assert "\n" in text, tool


@pytest.mark.parametrize("framed", [dict, modern], ids=["bare", "envelope"])
def test_on_the_wire_both_forms_have_the_same_keys_in_the_same_order(
    project: Project, serve: Serve, framed: Any
) -> None:
    fill(project)
    pipes: Pipes = serve(project.root)
    for id, (tool, arguments) in enumerate(DATA):
        result = pipes.ask(framed(tool_call(id, tool, **arguments)))["result"]
        text = json.dumps(json.loads(result["content"][0]["text"]))
        assert json.dumps(result["structuredContent"]) == text, tool


async def test_keys_stand_in_the_order_of_the_seed(filled: Caller) -> None:
    checked: set[tuple[str, str]] = set()
    for tool, arguments in DATA:
        data = await filled.data(tool, **arguments)
        for holder, keys in ORDER[tool].items():
            held = data if not holder else data.get(holder)
            for entry in held if isinstance(held, list) else [held] if held else []:
                assert [key for key in entry if key in keys] == keys, (tool, holder)
                checked.add((tool, holder))
    assert checked == {(tool, holder) for tool, holders in ORDER.items() for holder in holders}


async def test_the_keys_of_the_seed_come_first(filled: Caller) -> None:
    for tool, arguments in DATA:
        keys = ORDER[tool][""]
        assert list(await filled.data(tool, **arguments))[: len(keys)] == keys


async def test_answers_have_the_types_of_the_seed(filled: Caller) -> None:
    text, count, flag = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
    maybe = {"type": ["string", "null"]}
    texts = {"type": ["array", "null"], "items": text}

    def record(**properties: Any) -> dict[str, Any]:
        return {"type": "object", "properties": properties, "required": list(properties)}

    def many(**properties: Any) -> dict[str, Any]:
        return {"type": "array", "items": record(**properties)}

    entry = {"id": text, "title": maybe, "status": text, "type": text, "depends_on": texts, "labels": texts}
    specs = record(specs=many(**entry), total=count, limit=count, returned=count)
    run = {"pid": {"type": ["integer", "null"]}, "started_at": maybe, "completed_at": maybe, "mode": text}
    shapes = {
        "chant_spec_list": specs,
        "chant_ready": specs,
        "chant_search": specs,
        "chant_spec_get": record(
            **entry, target_files=texts, context=texts, prompt=maybe, branch=maybe, commits=texts, body=text
        ),
        "chant_status": record(**dict.fromkeys(ORDER["chant_status"][""], count)),
        "chant_log": record(content=text, byte_offset=count, line_count=count, has_more=flag),
        "chant_diagnose": record(
            spec_id=text,
            status=text,
            location=text,
            checks=many(name=text, passed=flag, details=maybe),
            diagnosis=text,
            suggestion=maybe,
        ),
        "chant_lint": record(
            specs_checked=count,
            errors=count,
            warnings=count,
            diagnostics=many(severity=text, rule=text, message=text, suggestion=maybe),
            scores=many(id=text),
        ),
        "chant_verify": record(
            spec_id=text,
            verified=flag,
            criteria=record(total=count, checked=count, unchecked=count),
            unchecked_items={"type": "array", "items": text},
            verification_notes=text,
        ),
        "chant_work_list": record(
            processes=many(process_id=text, spec_id=text, status=text, **run),
            summary=record(running=count, completed=count, failed=count),
        ),
    }
    for tool, arguments in DATA:
        jsonschema.validate(await filled.data(tool, **arguments), shapes[tool])


# Prose


async def test_prose_is_text_only(filled: Caller) -> None:
    for tool, arguments, words in PROSE:
        if tool == "chant_resume":
            filled.project.spec("2026-01-22-003-bad", status="failed", body="# Failed")
        result = await filled(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert result.structured_content is None
        assert only_text(result).startswith(words)
    archived = await filled("chant_archive", id=BUSY)
    assert archived.structured_content is None
    assert only_text(archived).startswith(f"Archived spec: {BUSY} -> ")


async def test_no_answer_and_no_error_stands_in_a_banner(filled: Caller) -> None:
    calls = [*DATA, *((tool, arguments) for tool, arguments, _ in PROSE)]
    calls += [(tool, {}) for tool, _ in DATA] + [(tool, {"id": "nothing"}) for tool, _ in DATA]
    calls += [("chant_finalize", {"id": ID}), ("chant_verify", {"id": "nothing"})]
    for tool, arguments in calls:
        assert "──" not in text_of(await filled(tool, **arguments)), tool


# Words


async def test_statuses_are_underscored_wherever_they_stand(filled: Caller) -> None:
    project = filled.project
    project.spec("2026-01-22-005-dep", depends_on=[BUSY, "2026-01-22-004-eye"])
    project.spec("2026-01-22-006-drv", type="driver", body="# Driver")
    project.spec("2026-01-22-006-drv.1", status="needs_attention")
    found = {spec["id"]: spec["status"] for spec in (await filled.data("chant_spec_list"))["specs"]}
    assert found[BUSY] == "in_progress"
    assert found["2026-01-22-004-eye"] == "needs_attention"
    calls = [(tool, {**arguments}) for tool, arguments in DATA]
    for id in (BUSY, "2026-01-22-004-eye", "2026-01-22-005-dep", "2026-01-22-006-drv"):
        calls += [(tool, {"id": id}) for tool in ("chant_spec_get", "chant_diagnose", "chant_verify")]
    for tool, arguments in calls:
        text = text_of(await filled(tool, **arguments))
        for wrong in ("in-progress", "inprogress", "InProgress", "needs-attention", "NeedsAttention"):
            assert wrong not in text, (tool, text)
    assert "in_progress" in await filled.text("chant_status", brief=True)
