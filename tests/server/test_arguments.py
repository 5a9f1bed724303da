"""Arguments of every tool: absent, ill-typed, unknown, odd; refused in the words of the decisions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import Caller, Project, text_of
from server.pipes import Message, Pipes, Serve, modern, request
from server.pipes import call as tool_call
from server.pipes import text_of as text_on_wire
from writing import tree

pytestmark = pytest.mark.anyio

ID = "2026-01-22-001-x7m"

SCHEMAS: dict[str, dict[str, Any]] = {
    path.stem: json.loads(path.read_text("utf-8"))["inputSchema"]
    for path in sorted((Path(__file__).parents[1] / "toolsnaps").glob("*.json"))
}
"""The input schema of every tool, from the committed snapshots."""

PLAIN = [tool for tool in SCHEMAS if tool.startswith(("chant_", "vine_"))]
"""Tools whose refusals are sentences; those of tickets have tests of their own (tests/tickets)."""

OF_TYPE: dict[str, Any] = {"string": "x", "integer": 1, "boolean": True, "array": ["x"]}
"""A value of each type that a schema names."""

OF_NAME: dict[str, Any] = {
    "file": "plan",
    "action": "summary",
    "operations": [{"op": "set_status", "id": "root", "status": "started"}],
}
"""Values of parameters that mean something."""

GRAPH = "vine 1.2.0\n---\n[root] Root (planning)\n"

WRONG: list[tuple[str, Any]] = [
    ("string", "5"),
    ("string", ""),
    ("integer", 7),
    ("number", 5.5),
    ("boolean", False),
    ("array", []),
    ("array", ["x"]),
    ("array", [1]),
    ("object", {}),
    ("object", {"id": ID}),
]
"""Values with the name of their JSON type."""

ODD = [
    "",
    " ",
    "\0",
    "a\0b",
    "\n",
    "\r\n",
    "---",
    "# ",
    "\u2028",
    "\ufeff",
    "\x1b[31m",
    "x" * 20_000,
    "🙂",
    "ﬀ",
]
"""Texts that break what forgets them."""

EXPECTED = {
    "string": "string",
    "integer": "integer",
    "boolean": "boolean",
    "array": "array of strings",
    "objects": "array of objects",
}


def parameters(tool: str, *types: str) -> list[tuple[str, str]]:
    """Name a tool's parameters of some types, or all, with their type."""
    properties = {name: kind_of(node) for name, node in SCHEMAS[tool]["properties"].items()}
    return [(name, kind) for name, kind in properties.items() if not types or kind in types]


def kind_of(node: dict[str, Any]) -> str:
    """Name the type of a parameter; lists of objects are `objects`."""
    is_of_objects = node["type"] == "array" and node["items"]["type"] == "object"
    return "objects" if is_of_objects else node["type"]


def required(tool: str, but: str = "") -> dict[str, Any]:
    """Give values for a tool's required parameters."""
    schema = SCHEMAS[tool]
    return {
        name: OF_NAME.get(name) or OF_TYPE[schema["properties"][name]["type"]]
        for name in schema.get("required", [])
        if name != but
    }


# Absent ones


@pytest.mark.requirement("server:arguments:missing_id_is_named")
@pytest.mark.parametrize(
    "tool", [tool for tool, schema in SCHEMAS.items() if "id" in schema.get("required", [])]
)
async def test_a_missing_id_is_named(call: Caller, tool: str) -> None:
    assert await call.error(tool) == "Missing required parameter: id"
    assert await call.error(tool, force=True, nonsense=1) == "Missing required parameter: id"
    assert await call.error(tool, id=None) == "Missing required parameter: id"


async def test_other_missing_parameters_are_named(call: Caller) -> None:
    assert await call.error("chant_search") == "Missing required parameter: query"
    assert await call.error("chant_search", query=None, limit=5) == "Missing required parameter: query"
    assert await call.error("chant_add") == "Missing required parameter: description"
    assert await call.error("chant_add", labels=["x"]) == "Missing required parameter: description"


async def test_null_is_the_same_as_nothing(call: Caller) -> None:
    project = call.project
    project.spec(ID, status="in_progress", body="# One")
    project.log(ID, "a\nb\n")
    for tool in ("chant_spec_list", "chant_ready", "chant_status", "chant_lint", "chant_work_list"):
        nothing = dict.fromkeys(SCHEMAS[tool]["properties"])
        assert await call.text(tool, **nothing) == await call.text(tool)
    for tool in ("chant_spec_get", "chant_log", "chant_diagnose", "chant_verify"):
        nothing = dict.fromkeys(SCHEMAS[tool]["properties"])
        assert await call.text(tool, **{**nothing, "id": ID}) == await call.text(tool, id=ID)
    nothing = dict.fromkeys(SCHEMAS["chant_spec_update"]["properties"])
    assert await call.error("chant_spec_update", **{**nothing, "id": ID}) == "No updates specified"
    before = project.text(ID)
    await call.text("chant_spec_update", **{**nothing, "id": ID, "model": "opus"})
    assert project.text(ID) == before.replace("---\n\n", "model: opus\n---\n\n", 1)


# Ill-typed ones


@pytest.mark.requirement("server:arguments:wrong_type_is_named")
@pytest.mark.parametrize("tool", PLAIN)
async def test_every_parameter_refuses_every_other_type(call: Caller, tool: str) -> None:
    call.project.spec(ID)
    before = tree(call.project.root)
    for name, kind in parameters(tool):
        others = required(tool, but=name)
        for given, value in WRONG:
            is_list = kind in ("array", "objects")
            if (given == kind and value != [1]) or (kind == "objects" and value == []):
                continue
            got = "integer at index 0" if is_list and value == [1] else given
            got = "string at index 0" if kind == "objects" and value == ["x"] else got
            refusal = f"Invalid parameter '{name}': expected {EXPECTED[kind]}, got {got}"
            assert await call.error(tool, **others, **{name: value}) == refusal
    assert tree(call.project.root) == before


@pytest.mark.requirement("server:arguments:wrong_type_is_named")
async def test_the_decisions_own_example(call: Caller) -> None:
    refusal = "Invalid parameter 'limit': expected integer, got string"
    assert await call.error("chant_spec_list", limit="5") == refusal


@pytest.mark.requirement("server:arguments:wrong_type_is_named")
async def test_the_place_of_an_ill_typed_entry_is_named(call: Caller) -> None:
    call.project.spec(ID)
    before = call.project.text(ID)
    for value, got in ((None, "null"), (True, "boolean"), (1.5, "number"), ([], "array"), ({}, "object")):
        told = await call.error("chant_spec_update", id=ID, labels=["a", "b", value])
        assert told == f"Invalid parameter 'labels': expected array of strings, got {got} at index 2"
    assert call.project.text(ID) == before


# Integers


async def test_a_whole_float_is_an_integer(call: Caller) -> None:
    for number in range(8):
        call.project.spec(f"2026-01-22-00{number}-abc")
    assert (await call.data("chant_spec_list", limit=5.0))["returned"] == 5
    assert await call.text("chant_ready", limit=5.0, offset=2.0) == await call.text(
        "chant_ready", limit=5, offset=2
    )
    assert (await call.data("chant_spec_list", limit=0.0))["returned"] == 0


STARTING = ("chant_work_start", "chant_split")
"""Tools that start agents when nothing is wrong."""


@pytest.mark.requirement("server:arguments:wrong_type_is_named")
@pytest.mark.parametrize("tool", [tool for tool in PLAIN if parameters(tool, "integer")])
async def test_negative_and_giant_integers(call: Caller, tool: str) -> None:
    call.project.spec(ID)
    (call.project.root / "plan.vine").write_text(GRAPH, encoding="utf-8")
    call.project.log(ID, "a\n")
    takes_spec = tool.startswith("chant_") and "id" in SCHEMAS[tool]["properties"]
    given = {**required(tool), **({"id": ID} if takes_spec else {})}
    for name, _ in parameters(tool, "integer"):
        least = {"max_chars": 1, "parallel": 1, "max_depth": 1, "max_tokens": 100}.get(name, 0)
        for value in (-1, -5.0, -(2**31), -(2**63), -(2**64) - 1, -(10**300)):
            told = await call.error(tool, **given, **{name: value})
            assert told.startswith(f"Invalid parameter '{name}': expected integer of at least {least}, got -")
        for value in (2**53 + 1, 2**63, 2**64, 10**300, 1e300):
            told = await call.error(tool, **given, **{name: value})
            assert told == f"Invalid parameter '{name}': expected integer of at most {2**53}"
        for value in (least, 2**31, 2**32, 2**53) if tool not in STARTING else ():
            assert not (await call(tool, **given, **{name: value})).is_error


def test_numbers_that_no_float_holds(project: Project, serve: Serve) -> None:
    pipes: Pipes = serve(project.root)
    for id, number in enumerate(("1e400", "-1e400", "NaN", "Infinity", "-" + "9" * 4000, "9" * 4000)):
        line = json.dumps(tool_call(id, "chant_ready", limit="NUMBER")).replace('"NUMBER"', number)
        pipes.send(line.encode() + b"\n")
        told = text_on_wire(pipes.answer(id))
        assert told.startswith("Invalid parameter 'limit': expected integer")


# Unknown ones


@pytest.mark.parametrize("tool", PLAIN)
async def test_an_unknown_argument_is_refused(call: Caller, tool: str) -> None:
    call.project.spec(ID)
    before = tree(call.project.root)
    given = required(tool)
    for name in SCHEMAS[tool]["properties"]:
        told = await call.error(tool, **given, **{f"{name}s" if name != "id" else "ids": "x"})
        assert told == f"Unknown parameter: {name}s. Did you mean '{name}'?"
    told = await call.error(tool, **given, zzzzzz=1)
    hint = "Did you mean '" if SCHEMAS[tool]["properties"] else "This tool takes no parameters."
    assert told.startswith(f"Unknown parameter: zzzzzz. {hint}")
    assert tree(call.project.root) == before


async def test_an_unknown_argument_that_is_null_is_absent(call: Caller) -> None:
    assert await call.text("chant_status", brief=True, nonsense=None) == "No specs"


# Odd texts


@pytest.mark.parametrize("tool", [tool for tool in PLAIN if parameters(tool, "string", "array")])
async def test_odd_texts_are_answered(call: Caller, tool: str) -> None:
    call.project.spec(ID, body="# One\n\n## Acceptance Criteria\n\n- [ ] Done")
    call.project.spec("2026-01-22-002-abc")
    for name, kind in parameters(tool, "string", "array"):
        others = required(tool, but=name)
        if "id" in others:
            others["id"] = ID
        for text in ODD:
            result = await call(tool, **others, **{name: [text] if kind == "array" else text})
            assert len(text_of(result)) < 50_000
            assert "Internal error" not in text_of(result), text
        refusal = f"Invalid parameter '{name}': expected Unicode text, got an unpaired surrogate"
        half = "a\ud800"
        assert await call.error(tool, **others, **{name: ["x", half] if kind == "array" else half}) == refusal
    problems = (await call.data("chant_status")).get("problems", [])
    assert all(problem["message"].startswith("Invalid spec type") for problem in problems)


# The call itself


@pytest.mark.requirement("server:call:absent_arguments_are_an_empty_object")
@pytest.mark.parametrize("framed", [dict, modern], ids=["bare", "envelope"])
def test_absent_arguments_are_an_empty_object(project: Project, serve: Serve, framed: Any) -> None:
    pipes: Pipes = serve(project.root)
    empty = pipes.ask(framed(request(0, "tools/call", {"name": "chant_status", "arguments": {}})))["result"]
    for id, params in enumerate(({"name": "chant_status"}, {"name": "chant_status", "arguments": None}), 1):
        assert pipes.ask(framed(request(id, "tools/call", params)))["result"] == empty
    for id, params in enumerate(
        ({"name": "chant_spec_get"}, {"name": "chant_spec_get", "arguments": None}), 3
    ):
        answer = pipes.ask(framed(request(id, "tools/call", params)))
        assert text_on_wire(answer) == "Missing required parameter: id"


@pytest.mark.parametrize("framed", [dict, modern], ids=["bare", "envelope"])
def test_arguments_that_are_no_object_are_a_tool_error(project: Project, serve: Serve, framed: Any) -> None:
    pipes: Pipes = serve(project.root)
    wrong = [
        ([], "array"),
        ([1], "array"),
        ("x", "string"),
        (5, "integer"),
        (1.5, "number"),
        (True, "boolean"),
    ]
    for id, (value, kind) in enumerate(wrong):
        answer = pipes.ask(framed(request(id, "tools/call", {"name": "chant_status", "arguments": value})))
        assert answer["result"]["isError"] is True
        assert text_on_wire(answer) == f"Invalid parameter 'arguments': expected object, got {kind}"


@pytest.mark.requirement("server:call:missing_name_is_a_tool_error")
@pytest.mark.parametrize("framed", [dict, modern], ids=["bare", "envelope"])
def test_a_call_without_a_name_is_a_tool_error(project: Project, serve: Serve, framed: Any) -> None:
    pipes: Pipes = serve(project.root)
    for id, name in enumerate((None, 5, 1.5, True, [], ["chant_status"], {}, "")):
        answer = pipes.ask(framed(request(id, "tools/call", {"name": name, "arguments": {}})))
        assert (text_on_wire(answer), answer["result"]["isError"]) == ("Missing tool name", True)
    nameless: list[Message] = [{}, {"arguments": {"id": ID}}, {"arguments": [1]}]
    for id, params in enumerate(nameless, 10):
        answer = pipes.ask(framed(request(id, "tools/call", params)))
        assert (text_on_wire(answer), answer["result"]["isError"]) == ("Missing tool name", True)


@pytest.mark.requirement("server:call:missing_name_is_a_tool_error")
def test_a_call_without_params_is_a_tool_error(project: Project, serve: Serve) -> None:
    ended = serve(project.root).finish(request(1, "tools/call"))
    assert text_on_wire(ended.answer(1)) == "Missing tool name"


@pytest.mark.requirement("server:call:unknown_tool_is_a_tool_error")
async def test_an_unknown_tool_is_told_the_nearest_name(call: Caller) -> None:
    for wrong, right in (
        ("chant_spec_lst", "chant_spec_list"),
        ("chant_update_spec", "chant_spec_update"),
        ("spec_get", "chant_spec_get"),
        ("CHANT_STATUS", "chant_status"),
        ("chant-status", "chant_status"),
    ):
        told = await call.error(wrong)
        assert told.splitlines()[0] == f"Unknown tool: {wrong}"
        assert right in told, told


@pytest.mark.requirement("server:call:unknown_tool_is_a_tool_error")
async def test_odd_tool_names_are_unknown_tools(call: Caller) -> None:
    for name in ("nonsense", " ", "chant_status ", "../chant_status", "\0", "é", "x" * 200_000, "%s{}"):
        told = await call.error(name)
        assert told.startswith(f"Unknown tool: {name[:1000]}")
        assert len(told) < 50_000


def test_a_list_of_ten_thousand_entries_is_served(project: Project, serve: Serve) -> None:
    project.spec(ID)
    labels = [f"label-{number}" for number in range(10_000)]
    pipes: Pipes = serve(project.root)
    assert text_on_wire(pipes.ask(tool_call(1, "chant_spec_update", id=ID, labels=labels))).startswith(
        "Updated"
    )
    assert all(f"- {label}\n" in project.text(ID) for label in (labels[0], labels[-1]))
