"""Who reaches a cluster runs code on it: what attackers find."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import pickle
import socket
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import chant_mcp
import psutil
import pytest
from chant_mcp.cluster.security import worker_security
from cluster.engine_kit import SECRET, Grid, certificates, eventually, grid, job, listens
from distributed.core import rpc
from harness import user_config
from tornado.iostream import SSLIOStream

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Certificates of this module."""
    return certificates(tmp_path_factory.mktemp("tls") / "tls")


@pytest.fixture
async def cluster(tmp_path: Path, tls: Path) -> AsyncIterator[Grid]:
    """A scheduler, and what tests add to it."""
    async with grid(tmp_path, tls) as made:
        yield made


def answer_to(port: int, context: ssl.SSLContext | None) -> bytes:
    """What a port says to somebody who asks it for a page; nothing when it hangs up."""
    try:
        plain = socket.create_connection(("127.0.0.1", port), timeout=5)
        with plain, plain if context is None else context.wrap_socket(plain) as connection:
            connection.sendall(b"GET /health HTTP/1.0\r\n\r\n")
            return connection.recv(1000)
    except (OSError, ssl.SSLError):
        return b""


def stranger(files: Path | None = None) -> ssl.SSLContext:
    """The TLS of somebody who trusts all, with certificates of another cluster or none."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    if files is not None:
        context.load_cert_chain(files / "worker.pem", files / "worker-key.pem")
    return context


async def test_no_port_answers_without_a_certificate_of_the_cluster(cluster: Grid, tmp_path: Path) -> None:
    before = {one.laddr.port for one in psutil.Process().net_connections("tcp") if one.status == "LISTEN"}
    worker = await cluster.worker()
    listening = {one.laddr.port for one in psutil.Process().net_connections("tcp") if one.status == "LISTEN"}
    assert listening - before == {worker.port}, "a worker has one port"
    other = certificates(tmp_path / "other")
    for port in (cluster.scheduler.port, worker.port):
        for context in (None, stranger(), stranger(other)):
            assert await asyncio.to_thread(answer_to, port, context) == b""
    assert not cluster.scheduler.services
    assert not worker.services


AGENT = """
import json, socket, ssl, sys
folder, port = sys.argv[1], int(sys.argv[2])
def tried(act):
    try:
        return repr(act())
    except OSError as error:
        return type(error).__name__
def spoken():
    context = ssl._create_unverified_context()
    with socket.create_connection(("127.0.0.1", port), timeout=5) as plain:
        with context.wrap_socket(plain) as connection:
            connection.sendall(b"x" * 100)
            return connection.recv(100)
names = ["ca.pem", "head-key.pem", "worker-key.pem"]
reads = [tried(lambda: open(f"{folder}/{name}").read()) for name in names]
print(json.dumps([*reads, tried(spoken)]))
"""


@pytest.mark.parametrize("place", [".config/chant-mcp/tls", ".local/state/chant-mcp/local-cluster/tls"])
async def test_a_confined_agent_has_no_key_and_gets_no_answer(tmp_path: Path, place: str) -> None:
    tls = certificates(Path.home() / place)
    project = tmp_path / "project"
    (project / ".chant" / "specs").mkdir(parents=True)
    user_config().write_text("---\nconfine: {read: ['~']}\n---\n")
    async with grid(tmp_path, tls) as made:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "chant_mcp", "confine", "--"),
            *(sys.executable, "-I", "-S", "-c", AGENT, str(tls), str(made.scheduler.port)),
            cwd=project,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, errors = await process.communicate()
    assert process.returncode == 0, errors
    *reads, spoken = json.loads(out)
    assert reads == ["PermissionError"] * 3
    assert spoken in ("b''", "SSLError", "SSLEOFError", "ConnectionResetError"), spoken


class Attack:
    """What runs as it is unpickled: it writes where it can, and says where it ran."""

    def __init__(self, own: Path, victims: list[Path], secret: Path) -> None:
        self.source = f"""
import os, pathlib
outcome = []
for victim in {[str(one) for one in victims]}:
    try:
        pathlib.Path(victim).write_text("taken over")
        outcome.append("written")
    except OSError as error:
        outcome.append(type(error).__name__)
try:
    outcome.append(pathlib.Path({str(secret)!r}).read_text())
except OSError as error:
    outcome.append(type(error).__name__)
pathlib.Path({str(own)!r}).joinpath(f"attack-{{os.getpid()}}").write_text(" ".join(outcome))
"""

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (self.source,)


def world(tmp_path: Path) -> tuple[Path, list[Path], Path]:
    """A project, files that nobody may write, and a secret that nobody may read."""
    project = tmp_path / "project"
    (project / ".chant" / "specs").mkdir(parents=True)
    user_config().write_text("---\n---\n")
    secret = Path.home() / ".ssh" / "id"
    secret.parent.mkdir()
    secret.write_text("key")
    return project, [Path.home() / "victim", project / "victim", project / ".chant" / "victim"], secret


async def test_a_program_in_a_result_runs_in_the_confined_placer_alone(cluster: Grid, tmp_path: Path) -> None:
    project, victims, secret = world(tmp_path)
    cluster.state.mkdir()
    worker: Any = await cluster.worker()
    worker.jobs.run = lambda *_: Attack(cluster.state, victims, secret)
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        str(Path(__file__).with_name("confined_placer.py")),
        str(Path(chant_mcp.__file__).parent),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    told = {"folder": cluster.state, "socket_folder": cluster.sockets, "tls": cluster.tls, "project": project}
    line = {**{name: str(path) for name, path in told.items()}, "address": cluster.scheduler.address}
    assert process.stdin is not None
    process.stdin.write(json.dumps({**line, "secret": SECRET, "idle_seconds": 60}).encode() + b"\n")
    try:
        await eventually(lambda: listens(cluster.sockets / "s") or process.returncode is not None)
        run = await cluster.place(job())
        frame, _ = await run.until("lost")
        assert "no result that can be read" in frame["why"]
        (outcome,) = cluster.state.glob("attack-*")
        assert outcome.name == f"attack-{process.pid}"
        assert outcome.read_text().split() == ["PermissionError"] * 4
        assert not any(victim.exists() for victim in victims)
    finally:
        process.kill()
        await process.communicate()


async def test_what_a_worker_runs_in_a_scheduler_is_confined(tmp_path: Path, tls: Path) -> None:
    project, victims, secret = world(tmp_path)
    own = tmp_path / "scheduler"
    own.mkdir()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "chant_mcp", "cluster", "scheduler", "tls://127.0.0.1:0"),
        *("--tls", str(tls), "--folder", str(own)),
        cwd=project,
        env={**os.environ, "TMPDIR": str(own)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        address = json.loads(await process.stdout.readline())["address"]
        security: Any = worker_security(tls)
        scheduler: Any = rpc(address, connection_args=security.get_connection_args("worker"))
        attack = pickle.dumps(Attack(own, victims, secret))
        async with scheduler:
            with pytest.raises(ValueError, match="disallowed"):
                await scheduler.run_function(function=attack, wait=True)
            assert not list(own.glob("attack-*"))
            # What is not disallowed is confined.
            fed = asyncio.ensure_future(scheduler.feed(function=attack, interval="1s"))
            await eventually(lambda: any(file.read_text() for file in own.glob("attack-*")))
            fed.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError, TypeError):
                await fed
        (outcome,) = own.glob("attack-*")
        assert outcome.read_text().split() == ["PermissionError"] * 4
        assert not any(victim.exists() for victim in victims)
    finally:
        process.terminate()
        await process.communicate()


async def test_no_secret_is_in_the_bytes_of_a_run(cluster: Grid, monkeypatch: pytest.MonkeyPatch) -> None:
    """All processes of the engine are this one: what they send is recorded before it is encrypted."""
    passed = bytearray()
    send = SSLIOStream.write_to_fd

    def recorded(stream: SSLIOStream, data: memoryview) -> int:
        sent = send(stream, memoryview(bytes(data)))
        passed.extend(bytes(data)[:sent])
        return sent

    monkeypatch.setattr(SSLIOStream, "write_to_fd", recorded)
    planted = {"TEAM_A_KEY": "sk-planted-worker", "UNKNOWN_VARIABLE": "planted-value"}
    monkeypatch.setenv("HEAD_KEY", "sk-planted-head")
    await cluster.worker(environment={**os.environ, **planted}, offers={"accounts": ("team-a",)})
    await cluster.start_placer()
    run = await cluster.place(job(account="team-a", prompt="wait"), b"the commits")
    await run.until("started")
    await run.send({"do": "read", "offset": 0})
    await run.until("page")
    await run.send({"do": "stop", "why": "pause"})
    await run.until("ended")
    assert all(known in passed for known in (b"ferry-1.1.aa", b"the commits", b"team-a"))
    for secret in (*planted.values(), *planted, "HEAD_KEY", "sk-planted", SECRET, str(Path.home())):
        assert secret.encode() not in passed, secret
