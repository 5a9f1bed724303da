"""Refusals: the seed's object for every tool, arguments that are no good, files that cannot be written."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from harness import Caller, text_of
from hypothesis import given
from hypothesis import strategies as st
from mcp import Client
from mcp_types import CallToolResult
from server.pipes import Serve, request
from server.pipes import text_of as text_on_wire
from tickets.filing import LAW, ONE_ERA, STATUSES, TYPES, Tickets, answer, invalid, refused
from tickets.test_projects import EVERY_CALL
from writing import leftovers, tree

CODES = {
    "PROJECT_NOT_FOUND",
    "CR_NOT_FOUND",
    "VALIDATION_ERROR",
    "FILE_SYSTEM_ERROR",
    "TEMPLATE_ERROR",
    "SECTION_NOT_FOUND",
    "DUPLICATE_CR",
    "INVALID_TRANSITION",
    "AMBIGUOUS_SECTION",
    "CONFLICT",
}
"""The codes of the seed, and the three that were added."""

SCHEMAS: dict[str, dict[str, Any]] = {
    name: json.loads((Path(__file__).parents[1] / "toolsnaps" / f"{name}.json").read_text("utf-8"))[
        "inputSchema"
    ]
    for name in EVERY_CALL
}

ALL_PARAMETERS = [(tool, name) for tool, schema in SCHEMAS.items() for name in schema["properties"]]

VALUES: dict[str, list[Any]] = {
    "string": ["x"],
    "integer": [7],
    "number": [5.5],
    "boolean": [False, True],
    "array": [[], ["x"], [1]],
    "object": [{}, {"a": 1}],
}
"""Values by the name of their JSON type."""


@pytest.mark.anyio
@ONE_ERA
@pytest.mark.parametrize(("tool", "name"), ALL_PARAMETERS)
@pytest.mark.requirement("tickets:errors:validation_error", "tickets:errors:object_has_three_keys")
async def test_a_value_of_a_wrong_type_is_told_with_what_was_expected(
    call: Caller, tickets: Tickets, tool: str, name: str
) -> None:
    tickets.ticket(1)
    before = tree(tickets.root)
    wanted = SCHEMAS[tool]["properties"][name]["type"]
    kinds = wanted if isinstance(wanted, list) else [wanted]
    expected = "array of strings" if wanted == "array" else " or ".join(kinds)
    for kind, values in VALUES.items():
        for value in values:
            if kind in kinds and value != [1]:
                continue
            refusal = await invalid(call, tool, **{**EVERY_CALL[tool], name: value})
            got = "integer at index 0" if wanted == "array" and value == [1] else kind
            assert refusal == {name: f"Invalid parameter '{name}': expected {expected}, got {got}"}
    assert tree(tickets.root) == before


@pytest.mark.anyio
@ONE_ERA
@pytest.mark.parametrize("tool", EVERY_CALL)
@pytest.mark.requirement("tickets:errors:validation_error")
async def test_unknown_missing_and_impossible_arguments_are_told(
    call: Caller, tickets: Tickets, tool: str
) -> None:
    tickets.ticket(1)
    before = tree(tickets.root)
    good = EVERY_CALL[tool]
    names = list(SCHEMAS[tool]["properties"])
    for strange, nearest in [("Key", "key"), ("proj", "project"), ("contents", "content")]:
        refusal = await invalid(call, tool, **good, **{strange: "x"})
        assert refusal[strange].startswith(f"Unknown parameter: {strange}.")
        assert nearest not in names or f"Did you mean '{nearest}'?" in refusal[strange]
    for name in SCHEMAS[tool].get("required", []):
        for absent in ({}, {name: None}):
            given = {key: value for key, value in good.items() if key != name} | absent
            assert await invalid(call, tool, **given) == {name: f"Missing required parameter: {name}"}
    for name, wrong in [
        ("key", [0, -1, 2**60]),
        ("limit", [-1, 1e300]),
        ("offset", [-1]),
        ("max_chars", [0]),
    ]:
        for value in wrong if name in names else []:
            if SCHEMAS[tool]["properties"][name]["type"] != "string":
                refusal = await invalid(call, tool, **{**good, name: value})
                assert refusal[name].startswith(f"Invalid parameter '{name}': expected integer of at ")
    several = {**dict.fromkeys(SCHEMAS[tool].get("required", [])), "nonsense": 1}
    refusal = await invalid(call, tool, **several)
    assert list(refusal) == [*SCHEMAS[tool].get("required", []), "nonsense"]
    assert tree(tickets.root) == before


@pytest.mark.anyio
@pytest.mark.requirement("tickets:errors:validation_error", "tickets:errors:object_has_three_keys")
async def test_texts_that_are_no_unicode_are_told(tickets: Tickets, serve: Serve) -> None:
    """Over real pipes, where half of a surrogate pair may come; so may arguments that are no object."""
    tickets.ticket(1)
    pipes = serve(tickets.root)
    calls: dict[str, dict[str, Any]] = {
        "key": {"name": "get_cr", "arguments": {"key": "\ud800"}},
        "data": {"name": "create_cr", "arguments": {"type": "Bug Fix", "data": {"title": "a\udfffb"}}},
        "content": {
            "name": "manage_cr_sections",
            "arguments": {"key": 1, "operation": "append", "section": "Ticket", "content": "\ud83d"},
        },
        "arguments": {"name": "list_crs", "arguments": [1]},
    }
    for field, params in calls.items():
        result = pipes.ask(request(field, "tools/call", params))["result"]
        assert result["isError"]
        error = json.loads(text_on_wire({"result": result}))
        assert result["structuredContent"] == error
        assert error["code"] == "VALIDATION_ERROR"
        assert list(error["details"]) == [field]
    assert pipes.finish().code == 0


@pytest.mark.anyio
@pytest.mark.requirement("tickets:errors:cr_not_found")
async def test_an_unknown_ticket_is_told_with_those_there_are(call: Caller, tickets: Tickets) -> None:
    for number in (3, 20, 100):
        tickets.ticket(number)
    before = tree(tickets.root)
    keyed = {
        tool: arguments
        for tool, arguments in EVERY_CALL.items()
        if "project" in arguments and "key" in arguments
    }
    assert len(keyed) == 6
    for tool, arguments in keyed.items():
        error = await refused(call, tool, **{**arguments, "key": "MDT-999"})
        assert error == {
            "error": "CR 'MDT-999' not found in project 'MDT'",
            "code": "CR_NOT_FOUND",
            "details": {
                "project": "MDT",
                "key": "MDT-999",
                "availableKeys": ["MDT-100", "MDT-020", "MDT-003"],
            },
        }
    assert tree(tickets.root) == before
    for key in ("MDT-100", "MDT-020", "MDT-003"):
        for tool, arguments in keyed.items():
            tickets.ticket(int(key[4:]))
            result = await call(tool, **{**arguments, "key": key})
            assert not result.is_error, (tool, key)


@pytest.mark.anyio
@ONE_ERA
@pytest.mark.requirement("tickets:errors:cr_not_found")
async def test_long_lists_of_choices_are_cut_and_counted(call: Caller, tickets: Tickets) -> None:
    for number in range(1, 201):
        tickets.ticket(number)
    error = await refused(call, "get_cr", key=900)
    assert error["details"]["availableKeys"] == [f"MDT-{number:03}" for number in range(200, 150, -1)]
    assert error["details"]["availableTotal"] == 200
    tickets.write(
        "MDT-001-ticket", "---\ncode: MDT-001\n---\n\n" + "".join(f"## S {n}\n\n" for n in range(120))
    )
    error = await refused(call, "manage_cr_sections", key=1, operation="get", section="none of them")
    assert len(error["details"]["availableSections"]) == 50
    assert error["details"]["availableTotal"] == 120
    tickets.write("MDT-001-ticket", "---\ncode: MDT-001\n---\n\n" + "## S\n\n" * 120)
    error = await refused(call, "manage_cr_sections", key=1, operation="get", section="S")
    assert error["details"]["matches"] == [f"## S ({number})" for number in range(1, 51)]
    assert error["details"]["matchesTotal"] == 120


@pytest.mark.anyio
@ONE_ERA
@pytest.mark.requirement("tickets:errors:validation_error")
async def test_giant_values_do_not_make_giant_refusals(call: Caller, tickets: Tickets) -> None:
    tickets.ticket(1)
    giant = "x" * 200_000
    for tool, arguments in [
        ("get_cr", {"key": giant}),
        ("get_cr", {"project": giant, "key": 1}),
        ("get_cr", {"key": 1, "mode": giant}),
        ("list_crs", {"filters": {giant: "x"}}),
        ("list_crs", {"filters": {"status": [giant] * 3}}),
        ("list_crs", {"fields": [giant]}),
        ("create_cr", {"type": giant, "data": {"title": "T"}}),
        ("update_cr_attrs", {"key": 1, "attributes": {giant: 1}}),
        ("update_cr_status", {"key": 1, "status": giant}),
        ("manage_cr_sections", {"key": 1, "operation": giant}),
        ("manage_cr_sections", {"key": 1, "operation": "get", "section": giant}),
        ("get_cr", {"key": 1, giant: 1}),
        ("get_cr", {"key": 1, **{f"{number}{giant}": 1 for number in range(100)}}),
        ("list_crs", {"filters": {f"{number}{giant}": 1 for number in range(100)}}),
    ]:
        result = await call(tool, **arguments)
        assert result.is_error
        assert json.loads(text_of(result))["code"] in CODES
        assert len(text_of(result)) < 50_000, (tool, list(arguments))


@pytest.mark.anyio
@ONE_ERA
async def test_giant_choices_are_told_whole_or_not_at_all(call: Caller, tickets: Tickets) -> None:
    for size in (300, 4_000, 60_000):
        tickets.write(
            "MDT-001-x",
            "---\ncode: MDT-001\n---\n\n" + "".join(f"## {'s' * size} {n}\n\n" for n in range(60)),
        )
        for section, name in [("none of them", "available"), ("s" * size, "matches")]:
            result = await call("manage_cr_sections", key=1, operation="get", section=section)
            assert result.is_error
            assert len(text_of(result)) < 50_000
            details = json.loads(text_of(result))["details"]
            choices = details.get("matches", details.get("availableSections"))
            assert details[f"{name}Total"] == 60
            for choice in choices[:3]:
                found = await call("manage_cr_sections", key=1, operation="get", section=choice)
                assert not found.is_error
    for number in range(60):
        tickets.write(f"MDT-002-{number}-{'x' * 150}", "---\ncode: MDT-002\n---\n")
    result = await call("delete_cr", key=2)
    assert len(text_of(result)) < 50_000
    assert json.loads(text_of(result))["details"]["filesTotal"] == 60
    tickets.write("MDT-003-x", f"---\ncode: MDT-003\nstatus: {'s' * 200_000}\n---\n")
    found = await answer(call, "update_cr_status", key=3, status="Approved")
    assert found["cr"]["status"] == "Approved"


# Files that cannot be written


@pytest.mark.anyio
@pytest.mark.requirement("tickets:errors:file_system_error")
async def test_a_write_protected_file_is_told_and_stays_as_it_is(call: Caller, tickets: Tickets) -> None:
    path = tickets.ticket(1, body="## A\n\nx")
    path.chmod(0o444)
    before = tree(tickets.root)
    for tool, arguments in [
        ("update_cr_attrs", {"attributes": {"priority": "High"}}),
        ("update_cr_status", {"status": "Approved"}),
        ("manage_cr_sections", {"operation": "append", "section": "A", "content": "y"}),
    ]:
        error = await refused(call, tool, key=1, **arguments)
        assert (error["error"], error["code"]) == ("File operation failed", "FILE_SYSTEM_ERROR")
        assert list(error["details"]) == ["reason"]
        assert str(path) in error["details"]["reason"]
    assert tree(tickets.root) == before
    assert leftovers(tickets.root) == []


@pytest.mark.anyio
@ONE_ERA
@pytest.mark.requirement("tickets:errors:file_system_error", "tickets:errors:project_not_found")
async def test_a_tickets_folder_that_is_none_is_told(call: Caller, tickets: Tickets) -> None:
    (tickets.root / "docs").mkdir()
    (tickets.root / "docs" / "CRs").write_text("a file", encoding="utf-8")
    listed = await answer(call, "list_projects")
    assert listed["projects"] == []
    assert "`docs/CRs` is a file, not a folder of tickets" in listed["problems"][0]["why"]
    error = await refused(call, "create_cr", project="MDT", type="Bug Fix", data={"title": "T"})
    assert error["code"] == "PROJECT_NOT_FOUND"
    (tickets.root / "docs" / "CRs").unlink()
    (tickets.root / "docs").rmdir()
    (tickets.root / "docs").write_text("a file", encoding="utf-8")
    error = await refused(call, "create_cr", project="MDT", type="Bug Fix", data={"title": "T"})
    assert error["code"] in ("FILE_SYSTEM_ERROR", "PROJECT_NOT_FOUND")
    assert (tickets.root / "docs").read_text(encoding="utf-8") == "a file"


@pytest.mark.anyio
@ONE_ERA
@pytest.mark.requirement("tickets:errors:validation_error")
async def test_front_matter_that_cannot_be_edited_without_risk_is_left_alone(
    call: Caller, tickets: Tickets
) -> None:
    for text in (
        "---\ncode: MDT-001\nstatus: Proposed\n\n# Never closed\n",
        "---\n- a\n- list\n---\n# T\n",
    ):
        before = tickets.write("MDT-001-x", text).read_bytes()
        error = await refused(call, "update_cr_status", key=1, status="Approved")
        assert error["code"] == "VALIDATION_ERROR"
        assert list(error["details"]) == ["document"]
        assert tickets.bytes("MDT-001-x") == before


# Whatever is given


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)

WORDS: dict[str, st.SearchStrategy[Any]] = {
    "project": st.sampled_from(["MDT", "mdt", "API", "board"]),
    "key": st.sampled_from([1, 2, "1", "MDT-001", "mdt-2", "MDT-3", 9]),
    "mode": st.sampled_from(["full", "attributes", "metadata"]),
    "type": st.sampled_from(TYPES),
    "status": st.sampled_from(STATUSES),
    "operation": st.sampled_from(["list", "get", "update", "replace", "append", "prepend"]),
    "updateMode": st.sampled_from(["replace", "append", "prepend"]),
    "section": st.sampled_from(["# Ticket", "Ticket", "## A", "A", "B", "## A / ### C", "C"]),
    "content": st.text(max_size=20)
    | st.sampled_from(["## A\n\nx", "```", "---\na: b\n---", "# T", "\r\n x"]),
    "filters": st.dictionaries(
        st.sampled_from(["status", "type", "priority"]),
        st.sampled_from(["High", "Bug Fix", "Approved"]) | JSON,
    ),
    "data": st.fixed_dictionaries(
        {"title": st.text(max_size=10)}, optional={"content": st.text(), "blocks": JSON}
    ),
    "attributes": st.dictionaries(
        st.sampled_from(["title", "priority", "phaseEpic", "dependsOn", "assignee"]),
        st.text(max_size=9) | JSON,
    ),
    "fields": st.lists(st.sampled_from(["title", "status", "filePath"])),
}


def arguments_of(tool: str) -> st.SearchStrategy[dict[str, Any]]:
    """Draw arguments: mostly such as the tool takes, sometimes anything."""
    names = list(SCHEMAS[tool]["properties"])
    fitting = {name: WORDS.get(name, st.integers(0, 50)) for name in names}
    needed = {name: fitting[name] for name in SCHEMAS[tool].get("required", [])}
    rest = {name: value for name, value in fitting.items() if name not in needed}
    good = st.fixed_dictionaries(needed, optional=rest)
    one_odd = st.tuples(good, st.sampled_from([*names, "odd"]), JSON).map(
        lambda parts: {**parts[0], parts[1]: parts[2]}
    )
    return (
        good | good | one_odd | st.dictionaries(st.text(string.ascii_letters, max_size=6), JSON, max_size=4)
    )


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    """An event loop in a thread of its own."""
    with start_blocking_portal() as portal:
        yield portal


@pytest.mark.parametrize("tool", EVERY_CALL)
@pytest.mark.requirement("tickets:errors:object_has_three_keys", "tickets:errors:validation_error")
def test_whatever_a_tool_is_given_it_answers_in_its_shape(
    portal: BlockingPortal, tickets: Tickets, tool: str
) -> None:
    """No call crashes, every refusal is the object, and nothing outside of the tickets folder is touched."""
    (tickets.root / "README.md").write_text("mine\n", encoding="utf-8")
    tickets.write("notes", "no ticket\n")
    body = "## A\n\na\n\n### C\n\n## B\n\n```\n# x\n```"

    def fill() -> None:
        tickets.ticket(1, body=body)
        tickets.ticket(2, dependsOn="MDT-001", body=body)

    fill()
    kept = {name: data for name, data in tree(tickets.root.parent).items() if "MDT-" not in name}
    with portal.wrap_async_context_manager(Client(tickets.server(), mode="2026-07-28")) as client:

        @LAW
        @given(arguments_of(tool))
        def law(arguments: dict[str, Any]) -> None:
            if tool == "delete_cr":
                fill()
            result = portal.call(client.call_tool, tool, arguments)
            assert isinstance(result, CallToolResult)
            text = text_of(result)
            assert "Internal error" not in text
            assert len(text) < 50_000
            if result.is_error:
                error = json.loads(text)
                assert list(error) == ["error", "code", "details"]
                assert error["code"] in CODES
                assert result.structured_content == error
            elif tool not in ("get_cr", "manage_cr_sections"):
                assert result.structured_content == json.loads(text)

        law()
    assert leftovers(tickets.root) == []
    now = {name: data for name, data in tree(tickets.root.parent).items() if "MDT-" not in name}
    now.pop("board/.mdt-next", None)
    assert now == kept
