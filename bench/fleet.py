"""What a second look at many repositories costs: `python -m bench.fleet [REPOSITORIES]`.

Repositories are made here, each with twelve specs, a plan of six tasks, a feature and other files. A pass is
a new fleet with its tables of items and edges, in a process of its own, so that nothing is known but what
lies in the cache folder. Every figure is the median of three rounds, each with a cache of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

_ROUNDS = 3
_CHANGED = 10
_PASS = """
import sys, time
from chant_mcp import Fleet
Fleet([])
begin, used = time.perf_counter(), time.process_time()
fleet = Fleet(sys.argv[1])
tables = fleet.items().table(), fleet.edges().table(), fleet.runs().table(), fleet.problems
print(time.perf_counter() - begin, time.process_time() - used)
print(fleet.read, len(tables[0]), len(tables[1]), len(tables[3]))
"""


def _files(number: int) -> Iterator[tuple[str, str]]:
    """The files of a repository."""
    for spec in range(12):
        status = "completed" if spec < 4 else "pending"
        waits = f"depends_on:\n- 2026-01-22-{spec:03}-aaa\n" if spec else ""
        text = "The text of a spec says what is to be done and why. " * 20
        criteria = "## Acceptance Criteria\n\n- [ ] It is done\n- [ ] It is written down\n"
        body = f"# Spec {spec} of {number}\n\n{text}\n\n{criteria}"
        name = f".chant/specs/2026-01-22-{spec + 1:03}-aaa.md"
        yield name, f"---\ntype: code\nstatus: {status}\n{waits}---\n\n{body}"
    tasks = "---\n".join(f"[t{task}] Task {task} (notstarted)\n-> t{task + 1}\n" for task in range(5))
    yield "plan.vine", f"vine 1.2.0\ntitle: Plan\n---\n{tasks}---\n[t5] Task 5 (notstarted)\n"
    yield (
        "specs/060-login/tasks.md",
        "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 Make it\n- [ ] T002 Fill it\n",
    )
    for other in range(30):
        yield f"src/part{other % 5}/file{other}.txt", f"File {other} of {number}\n" * 40


def make_repository(folder: Path, number: int) -> None:
    """Make a repository with one commit."""
    subprocess.run(["git", "init", "-q", "--template=", "-b", "main", folder], check=True)
    lines = ["commit refs/heads/main", "committer A <a@example.org> 1700000000 +0000", "data 5", "Begin"]
    stream = ("\n".join(lines) + "\n").encode()
    for name, text in _files(number):
        data = text.encode()
        stream += f"M 100644 inline {name}\ndata {len(data)}\n".encode() + data + b"\n"
    subprocess.run(["git", "fast-import", "--quiet"], cwd=folder, input=stream, check=True)


def change_repository(folder: Path) -> None:
    """Add a commit that completes a spec."""
    text = "---\ntype: code\nstatus: completed\n---\n\n# Done\n"
    lines = ["commit refs/heads/main", "committer A <a@example.org> 1700000001 +0000", "data 3", "End"]
    lines += ["from refs/heads/main^0", "M 100644 inline .chant/specs/2026-01-22-006-aaa.md"]
    stream = "\n".join(lines) + f"\ndata {len(text)}\n{text}\n"
    subprocess.run(
        ["git", "fast-import", "--quiet", "--force"], cwd=folder, input=stream.encode(), check=True
    )


@dataclass(frozen=True)
class _Pass:
    """What one look cost, and what it saw."""

    wall: float
    processor: float
    counts: tuple[int, ...]


def _look(pattern: str, cache: Path) -> _Pass:
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    command = [sys.executable, "-c", _PASS, pattern]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    wall, processor, *counts = done.stdout.split()
    return _Pass(float(wall), float(processor), tuple(map(int, counts)))


def _round(folders: list[Path], changed: list[Path], cache: Path) -> Iterator[tuple[str, _Pass]]:
    """Look at repositories for the first time, again, and after some of them have moved."""
    pattern = str(folders[0].parent / "*")
    yield "first", _look(pattern, cache)
    yield "second", _look(pattern, cache)
    for folder in changed:
        change_repository(folder)
    yield f"{len(changed)} moved", _look(pattern, cache)


def main(count: int) -> None:
    """Make repositories, look at them and print what it costs."""
    passes: dict[str, list[_Pass]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        base = Path(temporary)
        folders = [base / "src" / f"repository{number:04}" for number in range(count)]
        for number, folder in enumerate(folders):
            make_repository(folder, number)
        for number in range(_ROUNDS):
            changed = folders[number * _CHANGED : (number + 1) * _CHANGED]
            for name, look in _round(folders, changed, base / f"cache{number}"):
                passes.setdefault(name, []).append(look)
    out = sys.stdout.write
    out("| look | read | items | edges | problems | s | of the first | processor s | of the first |\n")
    out("|---|---|---|---|---|---|---|---|---|\n")
    for name, looks in passes.items():
        cells = [name, *map(str, looks[-1].counts)]
        for figure in ("wall", "processor"):
            took, first = (
                median(getattr(look, figure) for look in some) for some in (looks, passes["first"])
            )
            cells += [f"{took:.3f}", f"{took / first:.1%}"]
        out(f"| {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
