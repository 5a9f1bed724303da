"""A folder of plans, clients of both eras on a server in memory, and server processes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import Project, started_process
from server.pipes import Pipes
from vine.planning import Plans, Serve


@pytest.fixture
def plans(tmp_path: Path) -> Plans:
    """A folder that holds nothing yet."""
    root = tmp_path / "work"
    root.mkdir()
    return Plans(root)


@pytest.fixture
def project(plans: Plans) -> Project:
    """The folder of plans, as `call` serves it."""
    return Project(plans.root)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start server processes and listen to them; those that still run are killed at the end."""
    started: list[Pipes] = []

    def serve(root: Path, *words: str, **kwargs: Any) -> Pipes:
        command = [sys.executable, "-m", "chant_mcp", *words]
        started.append(Pipes(started_process(command, root, **kwargs)))
        return started[-1]

    yield serve
    for pipes in started:
        pipes.discard()
