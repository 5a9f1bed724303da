"""What the tests of writing tools share: byte comparisons, hand-made projects, real servers."""

from __future__ import annotations

import difflib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from state_folder import lock_file

ID = "2026-01-22-001-x7m"
OTHER = "2026-01-22-002-abc"


def lines(data: bytes) -> list[str]:
    """Split at line feeds only, so that a carriage return counts as a change of its line."""
    return data.decode("utf-8", "surrogateescape").split("\n")


def changed(before: bytes, after: bytes) -> list[str]:
    """List the lines that differ, `-` taken out and `+` put in, in order."""
    diff = difflib.SequenceMatcher(a=(a := lines(before)), b=(b := lines(after)), autojunk=False)
    edits: list[str] = []
    for kind, a_from, a_to, b_from, b_to in diff.get_opcodes():
        if kind != "equal":
            edits += [f"-{line}" for line in a[a_from:a_to]] + [f"+{line}" for line in b[b_from:b_to]]
    return edits


def tree(root: Path) -> dict[str, bytes]:
    """Read every file below a folder, links as their target's name; git's own files left out."""
    found: dict[str, bytes] = {}
    for path in files_below(root, but=".git"):
        data = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
        found[path.relative_to(root).as_posix()] = data
    return found


def files_below(root: Path, *, but: str) -> Iterator[Path]:
    """List all files below a folder, outside folders of one name."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != but]
        for name in files:
            yield Path(folder, name)


def leftovers(root: Path) -> list[str]:
    """List temporary files of ours."""
    files = files_below(root, but=".git")
    return [path.relative_to(root).as_posix() for path in files if path.name.endswith(".tmp")]


@dataclass
class Wire:
    """A client of a real server process: requests as raw lines, answers by their number."""

    process: subprocess.Popen[bytes]
    patience: float = 60.0
    _next: int = 0
    _early: dict[int, dict[str, Any]] = field(default_factory=dict)

    def send(self, tool: str, /, **arguments: Any) -> int:
        """Send a call without waiting for its answer; give its number."""
        self._next += 1
        params = {"name": tool, "arguments": arguments}
        request = {"jsonrpc": "2.0", "id": self._next, "method": "tools/call", "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        return self._next

    def answer(self, number: int) -> tuple[bool, str]:
        """Wait for an answer: whether it is an error, and its text."""
        assert self.process.stdout is not None
        watchdog = threading.Timer(self.patience, self.process.kill)
        watchdog.start()
        try:
            while number not in self._early:
                line = self.process.stdout.readline()
                assert line, "the server ended without an answer"
                message = json.loads(line)
                self._early[message["id"]] = message
        finally:
            watchdog.cancel()
        result = self._early.pop(number)["result"]
        return result.get("isError", False), result["content"][0]["text"]

    def call(self, tool: str, /, **arguments: Any) -> tuple[bool, str]:
        """Call a tool and wait: whether it is an error, and its text."""
        return self.answer(self.send(tool, **arguments))

    def text(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that succeeds and give its text."""
        is_error, text = self.call(tool, **arguments)
        assert not is_error, text
        return text

    def error(self, tool: str, /, **arguments: Any) -> str:
        """Call a tool that is refused and give the words."""
        is_error, text = self.call(tool, **arguments)
        assert is_error, text
        return text


def commit(root: Path, message: str, name: str = "work.txt", *, add: bool = True) -> str:
    """Commit a change of one file and give the full hash."""
    if add:
        path = root / name
        path.write_text((path.read_text(encoding="utf-8") if path.exists() else "") + f"{message}\n", "utf-8")
        git(root, "add", name)
    git(root, "commit", "-qm", message)
    return git(root, "rev-parse", "HEAD").strip()


def git(root: Path, *words: str, check: bool = True) -> str:
    """Run git in a folder and give what it prints."""
    done = subprocess.run(["git", *words], cwd=root, check=False, capture_output=True, encoding="utf-8")
    assert not check or done.returncode == 0, f"git {' '.join(words)}: {done.stderr}"
    return done.stdout


@contextmanager
def untouched(root: Path, *, but: Sequence[str] = ()) -> Iterator[None]:
    """Check that the user's part of a repository is the same before and after.

    Branches, tags, stash, HEAD, the index and every file; `but` names files that may differ.
    """

    def state() -> dict[str, object]:
        files = {name: data for name, data in tree(root).items() if name not in but}
        excluded = [f":(exclude){name}" for name in but]
        return {
            "head": git(root, "symbolic-ref", "-q", "HEAD", check=False),
            "commit": git(root, "rev-parse", "HEAD"),
            "refs": git(root, "for-each-ref", "refs/heads", "refs/tags", "refs/stash", "refs/remotes"),
            "stash": git(root, "stash", "list"),
            "index": git(root, "ls-files", "--stage", "--", ".", *excluded),
            "files": files,
        }

    before = state()
    yield
    assert state() == before


STRANGE_SIGNS = ("lock file", "record", "pid file")
"""What a project's own files may say of work, and what proves nothing."""

_WORKER = """\
import fcntl, sys
lock = open(sys.argv[1], "a")
fcntl.flock(lock, fcntl.LOCK_EX)
print("ready", flush=True)
sys.stdin.read()
"""


@dataclass
class Worker:
    """A process that works on a spec, as far as its traces tell."""

    process: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        """Its number."""
        return self.process.pid

    def lives(self) -> bool:
        """Return whether it still runs."""
        return self.process.poll() is None

    def end(self) -> None:
        """End it, as a crash would."""
        self.process.kill()
        self.process.communicate()


@contextmanager
def workers(root: Path) -> Iterator[Callable[[str], Worker]]:
    """Start processes that hold the lock of a spec; they are ended at the end."""
    started: list[Worker] = []

    def start(id: str) -> Worker:
        path = lock_file(root, id)
        process = subprocess.Popen(
            [sys.executable, "-c", _WORKER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        started.append(Worker(process))
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        path.write_text(f"{process.pid}\n", encoding="utf-8")
        return started[-1]

    try:
        yield start
    finally:
        for worker in started:
            worker.end()


def run_python(script: str, *words: object, **kwargs: Any) -> subprocess.CompletedProcess[str]:
    """Run a script in a process of its own and wait, but not for ever."""
    command = [sys.executable, "-c", script, *map(str, words)]
    options: dict[str, Any] = {"capture_output": True, "encoding": "utf-8", "timeout": 60, "check": False}
    return subprocess.run(command, **{**options, **kwargs})


def strange_sign(root: Path, sign: str, id: str, pid: int) -> Path:
    """Write one of `STRANGE_SIGNS` into a project, as another program or an attacker would."""
    folder = {"record": "processes", "pid file": "pids"}.get(sign, ".locks")
    name = {"record": f"{id}-{pid}.json", "pid file": f"{id}.pid"}.get(sign, f"{id}.lock")
    path = root / ".chant" / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    record = {"schema": 1, "process_id": f"{id}-{pid}", "spec_id": id, "pid": pid, "status": "running"}
    path.write_text(json.dumps({**record, "mode": "single"}) if sign == "record" else f"{pid}\n", "utf-8")
    return path


def answer_text(data: Any) -> str:
    """Write data as answers do: a line for each key, and for each row of a list of rows."""

    def on_a_line(value: Any) -> str:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)

    def in_rows(value: Any) -> str:
        if not (isinstance(value, list) and value and isinstance(value[0], dict | list)):
            return on_a_line(value)
        rows: list[Any] = value
        return "[\n" + ",\n".join(map(on_a_line, rows)) + "\n]"

    if not (isinstance(data, dict) and data):
        return in_rows(data)
    members: dict[str, Any] = data
    lines = (f"{on_a_line(key)}:{in_rows(value)}" for key, value in members.items())
    return "{\n" + ",\n".join(lines) + "\n}"
