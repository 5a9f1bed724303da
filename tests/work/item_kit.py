"""Repositories with plans of one format, and agents that work on their items."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from cli.kit import Cli
from harness import user_config
from work.kit import wait_for
from writing import git

WORK = (
    'mkdir -p src && echo "$CHANT_SPEC_ID" >> "src/$CHANT_SPEC_ID.py" && git add src\n'
    'sed -i "s/- \\[ \\]/- [x]/" "$CHANT_SPEC_FILE"\n'
)
"""What an honest agent does."""
COMMIT = 'git add -A && git commit -qm "Work"\n'


_GRAPH = (
    "vine 1.1.0\ntitle: Ferry\n---\n[root] Ferry (notstarted)\n-> form\n---\n"
    "[form] Draw the form (notstarted)\nTwo fields.\n"
)
_FEATURE = (
    "# Tasks: Log in\n\n## Phase 1: Form\n\n- [ ] T001 [US1] Draw the form in src/form.py\n"
    "- [ ] T002 Keep the session\n"
)
_TICKET = (
    "---\ncode: FER-001\ntitle: Draw the form\nstatus: Approved\ntype: Feature Enhancement\n"
    "priority: Medium\n---\n\n# Draw the form\n\n"
    "## 5. Acceptance Criteria\n\n- [ ] It has two fields\n- [ ] It has a button\n"
)
TOOL_PLANS = {
    "feature": {"specs/001-login/tasks.md": _FEATURE, ".specify/memory/constitution.md": "# Ferry\n"},
    "graph": {"plan.vine": _GRAPH},
    "ticket": {
        "docs/CRs/FER-001-draw-the-form.md": _TICKET,
        ".mdt-config.toml": '[project]\ncode = "FER"\n',
    },
}
"""Documents of the formats with tools of their own."""


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
        text = settings.read_text("utf-8")
        if "provider: demo" in text:
            line = f"agents:\n  scripted: {{command: [{program}]}}\n"
            text = text.replace("provider: demo", "provider: scripted")
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


def waiting(plans: Plans, key: str, *options: str, tail: str = "") -> Path:
    """Start an agent that does its work and ends when a file is there; give that file."""
    sign = plans.root.parent / "go"
    plans.agent(f"{WORK}{tail}{COMMIT}while [ ! -e {sign} ]; do sleep 0.05; done")
    plans("work", key, *options)
    return sign


def ended(plans: Plans, key: str) -> Any:
    """Wait for the end of an item's newest run, and give it."""
    plans.run("runs", "--all", "-f")
    wait_for(lambda: plans.end(key)["status"] != "running", "the end of the run")
    return plans.end(key)
