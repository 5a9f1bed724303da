"""Processor time of commands that only read: `python -m bench.command_starts [SPECS …]`; see README.md."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.corpus import kept

_ROUNDS = 15

_PYTHON = (sys.executable, "-I", "-c", "pass")
"""What any program in this Python costs at least."""

_PROGRAM = str(Path(sys.executable).with_name("chant-mcp"))


def _processor_time(words: tuple[str, ...], folder: Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # Installed programs are compiled; where files may not be written, each start would compile them again.
    compiled = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    quiet = subprocess.DEVNULL
    subprocess.run(words, cwd=folder, stdout=quiet, stderr=quiet, env=compiled, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(folder: Path, id: str) -> dict[str, list[float]]:
    """Start each command in turn, so that all meet the same load; seconds by command."""
    commands = {
        "python": _PYTHON,
        "python again": _PYTHON,
        **{
            " ".join(words): (_PROGRAM, *words)
            for words in (("--version",), ("list",), ("ready",), ("search", "log"), ("status",))
        },
        "show": (_PROGRAM, "show", id),
        "graph": (_PROGRAM, "graph"),
    }
    for words in commands.values():
        _processor_time(words, folder)
    samples: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(_ROUNDS):
        for name, words in commands.items():
            samples[name].append(_processor_time(words, folder))
    return samples


def main() -> None:
    """Measure at each size, in the projects that `bench.run` keeps."""
    folder = Path(tempfile.gettempdir()) / "chant-mcp-bench"
    folder.mkdir(parents=True, exist_ok=True)
    sizes = [int(size) for size in sys.argv[1:] or ("1000",)]
    lines = ["| Command | " + " | ".join(f"{size:,} specs" for size in sizes) + " |"]
    lines.append("|---" * (len(sizes) + 1) + "|")
    columns: dict[str, list[str]] = {}
    for size in sizes:
        corpus = kept(folder, size)
        first = min((corpus.root / ".chant" / "specs").glob("*.md")).stem
        samples = measure(corpus.root, first)
        base = statistics.median(samples["python"])
        for name, taken in samples.items():
            middle = statistics.median(taken)
            columns.setdefault(name, []).append(f"{middle * 1000:.0f} ms ({middle / base:.1f} ×)")
    lines += (f"| `{name}` | {' | '.join(cells)} |" for name, cells in columns.items())
    lines.append(
        f"\nLoad: {os.getloadavg()[0]:.1f}; medians of {_ROUNDS}; × is that of a Python that does nothing."
    )
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
