"""Server processes that end with their test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import Project, started_process
from server.pipes import ID, Pipes, Serve


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start server processes and listen to them; those that still run are killed at the end."""
    started: list[Pipes] = []

    def serve(root: Path, command: list[str] | None = None, **kwargs: Any) -> Pipes:
        words = command or [sys.executable, "-m", "chant_mcp", "mcp"]
        started.append(Pipes(started_process(words, root, **kwargs)))
        return started[-1]

    yield serve
    for pipes in started:
        pipes.discard()


@pytest.fixture
def pipes(project: Project, serve: Serve) -> Pipes:
    """A server on a project of one spec."""
    project.spec(ID, body="# One\n\n## Acceptance Criteria\n\n- [ ] Done")
    return serve(project.root)
