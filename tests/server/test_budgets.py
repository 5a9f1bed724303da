"""What a server spends on a client that asks and does not read."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from harness import Project
from server.pipes import modern, request

ID = "2026-01-22-001-x7m"

_ASKED = 1_500


def _megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


@pytest.mark.requirement("protocol:budgets:who_does_not_read_is_not_read")
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
