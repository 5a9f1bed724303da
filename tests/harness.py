"""What tests of every folder share: a project on disk, and a client of a server in this process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from chant_mcp._core import ChantProject
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer
from forked import ForkedProcess, can_fork
from mcp import Client, ClientSession
from mcp_types import CallToolResult, TextContent


def seconds_here(seconds: float) -> float:
    """Give the time for what takes at most so long on a quiet machine: others may use this one, too."""
    with suppress(OSError, AttributeError):
        waiting, cores = os.getloadavg()[0], os.cpu_count() or 1
        with suppress(OSError):
            # The average is slow to say that somebody began.
            now = Path("/proc/loadavg").read_text("ascii").split()[3]
            waiting = max(waiting, int(now.partition("/")[0]))
        return seconds * max(1.0, 2 * waiting / cores)
    return 4 * seconds


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

    def server(self, *, recovers: bool = True, **offer: Any) -> ChantServer:
        """Make a server on this project, in this process; it looks after dead runs by default."""
        place = Place(self.root, (self.root,))
        session = Session(place, environment={}, user_config=user_config())
        session.recovers = recovers
        return ChantServer(session, Offer(**{"toolsets": ["auto"], **offer}))


_SCHEMAS: dict[tuple[str | None, str], Any] = {}
"""What clients of this process know of the answers of each tool, by the protocol's version and the tool."""


@contextmanager
def _known_schema(session: ClientSession, tool: str) -> Iterator[None]:
    """Have a client know a tool's schema of answers, or that it has none, from one that listed it.

    To list all tools, which a client does before it looks at its first answer, takes longer than most tests.
    """
    asked = (session.protocol_version, tool)
    if asked in _SCHEMAS:
        vars(session)["_tool_output_schemas"].setdefault(tool, _SCHEMAS[asked])
    yield
    listed = vars(session)["_tool_output_schemas"]
    if tool in listed:
        _SCHEMAS[asked] = listed[tool]


@dataclass(frozen=True)
class Caller:
    """A client of a server in this process, and the project it serves."""

    client: Client
    project: Project

    async def __call__(self, tool: str, /, **arguments: Any) -> CallToolResult:
        """Call a tool; its answer is checked against the schema that the tool is listed with."""
        with _known_schema(self.client.session, tool):
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


def user_config() -> Path:
    """Say where the configuration of the test's user lies."""
    return Path(os.environ["XDG_CONFIG_HOME"]) / "chant" / "config.md"


def opened(root: Path) -> ChantProject:
    """Open a project as a script of its user does, who trusts the folders of tests."""
    return ChantProject(root, user_config=user_config(), environment=dict(os.environ))


def text_of(result: CallToolResult) -> str:
    """Give the text of a result's first block."""
    block = result.content[0]
    assert isinstance(block, TextContent)
    return block.text


def started_process(command: list[str], folder: Path, **kwargs: Any) -> subprocess.Popen[bytes]:
    """Start a process in a folder, with three pipes of bytes unless `kwargs` say otherwise."""
    options = {**dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE), **kwargs}
    if can_fork(command, options.get("env") or dict(os.environ), options):
        return cast("subprocess.Popen[bytes]", ForkedProcess(command, folder, **options))
    return cast("subprocess.Popen[bytes]", subprocess.Popen(command, cwd=folder, **options))
