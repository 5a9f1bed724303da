"""Runs on items of other formats: from the command to the landed commit."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.kit import Cli
from harness import Project, user_config
from plans.projects import PROJECTS
from writing import git

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")


class Plans(Cli):
    """The command line in a repository with plans of one format and nothing else."""

    @property
    def root(self) -> Path:
        """The top of the repository."""
        return self.project.root

    def begin(self, files: dict[str, str]) -> Plans:
        """Write and commit documents; the user's own configuration names the demo agent."""
        for name, text in files.items():
            self.write(name, text)
        settings = user_config()
        text = settings.read_text("utf-8")
        settings.write_text(text.replace("---\n", "---\ndefaults:\n  provider: demo\n", 1), "utf-8")
        git(self.root, "init", "-q", "-b", "main")
        return self.commit()

    def agent(self, script: str) -> None:
        """Have a script in place of the demo agent."""
        program = Path(os.environ["HOME"]).parent / "agent.sh"
        program.write_text(f"#!/bin/sh\nset -e\n{script}\n", "utf-8")
        program.chmod(0o755)
        settings = user_config()
        line = f"agents:\n  scripted: {{command: [{program}]}}\n"
        text = settings.read_text("utf-8").replace("provider: demo", "provider: scripted")
        settings.write_text(text.replace("---\n", f"---\n{line}", 1), "utf-8")

    def write(self, name: str, text: str) -> None:
        """Write a file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    def read(self, name: str) -> str:
        """Read a file of the checkout."""
        return (self.root / name).read_text("utf-8")

    def commit(self) -> Plans:
        """Commit everything."""
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "-m", "Plans")
        return self

    def landed(self, name: str) -> str:
        """Read a file as the main branch has it."""
        return git(self.root, "show", f"main:{name}")

    def end(self, key: str) -> Any:
        """Give the newest run of an item."""
        runs = self.json("runs", "--all")["processes"]
        return max((run for run in runs if run["spec_id"] == key), key=lambda run: run["started_at"])


@pytest.fixture
def plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plans:
    """An empty folder, in which commands are typed."""
    root = tmp_path / "ferry"
    root.mkdir()
    monkeypatch.chdir(root)
    return Plans(Project(root))


LIST = "openspec/changes/add-login/tasks.md"
KIRO = ".kiro/specs/user-auth/tasks.md"
BACKLOG = "backlog/tasks/task-1 - Draw-the-form.md"


def _ticked(*lines: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        for line in lines:
            assert f"[ ] {line}" in text
            text = text.replace(f"[ ] {line}", f"[x] {line}")
        return text

    return change


def _done(text: str) -> str:
    text = _ticked("#1 It has", "#2 It has")(text)
    return text.replace("status: To Do", "status: Done")


KINDS: dict[str, tuple[str, str, str, Callable[[str], str]]] = {
    "task of a change": ("openspec", "openspec:add-login#1.1", LIST, _ticked("1.1 Draw")),
    "change": ("openspec", "openspec:add-login", LIST, _ticked("1.1 Draw", "2.1 Keep")),
    "leaf": ("kiro", "kiro:user-auth#2", KIRO, _ticked("2. Keep")),
    "last leaf of a holder": ("kiro", "kiro:user-auth#1.1", KIRO, _ticked("1. Build", "1.1 Draw")),
    "parent": ("kiro", "kiro:user-auth#1", KIRO, _ticked("1. Build", "1.1 Draw")),
    "task in a file": ("backlog", "backlog:TASK-1", BACKLOG, _done),
}


@pytest.mark.requirement("work:items:land_with_their_marks", "work:items:need_no_chant_folder")
@pytest.mark.parametrize("kind", KINDS)
def test_an_item_is_worked_on_from_its_key_to_a_landed_commit(plans: Plans, kind: str) -> None:
    word, key, document, change = KINDS[kind]
    plans.begin(PROJECTS[word])
    before = plans.read(document)
    plans("work", key, "--wait")
    after = plans.landed(document)
    stamps = [line for line in after.splitlines(keepends=True) if line.startswith("updated_date:")]
    assert after.replace("".join(stamps), "") == change(before)
    assert plans.read(document) == after
    changed = git(plans.root, "diff", "--name-only", "HEAD~1", "--", ".").splitlines()
    assert sorted(name for name in changed if not name.startswith("demo/")) == [document]
    assert any(name.startswith("demo/") for name in changed)
    assert not (plans.root / ".chant").exists()
    assert git(plans.root, "status", "--short") == ""
    assert git(plans.root, "branch", "--format=%(refname:short)").split() == ["main"]
    assert plans.json("receipt", "verify", key)["holds"]
    assert plans.end(key)["end_state"] == "completed"
