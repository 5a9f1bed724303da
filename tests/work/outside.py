"""What lies outside of a run's network: a user's proxy, and a server that asks for a credential."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

#: What a process of a run does to reach something: each line of its standard input asks for one way, and it
#: prints how that went. It begins TLS by a real first message.
CLIENT = r"""
import os, socket, ssl, sys, urllib.error, urllib.request
from urllib.parse import urlsplit

def hello(host):
    context, incoming, outgoing = ssl._create_unverified_context(), ssl.MemoryBIO(), ssl.MemoryBIO()
    context.check_hostname = False
    try:
        context.wrap_bio(incoming, outgoing, server_hostname=host or None).do_handshake()
    except ssl.SSLWantReadError:
        return outgoing.read()

def connect(target, named=None, first=None):
    proxy = urlsplit(os.environ["HTTPS_PROXY"])
    with socket.create_connection((proxy.hostname, proxy.port), timeout=20) as stream:
        stream.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        status = stream.recv(4096).decode().split(" ")[1]
        if status != "200":
            return status
        stream.sendall(first or hello(target.rpartition(":")[0] if named is None else named))
        return stream.recv(4096).decode() or "closed"

def ask(address, method="GET", body=None, **headers):
    own = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(address, method=method, data=body, headers=headers)
    try:
        return own.open(request, timeout=20).read().decode()
    except urllib.error.HTTPError as error:
        return str(error.code)

def direct(host, port):
    with socket.create_connection((host, port), timeout=5) as stream:
        stream.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return stream.recv(4096).decode().split(" ")[1]

def datagram(host, port):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"out", (host, port))
        return "sent"

for line in sys.stdin:
    try:
        found = eval(line)
    except OSError as error:
        found = type(error).__name__
    print(line.strip(), "->", found, flush=True)
"""


@dataclass
class UsersProxy:
    """A proxy that leads each host to a server which answers a first message of TLS with a word."""

    port: int
    #: The hosts that were asked for.
    hosts: list[str] = field(default_factory=list[str])

    @property
    def address(self) -> str:
        """The address, as variables name it."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def users_proxy() -> Iterator[UsersProxy]:
    """Serve a proxy."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        proxy = UsersProxy(listener.getsockname()[1])

        def serve() -> None:
            while True:
                try:
                    stream, _ = listener.accept()
                except OSError:
                    return
                threading.Thread(target=answer, args=(stream,), daemon=True).start()

        def answer(stream: socket.socket) -> None:
            with stream:
                head = b""
                while b"\r\n\r\n" not in head:
                    head += stream.recv(1)
                proxy.hosts.append(head.split(b" ")[1].decode())
                stream.sendall(b"HTTP/1.1 200 Fine\r\n\r\n")
                if stream.recv(4096)[:1] == b"\x16":
                    stream.sendall(b"outside")

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield proxy
        finally:
            listener.shutdown(socket.SHUT_RDWR)


class _Api(BaseHTTPRequestHandler):
    """Answers with what it got."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Say what was asked for, and whether the credential was right."""
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size).decode()
        if self.headers.get("Transfer-Encoding") == "chunked":
            while (size := int(self.rfile.readline(), 16)) > 0:
                body += self.rfile.read(size).decode()
                self.rfile.readline()
        is_right = self.headers.get("X-Key") == "s3cret-of-the-user"
        said = f"{self.command} {self.path} {body or '-'} {'right' if is_right else 'wrong'}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def api() -> Iterator[int]:
    """Serve something that asks for a credential; gives the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
