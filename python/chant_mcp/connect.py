"""From an agent inside a run to the run's own server outside: bytes both ways, nothing read or changed.

The runner of the run reads the named pipe `requests` in a folder that is this run's alone. To connect, a
process makes two named pipes with a name of its own beside it and writes the name into `requests`; the
server opens both and says so. No network and no socket is needed, so that it works where a run is given none.

It needs only the standard library, and little of it: it has to start at once.
"""

from __future__ import annotations

import errno
import os
import select
import sys
from contextlib import suppress

from chant_mcp.pipe_ends import has_writer

_AT_ONCE = 4096
"""Bytes that a ready pipe takes without blocking (PIPE_BUF on Linux)."""

_WELCOME = 60_000
"""Milliseconds in which the server answers; it may have to be started first."""

_UNREAD = 600
"""Milliseconds after which output that no one takes is given up, once the input has ended."""

_LONGEST = 1000
"""Bytes of a refusal that are read."""

_OVER = "The run is over, and its tools with it."


class NoConnection(Exception):
    """Why there is no connection."""


def connect(folder: str) -> int:
    """Connect standard input and output with the server of the run whose folder this is.

    Args:
        folder: The folder in which the run asks for its server.

    Returns:
        The exit code: 0 when the input ended first.
    """
    try:
        send, receive = _connected(folder)
    except NoConnection as error:
        return _refused(str(error))
    except OSError as error:
        return _refused(f"The tools of the run cannot be reached at {folder}: {error.strerror}")
    return 0 if _copied(send, receive) else _refused(_OVER)


def _refused(why: str) -> int:
    from chant_mcp.terminal import harmless  # most connections are not refused

    sys.stderr.write(harmless(f"Error: {why}\n"))
    return 1


def _connected(folder: str) -> tuple[int, int]:
    """Ask for a connection and wait for the server; give where to write and where to read."""
    requests = _requests(folder)
    name = os.urandom(16).hex()
    to_server, from_server = (os.path.join(folder, f"{name}.{end}") for end in ("in", "out"))
    try:
        os.mkfifo(to_server, 0o600)
        os.mkfifo(from_server, 0o600)
        receive = os.open(from_server, os.O_RDONLY | os.O_NONBLOCK)
        # A pipe that no one reads is not opened for writing.
        own_reader = os.open(to_server, os.O_RDONLY | os.O_NONBLOCK)
        send = os.open(to_server, os.O_WRONLY | os.O_NONBLOCK)
        os.write(requests, f"{name}\n".encode())
        _wait_for_welcome(requests, receive)
        os.close(own_reader)
    finally:
        os.close(requests)
        for path in (to_server, from_server):
            _remove(path)
    return send, receive


def _requests(folder: str) -> int:
    if not hasattr(os, "mkfifo"):
        raise NoConnection("Runs have no connections on this system.")
    try:
        return os.open(os.path.join(folder, "requests"), os.O_WRONLY | os.O_NONBLOCK)
    except FileNotFoundError:
        why = (
            f"There is no run at {folder}. `connect` is for agents that a run started, while it is under way."
        )
        raise NoConnection(why) from None
    except OSError as error:
        if error.errno == errno.ENXIO:  # no one reads
            raise NoConnection(_OVER) from None
        raise


def _wait_for_welcome(requests: int, receive: int) -> None:
    """Read the line with which the server begins: `+`, or `-` and why not."""
    waits = select.poll()
    waits.register(receive, select.POLLIN)
    for fd in (requests, 1):
        waits.register(fd, 0)  # reports when no one reads any more
    line = b""
    while not line.endswith(b"\n") and len(line) < _LONGEST:
        ready = dict(waits.poll(_WELCOME))
        if not ready:
            raise NoConnection("The run does not answer.")
        # Byte by byte: what follows is no line of ours.
        if receive in ready and (byte := os.read(receive, 1)):
            line += byte
        elif receive in ready or requests in ready:
            raise NoConnection(_OVER)
        else:
            raise NoConnection("Nothing reads the answers.")
    if not line.startswith(b"+"):
        raise NoConnection(line[1:].decode(errors="replace").strip())


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


class _Way:
    """Bytes on their way in one direction: what is read waits until it can be written."""

    def __init__(self, source: int, target: int) -> None:
        self.source, self.target = source, target
        self.waiting = b""
        self.has_ended = False
        self.is_cut = False
        """Whether it ended because no one reads at its end."""

    def wanted(self) -> tuple[int, int]:
        """Say which descriptor is waited for, and for what."""
        return (self.target, select.POLLOUT) if self.waiting else (self.source, select.POLLIN)

    def step(self) -> None:
        """Read or write once; the end of either side is the end of the way."""
        try:
            if self.waiting:
                self.waiting = self.waiting[os.write(self.target, self.waiting[:_AT_ONCE]) :]
            else:
                self.waiting = os.read(self.source, 16 * _AT_ONCE)
                self.has_ended = not self.waiting
        except BlockingIOError:
            pass
        except OSError:
            self.has_ended, self.is_cut = True, bool(self.waiting)


def _copied(send: int, receive: int) -> bool:
    """Copy until the server ends or no one listens to it; say whether our own side ended first."""
    forth, back = _Way(0, send), _Way(receive, 1)
    while not back.has_ended:
        open_ways = [way for way in (forth, back) if not way.has_ended]
        ready = _ready(open_ways)
        is_left = not ready and (forth.has_ended or not has_writer(forth.source))
        if is_left or ready.get(back.target, 0) & ~select.POLLOUT:
            return True  # who started this is gone
        for way in open_ways:
            if way.wanted()[0] in ready:
                way.step()
        if forth.has_ended and forth in open_ways:
            os.close(send)  # the server answers what was asked, and ends
    return back.is_cut or (forth.has_ended and not forth.is_cut)


def _ready(ways: list[_Way]) -> dict[int, int]:
    """Wait until a way goes on, or no one reads our output; for a moment only while that is full."""
    waits = select.poll()
    waits.register(1, 0)  # reports when no one reads any more
    for way in ways:
        waits.register(*way.wanted())
    is_full = any(way.target == 1 and way.waiting for way in ways)
    return dict(waits.poll(_UNREAD if is_full else None))
