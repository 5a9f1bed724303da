"""What a server spends on a client that asks and does not read."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import pytest
from harness import Project
from laws import TRIALS
from server.over_http import BOTH
from server.pipes import MODERN, initialize, modern, request
from work.kit import wait_for

from bench.torture import limited_server

ID = "2026-01-22-001-x7m"

_ASKED = 1_500

MODERN_HEADERS = {
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": "tools/call",
    "Mcp-Name": "chant_spec_get",
}


def _megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not say how much memory a process has")
def test_a_client_that_asks_and_does_not_read_is_not_read(project: Project) -> None:
    project.spec(ID, body="A line of some length that is said again and again.\n" * 3_000)
    command = [sys.executable, "-m", "chant_mcp", "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=project.root, stdin=pipe, stdout=pipe, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        stdin = server.stdin

        def write(*messages: object) -> None:
            stdin.write("".join(json.dumps(message) + "\n" for message in messages))
            stdin.flush()

        read = {"name": "chant_spec_get", "arguments": {"id": ID}}
        write(modern(request(0, "tools/list")), modern(request(1, "tools/call", read)))
        for _ in range(2):
            server.stdout.readline()
        before = _megabytes(server.pid)
        asked = [modern(request(number, "tools/call", read)) for number in range(2, _ASKED)]
        writer = threading.Thread(target=lambda: write(*asked), daemon=True)
        writer.start()
        # It takes what it reads ahead, and then no more.
        seen = [before]
        while len(seen) < 20 or seen[-1] > seen[-12] + 1:
            writer.join(0.1)
            seen.append(_megabytes(server.pid))
        assert writer.is_alive()
        assert seen[-1] < before + 80
        # Once the client reads, all that it asked for comes.
        ids = {json.loads(server.stdout.readline())["id"] for _ in asked}
        assert ids == set(range(2, _ASKED))
        stdin.close()
        assert server.wait(30) == 0


class _Limited:
    """A server with low limits."""

    def __init__(self, port: int) -> None:
        self._port = port

    def ask(
        self, method: str, path: str, message: object = None, more: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[int, bytes]:
        """Send one request by a connection of its own."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        headers = {
            "Authorization": f"Bearer {limited_server.TOKEN}",
            "Accept": BOTH,
            "Content-Type": "application/json",
        }
        headers.update(more)
        connection.request(method, path, None if message is None else json.dumps(message), headers)
        answer = connection.getresponse()
        status = answer.status
        text = answer.read()
        connection.close()
        return status, text

    def figures(self) -> dict[str, int]:
        """Read what it costs."""
        return json.loads(self.ask("GET", "/figures")[1])


@contextmanager
def _limited(root: Path, idle_seconds: float, max_count: int) -> Iterator[_Limited]:
    command = [sys.executable, limited_server.__file__, str(root), str(idle_seconds), str(max_count)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield _Limited(int(server.stdout.readline()))
        finally:
            server.terminate()


def test_sessions_have_a_limit_and_end_when_they_are_idle(project: Project) -> None:
    with _limited(project.root, 3600, 2) as server:
        assert [server.ask("POST", "/mcp", initialize(1))[0] for _ in range(2)] == [200, 200]
        status, text = server.ask("POST", "/mcp", initialize(1))
        assert (status // 100, server.figures()["sessions"]) != (2, 3), text
        assert status in (429, 503)
    with _limited(project.root, 0.3, 2) as server:
        for _ in range(3):
            assert server.ask("POST", "/mcp", initialize(1))[0] == 200
            wait_for(lambda: server.figures()["sessions"] == 0, "the end of the session")


@pytest.mark.skipif(sys.platform != "linux", reason="the system does not say how much memory a process has")
def test_many_calls_and_sessions_take_no_more_memory_descriptors_or_threads(project: Project) -> None:
    project.spec(ID, body="# A spec\n")
    read = request(1, "tools/call", {"name": "chant_spec_get", "arguments": {"id": ID}})
    with _limited(project.root, 0.3, 1_000) as server:

        def use(times: int) -> None:
            for number in range(times):
                assert server.ask("POST", "/mcp", modern(read), MODERN_HEADERS)[0] == 200
                if number % 5 == 0:
                    assert server.ask("POST", "/mcp", initialize(1))[0] == 200
            wait_for(lambda: server.figures()["sessions"] == 0, "the end of the sessions")

        use(150)  # what is made once is made
        before = server.figures()
        calls = 300 * TRIALS
        use(calls)
        after = server.figures()
    assert after["calls"] >= before["calls"] + calls
    assert after["descriptors"] <= before["descriptors"] + 2
    assert after["threads"] <= before["threads"] + 2
    # What is noise in a short form is a slope of less than 1 MB in 100,000 calls in a long one.
    assert after["memory_megabytes"] <= before["memory_megabytes"] + 5 + calls / 100_000
