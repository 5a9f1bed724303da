"""What sharing specs over a remote costs: `python -m bench.leases [AGENTS …] [--transport NAME …]`.

Each row is one `work --parallel N` on N specs with an agent that works for a second, on a bare repository by
path, `git://`, smart HTTP and a stand-in for ssh, all on this machine: the same with and without `leases`.
The remote counts the pushes. The last figures are those of each transport alone: landings a second with a
short interval, and the time of a look of another clone.

    python -m bench.leases 1 20 200                      # all of it, for the table
    python -m bench.leases 2 --transport http --brief    # in a minute, to see that it works
    python -m bench.leases 8 --checks                    # a check of 2 s, on each branch and on what lands
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.wire import OURS

# The remotes are those of the tests: real git behind each transport, with hooks that count.
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from leases.remotes import TRANSPORTS, Remote, Transport, open_remote

_AGENTS = (1, 20)
_ROUNDS = 5
_LANDINGS = 16

_USUAL = "leases: {remote: origin}"
_HASTY = "leases: {remote: origin, beat: 1s, ttl: 10s, push_interval: 200ms}"

_CONFIG = """---
project: {{name: shared}}
defaults: {{provider: demo, main_branch: main}}
limits: {{agents_at_once: 256}}
parallel: {{stagger_delay_ms: 0, stagger_jitter_ms: 0}}
{leases}
---
"""

_SPEC = """---
type: code
status: pending
labels: [demo:slow, "demo:seconds={seconds}"]
target_files: [{name}.md]
---
# Write {name}

Write one line about {name} into the file {name}.md, so that it is there.

## Acceptance Criteria

- [ ] The file {name}.md is there{check}
"""

_CHECK_SECONDS = 2
_CHECKS = """leases: {{remote: origin, beat: 1s, ttl: 10s, push_interval: 200ms, checks: {of}}}
checks: {{unit: [sh, -c, "echo checked; sleep {seconds}"]}}"""


@dataclass(frozen=True)
class BenchProject:
    """A clone of a project on a remote."""

    clone: Path
    remote: Remote
    environment: Mapping[str, str]

    def work(self, number: int) -> float:
        """Work on all specs, as many at once as there are; give the seconds."""
        begun = time.monotonic()
        self.ours("work", self.ids()[0], "--parallel", str(number), "--wait")
        return time.monotonic() - begun

    def ids(self) -> list[str]:
        """Name the specs."""
        return sorted(path.stem for path in (self.clone / ".chant" / "specs").glob("*.md"))

    def ours(self, *words: str, folder: Path | None = None) -> str:
        """Run a command of ours, and give what it prints."""
        folder = folder or self.clone
        command = [*OURS, *words]
        done = subprocess.run(
            command, cwd=folder, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(
                f"{json.dumps(words)} ended with {done.returncode}: {done.stdout}{done.stderr}"
            )
        return done.stdout

    def trust(self, folder: Path) -> None:
        """Trust a clone."""
        hash = re.findall(r"\b[0-9a-f]{16,64}\b", self.ours("trust", "--show", folder=folder))[-1]
        self.ours("trust", "--yes", hash, folder=folder)


def write(line: str) -> None:
    """Print a row at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Measure, and print the rows."""
    parser = argparse.ArgumentParser(prog="python -m bench.leases")
    parser.add_argument("agents", nargs="*", type=int, default=list(_AGENTS))
    parser.add_argument("--transport", nargs="+", choices=TRANSPORTS, default=list(TRANSPORTS))
    parser.add_argument("--seconds", type=float, default=1, help="how long each agent works")
    parser.add_argument("--brief", action="store_true", help="only short intervals, to see that it works")
    parser.add_argument("--checks", action="store_true", help="only runs with a check, by `leases.checks`")
    asked = parser.parse_args()
    if asked.checks:
        for number in asked.agents:
            _print_checks(number, asked.seconds)
        return
    write("| Transport | Agents | Without leases | With leases | Pushes | A minute |")
    write("|---|---|---|---|---|---|")
    for transport in asked.transport:
        for number in asked.agents:
            _print_row(transport, number, asked.seconds, _HASTY if asked.brief else _USUAL)
    write("\n| Transport | Landings a second | Without leases | A look, with its process |")
    write("|---|---|---|---|")
    for transport in asked.transport:
        _print_speeds(transport, 2 if asked.brief else _LANDINGS)


def _print_row(transport: Transport, number: int, seconds: float, leases: str) -> None:
    with open_project(transport, number, seconds, "") as project:
        without = project.work(number)
    with open_project(transport, number, seconds, leases) as project:
        before = len(project.remote.pushes())
        took = project.work(number)
        pushes = len(project.remote.pushes()) - before
        landed = project.remote.git("rev-list", "--merges", "--count", "main")
        if landed != str(number):
            raise RuntimeError(f"{landed} of {number} landed")
    rate = 60 * pushes / max(took, 60)
    write(f"| {transport} | {number} | {without:.1f} s | {took:.1f} s | {pushes} | {rate:.1f} |")


def _print_checks(number: int, seconds: float) -> None:
    """Print what landings cost whose specs name a check, on each branch and on what lands."""
    write("| `leases.checks` | Specs | Landed in | Landings a minute | Check runs | Pushes |")
    write("|---|---|---|---|---|---|")
    for of in ("branch", "merged"):
        settings = _CHECKS.format(of=of, seconds=_CHECK_SECONDS)
        with open_project("path", number, seconds, settings, check=" <!-- check: unit -->") as project:
            before = len(project.remote.pushes())
            took = project.work(number)
            pushes = len(project.remote.pushes()) - before
            landed = project.remote.git("rev-list", "--merges", "--count", "main")
            if landed != str(number):
                raise RuntimeError(f"{landed} of {number} landed")
            logs = (project.clone / ".chant" / "logs").glob("*.log")
            checks = sum(log.read_text(encoding="utf-8").count(" out checked\n") for log in logs)
        write(f"| {of} | {number} | {took:.1f} s | {60 * number / took:.0f} | {checks} | {pushes} |")


def _print_speeds(transport: Transport, number: int) -> None:
    """Print how many runs of no work land in a second at a short interval, and what a look costs."""
    with open_project(transport, number, 0, "") as project:
        without = number / project.work(number)
    with open_project(transport, number, 0, _HASTY) as project:
        landed = number / project.work(number)
        other = project.remote.clone(project.clone.parent / "other")
        project.trust(other)
        times: list[float] = []
        for _ in range(_ROUNDS):
            begun = time.monotonic()
            project.ours("leases", "--look", folder=other)
            times.append(time.monotonic() - begun)
    write(f"| {transport} | {landed:.1f} | {without:.1f} | {statistics.median(times):.2f} s |")


@contextmanager
def open_project(
    transport: Transport,
    number: int,
    seconds: float,
    leases: str,
    config: str = _CONFIG,
    check: str = "",
) -> Generator[BenchProject]:
    """Make a project on a remote with some specs, and a trusted clone of it."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _home(Path(folder)) as environment,
        open_remote(Path(folder), transport) as remote,
    ):
        clone = remote.clone(Path(folder) / "clone")
        specs = clone / ".chant" / "specs"
        specs.mkdir(parents=True)
        (clone / ".chant" / "config.md").write_text(config.format(leases=leases, seconds=f"{seconds:g}"))
        for at in range(number):
            text = _SPEC.format(name=f"note{at + 1:03}", seconds=f"{seconds:g}", check=check)
            (specs / f"2026-01-22-{at + 1:03}-abc.md").write_text(text)
        git(clone, "add", "--all")
        git(clone, "commit", "--quiet", "--message", "Specs")
        git(clone, "push", "--quiet", "origin", "HEAD:main")
        project = BenchProject(clone, remote, environment)
        project.trust(clone)
        yield project


@contextmanager
def _home(folder: Path) -> Generator[dict[str, str]]:
    """Keep everything of a trial in its own folder."""
    home = folder / "home"
    home.mkdir()
    before = dict(os.environ)
    os.environ.update(
        HOME=str(home), XDG_STATE_HOME=str(home / "state"), XDG_CONFIG_HOME=str(home / "config")
    )
    try:
        for key, value in {"user.name": "Bench", "user.email": "bench@example.com"}.items():
            git(folder, "config", "--global", key, value)
        yield dict(os.environ)
    finally:
        os.environ.clear()
        os.environ.update(before)


def git(folder: Path, *words: str) -> str:
    """Run git, and give what it prints."""
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    main()
