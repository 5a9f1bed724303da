"""Servers under torture: real processes over pipes, asked without waiting, killed in the middle of calls."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

Call = tuple[str, dict[str, Any]]

_PATIENCE = 90
"""Seconds that one server may take to end."""


class Server:
    """One server process and who listens to it; answers are counted, none is waited for."""

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        """Start it on a project."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "chant_mcp", "--project", str(root), "mcp"],
            cwd=root,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.answers: Counter[str] = Counter()
        self.kept: list[tuple[str, str]] = []
        """Texts by spec of which the server said that they are written."""
        self._asked: dict[int, Call] = {}
        self._number = 0
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    @property
    def is_alive(self) -> bool:
        """Whether it can be asked."""
        return self._process.poll() is None

    def ask(self, tool: str, arguments: dict[str, Any]) -> None:
        """Send a call; one that is dead hears nothing."""
        self._number += 1
        self._asked[self._number] = (tool, arguments)
        params = {"name": tool, "arguments": arguments}
        request = {"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params}
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()

    def kill(self) -> None:
        """End it as a crash would, and hear what it said until then."""
        self._process.kill()
        self._end()

    def close(self) -> None:
        """End it as clients do."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        self.kill()

    def _end(self) -> None:
        self._process.wait(_PATIENCE)
        self._listener.join(_PATIENCE)
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                message = json.loads(line)
            except json.JSONDecodeError:  # cut by a kill
                return
            tool, arguments = self._asked.get(message.get("id"), ("", {}))
            if "result" not in message:
                self.answers["no result"] += 1
                continue
            is_error = message["result"].get("isError", False)
            self.answers["refused" if is_error else "done"] += 1
            if tool == "chant_spec_update" and not is_error:
                self.kept.append((arguments["id"], arguments["output"]))


class Servers:
    """Two servers on one project; one that died is started again when it is asked next."""

    def __init__(self, root: Path, environment: Mapping[str, str], chance: random.Random) -> None:
        """Start none yet."""
        self._root = root
        self._environment = environment
        self._chance = chance
        self._servers: list[Server | None] = [None, None]
        self._notes = 0
        self.answers: Counter[str] = Counter()
        self.kept: list[tuple[str, str]] = []
        """Texts by spec of which a server said that they are written."""

    def ask(self, ids: Sequence[str], noted: Sequence[str]) -> None:
        """Send some calls to one of them: about any spec, and notes into those that no one else edits."""
        server = self._any()
        for _ in range(self._chance.randrange(1, 5)):
            server.ask(*self._call(ids, noted))

    def kill(self) -> None:
        """Kill one of them where its calls may be under way."""
        number = self._chance.randrange(len(self._servers))
        server = self._servers[number]
        if server is not None:
            server.kill()
            self._forget(number)

    def close(self) -> None:
        """End both."""
        for number, server in enumerate(self._servers):
            if server is not None:
                server.close()
                self._forget(number)

    def _any(self) -> Server:
        number = self._chance.randrange(len(self._servers))
        server = self._servers[number]
        if server is None or not server.is_alive:
            if server is not None:
                server.kill()
                self._forget(number)
            server = Server(self._root, self._environment)
            self._servers[number] = server
        return server

    def _forget(self, number: int) -> None:
        server = self._servers[number]
        if server is not None:
            self.answers += server.answers
            self.kept += server.kept
        self._servers[number] = None

    def _call(self, ids: Sequence[str], noted: Sequence[str]) -> Call:
        id = self._chance.choice(ids)
        self._notes += 1
        note = {"id": self._chance.choice(noted), "output": f"Note {self._notes} of a server."}
        calls: list[tuple[int, Call]] = [
            (6, ("chant_spec_update", note)),
            (2, ("chant_work_start", {"id": id})),
            (2, ("chant_spec_list", {})),
            (1, ("chant_work_list", {"include_completed": True})),
            (1, ("chant_add", {"description": f"Thought of by a server, {self._notes}"})),
            (1, ("chant_pause", {"id": id})),
            (1, ("chant_reset", {"id": id})),
            (1, ("chant_diagnose", {"id": id})),
            (1, ("chant_watch_start", {})),
            (1, ("chant_watch_stop", {})),
        ]
        [(_, call)] = self._chance.choices(calls, [weight for weight, _ in calls])
        return call
