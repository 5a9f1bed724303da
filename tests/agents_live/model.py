"""A model on this machine, in four protocols: it does the work of a spec, and fails when it is to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import islice

import protocols
from conversation import Json, ModelReply, ModelRequest
from refusals import refusal_of
from script import NoTool


@dataclass(frozen=True)
class ModelFault:
    """What goes wrong instead of a reply, to requests of the conversation that is about the spec."""

    name: str
    times: int = 1_000_000
    """To how many requests, before all is well."""


WRONG_KEY = ModelFault("wrong key")
REFUSAL = ModelFault("refusal")
BROKEN_STREAM = ModelFault("broken stream", times=1)
FAULTS = (
    WRONG_KEY,
    ModelFault("rate limit", times=1),
    ModelFault("overload", times=1),
    REFUSAL,
    BROKEN_STREAM,
    ModelFault("unknown model"),
)
"""What can go wrong, by its name in the table."""


class LoopbackModel:
    """A model behind a server: what it was asked, and what it could not do."""

    def __init__(self, reply: Callable[[ModelRequest], ModelReply], fault: ModelFault | None = None) -> None:
        """Take what replies, and what goes wrong."""
        self.reply = reply
        self.fault = fault
        self.failures = 0
        """How many requests met the fault."""
        self.failed_at: float | None = None
        """When the first did, by the clock that only goes on."""
        self.requests: list[ModelRequest] = []
        self.paths: list[str] = []
        self.keys: set[str] = set()
        self.problems: list[str] = []
        """What a step needed and was not there, and paths that are known to no protocol."""
        self._lock = threading.Lock()

    def results(self) -> dict[str, str]:
        """Give what tools answered, by step, as the longest conversation has it."""
        longest = max(self.requests, key=lambda request: len(request.results), default=None)
        return {result.step: result.text for result in longest.results} if longest else {}

    @contextmanager
    def served(self) -> Iterator[str]:
        """Answer on a port of loopback; gives the URL."""
        model = self

        class Handler(_ModelHandler):
            asked = model

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def meets_fault(self) -> ModelFault | None:
        """Say what goes wrong with a request, and count it."""
        with self._lock:
            if not self.fault or self.failures >= self.fault.times:
                return None
            self.failures += 1
            self.failed_at = self.failed_at or time.monotonic()
            return self.fault


class _ModelHandler(BaseHTTPRequestHandler):
    asked: LoopbackModel
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._send(200, {})

    def do_GET(self) -> None:
        self.asked.paths.append(f"GET {self.path}")
        if self.headers.get("upgrade"):
            # A client that asks for a socket is refused at once.
            return self._send(426, {})
        name = "loopback-1"
        model = {"id": name, "object": "model", "type": "model", "name": name, "display_name": name}
        known = protocols.protocol_of(self.path) == "models"
        self._send(200 if known else 404, {"object": "list", "data": [model]} if known else {})

    def do_POST(self) -> None:
        with suppress(BrokenPipeError, ConnectionResetError):
            self._post()

    def _post(self) -> None:
        asked = self.asked
        length = int(self.headers.get("content-length") or 0)
        raw = self.rfile.read(length)
        asked.paths.append(f"POST {self.path}")
        for name in ("authorization", "x-api-key", "x-goog-api-key"):
            if self.headers.get(name):
                asked.keys.add(self.headers[name].removeprefix("Bearer "))
        protocol = protocols.protocol_of(self.path)
        if protocol is None:
            asked.problems.append(f"no protocol is known at {self.path}")
            return self._send(404, {"error": {"message": "not found"}})
        if protocol == "count":
            return self._send(200, {"input_tokens": len(raw) // 4})
        request = protocols.read_request(protocol, self.path, json.loads(raw or b"{}"))
        asked.requests.append(request)
        # What is asked beside the conversation, titles and the like, shares the key and not the trouble.
        shares = request.tools or asked.fault is WRONG_KEY
        fault = asked.meets_fault() if shares else None
        if fault and fault not in (REFUSAL, BROKEN_STREAM):
            refusal = refusal_of(fault.name, protocol, request.model)
            return self._send(refusal.status, refusal.body, refusal.headers)
        try:
            reply = asked.reply(request)
        except NoTool as missing:
            asked.problems.append(f"missing: {missing}")
            reply = ModelReply(f"I lack {missing}")
        if fault is REFUSAL:
            reply = ModelReply("I cannot help with that.", is_refusal=True)
        if request.streams:
            return self._stream(request, reply, breaks_off=fault is BROKEN_STREAM)
        self._send(200, protocols.whole_reply(request, reply))

    def _stream(self, request: ModelRequest, reply: ModelReply, *, breaks_off: bool) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        pieces = protocols.streamed_reply(request, reply)
        for piece in islice(pieces, 1 if breaks_off else None):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.flush()
        if breaks_off:
            self.close_connection = True
        else:
            self.wfile.write(b"0\r\n\r\n")

    def _send(self, status: int, body: Json, headers: dict[str, str] | None = None) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(raw)

    def log_message(self, format: str, *args: object) -> None:
        pass
