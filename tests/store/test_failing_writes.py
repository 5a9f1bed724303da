"""Every write of every tool fails once, then all of them do: nothing is lost, half done, or not reported.

A server runs with bench/torture/trouble.c loaded, where programs meet the C library: our own code, libgit2
and the git program see the same failing disk.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from api.projects import fill
from chant_mcp import ChantProject
from harness import Project
from work.troubled import is_told, trouble_for
from writing import ID, OTHER, Wire, git, tree

Run = Callable[..., subprocess.Popen[bytes]]

PLAN = """\
vine 1.2.0
---
[root] Root (planning)
-> mid
---
[mid] Mid (notstarted)
-> leaf
---
[leaf] Leaf (complete)
"""

TICKET = """\
---
code: MDT-001
title: One
status: Proposed
type: Bug Fix
priority: High
---

# One

## Log

first
"""


@dataclass(frozen=True)
class Deed:
    """A call that changes files."""

    tool: str
    arguments: dict[str, Any]
    names: str
    """What its errors name, as a pattern."""


DEEDS = {
    "update": Deed("chant_spec_update", {"id": ID, "output": "What came of it"}, ID),
    "add": Deed("chant_add", {"description": "Something new"}, r"\.chant/specs"),
    "cancel": Deed("chant_cancel", {"id": ID}, ID),
    "finalize with the driver": Deed("chant_finalize", {"id": f"{ID}.1"}, f"{ID}|chant-mcp"),
    "archive a driver": Deed("chant_archive", {"id": OTHER}, f"{OTHER}|archive|chant-mcp"),
    "vine status": Deed(
        "vine_write",
        {"file": "plan", "operations": [{"op": "set_status", "id": "mid", "status": "started"}]},
        "plan",
    ),
    "vine extraction": Deed(
        "vine_write",
        {
            "file": "plan",
            "operations": [
                {"op": "claim", "id": "mid"},
                {"op": "extract_to_ref", "id": "mid", "vine": "./mid.vine"},
            ],
        },
        "plan|mid|chant-mcp",
    ),
    "ticket section": Deed(
        "manage_cr_sections",
        {"key": 1, "operation": "append", "section": "Log", "content": "second"},
        "MDT-001|docs",
    ),
    "ticket": Deed("create_cr", {"type": "Bug Fix", "data": {"title": "Two"}}, "MDT-002|mdt-next|docs"),
}


@pytest.fixture
def filled(project: Project) -> Path:
    """A project that has something of everything, in git."""
    project.spec(ID, type="driver", status="in_progress")
    project.spec(f"{ID}.1", status="in_progress")
    for name in (OTHER, f"{OTHER}.1", f"{OTHER}.2"):
        project.spec(name, status="completed", **({"type": "driver"} if name == OTHER else {}))
    root = project.root
    (root / "plan.vine").write_text(PLAN, encoding="utf-8")
    (root / ".mdt-config.toml").write_text(
        '[project]\nname = "Ferry"\ncode = "MDT"\npath = "docs"\n', encoding="utf-8"
    )
    (root / "docs").mkdir()
    (root / "docs" / "MDT-001-one.md").write_text(TICKET, encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "Begin")
    return root


def restore(root: Path, before: dict[str, bytes]) -> None:
    """Put every file back as it was."""
    for name, data in tree(root).items():
        if before.get(name) != data:
            (root / name).unlink()
    for name, data in before.items():
        if not (root / name).exists():
            (root / name).write_bytes(data)


def like(files: dict[str, bytes]) -> dict[str, bytes]:
    """Leave out what differs from one time to another: moments, and names and numbers made up."""
    return {
        re.sub(r"\d{4}-\d\d-\d\d-\d{3}-\w{3}(?=\.md)", "new", name)
        if ID not in name and OTHER not in name
        else name: re.sub(rb"\d{4}-\d\d-\d\dT[\d:.]+Z", b"now", data)
        for name, data in files.items()
    }


@pytest.mark.parametrize("name", DEEDS)
def test_whichever_write_fails_all_or_nothing_is_done_and_the_next_try_succeeds(
    name: str, filled: Path, tmp_path: Path, run_server: Run
) -> None:
    deed = DEEDS[name]
    trouble = trouble_for(tmp_path / "trouble", filled)
    wire = Wire(run_server(filled, "--toolsets", "all", env={**os.environ, **trouble.environment}))
    before = tree(filled)
    wire.text(deed.tool, **deed.arguments)
    after = like(tree(filled))
    assert after != like(before)
    for last in (0, 1 << 62):
        told = 0
        for number in range(1, 200):
            restore(filled, before)
            trouble.fail(number, last or number)
            is_error, words = wire.call(deed.tool, **deed.arguments)
            failed = trouble.failed
            trouble.heal()
            if not failed:
                assert not is_error
                break
            at = f"write {number} and on to {last}: {words}"
            if is_error:
                told += 1
                assert is_told(words), at
                assert re.search(deed.names, words), at
                assert like(tree(filled)) == like(before), at
                if told % 4 == 0:
                    # What was refused is not made by the next one to open the project, either.
                    ChantProject(filled)
                    assert like(tree(filled)) == like(before), at
            elif is_told(words):
                # Done, and a warning says what else was not.
                assert like(tree(filled)).items() <= after.items(), at
            else:
                assert like(tree(filled)) == after, at
            restore(filled, before)
            wire.text(deed.tool, **deed.arguments)
            assert like(tree(filled)) == after, at
        else:
            raise AssertionError("it never comes to an end")
        assert told >= 3, "an error was told for the file, its flush, and that of its folder"
        assert list(filled.rglob("*.tmp")) == []
        git_folder = filled / ".git" / "chant-mcp" / "journal"
        assert not git_folder.exists() or list(git_folder.iterdir()) == []
        assert json.loads(wire.text("chant_spec_list"))["total"] >= 2, "the server goes on"


@pytest.mark.parametrize("lacks", ["locks,folder-flushes,links,kinds-of-renames", "reading-locks"])
def test_every_change_is_made_where_a_file_system_lacks_locks_flushes_and_links(
    lacks: str, filled: Path, tmp_path: Path, run_server: Run
) -> None:
    trouble = trouble_for(tmp_path / "trouble", filled, lacks)
    environment = {**os.environ, **trouble.environment}
    servers = [run_server(filled, "--toolsets", "all", env=environment) for _ in range(2)]
    wires = [Wire(server) for server in servers]
    before = tree(filled)
    for name in DEEDS if "links" in lacks else ["ticket", "vine extraction"]:
        wires[0].text(DEEDS[name].tool, **DEEDS[name].arguments)
        assert like(tree(filled)) != like(before), name
        restore(filled, before)

    def append(number: int) -> None:
        for step in range(3):
            wires[number].text("chant_spec_update", id=ID, output=f"said {number} {step}")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(append, range(2)))
    text = (filled / ".chant" / "specs" / f"{ID}.md").read_text(encoding="utf-8")
    assert [text.count(f"said {number} {step}") for number in range(2) for step in range(3)] == [1] * 6
    status = wires[0].text("chant_status", brief=False)
    # Folders cannot be opened for writing: their locks lie elsewhere in both cases.
    assert "has no locks" in status or "no locks (files of ours" in status
    assert ("no flushes of folders" in status) == ("folder-flushes" in lacks)
    assert ("no renaming without replacing" in status) == ("kinds-of-renames" in lacks)


TRANSACTIONS = """\
import sys, chant_mcp
from chant_mcp.errors import ChantError
for _ in sys.stdin:
    try:
        ws = chant_mcp.open(sys.argv[1])
        with ws.transaction():
            ws.spec("aaa").check("Tests added")
            ws.spec("bbb").update(labels=["mine"])
            ws.ticket("DEM-7").update(assignee="ada")
            ws.vine("plan").set({"log": "started"})
            ws.feature("060-login").complete("T001")
        print("made", flush=True)
    except ChantError as error:
        print("refused:", str(error).replace(chr(10), " "), flush=True)
"""


@pytest.mark.parametrize("lasts", [False, True], ids=["once", "for good"])
def test_a_transaction_that_was_refused_at_any_write_is_never_made(
    project: Project, tmp_path: Path, lasts: bool
) -> None:
    """Documents of all four dialects in one transaction; the next one opens them again and would go on."""
    fill(project).repository()
    root = project.root
    trouble = trouble_for(tmp_path / "trouble", root)
    environment = {**os.environ, **trouble.environment}
    command = [sys.executable, "-c", TRANSACTIONS, str(root)]
    before = tree(root)
    refused = 0
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        for number in range(1, 200, 2 if lasts else 3):
            trouble.fail(number, 1 << 62 if lasts else number)
            writer.stdin.write("\n")
            writer.stdin.flush()
            told = writer.stdout.readline().strip()
            failed = trouble.failed
            trouble.heal()
            at = f"write {number}: {told}"
            if told == "made":
                assert len([name for name, text in before.items() if tree(root)[name] != text]) == 5, at
                restore(root, before)
                if not failed:
                    break
                continue
            assert is_told(told), at
            refused += 1
            assert tree(root) == before, at
        else:
            raise AssertionError("it never comes to an end")
        writer.stdin.close()
    assert refused >= 5
