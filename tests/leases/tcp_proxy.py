"""A proxy on loopback that delays, cuts, silences and swallows what a client and a remote say."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from leases.listener import LOOPBACK, LoopbackListener, shut

PIECE = 1 << 16

PUSH_ANSWER = 2
"""The turn in which a server says how a push ended, over `git://` and HTTP: the first one advertises refs."""


@dataclass(frozen=True)
class LinkMode:
    """What a connection does to the bytes on it; by default nothing."""

    delay_up: float = 0.0  # seconds before each piece on its way to the server
    delay_down: float = 0.0  # the same on its way to the client
    limit_up: int | None = None  # bytes that get to the server at most
    limit_down: int | None = None  # bytes that get to the client at most
    at_limit: Literal["cut", "silence"] = (
        "cut"  # "silence": the connection stays open, nothing passes any more
    )
    lost_answer: int | None = None  # the server's answer in this turn is swallowed, then both ends are closed
    applies_to: Callable[[bytes], bool] = lambda _: True  # whether that is so, by the first bytes of a client


PASS = LinkMode()

HALF_OPEN = LinkMode(limit_up=0, limit_down=0, at_limit="silence")
"""Accepts a connection and never answers."""

ANSWER_LOST = LinkMode(lost_answer=PUSH_ANSWER)
"""The server got the push and did it; the client sees a closed connection.

Over HTTP curl sends such a push again by itself, on a connection of the next number: git then says it was
rejected, though it was done.
"""


class TcpProxy:
    """Stands before a port on loopback; the mode of a connection is chosen when it begins.

    Attributes:
        mode: How new connections behave, until it is set again.
        choose: Gives the mode by the connection's number instead, counted from 1.

    Example:
        with TcpProxy(remote.port) as proxy:
            proxy.choose = lambda number: ANSWER_LOST if number % 3 == 0 else PASS
            remote.clone(folder, proxy.port)
    """

    def __init__(self, server_port: int) -> None:
        """Listen before the server's port on loopback."""
        self._server_port = server_port
        self.mode = PASS
        self.choose: Callable[[int], LinkMode] = lambda _: self.mode
        self._closing = threading.Event()
        self._listener = LoopbackListener(self._carry)

    def __enter__(self) -> TcpProxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def port(self) -> int:
        """The port for clients."""
        return self._listener.port

    @property
    def connections(self) -> int:
        """How many connections there were."""
        return self._listener.connections

    def refuse(self) -> None:
        """Refuse new connections from now on."""
        self._listener.refuse()

    def accept(self) -> None:
        """Accept connections again."""
        self._listener.accept()

    def cut(self) -> None:
        """Cut all connections that are open."""
        self._listener.cut()

    def close(self) -> None:
        """Cut everything and end."""
        self._closing.set()
        self._listener.close()

    def _carry(self, client: socket.socket, number: int) -> None:
        mode = self.choose(number)
        try:
            server = socket.create_connection((LOOPBACK, self._server_port))
        except OSError:
            return
        with server:
            self._listener.track(server)
            link = _Link(client, server, mode, self._closing)
            down = threading.Thread(target=link.carry_down, daemon=True)
            down.start()
            link.carry_up()
            down.join()
            shut(server)


class _Link:
    """Two directions of one connection."""

    def __init__(
        self, client: socket.socket, server: socket.socket, mode: LinkMode, closing: threading.Event
    ) -> None:
        self._client = client
        self._server = server
        self._mode = mode
        self._closing = closing
        self._lock = threading.Lock()
        self._turn = 0
        self._loses = True
        self._client_spoke_last = False

    def carry_up(self) -> None:
        self._carry(self._client, self._server, self._mode.delay_up, self._mode.limit_up, self._client_speaks)

    def carry_down(self) -> None:
        mode = self._mode
        self._carry(self._server, self._client, mode.delay_down, mode.limit_down, self._server_speaks)

    def _carry(
        self,
        source: socket.socket,
        goal: socket.socket,
        delay: float,
        limit: int | None,
        passes: Callable[[bytes], bool],
    ) -> None:
        carried = 0
        try:
            while piece := source.recv(PIECE):
                if not passes(piece):
                    continue
                if delay:
                    self._closing.wait(delay)
                kept = piece if limit is None else piece[: limit - carried]
                carried += len(kept)
                goal.sendall(kept)
                if len(kept) < len(piece) and self._mode.at_limit == "cut":
                    self._cut()
            if not self._is_silent(limit, carried):
                self._end(goal)
        except OSError:
            self._cut()

    def _is_silent(self, limit: int | None, carried: int) -> bool:
        """Return whether the end of one side is to stay unknown to the other."""
        return self._mode.at_limit == "silence" and limit is not None and carried >= limit

    def _end(self, goal: socket.socket) -> None:
        if goal is self._client and self._is_lost():
            self._cut()
        else:
            goal.shutdown(socket.SHUT_WR)

    def _client_speaks(self, piece: bytes) -> bool:
        with self._lock:
            if self._turn == 0 and self._mode.lost_answer is not None:
                self._loses = self._mode.applies_to(piece)
            if not self._client_spoke_last:
                self._client_spoke_last = True
                self._turn += 1
        return True

    def _server_speaks(self, _: bytes) -> bool:
        """Return whether the client gets what the server says; where not, the server is asked to end."""
        with self._lock:
            self._client_spoke_last = False
            if not self._is_lost():
                return True
        # It may keep the connection for a next request; it ends when none can come.
        self._server.shutdown(socket.SHUT_WR)
        return False

    def _is_lost(self) -> bool:
        lost = self._mode.lost_answer
        return lost is not None and self._loses and self._turn >= lost

    def _cut(self) -> None:
        shut(self._client)
        shut(self._server)
