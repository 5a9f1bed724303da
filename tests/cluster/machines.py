"""A real cluster on this machine: a scheduler and two workers, as processes that tests share."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chant_mcp.cluster.certificates import make_certificates
from harness import started_process, user_config
from work.kit import PROGRAM, Process, lives, processes, wait_for

WORKERS = ("build-1", "build-2")

SLOTS = 2
"""Agents at once on each worker."""

LARGEST = 3000
"""The bytes of commits that workers send back; what needs more is pushed."""


@dataclass(frozen=True)
class Member:
    """A scheduler or a worker."""

    process: subprocess.Popen[bytes]
    address: str

    def kill(self) -> None:
        """Kill it as a crash would."""
        self.process.kill()
        self.process.communicate()

    def close(self) -> None:
        """Ask it to end, and wait until it has."""
        self.process.terminate()
        if self.process.stdout and not self.process.stdout.closed:
            self.process.communicate()


class Machines:
    """Machines of another user, with a home of their own. What a test killed is started for the next one."""

    def __init__(self, folder: Path) -> None:
        """Take a folder for their home, and beside it a remote that they accept; nothing is started yet."""
        self.home = folder / "home"
        self.tls = folder / "tls"
        self.remote = folder / "remote.git"
        make_certificates(self.tls)
        self._scheduler: Member | None = None
        self._workers: dict[str, Member] = {}

    @property
    def address(self) -> str:
        """The scheduler's."""
        return self.scheduler.address

    @property
    def scheduler(self) -> Member:
        """The scheduler that runs."""
        assert self._scheduler
        return self._scheduler

    def worker(self, name: str) -> Member:
        """Give a worker that runs."""
        return self._workers[name]

    def make_ready(self) -> None:
        """Start what does not run."""
        environment = self._environment()
        if self._scheduler is None or self._scheduler.process.poll() is not None:
            self.close()
            words = ("cluster", "scheduler", "tls://127.0.0.1:0", "--folder", str(self._folder("scheduler")))
            self._scheduler = _joined(self._started(words, environment))
        missing = [name for name in WORKERS if not self._runs(name)]
        started = {name: self._started(self._worker(name), environment) for name in missing}
        self._workers |= {name: _joined(process) for name, process in started.items()}

    def close(self) -> None:
        """End all of them."""
        for member in (*self._workers.values(), *([self._scheduler] if self._scheduler else [])):
            member.close()
        self._workers.clear()
        self._scheduler = None

    def beside(self) -> list[Process]:
        """Find the processes on the machines that are no scheduler and no worker."""
        own = [member.process.pid for member in (self.scheduler, *self._workers.values())]
        return [found for found in processes(self.home) if found.pid not in own]

    def agents(self, spec: str) -> list[int]:
        """Find the agents at work on a spec, by the folders of its jobs."""
        found: list[int] = []
        for process in self.beside():
            with suppress(OSError):
                folder = str(Path(f"/proc/{process.pid}/cwd").readlink())
                if process.command.endswith("demo-agent") and f"/jobs/{spec}-" in folder:
                    found.append(process.pid)
        return found

    def jobs(self, spec: str) -> list[Path]:
        """Find the folders of a spec's jobs, on all machines."""
        return [job for name in WORKERS for job in self._folder(name).glob(f"jobs/{spec}-*")]

    def kept(self, spec: str) -> list[Path]:
        """Find the folders of a spec's jobs whose work stays on its machine."""
        return [job for name in WORKERS for job in self._folder(name).glob(f"kept/{spec}-*")]

    def go(self, spec: str) -> None:
        """Let the agents go on that wait on the machines."""
        for job in self.jobs(spec):
            sign = job / "checkout" / ".chant" / "demo-go" / spec
            if sign.parents[1].exists():  # a refused job has no checkout
                sign.parent.mkdir(exist_ok=True)
                sign.touch()

    def _environment(self) -> dict[str, str]:
        """Give the variables of the machines, whose user trusts as the test's does."""
        config = self.home / ".config" / "chant" / "config.md"
        config.parent.mkdir(parents=True, exist_ok=True)
        config.write_text(user_config().read_text(encoding="utf-8"), encoding="utf-8")
        places = {
            "HOME": self.home,
            "XDG_CONFIG_HOME": self.home / ".config",
            "XDG_STATE_HOME": self.home / "state",
        }
        return {**os.environ, **{name: str(place) for name, place in places.items()}}

    def _folder(self, name: str) -> Path:
        folder = self.home / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _runs(self, name: str) -> bool:
        return name in self._workers and self._workers[name].process.poll() is None

    def _worker(self, name: str) -> tuple[str, ...]:
        offer = ("--name", name, "--slots", f"demo={SLOTS}", "--folder", str(self._folder(name)))
        back = ("--remote", str(self.remote), "--largest-bundle", str(LARGEST))
        return "worker", self.address, "--once", *offer, *back

    def _started(self, words: tuple[str, ...], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        command = [*PROGRAM, *words, "--tls", str(self.tls)]
        streams: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return started_process(command, self.home, env=environment, **streams)


def _joined(process: subprocess.Popen[bytes]) -> Member:
    assert process.stdout
    return Member(process, json.loads(process.stdout.readline())["address"])


@contextmanager
def machines(folder: Path) -> Iterator[Machines]:
    """Make machines that end with the block."""
    made = Machines(folder)
    try:
        yield made
    finally:
        made.close()
        wait_for(lambda: not processes(made.home), lambda: f"the end of {processes(made.home)}")


def ended(*pids: int) -> bool:
    """Return whether processes have ended."""
    return not any(map(lives, pids))
