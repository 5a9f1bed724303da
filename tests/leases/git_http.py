"""Smart HTTP for tests: `git http-backend` behind a small server."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from http.client import parse_headers
from http.server import BaseHTTPRequestHandler
from io import BufferedReader
from pathlib import Path
from typing import IO, cast
from urllib.parse import unquote, urlsplit

Program = Callable[..., AbstractContextManager[subprocess.Popen[bytes]]]
"""Runs a program with the options of `Popen` until a block ends."""

PIECE = 1 << 16


def serve_http(
    connection: socket.socket, root: Path, program: Program, status: Callable[[], int | None]
) -> None:
    """Answer the requests of one connection for the repositories below a folder.

    Args:
        connection: A connection of a client.
        root: Where the repositories lie.
        program: Runs `git http-backend`.
        status: Gives the status with which every request is refused now; None to serve them.
    """

    class Handler(_BackendHandler):
        project_root = root
        run_program = staticmethod(program)
        refusal = staticmethod(status)

    # A client that goes away in the middle is what many tests are about.
    with suppress(OSError, ValueError):
        Handler(connection, connection.getpeername(), None)  # pyright: ignore[reportArgumentType]


class _BackendHandler(BaseHTTPRequestHandler):
    """Passes requests to the program of git and its answers back, both as they come."""

    protocol_version = "HTTP/1.1"
    project_root: Path
    run_program: Program
    refusal: Callable[[], int | None]

    def do_GET(self) -> None:
        """Advertise refs, or give a file."""
        self._answer()

    def do_POST(self) -> None:
        """Fetch or push."""
        self._answer()

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: tests read what git says."""

    def _answer(self) -> None:
        status = self.refusal()
        if status is None:
            self._pass_to_git()
        else:
            self._refuse(status)

    def _refuse(self, status: int) -> None:
        self.close_connection = True
        words = b"Too many requests.\n" if status == 429 else b"Not now.\n"
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(words)))
        self.send_header("Retry-After", "1")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(words)

    def _pass_to_git(self) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with self.run_program(["git", "http-backend"], env=self._environment(), **pipes) as backend:
            answering = threading.Thread(target=self._pass_answer, args=(backend.stdout,), daemon=True)
            answering.start()
            try:
                self._feed(cast("IO[bytes]", backend.stdin))
            finally:
                answering.join()

    def _environment(self) -> dict[str, str]:
        """Give what CGI passes on of a request."""
        url = urlsplit(self.path)
        meta = {
            "GATEWAY_INTERFACE": "CGI/1.1",
            "GIT_HTTP_EXPORT_ALL": "1",
            "GIT_PROJECT_ROOT": str(self.project_root),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol"),
            "CONTENT_LENGTH": self.headers.get("Content-Length"),
            "CONTENT_TYPE": self.headers.get("Content-Type"),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding"),
            "PATH_INFO": unquote(url.path),
            "QUERY_STRING": url.query,
            "REMOTE_ADDR": self.client_address[0],
            "REMOTE_USER": "tester",
            "REQUEST_METHOD": self.command,
            "SERVER_PROTOCOL": self.request_version,
        }
        return {**os.environ, **{name: value for name, value in meta.items() if value is not None}}

    def _feed(self, stdin: IO[bytes]) -> None:
        """Write the whole body; what the backend does not want is read all the same, a request may follow."""
        # A backend that has answered already reads no more.
        with suppress(BrokenPipeError), stdin:
            for piece in self._body():
                with suppress(BrokenPipeError):
                    stdin.write(piece)
                    stdin.flush()

    def _body(self) -> Iterator[bytes]:
        """Give the request's body in pieces, whether its length was said or it comes in chunks."""
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            while length := int(self.rfile.readline().split(b";")[0], 16):
                yield from self._pieces(length)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
        else:
            yield from self._pieces(int(self.headers.get("Content-Length") or 0))

    def _pieces(self, length: int) -> Iterator[bytes]:
        while length > 0 and (piece := self.rfile.read1(min(length, PIECE))):
            length -= len(piece)
            yield piece

    def _pass_answer(self, answer: BufferedReader) -> None:
        with suppress(OSError), answer:
            headers = parse_headers(answer)
            if not headers:
                self.close_connection = True
                return
            self.send_response(int(headers.get("Status", "200").split()[0]))
            for name, value in headers.items():
                if name != "Status":
                    self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            while piece := answer.read1(PIECE):
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
