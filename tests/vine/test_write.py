"""`vine_write`: the operations of the seed (reference vine 6 and 12.5, 12.6).

Changed on purpose against the vectors:
- claim mid, claim leaf: a claim of a complete task is refused (decisions: vine `claim`), so the second
  claim is forced here;
- refusals of an operation have a second line that numbers it (W13);
- extraction happens in its place in the batch, not before it (D4), and its file is named relative to the
  plan's folder (W14);
- `create` answers with `claimed`, too (D3), and refuses a version that no reader knows (W1).
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from harness import Caller, text_of
from vine.planning import (
    ONE_ERA,
    SHIP,
    SMALL,
    TASK,
    Operation,
    Plans,
    claim,
    dep,
    ids,
    refused,
    status,
    task,
    update,
    write,
)

pytestmark = pytest.mark.anyio

ISLAND = "Validation error [no-islands]: Found 1 island task(s) not reachable from root: "


@pytest.fixture(autouse=True)
def small(plans: Plans) -> None:
    """Write the plan of the vectors."""
    plans.write("small", SMALL)


def remove(id: str) -> Operation:
    return {"op": "remove_task", "id": id}


async def headline(call: Caller, *operations: Operation) -> str:
    """Give the first line of a refusal that left the file as it was."""
    error = await refused(call, "small", *operations)
    assert (call.project.root / "small.vine").read_text(encoding="utf-8") == SMALL
    return error.splitlines()[0]


# The vectors


@pytest.mark.requirement(
    "vine:write:operations_are_atomic",
    "vine:write:validation_runs_once_at_the_end",
    "vine:write:duplicate_id_is_an_error",
    "vine:write:root_cannot_be_removed",
    "vine:write:unknown_task_is_an_error",
)
@ONE_ERA
async def test_the_refusals_of_the_vectors(call: Caller) -> None:
    for operations, expected in (
        ([task("n")], f"{ISLAND}n."),
        ([task("n", dependsOn=["leaf"])], f"{ISLAND}n."),
        ([task("mid")], 'Task "mid" already exists.'),
        ([remove("mid"), remove("ext")], f"{ISLAND}leaf."),
        ([remove("root")], "Cannot remove the root task."),
        ([remove("nope")], "Task not found: nope"),
        ([dep("root", "mid", "remove_dep")], f"{ISLAND}mid."),
        (
            [dep("leaf", "root")],
            "Validation error [no-cycles]: Cycle detected: root → mid → leaf → root.",
        ),
        ([status("nope", "started"), {"op": "bogus"}], 'Operation 1: unknown op "bogus".'),
        ([status("mid", "started"), status("nope", "started")], "Task not found: nope"),
        ([dep("mid", "leaf")], 'Task "mid" already depends on "leaf".'),
        ([dep("root", "leaf", "remove_dep")], 'Task "root" does not depend on "leaf".'),
        ([dep("nope", "leaf")], "Task not found: nope"),
        ([dep("mid", "nope")], "Task not found: nope"),
        ([dep("nope", "mid", "remove_dep")], "Task not found: nope"),
        ([status("ext", "started")], 'Cannot set status on reference node "ext".'),
        ([claim("ext")], 'Cannot claim reference node "ext".'),
        ([claim("nope")], "Task not found: nope"),
        ([update("nope", name="X")], "Task not found: nope"),
        ([update("ext", attachments=[])], 'Cannot set attachments on reference node "ext".'),
        (
            [{"op": "update_ref_uri", "id": "mid", "uri": "x"}],
            "updateRefUri can only be called on ref nodes",
        ),
        ([{"op": "update_ref_uri", "id": "ext", "uri": ""}], "Ref URI must be a non-empty string"),
        (
            [task("n", dependsOn=["zz"]), dep("root", "n")],
            'Validation error [valid-dependency-refs]: Task "n" references unknown dependency "zz".',
        ),
    ):
        assert await headline(call, *operations) == expected, operations


@pytest.mark.requirement(
    "vine:write:add_task",
    "vine:write:add_dep",
    "vine:write:remove_dep",
    "vine:write:remove_task",
    "vine:write:validation_runs_once_at_the_end",
)
@ONE_ERA
async def test_the_successes_of_the_vectors(call: Caller, plans: Plans) -> None:
    without_mid = SMALL.replace("-> mid\n", "").replace("[mid] Mid (notstarted)\n-> leaf\n---\n", "")
    for operations, expected in (
        ([task("n", "New"), dep("root", "n")], SMALL.replace("-> ext\n", "-> ext\n-> n\n") + NEW),
        ([remove("mid")], without_mid),
        (
            [dep("root", "mid", "remove_dep"), dep("ext", "mid")],
            SMALL.replace("-> mid\n", "").replace("vine)\n-> leaf\n", "vine)\n-> leaf\n-> mid\n"),
        ),
        ([dep("leaf", "root"), dep("leaf", "root", "remove_dep")], SMALL),
        ([remove("mid"), task("mid", "Mid", dependsOn=["leaf"]), dep("root", "mid")], None),
        ([update("mid")], SMALL),
    ):
        plans.write("small", SMALL)
        await write(call, "small", *operations)
        if expected is not None:
            assert plans.text("small") == expected, operations
    assert plans.text("small") == SMALL


NEW = "---\n[n] New (notstarted)\n"


@ONE_ERA
async def test_a_removed_task_may_be_added_again_at_the_end(call: Caller, plans: Plans) -> None:
    await write(call, "small", remove("mid"), task("mid", "Again", dependsOn=["leaf"]), dep("root", "mid"))
    assert ids((await call.data("vine_read", file="small", action="list"))["result"]) == [
        "root",
        "ext",
        "leaf",
        "mid",
    ]
    assert plans.text("small").endswith("---\n[mid] Again (notstarted)\n-> leaf\n")


# The answer


@pytest.mark.requirement(
    "vine:write:answer_has_summary_and_frontier", "vine:write:answer_has_claimed", "vine:write:claim"
)
async def test_the_whole_answer_is_that_of_the_reference(call: Caller, plans: Plans) -> None:
    plans.write("ship", SHIP)
    attachments = [{"class": "artifact", "mime": "text/markdown", "uri": "./spec.md"}]
    spec: dict[str, Any] = {
        "id": "spec",
        "kind": "task",
        "shortName": "Write spec",
        "description": "",
        "dependencies": [],
        "decisions": ["keep it short"],
        "status": "reviewing",
        "attachments": attachments,
    }
    resolved = {
        "id": "spec",
        "shortName": "Write spec",
        "kind": "task",
        "status": "reviewing",
        "decisions": ["keep it short"],
        "attachments": attachments,
    }
    statuses = {"complete": 0, "notstarted": 1, "planning": 0, "blocked": 0, "started": 1, "reviewing": 1}
    expected: dict[str, Any] = {
        "summary": '1 operation(s) applied: claimed "build".',
        "progress": {
            "total": 3,
            "complete": 0,
            "percentage": 0,
            "ready_count": 0,
            "root_id": "ship",
            "root_status": "notstarted",
            "by_status": statuses,
        },
        "ready_to_start": [],
        "ready_to_complete": [spec],
        "blocked": [],
        "needs_expansion": [],
        "claimed": [
            {
                "id": "build",
                "kind": "task",
                "shortName": "Build",
                "description": "Compile all.",
                "dependencies": ["spec"],
                "decisions": [],
                "status": "started",
                "attachments": [],
                "resolved_dependencies": [resolved],
            }
        ],
    }
    result = await call("vine_write", file="ship", operations=[claim("build")])
    assert text_of(result).replace("\n", "") == json.dumps(
        expected, separators=(",", ":"), ensure_ascii=False
    )
    assert json.dumps(result.structured_content) == json.dumps(expected)
    assert plans.text("ship") == SHIP.replace("Build (notstarted)", "Build (started)")


@pytest.mark.requirement("vine:write:answer_has_summary_and_frontier")
@ONE_ERA
async def test_the_summary_has_a_phrase_for_each_operation(call: Caller) -> None:
    operations = [
        task("n"),
        {"op": "add_ref", "id": "x", "name": "X", "vine": "./x.vine"},
        dep("root", "n"),
        dep("root", "x"),
        dep("root", "mid", "remove_dep"),
        remove("mid"),
        status("n", "planning"),
        claim("n"),
        update("n", name="N"),
        {"op": "update_ref_uri", "id": "x", "uri": "./y.vine"},
        {"op": "extract_to_ref", "id": "n", "vine": "./n.vine"},
        {"op": "rename_task", "id": "n", "newId": "m"},
        {"op": "move_task", "id": "m", "before": "leaf"},
        {"op": "set_meta", "title": "T"},
    ]
    answer = await write(call, "small", *operations)
    assert answer["summary"] == (
        '14 operation(s) applied: added task "n"; added ref "x"; added dep root → n; added dep root → x; '
        'removed dep root → mid; removed task "mid"; set "n" → planning; claimed "n"; updated "n"; '
        'updated ref URI for "x"; extracted "n" to ref (./n.vine); renamed "n" to "m"; moved "m"; '
        "set metadata."
    )
    lists = ["ready_to_start", "ready_to_complete", "blocked", "needs_expansion"]
    assert list(answer) == ["summary", "progress", *lists, "claimed"]
    assert ids(answer["claimed"]) == ["m"]


@pytest.mark.requirement("vine:write:answer_has_claimed")
@ONE_ERA
async def test_claimed_tasks_are_told_as_they_are_after_the_batch(call: Caller, plans: Plans) -> None:
    answer = await write(call, "small", claim("mid"), status("mid", "reviewing"))
    assert answer["claimed"][0]["status"] == "reviewing"
    assert ids(answer["claimed"][0]["resolved_dependencies"]) == ["leaf"]
    assert "dependant_tasks" not in answer["claimed"][0]
    plans.write("small", SMALL)
    answer = await write(call, "small", claim("mid"), claim("leaf", force=True))
    assert ids(answer["claimed"]) == ["mid", "leaf"]
    assert answer["claimed"][0]["resolved_dependencies"][0]["status"] == "started"
    plans.write("small", SMALL)
    assert "claimed" not in await write(call, "small", status("mid", "started"))
    plans.write("small", SMALL)
    answer = await write(call, "small", claim("mid"), remove("mid"))
    assert "claimed" not in answer, "what is gone has nothing to tell"
    assert "[mid]" not in plans.text("small")


# Operations


@pytest.mark.requirement("vine:write:set_status", "vine:write:invalid_status_is_an_error")
@ONE_ERA
async def test_any_status_may_follow_any_other(call: Caller, plans: Plans) -> None:
    statuses = ["complete", "started", "reviewing", "planning", "notstarted", "blocked"]
    for before in statuses:
        for after in statuses:
            plans.write("small", SMALL.replace("Mid (notstarted)", f"Mid ({before})"))
            await write(call, "small", status("mid", after))
            assert plans.text("small") == SMALL.replace("Mid (notstarted)", f"Mid ({after})")
    plans.write("small", SMALL)
    assert await headline(call, status("mid", "done")) == (
        'Operation 0: invalid status "done". Valid: complete, started, reviewing, planning, notstarted, '
        "blocked"
    )


@pytest.mark.requirement("vine:write:add_task")
@ONE_ERA
async def test_a_task_is_added_with_all_it_may_have(call: Caller, plans: Plans) -> None:
    new = task(
        "db/new-1",
        "  A (new) one ",
        status="planning",
        description="First.\n\nSecond.  ",
        dependsOn=["leaf", "ext"],
        annotations={"tags": ["b", "a"], "Done": [], "owner": ["ada"]},
    )
    await write(call, "small", new, dep("mid", "db/new-1"))
    assert plans.text("small").endswith(
        "---\n[db/new-1] A (new) one (planning) @Done() @owner(ada) @tags(b,a)\nFirst.\n\nSecond.  \n"
        "-> ext\n-> leaf\n"
    )
    found = await call.data("vine_read", file="small", action="task", id="db/new-1")
    assert list(found) == [*TASK, "annotations"]
    assert (found["shortName"], found["decisions"], found["attachments"]) == ("A (new) one", [], [])


@pytest.mark.requirement("vine:write:add_ref", "vine:write:update_ref_uri")
@ONE_ERA
async def test_a_reference_is_added_and_led_elsewhere(call: Caller, plans: Plans) -> None:
    new = {"op": "add_ref", "id": "more", "name": "More", "vine": "./a(1).vine", "description": "Text."}
    new |= {"dependsOn": ["leaf"], "decisions": ["one", "two"], "annotations": {"k": ["v"]}}
    await write(call, "small", new, dep("root", "more"))
    block = "---\nref [more] More (./a(1).vine) @k(v)\nText.\n-> leaf\n> one\n> two\n"
    assert plans.text("small").endswith(block)
    await write(call, "small", {"op": "update_ref_uri", "id": "more", "uri": "https://e.x/b.vine"})
    assert plans.text("small").endswith(block.replace("./a(1).vine", "https://e.x/b.vine"))
    assert await headline_of(call, {**new, "id": "other", "vine": ""}) == '"vine" must not be empty.'


async def headline_of(call: Caller, *operations: Operation) -> str:
    return (await refused(call, "small", *operations)).splitlines()[0]


@pytest.mark.requirement("vine:write:update")
@ONE_ERA
async def test_an_update_replaces_what_is_given_and_leaves_the_rest(call: Caller, plans: Plans) -> None:
    given: dict[str, Any] = {
        "name": "Other",
        "description": "One.\nTwo.",
        "decisions": ["first", "second"],
        "attachments": [
            {"class": "file", "mime": "text/plain", "uri": "./f"},
            {"class": "artifact", "mime": "text/html", "uri": "a b"},
        ],
        "annotations": {"b": ["1"], "a": []},
    }
    await write(call, "small", update("mid", **given))
    full = (
        "[mid] Other (notstarted) @a() @b(1)\nOne.\nTwo.\n-> leaf\n> first\n> second\n"
        "@file text/plain ./f\n@artifact text/html a b\n"
    )
    assert plans.text("small") == SMALL.replace("[mid] Mid (notstarted)\n-> leaf\n", full)
    before = await call.data("vine_read", file="small", action="task", id="mid")
    for field, cleared, shown in (
        ("description", "", ""),
        ("decisions", [], []),
        ("attachments", [], []),
        ("annotations", {}, None),
    ):
        await write(call, "small", update("mid", **{field: cleared}))
        after = await call.data("vine_read", file="small", action="task", id="mid")
        before = {**before, field: shown}
        assert {**after, "annotations": after.get("annotations")} == before, field
    await write(call, "small", update("mid", name="Mid", description=None))
    assert plans.text("small") == SMALL


@pytest.mark.requirement("vine:write:update")
@ONE_ERA
async def test_a_reference_can_be_updated_but_for_attachments(call: Caller, plans: Plans) -> None:
    await write(call, "small", update("ext", name="New name", description="D", decisions=["x"]))
    assert plans.text("small") == SMALL.replace(
        "ref [ext] Ext (./ext.vine)\n-> leaf\n", "ref [ext] New name (./ext.vine)\nD\n-> leaf\n> x\n"
    )


# New files


@pytest.mark.requirement("vine:write:create")
async def test_create_makes_a_canonical_file(call: Caller, plans: Plans) -> None:
    answer = await write(call, "new", {"op": "create"}, task("root", "Root"))
    assert plans.text("new") == "vine 1.2.0\n---\n[root] Root (notstarted)\n"
    assert answer["summary"] == '2 operation(s) applied: created graph; added task "root".'
    assert ids(answer["ready_to_start"]) == ["root"]


@pytest.mark.requirement("vine:write:create", "vine:write:answer_has_claimed")
@ONE_ERA
async def test_the_first_task_of_the_batch_is_the_root(call: Caller, plans: Plans) -> None:
    answer = await write(
        call,
        "new",
        {"op": "create", "version": "1.1.0"},
        {"op": "add_ref", "id": "x", "name": "X", "vine": "./x.vine"},
        task("root", dependsOn=["a", "x"]),
        task("a"),
        claim("a"),
    )
    assert ids((await call.data("vine_read", file="new", action="list"))["result"]) == ["root", "x", "a"]
    assert plans.text("new").startswith("vine 1.1.0\n---\n[root] ")
    assert ids(answer["claimed"]) == ["a"]


@pytest.mark.requirement("vine:write:create")
@ONE_ERA
async def test_create_never_overwrites_and_makes_nothing_when_refused(call: Caller, plans: Plans) -> None:
    create, first = {"op": "create"}, '"create" operation must be the first operation'
    path = plans.path("small")
    assert (await refused(call, "small", create, task("r"))) == f"File already exists: {path}"
    assert (await refused(call, str(path), create, task("r"))) == f"File already exists: {path}"
    for operations, words in (
        ([create], "create requires at least one add_task operation to define the root task."),
        ([create, {"op": "add_ref", "id": "x", "name": "X", "vine": "y"}], "create requires at least one"),
        ([create, task("r"), create], first),
        ([create, task("r"), task("a")], f"{ISLAND}a."),
        ([create, task("r"), status("a", "started")], "Task not found: a"),
        ([{"op": "create", "version": "banana"}, task("r")], "Operation 0: create"),
        ([{"op": "create", "version": "1.3.0"}, task("r")], "Operation 0: create"),
    ):
        assert words in (await refused(call, "new", *operations)).splitlines()[0]
    assert first in (await refused(call, "small", status("mid", "started"), create)).splitlines()[0]
    assert {path.name for path in plans.root.iterdir()} == {"small.vine"}
    assert plans.text("small") == SMALL


# A task in a file of its own


@pytest.mark.requirement("vine:write:extract_to_ref")
@ONE_ERA
async def test_a_task_moves_into_a_file_of_its_own(call: Caller, plans: Plans) -> None:
    full = (
        "[mid] Mid (blocked) @tags(a) @sprite(./m.svg)\nText.\n-> leaf\n> chosen\n@file text/plain ./notes\n"
        "@file text/plain https://e.x/n\n"
    )
    plans.write("plans/big", SMALL.replace("[mid] Mid (notstarted)\n-> leaf\n", full))
    answer = await write(
        call,
        "plans/big",
        update("mid", addDecisions=["just now"]),
        {"op": "extract_to_ref", "id": "mid", "vine": "parts/mid", "refName": "The middle"},
        status("leaf", "reviewing"),
    )
    assert ids(answer["needs_expansion"]) == ["mid", "ext"]
    assert plans.text("plans/parts/mid") == (
        "vine 1.2.0\ntitle: Mid\n---\n[mid] Mid (blocked) @sprite(../m.svg) @tags(a)\nText.\n> chosen\n"
        "> just now\n@file text/plain ../notes\n@file text/plain https://e.x/n\n"
    )
    assert plans.text("plans/big") == SMALL.replace("Leaf (complete)", "Leaf (reviewing)").replace(
        "[mid] Mid (notstarted)\n-> leaf\n",
        "ref [mid] The middle (parts/mid.vine) @sprite(./m.svg) @tags(a)\n-> leaf\n",
    )
    assert await call.text("vine_read", file="plans/parts/mid", action="validate") == "Valid — 1 task(s)."


@pytest.mark.requirement("vine:write:extract_to_ref")
@ONE_ERA
async def test_what_cannot_be_extracted_leaves_both_files_alone(call: Caller, plans: Plans) -> None:
    def extract(id: str, vine: str = "./new.vine") -> Operation:
        return {"op": "extract_to_ref", "id": id, "vine": vine}

    taken = plans.write("taken", SMALL)
    for operations, expected in (
        ([extract("nope")], "Task not found: nope"),
        ([extract("root")], "Cannot extract the root task to a ref."),
        ([extract("ext")], 'Task "ext" is already a reference node.'),
        ([extract("mid", "taken")], f"File already exists: {taken}"),
        ([extract("mid"), extract("leaf")], "At most one extract_to_ref operation is allowed per batch."),
        ([extract("mid"), status("nope", "started")], "Task not found: nope"),
        ([extract("mid"), remove("ext"), remove("mid")], f"{ISLAND}leaf."),
        ([extract("mid", "")], '"vine" must not be empty.'),
        ([extract("mid", "a b.vine")], '"vine" must not contain white space, got "a b.vine".'),
        (
            [extract("mid", "https://e.x/y.vine")],
            '"vine" must be the path of the new file, got "https://e.x/y.vine".',
        ),
    ):
        assert await headline(call, *operations) == expected
    assert "leads out of the project" in await headline(call, extract("mid", "../out.vine"))
    assert {path.name for path in plans.root.iterdir()} == {"small.vine", "taken.vine"}
    assert not (plans.root.parent / "out.vine").exists()


@pytest.mark.requirement("vine:write:extract_to_ref", "vine:write:create")
@ONE_ERA
async def test_a_new_plan_may_be_made_of_two_files(call: Caller, plans: Plans) -> None:
    await write(
        call,
        "fresh/plan",
        {"op": "create"},
        task("r", "Root", dependsOn=["a"]),
        task("a", "Part"),
        {"op": "extract_to_ref", "id": "a", "vine": "a"},
    )
    assert plans.text("fresh/plan").endswith("ref [a] Part (a.vine)\n")
    assert plans.text("fresh/a") == "vine 1.2.0\ntitle: Part\n---\n[a] Part (notstarted)\n"
