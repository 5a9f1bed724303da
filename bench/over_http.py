"""Measures warm calls over HTTP, ours and a plain server's: `python -m bench.over_http`; see README.md."""

from __future__ import annotations

import argparse
import http.client
import itertools
import json
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from rich.console import Console

from bench.corpus import kept
from bench.rows import Limits, Row, compared
from bench.run import table
from bench.wire import ENVELOPE, INITIALIZE, OURS, PLAIN, Call, Era

_SPECS = 1_000
_LIKE_PLAIN = Limits(1.3)

_PATIENCE = 60.0
"""Seconds in which a server has to listen."""

_WARM = 10
"""Calls of each kind before the clock runs."""


class Server:
    """A server process over HTTP, ready for calls on one connection."""

    def __init__(self, command: Sequence[str], folder: Path, era: Era) -> None:
        """Start a server and shake hands where the era does."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = cast(int, free.getsockname()[1])
        self._process = subprocess.Popen(
            [*command, str(port)], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._connection = _connected(port)
        self._numbers = itertools.count(1)
        self._era = era
        self._headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if era == "handshake":
            session = self._post(_message(0, "initialize", INITIALIZE)).getheader("mcp-session-id")
            self._headers |= {"mcp-session-id": session or "", "mcp-protocol-version": "2025-11-25"}
            self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        else:
            self._headers |= {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call"}

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()
        self._process.terminate()
        self._process.wait(timeout=60)

    def call(self, call: Call) -> float:
        """Call a tool.

        Returns:
            Seconds until the last byte of the answer.

        Raises:
            RuntimeError: When the call failed: its time would be that of an error.
        """
        params: dict[str, Any] = {"name": call.tool, "arguments": call.arguments}
        headers = dict(self._headers)
        if self._era == "modern":
            params["_meta"] = ENVELOPE
            headers["mcp-name"] = call.tool
        body = json.dumps(_message(next(self._numbers), "tools/call", params))
        begin = time.perf_counter()
        self._connection.request("POST", "/mcp", body, headers)
        text = self._connection.getresponse().read()
        seconds = time.perf_counter() - begin
        answer = json.loads((re.search(rb"^(?:data: )?(\{.*\})\r?$", text, re.M) or [b"", b"{}"])[1])
        if "result" not in answer or answer["result"].get("isError"):
            raise RuntimeError(f"the call failed: {text[:500]!r}")
        return seconds

    def _post(self, message: Mapping[str, Any]) -> http.client.HTTPResponse:
        self._connection.request("POST", "/mcp", json.dumps(message), self._headers)
        answer = self._connection.getresponse()
        answer.read()
        return answer


def _connected(port: int) -> http.client.HTTPConnection:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    latest = time.monotonic() + _PATIENCE
    while time.monotonic() < latest:
        with suppress(OSError):
            connection.connect()
            return connection
        time.sleep(0.1)
    raise RuntimeError(f"nobody listens at {port}")


def _message(id: int, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def measured(folder: Path, rounds: int, era: Era) -> list[Row]:
    """Warm calls of both servers, one after the other in each round, in an order that changes."""
    corpus = kept(folder, _SPECS)
    ours = [*OURS, "serve", "--no-auth", "--http"]
    calls = {
        "plain call": Call("noop", {}),
        "status": Call("chant_status", {}),
        "spec_get": Call("chant_spec_get", {"id": corpus.sample[0]}),
        "ready, page of 50": Call("chant_ready", {}),
    }
    samples: dict[str, list[float]] = {name: [] for name in calls}
    with Server([*PLAIN, "--http"], folder, era) as plain, Server(ours, corpus.root, era) as server:
        for round in range(-_WARM, rounds):
            for name in random.sample(list(calls), len(calls)):
                seconds = (plain if name == "plain call" else server).call(calls[name])
                if round >= 0:
                    samples[name].append(seconds)
    yardstick = statistics.median(samples.pop("plain call"))
    return [
        compared(f"{name}, {era}", _SPECS, taken, yardstick, _LIKE_PLAIN) for name, taken in samples.items()
    ]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.over_http", description=__doc__)
    parser.add_argument("--rounds", type=int, default=300, help="samples of each call")
    folder = Path(tempfile.gettempdir()) / "chant-mcp-bench"
    parser.add_argument("--folder", type=Path, default=folder, help="where projects are kept")
    given = parser.parse_args()
    at = cast(Path, given.folder).absolute()
    at.mkdir(parents=True, exist_ok=True)
    rounds = cast(int, given.rounds)
    rows = [*measured(at, rounds, "handshake"), *measured(at, rounds, "modern")]
    Console(width=140).print(table(rows, markdown=not sys.stdout.isatty()))


if __name__ == "__main__":
    main()
