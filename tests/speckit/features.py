"""A spec-kit project on disk, for the tests of its tools."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chant_mcp import SpeckitFeatures
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Session, find_place
from chant_mcp.tool_calls import Offer
from harness import Caller, Project, user_config
from mcp import Client

NAME = "060-mcp"
TASKS = """\
# Tasks

## Phase 1: Setup

- [ ] T001 Create the project
- [ ] T002 [P] Add linting
- [ ] T003 [P] Write notes
"""


@dataclass(frozen=True)
class Features:
    """A git repository on the branch of its one feature."""

    root: Path

    @property
    def project(self) -> Project:
        """The same, for what all dialects share."""
        return Project(self.root)

    @property
    def folder(self) -> Path:
        """The feature's directory."""
        return self.root / "specs" / NAME

    @property
    def core(self) -> SpeckitFeatures:
        """The core's handle, as a person's command has it."""
        return SpeckitFeatures(self.root, session="person", user_config=user_config())

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file of the project."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def tasks(self, text: str | bytes = TASKS) -> Path:
        """Write the feature's task list."""
        return self.write(f"specs/{NAME}/tasks.md", text)

    def waits(self, seconds: float) -> None:
        """Say how long calls wait for an answer."""
        self.write(".specify/chant-mcp.yml", f"questions: {{wait_secs: {seconds}}}\n")

    def events(self) -> list[dict[str, Any]]:
        """Read what was recorded."""
        return self.core.events(limit=10_000).data

    def open(self) -> list[dict[str, Any]]:
        """List the questions that wait."""
        return self.core.questions().data

    @asynccontextmanager
    async def seen(
        self,
        folder: Path | None = None,
        mode: Any = "2026-07-28",
        environment: dict[str, str] | None = None,
        **client: Any,
    ) -> AsyncIterator[Caller]:
        """Serve the project as seen from a folder."""
        session = Session(
            find_place(folder or self.root), environment=environment or {}, user_config=user_config()
        )
        async with Client(ChantServer(session, Offer(["auto"])), mode=mode, **client) as one:
            yield Caller(one, self.project)


def made(root: Path) -> Features:
    """Make a repository with one feature that is being implemented."""
    features = Features(root)
    for name in ("spec", "plan"):
        features.write(f"specs/{NAME}/{name}.md", f"# MCP server: {name}\n")
    features.tasks()
    features.waits(0)
    features.project.git("init", "-q", "-b", NAME)
    features.project.git("add", "-A")
    features.project.git("commit", "-qm", "Begin")
    return features


def named(features: Features, directory: str) -> None:
    """Have `feature.json` name a feature."""
    features.write(".specify/feature.json", json.dumps({"feature_directory": directory}))
