"""The command line in this process and as a process of its own."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Callable
from typing import Any

from chant_mcp.cli import program
from click.testing import CliRunner, Result
from harness import Project

PATIENCE = 60.0


class Cli:
    """Runs commands in a project, as `chant-mcp` typed in its folder."""

    def __init__(self, project: Project) -> None:
        self.project = project

    def __call__(self, *words: str, code: int = 0) -> str:
        """Run a command that ends with an exit code and give what it prints to standard output."""
        result = self.run(*words)
        assert result.exit_code == code, result.output
        return result.stdout

    def run(self, *words: str) -> Result:
        """Run a command."""
        return CliRunner().invoke(program, words, catch_exceptions=False, prog_name="chant-mcp")

    def json(self, *words: str, code: int = 0) -> Any:
        """Run a command with `--json` and read the data of its answer."""
        return read_data(self(*words, "--json", code=code))

    def error(self, *words: str, code: int = 1) -> str:
        """Run a command that fails, printing nothing to standard output, and give what it says."""
        result = self.run(*words)
        assert (result.exit_code, result.stdout) == (code, "")
        return result.stderr


def read_data(text: str) -> Any:
    """Read the data in the envelope of a command's answer."""
    envelope = json.loads(text)
    assert (envelope["schema"], envelope["ok"]) == (1, True)
    return envelope["data"]


class Running:
    """A program that was started."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def line(self) -> str:
        """Wait for a line on standard output."""
        assert self.process.stdout
        return _line(self.process.stdout.fileno())

    def error_line(self) -> str:
        """Wait for a line on standard error."""
        assert self.process.stderr
        return _line(self.process.stderr.fileno())

    def stop_reading(self) -> str:
        """Close standard output at this end, wait for the program's end and give what it complains of."""
        assert self.process.stdout
        assert self.process.stderr
        self.process.stdout.close()
        complaints = self.process.stderr.read().decode()
        self.process.wait(PATIENCE)
        return complaints

    def end(self, code: int | None = 0) -> tuple[str, str]:
        """Wait for the end and give what else was printed."""
        out, err = self.process.communicate(timeout=PATIENCE)
        if code is not None:
            assert self.process.returncode == code, err.decode()
        return out.decode(), err.decode()


def _line(descriptor: int) -> str:
    until, line = time.monotonic() + PATIENCE, b""
    while not line.endswith(b"\n"):
        ready, _, _ = select.select([descriptor], [], [], until - time.monotonic())
        assert ready, f"no whole line came, only {line!r}"
        piece = os.read(descriptor, 1)
        assert piece, f"the output ended after {line!r}"
        line += piece
    return line.decode()


Start = Callable[..., Running]


def tool_names(running: Running) -> list[str]:
    """Ask a server which tools it lists, and let it end."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    out, err = running.process.communicate(json.dumps(request).encode() + b"\n", timeout=PATIENCE)
    assert running.process.returncode == 0, err.decode()
    return [tool["name"] for tool in json.loads(out)["result"]["tools"]]


def call_text(running: Running, tool: str, **arguments: Any) -> str:
    """Call a tool of a server, and let the server end."""
    params = {"name": tool, "arguments": arguments}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    out, _ = running.process.communicate(json.dumps(request).encode() + b"\n", timeout=PATIENCE)
    return json.loads(out)["result"]["content"][0]["text"]
