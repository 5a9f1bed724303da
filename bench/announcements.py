"""Times from a file's change to the event that a client hears: `python -m bench.announcements [SPECS …]`.

A tenth of a second of each is the gathering of what changes together. Below the times: what a server spends
while a client listens and nothing changes.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from bench.corpus import build
from bench.wire import INITIALIZE, INITIALIZED, OURS, request

_ROUNDS = 15
_IDLE = 10.0
"""Seconds of nothing."""


class Listener:
    """A client that says `initialized` and subscribes to one spec."""

    def __init__(self, root: Path, id: str) -> None:
        """Start a server and wait until every change is announced."""
        command = [*OURS, "mcp"]
        self._process = subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[bytes] = self._process.stdin
        self._from: IO[bytes] = self._process.stdout
        self.ask(request("initialize", INITIALIZE))
        self._send(INITIALIZED)
        self.ask(request("resources/subscribe", {"uri": f"chant://spec/{id}"}, 2))

    def ask(self, message: dict[str, Any]) -> None:
        """Send a request and wait for its answer."""
        self._send(message)
        while json.loads(self._from.readline()).get("id") != message["id"]:
            pass

    def hear(self, method: str) -> None:
        """Wait for an event."""
        while json.loads(self._from.readline()).get("method") != f"notifications/{method}":
            pass

    def spent(self) -> float:
        """Give the seconds of processor time that the server has taken."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(") ")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def end(self) -> None:
        """End the server."""
        self._to.close()
        self._process.wait()

    def _send(self, message: dict[str, Any]) -> None:
        self._to.write(json.dumps(message).encode() + b"\n")
        self._to.flush()


def _measured(root: Path, ids: Sequence[str]) -> dict[str, float]:
    id = ids[len(ids) // 2]
    path = next((root / ".chant" / "specs").rglob(f"{id}.md"))
    begin = time.monotonic()
    client = Listener(root, id)
    found = {"until a client listens": time.monotonic() - begin}
    changed: list[float] = []
    for number in range(_ROUNDS):
        text = path.read_text("utf-8")
        begin = time.monotonic()
        path.write_text(f"{text}\nRound {number}.\n", encoding="utf-8")
        client.hear("resources/updated")
        changed.append(time.monotonic() - begin)
    added: list[float] = []
    for number in range(_ROUNDS):
        begin = time.monotonic()
        new = path.with_name(f"2031-01-01-{number:03}-new.md")
        new.write_text("---\ntype: code\nstatus: pending\n---\n\n# New\n", encoding="utf-8")
        client.hear("resources/list_changed")
        added.append(time.monotonic() - begin)
    found["changed file, median"] = statistics.median(changed)
    found["changed file, longest"] = max(changed)
    found["new file, median"] = statistics.median(added)
    found["new file, longest"] = max(added)
    before = client.spent()
    time.sleep(_IDLE)
    found["processor time of a quiet second"] = (client.spent() - before) / _IDLE
    client.end()
    return found


def main() -> None:
    """Measure at each size."""
    for specs in map(int, sys.argv[1:] or ("1000", "20000")):
        with tempfile.TemporaryDirectory() as folder:
            corpus = build(Path(folder) / "project", specs, commits=1)
            ids = sorted(path.stem for path in (corpus.root / ".chant" / "specs").rglob("*.md"))
            for name, seconds in _measured(corpus.root, ids).items():
                sys.stdout.write(f"| {name} | {specs:,} | {seconds * 1_000:.1f} ms |\n")


if __name__ == "__main__":
    main()
