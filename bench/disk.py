"""What the disk alone takes for a change."""

from __future__ import annotations

import os
import time
from pathlib import Path


def durable_replace(target: Path, size: int) -> float:
    """Replace a file by one of so many bytes so that it outlives a crash; return the seconds that takes."""
    temporary, content = target.with_name(".replaced.tmp"), b"x" * size
    begin = time.perf_counter()
    file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    os.write(file, content)
    os.fsync(file)
    os.close(file)
    temporary.replace(target)
    directory = os.open(target.parent, os.O_RDONLY)
    os.fsync(directory)
    os.close(directory)
    return time.perf_counter() - begin
