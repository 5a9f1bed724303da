"""Processes of our own program, copied from one that has imported it (see `fork_server.py`)."""

from __future__ import annotations

import array
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

SERVER = Path(__file__).with_name("fork_server.py")


def _special(variables: Mapping[str, str]) -> dict[str, str]:
    """Pick the variables that an interpreter reads when it starts."""
    # Compiled files are kept, whatever the machine says: `conftest.py` sees to it.
    kept = {name: value for name, value in variables.items() if name.startswith(("PYTHON", "LD_"))}
    kept.pop("PYTHONDONTWRITEBYTECODE", None)
    return kept


_USUAL = _special(os.environ)
"""Those of the tests: a copy has them, and no test's own."""


def can_fork(command: list[str], environment: dict[str, str], options: dict[str, Any]) -> bool:
    """Return whether a copy is as good as a new process: our own program, without anything special."""
    is_ours = command[:3] == [sys.executable, "-m", "chant_mcp"] or command[:2] == [sys.executable, "-c"]
    known_options = {"stdin", "stdout", "stderr", "env", "cwd", "start_new_session", "bufsize"}
    is_usual = _special(environment) == _special(os.environ) == _USUAL
    return sys.platform == "linux" and is_ours and is_usual and options.keys() <= known_options


class ForkedProcess:
    """A process as `subprocess.Popen` gives it, as far as tests use that."""

    def __init__(
        self,
        command: list[str],
        folder: Path,
        *,
        env: dict[str, str] | None = None,
        start_new_session: bool = False,
        **streams: Any,
    ) -> None:
        """Start `command`, whose first word is the interpreter, in a folder."""
        self.args = command
        self.returncode: int | None = None
        ends = [self._stream(name, streams.get(name), number) for number, name in enumerate(_STREAMS)]
        self.stdin: IO[bytes] | None = ends[0][1]
        self.stdout: IO[bytes] | None = ends[1][1]
        self.stderr: IO[bytes] | None = ends[2][1]
        environment = dict(os.environ) if env is None else dict(env)
        request = json.dumps([command[1:], str(folder), environment, start_new_session])
        self._ends, theirs = socket.socketpair()
        with theirs:
            given = array.array("i", [*(end for end, _, _ in ends), theirs.fileno()])
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, given)
            _fork_server(os.getpid()).sendmsg([request.encode()], [rights])
        for end, _, is_own in ends:
            if is_own:
                os.close(end)
        self._told = b""
        self.pid = self._next_number(None)
        self._lock = threading.Lock()

    def _stream(self, name: str, wanted: Any, number: int) -> tuple[int, IO[bytes] | None, bool]:
        """Give the end for the process, ours, and whether the first is to be closed here."""
        if wanted == subprocess.PIPE:
            reader, writer = os.pipe()
            if name == "stdin":
                return reader, os.fdopen(writer, "wb"), True
            return writer, os.fdopen(reader, "rb"), True
        if wanted == subprocess.DEVNULL:
            return os.open(os.devnull, os.O_RDWR), None, True
        if wanted is None:
            return number, None, False
        return wanted if isinstance(wanted, int) else wanted.fileno(), None, False

    def _next_number(self, until: float | None) -> int:
        while b"\n" not in self._told:
            left = None if until is None else max(0.0, until - time.monotonic())
            if not select.select([self._ends], [], [], left)[0]:
                raise TimeoutError
            piece = self._ends.recv(64)
            assert piece, "the fork server ended"
            self._told += piece
        number, _, self._told = self._told.partition(b"\n")
        return int(number)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and give the exit code.

        Raises:
            subprocess.TimeoutExpired: When it goes on.
        """
        until = None if timeout is None else time.monotonic() + timeout
        with self._lock:
            if self.returncode is None:
                try:
                    self.returncode = self._next_number(until)
                except TimeoutError:
                    assert timeout is not None
                    raise subprocess.TimeoutExpired(self.args, timeout) from None
                self._ends.close()
            return self.returncode

    def poll(self) -> int | None:
        """Give the exit code, if it has ended."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended; another thread may wait for that meanwhile."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def communicate(self, input: bytes | None = None, timeout: float | None = None) -> tuple[bytes, bytes]:
        """Write everything, read everything, and wait for the end.

        Raises:
            subprocess.TimeoutExpired: When it goes on.
        """
        until = None if timeout is None else time.monotonic() + timeout
        read: dict[str, bytes] = {"stdout": b"", "stderr": b""}

        def write() -> None:
            if self.stdin and not self.stdin.closed:
                with suppress(BrokenPipeError):
                    self.stdin.write(input or b"")
                    self.stdin.close()

        def listen(name: str, pipe: IO[bytes]) -> None:
            read[name] = pipe.read()
            pipe.close()

        threads = [threading.Thread(target=write, daemon=True)]
        for name, pipe in (("stdout", self.stdout), ("stderr", self.stderr)):
            if pipe and not pipe.closed:
                threads.append(threading.Thread(target=listen, args=(name, pipe), daemon=True))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(None if until is None else max(0.0, until - time.monotonic()))
            if thread.is_alive():
                assert timeout is not None
                raise subprocess.TimeoutExpired(self.args, timeout)
        self.wait(None if until is None else max(0.01, until - time.monotonic()))
        return read["stdout"], read["stderr"]

    def __enter__(self) -> ForkedProcess:
        """Use it as a context: its pipes are closed and its end is waited for."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the pipes, and wait."""
        for pipe in (self.stdin, self.stdout, self.stderr):
            if pipe is not None:
                pipe.close()
        self.wait()


_STREAMS = ("stdin", "stdout", "stderr")


_SERVERS: list[subprocess.Popen[bytes]] = []


@functools.cache
def _fork_server(_process: int) -> socket.socket:
    """Start the fork server of this process; it ends when this one does."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        command = [sys.executable, str(SERVER), str(theirs.fileno())]
        # It belongs to no test: they know their processes by the home folder, and what one sets for us is
        # read when we are imported.
        of_test = ("HOME", "CHANT_")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(of_test)}
        _SERVERS.append(
            subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, cwd="/", env=environment
            )
        )
    return ours
