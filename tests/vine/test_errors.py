"""Refusals in the words of the seed (seed vine, reference vine 8.4; 1.10 and 3 for files that are wrong)."""

from __future__ import annotations

import json
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness import Caller, text_of
from mcp_types import TextContent
from store.test_faults import is_bound_by_rights, without_privilege
from vine.planning import ONE_ERA, SMALL, Plans, claim, plan_of, refused, task, write
from writing import Wire, tree

Run = Callable[..., "subprocess.Popen[bytes]"]

TOOLS: dict[str, dict[str, Any]] = {
    "vine_read": {"action": "validate"},
    "vine_next": {},
    "vine_write": {"operations": [{"op": "update", "id": "root"}]},
    "vine_expand": {"ref_id": "ext", "child_file": "small"},
}
"""Arguments with which every tool has to read a file."""


async def told(call: Caller, file: str) -> str:
    """Have every tool refuse a file in the same words, as a result of the protocol."""
    words: set[str] = set()
    for tool, arguments in TOOLS.items():
        result = await call(tool, file=file, **arguments)
        assert result.is_error, tool
        assert [type(block) for block in result.content] == [TextContent]
        assert result.structured_content is None
        words.add(text_of(result))
    assert len(words) == 1, words
    return words.pop()


# Texts that are no plan


@pytest.mark.anyio
@pytest.mark.requirement("vine:errors:parse_error", "vine:errors:are_tool_errors")
async def test_every_tool_tells_a_parse_error_once(call: Caller, plans: Plans) -> None:
    plans.write("small", SMALL)
    plans.write("bad", "vine 1.2.0\n---\n[a] A (complete)\n---\n\n  [b_c] B (started)\n")
    before = plans.bytes("bad")
    assert await told(call, "bad") == (
        'Parse error (line 6): Invalid task header: "[b_c] B (started)"\nAt line 6, column 3.'
    )
    assert plans.bytes("bad") == before


@pytest.mark.anyio
@pytest.mark.requirement("vine:errors:parse_error")
@ONE_ERA
async def test_parse_errors_are_those_of_the_reference(call: Caller, plans: Plans) -> None:
    head = "vine 1.2.0\n---\n"
    for text, line, message in (
        ("", 1, "Empty input — missing magic line"),
        ("\n", 1, 'Invalid magic line: expected "vine <version>", got ""'),
        ("vine 1.2.0 \n---\n", 1, 'Invalid magic line: expected "vine <version>", got "vine 1.2.0 "'),
        ("VINE 1.2.0\n---\n", 1, 'Invalid magic line: expected "vine <version>", got "VINE 1.2.0"'),
        ("vine 2.0.0\n---\n", 1, "Unsupported version 2.0.0: this reads vine 1.x files"),
        (
            "vine 1.2.0\ntitle: x\n--- \n",
            3,
            'Missing preamble terminator "---" (line 3 has blanks around it)',
        ),
        (
            "vine 1.2.0\ndelimiter:\n---\n[a] A (complete)\n",
            2,
            "Invalid delimiter: expected the text of the line between blocks, got nothing",
        ),
        (head, 3, "Empty input — no task blocks found"),
        (head + "[a] A\n", 3, 'Invalid task header: "[a] A"'),
        (head + "ref [a] A (my file)\n", 3, 'Invalid reference header: "ref [a] A (my file)"'),
        (head + "ref [a] A (u)\nfoo\n@file a/b c\n", 5, "Attachments are not allowed on reference nodes"),
        (
            head + "[a] A (complete)\n@file a/b\n",
            4,
            'Invalid attachment: expected "@<class> <mime> <uri>", got "@file a/b"',
        ),
        (head + "[a] A (complete)\n---\n\n[a] B (complete)\n", 5, 'Duplicate task id "a"'),
    ):
        plans.write("bad", text)
        error = await call.error("vine_next", file="bad")
        first, second = error.split("\n")
        assert first == f"Parse error (line {line}): {message}"
        assert second.startswith(f"At line {line}, column ")


@pytest.mark.anyio
@pytest.mark.requirement("vine:errors:validation_error")
@ONE_ERA
async def test_validation_errors_name_all_that_is_wrong(call: Caller, plans: Plans) -> None:
    plans.write("small", SMALL)
    plans.write("bad", plan_of("r:planning>a,zz a:planning>a b:complete>c c:started>b d:blocked>r"))
    assert (await told(call, "bad")).split("\n") == [
        'Validation error [valid-dependency-refs]: Task "r" references unknown dependency "zz".',
        'Details: {"constraint":"valid-dependency-refs","taskId":"r","missingDep":"zz"}',
        "At line 5.",
        "Also [no-cycles]: Cycle detected: a → a. (line 8)",
        "Also [no-cycles]: Cycle detected: b → c → b. (line 11)",
        "Also [no-islands]: Found 3 island task(s) not reachable from root: b, c, d. (line 10)",
    ]


@pytest.mark.anyio
@pytest.mark.requirement("vine:errors:other_graph_errors")
@ONE_ERA
async def test_other_refusals_are_the_message_then_the_operation(call: Caller, plans: Plans) -> None:
    plans.write("small", SMALL)
    assert await call.error("vine_read", file="small", action="task", id="x") == "Task not found: x"
    error = await refused(call, "small", claim("mid"), task("mid"))
    assert error == 'Task "mid" already exists.\nOperation 1 (add_task); nothing was changed.'


# Files that cannot be used


@pytest.mark.anyio
@pytest.mark.requirement("vine:errors:missing_file", "vine:paths:falls_back_to_the_working_folder")
async def test_a_file_that_is_not_there_is_named_with_where_it_was_looked_for(
    call: Caller, plans: Plans
) -> None:
    root = plans.root
    assert await told(call, "nope") == f"File not found: nope (resolved to {root}/nope){MADE}"
    assert (
        await told(call, "a/nope.vine")
        == f"File not found: a/nope.vine (resolved to {root}/a/nope.vine){MADE}"
    )
    assert await told(call, f"{root}/nope.vine") == f"File not found: {root}/nope.vine{MADE}"
    assert await told(call, "~/nope") == f"File not found: ~/nope (resolved to {root}/~/nope){MADE}"
    assert await told(call, "") == f"File not found:  (resolved to {root}/)\n{FOLDER}"


MADE = "\nvine_write with a `create` operation makes it."
FOLDER = "That is a folder; name a .vine file in it."


@pytest.mark.anyio
@pytest.mark.requirement("vine:errors:missing_file")
async def test_a_folder_in_place_of_a_file_is_said_to_be_one(call: Caller, plans: Plans) -> None:
    (plans.root / "parts.vine").mkdir()
    (plans.root / "plan").mkdir()
    for name in ("parts.vine", "plan"):
        path = plans.root / name
        assert await told(call, name) == f"File not found: {name} (resolved to {path})\n{FOLDER}"
    plans.write("plan", SMALL)
    assert await call.text("vine_read", file="plan", action="validate") == "Valid — 4 task(s)."
    error = await refused(call, "parts", {"op": "create"}, task("r"))
    assert error == f"File already exists: {plans.root / 'parts.vine'}"


@pytest.mark.anyio
async def test_bytes_that_are_no_utf8_are_refused_and_stay(call: Caller, plans: Plans) -> None:
    data = b"vine 1.2.0\n---\n[root] Caf\xe9 (planning)\n"
    plans.write("latin", data)
    for tool, arguments in TOOLS.items():
        error = await call.error(tool, file="latin", **arguments)
        assert "latin" in error
        assert error.endswith("cannot be read: it is not UTF-8 text (first at byte 25); save it as UTF-8")
    assert plans.bytes("latin") == data
    plans.write("wide", "vine 1.2.0".encode("utf-16"))
    assert "not UTF-8 text (first at byte 0)" in await call.error("vine_next", file="wide")


@pytest.mark.requirement("vine:errors:no_permission", "vine:errors:are_tool_errors")
def test_what_rights_forbid_is_told_in_the_words_of_the_seed(
    plans: Plans, run_server: Run, tmp_path: Path
) -> None:
    """In a server without the privileges of root."""
    if not is_bound_by_rights(tmp_path):
        pytest.skip("this process reads and writes what rights forbid (root whose rights cannot be dropped)")
    secret, shut = plans.write("secret", SMALL), plans.root / "shut"
    plans.write("shut/plan", SMALL)
    plans.write("small", SMALL)
    secret.chmod(0)
    shut.chmod(0o555)
    before = tree(plans.root)
    wire = Wire(run_server(plans.root, preexec_fn=without_privilege))
    create = [{"op": "create"}, task("r")]
    started = [claim("mid")]
    try:
        for name in ("secret", "secret.vine"):
            expected = f"Permission denied: {name} (resolved to {secret})"
            assert wire.error("vine_read", file=name, action="validate") == expected
            assert wire.error("vine_next", file=name) == expected
            assert wire.error("vine_write", file=name, operations=started) == expected
            assert wire.error("vine_expand", file=name, ref_id="ext", child_file="small") == expected
        assert wire.error("vine_next", file=str(secret)) == f"Permission denied: {secret}"
        child = wire.error("vine_expand", file="small", ref_id="ext", child_file="secret")
        assert child == f"In secret: Permission denied: secret (resolved to {secret})"
        assert wire.text("vine_read", file="shut/plan", action="validate") == "Valid — 4 task(s)."
        path = shut / "plan.vine"
        denied = f"Permission denied: shut/plan (resolved to {path})"
        assert wire.error("vine_write", file="shut/plan", operations=started) == denied
        denied = f"Permission denied: shut/new (resolved to {shut / 'new.vine'})"
        assert wire.error("vine_write", file="shut/new", operations=create) == denied
        assert tree(plans.root) == before
    finally:
        secret.chmod(0o644)
        shut.chmod(0o755)


@pytest.mark.anyio
@pytest.mark.requirement("vine:errors:no_permission")
async def test_a_file_that_is_read_only_stays(call: Caller, plans: Plans) -> None:
    """Also for root: who takes the write right away means it."""
    path = plans.write("small", SMALL)
    path.chmod(0o444)
    error = await refused(call, "small", claim("mid"))
    assert error == f"Permission denied: small (resolved to {path})"
    assert plans.text("small") == SMALL
    assert stat.S_IMODE(path.stat().st_mode) == 0o444
    assert (await write(call, "small", claim("mid"), dry_run=True))["claimed"]


@pytest.mark.anyio
@ONE_ERA
async def test_a_newer_minor_version_is_read_and_not_written(call: Caller, plans: Plans) -> None:
    text = SMALL.replace("vine 1.2.0", "vine 1.7.3")
    plans.write("newer", text)
    assert (await call.data("vine_read", file="newer", action="meta"))["version"] == "1.7.3"
    assert (await call.data("vine_next", file="newer"))["progress"]["total"] == 4
    error = await refused(call, "newer", claim("mid"))
    assert error == (
        "The file was not written: it is of version 1.7.3, newer than what is written here (1.0, 1.1 and "
        "1.2)."
    )
    plans.write("ext", plan_of("t:planning"))
    assert (await call.error("vine_expand", file="newer", ref_id="ext")).startswith(
        "The file was not written: "
    )
    assert plans.text("newer") == text


@pytest.mark.requirement("vine:server:speaks_json_rpc_on_stdio", "vine:errors:are_tool_errors")
def test_refusals_over_the_pipe_are_results(plans: Plans, run_server: Run) -> None:
    plans.write("small", SMALL)
    wire = Wire(run_server(plans.root))
    assert json.loads(wire.text("vine_next", file="small"))["progress"]["total"] == 4
    assert (
        wire.error("vine_next", file="nope") == f"File not found: nope (resolved to {plans.root}/nope){MADE}"
    )
    assert wire.error("vine_next") == "Missing required parameter: file"
    assert wire.error("vine_writes", file="small").startswith(
        "Unknown tool: vine_writes\nDid you mean vine_write?"
    )
    assert [path.name for path in plans.root.iterdir()] == ["small.vine"]
