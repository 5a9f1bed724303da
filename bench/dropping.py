"""What it takes to drop a project, beside closing a watch: `python -m bench.dropping`; see README.md."""

from __future__ import annotations

import ctypes
import os
import statistics
import tempfile
import time
from pathlib import Path

from chant_mcp import ChantProject
from rich.console import Console

from bench.rows import Row
from bench.run import table

_ROUNDS = 200

_IN_CREATE = 0x100


def dropped(folder: Path) -> float:
    """Seconds to drop a project whose specs were listed."""
    project = ChantProject(folder)
    project.spec_list()
    begin = time.perf_counter()
    del project
    return time.perf_counter() - begin


def closed(folder: Path) -> float:
    """Seconds to close an inotify descriptor that watches one folder."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(os.O_CLOEXEC)
    if libc.inotify_add_watch(descriptor, os.fsencode(folder), _IN_CREATE) < 0:
        raise OSError(ctypes.get_errno(), "no watch", str(folder))
    begin = time.perf_counter()
    os.close(descriptor)
    return time.perf_counter() - begin


def main() -> None:
    """Measure both in turns."""
    with tempfile.TemporaryDirectory(prefix="chant-mcp-dropping-") as name:
        folder = Path(name)
        (folder / ".chant" / "specs").mkdir(parents=True)
        pairs = [(closed(folder), dropped(folder)) for _ in range(_ROUNDS)]
    closes, drops = zip(*pairs, strict=True)
    base = statistics.median(closes)
    rows = [
        Row("close a watch of one folder", 0, closes, plain=base),
        Row("drop a project that was asked", 0, drops, plain=base, promise="≤ 0.1 ×", most=base / 10),
    ]
    Console(width=140).print(table(rows, markdown=True))


if __name__ == "__main__":
    main()
