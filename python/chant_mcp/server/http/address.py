"""Where a server listens, and under which names it may be called."""

from __future__ import annotations

import errno
import ipaddress
import os
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass

from chant_mcp.errors import InvalidArgumentError, RefusedError

HOST = "127.0.0.1"
"""Where a server listens unless another host is named."""

PORT = 19560
"""The port that is taken unless one is named (seed speckit, tool discovery)."""

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
"""Names under which this machine calls itself."""

_WANTED = re.compile(
    r"(?P<port>[0-9]+)|(?P<host>\[[^]]+\]|[^-:\[\]/\s][^:\[\]/\s]*)(:(?P<hosts_port>[0-9]+))?"
)

_BACKLOG = 100
"""How many connections may wait to be accepted."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port to listen at."""

    host: str = HOST
    port: int | None = None
    """None for the usual one, or a free one when that is taken; 0 for any free one."""


@dataclass(frozen=True, slots=True)
class Listener:
    """A socket that listens."""

    socket: socket.socket

    @property
    def ip(self) -> str:
        """The address it listens at."""
        return self.socket.getsockname()[0]

    @property
    def port(self) -> int:
        """The port it got."""
        return self.socket.getsockname()[1]

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return ipaddress.ip_address(self.ip.partition("%")[0]).is_loopback

    @property
    def url(self) -> str:
        """The URL under which this machine reaches it, without a path."""
        here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.ip, self.ip)
        return f"http://{_in_url(here)}:{self.port}"


def address(text: str) -> Address:
    """Read `[HOST:]PORT`; a host alone has the usual port, nothing at all is the usual address.

    Raises:
        InvalidArgumentError: When the text is none of these.
    """
    if not text:
        return Address()
    found = _WANTED.fullmatch(text)
    given = found and (found["port"] or found["hosts_port"])
    if found is None or (given is not None and int(given) > 65535):
        raise InvalidArgumentError(
            f"`{text}` is not an address. Expected PORT or HOST:PORT, such as {PORT} or {HOST}:{PORT}."
        )
    host = (found["host"] or HOST).strip("[]")
    return Address(host, None if given is None else int(given))


def listen(wanted: Address) -> Listener:
    """Listen at an address.

    Raises:
        RefusedError: When the port asked for is taken, or the host is none of this machine.
    """
    if wanted.port is not None:
        return _listener(wanted.host, wanted.port)
    try:
        return _listener(wanted.host, PORT)
    except _Taken:
        return _listener(wanted.host, 0)


@dataclass(frozen=True, slots=True)
class Names:
    """Under which names a server may be called: no foreign one is among them."""

    hosts: Sequence[str]
    """Values of the header `Host`."""
    origins: Sequence[str]
    """Values of the header `Origin`."""


def names(listener: Listener, host: str, others: Sequence[str]) -> Names:
    """Give the names that a server answers to.

    Args:
        listener: Where it listens.
        host: The host as the user named it.
        others: Further names that the user allows, also of a proxy that speaks TLS. One without a port stands
            for itself, as clients leave the usual ports out, and for itself with the port of the listener.
    """
    own = dict.fromkeys([*_LOOPBACK, _in_url(listener.ip), _in_url(host)])
    with_port = [f"{name}:{listener.port}" for name in own]
    # A browser leaves the usual port of HTTP out.
    bare = list(own) if listener.port == 80 else []
    here = [*with_port, *bare]
    allowed = [each for name in others for each in _with_ports(name, listener.port)]
    origins = [f"http://{name}" for name in [*here, *allowed]]
    return Names([*here, *allowed], [*origins, *(f"https://{name}" for name in allowed)])


class _Taken(RefusedError):
    """Another program listens there."""


def _listener(host: str, port: int) -> Listener:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as error:
        raise RefusedError(
            f"The host `{host}` is not known here. Name an address of this machine."
        ) from error
    # Without the protocol asyncio would let answers wait for the other side's acknowledgement.
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":
            # Elsewhere this would let two servers listen at one port.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind(place)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise _refusal(host, port, error) from error
    return Listener(listening)


def _refusal(host: str, port: int, error: OSError) -> RefusedError:
    where = f"{_in_url(host)}:{port}"
    free = f"Use `--http {_in_url(host)}:0` for a free port."
    if error.errno == errno.EADDRINUSE:
        return _Taken(f"{where} is taken by another program.\n{free}")
    if error.errno == errno.EADDRNOTAVAIL:
        return RefusedError(
            f"`{host}` is not an address of this machine.\nUse `--http {PORT}` to listen here only."
        )
    why = os.strerror(error.errno) if error.errno else str(error)
    return RefusedError(f"Cannot listen at {where}: {why}.\n{free}")


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _with_ports(name: str, port: int) -> tuple[str, ...]:
    return (name,) if _has_port(name) else (name, f"{name}:{port}")


def _has_port(name: str) -> bool:
    return re.search(r":[0-9]+$", name) is not None and (name.startswith("[") or name.count(":") == 1)
