"""What a large folder of dependencies costs a run: `python -m bench.environment`; see README.md."""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from chant_mcp import resources
from chant_mcp._core import ChantProject
from rich.console import Console

_WITHOUT_NAMESPACES = "CHANT_CONFINE_NO_NAMESPACES"
_AT_ONCE = 8
_MODES = ("mounted", "copied", "bare")
_CHECK = """
date +began=%s.%N
begun=$(date +%s%N)
cat node_modules/p*/1.js | cksum
echo took=$(( $(date +%s%N) - begun ))
"""
"""Reads a file of each package, as tests do, and says when it began and how long that took."""

_AGENT = """
cat node_modules/p1/1.js >/dev/null 2>&1
date +%s.%N > "$CHANT_SPEC_ID.txt"
while test -e {wait}; do sleep 0.05; done
sed -i "s/- \\[ \\]/- [x]/" .chant/specs/*"$CHANT_SPEC_ID"*
date +%s.%N >> "$CHANT_SPEC_ID.txt"
git add -A; git commit -qm Work
"""
_STEP = """
import os
for package in range({packages}):
    os.makedirs(f"node_modules/p{{package}}")
    for number in range({files}):
        with open(f"node_modules/p{{package}}/{{number}}.js", "w") as file:
            file.write("x" * 700)
"""
_CONFIG = """---
defaults: {{provider: sh}}
agents: {{sh: {{command: [sh, {agent}]}}}}
checks: {{tests: [sh, {check}]}}
limits: {{agents_at_once: {limit}}}
environment:
  recipes:
    node: {{inputs: [package.json], steps: [[python3, {step}]], outputs: [node_modules]}}
---
"""


class _Bench:
    """A project with one recipe, and an agent that says when it begins."""

    def __init__(self, home: Path, specs: int, packages: int, files: int) -> None:
        self.home = home
        self.root = home / "project"
        self.wait = home / "project" / ".wait"
        step, agent, self.check = home / "step.py", home / "agent.sh", home / "check.sh"
        self.step = step
        self.check.write_text(_CHECK, encoding="utf-8")
        step.write_text(_STEP.format(packages=packages, files=files), encoding="utf-8")
        agent.write_text(_AGENT.format(wait=self.wait), encoding="utf-8")
        self.ids = [f"2026-01-22-{number:03}-abc" for number in range(1, specs + 1)]
        place = self.root / ".chant" / "specs"
        place.mkdir(parents=True)
        for id in self.ids:
            text = (
                f"---\ntype: code\nstatus: pending\n---\n\n# {id}\n\n## Acceptance Criteria\n\n"
                "- [ ] Works <!-- check: tests -->\n"
            )
            (place / f"{id}.md").write_text(text, encoding="utf-8")
        config = _CONFIG.format(agent=agent, step=step, check=self.check, limit=2 * _AT_ONCE)
        (self.root / ".chant" / "config.md").write_text(config, encoding="utf-8")
        (self.root / "package.json").write_text("{}", encoding="utf-8")
        (self.root / ".gitignore").write_text("node_modules/\n.wait\n", encoding="utf-8")
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "Specs"]):
            subprocess.run(["git", *words], cwd=self.root, check=True)

    def open(self, mode: str) -> ChantProject:
        """Open the project as a process that may mount, or may not."""
        os.environ.pop(_WITHOUT_NAMESPACES, None)
        if mode == "copied":
            os.environ[_WITHOUT_NAMESPACES] = "1"
        return ChantProject(
            self.root,
            user_config=Path(os.environ["XDG_CONFIG_HOME"]) / "chant" / "config.md",
            environment=dict(os.environ),
            program=[sys.executable, "-m", "chant_mcp"],
            prompts=Path(resources.__file__).parent / "prompts",
        )

    def start(self, project: ChantProject, mode: str) -> tuple[str, float]:
        """Start a run of the next spec."""
        id = self.ids.pop()
        begun = time.time()
        project.work_start(id, bare=mode == "bare")
        return id, begun

    def times(self, id: str) -> tuple[float, float]:
        """Wait for the end of a run; say when its agent began, and when it ended."""

        def landed() -> str:
            shown = ["git", "show", f"main:{id}.txt"]
            return subprocess.run(shown, cwd=self.root, capture_output=True, text=True, check=False).stdout

        _wait_for(landed)
        begun, ended = landed().split()
        return float(begun), float(ended)

    def checked(self, id: str) -> tuple[float, float]:
        """Say when the check of a run began, and how many seconds its command took."""
        log = (self.root / ".chant" / "logs" / f"{id}.log").read_text("utf-8")
        return _check_times(log)

    def own_check(self) -> float:
        """Give the seconds that the same command takes in the person's own checkout."""
        done = subprocess.run(["sh", self.check], cwd=self.root, capture_output=True, text=True, check=True)
        return _check_times(done.stdout)[1]

    def used(self, *, layers: bool) -> int:
        """Count the bytes on the disk of the layers, or of the folders of runs."""
        found = 0
        for folder in (Path(os.environ["XDG_STATE_HOME"]) / "chant-mcp" / "worktrees").glob("*/*"):
            if (folder.name == ".layers") == layers:
                listed = subprocess.run(["du", "-sk", folder], capture_output=True, text=True, check=False)
                found += 1024 * int(listed.stdout.split()[0])
        return found


def _wait_for(condition: Callable[[], object]) -> None:
    while not condition():
        time.sleep(0.05)


def _check_times(output: str) -> tuple[float, float]:
    return float(output.split("began=")[-1].split()[0]), int(output.split("took=")[-1].split()[0]) / 1e9


@dataclass
class _Times:
    """What runs of one mode took, in seconds."""

    start: list[float] = field(default_factory=list[float])
    """From the command to the agent's first act."""
    check_start: list[float] = field(default_factory=list[float])
    """From the agent's last act to the check's first."""
    check: list[float] = field(default_factory=list[float])
    """What the check's command took."""


def _starts(bench: _Bench, rounds: int) -> tuple[dict[str, _Times], list[float]]:
    times = {mode: _Times() for mode in _MODES}
    own: list[float] = []
    for _ in range(rounds):
        for mode in _MODES:
            id, asked = bench.start(bench.open(mode), mode)
            begun, ended = bench.times(id)
            times[mode].start.append(begun - asked)
            at, took = bench.checked(id)
            times[mode].check_start.append(at - ended)
            times[mode].check.append(took)
        own.append(bench.own_check())
    return times, own


def _disk(bench: _Bench, mode: str) -> int:
    """Count the bytes of eight runs at once."""
    project = bench.open(mode)
    bench.wait.touch()
    started = [bench.start(project, mode)[0] for _ in range(_AT_ONCE)]
    used = bench.used(layers=False)
    bench.wait.unlink()
    for id in started:
        bench.times(id)
    return used


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.environment", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--packages", type=int, default=1000)
    parser.add_argument("--files", type=int, default=50, help="in each package")
    asked = parser.parse_args()
    rounds = cast(int, asked.rounds)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        home = Path(name).resolve()
        os.environ.update(
            HOME=str(home), XDG_STATE_HOME=str(home / "state"), XDG_CONFIG_HOME=str(home / "config")
        )
        (home / ".gitconfig").write_text(
            "[user]\n\tname = Ada\n\temail = ada@example.org\n", encoding="utf-8"
        )
        settings = home / "config" / "chant" / "config.md"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"---\ntrust: {{roots: [{home}]}}\n---\n", encoding="utf-8")
        bench = _Bench(home, 3 * rounds + 2 * _AT_ONCE, cast(int, asked.packages), cast(int, asked.files))
        bench.open("mounted").environment_build()
        subprocess.run([sys.executable, bench.step], cwd=bench.root, check=True)
        # Folders of copies that are still being removed would count.
        disk = {"mounted": _disk(bench, "mounted")}
        times, own = _starts(bench, rounds)
        layer = bench.used(layers=True)
        disk["copied"] = _disk(bench, "copied")
        load = os.getloadavg()[0]
        with suppress(OSError):
            subprocess.run(["chmod", "-R", "u+rwx", home], capture_output=True, check=False)
    console = Console(highlight=False)
    count = cast(int, asked.packages) * cast(int, asked.files)
    console.print(f"{count} files, {layer / 1e6:.0f} MB on the disk; load {load:.1f}")
    bare, own_check = statistics.median(times["bare"].start), statistics.median(own)
    for mode, found in times.items():
        median, check_start = statistics.median(found.start), statistics.median(found.check_start)
        console.print(f"{mode}: {median:.2f} s until the agent begins, {median - bare:.2f} s more than bare")
        share = statistics.median(found.check) / own_check
        ran = "" if mode == "bare" else f"; its command takes {share:.2f} × that in the own checkout"
        console.print(f"{mode}: {check_start:.2f} s from the agent's last act until its check begins{ran}")
    console.print(f"own checkout: {own_check:.3f} s for the command of the check")
    for mode, used in disk.items():
        share = (layer + used) / layer
        console.print(
            f"{mode}: {_AT_ONCE} runs at once take {share:.2f} × the room of one copy, layer included"
        )


if __name__ == "__main__":
    _main()
