"""Bytes on disk: a change touches the lines it means, a refusal none (reference vine 4 R, W1, W9, D12)."""

from __future__ import annotations

import json
import os
import stat
from typing import Any

import pytest
from chant_mcp._core import VineFiles
from chant_mcp.errors import ChantError
from hypothesis import given
from hypothesis import strategies as st
from vine.planning import DEMO, LAW, SMALL, Operation, Plans, claim, dep, plan_of, status, task, update
from writing import changed, tree

ODD = (
    "\ufeffvine 1.2.0\r\n"
    "Title :  Odd one  \r\n"
    "# a remark\r\n"
    "owner: ada\r\n"
    "TITLE: The last counts\r\n"
    "delimiter: ***\r\n"
    "\r\n"
    "---\r\n"
    "***\r\n"
    "\r\n"
    "  [root] Root ---  (planning)   @z(2,1)  @a( x )  \r\n"
    "Text with trailing blanks  \r\n"
    "---\r\n"
    "-> leaf\r\n"
    "> first\r\n"
    "@file a/b c \r\n"
    "more text\r\n"
    "-> ref\r\n"
    "@artifact a/b d\r\n"
    "\r\n"
    "***\r\n"
    "***\r\n"
    "ref   [ref] A ref (./r.vine) @sprite(s.svg)\r\n"
    "***\r\n"
    "\r\n"
    "[leaf]\tLeaf\t(notstarted)\t@K()\r\n"
    "\t\r\n"
    "***\r\n"
    "   "
)
"""Everything that a hand may write and a machine would not."""


def handle(plans: Plans) -> VineFiles:
    return VineFiles(plans.root, roots=[plans.root])


def lines_of(plans: Plans, before: str, *operations: Operation, file: str = "odd") -> list[str]:
    """Give the lines that operations take out and put in."""
    plans.write(file, before)
    handle(plans).write(file, list(operations))
    return changed(before.encode(), plans.bytes(file))


# One line and no other


@pytest.mark.parametrize("eol", ["\r\n", "\n"], ids=["crlf", "lf"])
@pytest.mark.parametrize("mark", ["\ufeff", ""], ids=["mark", "no mark"])
@pytest.mark.parametrize("end", ["\r\n   ", "\r\n", ""], ids=["blank", "end", "no end"])
def test_a_status_changes_one_header(plans: Plans, eol: str, mark: str, end: str) -> None:
    text = (mark + ODD.removeprefix("\ufeff")).removesuffix("\r\n   ") + end
    text = text.replace("\r\n", eol)
    cr = "\r" if eol == "\r\n" else ""
    assert lines_of(plans, text, status("root", "blocked")) == [
        f"-  [root] Root ---  (planning)   @z(2,1)  @a( x )  {cr}",
        f"+  [root] Root ---  (blocked)   @z(2,1)  @a( x )  {cr}",
    ]
    assert lines_of(plans, text, status("leaf", "reviewing"), status("leaf", "complete")) == [
        f"-[leaf]\tLeaf\t(notstarted)\t@K(){cr}",
        f"+[leaf]\tLeaf\t(complete)\t@K(){cr}",
    ]


def test_the_last_header_may_lack_its_line_end(plans: Plans) -> None:
    for eol in ("\n", "\r\n"):
        text = plan_of("r:planning>a a:planning").replace("\n", eol).removesuffix(eol)
        plans.write("plan", text)
        handle(plans).write("plan", [claim("a")])
        assert plans.text("plan") == text.replace("A (planning)", "A (started)")
        handle(plans).write("plan", [task("n"), dep("r", "n")])
        expected = text.replace("A (planning)", "A (started)").replace(f"-> a{eol}", f"-> a{eol}-> n{eol}")
        assert plans.text("plan") == f"{expected}{eol}---{eol}[n] Name (notstarted)"


def test_each_kind_of_change_touches_its_own_lines(plans: Plans) -> None:
    attachment = {"class": "artifact", "mime": "a/b", "uri": "new"}
    for operation, expected in (
        (update("root", addDecisions=["second"]), ["+> second\r"]),
        (update("root", decisions=[]), ["-> first\r"]),
        (update("root", addAttachments=[attachment]), ["+@artifact a/b new\r"]),
        (update("root", removeAttachments=["c "]), ["-@file a/b c \r"]),
        (dep("leaf", "ref"), ["+-> ref\r"]),
        (
            update("leaf", name="Leaf two"),
            ["-[leaf]\tLeaf\t(notstarted)\t@K()\r", "+[leaf]\tLeaf two\t(notstarted)\t@K()\r"],
        ),
        (
            update("ref", annotations={"b": ["1"], "a": []}),
            ["-ref   [ref] A ref (./r.vine) @sprite(s.svg)\r", "+ref   [ref] A ref (./r.vine) @a() @b(1)\r"],
        ),
        (
            {"op": "update_ref_uri", "id": "ref", "uri": "x"},
            ["-ref   [ref] A ref (./r.vine) @sprite(s.svg)\r", "+ref   [ref] A ref (x) @sprite(s.svg)\r"],
        ),
        (
            {"op": "set_meta", "title": "New"},
            ["-Title :  Odd one  \r", "-TITLE: The last counts\r", "+title: New\r"],
        ),
        ({"op": "set_meta", "prefix": "p"}, ["+prefix: p\r"]),
        (update("root", description="more text"), ["-Text with trailing blanks  \r", "----\r", "-\r"]),
    ):
        assert sorted(lines_of(plans, ODD, operation)) == sorted(expected), operation


def test_what_changes_nothing_writes_nothing(plans: Plans) -> None:
    path = plans.write("odd", ODD)
    os.utime(path, (1, 1))
    before = path.stat()
    root = json.loads(handle(plans).read("odd", "task", id="root").text)
    same = {key: root[key] for key in ("description", "decisions", "attachments")}
    for operation in (
        update("root"),
        update("root", name="Root ---", **same),
        status("leaf", "notstarted"),
        {"op": "set_meta", "title": "The last counts", "delimiter": "***"},
        {"op": "move_task", "id": "leaf"},
    ):
        handle(plans).write("odd", [operation])
        after = path.stat()
        assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns), operation
    assert plans.text("odd") == ODD


def test_a_file_keeps_its_version(plans: Plans) -> None:
    text = DEMO.replace("vine 1.2.0", "vine\t1.00.7")
    assert lines_of(plans, text, claim("root", force=True)) == [
        "-[root] Root Task (planning) @sprite(./r.svg) @tags(a, b,,c) @flag()",
        "+[root] Root Task (started) @sprite(./r.svg) @tags(a, b,,c) @flag()",
    ]


def test_an_expansion_leaves_all_other_blocks_alone(plans: Plans) -> None:
    plans.write("r", "vine 1.0.0\n---\n[top] Top (planning)\nBelow.\n-> x\n---\n[x] X (planning)\n")
    plans.write("odd", ODD)
    handle(plans).expand("odd", "ref")
    assert changed(ODD.encode(), plans.bytes("odd")) == [
        "-ref   [ref] A ref (./r.vine) @sprite(s.svg)\r",
        "+[ref] Top (planning) @sprite(s.svg)\r",
        "+Below.\r",
        "+-> ref/x\r",
        "+***\r",
        "+[ref/x] X (planning)\r",
    ]


def test_what_would_read_otherwise_is_not_written(plans: Plans) -> None:
    """No field is at fault: a carriage return at the end of a line would be taken for a part of its end."""
    plans.write("small", SMALL)
    with pytest.raises(ChantError, match=r'^The file was not written: "leaf" would read otherwise\.$'):
        handle(plans).write("small", [update("leaf", description="one\r\rtwo\r\n\nthree\r")])
    assert plans.text("small") == SMALL


def test_rights_and_links_stay(plans: Plans) -> None:
    path = plans.write("sub/plan", SMALL)
    path.chmod(0o640)
    link = plans.root / "link.vine"
    link.symlink_to("sub/plan.vine")
    handle(plans).write("link", [claim("mid")])
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert plans.text("sub/plan") == SMALL.replace("Mid (notstarted)", "Mid (started)")


# Laws

WORDS = ["a", "Root", "x y", "é☃", "(b)", "[c]", "---", "***", "-> a", "> b", "@file a b", "@k(v)", "", " "]
WORDS += ["ref [a] A (b)", "\t", "\r", "x\r", "a\r\nb", "\u2028", "\ufeff", "\u00a0", "a,b", ")"]
WORDS += ["(complete)", "a\nb", "a\n", "\n\n", "./a.vine"]

plain = st.sampled_from(["a", "x y (b)", "é☃ [c] > d", "two\n\nlines"])
text = plain | plain | st.sampled_from(WORDS) | st.text(max_size=5)
known = st.sampled_from(["root", "leaf", "ref", "mid"])
ids = known | known | st.sampled_from(["n", "m/o", "zz"])
fresh = st.sampled_from(["n", "m/o", "n-2", "zz"]) | ids
texts = st.lists(text, max_size=2)
attachments = st.lists(
    st.fixed_dictionaries(
        {
            "class": st.sampled_from(["file", "artifact", "guidance"]),
            "mime": st.just("a/b") | text,
            "uri": text,
        }
    ),
    max_size=2,
)
annotations = st.dictionaries(st.sampled_from(["k", "K", "owner", "sprite"]) | text, texts, max_size=2)
statuses = st.sampled_from(["complete", "started", "reviewing", "planning", "notstarted", "blocked"])
needs = st.lists(known, max_size=2)


def one(op: str, optional: Any = None, **needed: Any) -> st.SearchStrategy[list[Operation]]:
    return st.fixed_dictionaries({"op": st.just(op), **needed}, optional=optional).map(lambda made: [made])


def wired(made: list[Operation]) -> list[Operation]:
    """Add a node in a place where the root reaches it."""
    return [*made, dep("root", made[0]["id"])]


changes = one(
    "update",
    {
        "name": text,
        "description": text,
        "decisions": texts,
        "attachments": attachments,
        "annotations": annotations,
        "addDecisions": texts,
        "addAttachments": attachments,
    },
    id=known,
)
operations = st.one_of(
    changes,
    changes,
    one("set_status", id=known, status=statuses),
    one("claim", {"owner": text}, id=known, force=st.just(True)),
    one(
        "add_task",
        {"status": statuses, "description": text, "dependsOn": needs, "annotations": annotations},
        id=fresh,
        name=text,
    ).map(wired),
    one(
        "add_ref",
        {"description": text, "dependsOn": needs, "decisions": texts, "annotations": annotations},
        id=fresh,
        name=text,
        vine=st.just("./n.vine") | text,
    ).map(wired),
    one("remove_task", id=ids),
    one("add_dep", taskId=ids, depId=ids),
    one("remove_dep", taskId=ids, depId=ids),
    one("update_ref_uri", id=st.just("ref"), uri=text),
    one("rename_task", id=ids, newId=fresh),
    one("move_task", {"before": ids}, id=ids),
    one("set_meta", {"title": text, "prefix": st.just("p/q") | text, "delimiter": text}),
)
batches = st.lists(operations, min_size=1, max_size=3).map(
    lambda parts: [op for part in parts for op in part]
)

NAMED = SMALL.replace("[ext]", "[ref]").replace("-> ext", "-> ref")


def said(plans: Plans, file: str) -> tuple[list[dict[str, Any]], str | None]:
    """Give all nodes of a file and its prefix, as a handle reads them that never saw it before."""
    fresh = handle(plans)
    return fresh.read(file, "list").data["result"], fresh.read(file, "meta").data["prefix"]


@pytest.mark.requirement("vine:write:operations_are_atomic", "vine:write:round_trip_keeps_the_graph")
@LAW
@given(start=st.sampled_from([ODD, NAMED]), batch=batches)
def test_a_batch_is_refused_or_reads_back(plans: Plans, start: str, batch: list[Operation]) -> None:
    """The next reader of the file finds what the answer said; a refusal leaves every byte."""
    plans.write("law", start)
    before = tree(plans.root)
    told = handle(plans)
    try:
        preview = told.write("law", batch, dry_run=True).data
        assert tree(plans.root) == before
        answer = told.write("law", batch).data
    except ChantError:
        assert tree(plans.root) == before
        return
    assert {**preview, "summary": answer["summary"]} == {**answer, "diff": preview["diff"]}
    nodes, prefix = said(plans, "law")
    by_id = {node["id"]: node for node in nodes}
    for key in ("ready_to_start", "ready_to_complete", "blocked"):
        assert all(by_id[node["id"]] == node for node in answer[key])
    for node in answer.get("claimed", []):
        assert {**by_id[node["id"]], "resolved_dependencies": node["resolved_dependencies"]} == node
    assert told.read("law", "list").data["result"] == nodes
    prefixes = [operation["prefix"] for operation in batch if "prefix" in operation]
    assert prefix == (prefixes[-1] if prefixes else None)
    told.write("law", [{"op": "move_task", "id": nodes[-1]["id"]}])
    assert said(plans, "law")[0] == nodes


@pytest.mark.requirement("vine:write:create")
@LAW
@given(batch=batches)
def test_a_new_file_reads_back_as_it_was_meant(plans: Plans, batch: list[Operation]) -> None:
    plans.path("fresh").unlink(missing_ok=True)
    begin: list[Operation] = [{"op": "create"}, task("root", dependsOn=["mid", "ref"])]
    begin += [task("mid", dependsOn=["leaf"]), {"op": "add_ref", "id": "ref", "name": "R", "vine": "r"}]
    begin += [task("leaf")]
    try:
        answer = handle(plans).write("fresh", [*begin, *batch]).data
    except ChantError:
        assert tree(plans.root) == {}
        return
    nodes, _ = said(plans, "fresh")
    assert len(nodes) == answer["progress"]["total"]
    first = plans.bytes("fresh")
    handle(plans).write("fresh", [{"op": "move_task", "id": nodes[-1]["id"]}])
    assert plans.bytes("fresh") == first, "what is canonical stays as it is"
