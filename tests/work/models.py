"""Servers that speak as models do, on this machine: what they answer is a script."""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Messages = list[dict[str, Any]]


@dataclass(frozen=True)
class Says:
    """An answer: a text, and tools that are called with arguments."""

    text: str = ""
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


@dataclass(frozen=True)
class Refuses:
    """An answer that is none."""

    status: int
    message: str = "no"
    headers: dict[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Stalls:
    """An answer that begins and does not go on before the server ends."""

    text: str


Step = Says | Refuses | Stalls
Answer = Step | Callable[[Messages], Step]


def calls(tool: str, **arguments: Any) -> Says:
    """Make an answer that calls one tool."""
    return Says(calls=((tool, arguments),))


def done(summary: str = "All done.") -> Says:
    """Make the answer that ends a task."""
    return calls("task_complete", summary=summary)


def working(id: str, file: str) -> list[Answer]:
    """Make the answers of a model that does the work of a spec: reads, writes, ticks, commits, ends."""
    spec = f".chant/specs/{id}.md"

    def tick(messages: Messages) -> Step:
        return calls("write_file", path=spec, content=messages[-1]["content"].replace("- [ ]", "- [x]"))

    commit = f"git add -A && git commit -qm 'chant({id}): Work'"
    return [
        Says("I look around.\nThen I write.", (("list_files", {}), ("read_file", {"path": "ferry.txt"}))),
        calls("write_file", path=file, content="blue\n"),
        calls("read_file", path=spec),
        tick,
        calls("run_command", command=commit),
        done("Painted the ferry.\nNothing is open."),
    ]


class Model:
    """A model behind both protocols; each request gets the next answer."""

    def __init__(self, *answers: Answer) -> None:
        """Take the answers."""
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []
        """The bodies that came."""
        self.keys: list[str | None] = []
        """What each request said to be allowed by."""
        self.paths: list[str] = []
        self.ends = threading.Event()
        self.stalls = threading.Event()
        """Whether an answer has stalled."""
        self.url = ""

    @contextmanager
    def served(self, tls: ssl.SSLContext | None = None) -> Iterator[Model]:
        """Serve it."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        scheme = "http"
        if tls is not None:
            scheme = "https"
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        self.url = f"{scheme}://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield self
        finally:
            self.ends.set()
            server.shutdown()
            thread.join()
            server.server_close()

    def results(self) -> list[str]:
        """Give what the model got about its calls, by the last request."""
        return [message["content"] for message in self.requests[-1]["messages"] if message["role"] == "tool"]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                model.requests.append(body)
                model.keys.append(self.headers["authorization"])
                model.paths.append(self.path)
                step = model.answers.pop(0) if model.answers else Refuses(400, "the script is over")
                self._answer(step if not callable(step) else step(body["messages"]))

            def _answer(self, step: Step) -> None:
                is_ollama = self.path == "/api/chat"
                if isinstance(step, Refuses):
                    self.send_response(step.status)
                    for name, value in step.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(json.dumps({"error": {"message": step.message}}).encode())
                    return
                self.send_response(200)
                kind = "application/x-ndjson" if is_ollama else "text/event-stream"
                self.send_header("content-type", kind)
                self.end_headers()
                for piece in _ollama(step) if is_ollama else _openai(step):
                    self.wfile.write(piece)
                    self.wfile.flush()
                if isinstance(step, Stalls):
                    model.stalls.set()
                    model.ends.wait()

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        return Handler


def _ollama(step: Says | Stalls) -> Iterator[bytes]:
    def line(message: dict[str, Any], *, is_done: bool = False) -> bytes:
        return json.dumps({"message": message, "done": is_done}).encode() + b"\n"

    yield line({"role": "assistant", "content": step.text})
    if isinstance(step, Says):
        calls = [{"function": {"name": name, "arguments": given}} for name, given in step.calls]
        yield line({"role": "assistant", "content": "", "tool_calls": calls}, is_done=True)


def _openai(step: Says | Stalls) -> Iterator[bytes]:
    def event(delta: dict[str, Any]) -> bytes:
        return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta}]}).encode() + b"\n\n"

    yield event({"role": "assistant", "content": step.text})
    if isinstance(step, Says):
        for index, (name, given) in enumerate(step.calls):
            text = json.dumps(given)
            first = {"index": index, "id": f"call_{index}", "function": {"name": name, "arguments": text[:3]}}
            yield event({"tool_calls": [first]})
            yield event({"tool_calls": [{"index": index, "function": {"arguments": text[3:]}}]})
        yield b"data: [DONE]\n\n"
