"""An agent that calls our tools by its MCP configuration, as a host does.

It is a script for a process of its own. What it does is written down by the test: `plan` names the steps,
`answers` gives what came of them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

Step = dict[str, Any]

_PACKAGE = str(Path(__file__).resolve().parents[2] / "python")


def agent() -> str:
    """Give its command as a YAML list of words."""
    return f"[{sys.executable}, {Path(__file__).resolve()}]"


def plan(*steps: Step) -> None:
    """Say what the agent is to do.

    A step is a call (`tool`, `arguments`) or the end (`end`) of the connection `on`, a shell command (`do`),
    or a file that is waited for (`until`).
    """
    _note("plan").write_text(json.dumps(steps), encoding="utf-8")
    _note("answers").unlink(missing_ok=True)


def answers() -> list[Any]:
    """Read what came of the steps: texts of tools, with `!` before a refusal, and output of commands."""
    return json.loads(_note("answers").read_text(encoding="utf-8"))


def waits() -> bool:
    """Say whether the agent waits for a file, or is at its end."""
    return _note("answers").exists()


def _note(name: str) -> Path:
    return Path(os.environ["HOME"]) / ".config" / "traces" / f"{name}.json"


class _Server:
    """Our server as the configuration says that it is started."""

    def __init__(self) -> None:
        config = json.loads(Path(os.environ["CHANT_MCP_CONFIG"]).read_text(encoding="utf-8"))
        entry = config["mcpServers"]["chant"]
        self.process = subprocess.Popen(
            [entry["command"], *entry["args"]],
            # The package of these tests, wherever another one is installed.
            env={**os.environ, "PYTHONPATH": _PACKAGE, **entry.get("env", {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.count = 0

    def ask(self, method: str, params: Step) -> Step:
        """Make a request, and wait for its answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.count += 1
        request = {"jsonrpc": "2.0", "id": self.count, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        while (line := self.process.stdout.readline()) and json.loads(line).get("id") != self.count:
            pass
        return json.loads(line) if line else {"error": {"message": "the server has ended"}}

    def call(self, tool: str, arguments: Step) -> str:
        """Call a tool."""
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if "result" not in answer:
            return f"!{answer['error']['message']}"
        result = answer["result"]
        return ("!" if result.get("isError") else "") + result["content"][0]["text"]

    def end(self) -> int:
        """Close the input, and give the exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(30)


def _main() -> None:
    sys.stdin.read()
    servers: dict[str, _Server] = {}
    done: list[Any] = []
    for step in json.loads(_note("plan").read_text(encoding="utf-8")):
        on = step.get("on", "first")
        if "tool" in step:
            if on not in servers:
                servers[on] = _Server()
            done.append(servers[on].call(step["tool"], step.get("arguments", {})))
        elif "end" in step:
            done.append(servers.pop(on).end())
        elif "until" in step:
            _note("answers").write_text(json.dumps(done), encoding="utf-8")
            while not Path(step["until"]).exists():
                time.sleep(0.02)
        else:
            shell = subprocess.run(
                step["do"], shell=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
            done.append(shell.stdout.decode())
    done.extend(server.end() for server in servers.values())
    _note("answers").write_text(json.dumps(done), encoding="utf-8")


if __name__ == "__main__":
    _main()
