"""Projects in temporary folders, a sealed git, and clients of both eras on a server in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from chant_mcp.server.app import ChantServer, Offer
from chant_mcp.session import Place, Session
from mcp import Client
from mcp_types import CallToolResult, TextContent

FIXTURES = Path(__file__).parent / "fixtures"

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


@pytest.fixture(autouse=True)
def _sealed(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Hide the machine's own settings: home folder, git configuration, chant variables."""
    home = tmp_path_factory.mktemp("home")
    for name in [name for name in os.environ if name.startswith(("GIT_", "CHANT_", "ANTHROPIC_"))]:
        monkeypatch.delenv(name)
    for name, value in {**_GIT, "HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config")}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio, as the server does."""
    return "asyncio"


@dataclass(frozen=True)
class Project:
    """A project on disk."""

    root: Path

    @property
    def specs(self) -> Path:
        """The folder of active specs."""
        return self.root / ".chant" / "specs"

    def path(self, id: str) -> Path:
        """The file of a spec."""
        return self.specs / f"{id}.md"

    def write(self, id: str, text: str | bytes) -> Path:
        """Write a spec's file as it is."""
        path = self.path(id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def spec(self, id: str, *, body: str | None = None, **keys: object) -> Path:
        """Write a spec from its keys: texts as they are, lists in block style."""
        lines: list[str] = []
        for key, value in {"type": "code", "status": "pending", **keys}.items():
            if isinstance(value, list):
                lines += [f"{key}:", *(f"- {item}" for item in value)] if value else [f"{key}: []"]
            elif value is not None:
                lines.append(f"{key}: {value}")
        front = "".join(f"{line}\n" for line in lines)
        return self.write(id, f"---\n{front}---\n\n{f'# Spec {id}' if body is None else body}\n")

    def text(self, id: str) -> str:
        """Read a spec's file, line ends as they are."""
        return self.path(id).read_bytes().decode()

    def status(self, id: str) -> str:
        """Read the status a spec's file says."""
        lines = self.text(id).splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("status:"))

    def log(self, id: str, text: str | bytes) -> Path:
        """Write a spec's log."""
        path = self.root / ".chant" / "logs" / f"{id}.log"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def config(self, yaml: str) -> None:
        """Write the project's configuration."""
        (self.root / ".chant" / "config.md").write_text(f"---\n{yaml}---\n", encoding="utf-8")

    def git(self, *words: str) -> str:
        """Run git in the project."""
        done = subprocess.run(
            ["git", *words], cwd=self.root, check=True, capture_output=True, text=True, encoding="utf-8"
        )
        return done.stdout

    def repository(self) -> None:
        """Make the project a git repository with one commit of all its files."""
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-qm", "Begin", "--allow-empty")

    def server(self, **offer: Any) -> ChantServer:
        """Make a server on this project, in this process."""
        place = Place(self.root, (self.root,))
        session = Session(place, environment={})
        return ChantServer(session, Offer(**{"toolsets": ["auto"], **offer}))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty chant project."""
    root = tmp_path / "project"
    (root / ".chant" / "specs").mkdir(parents=True)
    return Project(root)


@dataclass(frozen=True)
class Caller:
    """A client of a server in this process, and the project it serves."""

    client: Client
    project: Project

    async def __call__(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """Call a tool."""
        result = await self.client.call_tool(tool, arguments)
        assert isinstance(result, CallToolResult)
        return result

    async def text(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that succeeds and give its text."""
        result = await self(tool, **arguments)
        assert not result.is_error, text_of(result)
        return text_of(result)

    async def data(self, tool: str, /, **arguments: Any) -> Any:
        """Call a tool that succeeds and give its structured content."""
        result = await self(tool, **arguments)
        assert not result.is_error, text_of(result)
        return result.structured_content

    async def error(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that is refused and give the words."""
        result = await self(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)


@pytest.fixture(params=["handshake", "modern"])
async def call(request: pytest.FixtureRequest, project: Project) -> AsyncIterator[Caller]:
    """A client on `project`, once in each era of the protocol."""
    mode = {"handshake": "legacy", "modern": "2026-07-28"}[request.param]
    async with Client(project.server(), mode=mode) as client:
        yield Caller(client, project)


def text_of(result: CallToolResult) -> str:
    """Give the text of a result's first block."""
    block = result.content[0]
    assert isinstance(block, TextContent)
    return block.text


@pytest.fixture
def run_server() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Start real server processes; they are ended with the test."""
    started: list[subprocess.Popen[bytes]] = []

    def run(root: Path, *words: str, **kwargs: Any) -> subprocess.Popen[bytes]:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        command = [sys.executable, "-m", "chant_mcp", *words]
        process = subprocess.Popen(command, cwd=root, **{**pipes, **kwargs})
        started.append(process)
        return process

    yield run
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
