"""Jobs on a worker machine, with a stand-in for the machine that places them."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from chant_mcp._core import WorkerMachine
from harness import Project, started_process, user_config
from work.kit import PROGRAM, Workshop
from writing import git

SPEC = "2026-01-22-001-x7m"
LONG = 30.0
"""Seconds after which a test gives up."""

Result = dict[str, Any]


class Head:
    """A project whose runs are placed elsewhere: it begins a branch and describes the job."""

    def __init__(
        self, folder: Path, *behaviours: str, config: str | None = None, inside: str = "", **keys: Any
    ) -> None:
        """Make a project with one spec, which the demo agent works on in certain ways.

        `inside` is the project's place in the repository.
        """
        self.root = folder / "head"
        root = self.root / inside
        (root / ".chant" / "specs").mkdir(parents=True)
        self.shop = Workshop(Project(root))
        # Nothing acts here: the agent is named by the job.
        self.shop.project.config("project:\n  name: ferry\n" if config is None else config)
        self.shop.spec(SPEC, *behaviours, **keys)
        self.base = self.commit()
        self.start = self.begin()

    def commit(self) -> str:
        """Commit everything."""
        if not (self.root / ".git").exists():
            git(self.root, "init", "-q", "-b", "main")
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "-m", "Specs")
        return git(self.root, "rev-parse", "HEAD").strip()

    def begin(self) -> str:
        """Make the branch of the work with the runtime's own first commit."""
        tree = git(self.root, "rev-parse", "main^{tree}").strip()
        message = f"Work on {SPEC} begins\n\nChant-Bookkeeping: true\n"
        start = git(self.root, "commit-tree", tree, "-p", "main", "-m", message).strip()
        git(self.root, "update-ref", f"refs/heads/chant/{SPEC}", start)
        return start

    def job(self, **changes: Any) -> dict[str, Any]:
        """Describe the job."""
        return {
            "schema": 1,
            "key": f"{SPEC}-77.1.abc",
            "process_id": f"{SPEC}-77",
            "spec": SPEC,
            "token": 1,
            "project": "ferry",
            "remote": None,
            "target": "main",
            "base": self.base,
            "start": self.start,
            "branch": f"chant/{SPEC}",
            "inside": "",
            "agent": "demo",
            "account": None,
            "model": None,
            "prompt": "standard",
            "skip_criteria": False,
            "acting": None,
            **changes,
        }

    def bundle(self, *since: str) -> bytes:
        """Bundle the branch; behind `since`, or as a whole."""
        path = self.root.parent / "start.bundle"
        words = [f"refs/heads/chant/{SPEC}", *(f"^{commit}" for commit in since)]
        git(self.root, "bundle", "create", "-q", str(path), *words)
        return path.read_bytes()

    def fetch(self, bundle: Path) -> str:
        """Fetch what came back, as the head does, and give the newest commit."""
        words = ("-c", "fetch.fsckObjects=true", "fetch", "-q", "--no-tags", str(bundle))
        git(self.root, *words, f"+refs/heads/chant/{SPEC}:refs/chant/back")
        return git(self.root, "rev-parse", "refs/chant/back").strip()


class Worker:
    """The folder of a worker machine, and jobs that are started there."""

    def __init__(self, folder: Path, **options: Any) -> None:
        """Take a folder; `options` are what the machine's owner accepts, by the options of `job`."""
        self.folder = folder / "worker"
        self.folder.mkdir(parents=True)
        self.options = options
        self.running: list[RunningJob] = []

    def put(self, job: dict[str, Any], bundle: bytes | None, key: str | None = None) -> Path:
        """Write the folder of a job, as a worker does."""
        folder = self.folder / "jobs" / (key or job["key"])
        folder.mkdir(parents=True, mode=0o700)
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        if bundle is not None:
            (folder / "start.bundle").write_bytes(bundle)
        return folder

    def start(self, folder: Path, **variables: str) -> RunningJob:
        """Start the job of a folder."""
        running = RunningJob(folder, self._words(), {**os.environ, **variables})
        self.running.append(running)
        return running

    def close(self) -> None:
        """Let go of all jobs."""
        for running in self.running:
            running.close()

    def do(self, job: dict[str, Any], bundle: bytes | None, **variables: str) -> Result:
        """Do a job to its end, and give its result."""
        running = self.start(self.put(job, bundle), **variables)
        return running.ended()

    def machine(self, **variables: str) -> WorkerMachine:
        """Describe the machine as the worker's own process does."""
        names = {"trust": "trusted", "remote": "remotes", "agent": "agents"}
        options: dict[str, Any] = {names[name]: list(values) for name, values in self.options.items()}
        environment = {**os.environ, **variables}
        return WorkerMachine(user_config=user_config(), environment=environment, program=PROGRAM, **options)

    def kept(self) -> list[dict[str, Any]]:
        """List the work that could not be returned."""
        return WorkerMachine.kept_work(self.folder).data["kept"]

    def _words(self) -> list[str]:
        lists: dict[str, Iterable[str]] = self.options
        return [word for name, values in lists.items() for value in values for word in (f"--{name}", value)]


class RunningJob:
    """A job under way: its lifeline, and what it says."""

    def __init__(self, folder: Path, words: list[str], environment: dict[str, str]) -> None:
        """Start it."""
        self.folder = folder
        command = [sys.executable, "-m", "chant_mcp", "job", str(folder), *words]
        self.process: subprocess.Popen[bytes] = started_process(command, folder.parent, env=environment)
        self._news: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._news.put(json.loads(line))
        self._news.put(None)

    def heard(self, what: str) -> dict[str, Any]:
        """Wait until it says something of a kind."""
        while (news := self._news.get(timeout=LONG)) is not None:
            if news["is"] == what:
                return news
        raise AssertionError(f"it never said `{what}`: {self.errors()}")

    def stop(self, why: str) -> None:
        """Ask it to end."""
        assert self.process.stdin
        self.process.stdin.write(f"stop {why}\n".encode())
        self.process.stdin.flush()

    def let_go(self) -> None:
        """Close its lifeline."""
        assert self.process.stdin
        self.process.stdin.close()

    def errors(self) -> str:
        """Give what it complained of; it has ended."""
        assert self.process.stderr
        return self.process.stderr.read().decode()

    def close(self) -> None:
        """Let go of it, and wait for its end."""
        self.let_go()
        self.process.wait(LONG)
        self._reader.join()
        for pipe in (self.process.stdout, self.process.stderr):
            assert pipe
            pipe.close()

    def ended(self) -> Result:
        """Wait for its end, and give its result."""
        code = self.process.wait(LONG)
        assert code == 0, self.errors()
        return self.result()

    def result(self) -> Result:
        """Read the result."""
        return json.loads((self.folder / "result.json").read_text(encoding="utf-8"))
