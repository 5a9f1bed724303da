"""A machine as a hostile run finds it: a home with secrets, a project, its folder, and processes outside."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from confine.attempts import ipc
from harness import user_config
from writing import git

ATTEMPTS = Path(__file__).with_name("attempts")

SECRETS = {
    ".ssh/id": "key",
    ".aws/credentials": "key",
    ".claude.json": "{}",
    ".bash_history": "ls",
    ".bashrc": "",
    "other/.env": "KEY=1",
    "residual.txt": "",
    "program": "#!/bin/sh\n",
    ".local/state/chant-mcp/worktrees/other/file.txt": "",
    ".local/state/chant-mcp/trust/one.json": "{}",
    ".local/state/chant-mcp/servers/one.json": '{"token": "secret"}',
}
"""Files of a home."""

FILES = {
    "ferry.txt": "one\n",
    "folder/file.txt": "",
    ".chant/specs/one.md": "---\nstatus: pending\n---\n# One\n",
    ".chant/config.md": "---\n---\n",
    ".chant/processes/one.json": "{}",
    ".chant/logs/one.log": "",
}
"""Files of a project."""

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class World:
    """What lies outside of a run, and the run's folder."""

    home: Path
    project: Path
    run: Path

    def confine(
        self,
        *command: str,
        variables: Mapping[str, str] = NO_VARIABLES,
        passed: tuple[int, ...] = (),
    ) -> subprocess.CompletedProcess[str]:
        """Run a command as runs are held, in the run's folder.

        Its starter has these variables besides its own, and some descriptors open.
        """
        return subprocess.run(
            [sys.executable, "-m", "chant_mcp", "confine", *command],
            cwd=self.run,
            env={**os.environ, **variables},
            pass_fds=passed,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def try_all(
        self, names: list[str] | None = None, variables: Mapping[str, str] = NO_VARIABLES
    ) -> dict[str, str]:
        """Have a confined process try attempts, and give how each went."""
        with self._surroundings() as told:
            told["names"] = names
            command = ("--", sys.executable, "-m", ATTEMPTS.name, json.dumps(told))
            done = self.confine(*command, variables=variables, passed=(told["descriptor"],))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    @contextmanager
    def _surroundings(self) -> Iterator[dict[str, Any]]:
        """Start processes, open a terminal and listen on sockets outside."""
        with ExitStack() as stack:
            victims = [
                subprocess.Popen(["sleep", "600"], cwd=self.project, start_new_session=True) for _ in range(6)
            ]
            for victim in victims:
                stack.callback(victim.wait)
                stack.callback(victim.kill)
            ours, theirs = os.openpty()
            stack.callback(os.close, ours)
            stack.callback(os.close, theirs)
            key = 0x10000000 + os.getpid()
            stack.enter_context(ipc.made(key))
            descriptor = os.open(self.home / ".bash_history", os.O_RDWR)
            stack.callback(os.close, descriptor)
            abstract = f"chant-attempt-{os.getpid()}"
            named = self.home / "socket"
            for address in (f"\0{abstract}", str(named)):
                server = stack.enter_context(socket.socket(socket.AF_UNIX))
                server.bind(address)
                server.listen()
            stack.callback(named.unlink)
            yield {
                "home": str(self.home),
                "project": str(self.project),
                "run": str(self.run),
                "victims": [victim.pid for victim in victims],
                "terminal": os.ttyname(theirs),
                "named": str(named),
                "abstract": abstract,
                "key": key,
                "descriptor": descriptor,
            }

    def outside(self) -> dict[str, str]:
        """Give what lies in home and project by path: kinds, rights, contents, but for what runs share."""
        return {
            str(path): _what_is(path)
            for top in (self.home, self.project)
            for path in sorted(top.rglob("*"))
            if not {"trials", "residual.txt", "socket"} & {*path.relative_to(top).parts}
        }


def made(folder: Path) -> World:
    """Make a world whose user opens nothing to runs."""
    home = Path(os.environ["HOME"])
    world = World(home, folder / "project", folder / "run")
    for top, files in ((home, SECRETS), (world.project, FILES)):
        for name, text in files.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    (home / "program").chmod(0o755)
    (world.project / "empty").mkdir()
    git(world.project, "init", "-q", "-b", "main")
    git(world.project, "add", "-A")
    git(world.project, "commit", "-qm", "Begin")
    record = world.project / ".git/chant-mcp/records/one.json"
    record.parent.mkdir(parents=True)
    record.write_text("{}")
    world.run.mkdir()
    shutil.copytree(ATTEMPTS, world.run / ATTEMPTS.name, ignore=shutil.ignore_patterns("__pycache__"))
    git(world.run, "init", "-q", "-b", "main")
    configured()
    return world


def configured(yaml: str = "") -> None:
    """Write the user's configuration, with nothing but this in it."""
    user_config().write_text(f"---\n{yaml}---\n", encoding="utf-8")


def _what_is(path: Path) -> str:
    found = path.lstat()
    if path.is_symlink():
        return f"link to {path.readlink()}"
    if path.is_file():
        return f"{found.st_mode:o} {hashlib.sha256(path.read_bytes()).hexdigest()}"
    return f"{found.st_mode:o}"
