"""A folder that asks for something, and its user, who has said nothing yet."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chant_mcp._core import ChantProject, SpeckitFeatures
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer
from harness import Project, user_config
from work.kit import ID, OTHER, PROGRAM

__all__ = ["ID", "OTHER", "PROGRAM", "Folder"]

_LOGIN = """# Tasks

- [ ] T001 First
"""


@dataclass(frozen=True)
class Folder:
    """A project whose configuration asks for programs that leave a mark when they are run."""

    project: Project

    @property
    def root(self) -> Path:
        """The project's folder."""
        return self.project.root

    @property
    def mark(self) -> Path:
        """What every program that the folder names makes."""
        return self.root.parent / "ran"

    def asks(self, more: str = "", *, word: str = "touch") -> None:
        """Write a configuration that asks for a command, a check and a variable."""
        self.project.config(
            f"defaults:\n  provider: own\nagents:\n  own:\n    command: [{word}, '{self.mark}']\n"
            f"    prompt: stdin\nchecks:\n  tests: [{word}, '{self.mark}']\n"
            f"enterprise:\n  derived:\n    secret: {{from: env, pattern: SECRET}}\n{more}"
        )

    def feature(self) -> None:
        """Write a feature whose tasks have to pass a check."""
        folder = self.root / "specs" / "060-login"
        folder.mkdir(parents=True)
        (folder / "tasks.md").write_text(_LOGIN, encoding="utf-8")
        (self.root / ".specify").mkdir()
        config = f"checks:\n  unit: [touch, '{self.mark}']\n"
        (self.root / ".specify" / "chant-mcp.yml").write_text(config, encoding="utf-8")
        (self.root / ".specify" / "feature.json").write_text(
            json.dumps({"feature_directory": "specs/060-login"}), encoding="utf-8"
        )

    def handle(self, **more: Any) -> ChantProject:
        """Open the project as a server does."""
        environment = {**os.environ, "SECRET": "hidden"}
        return ChantProject(
            self.root, user_config=user_config(), environment=environment, program=PROGRAM, **more
        )

    def features(self) -> SpeckitFeatures:
        """Open the features as a server does."""
        return SpeckitFeatures(self.root, environment=dict(os.environ), user_config=user_config())

    def server(self) -> ChantServer:
        """Make a server in this process."""
        environment = {**os.environ, "SECRET": "hidden"}
        place = Place(self.root, (self.root,))
        session = Session(place, environment=environment, user_config=user_config(), program=PROGRAM)
        return ChantServer(session, Offer(toolsets=["all"]))

    def trust(self) -> str:
        """Say yes as a person does, and give the hash."""
        project = self.handle()
        hash = project.trust_report()["hash"]
        project.give_trust(hash)
        return hash

    def is_trusted(self) -> bool:
        """Ask whether the folder is trusted now."""
        return self.handle().trust_report()["trusted"]

    def run(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run a command without a terminal."""
        return subprocess.run(
            [sys.executable, "-m", "chant_mcp", *words],
            cwd=self.root,
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=60,
        )

    def typed(self, answer: str, *words: str, **variables: str) -> tuple[int, str]:
        """Run a command at a terminal, type an answer when it asks, and give exit code and what was shown."""
        import pty

        if sys.platform == "win32":
            raise AssertionError
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.root)
            command = [sys.executable, "-m", "chant_mcp", *words]
            os.execve(sys.executable, command, {**os.environ, "TERM": "dumb", **variables})
        shown, has_answered = "", False
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece.decode(errors="replace")
            if not has_answered and "[y/N]" in shown:
                os.write(terminal, f"{answer}\n".encode())
                has_answered = True
        _, status = os.waitpid(child, 0)
        os.close(terminal)
        return os.waitstatus_to_exitcode(status), shown.replace("\r\n", "\n")
