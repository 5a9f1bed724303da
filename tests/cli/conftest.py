"""The command line in a project, started programs, and a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cli.at_work import AtWork, nothing_left
from cli.kit import Cli, Running, Start
from harness import Project


@pytest.fixture
def cli(project: Project, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line in `project`, eighty columns wide."""
    monkeypatch.chdir(project.root)
    monkeypatch.setenv("COLUMNS", "80")
    return Cli(project)


@pytest.fixture
def agents(cli: Cli) -> Iterator[AtWork]:
    """The command line in a project for agents; they may not outlive the test."""
    with nothing_left(os.environ["HOME"]):
        yield AtWork(cli.project)


@pytest.fixture
def start(run_server: Callable[..., subprocess.Popen[bytes]]) -> Start:
    """Start the program in a folder; it is ended with the test."""

    def start(folder: Path, *words: str, **kwargs: Any) -> Running:
        return Running(run_server(folder, *words, **kwargs))

    return start


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """A terminal: the end a person types at, and the end a program sees."""
    pty = pytest.importorskip("pty", reason="Windows has no such terminals")
    if sys.platform == "win32":
        raise AssertionError
    master, slave = pty.openpty()
    yield master, slave
    for end in (master, slave):
        os.close(end)
