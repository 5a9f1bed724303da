"""Several servers and a crash on plans: no tick is lost, no number comes twice, transactions are whole."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import chant_mcp
import pytest
from harness import Project
from plans.projects import make, plan_item
from writing import Wire, leftovers

Run = Callable[..., "subprocess.Popen[bytes]"]

WRITERS = 3
TASKS = 24

EDITS = """
import resource, sys, chant_mcp
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
ws = chant_mcp.open(sys.argv[1])
with ws.transaction():
    ws.spec("aaa").check("It works")
    ws["kiro:user-auth#1.1"].tick()
    ws["openspec:add-login#1.1"].tick()
    ws["backlog:TASK-1"].set_status("In Progress")
"""


def at_once(root: Path, run_server: Run, act: Callable[[int, Wire], list[str]]) -> list[str]:
    """Let several servers write at once; give what all of them say."""
    wires = [Wire(run_server(root, "--toolsets", "items")) for _ in range(WRITERS)]
    with ThreadPoolExecutor(WRITERS) as pool:
        return [said for of_one in pool.map(act, range(WRITERS), wires) for said in of_one]


def answers(wire: Wire, requests: list[int]) -> list[str]:
    """Give the answers, none of which may be a refusal."""
    given = [wire.answer(request) for request in requests]
    assert not any(is_error for is_error, _ in given), given
    return [text for _, text in given]


@pytest.mark.parametrize("word", ["kiro", "openspec"])
def test_ticks_of_several_servers_in_one_list_are_all_there(
    tmp_path: Path, run_server: Run, word: str
) -> None:
    make(word, tmp_path)
    file = {"kiro": ".kiro/specs/user-auth/tasks.md", "openspec": "openspec/changes/add-login/tasks.md"}[word]
    unit = {"kiro": "user-auth", "openspec": "add-login"}[word]
    path = tmp_path / file
    lines = [f"- [ ] 1.{number} Task {number}" for number in range(1, TASKS + 1)]
    before = "\r\n".join(["# Tasks", "", "## 1. All", "", *lines, "", "Kept  as it is"])
    path.write_bytes(before.encode())

    def tick(number: int, wire: Wire) -> list[str]:
        ids = [f"{word}:{unit}#1.{task}" for task in range(1, TASKS + 1) if task % WRITERS == number]
        return answers(wire, [wire.send("item_update", id=id, tick=["self"]) for id in ids])

    assert len(at_once(tmp_path, run_server, tick)) == TASKS
    assert path.read_bytes().decode() == before.replace("[ ]", "[x]")
    assert leftovers(tmp_path) == []


def test_new_tasks_of_several_servers_have_numbers_of_their_own(tmp_path: Path, run_server: Run) -> None:
    make("backlog", tmp_path)

    def add(number: int, wire: Wire) -> list[str]:
        titles = [f"Task {turn} of {number}" for turn in range(8)]
        return answers(wire, [wire.send("item_add", title=title, parent="backlog") for title in titles])

    said = at_once(tmp_path, run_server, add)
    keys = [json.loads(text)["item"]["key"] for text in said]
    assert len(set(keys)) == len(keys) == WRITERS * 8
    names = [path.name for path in (tmp_path / "backlog" / "tasks").iterdir()]
    numbers = [int(found[1]) for name in names if (found := re.match(r"task-(\d+) - ", name))]
    assert sorted(numbers) == list(range(1, WRITERS * 8 + 3))
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize(
    ("moment", "is_made"),
    [("journal-staged", False), ("journal-intent", False), ("journal-step", False), ("journal-done", True)],
)
def test_a_crash_leaves_all_edits_of_four_formats_or_none(
    project: Project, moment: str, is_made: bool
) -> None:
    for word in ("kiro", "openspec", "backlog"):
        make(word, project.root)
    project.spec("2026-01-22-001-aaa", body="# First\n\n## Acceptance Criteria\n\n- [ ] It works")
    environment = {**os.environ, "CHANT_STOP_AT": moment}
    done = subprocess.run([sys.executable, "-c", EDITS, project.root], env=environment, check=False)
    assert done.returncode == -signal.SIGABRT
    ws = chant_mcp.open(project.root)
    assert ws.spec("aaa").criteria[0].checked == is_made
    assert plan_item(ws, "kiro:user-auth#1.1").is_done == is_made
    assert plan_item(ws, "openspec:add-login#1.1").is_done == is_made
    assert (plan_item(ws, "backlog:TASK-1").status == "In Progress") == is_made
    assert leftovers(project.root) == []
