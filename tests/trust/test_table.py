"""The table of files that act: its page in the guide, and what agents look for at their start."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from agents_live.traces import DECOYS, looked_for, unknown
from chant_mcp._core import acting_kind, acting_places
from trust.acting_names import ACTS, HARMLESS, INSTRUCTS, planted

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "trust.md"
BEGIN, END = "<!-- places:begin -->\n", "<!-- places:end -->"


def _table() -> str:
    rows: dict[str, dict[str, list[str]]] = {}
    for readers, kind, places in acting_places():
        rows.setdefault(readers, {"acts": [], "instructs": [], "nothing": []})[kind] += places
    lines = ["| Read by | Acts | Agents obey |", "|---|---|---|"]
    for readers, by_kind in rows.items():
        cells = [", ".join(f"`{place}`" for place in sorted(by_kind[kind])) for kind in ("acts", "instructs")]
        if any(cells):
            lines.append(f"| {readers} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines) + "\n"


def test_the_guide_has_the_table_of_the_core() -> None:
    text = GUIDE.read_text("utf-8")
    head, rest = text.split(BEGIN)
    shown, tail = rest.split(END)
    if os.environ.get("UPDATE_SNAPS"):
        GUIDE.write_text(f"{head}{BEGIN}{_table()}{END}{tail}", "utf-8")
        return
    assert shown == _table(), "UPDATE_SNAPS=1 pytest tests/trust/test_table.py writes it"


def test_kinds_of_names_in_any_folder_and_case() -> None:
    assert {acting_kind(name) for name in planted(ACTS)} == {"acts"}
    assert {acting_kind(name) for name in planted(INSTRUCTS)} == {"instructs"}
    assert {acting_kind(name) for name in planted(HARMLESS)} <= {None, "nothing"}


_TRACE = """\
100 execve("/home/ada/.venv/bin/python", ["python", "-m", "chant_mcp"], 0x7f /* 11 vars */) = 0
100 openat(AT_FDCWD</home/ada/ferry>, "/home/ada/worktrees/f-1/s-1/.ours.json", O_RDONLY) = 3
100 clone3({flags=CLONE_VM} => {parent_tid=[0]}, 88) = 200
200 openat(AT_FDCWD</home/ada/worktrees/f-1/s-1>, ".before.json", O_RDONLY) = -1 ENOENT (No such file)
200 execve("/opt/agents/node_modules/.bin/claude", ["claude", "--print"], 0x7f /* 36 vars */) = 0
200 statx(AT_FDCWD</home/ada/worktrees/f-1/s-1>, "CLAUDE.md", AT_STATX_SYNC_AS_STAT, STATX_ALL, 0x7f) = 0
200 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID <unfinished ...>
201 openat(AT_FDCWD</home/ada>, "/home/ada/worktrees/f-1/s-1/.claude/settings.json", O_RDONLY <unfinished ...>
200 <... clone resumed>, child_tidptr=0x7f) = 201
201 <... openat resumed>) = -1 ENOENT (No such file or directory)
201 openat(17</home/ada/worktrees/f-1/s-1/.github>, "hooks", O_RDONLY|O_DIRECTORY) = 18
201 access("/home/ada/worktrees/f-1/s-1.mcp.json", R_OK) = 0
201 access("/home/ada/worktrees/f-1/s-1/src/main.py", R_OK) = 0
201 execve("/home/ada/worktrees/f-1/s-1/.newagent/start", ["start"], 0x7f /* 36 vars */) = -1 ENOENT (x)
202 openat(AT_FDCWD</home/ada/worktrees/f-1/s-1>, ".other", O_RDONLY) = 3
201 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID) = 203
203 execve("/usr/bin/git", ["git", "add", "-A"], 0x7f /* 36 vars */) = 0
203 openat(AT_FDCWD</home/ada/worktrees/f-1/s-1>, ".by-git", O_RDONLY) = 3
201 clone(child_stack=NULL, flags=CLONE_VM) = 7 /* 204 in strace's PID NS */
204 access("/home/ada/worktrees/f-1/s-1/.thread.json", R_OK) = 0
201 readlink("/home/ada/worktrees/f-1/s-1/new.config.json", 0x7f, 1023) = -1 ENOENT (No such file)
"""
"""What `strace` writes of a run, shortened: our program, the agent 200, its child 201, git, and a thread
with another number in the run's namespace.
"""


def test_a_file_that_the_table_does_not_know_is_found_in_a_trace() -> None:
    found = looked_for(_TRACE, "/opt/agents", "/worktrees/[^/]+/s-1")
    assert found == {
        "CLAUDE.md", ".claude/settings.json", ".github/hooks", "src/main.py", ".newagent/start",
        "new.config.json", ".thread.json",
    }  # fmt: skip
    assert unknown(found) == [".newagent/start", ".thread.json", "new.config.json"]


@pytest.mark.parametrize("agent", ["claude", "codex", "copilot", "opencode", "qwen", "gemini", "cline", "pi"])
def test_what_published_agents_looked_for_is_in_the_table(agent: str) -> None:
    recorded = Path(__file__).parents[1] / "agents_live" / "recorded" / f"{agent}.txt"
    paths = recorded.read_text("utf-8").splitlines()
    assert paths
    assert unknown(paths) == []
    assert not re.search(r"/(home|root|var|work|tmp)/", "\n".join(paths))


def test_every_decoy_of_the_trial_is_of_the_table() -> None:
    assert [name for name in DECOYS if acting_kind(name) is None] == []
