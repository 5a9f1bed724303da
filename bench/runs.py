"""What a run of a trivial agent costs of processor time: `python -m bench.runs`; see README.md."""

from __future__ import annotations

import argparse
import ctypes
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import cast

from chant_mcp import resources
from chant_mcp._core import ChantProject
from rich.console import Console

_SUBREAPER = 36
_ALONE = 15
_DECILES = 10
_AGENT = (
    'echo "$ID" > done.txt; sed -i "s/- \\[ \\]/- [x]/" .chant/specs/*"$ID"*; '
    'git add -A; git commit -qm "chant($ID): Work"\n'
)


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, check=True)


def _project(folder: Path, specs: int, script: Path) -> list[str]:
    ids = [f"2026-01-22-{number:03}-abc" for number in range(1, specs + 1)]
    place = folder / ".chant" / "specs"
    place.mkdir(parents=True)
    for id in ids:
        text = (
            f"---\ntype: code\nstatus: pending\n---\n\n# Spec {id}\n\n## Acceptance Criteria\n\n- [ ] Works\n"
        )
        (place / f"{id}.md").write_text(text, encoding="utf-8")
    config = f"---\ndefaults:\n  provider: sh\nagents:\n  sh:\n    command: [sh, '{script}']\n---\n"
    (folder / ".chant" / "config.md").write_text(config, encoding="utf-8")
    _git(folder, "init", "-q", "-b", "main")
    _git(folder, "add", "-A")
    _git(folder, "commit", "-qm", "Specs")
    return ids


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _reap() -> None:
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _alone(folder: Path, id: str, script: Path) -> float:
    """Measure the agent alone, in a clone."""
    clone = folder.with_name(f"clone-{id}")
    _git(folder, "clone", "-q", ".", str(clone))
    before = _children()
    environment = {**os.environ, "CHANT_SPEC_ID": id}
    subprocess.run(["sh", str(script)], cwd=clone, env=environment, check=True)
    return _children() - before


def _run(folder: Path, id: str) -> float:
    """Measure the runner with all that it starts; who starts it is left out."""
    before = _children()
    read, write = os.pipe()
    if os.fork() == 0:
        project = ChantProject(
            folder,
            user_config=Path(os.environ["XDG_CONFIG_HOME"]) / "chant" / "config.md",
            environment=dict(os.environ),
            program=[sys.executable, "-m", "chant_mcp"],
            prompts=Path(resources.__file__).parent / "prompts",
        )
        project.work_start(id)
        used = os.times()
        os.write(write, f"{used.user + used.system}".encode())
        os._exit(0)
    os.close(write)
    starter = float(os.read(read, 100))
    os.close(read)
    # Orphans come to us: the runner is one when who started it has ended.
    _reap()
    return _children() - before - starter


def _main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.runs", description=__doc__)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--specs", type=int, default=0, help="as many in the project, where that is more")
    asked = parser.parse_args()
    runs = cast(int, asked.runs)
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory() as name:
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
        script = home / "agent.sh"
        script.write_text(_AGENT.replace("$ID", "$CHANT_SPEC_ID"), encoding="utf-8")
        folder = home / "project"
        folder.mkdir()
        ids = _project(folder, max(runs, cast(int, asked.specs)), script)[:runs]
        alone: list[float] = []
        whole: list[float] = []
        begun = time.monotonic()
        # Another project of as many specs in which nothing ran: what else the machine does meets both alike.
        fresh_folder = home / "fresh"
        fresh_folder.mkdir()
        fresh_ids = _project(fresh_folder, max(runs, cast(int, asked.specs)), script)[:_ALONE]
        fresh: list[float] = []
        for number, id in enumerate(ids):
            # A clone a run would soon cost more than the runs.
            if number < _ALONE:
                alone.append(_alone(folder, id, script))
            if fresh_ids and runs - number <= len(fresh_ids):
                fresh.append(_run(fresh_folder, fresh_ids.pop(0)))
            whole.append(_run(folder, id))
        seconds = time.monotonic() - begun
        done = subprocess.run(
            ["git", "log", "--format=%s"], cwd=folder, capture_output=True, text=True, check=True
        )
        landed = sum(id in done.stdout for id in ids)
    console = Console(highlight=False)
    own = statistics.median(whole) - statistics.median(alone)
    console.print(f"{runs} runs, {landed} landed, {seconds:.1f} s")
    console.print(f"the agent alone    {statistics.median(alone) * 1000:6.0f} ms of processor time")
    console.print(f"the run with it    {statistics.median(whole) * 1000:6.0f} ms")
    console.print(f"ours               {own * 1000:6.0f} ms (promised: at most 200)")
    if runs >= _DECILES * 5:
        medians = [
            statistics.median(whole[runs * part // _DECILES : runs * (part + 1) // _DECILES])
            for part in range(_DECILES)
        ]
        late, early = statistics.median(whole[-len(fresh) :]), statistics.median(fresh)
        console.print("by tenths          " + " ".join(f"{median * 1000:.0f}" for median in medians) + " ms")
        console.print(
            f"the last {len(fresh)} in turns with a project without runs: {late * 1000:.0f} against "
            f"{early * 1000:.0f} ms, {late / early:.2f} x (promised: no slope)"
        )


if __name__ == "__main__":
    _main()
