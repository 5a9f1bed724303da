"""Trouble on demand for processes: writes that fail, a clock that jumps; trouble.c says how."""

from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

_ORDERS = struct.Struct("=5q")
"""In the order of trouble.c: seconds ahead; first, last; done, failed."""

_AHEAD, _FIRST, _LAST, _DONE, _FAILED = range(5)


def is_possible() -> bool:
    """Return whether processes can be troubled here: on Linux, with a C compiler."""
    return sys.platform == "linux" and shutil.which("cc") is not None


class Trouble:
    """What goes wrong for the processes that are started with its environment; at first nothing."""

    def __init__(self, folder: Path, below: Path, lacks: str = "") -> None:
        """Keep its own files in a folder; the writes meant are those below another one.

        What the file system there lacks for good, with commas: `locks`, `reading-locks`, `folder-flushes`,
        `links`, `kinds-of-renames`, `fine-stamps`.
        """
        folder.mkdir(parents=True, exist_ok=True)
        library = folder / "trouble.so"
        source = Path(__file__).with_name("trouble.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        orders = folder / "orders"
        orders.write_bytes(bytes(_ORDERS.size))
        with orders.open("r+b") as file:
            self._orders = mmap.mmap(file.fileno(), _ORDERS.size)
        self.environment = {
            "LD_PRELOAD": str(library),
            "TROUBLE_ORDERS": str(orders),
            "TROUBLE_BELOW": os.path.realpath(below),
            "TROUBLE_LACKS": lacks,
        }

    def fail(self, first: int = 1, last: int = 1 << 62) -> None:
        """Have the writes from one to another fail, counted from now on; by default all."""
        # None fails while the orders change.
        self._set(_LAST, 0)
        self._set(_DONE, 0)
        self._set(_FAILED, 0)
        self._set(_FIRST, first)
        self._set(_LAST, last)

    def heal(self) -> None:
        """Let writes succeed from now on."""
        self._set(_LAST, 0)

    def jump(self, seconds: int) -> None:
        """Set the clock so many seconds ahead of the true one; a negative number sets it back."""
        self._set(_AHEAD, seconds)

    @property
    def done(self) -> int:
        """How many writes there were since they were counted."""
        return self._get(_DONE)

    @property
    def failed(self) -> int:
        """How many of them failed."""
        return self._get(_FAILED)

    def _get(self, number: int) -> int:
        return struct.unpack_from("=q", self._orders, 8 * number)[0]

    def _set(self, number: int, value: int) -> None:
        struct.pack_into("=q", self._orders, 8 * number, value)
