"""What a key costs in an editor: `python -m bench.language_server [--items 10000] [--keys 200]`.

Makes a project with items of all seven formats, starts `chant-mcp lsp` on it, and edits documents of five of
them key by key. Measured are the time from a change to the findings, without the 30 ms that the server waits
for the next key, and what all threads of the server used of the processor. `lint` of everything after one
edit is asked of an MCP server.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

_DELAY = 0.030
"""Seconds that findings wait after a key."""
_IN_ONE = 50
"""Items of a document that holds several."""
_LABELS = ("backend", "docs", "tests")


def build(root: Path, items: int) -> dict[str, tuple[str, str, str]]:
    """Write a project; gives for formats a document, words of it, and the faulty ones that a key makes."""
    many = max(1, items // 10 // _IN_ONE)
    for number in range(items // 2):
        before = f"depends_on: [{_id(number - 1)}]\n" if number % 3 else ""
        _write(
            root / ".chant" / "specs" / f"{_id(number)}.md",
            f"---\ntype: code\nstatus: pending\n{before}labels: [{_LABELS[number % 3]}]\n---\n"
            f"# Change part {number}\n\n{'The part is slow, and callers wait for it. ' * 20}\n\n"
            "## Acceptance Criteria\n\n"
            f"- [ ] Part {number} is quick\n- [ ] Its tests pass\n",
        )
    for file in range(many):
        tasks = "".join(f"---\n[t{n}] Task {n} of {file} (notstarted)\n" for n in range(1, _IN_ONE))
        ends = "".join(f"-> t{n}\n" for n in range(1, _IN_ONE))
        _write(
            root / f"plan{file}.vine",
            f"vine 1.0.0\ntitle: Plan {file}\n---\n[t0] All (planning)\n{ends}{tasks}",
        )
        rows = "".join(
            f"- [ ] T{n:03} Step {n} of {file}" + (f" (depends on T{n - 1:03})" if n > 1 else "") + "\n"
            for n in range(1, _IN_ONE + 1)
        )
        _write(root / "specs" / f"{file:03}-name" / "tasks.md", f"# Tasks\n\n## Phase 1: All\n\n{rows}")
    for number in range(1, items // 10 + 1):
        _write(
            root / "docs" / "CRs" / f"SHOP-{number:03}-part.md",
            f"---\ncode: SHOP-{number:03}\ntitle: Part {number}\nstatus: Approved\ntype: Bug Fix\n"
            f"priority: Low\n---\n\n# Part {number}\n\n{'It breaks when two come at once. ' * 20}\n",
        )
        _write(
            root / "backlog" / "tasks" / f"task-{number} - Part.md",
            f"---\nid: TASK-{number}\ntitle: Part {number}\nstatus: To Do\nlabels: []\ndependencies: []\n"
            "---\n\n## Description\n\nA part.\n",
        )
    for file in range(many):
        boxes = "".join(f"- [ ] {n}. Do {n}\n" for n in range(1, _IN_ONE // 2 + 1))
        _write(root / ".kiro" / "specs" / f"part{file}" / "tasks.md", f"# Implementation Plan\n\n{boxes}")
        change = root / "openspec" / "changes" / f"part{file}"
        boxes = "".join(f"- [ ] 1.{n} Do {n}\n" for n in range(1, _IN_ONE // 2 + 1))
        _write(change / "proposal.md", "# Change: Part\n\n## Why\n\nSlow.\n\n## What Changes\n\n- All\n")
        _write(change / "tasks.md", f"## 1. All\n\n{boxes}")
    _write(root / ".mdt-config.toml", '[project]\nname = "Shop"\ncode = "SHOP"\n')
    _write(root / "backlog" / "config.yml", 'project_name: "Shop"\nstatuses: ["To Do", "Done"]\nlabels: []\n')
    _write(root / ".chant" / "config.md", "---\nproject:\n  name: shop\n---\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "All"]):
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *words], cwd=root, check=True)
    return {
        "chant": (f".chant/specs/{_id(items // 4)}.md", "status: pending", "status: pendign"),
        "vine": ("plan0.vine", "-> t7\n", "-> x7\n"),
        "speckit": ("specs/000-name/tasks.md", "- [ ] T007", "- [?] T007"),
        "tickets": ("docs/CRs/SHOP-007-part.md", "priority: Low", "priority: Low\ndependsOn: SHOP-999999"),
        "backlog": ("backlog/tasks/task-7 - Part.md", "dependencies: []", "dependencies: [TASK-999999]"),
    }


def _id(number: int) -> str:
    return f"2026-01-{1 + number // 1000 % 28:02}-{number % 1000:03}-b{number // 28000}x"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


class _Server:
    """A process that is talked with in messages of JSON, with heads as editors write them or a line each."""

    def __init__(self, root: Path, *words: str, with_heads: bool) -> None:
        command = [sys.executable, "-P", "-m", "chant_mcp", *words]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=root, stdin=pipe, stdout=pipe)
        self._with_heads = with_heads
        self._number = 0

    def tell(self, method: str, params: Any, **more: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **more, "method": method, "params": params}).encode()
        assert self._process.stdin
        head = b"Content-Length: %d\r\n\r\n" % len(body)
        self._process.stdin.write(head + body if self._with_heads else body + b"\n")
        self._process.stdin.flush()

    def read(self) -> Any:
        out = self._process.stdout
        assert out
        line = out.readline()
        if not self._with_heads:
            return json.loads(line)
        length = int(line.removeprefix(b"Content-Length: "))
        out.readline()
        return json.loads(out.read(length))

    def ask(self, method: str, params: Any) -> Any:
        self._number += 1
        self.tell(method, params, id=self._number)
        while (message := self.read()).get("id") != self._number:
            pass
        return message["result"]

    def processor(self) -> float:
        """Give the seconds that all threads used so far."""
        tasks = Path(f"/proc/{self._process.pid}/task").iterdir()
        return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9

    def resident(self) -> int:
        """Give the resident set in 10⁶ bytes."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024 // 10**6

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _row(name: str, seconds: Sequence[float], processor: float | None = None) -> None:
    p95 = statistics.quantiles(seconds, n=20)[-1]
    used = "" if processor is None else f"{processor * 1000:.2f} ms"
    _say(f"| {name} | {statistics.median(seconds) * 1000:.2f} ms | {p95 * 1000:.2f} ms | {used} |")


def keys(root: Path, documents: dict[str, tuple[str, str, str]], count: int) -> None:
    """Measure keys and questions of an editor."""
    began = time.monotonic()
    server = _Server(root, "lsp", with_heads=True)
    server.ask("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": {}})
    server.tell("initialized", {})

    def uri(path: str) -> str:
        return (root / path).as_uri()

    def findings(path: str) -> None:
        while True:
            message = server.read()
            if message.get("method") != "textDocument/publishDiagnostics":
                continue
            if message["params"]["uri"] == uri(path):
                return

    for number, (word, (path, sound, faulty)) in enumerate(documents.items()):
        text = (root / path).read_text("utf-8")
        start = text.index(sound)
        document = {"uri": uri(path), "languageId": "markdown", "version": 1, "text": text}
        server.tell("textDocument/didOpen", {"textDocument": document})
        at = {"line": text[:start].count("\n"), "character": start - text.rfind("\n", 0, start) - 1}
        place = {"textDocument": {"uri": uri(path)}, "position": at}
        server.ask("textDocument/hover", place)
        if not number:
            _say(f"| until the first hover | {time.monotonic() - began:.2f} s | | |")
        seconds: list[float] = []
        used = server.processor()
        for key in range(count):
            old, new = (sound, faulty) if key % 2 == 0 else (faulty, sound)
            lines, last = old.count("\n"), len(old) - old.rfind("\n") - 1
            end = {"line": at["line"] + lines, "character": last if lines else at["character"] + last}
            change = {"range": {"start": at, "end": end}, "text": new}
            asked = {"uri": uri(path), "version": key + 2}
            sent = time.monotonic()
            server.tell("textDocument/didChange", {"textDocument": asked, "contentChanges": [change]})
            findings(path)
            seconds.append(time.monotonic() - sent - _DELAY)
        _row(f"a key in {word}", seconds, (server.processor() - used) / count)
        for name, ask in _questions(server, place, word):
            _row(name, [_timed(ask) for _ in range(count)])
        server.tell("textDocument/didClose", {"textDocument": {"uri": uri(path)}})
    _say(f"| resident set | {server.resident()} MB | | |")
    server.end()


def _questions(server: _Server, place: Any, word: str) -> Iterator[tuple[str, Callable[[], Any]]]:
    yield f"hover in {word}", lambda: server.ask("textDocument/hover", place)
    yield f"completion in {word}", lambda: server.ask("textDocument/completion", place)
    if word == "chant":
        yield "symbols of the workspace", lambda: server.ask("workspace/symbol", {"query": "part 77"})


def _timed(act: Callable[[], Any]) -> float:
    began = time.monotonic()
    act()
    return time.monotonic() - began


def lint(root: Path, path: str, count: int) -> None:
    """Measure `lint` of everything after one edit."""
    server = _Server(root, "--toolsets", "chant", "mcp", with_heads=False)
    server.ask(
        "initialize",
        {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    )
    server.tell("notifications/initialized", {})

    def lint_all() -> None:
        server.ask("tools/call", {"name": "chant_lint", "arguments": {}})

    lint_all()
    text = (root / path).read_text("utf-8")
    seconds: list[float] = []
    used = server.processor()
    for number in range(count):
        _write(root / path, f"{text}\nEdit {number}.\n")
        seconds.append(_timed(lint_all))
    _row("lint of everything after one edit", seconds, (server.processor() - used) / count)
    _say(f"| resident set of that MCP server | {server.resident()} MB | | |")
    server.end()
    _write(root / path, text)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--keys", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        documents = build(root, given.items)
        _say(f"{given.items} items, load {os.getloadavg()[0]:.1f}\n")
        _say("| | median | p95 | processor, each |\n|---|---|---|---|")
        keys(root, documents, given.keys)
        lint(root, documents["chant"][0], given.keys)
        _say(f"\nLoad at the end: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
