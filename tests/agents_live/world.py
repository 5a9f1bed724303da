"""A user of a test's own: a home, a project with one spec, and our program as that user starts it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = (sys.executable, "-m", "chant_mcp")

CLOSED = "http://127.0.0.1:9"
"""A port where nothing listens: what would leave this machine fails there at once."""

CRITERION = "The ferry is blue"

SPEC = f"""---
type: code
status: pending
target_files:
- ferry.txt
---

# Paint the ferry

## Acceptance Criteria

- [ ] {CRITERION}
"""


@dataclass(frozen=True)
class Ended:
    """How a command of ours ended."""

    code: int
    text: str
    seconds: float


@dataclass(frozen=True)
class UserWorld:
    """A user's home and project, below one folder."""

    folder: Path
    path: str
    """The PATH of this user."""
    variables: Mapping[str, str]
    id: str = "2026-01-22-001-x7m"

    @property
    def home(self) -> Path:
        """The user's home."""
        return self.folder / "home"

    @property
    def root(self) -> Path:
        """The project."""
        return self.home / "ferry"

    @property
    def outside(self) -> Path:
        """A folder of the user's that no run may write."""
        return self.home / "private"

    def environment(self) -> dict[str, str]:
        """Give what the user's programs find in their environment; nothing of ours is in it."""
        return {
            "HOME": str(self.home),
            "PATH": self.path,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "HTTP_PROXY": CLOSED,
            "HTTPS_PROXY": CLOSED,
            "NO_PROXY": "127.0.0.1,localhost",
            **self.variables,
        }

    def run(self, *words: str, seconds: float = 60) -> Ended:
        """Run a program in the project; one that takes too long is killed with its group."""
        start = time.monotonic()
        process = subprocess.Popen(
            words,
            cwd=self.root,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            text = process.communicate(timeout=seconds)[0]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 15)
            text = process.communicate(timeout=30)[0]
        return Ended(process.returncode, text, time.monotonic() - start)

    def chant(self, *words: str, seconds: float = 60) -> Ended:
        """Run our program."""
        return self.run(*PROGRAM, *words, seconds=seconds)

    def asked(self, *words: str) -> Any:
        """Run our program for an answer as JSON; `None` when it refuses."""
        ended = self.chant(*words, "--json")
        return json.loads(ended.text)["data"] if ended.code == 0 else None

    def add(self, files: Mapping[str, str]) -> None:
        """Commit files of the project, and trust it with them, as its user does."""
        for name, text in files.items():
            file = self.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        self.git("add", "-Af")
        self.git("commit", "-qm", "More")
        # Variables of agents are a sign of their shells, in which nobody gives trust.
        person = replace(self, variables={})
        shown = person.chant("trust", "--show")
        given = person.chant("trust", "--yes", shown.text.split()[-1])
        if given.code:
            raise RuntimeError(f"trust failed: {given.text}")

    def git(self, *words: str) -> str:
        """Run git in the project."""
        return self.run("git", *words).text

    def write(self, path: str, text: str) -> None:
        """Write a file of the home."""
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@contextmanager
def made_world(
    folder: Path, path: str, variables: Mapping[str, str], *, keeps: bool = False
) -> Iterator[UserWorld]:
    """Make a user with a project of one spec; all of it is removed at the end, unless it is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    world = UserWorld(Path(tempfile.mkdtemp(dir=folder)), path, variables)
    try:
        world.outside.mkdir(parents=True)
        world.root.mkdir()
        world.write(
            ".gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
        )
        (world.root / "ferry.txt").write_text("white\n", encoding="utf-8")
        world.git("init", "-q")
        made = world.chant("init", "--name", "ferry", "--minimal")
        if made.code:
            raise RuntimeError(f"init failed: {made.text}")
        (world.root / ".chant" / "specs").mkdir(exist_ok=True)
        (world.root / ".chant" / "specs" / f"{world.id}.md").write_text(SPEC, encoding="utf-8")
        world.git("add", "-A")
        world.git("commit", "-qm", "Begin")
        yield world
    finally:
        if not keeps:
            shutil.rmtree(world.folder, ignore_errors=True)
