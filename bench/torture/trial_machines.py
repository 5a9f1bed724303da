"""Machines of a trial: scheduler and workers with a home of their own, and the person whose runs they do."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import psutil
from chant_mcp.cluster.certificates import make_certificates

from bench.wire import OURS

_SLOTS = 2
"""Agents at once on each worker."""
_AGENT = """life="{lives}/$CHANT_SPEC_ID.$$"
echo "begin $(date +%s.%N) $PWD" > "$life"
echo "$CHANT_SPEC_ID" > "$CHANT_SPEC_ID.txt"; git add -A; git commit -qm "chant($CHANT_SPEC_ID): Begin $$"
echo "commit $(git rev-parse HEAD)" >> "$life"
sleep {seconds}
machine="${{PWD#*/machines/}}"
while [ -e "{held_up}/${{machine%%/*}}" ]; do sleep 0.2; done
sed -i "s/- \\[ \\]/- [x]/" "$CHANT_SPEC_FILE"
git add -A; git commit -qm "chant($CHANT_SPEC_ID): Work $$"
echo "end $(date +%s.%N)" >> "$life"
"""
"""It says when it begins, what it committed, and when it ends; of one that is killed the end is missing.
While its machine holds up agents it goes on.
"""


@dataclass
class WorkerMachine:
    """A worker that may be killed, frozen and started again."""

    name: str
    folder: Path
    process: subprocess.Popen[bytes]
    frozen: list[psutil.Process] = field(default_factory=list[psutil.Process])

    def jobs(self) -> list[dict[str, str]]:
        """Read what jobs are here."""
        found: list[dict[str, str]] = []
        for file in self.folder.glob("jobs/*/job.json"):
            with suppress(OSError, ValueError):
                found.append(json.loads(file.read_text(encoding="utf-8")))
        return found

    def kill(self) -> None:
        """Kill the worker's process alone, as a crash of it would."""
        self.process.kill()
        self.process.wait()

    def freeze(self, *, whole: bool) -> None:
        """Have the worker stand still, and if the whole machine does, its jobs and their agents, too."""
        worker = psutil.Process(self.process.pid)
        self.frozen = [worker]
        self._signal(signal.SIGSTOP)
        while whole and (more := set(worker.children(recursive=True)) - set(self.frozen)):
            self.frozen += more
            self._signal(signal.SIGSTOP)

    def wake(self) -> None:
        """Have what stands still go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        for process in self.frozen:
            with suppress(psutil.Error):
                process.send_signal(number)


class TrialMachines:
    """A home with a scheduler, workers, and the person who starts runs on them."""

    def __init__(self, home: Path, seconds: float) -> None:
        """Make the homes and start the scheduler; an agent works for so many seconds."""
        self.home, self.lives, self._held_up = home, home / "lives", home / "held-up"
        self._there, self.here = _variables(home / "machines"), _variables(home / "person")
        for folder in (self.lives, self._held_up):
            folder.mkdir()
        words = _AGENT.format(lives=self.lives, held_up=self._held_up, seconds=seconds)
        (home / "agent.sh").write_text(words, encoding="utf-8")
        for place in ("machines", "person"):
            self._configure(home / place)
        self._trusted: tuple[str, ...] = ()
        # Where the person's commands look for them, and a bare address can be asked for.
        self.tls = home / "person" / ".config" / "chant-mcp" / "tls"
        make_certificates(self.tls)
        folder = self._folder("scheduler")
        self.scheduler = self._started(
            ("cluster", "scheduler", "tls://127.0.0.1:0", "--folder", str(folder)), folder
        )
        self.address = _said(self.scheduler)

    def accept(self, clone: Path) -> None:
        """Have workers that join from now on accept what acts in a project."""
        words = [*OURS, "trust", "--show"]
        shown = subprocess.run(
            words, cwd=clone, env=self.here, check=True, capture_output=True, text=True
        ).stdout
        self._trusted = ("--trust", re.findall(r"\b[0-9a-f]{64}\b", shown)[-1])

    def join(self, name: str) -> WorkerMachine:
        """Start a worker, and wait until it has joined."""
        folder = self._folder(name)
        offer = ("--name", name, "--slots", f"sh={_SLOTS}", "--folder", str(folder), *self._trusted)
        process = self._started(("worker", self.address, "--once", *offer), folder)
        _said(process)
        return WorkerMachine(name, folder, process)

    def kept(self, folder: Path) -> str:
        """Ask which work of a worker was not taken back: a line each."""
        words = [*OURS, "worker", "--kept", "--folder", str(folder)]
        done = subprocess.run(
            words, cwd=self.home, env=self._there, check=True, capture_output=True, text=True
        )
        return done.stdout

    @contextmanager
    def agents_held_up(self, worker: WorkerMachine) -> Generator[None]:
        """Have the agents of a machine go on until the block ends."""
        sign = self._held_up / worker.name
        sign.touch()
        try:
            yield
        finally:
            sign.unlink()

    def worker_folders(self) -> list[Path]:
        """Find the folders of all workers that there were."""
        return sorted(file.parent for file in (self.home / "machines").glob("*/mirrors"))

    def processes(self) -> list[psutil.Process]:
        """Find all processes of the trial but this one: by home, folder and words."""
        return [one for one in psutil.process_iter() if one.pid != os.getpid() and self._is_ours(one)]

    def _is_ours(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            places = (process.cwd(), process.environ().get("HOME", ""), *process.cmdline())
            is_dead = process.status() == psutil.STATUS_ZOMBIE
            return not is_dead and any(str(self.home) in place for place in places)
        return False

    def _configure(self, place: Path) -> None:
        """Write a user's own configuration: agents may say that they live."""
        config = place / ".config" / "chant" / "config.md"
        config.parent.mkdir(parents=True)
        (place / "tmp").mkdir()
        author = "[user]\n\tname = Ada\n\temail = ada@example.org\n"
        (place / ".gitconfig").write_text(author, encoding="utf-8")
        agent = self.home / "agent.sh"
        lines = (
            f"trust: {{roots: [{self.home}]}}\n"
            f"confine: {{read: ['{agent}', '{self._held_up}'], write: ['{self.lives}']}}\n"
            f"agents: {{sh: {{command: [sh, '{agent}']}}}}\n"
            "defaults: {provider: sh, main_branch: main}\n"
            "parallel: {stagger_delay_ms: 0, stagger_jitter_ms: 0}\n"
        )
        config.write_text(f"---\n{lines}---\n", encoding="utf-8")

    def _folder(self, name: str) -> Path:
        folder = self.home / "machines" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _started(self, words: tuple[str, ...], folder: Path) -> subprocess.Popen[bytes]:
        with (folder / "said.log").open("ab") as errors:
            return subprocess.Popen(
                [*OURS, *words, "--tls", str(self.tls)],
                cwd=self.home,
                env=self._there,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )


def _variables(home: Path) -> dict[str, str]:
    names = ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "TMPDIR")
    places = (home, home / ".config", home / "state", home / "data", home / "tmp")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "XDG_"))}
    # The package that this process imported.
    ways = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return kept | ways | {name: str(place) for name, place in zip(names, places, strict=True)}


def _said(process: subprocess.Popen[bytes]) -> str:
    """Wait for the first line of a scheduler or a worker, and give its address."""
    assert process.stdout
    line = process.stdout.readline()
    if not line:
        raise RuntimeError(f"{process.args} ended with {process.wait()} before it listened.")
    return cast(str, json.loads(line)["address"])
