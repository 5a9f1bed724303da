"""`vine_expand`: another plan in the place of a reference (seed vine, reference vine 7 and 12.4).

Changed on purpose against the vector:
- annotations of both are united, the reference's values win, and relative places of the child are seen from
  the parent's folder (decisions: vine expansion);
- the version is raised to 1.2.0, which annotations need (D19, W7);
- lines of the child's root keep their order; only those of a new block are sorted.
"""

from __future__ import annotations

import pytest
from harness import Caller
from vine.planning import ONE_ERA, Plans, dep, ids, listed, plan_of, task, write

pytestmark = [pytest.mark.anyio, ONE_ERA]

PARENT = """\
vine 1.0.0
title: Par
---
[root] Root (notstarted)
-> ext
-> other
---
ref [ext] External name (./parts/child.vine) @sprite(./ref.svg)
Reference description.
-> leaf
> ref decision
---
[other] Other (notstarted)
---
[leaf] Leaf (complete)
"""

CHILD = """\
vine 1.2.0
title: The child
prefix: ch
---
[top] Child Top (planning) @sprite(./top.svg) @owner(ada)
Top description.
-> b
-> a
> child decision
@artifact text/plain ./art.txt
@file text/plain /etc/hosts
@guidance text/html https://e.x/a?b=./c
---
[a] A (notstarted) @tags(x) @sprite(../up.svg)
-> b
---
ref [b] Nested (../nested.vine)
nested desc
"""

EXPANDED = """\
vine 1.2.0
title: Par
---
[root] Root (notstarted)
-> ext
-> other
---
[ext] Child Top (planning) @owner(ada) @sprite(./ref.svg)
Top description.
-> ch/b
-> ch/a
-> leaf
> child decision
> ref decision
@artifact text/plain ./parts/art.txt
@file text/plain /etc/hosts
@guidance text/html https://e.x/a?b=./c
---
[ch/a] A (notstarted) @sprite(./up.svg) @tags(x)
-> ch/b
---
ref [ch/b] Nested (./nested.vine)
nested desc
---
[other] Other (notstarted)
---
[leaf] Leaf (complete)
"""


@pytest.fixture(autouse=True)
def family(plans: Plans) -> None:
    """Write the parent and the child."""
    plans.write("parent", PARENT)
    plans.write("parts/child", CHILD)


async def expand(call: Caller, file: str, ref_id: str, child_file: str | None = None) -> str:
    return await call.text("vine_expand", file=file, ref_id=ref_id, child_file=child_file)


async def refused(call: Caller, file: str, ref_id: str, child_file: str | None = None) -> str:
    before = (call.project.root / f"{file}.vine").read_bytes()
    error = await call.error("vine_expand", file=file, ref_id=ref_id, child_file=child_file)
    assert (call.project.root / f"{file}.vine").read_bytes() == before
    return error


@pytest.mark.requirement(
    "vine:expand:inlines_the_child",
    "vine:expand:answers_with_the_id",
    "vine:expand:prefixes_child_ids",
    "vine:expand:rewires_dependencies",
)
@pytest.mark.parametrize("child", ["parts/child.vine", "parts/child", "./parts/../parts/child", None])
async def test_the_vector_of_the_reference(call: Caller, plans: Plans, child: str | None) -> None:
    result = await call("vine_expand", file="parent", ref_id="ext", child_file=child)
    assert result.content[0].model_dump()["text"] == 'Ref "ext" expanded.'
    assert (len(result.content), result.structured_content) == (1, None)
    assert plans.text("parent") == EXPANDED
    assert plans.text("parts/child") == CHILD


@pytest.mark.requirement("vine:expand:prefixes_child_ids")
async def test_the_prefix_is_the_childs_or_the_id_of_the_reference(call: Caller, plans: Plans) -> None:
    for line, expected in (
        ("", ["ext/a", "ext/b"]),
        ("prefix:\n", ["a", "b"]),
        ("PREFIX : x/y\n", ["x/y/a", "x/y/b"]),
    ):
        plans.write("parent", PARENT)
        plans.write("parts/child", CHILD.replace("prefix: ch\n", line))
        await expand(call, "parent", "ext")
        assert ids(await listed(call, "parent", "list")) == ["root", "ext", *expected, "other", "leaf"]
    plans.write("parent", PARENT)
    plans.write("parts/child", CHILD.replace("prefix: ch", "prefix: a b"))
    error = await refused(call, "parent", "ext")
    assert error.startswith("The child's prefix cannot be used: ")
    assert '"a b"' in error


async def test_ids_that_collide_are_named_in_both_files(call: Caller, plans: Plans) -> None:
    def child(id: str) -> str:
        return CHILD.replace("prefix: ch", "prefix:").replace("[a]", f"[{id}]").replace("-> a", f"-> {id}")

    for id in ("leaf", "ext"):
        plans.write("parts/child", child(id))
        error = await refused(call, "parent", "ext")
        assert error.startswith(f'ID collision: "{id}" already exists in the parent graph.')
        assert f'new ID of "{id}" of the child' in error
        assert "another prefix" in error
    plans.write("parent", PARENT.replace("[other]", "[ch/a]").replace("-> other", "-> ch/a"))
    plans.write("parts/child", CHILD)
    error = await refused(call, "parent", "ext")
    assert error.startswith('ID collision: "ch/a" already exists in the parent graph.')
    assert 'new ID of "a" of the child' in error
    plans.write("parts/child", CHILD.replace("[top]", "[leaf]"))
    plans.write("parent", PARENT)
    await expand(call, "parent", "ext")
    assert plans.text("parent") == EXPANDED, "the child's root gets the reference's ID, whatever its own is"


async def test_the_version_is_the_lowest_that_covers_what_comes_in(call: Caller, plans: Plans) -> None:
    for own, child, expected in (
        ("1.0.0", "[t] T (planning)", "1.0.0"),
        ("1.0.0", "[t] T (planning)\n-> u\n---\n[u] U (planning)", "1.1.0"),
        ("1.0.0", "[t] T (planning) @k()", "1.2.0"),
        ("1.2.0", "[t] T (planning)\n-> u\n---\n[u] U (planning)", "1.2.0"),
    ):
        plans.write("parent", f"vine {own}\n---\n[r] R (planning)\n-> e\n---\nref [e] E (c)\n")
        plans.write("c", f"vine 1.2.0\n---\n{child}\n")
        await expand(call, "parent", "e")
        assert plans.text("parent").splitlines()[0] == f"vine {expected}"


@pytest.mark.requirement("vine:expand:rewires_dependencies")
async def test_dependencies_and_decisions_of_both_come_together_once(call: Caller, plans: Plans) -> None:
    plans.write("p", plan_of("r:planning>e,leaf e:ref>leaf,e/a e/a:planning leaf:complete"))
    plans.write("e", "vine 1.2.0\nprefix: x\n---\n[t] T (planning)\n-> a\n---\n[a] A (reviewing)\n")
    await expand(call, "p", "e")
    found = await call.data("vine_read", file="p", action="context", id="e")
    assert found["dependencies"] == ["x/a", "leaf", "e/a"]
    assert ids(found["dependant_tasks"]) == ["r"]


async def test_nested_plans_in_nested_folders(call: Caller, plans: Plans) -> None:
    """Each expansion brings the next reference, whose place is right from the parent's folder."""
    plans.write("top/plan", plan_of("r:planning>e e:ref").replace("./e.vine", "../one/a"))
    plans.write("one/a", plan_of("r:planning>e e:ref").replace("./e.vine", "./two/b.vine"))
    plans.write(
        "one/two/b",
        "vine 1.2.0\n---\n[r] R (planning) @sprite(b.svg)\n@file a/b ../../top/x\n@file a/b #part\n"
        "@file a/b mailto:a@e.x\n",
    )
    assert ids((await call.data("vine_next", file="top/plan"))["needs_expansion"]) == ["e"]
    await expand(call, "top/plan", "e")
    [nested] = (await call.data("vine_next", file="top/plan"))["needs_expansion"]
    assert (nested["id"], nested["vine"]) == ("e/e", "../one/two/b.vine")
    await expand(call, "top/plan", "e/e")
    node = await call.data("vine_read", file="top/plan", action="task", id="e/e")
    assert [attachment["uri"] for attachment in node["attachments"]] == ["../top/x", "#part", "mailto:a@e.x"]
    assert node["annotations"] == {"sprite": ["../one/two/b.svg"]}
    assert (await call.data("vine_next", file="top/plan"))["needs_expansion"] == []


async def test_an_expansion_before_its_time_is_told(call: Caller, plans: Plans) -> None:
    plans.write("p", plan_of("r:planning>e e:ref>a,b,c a:started b:complete c:ref"))
    plans.write("e", plan_of("t:planning"))
    assert (await expand(call, "p", "e")).splitlines() == [
        'Ref "e" expanded.',
        "It still waited for a, c; tasks that came in and depend on nothing can be started before.",
    ]
    plans.write("c", plan_of("t:planning"))
    assert await expand(call, "p", "c") == 'Ref "c" expanded.'


async def test_a_child_may_hold_lines_like_the_parents_delimiter(call: Caller, plans: Plans) -> None:
    plans.write(
        "parts/child", "vine 1.2.0\ndelimiter: ***\n---\n[t] T (planning)\nabove\n---\n===\nbelow\n***\n"
    )
    await expand(call, "parent", "ext")
    text = plans.text("parent")
    assert "\ndelimiter: ====\n---\n" in text
    assert text.count("\n====\n") == 3
    node = await call.data("vine_read", file="parent", action="task", id="ext")
    assert node["description"] == "above\n---\n===\nbelow"
    assert "\n====\n[other] Other (notstarted)\n====\n[leaf]" in text


# Refusals


@pytest.mark.requirement("vine:expand:inlines_the_child", "vine:errors:other_graph_errors")
async def test_what_is_no_reference_is_not_expanded(call: Caller, plans: Plans) -> None:
    for child in ("parts/child", None):
        error = await refused(call, "parent", "nope", child)
        assert error == 'Task "nope" does not exist in the parent graph.'
        assert await refused(call, "parent", "leaf", child) == 'Task "leaf" is not a reference node.'
    plans.write("parts/child", plan_of("x:ref>a a:planning"))
    assert await refused(call, "parent", "ext") == "Child graph root must be a concrete task."


@pytest.mark.requirement("vine:errors:missing_file")
async def test_a_child_that_cannot_be_used_is_named(call: Caller, plans: Plans) -> None:
    missing = plans.root / "parts" / "gone.vine"
    error = await refused(call, "parent", "ext", "parts/gone.vine")
    assert (
        error == f"File not found: parts/gone.vine (resolved to {missing})\n"
        "vine_write with a `create` operation makes it."
    )
    plans.path("parts/child").unlink()
    error = await refused(call, "parent", "ext")
    assert (
        error
        == f"File not found: {plans.path('parts/child')}\nvine_write with a `create` operation makes it."
    )
    plans.write("parts/child", "vine 1.2.0\n---\n[t] T (done)\n")
    error = await refused(call, "parent", "ext", "parts/child")
    assert error.startswith('In parts/child: Parse error (line 3): Invalid task header: "[t] T (done)"\n')
    plans.write("parts/child", plan_of("t:planning a:planning"))
    error = await refused(call, "parent", "ext")
    assert error.startswith(f"In {plans.path('parts/child')}: Validation error [no-islands]: ")
    plans.write("parts/child", b"vine 1.2.0\n---\n[t] \xff (planning)\n")
    assert (await refused(call, "parent", "ext")).startswith(f"In {plans.path('parts/child')}: ")
    plans.write("parent", PARENT.replace("(complete)", "(done)"))
    error = await refused(call, "parent", "ext", "parts/child")
    assert error.startswith("Parse error (line 15): "), "the parent's own faults come first"


async def test_references_that_lead_in_a_circle_are_refused(call: Caller, plans: Plans) -> None:
    error = await refused(call, "parent", "ext", "parent")
    assert error == '"parent" is the file itself; it cannot be put into itself.'
    plans.path("alias").symlink_to("parent.vine")
    assert "cannot be put into itself" in await refused(call, "parent", "ext", "alias")
    for leads_to in ("../parent.vine", "../parent", "../alias"):
        plans.write("parts/child", plan_of("t:planning>b b:ref").replace("./b.vine", leads_to))
        error = await refused(call, "parent", "ext")
        assert error.startswith('The child leads back to the parent: "b" in parts/child.vine refers to ')
    plans.write("parts/child", plan_of("t:planning>b b:ref"))
    plans.write("parts/b", plan_of("t:planning>c c:ref"))
    plans.write("parts/c", plan_of("t:planning>b b:ref").replace("./b.vine", "./child.vine"))
    assert await refused(call, "parent", "ext") == (
        'The child leads back to itself: "b" in parts/c.vine refers to parts/child.vine; expanding would '
        "never end."
    )
    plans.write("parts/c", plan_of("t:planning>b b:ref"))
    await expand(call, "parent", "ext")
    assert "leads back to itself" in await refused(call, "parent", "ext/b")


async def test_a_reference_to_the_net_needs_a_child_file(call: Caller, plans: Plans) -> None:
    plans.write("parent", PARENT.replace("./parts/child.vine", "https://e.x/child.vine"))
    error = await refused(call, "parent", "ext")
    assert error == (
        '"ext" refers to https://e.x/child.vine, which is no file here; get it and give its path as '
        "child_file."
    )
    await expand(call, "parent", "ext", "parts/child")
    assert plans.text("parent") == EXPANDED


@pytest.mark.requirement("vine:expand:inlines_the_child", "vine:write:extract_to_ref")
async def test_what_was_extracted_comes_back_as_it_was(call: Caller, plans: Plans) -> None:
    """Where its lines stood in the canonical order."""
    text = EXPANDED.replace(" @sprite(./ref.svg)", "").replace(
        "-> ch/b\n-> ch/a\n-> leaf", "-> ch/a\n-> ch/b\n-> leaf"
    )
    file = "@file text/plain /etc/hosts\n"
    text = text.replace(file, "").replace("a?b=./c\n", f"a?b=./c\n{file}")
    plans.write("whole", text)
    await write(call, "whole", {"op": "extract_to_ref", "id": "ext", "vine": "./deep/er/ext.vine"})
    extracted = plans.text("deep/er/ext")
    assert "@artifact text/plain ../../parts/art.txt\n" in extracted
    assert "-> " not in extracted
    await expand(call, "whole", "ext")
    assert plans.text("whole") == text


@pytest.mark.requirement("vine:expand:prefixes_child_ids", "vine:write:add_ref")
async def test_one_child_may_be_put_into_two_places(call: Caller, plans: Plans) -> None:
    plans.write("c", plan_of("t:planning>a a:planning"))
    first = {"op": "add_ref", "id": "one", "name": "One", "vine": "c"}
    await write(
        call,
        "new",
        {"op": "create"},
        task("r"),
        first,
        {**first, "id": "two"},
        dep("r", "one"),
        dep("r", "two"),
    )
    for id in ("one", "two"):
        await expand(call, "new", id)
    assert ids(await listed(call, "new", "list")) == ["r", "one", "one/a", "two", "two/a"]
