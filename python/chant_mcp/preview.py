"""Shows what the server of a run answers, in a frame that leads nowhere else.

What a run serves is a stranger's page: opened by itself, it could reach other servers of this machine by
requests, images and by leading the browser there. So two small servers lie before it, on loopback alone:

- the *frame*, a page of ours whose only content is a sandboxed frame, which may lead to the forwarder alone;
- the *forwarder*, under a host name of the run's own, so that cookies of two runs never mix. It hands on what
  the frame asks for, adds a policy that closes other origins, and refuses to be a page by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import socket
from collections.abc import Callable, Generator
from dataclasses import dataclass, field

HOST = "127.0.0.1"
MAX_HEAD = 64 * 1024
"""The greatest number of bytes of a head of HTTP."""
CHUNK = 64 * 1024
LOOK_SECONDS = 1.0
"""The time between two looks at whether the run goes on: another one may get its port."""
POLICY = "default-src 'self' 'unsafe-inline'; form-action 'self'; frame-ancestors {frame}"
_FRAME = """\
<!doctype html>
<meta charset="utf-8">
<title>{title}</title>
<style>
html, body, iframe {{ margin: 0; border: 0; width: 100%; height: 100% }}
body {{ overflow: hidden }}
</style>
<iframe sandbox="allow-scripts allow-forms allow-same-origin" src="{address}" title="{title}"></iframe>
"""
_HOP_BY_HOP = {"connection", "proxy-connection", "keep-alive"}


@dataclass
class _Head:
    """The head of a request or of a response."""

    line: str
    headers: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    @classmethod
    async def read(cls, reader: asyncio.StreamReader) -> _Head:
        text = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        line, *others = text[:-4].split("\r\n")
        pairs = (other.partition(":") for other in others)
        return cls(line, [(name.strip(), value.strip()) for name, _, value in pairs])

    def value(self, name: str) -> str:
        return next((value for key, value in self.headers if key.lower() == name), "")

    def without(self, names: set[str]) -> list[tuple[str, str]]:
        return [pair for pair in self.headers if pair[0].lower() not in names]

    def written(self) -> bytes:
        lines = [self.line, *(f"{name}: {value}" for name, value in self.headers)]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


class Preview:
    """The frame and the forwarder before a port of a run."""

    def __init__(self, name: str, port: int, connect: Callable[[int], int]) -> None:
        """Take the name of the run, which is part of a host name, and the port that its server listens on.

        `connect` returns a descriptor that is connected to a port of the loopback which the run sees.
        """
        self._connect = connect
        self._host = f"{name.lower()}.localhost"
        self._title = f"{name}, port {port}"
        self._upstream = port
        self.frame = ""
        self.address = ""

    async def serve(self, started: Callable[[str], None], goes_on: Callable[[], bool]) -> None:
        """Serve until the run has ended; `started` hears the address of the frame."""
        forwarder = await asyncio.start_server(self._forward, HOST, 0, limit=MAX_HEAD)
        frame = await asyncio.start_server(self._show, HOST, 0, limit=MAX_HEAD)
        async with forwarder, frame:
            self.address = f"http://{self._host}:{forwarder.sockets[0].getsockname()[1]}"
            self.frame = f"http://{HOST}:{frame.sockets[0].getsockname()[1]}"
            started(self.frame)
            while goes_on():
                await asyncio.sleep(LOOK_SECONDS)

    async def _show(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with _closing(writer):
            request = await _Head.read(reader)
            if request.value("host") != self.frame.removeprefix("http://"):
                await _refuse(writer, 421, "This name is not served here.")
                return
            words = {"title": html.escape(self._title), "address": self.address + "/"}
            policy = f"default-src 'none'; style-src 'unsafe-inline'; frame-src {self.address}"
            headers = [("Content-Type", "text/html; charset=utf-8"), ("Content-Security-Policy", policy)]
            headers += [("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY")]
            await _answer(writer, "200 OK", headers, _FRAME.format(**words))

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with _closing(writer):
            request = await _Head.read(reader)
            kind = request.value("sec-fetch-dest")
            if request.value("host") != self.address.removeprefix("http://"):
                await _refuse(writer, 421, "This name is not served here.")
            elif kind in ("", "document"):
                await _refuse(writer, 403, f"A preview is no page by itself. Open {self.frame} instead.")
            else:
                await self._hand_on(request, reader, writer)

    async def _hand_on(
        self, request: _Head, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            descriptor = await asyncio.to_thread(self._connect, self._upstream)
            connected = socket.socket(fileno=descriptor)
            answers, asks = await asyncio.open_connection(sock=connected, limit=MAX_HEAD)
        except OSError:
            await _refuse(writer, 502, f"Nothing listens on port {self._upstream} of the run.")
            return
        with _closing(asks):
            own = f"localhost:{self._upstream}"
            upgrades = request.value("upgrade") != ""
            headers = request.without({"host", "origin", *_HOP_BY_HOP})
            headers += [("Host", own), ("Connection", "Upgrade" if upgrades else "close")]
            if request.value("origin"):
                headers.append(("Origin", f"http://{own}"))
            asks.write(_Head(request.line, headers).written())
            sending = asyncio.ensure_future(_pump(reader, asks))
            try:
                response = await _Head.read(answers)
                if response.line.split(" ")[1:2] != ["101"]:
                    response = self._with_policy(response)
                writer.write(response.written())
                await _pump(answers, writer)
            finally:
                sending.cancel()

    def _with_policy(self, response: _Head) -> _Head:
        headers = response.without({"location", *_HOP_BY_HOP})
        headers += [("Connection", "close"), ("Content-Security-Policy", POLICY.format(frame=self.frame))]
        if target := response.value("location"):
            for host in ("localhost", HOST):
                target = target.removeprefix(f"http://{host}:{self._upstream}")
            headers.append(("Location", target or "/"))
        return _Head(response.line, headers)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(CHUNK):
            writer.write(chunk)
            await writer.drain()


async def _refuse(writer: asyncio.StreamWriter, status: int, why: str) -> None:
    await _answer(writer, f"{status} Refused", [("Content-Type", "text/plain; charset=utf-8")], why + "\n")


async def _answer(
    writer: asyncio.StreamWriter, status: str, headers: list[tuple[str, str]], text: str
) -> None:
    body = text.encode()
    length = [("Content-Length", str(len(body))), ("Connection", "close")]
    writer.write(_Head(f"HTTP/1.1 {status}", [*headers, *length]).written() + body)
    await writer.drain()


@contextlib.contextmanager
def _closing(writer: asyncio.StreamWriter) -> Generator[None]:
    try:
        # A broken request or a connection that ends early concerns nobody else.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError):
            yield
    finally:
        writer.close()
