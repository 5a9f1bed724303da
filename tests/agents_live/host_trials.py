"""Hosts with what `init` writes and with the plugin: what they parse, and what they ask a model first."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from install import cache, installed, path
from programs import PROGRAMS
from world import UserWorld, made_world

OWN_RULE = "Ferries of this project are painted on Tuesdays."
"""A sentence of the project's own rules."""

OUR_RULE = "## Chant specs"
PRIME = "Plans of this project, kept by chant-mcp"

STEPS = ("parses", "own rules", "ours", "installs", "prime")


@dataclass(frozen=True)
class HostTrial:
    """How a host lists servers, installs a plugin, and is asked once."""

    name: str
    lists: tuple[str, ...]
    installs: Callable[[Path, UserWorld], list[tuple[str, ...]]]
    asks: tuple[str, ...]
    parsed: str = "chant"
    """What its list of servers says."""


def _claude(market: Path, world: UserWorld) -> list[tuple[str, ...]]:
    return [
        ("claude", "plugin", "validate", str(market / "chant")),
        ("claude", "plugin", "marketplace", "add", str(market)),
        ("claude", "plugin", "install", "chant@chant-mcp"),
    ]


def _codex(market: Path, world: UserWorld) -> list[tuple[str, ...]]:
    return [
        ("codex", "plugin", "marketplace", "add", str(market)),
        ("codex", "plugin", "add", "chant@chant-mcp"),
    ]


def _extension(program: str) -> Callable[[Path, UserWorld], list[tuple[str, ...]]]:
    def installs(market: Path, world: UserWorld) -> list[tuple[str, ...]]:
        return [("sh", "-c", f"yes | {program} extensions install {market}/chant --consent")]

    return installs


def _copilot(market: Path, world: UserWorld) -> list[tuple[str, ...]]:
    return [("copilot", "plugin", "install", str(market / "chant"))]


def _opencode(market: Path, world: UserWorld) -> list[tuple[str, ...]]:
    file = world.home / ".config/opencode/opencode.json"
    config = json.loads(file.read_text("utf-8"))
    config["plugin"] = [f"file://{market}/chant/opencode/chant.js"]
    file.write_text(json.dumps(config), "utf-8")
    return []


HOSTS = (
    HostTrial("claude", ("claude", "mcp", "list"), _claude, ("claude", "-p", "hello")),
    HostTrial(
        "codex",
        ("codex", "mcp", "list"),
        _codex,
        ("codex", "exec", "--dangerously-bypass-hook-trust", "-m", "loopback-1", "hello"),
    ),
    HostTrial(
        "copilot", ("copilot", "mcp", "list"), _copilot, ("copilot", "-p", "hello", "--allow-all-tools")
    ),
    HostTrial(
        "gemini",
        ("gemini", "mcp", "list"),
        _extension("gemini"),
        ("gemini", "-p", "hello", "--skip-trust", "-m", "loopback-1"),
    ),
    HostTrial("qwen", ("qwen", "mcp", "list"), _extension("qwen"), ("qwen", "-p", "hello")),
    HostTrial(
        "opencode",
        ("opencode", "mcp", "list"),
        _opencode,
        ("opencode", "run", "-m", "loopback/loopback-1", "hello"),
    ),
)


class _Recorder(BaseHTTPRequestHandler):
    """Keeps what a host asks, and refuses it, so that it ends."""

    bodies: list[str]
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Refuse a socket, and lists of models."""
        self.send_response(426 if self.headers.get("upgrade") else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        """Keep the body."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.bodies.append(body.decode("utf-8", "replace"))
        answer = b'{"error": {"type": "invalid_request_error", "message": "no", "code": 400}}'
        self.send_response(400)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def _recorded() -> Iterator[tuple[str, list[str]]]:
    bodies: list[str] = []
    handler = type("_Recording", (_Recorder,), {"bodies": bodies})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", bodies
    finally:
        server.shutdown()


def try_host(trial: HostTrial, *, keeps: bool = False) -> dict[str, str]:
    """Try a host; gives a word for each step, `not run: why` for one that is not installed."""
    program = next(one for one in PROGRAMS if one.name == trial.name)
    if installed(program) is None:
        return dict.fromkeys(STEPS, "not run: not installed")
    folder = cache() / "hosts"
    with (
        _recorded() as (url, bodies),
        made_world(
            folder, f"{Path(sys.executable).parent}:{path()}", program.variables(url), keeps=keeps
        ) as world,
    ):
        for name, text in program.files(url).items():
            world.write(name, text)
        _trust_folder(world)
        (world.root / "AGENTS.md").write_text(f"# Rules\n\n{OWN_RULE}\n", "utf-8")
        world.chant("init", "--agent", "all", "--client", "all")
        words = {"parses": _word(trial.parsed in world.run(*trial.lists).text)}
        world.run(*trial.asks, seconds=90)
        words["own rules"] = _word(any(OWN_RULE in body for body in bodies))
        words["ours"] = _word(any(OUR_RULE in body for body in bodies))
        market = world.home / "market"
        world.chant("host", "export", str(market))
        ended = [world.run(*command) for command in trial.installs(market, world)]
        words["installs"] = _word(all(one.code == 0 for one in ended))
        bodies.clear()
        world.run(*trial.asks, seconds=90)
        words["prime"] = _word(any(PRIME in body for body in bodies))
        return words


def _trust_folder(world: UserWorld) -> None:
    """Trust the project as its user does in each host."""
    folder = str(world.root)
    if not (world.home / ".codex/config.toml").exists():
        world.write(".codex/config.toml", f'[projects.{json.dumps(folder)}]\ntrust_level = "trusted"\n')
    world.write(".copilot/config.json", json.dumps({"trusted_folders": [folder]}))
    world.write(".gemini/trustedFolders.json", json.dumps({folder: "TRUST_FOLDER"}))


def _word(holds: bool) -> str:
    return "yes" if holds else "NO"
