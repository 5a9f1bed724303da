"""What operations may look like, and what the format can carry (reference vine 6.2 with its R, W1)."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Caller
from vine.planning import ONE_ERA, SMALL, Operation, Plans, dep, refused, status, task, update

pytestmark = [pytest.mark.anyio, ONE_ERA]

STATUSES = "complete, started, reviewing, planning, notstarted, blocked"

FIELDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    # what an operation needs, and what it may have
    "create": ({}, {"version": "1.2.0"}),
    "add_task": (
        {"id": "n", "name": "N"},
        {"status": "started", "description": "d", "dependsOn": ["leaf"], "annotations": {"k": ["v"]}},
    ),
    "add_ref": (
        {"id": "n", "name": "N", "vine": "./n.vine"},
        {"description": "d", "dependsOn": ["leaf"], "decisions": ["d"], "annotations": {"k": ["v"]}},
    ),
    "remove_task": ({"id": "mid"}, {}),
    "set_status": ({"id": "mid", "status": "started"}, {}),
    "claim": ({"id": "mid"}, {"force": True, "owner": "ada"}),
    "update": (
        {"id": "mid"},
        {
            "name": "N",
            "description": "d",
            "decisions": ["d"],
            "attachments": [{"class": "file", "mime": "a/b", "uri": "c"}],
            "annotations": {"k": ["v"]},
            "addDecisions": ["d"],
            "addAttachments": [{"class": "file", "mime": "a/b", "uri": "e"}],
            "removeAttachments": ["c"],
        },
    ),
    "add_dep": ({"taskId": "mid", "depId": "ext"}, {}),
    "remove_dep": ({"taskId": "mid", "depId": "leaf"}, {}),
    "update_ref_uri": ({"id": "ext", "uri": "./n.vine"}, {}),
    "extract_to_ref": ({"id": "mid", "vine": "./n.vine"}, {"refName": "N"}),
    "rename_task": ({"id": "mid", "newId": "n"}, {}),
    "move_task": ({"id": "mid"}, {"before": "leaf"}),
    "set_meta": ({}, {"title": "T", "prefix": "p", "delimiter": "***"}),
}


@pytest.fixture(autouse=True)
def small(plans: Plans) -> None:
    """Write the plan of the vectors."""
    plans.write("small", SMALL)


async def shape_of(call: Caller, operation: Any, *, before: Operation | None = None) -> str:
    """Give the refusal of an operation's shape, which comes before anything else is looked at."""
    first = before or status("nope", "started")
    error = await refused(call, "small", first, operation)
    assert error.startswith("Operation 1: "), error
    assert (call.project.root / "small.vine").read_text(encoding="utf-8") == SMALL
    return error.removeprefix("Operation 1: ")


@pytest.mark.requirement("vine:write:at_least_one_operation")
async def test_operations_are_objects_with_an_op(call: Caller) -> None:
    assert await refused(call, "small") == "operations must be a list of at least one operation."
    assert await refused(call, "nowhere") == "operations must be a list of at least one operation."
    for operation in ({}, {"op": 5}, {"op": None}, {"id": "mid"}, {"op": ["claim"]}):
        assert await shape_of(call, operation) == 'missing "op" field.'
    for name in ("", "Claim", "bogus", "add-task"):
        assert await shape_of(call, {"op": name}) == f'unknown op "{name}".'


async def test_the_table_names_every_operation(call: Caller) -> None:
    tools = {tool.name: tool for tool in (await call.client.list_tools()).tools}
    schema = tools["vine_write"].input_schema["properties"]["operations"]["items"]
    assert set(schema["properties"]["op"]["enum"]) == set(FIELDS)
    named = {field for needs, may in FIELDS.values() for field in (*needs, *may)}
    assert named == set(schema["properties"]) - {"op"}
    for op, (needs, may) in FIELDS.items():
        for fields in (needs, {**needs, **may}, {**needs, **dict.fromkeys(may)}):
            operations = [{"op": op, **fields}]
            if op == "create":
                operations.append(task("r"))
            if op in ("add_task", "add_ref"):
                operations.append(dep("root", "n"))
            if fields.get("removeAttachments"):
                operations[0] = {**operations[0], "addAttachments": fields["attachments"]}
            file = "new" if op == "create" else "small"
            result = await call("vine_write", file=file, operations=operations, dry_run=True)
            assert not result.is_error, (operations, result.content)


async def test_what_an_operation_needs_is_named(call: Caller) -> None:
    for op, (needs, _) in FIELDS.items():
        for field in needs:
            for wrong in (5, None, ["x"], {}, True):
                given = {**needs, field: wrong}
                assert await shape_of(call, {"op": op, **given}) == f'{op} requires "{field}".'
            without = {key: value for key, value in needs.items() if key != field}
            assert await shape_of(call, {"op": op, **without}) == f'{op} requires "{field}".'
    assert await shape_of(call, {"op": "add_ref"}) == 'add_ref requires "id".'
    assert await shape_of(call, {"op": "add_ref", "id": "n"}) == 'add_ref requires "name".'
    assert await shape_of(call, {"op": "add_ref", "id": "n", "name": "N"}) == 'add_ref requires "vine".'


async def test_wrong_types_are_told_in_the_words_of_the_reference(call: Caller) -> None:
    arrays = "must be an array of strings."
    elements = "elements must have class, mime, and uri as strings."
    for op, field, wrongs, expected in (
        ("create", "version", [2, ["1.2.0"]], 'create "version" must be a string.'),
        ("add_task", "status", [5, {}], "status must be a string."),
        ("add_task", "description", [5, ["x"]], 'add_task "description" must be a string.'),
        ("add_task", "dependsOn", ["x", [1], {}], f'add_task "dependsOn" {arrays}'),
        ("add_task", "annotations", [[], [["k"]]], 'add_task "annotations" must be an object.'),
        (
            "add_task",
            "annotations",
            [5, "x"],
            'add_task "annotations" must be an object mapping keys to string arrays.',
        ),
        (
            "add_task",
            "annotations",
            [{"k": "v"}, {"k": [1]}, {"k": None}],
            'add_task "annotations" values must be arrays of strings.',
        ),
        ("add_ref", "decisions", ["x", [None]], f'add_ref "decisions" {arrays}'),
        ("add_ref", "annotations", [[]], 'add_ref "annotations" must be an object.'),
        ("claim", "force", ["yes", 1], 'claim "force" must be a boolean.'),
        ("claim", "owner", [5], 'claim "owner" must be a string.'),
        ("update", "name", [5], 'update "name" must be a string.'),
        ("update", "decisions", [{}], f'update "decisions" {arrays}'),
        ("update", "addDecisions", ["x"], f'update "addDecisions" {arrays}'),
        ("update", "removeAttachments", [[{}]], f'update "removeAttachments" {arrays}'),
        (
            "update",
            "attachments",
            ["x", [5], [{"class": "file", "mime": "a/b"}], [{"class": "file", "mime": 5, "uri": "x"}]],
            f'update "attachments" {elements}',
        ),
        ("update", "addAttachments", [{}, [[]]], f'update "addAttachments" {elements}'),
        (
            "update",
            "attachments",
            [[{"class": "image", "mime": "a/b", "uri": "c"}]],
            'update "attachments" class must be artifact, guidance or file, got "image".',
        ),
        ("extract_to_ref", "refName", [5], 'extract_to_ref "refName" must be a string.'),
        ("move_task", "before", [5], 'move_task "before" must be a string.'),
        ("set_meta", "title", [5], 'set_meta "title" must be a string.'),
    ):
        for wrong in wrongs:
            told = await shape_of(call, {"op": op, **FIELDS[op][0], field: wrong})
            assert told == expected, (op, field, wrong)
    for op in ("add_task", "set_status"):
        told = await shape_of(call, {"op": op, **FIELDS[op][0], "status": "Done"})
        assert told == f'invalid status "Done". Valid: {STATUSES}'
    for version in ("banana", "1.2", "2.0.0", "1.3.0", "", " 1.2.0"):
        told = await shape_of(call, {"op": "create", "version": version})
        assert told == f'create "version" must be 1.0.0, 1.1.0 or 1.2.0, got "{version}".'


async def test_unknown_fields_are_named_with_those_there_are(call: Caller) -> None:
    for op, field in (
        ("update", "status"),
        ("update", "dependsOn"),
        ("create", "title"),
        ("add_task", "decisions"),
        ("add_ref", "status"),
        ("set_status", "force"),
        ("claim", "taskId"),
        ("set_meta", "version"),
        ("move_task", "after"),
    ):
        needs, may = FIELDS[op]
        known = ", ".join([*needs, *may])
        for value in ("started", [], False):
            told = await shape_of(call, {"op": op, **needs, field: value})
            assert told == f'{op} has no field "{field}". Its fields: {known}.'


async def test_fields_of_other_operations_may_be_filled_with_null(call: Caller, plans: Plans) -> None:
    """As hosts do that fill in every property of the one kind of operation that is published."""
    everything = dict.fromkeys(field for needs, may in FIELDS.values() for field in (*needs, *may))
    operation = {**everything, "op": "set_status", "id": "mid", "status": "started"}
    result = await call("vine_write", file="small", operations=[operation])
    assert not result.is_error
    assert plans.text("small") == SMALL.replace("Mid (notstarted)", "Mid (started)")


async def test_what_the_format_cannot_carry_is_refused_by_its_field(call: Caller, plans: Plans) -> None:
    """Each of these was written with success by the earlier server, and broke or changed the file (W1)."""

    def added(**fields: Any) -> list[Operation]:
        new = {**task("n"), **fields}
        return [new, dep("root", new["id"])]

    def attached(mime: str, uri: str) -> list[Operation]:
        return [update("mid", attachments=[{"class": "file", "mime": mime, "uri": uri}])]

    an_id = 'must be letters, digits and "-", parts joined by "/", got'
    for operations, expected in (
        (added(id="has space"), f'"id" {an_id} "has space".'),
        (added(id=""), f'"id" {an_id} "".'),
        (added(id="a//b"), f'"id" {an_id} "a//b".'),
        (added(id="é"), f'"id" {an_id} "é".'),
        (added(name=""), '"name" must not be empty.'),
        (added(name=" \t"), '"name" must not be empty.'),
        (added(name="a\nb"), '"name" must be one line.'),
        (added(name="a\rb"), '"name" must be one line.'),
        ([update("mid", name="")], '"name" must not be empty.'),
        (added(description="fine\n-> root"), '"description" line 2 begins with "-> "'),
        (added(description="> x"), '"description" line 1 begins with "> "'),
        (added(description="a\n\n---\nb"), '"description" line 3 begins with "---"'),
        (added(description="@file text/plain x"), '"description" line 1 begins with "@file "'),
        ([update("ext", description="@guidance a b")], '"description" line 1 begins with "@guidance "'),
        ([update("mid", decisions=["x\n-> root"])], '"decisions" must be one line.'),
        (added(dependsOn=["leaf\n> x"]), '"dependsOn" must be one line.'),
        (added(annotations={"my-key": []}), '"annotations" keys must be a letter'),
        (added(annotations={"": []}), '"annotations" keys must be a letter'),
        (added(annotations={"k": ["f(x)"]}), '"annotations" values of k must not be empty'),
        (added(annotations={"k": ["a,b"]}), '"annotations" values of k must not be empty'),
        (added(annotations={"k": [""]}), '"annotations" values of k must not be empty'),
        (added(annotations={"k": [" a"]}), '"annotations" values of k must not be empty'),
        (
            [{"op": "update_ref_uri", "id": "ext", "uri": "a b"}],
            '"uri" must not contain white space, got "a b".',
        ),
        (
            [{"op": "add_ref", "id": "n", "name": "N", "vine": "a b"}],
            '"vine" must not contain white space, got "a b".',
        ),
        (attached("", "x"), '"attachments" mime must be a type such as text/plain, got "".'),
        (
            attached("text plain", "x"),
            '"attachments" mime must be a type such as text/plain, got "text plain".',
        ),
        (attached("a/b", ""), '"attachments" uri must be one line and not empty.'),
        (attached("a/b", "x\ny"), '"attachments" uri must be one line and not empty.'),
    ):
        error = await refused(call, "small", *operations)
        assert error.startswith(expected), operations
        assert plans.text("small") == SMALL


async def test_texts_that_only_look_dangerous_are_carried(call: Caller) -> None:
    """What is written is read back as it was given."""
    given: dict[str, Any] = {
        "name": "[x] A (complete) @k(v) (1) ref — ☃",
        "description": " -> a\n ---\n@foo bar\n->b\n#x\n\nend ",
        "decisions": ["> x", "-> y", "@file a b", ""],
        "attachments": [{"class": "file", "mime": "text/x;a=b", "uri": "a b (c) ---"}],
        "annotations": {"k": ["(a", "-> b"], "K": []},
    }
    await call.data("vine_write", file="small", operations=[update("mid", **given)])
    node = await call.data("vine_read", file="small", action="task", id="mid")
    assert node["shortName"] == given["name"]
    assert {**given, "annotations": {"K": [], "k": ["(a", "-> b"]}, "name": None} == {
        **{key: node[key] for key in given if key != "name"},
        "name": None,
    }
