"""Whatever programs a repository's configuration names: who only reads runs none of them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from cli.kit import Cli
from harness import Caller, Project

pytestmark = pytest.mark.anyio

FIRST = "2026-01-22-001-x7m"
SECOND = "2026-01-22-002-k3f"

PROGRAMS = [
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.alternateRefsCommand",
    "core.gitProxy",
    "credential.helper",
    "diff.external",
    "diff.trap.command",
    "diff.trap.textconv",
    "filter.trap.clean",
    "filter.trap.smudge",
    "filter.trap.process",
    "gpg.program",
    "gpg.ssh.program",
    "merge.trap.driver",
    "pager.log",
    "pager.show",
    "pager.status",
    "remote.origin.uploadpack",
    "remote.origin.vcs",
    "uploadpack.packObjectsHook",
    "sequence.editor",
]
"""The keys of git's configuration that name programs."""

TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("chant_spec_list", {}),
    ("chant_spec_get", {"id": FIRST}),
    ("chant_ready", {}),
    ("chant_status", {"include_activity": True}),
    ("chant_log", {"id": FIRST}),
    ("chant_search", {"query": "Spec"}),
    ("chant_diagnose", {"id": FIRST}),
    ("chant_diagnose", {"id": SECOND}),
    ("chant_lint", {}),
    ("chant_verify", {"id": FIRST}),
    ("chant_work_list", {"include_completed": True}),
    ("chant_watch_status", {}),
    ("list_projects", {}),
    ("get_project_info", {"key": "MDT"}),
    ("list_crs", {"project": "MDT"}),
    ("rstn_get_context", {}),
    ("rstn_read_spec", {"artifact": "spec"}),
    ("vine_read", {"file": "plan.vine"}),
    ("vine_next", {"file": "plan.vine"}),
    ("chant_spec_update", {"id": SECOND, "output": "Text"}),
]
"""The tools that read, and one that edits a document."""

COMMANDS = [
    ["list"],
    ["ready"],
    ["show", f"spec:{FIRST}"],
    ["chant", "status", "--activity"],
    ["search", "Spec"],
    ["lint"],
    ["verify", FIRST],
    ["diagnose", FIRST],
    ["diagnose", SECOND],
    ["graph"],
    ["export"],
    ["runs", "--all"],
    ["worktree", "list"],
    ["doctor"],
    ["speckit", "context"],
    ["speckit", "tasks"],
    ["tickets", "list"],
]


@pytest.fixture
def trace(project: Project, tmp_path: Path) -> Path:
    """Arm a repository; give the file that every program it names would write into."""
    root, trace, trap = project.root, tmp_path / "trace", tmp_path / "trap"
    trap.write_text(f'#!/bin/sh\necho "$0 $*" >> {trace}\nexit 1\n')
    trap.chmod(0o755)
    project.spec(FIRST)
    project.spec(SECOND, status="in_progress", branch=f"chant/{SECOND}")
    project.log(FIRST, "2026-01-22T10:00:00.000Z out Done\n")
    (root / "plan.vine").write_text("vine 1.0.0\n---\n[a] A (notstarted)\n")
    (root / ".mdt-config.toml").write_text('[project]\ncode = "MDT"\nname = "M"\n')
    (root / "specs" / "001-a").mkdir(parents=True)
    (root / "specs" / "001-a" / "spec.md").write_text("# A\n")
    (root / "specs" / "001-a" / "tasks.md").write_text("# Tasks\n\n- [ ] T001 A\n")
    (root / ".gitattributes").write_text("* diff=trap filter=trap merge=trap\n")
    project.repository()
    project.git("commit", "-q", "--allow-empty", "-m", f"chant({FIRST}): work")
    project.git("worktree", "add", "-q", "-b", f"chant/{SECOND}", str(tmp_path / "tree"))
    hooks = root / "hooks"
    hooks.mkdir()
    for hook in (
        "post-index-change",
        "post-checkout",
        "reference-transaction",
        "pre-commit",
        "fsmonitor-watchman",
    ):
        (hooks / hook).write_bytes(trap.read_bytes())
        (hooks / hook).chmod(0o755)
    for key in PROGRAMS:
        project.git("config", key, str(trap))
    for key, value in {
        "core.hooksPath": "hooks",
        "log.showSignature": "true",
        "alias.log": f"!{trap}",
        "remote.origin.url": f"ext::{trap}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
    }.items():
        project.git("config", key, value)
    # A comparison of these with what was committed has to run the filter.
    (tmp_path / "tree" / "plan.vine").write_text("vine 1.0.0\n---\n[b] A (notstarted)\n")
    (root / "plan.vine").touch()
    return trace


@pytest.mark.parametrize("call", ["modern"], indirect=True)
async def test_no_tool_that_reads_runs_what_a_repository_names(call: Caller, trace: Path) -> None:
    for tool, arguments in TOOLS:
        result = await call(tool, **arguments)
        assert result.content
        assert not trace.exists(), (tool, trace.read_text())
    subprocess.run(["git", "status"], cwd=call.project.root, capture_output=True, check=False)
    assert trace.exists(), "the trap was not set"


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
async def test_no_command_that_reads_runs_what_a_repository_names(
    project: Project, trace: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(project.root)
    Cli(project).run(*words)
    assert not trace.exists(), trace.read_text()
