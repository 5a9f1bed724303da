"""`vine_write`: what goes beyond the seed (decisions 3: New keys; reference vine W3, W4, W12, W18)."""

from __future__ import annotations

from typing import Any

import pytest
from harness import Caller
from vine.planning import (
    DEMO,
    ONE_ERA,
    SMALL,
    Operation,
    Plans,
    claim,
    dep,
    ids,
    plan_of,
    refused,
    status,
    task,
    update,
    write,
)
from writing import changed

pytestmark = [pytest.mark.anyio, ONE_ERA]


@pytest.fixture(autouse=True)
def small(plans: Plans) -> None:
    """Write the plan of the vectors."""
    plans.write("small", SMALL)


def rename(id: str, new: str) -> Operation:
    return {"op": "rename_task", "id": id, "newId": new}


def move(id: str, before: str | None = None) -> Operation:
    return {"op": "move_task", "id": id, "before": before}


def meta(**fields: str) -> Operation:
    return {"op": "set_meta", **fields}


def attachment(uri: str, of: str = "artifact") -> dict[str, str]:
    return {"class": of, "mime": "text/plain", "uri": uri}


# IDs and order


async def test_a_node_gets_another_id_wherever_it_is_named(call: Caller, plans: Plans) -> None:
    await write(call, "small", rename("leaf", "leaf-2"), status("leaf-2", "reviewing"))
    assert plans.text("small") == SMALL.replace("-> leaf", "-> leaf-2").replace(
        "[leaf] Leaf (complete)", "[leaf-2] Leaf (reviewing)"
    )
    await write(call, "small", rename("root", "a"), rename("mid", "root"), rename("a", "mid"))
    assert ids((await call.data("vine_read", file="small", action="list"))["result"])[:2] == ["mid", "root"]
    assert plans.text("small").count("-> root") == 1
    for operations, expected in (
        ([rename("mid", "leaf-2")], 'Task "leaf-2" already exists.'),
        ([rename("mid", "mid")], 'Task "mid" already exists.'),
        ([rename("nope", "x")], "Task not found: nope"),
        ([rename("mid", "x"), status("mid", "started")], "Task not found: mid"),
        ([rename("mid", "a b")], '"newId" must be letters, digits and "-", parts joined by "/", got "a b".'),
    ):
        before = plans.bytes("small")
        assert (await refused(call, "small", *operations)).splitlines()[0] == expected
        assert plans.bytes("small") == before


async def test_a_node_moves_before_another_or_to_the_end(call: Caller, plans: Plans) -> None:
    async def order() -> list[str]:
        return ids((await call.data("vine_read", file="small", action="list"))["result"])

    await write(call, "small", move("leaf", "mid"))
    assert await order() == ["root", "leaf", "mid", "ext"]
    await write(call, "small", move("leaf"))
    assert plans.text("small") == SMALL
    await write(call, "small", move("mid", "mid"))
    assert plans.text("small") == SMALL
    assert (await refused(call, "small", move("mid", "nope"))).startswith("Task not found: nope\n")
    error = await refused(call, "small", move("root"))
    assert error.startswith(
        "Validation error [no-islands]: Found 2 island task(s) not reachable from root: ext, root."
    )
    await write(call, "small", task("top", dependsOn=["root"]), move("top", "root"))
    assert await order() == ["top", "root", "mid", "ext", "leaf"]
    assert (await call.data("vine_next", file="small"))["progress"]["root_id"] == "top"


# What the file says about itself


async def test_title_prefix_and_delimiter_are_set_and_taken_out(call: Caller, plans: Plans) -> None:
    preamble = "vine 1.2.0\n"
    await write(call, "small", meta(title="  A: plan ", prefix="p/q", delimiter="***"))
    body = SMALL.removeprefix(preamble + "---\n")
    shown = "title: A: plan\nprefix: p/q\ndelimiter: ***\n---\n"
    assert plans.text("small") == preamble + shown + body.replace("---\n", "***\n")
    await write(call, "small", meta(title="", prefix=""))
    assert plans.text("small").startswith(f"{preamble}prefix: \ndelimiter: ***\n---\n")
    await write(call, "small", meta(delimiter="---"))
    assert plans.text("small") == f"{preamble}prefix: \n---\n{body}"
    for given, words in (
        ({"title": "a\nb"}, '"title" must be one line.'),
        ({"prefix": "a b"}, '"prefix" must be letters, digits and "-", parts joined by "/", got "a b".'),
        ({"prefix": "a/"}, '"prefix" must be letters'),
        ({"delimiter": ""}, '"delimiter" must not be empty.'),
        ({"delimiter": "[x]"}, '"delimiter" must not begin with "["'),
        ({"delimiter": "-> x"}, '"delimiter" must not begin with "-> "'),
    ):
        assert (await refused(call, "small", meta(**given))).startswith(words)
    await write(call, "small", update("leaf", description="one\n====\ntwo"))
    error = await refused(call, "small", meta(delimiter="===="))
    assert error.startswith('"delimiter" is a line of the description of "leaf"; take another.')


async def test_the_version_is_raised_to_what_comes_in_and_no_further(call: Caller, plans: Plans) -> None:
    old = "vine 1.0.0\n---\n[r] R (planning)\n-> a\n---\n[a] A (planning)\n"
    new = task("n")
    for operations, expected in (
        ([status("a", "started"), claim("a", force=True), meta(title="T", delimiter="***")], "1.0.0"),
        ([new, dep("r", "n")], "1.0.0"),
        ([{**new, "id": "x/n"}, dep("r", "x/n")], "1.1.0"),
        ([rename("a", "x/a")], "1.1.0"),
        ([meta(prefix="p")], "1.1.0"),
        ([{"op": "add_ref", "id": "n", "name": "N", "vine": "y"}, dep("r", "n")], "1.1.0"),
        ([{"op": "extract_to_ref", "id": "a", "vine": "a"}], "1.1.0"),
        ([{**new, "annotations": {"k": []}}, dep("r", "n")], "1.2.0"),
        ([update("a", annotations={"k": ["v"]})], "1.2.0"),
        ([update("a", annotations={})], "1.0.0"),
        ([claim("a", owner="ada")], "1.2.0"),
    ):
        plans.write("old", old)
        plans.path("a").unlink(missing_ok=True)
        await write(call, "old", *operations)
        assert plans.text("old").splitlines()[0] == f"vine {expected}", operations
    plans.write("new", old.replace("1.0.0", "1.2.0"))
    await write(call, "new", meta(prefix="p"))
    assert plans.text("new").startswith("vine 1.2.0\n")


# Lists that several agents fill


async def test_decisions_and_attachments_are_added_and_removed(call: Caller, plans: Plans) -> None:
    plans.write("demo", DEMO)
    before = plans.bytes("demo")
    await write(
        call,
        "demo",
        update("leaf", addDecisions=["second", "  third "], addAttachments=[attachment("./b")]),
        update("leaf", addAttachments=[attachment("./c", "file")], removeAttachments=["./out.pdf"]),
    )
    assert changed(before, plans.bytes("demo")) == [
        "-@artifact application/pdf ./out.pdf",
        "+> second",
        "+> third",
        "+@artifact text/plain ./b",
        "+@file text/plain ./c",
    ]
    await write(call, "demo", update("leaf", decisions=["only"], addDecisions=["and this"]))
    node = await call.data("vine_read", file="demo", action="task", id="leaf")
    assert node["decisions"] == ["only", "and this"]
    await write(call, "demo", update("ext", addDecisions=["x"]))
    for operation, words in (
        (
            update("ext", addAttachments=[attachment("./b")]),
            'Cannot set attachments on reference node "ext".',
        ),
        (update("leaf", removeAttachments=["./nope"]), 'Task "leaf" has no attachment "./nope".'),
        (update("leaf", addDecisions=["a\nb"]), '"addDecisions" must be one line.'),
        (
            update("leaf", addAttachments=[attachment("")]),
            '"addAttachments" uri must be one line and not empty.',
        ),
    ):
        assert (await refused(call, "demo", operation)).startswith(words), operation


# Claims


async def test_a_claim_is_refused_unless_the_task_can_start(call: Caller, plans: Plans) -> None:
    after = " Take one that vine_next lists in ready_to_start, or use force: true."
    for of in ("started", "complete", "reviewing", "blocked"):
        text = plan_of(f"r:planning>a a:{of}")
        plans.write("plan", text)
        assert (await refused(call, "plan", claim("a"))).splitlines() == [
            f'Cannot claim "a": it is {of}.',
            f"Operation 0 (claim); nothing was changed.{after}",
        ]
        assert plans.text("plan") == text
        await write(call, "plan", claim("a", force=True))
        assert plans.text("plan") == text.replace(f"A ({of})", "A (started)")
    plans.write("plan", plan_of("r:planning>a,b,c,d a:reviewing b:started c:blocked d:ref"))
    error = await refused(call, "plan", claim("r"))
    assert error.startswith('Cannot claim "r": it depends on what is not done: b, c, d.\n')
    answer = await write(call, "plan", claim("r", force=True))
    assert ids(answer["claimed"]) == ["r"]
    plans.write("plan", plan_of("r:planning>a a:planning"))
    error = await refused(call, "plan", claim("a"), claim("a"))
    assert error.splitlines()[1] == f"Operation 1 (claim); nothing was changed.{after}"
    assert plans.text("plan") == plan_of("r:planning>a a:planning")
    await write(call, "plan", status("a", "reviewing"), claim("r"))
    assert "R (started)" in plans.text("plan"), "what the batch did before counts"


async def test_a_claim_may_name_who_claims(call: Caller, plans: Plans) -> None:
    answer = await write(call, "small", claim("mid", owner="ada"))
    assert answer["claimed"][0]["annotations"] == {"owner": ["ada"]}
    assert plans.text("small") == SMALL.replace("Mid (notstarted)", "Mid (started) @owner(ada)")
    error = await refused(call, "small", claim("mid", owner="bo"))
    assert error.startswith('Cannot claim "mid": it is started, held by ada.\n')
    await write(call, "small", claim("mid", owner="bo", force=True))
    assert "[mid] Mid (started) @owner(bo)\n" in plans.text("small")
    await write(call, "small", status("mid", "reviewing"))
    assert "[mid] Mid (reviewing) @owner(bo)\n" in plans.text("small"), "who did it stays known"
    for owner in ("", "a,b", "a)b", "a\nb"):
        error = await refused(call, "small", claim("mid", owner=owner, force=True))
        assert error.startswith('"owner" must not be empty, nor contain line breaks, commas, ")"')


async def test_a_claim_without_a_name_keeps_whom_a_task_is_meant_for(call: Caller, plans: Plans) -> None:
    plans.write("meant", SMALL.replace("Mid (notstarted)", "Mid (notstarted) @z() @owner(ada)"))
    before = plans.bytes("meant")
    await write(call, "meant", claim("mid"))
    assert changed(before, plans.bytes("meant")) == [
        "-[mid] Mid (notstarted) @z() @owner(ada)",
        "+[mid] Mid (started) @z() @owner(ada)",
    ]
    await write(call, "meant", claim("mid", force=True))
    assert "[mid] Mid (started) @z()\n" in plans.text("meant"), "ada holds it no more"


# Trying out, and not overwriting


async def test_a_dry_run_says_what_would_change_and_writes_nothing(call: Caller, plans: Plans) -> None:
    path = plans.path("small")
    stamp = path.stat()
    operations = [claim("mid"), {"op": "extract_to_ref", "id": "leaf", "vine": "leaf"}]
    answer = await write(call, "small", *operations, dry_run=True)
    assert answer["summary"] == (
        '2 operation(s) would be applied, nothing was written: claimed "mid"; extracted "leaf" to ref (leaf).'
    )
    assert list(answer)[-2:] == ["claimed", "diff"]
    assert ids(answer["needs_expansion"]) == ["leaf"]
    diff = answer["diff"].splitlines()
    assert diff[:2] == ["--- small", "+++ small"]
    assert [line for line in diff[2:] if line[0] in "+-"] == [
        "-[mid] Mid (notstarted)",
        "+[mid] Mid (started)",
        "-[leaf] Leaf (complete)",
        "+ref [leaf] Leaf (leaf.vine)",
    ]
    assert (path.stat().st_ino, path.stat().st_mtime_ns) == (stamp.st_ino, stamp.st_mtime_ns)
    created = await write(call, "new", {"op": "create"}, task("r", "R"), dry_run=True)
    assert "\n+[r] R (notstarted)\n" in created["diff"]
    error = await refused(call, "small", status("nope", "started"), dry_run=True)
    assert error.startswith("Task not found: nope\n")
    error = await refused(call, "small", {"op": "create"}, task("r"), dry_run=True)
    assert error == f"File already exists: {path}"
    assert [path.name for path in plans.root.iterdir()] == ["small.vine"]
    assert plans.text("small") == SMALL
    assert (await write(call, "small", update("mid"), dry_run=True))["diff"] == ""
    assert "diff" not in await write(call, "small", *operations)


async def test_a_write_may_be_bound_to_what_was_read(call: Caller, plans: Plans) -> None:
    async def blob() -> str:
        return (await call.data("vine_read", file="small", action="meta"))["blob"]

    first = await blob()
    await write(call, "small", claim("mid"), expect=first)
    second = await blob()
    assert second != first
    for dry_run in (False, True):
        error = await refused(call, "small", status("mid", "complete"), expect=first, dry_run=dry_run)
        assert error == (
            f"The file changed since it was read: expected {first}, found {second}. Nothing was "
            "written; read it again and repeat the edit."
        )
    assert plans.text("small") == SMALL.replace("Mid (notstarted)", "Mid (started)")
    create: list[Any] = [{"op": "create"}, task("r")]
    error = await refused(call, "new", *create, expect=first)
    assert error.startswith('"expect" is of a text that is there, and "create" makes a new file.\n')
    assert not plans.path("new").exists()
    await write(call, "small", status("mid", "complete"), expect=second)
    await write(call, "new", *create, expect=None)
