"""Accepts connections on a free port of loopback; remotes and the proxy of tests stand on it."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

LOOPBACK = "127.0.0.1"


class LoopbackListener:
    """Serves each connection in a thread of its own, until it is closed.

    The port is chosen by the system and stays ours while connections are refused.
    """

    def __init__(self, serve: Callable[[socket.socket, int], None]) -> None:
        """Listen at once; `serve` gets a connection and its number, counted from 1."""
        self._serve = serve
        self._threads: list[threading.Thread] = []
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listening: socket.socket | None = None
        self.connections = 0
        self._reserved = _bound_socket(0)
        self.port: int = self._reserved.getsockname()[1]
        self.accept()

    def __enter__(self) -> LoopbackListener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def accept(self) -> None:
        """Accept connections, again after they were refused."""
        if self._listening is None:
            self._listening = _bound_socket(self.port)
            self._listening.listen(64)
            self._start(self._accept_all, self._listening)

    def refuse(self) -> None:
        """Refuse connections from now on: no socket listens, the port stays bound. Open ones go on."""
        listening, self._listening = self._listening, None
        if listening is None:
            return
        # The thread that accepts sits in the kernel until one more connection comes.
        with contextlib.suppress(OSError):
            listening.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            socket.create_connection((LOOPBACK, self.port), timeout=5).close()
        listening.close()

    def track(self, connection: socket.socket) -> None:
        """Close this socket, too, when the listener is closed."""
        with self._lock:
            self._open.add(connection)

    def cut(self) -> None:
        """Cut all connections that are open."""
        with self._lock:
            for connection in self._open:
                shut(connection)

    def close(self) -> None:
        """Close every socket and wait for every thread."""
        self.refuse()
        self.cut()
        for thread in self._threads:
            thread.join(timeout=10)
        self._reserved.close()
        alive = [thread.name for thread in self._threads if thread.is_alive()]
        assert not alive, f"these threads do not end: {alive}"

    def _start(self, act: Callable[..., None], *words: object) -> None:
        thread = threading.Thread(target=act, args=words, name=f"port {self.port}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept_all(self, listening: socket.socket) -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            if self._listening is not listening:
                connection.close()
                return
            self.connections += 1
            self.track(connection)
            self._start(self._serve_one, connection, self.connections)

    def _serve_one(self, connection: socket.socket, number: int) -> None:
        try:
            self._serve(connection, number)
        finally:
            with self._lock:
                self._open.discard(connection)
            shut(connection)
            connection.close()


def shut(connection: socket.socket) -> None:
    """End both directions of a connection, also where the other side was first."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _bound_socket(port: int) -> socket.socket:
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    bound.bind((LOOPBACK, port))
    return bound
