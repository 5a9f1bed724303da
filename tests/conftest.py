"""A project in a temporary folder, a sealed git, and clients of both eras on a server in memory."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import Caller, Project, started_process
from mcp import Client

_GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_AUTHOR_DATE": "2026-01-22T10:00:00Z",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_COMMITTER_DATE": "2026-01-22T10:00:00Z",
}


@pytest.fixture(scope="session", autouse=True)
def _listens_to_ctrl_c() -> None:
    """Have programs listen to Ctrl-C, also where a shell runs the tests in its background."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders to be a home, one a test: pytest's own would go through all earlier ones for each."""
    folder = tmp_path_factory.mktemp("homes")
    return (folder / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def _sealed(monkeypatch: pytest.MonkeyPatch, _homes: Iterator[Path]) -> None:
    """Hide the machine's own settings: home folder, git configuration, our variables."""
    home = next(_homes)
    home.mkdir()
    ours = ("GIT_", "CHANT_", "ANTHROPIC_", "MCP_", "CONFIG_DIR", "SPECIFY_")
    for name in [name for name in os.environ if name.startswith(ours)]:
        monkeypatch.delenv(name)
    for name, value in {**_GIT, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)


@pytest.fixture
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as the server does."""
    return "asyncio"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty chant project."""
    root = tmp_path / "project"
    (root / ".chant" / "specs").mkdir(parents=True)
    return Project(root)


@pytest.fixture(params=["handshake", "modern"])
async def call(request: pytest.FixtureRequest, project: Project) -> AsyncIterator[Caller]:
    """A client on `project`, once in each era of the protocol."""
    mode = {"handshake": "legacy", "modern": "2026-07-28"}[request.param]
    async with Client(project.server(), mode=mode) as client:
        yield Caller(client, project)


@pytest.fixture
def run_server() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start real server processes; they are ended with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def run(root: Path, *words: str, **kwargs: Any) -> subprocess.Popen[bytes]:
        process = started_process([sys.executable, "-m", "chant_mcp", *words], root, **kwargs)
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
