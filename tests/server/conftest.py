"""Server processes that end with their test."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import Project, started_process
from server.over_http import Listen, Listening, started
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


@pytest.fixture
def listen() -> Iterator[Listen]:
    """Start server processes over HTTP; those that still run are killed at the end."""
    begun: list[Listening] = []

    def listen(root: Path, *words: str, **kwargs: Any) -> Listening:
        begun.append(started(root, *words, **kwargs))
        return begun[-1]

    yield listen
    for server in begun:
        server.discard()
