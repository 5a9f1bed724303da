"""`vine_read`: ten questions, key by key (seed vine, reference vine 5.1 and 12.1).

Changed on purpose against the vectors: nodes with annotations show them (W12), and search does not depend
on the case of letters beyond ASCII either.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness import Caller, text_of
from vine.planning import DEMO, NODE, ONE_ERA, REFERENCE, TASK, Plans, ids, listed, plan_of, wide

pytestmark = pytest.mark.anyio

ROOT = {
    "id": "root",
    "kind": "task",
    "shortName": "Root Task",
    "description": "The root.\n\nSecond paragraph.",
    "dependencies": ["zeta", "alpha", "ext"],
    "decisions": ["Decision one"],
    "status": "planning",
    "attachments": [
        {"class": "file", "mime": "text/plain", "uri": "./notes.txt"},
        {"class": "artifact", "mime": "text/html", "uri": "https://e.x/a.html"},
        {"class": "guidance", "mime": "text/markdown", "uri": "./g.md"},
    ],
    "annotations": {"sprite": ["./r.svg"], "tags": ["a", "b", "c"], "flag": []},
}

EXT = {
    "id": "ext",
    "kind": "ref",
    "shortName": "External",
    "description": "Ref description.",
    "dependencies": ["leaf"],
    "decisions": ["ref decision"],
    "vine": "./child.vine",
    "annotations": {"sprite": ["./e.svg"]},
}

LEAF = {
    "id": "leaf",
    "kind": "task",
    "shortName": "Leaf",
    "description": "",
    "dependencies": [],
    "decisions": ["used PostgreSQL"],
    "status": "complete",
    "attachments": [{"class": "artifact", "mime": "application/pdf", "uri": "./out.pdf"}],
}


@pytest.fixture(autouse=True)
def demo(plans: Plans) -> None:
    """Write the plan of the vectors."""
    plans.write("demo", DEMO)


# Prose


@pytest.mark.requirement("vine:read:validate", "vine:tools:extension_is_appended")
async def test_validate_counts_tasks_and_references(call: Caller) -> None:
    result = await call("vine_read", file="demo", action="validate")
    assert text_of(result) == "Valid — 5 task(s)."
    assert result.structured_content is None
    assert not result.is_error


async def test_validate_warns_when_the_root_is_complete_and_others_are_not(
    call: Caller, plans: Plans
) -> None:
    plans.write("early", plan_of("r:complete>a,e a:started e:ref"))
    assert (await call.text("vine_read", file="early", action="validate")).splitlines() == [
        "Valid — 3 task(s).",
        'Warning: the root "r" is complete, 2 other(s) are not.',
    ]
    plans.write("done", plan_of("r:complete>a a:complete"))
    assert await call.text("vine_read", file="done", action="validate") == "Valid — 2 task(s)."


@pytest.mark.requirement("vine:read:summary")
async def test_summary_is_the_text_of_the_reference(call: Caller) -> None:
    result = await call("vine_read", file="demo", action="summary")
    assert text_of(result) == (
        "Root: Root Task (root)\nTotal tasks: 5\nLeaf tasks: 1\n\nStatus breakdown:\n  complete: 1\n"
        "  started: 1\n  reviewing: 1\n  planning: 1\n  notstarted: 0\n  blocked: 0"
    )
    assert result.structured_content is None


# One node


def same(found: Any, expected: Any) -> None:
    """Check values and the order of keys, in all depths."""
    assert json.dumps(found) == json.dumps(expected)


@pytest.mark.requirement("vine:read:task")
async def test_task_shows_everything_a_node_says(call: Caller) -> None:
    for id, expected in (("root", ROOT), ("ext", EXT), ("leaf", LEAF)):
        result = await call("vine_read", file="demo", action="task", id=id)
        same(json.loads(text_of(result)), expected)
        same(result.structured_content, expected)
        assert text_of(result).replace("\n", "") == json.dumps(
            expected, separators=(",", ":"), ensure_ascii=False
        )
    assert list(LEAF) == TASK
    assert list(EXT) == [*REFERENCE, "annotations"]


@pytest.mark.requirement("vine:read:context")
async def test_context_adds_what_a_node_builds_on_and_who_builds_on_it(call: Caller) -> None:
    around = await call.data("vine_read", file="demo", action="context", id="ext")
    leaf = {
        "id": "leaf",
        "shortName": "Leaf",
        "kind": "task",
        "status": "complete",
        "decisions": ["used PostgreSQL"],
        "attachments": LEAF["attachments"],
    }
    root = {"id": "root", "shortName": "Root Task", "kind": "task", "status": "planning"}
    same(around, {**EXT, "resolved_dependencies": [leaf], "dependant_tasks": [root]})
    around = await call.data("vine_read", file="demo", action="context", id="root")
    assert ids(around["resolved_dependencies"]) == ["zeta", "alpha", "ext"]
    ext = {"id": "ext", "shortName": "External", "kind": "ref", "vine": "./child.vine"}
    same(around["resolved_dependencies"][2], {**ext, "decisions": ["ref decision"]})
    assert around["dependant_tasks"] == []
    around = await call.data("vine_read", file="demo", action="context", id="leaf")
    assert ids(around["dependant_tasks"]) == ["alpha", "zeta", "ext"], "direct ones, in the order of the file"
    same(around["dependant_tasks"][2], {"id": "ext", "shortName": "External", "kind": "ref"})


# Lists


@pytest.mark.requirement("vine:read:list")
async def test_list_shows_all_nodes_in_the_order_of_the_file(call: Caller) -> None:
    nodes = await listed(call, "demo", "list")
    assert ids(nodes) == ["root", "alpha", "zeta", "ext", "leaf"]
    for node, whole in zip((nodes[0], nodes[3], nodes[4]), (ROOT, EXT, LEAF), strict=True):
        same(node, whole)
    assert all(list(node)[:6] == NODE for node in nodes)


@pytest.mark.requirement("vine:read:list_filters_by_status", "vine:read:list_filters_by_query")
@ONE_ERA
async def test_list_takes_a_status_or_a_query(call: Caller) -> None:
    for arguments, expected in (
        ({"status": "started"}, ["zeta"]),
        ({"status": "blocked"}, []),
        ({"query": "LEAF"}, ["leaf"]),
        ({"query": ""}, ["root", "alpha", "zeta", "ext", "leaf"]),
        ({"status": "started", "query": "alpha"}, ["zeta"]),
        ({"status": None, "query": "alpha"}, ["alpha"]),
    ):
        assert ids(await listed(call, "demo", "list", **arguments)) == expected, arguments


@pytest.mark.requirement("vine:read:search")
@ONE_ERA
async def test_search_looks_into_ids_names_and_descriptions(call: Caller, plans: Plans) -> None:
    for query, expected in (
        ("ALPHA", ["alpha"]),
        ("para", ["root"]),
        ("ref desc", ["ext"]),
        ("task", ["root", "zeta"]),
        ("postgres", []),
        ("child.vine", []),
        ("notes", []),
        ("graph.\n", []),
    ):
        assert ids(await listed(call, "demo", "search", query=query)) == expected, query
    plans.write("odd", "vine 1.2.0\n---\n[r/x-9] ÉTÉ (planning)\n")
    for query in ("été", "X-9", "r/"):
        assert ids(await listed(call, "odd", "search", query=query)) == ["r/x-9"]
        assert ids(await listed(call, "odd", "list", query=query)) == ["r/x-9"]


@pytest.mark.requirement("vine:read:descendants")
async def test_descendants_are_all_who_depend_on_a_node(call: Caller) -> None:
    found = await listed(call, "demo", "descendants", id="leaf")
    assert found == [
        {"id": "root", "shortName": "Root Task"},
        {"id": "alpha", "shortName": "Alpha"},
        {"id": "zeta", "shortName": "Zeta Task"},
        {"id": "ext", "shortName": "External"},
    ]
    assert await listed(call, "demo", "descendants", id="root") == []


async def test_dependencies_are_all_that_a_node_needs(call: Caller) -> None:
    assert await listed(call, "demo", "dependencies", id="zeta") == [{"id": "leaf", "shortName": "Leaf"}]
    found = await listed(call, "demo", "dependencies", id="root")
    assert ids(found) == ["alpha", "zeta", "ext", "leaf"]
    assert await listed(call, "demo", "dependencies", id="leaf") == []


@pytest.mark.requirement("vine:read:refs")
async def test_refs_lists_references_alone(call: Caller, plans: Plans) -> None:
    ext = {"id": "ext", "shortName": "External", "vine": "./child.vine", "dependencies": ["leaf"]}
    same(await listed(call, "demo", "refs"), [ext])
    plans.write("none", wide(2))
    assert await listed(call, "none", "refs") == []


async def test_meta_tells_what_the_file_says_about_itself(call: Caller, plans: Plans) -> None:
    meta = await call.data("vine_read", file="demo", action="meta")
    blob = meta.pop("blob")
    same(meta, {"version": "1.2.0", "title": "Demo", "prefix": "dm", "delimiter": "---"})
    call.project.git("init", "-q")
    assert blob == call.project.git("hash-object", "--no-filters", "demo.vine").strip()
    plans.write("bare", "vine 1.0.0\r\nprefix:\r\ndelimiter: ***\r\n---\r\n[r] R (planning)\r\n")
    meta = await call.data("vine_read", file="bare", action="meta")
    assert (meta["version"], meta["title"], meta["prefix"], meta["delimiter"]) == ("1.0.0", None, "", "***")
    assert meta["blob"] == call.project.git("hash-object", "--no-filters", "bare.vine").strip()


# What a question needs


@pytest.mark.requirement("vine:read:file_and_action_are_required", "vine:next:file_is_required")
async def test_file_and_action_are_required(call: Caller) -> None:
    assert await call.error("vine_read", action="summary") == "Missing required parameter: file"
    assert await call.error("vine_read", file="demo") == "Missing required parameter: action"
    assert await call.error("vine_read", file=None, action="list") == "Missing required parameter: file"
    assert await call.error("vine_next") == "Missing required parameter: file"


@pytest.mark.requirement("vine:read:eight_actions")
async def test_an_action_is_one_of_those_there_are(call: Caller) -> None:
    tools = {tool.name: tool for tool in (await call.client.list_tools()).tools}
    actions = tools["vine_read"].input_schema["properties"]["action"]["enum"]
    seed = ["summary", "list", "task", "context", "descendants", "search", "refs", "validate"]
    assert actions == [*seed, "dependencies", "meta"]
    for action in actions:
        result = await call("vine_read", file="demo", action=action, id="leaf", query="leaf")
        assert not result.is_error, action
    error = await call.error("vine_read", file="demo", action="List")
    assert error == f'Invalid action "List". Valid values: {", ".join(actions)}'


@pytest.mark.requirement("vine:read:id_is_required_for_task")
@ONE_ERA
async def test_an_id_or_a_query_is_required_where_the_action_needs_one(call: Caller) -> None:
    for action in ("task", "context", "descendants", "dependencies"):
        for absent in ({}, {"id": ""}, {"id": None}):
            error = await call.error("vine_read", file="demo", action=action, **absent)
            assert error == f'id is required for action "{action}".'
        error = await call.error("vine_read", file="demo", action=action, id="Leaf")
        assert error == "Task not found: Leaf\nDid you mean 'leaf'?"
    for absent in ({}, {"query": ""}, {"query": None}):
        error = await call.error("vine_read", file="demo", action="search", **absent)
        assert error == 'query is required for action "search".'
    error = await call.error("vine_read", file="demo", action="list", status="done")
    assert error == (
        'Invalid status "done". Valid values: complete, started, reviewing, planning, notstarted, blocked'
    )


@pytest.mark.requirement("vine:read:eight_actions")
async def test_what_an_action_does_not_need_is_passed_over(call: Caller) -> None:
    found = await call.data("vine_read", file="demo", action="task", id="leaf", status="done", query="x")
    assert found["id"] == "leaf"
    assert await call.text("vine_read", file="demo", action="validate", id="nope") == "Valid — 5 task(s)."


@ONE_ERA
async def test_ill_typed_arguments_are_told_in_the_words_of_the_project(call: Caller) -> None:
    for tool, arguments, expected in (
        ("vine_read", {"action": "list", "limit": "5"}, "'limit': expected integer, got string"),
        ("vine_read", {"action": "list", "limit": -1}, "'limit': expected integer of at least 0, got -1"),
        ("vine_read", {"action": "task", "id": 5}, "'id': expected string, got integer"),
        ("vine_next", {"offset": 1.5}, "'offset': expected integer, got number"),
        ("vine_write", {"operations": {}}, "'operations': expected array of objects, got object"),
        (
            "vine_write",
            {"operations": [{"op": "create"}, 5]},
            "'operations': expected array of objects, got integer at index 1",
        ),
        ("vine_write", {"operations": [], "dry_run": "yes"}, "'dry_run': expected boolean, got string"),
        ("vine_expand", {"ref_id": ["ext"]}, "'ref_id': expected string, got array"),
    ):
        assert await call.error(tool, file="demo", **arguments) == f"Invalid parameter {expected}"
    assert await call.error("vine_read", file=["demo"], action="list") == (
        "Invalid parameter 'file': expected string, got array"
    )
    assert await call.error("vine_write", file="demo") == "Missing required parameter: operations"
    assert await call.error("vine_expand", file="demo") == "Missing required parameter: ref_id"
    assert await call.error("vine_next", file="demo", limits=5) == (
        "Unknown parameter: limits. Did you mean 'limit'?"
    )
    assert (await call.data("vine_next", file="demo", limit=2.0, offset=None))["progress"]["total"] == 5
