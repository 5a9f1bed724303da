"""`python -m bench.torture.long_server`: what a server over HTTP takes that lives for weeks.

Clients read and edit, begin sessions and leave them, and have specs worked on. Of memory the slope over all
calls counts, of threads and descriptors what is left when the last session is over.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from bench.torture.limited_server import TOKEN
from bench.torture.sample_project import CONFIG, SPEC
from bench.wire import ENVELOPE, INITIALIZE

SLOPE = 1.0
"""Megabytes in 100,000 calls that memory may grow by."""

_MORE = 2
"""Threads and descriptors that come and go."""

_SAMPLES = 200
_WARM = 0.1
"""The part of all calls before which what is made once is made."""

_IDLE_SECONDS = 1.0
_PATIENCE = 120.0

_READ = "2026-01-22-001-x7m"
_EDIT_EACH = 50

Figures = Mapping[str, int]


class Client:
    """A client with a connection that lasts."""

    def __init__(self, port: int) -> None:
        """Connect to a server."""
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        self._headers = {
            "Authorization": f"Bearer {TOKEN}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }

    def call(self, tool: str, **arguments: object) -> str:
        """Call a tool; return the text of its answer, or of its error."""
        headers = {
            "MCP-Protocol-Version": str(ENVELOPE["io.modelcontextprotocol/protocolVersion"]),
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        params = {"name": tool, "arguments": arguments, "_meta": ENVELOPE}
        text = self._post("tools/call", params, headers)
        found = re.search(r"^(?:data: )?(\{.*\})\r?$", text, re.MULTILINE)
        answer = json.loads(found[1] if found else text)
        if "result" not in answer:
            raise RuntimeError(f"{tool}: {text[:500]}")
        return str(answer["result"]["content"][0]["text"])

    def begin_session(self) -> None:
        """Begin a session that is never asked anything."""
        self._post("initialize", INITIALIZE, {})

    def figures(self) -> Figures:
        """Read what the server takes."""
        self._connection.request("GET", "/figures", headers=self._headers)
        return json.loads(self._connection.getresponse().read())

    def _post(self, method: str, params: Mapping[str, Any], headers: Mapping[str, str]) -> str:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        self._connection.request("POST", "/mcp", body, {**self._headers, **headers})
        answer = self._connection.getresponse()
        text = answer.read().decode()
        if answer.status >= 300:
            raise RuntimeError(f"{method}: {answer.status} {text[:500]}")
        return text


class Runs:
    """Specs that agents work on, one after the other, beside all else."""

    def __init__(self, root: Path, port: int, count: int) -> None:
        """Take the specs that `sample` made."""
        self.done = 0
        self._specs = [_id(number) for number in range(2, count + 2)]
        self._root, self._port = root, port
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait until all are done."""
        self._thread.join()

    def _work(self) -> None:
        for spec in self._specs:
            # The server closes connections on which nothing is asked for some seconds.
            Client(self._port).call("chant_work_start", id=spec)
            path = self._root / ".chant" / "specs" / f"{spec}.md"
            latest = time.monotonic() + _PATIENCE
            while "status: completed" not in path.read_text("utf-8") and time.monotonic() < latest:
                time.sleep(0.1)
            self.done += "status: completed" in path.read_text("utf-8")


def _id(number: int) -> str:
    return f"2026-01-22-{number:03}-x7m"


def sample(root: Path, runs: int) -> None:
    """Make a trusted project with so many specs to work on."""
    specs = root / ".chant" / "specs"
    specs.mkdir(parents=True)
    (root / ".chant" / "config.md").write_text(CONFIG)
    for number in range(1, runs + 2):
        (specs / f"{_id(number)}.md").write_text(SPEC.format(_id(number)))

    def run(*command: str) -> str:
        return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout

    run("git", "config", "--global", "user.name", "Ada")
    run("git", "config", "--global", "user.email", "ada@localhost")
    run("git", "init", "--quiet", "--initial-branch", "main")
    run("git", "add", "--all")
    run("git", "commit", "--quiet", "--message", "Specs")
    ours = (sys.executable, "-m", "chant_mcp", "trust")
    found = re.search("^hash: (.*)$", run(*ours, "--show"), re.MULTILINE)
    assert found is not None
    run(*ours, "--yes", found[1])


@contextmanager
def _served(root: Path) -> Generator[int]:
    script = Path(__file__).with_name("limited_server.py")
    command = [sys.executable, str(script), str(root), str(_IDLE_SECONDS), "1000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield int(server.stdout.readline())
        finally:
            server.terminate()


def use(port: int, calls: int, sessions: int) -> list[tuple[int, int]]:
    """Call and begin sessions; return the megabytes after so many calls, again and again."""
    client = Client(port)
    seen: list[tuple[int, int]] = []
    each_session = max(calls // max(sessions, 1), 1)
    for number in range(1, calls + 1):
        match number % 4:
            case _ if number % _EDIT_EACH == 0:
                client.call("chant_spec_update", id=_READ, labels=[f"round-{number % 7}"])
            case 0:
                client.call("chant_spec_list", limit=20)
            case 1:
                client.call("chant_status", brief=True)
            case 2:
                client.call("chant_ready", limit=20)
            case _:
                client.call("chant_spec_get", id=_READ)
        if number % each_session == 0 and number // each_session <= sessions:
            client.begin_session()
        if number % max(calls // _SAMPLES, 1) == 0 and number > calls * _WARM:
            seen.append((number, client.figures()["memory_megabytes"]))
    return seen


def slope(seen: list[tuple[int, int]]) -> float:
    """Return by how many megabytes memory grows in 100,000 calls."""
    numbers, megabytes = [number for number, _ in seen], [size for _, size in seen]
    return statistics.linear_regression(numbers, megabytes).slope * 100_000


def _settled(port: int) -> Figures:
    """Read the figures when all sessions are over."""
    client = Client(port)
    latest = time.monotonic() + _PATIENCE
    while (figures := client.figures())["sessions"] and time.monotonic() < latest:
        time.sleep(0.2)
    return figures


def try_server(root: Path, calls: int, sessions: int, runs: int) -> list[str]:
    """Use a server; print what it takes, and return what is wrong."""
    with _served(root) as port:
        use(port, 200, 10)
        before = _settled(port)
        worked = Runs(root, port, runs)
        seen = use(port, calls, sessions)
        worked.join()
        after = _settled(port)
    grown = slope(seen)
    click.echo(
        f"{calls} calls, {sessions} sessions, {worked.done} runs: "
        f"{grown:.2f} MB in 100,000 calls; before {dict(before)}, after {dict(after)}"
    )
    wrong = [] if grown < SLOPE else [f"memory grows by {grown:.2f} MB in 100,000 calls"]
    wrong += [] if worked.done == runs else [f"{runs - worked.done} of {runs} runs were not completed"]
    wrong += [] if after["sessions"] == 0 else [f"{after['sessions']} idle sessions never end"]
    for name in ("threads", "descriptors"):
        if after[name] > before[name] + _MORE:
            wrong.append(f"{before[name]} {name} became {after[name]}")
    return wrong


def main() -> None:
    """Try a server, and end with 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.torture.long_server", description=__doc__)
    parser.add_argument("--calls", type=int, default=1_000_000)
    parser.add_argument("--sessions", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=500)
    given = parser.parse_args()
    if sys.platform != "linux":
        click.echo("not tried: only Linux says how much memory a process has")
        return
    with tempfile.TemporaryDirectory(prefix="chant-long-") as folder:
        home, root = Path(folder, "home"), Path(folder, "project")
        home.mkdir()
        root.mkdir()
        kept = {name: v for name, v in os.environ.items() if not name.startswith(("GIT_", "XDG_", "CHANT_"))}
        os.environ.clear()
        os.environ.update({**kept, "HOME": str(home)})
        sample(root, given.runs)
        wrong = try_server(root, given.calls, given.sessions, given.runs)
    for line in wrong:
        click.echo(f"WRONG {line}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
