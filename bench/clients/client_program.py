"""A client program at the other end of pipes: a request a line, and a line for its answer.

Each program connects, lists, reads, completes, subscribes, waits for an event (`hear`) or calls as it is
asked, and gives what its library gave, `{"got": …}`, or `{"error": …}`. Whether that is right is judged here,
so that the programs stay small.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LONGEST = 30.0
"""Seconds in which a program answers."""


class StepFailedError(Exception):
    """A step failed; the text says why."""


class NotSupportedError(Exception):
    """The client cannot do a step; the text says what it lacks."""


class ClientProgram:
    """A program that runs until it is ended."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], errors: Path) -> None:
        """Start it; what it writes to standard error goes into a file."""
        with errors.open("wb") as file:
            self._process = subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=file
            )
        self._errors = errors

    def ask(self, request: Mapping[str, Any]) -> Any:
        """Ask for a step and wait for what came of it.

        Raises:
            StepFailedError: When it failed.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        limit = threading.Timer(LONGEST, self._process.kill)
        limit.start()
        try:
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = b""
        finally:
            limit.cancel()
        if not line:
            said = self._errors.read_text("utf-8", errors="replace").strip()[-500:]
            raise StepFailedError(f"the program ended or gave no answer in {LONGEST:.0f} s; it said: {said}")
        answer = json.loads(line)
        if "error" in answer:
            raise StepFailedError(answer["error"])
        return answer["got"]

    def end(self) -> None:
        """End it, and the server that it started."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
