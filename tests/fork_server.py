"""A process that has imported our program once, and copies itself for each process that a test starts.

A server process spends most of a second of processor time on imports. A copy of a process that has
imported everything is there at once and is otherwise the same: a process of its own, with its own
arguments, environment, folder, standard streams and exit code. `harness.started_process` uses it for our own
program; what has to be a new process in every respect is started as one there.

The requests come over a Unix socket, one datagram each with the three standard streams and a socket
that hears of the process: its number, later its exit code.
"""

from __future__ import annotations

import array
import atexit
import gc
import importlib
import io
import json
import os
import select
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import Any, NamedTuple

LARGEST_REQUEST = 1 << 20

_IMPORTED = (
    "chant_mcp.background",
    "chant_mcp.cli",
    "chant_mcp.commands.serve",
    "chant_mcp.demo.agent",
    "chant_mcp.server.app",
    "chant_mcp.server.http.app",
    "chant_mcp.toolsets.chant",
    "chant_mcp.toolsets.speckit",
    "chant_mcp.toolsets.tickets",
    "chant_mcp.toolsets.vine",
)
"""What copies have imported before they begin. Nothing here may start a thread or open a file."""


class Request(NamedTuple):
    """A process that is wanted."""

    words: list[str]
    """`["-m", "chant_mcp", …]` or `["-c", program, …]`, as the interpreter is given them."""
    folder: str
    environment: dict[str, str]
    has_own_session: bool


def serve(requests: socket.socket) -> None:
    """Copy this process for each request, until no one can make one any more."""
    wakes, woken = os.pipe()
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    listeners: dict[int, socket.socket] = {}
    while True:
        ready, _, _ = select.select([requests, wakes], [], [])
        if wakes in ready:
            os.read(wakes, 4096)
            _report_ends(listeners)
        if requests in ready:
            message, descriptors = _receive(requests)
            if not message:
                return
            *streams, listener = descriptors
            process = os.fork()
            if process == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                for descriptor in (wakes, woken, listener, requests.detach()):
                    os.close(descriptor)
                for other in listeners.values():
                    other.close()
                try:
                    _become(Request(*json.loads(message)), streams)
                except SystemExit as ended:
                    _end(ended.code)
            for stream in streams:
                os.close(stream)
            listeners[process] = socket.socket(fileno=listener)
            _tell(listeners[process], process)


def _receive(requests: socket.socket) -> tuple[bytes, list[int]]:
    size = array.array("i").itemsize
    message, ancillary, _, _ = requests.recvmsg(LARGEST_REQUEST, socket.CMSG_SPACE(4 * size))
    descriptors = array.array("i")
    for _, _, data in ancillary:
        descriptors.frombytes(data[: len(data) - len(data) % size])
    return message, list(descriptors)


def _report_ends(listeners: dict[int, socket.socket]) -> None:
    while listeners:
        process, status = os.waitpid(-1, os.WNOHANG)
        if process == 0:
            return
        with listeners.pop(process) as listener:
            _tell(listener, os.waitstatus_to_exitcode(status))


def _tell(listener: socket.socket, number: int) -> None:
    with suppress(OSError):  # the test that started it may have ended
        listener.send(f"{number}\n".encode())


def _become(request: Request, streams: list[int]) -> None:
    """Be the process that is wanted, to its end."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        if stream > 2:
            os.close(stream)
    _open_standard_streams()
    if request.has_own_session:
        os.setsid()
    os.chdir(request.folder)
    for name in [name for name in os.environ if name not in request.environment]:
        del os.environ[name]
    os.environ.update(request.environment)
    time.tzset()
    sys.path.insert(0, "" if request.words[0] == "-c" else request.folder)
    option, program, *arguments = request.words
    if option == "-c":
        sys.argv = ["-c", *arguments]
        module: dict[str, Any] = {"__name__": "__main__", "__builtins__": __builtins__}
        exec(compile(program, "<string>", "exec"), module)
    else:
        main = importlib.import_module(f"{program}.__main__")
        sys.argv = [str(main.__file__), *arguments]
        main.main()
    raise SystemExit(0)


def _end(code: object) -> None:
    """End as Python does, but leave the modules to the system: to take them apart copies all their pages."""
    if code is not None and not isinstance(code, int):
        sys.stderr.write(f"{code}\n")
        code = 1
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # closed, or nobody reads it
            stream.flush()
    os._exit(code or 0)


def _open_standard_streams() -> None:
    """Have Python look at the streams as it does when it starts."""
    sys.stdin = sys.__stdin__ = _stream(0, sys.stdin.encoding, "strict")
    sys.stdout = sys.__stdout__ = _stream(1, sys.stdout.encoding, "strict", line_buffering=os.isatty(1))
    sys.stderr = sys.__stderr__ = _stream(2, sys.stderr.encoding, "backslashreplace", line_buffering=True)


def _stream(number: int, encoding: str, errors: str, *, line_buffering: bool = False) -> io.TextIOWrapper:
    mode = "rb" if number == 0 else "wb"
    binary = os.fdopen(number, mode, closefd=False)
    return io.TextIOWrapper(binary, encoding, errors, line_buffering=line_buffering)


if __name__ == "__main__":
    sys.path.pop(0)  # the folder of this file
    for name in _IMPORTED:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
