"""What a running server costs: its sessions, calls, threads, descriptors and memory."""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

FIGURES_PATH = "/figures"
"""Where they are read, by those who show the server's token."""


@dataclass(slots=True)
class ServerFigures:
    """What is counted from the start of a server."""

    calls: int = 0
    began: float = field(default_factory=time.monotonic)

    def read(self, sessions: int) -> dict[str, Any]:
        """Give all figures; the system reports descriptors and memory on Linux only.

        Args:
            sessions: The sessions that are open.
        """
        return {
            "sessions": sessions,
            "calls": self.calls,
            "seconds": round(time.monotonic() - self.began),
            "threads": threading.active_count(),
            **(_read_system() if sys.platform == "linux" else {}),
        }


def _read_system() -> dict[str, Any]:
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    status = dict(line.split(":", 1) for line in lines if ":" in line)
    return {
        "threads": int(status["Threads"]),
        "descriptors": len(list(Path("/proc/self/fd").iterdir())),
        "memory_megabytes": round(int(status["VmRSS"].split()[0]) / 1024),
    }
