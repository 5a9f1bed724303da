"""One call of a plugin's function, in a process of its own that ends when its time is over."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any

_START = 30.0
"""Seconds for a process to begin, beside those of the plugin: after these its own end is not waited for."""

_GRACE = 1.0
"""Seconds for a process to be gone that was killed."""

_MOST_BYTES = 64 << 20
"""Bytes that a plugin may answer."""


class PluginFailure(Exception):
    """A plugin gave no answer; the words say why, and follow its name."""


def call_plugin(
    program: Sequence[str], root: str, request: Mapping[str, Any], seconds: float
) -> Iterator[dict[str, Any]]:
    """Have a process call a function, and give what it prints, an object a line, as it comes.

    Args:
        program: Our own program, with the arguments before a command's name.
        root: The project's folder.
        request: What `commands/plugin_call.py` reads.
        seconds: How long the function may take, its import included; its process counts them itself.

    Raises:
        PluginFailure: It took longer, crashed, or printed no answer.
    """
    until = time.monotonic() + _START + seconds
    lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    command = [*program, "--project", root, "plugin-call"]
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise PluginFailure(f"was not asked: no process could be started ({error.strerror})") from error
    assert process.stdin is not None
    assert process.stdout is not None
    threading.Thread(target=_write, args=(process.stdin, request), daemon=True).start()
    threading.Thread(target=_read, args=(process.stdout, lines), daemon=True).start()
    try:
        yield from _answers(process, lines, until, seconds)
    finally:
        _end(process)


def _answers(
    process: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes | None], until: float, seconds: float
) -> Iterator[dict[str, Any]]:
    while True:
        try:
            line = lines.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise PluginFailure(f"did not answer within {seconds:g} seconds") from None
        if line is None:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE)
            raise PluginFailure(f"ended its process with exit code {process.poll()} before it answered")
        answer = _object(line)
        if "failure" in answer:
            raise PluginFailure(answer["failure"])
        if "end" in answer:
            return
        yield answer


def _object(line: bytes) -> dict[str, Any]:
    try:
        return json.loads(line)
    except ValueError:
        raise PluginFailure("broke the answer of its process") from None


def _write(pipe: IO[bytes], request: Mapping[str, Any]) -> None:
    with suppress(OSError), pipe:  # it ended before it read all, and that is found by who waits
        pipe.write(json.dumps(request).encode() + b"\n")


def _read(pipe: IO[bytes], lines: queue.SimpleQueue[bytes | None]) -> None:
    left = _MOST_BYTES
    with pipe:
        while left > 0 and (line := pipe.readline(left)):
            left -= len(line)
            lines.put(line)
    lines.put(None)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill it and what it started; a process that is gone leaves nothing of its group behind."""
    if sys.platform == "win32":
        process.kill()
    else:
        import os
        import signal

        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE)
