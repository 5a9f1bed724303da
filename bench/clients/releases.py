"""The clients that are tried: pinned releases, installed below the user's caches by their ordinary names."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.clients.client_program import ClientProgram
from bench.clients.inspector import InspectorCommand, McpdoCommand
from bench.clients.steps import StepClient
from bench.npm_packages import install_packages

_NPM = {
    "@modelcontextprotocol/sdk": "1.32.2",
    "@modelcontextprotocol/client": "2.4.0",
    "@modelcontextprotocol/inspector": "2.12.0",
}
_FASTMCP = "4.1.2"
_RMCP = "3.11.0"

REVISIONS = {"legacy": "2025-11-25", "modern": "2026-07-28", "auto": "2026-07-28"}
"""By era the revision that a client has to agree on with our server; with `auto` it asks what there is."""

_ALL = tuple(REVISIONS)

_PROGRAMS = Path(__file__).with_name("programs")

_CARGO = f"""\
[package]
name = "outside-client"
version = "0.0.0"
edition = "2024"
publish = false

[dependencies]
rmcp = {{ version = "={_RMCP}", default-features = false, features = [
    "client",
    "transport-child-process",
    "transport-streamable-http-client-reqwest",
] }}
serde_json = "1"
tokio = {{ version = "1", features = ["io-std", "io-util", "macros", "process", "rt", "sync"] }}

[workspace]
"""
"""A project of its own: its lock is that of the folder in the caches."""


@dataclass(frozen=True, slots=True)
class OutsideClient:
    """A client that is tried."""

    name: str
    package: str
    version: str
    eras: tuple[str, ...]
    """Those that it speaks, of `REVISIONS`."""
    start: Callable[[Path, Path], StepClient]
    """Installs it in the first folder if it is not there; starts it with the second one for its own files."""


def _typescript(program: str) -> Callable[[Path, Path], ClientProgram]:
    def start(cache: Path, home: Path) -> ClientProgram:
        folder = cache / "npm"
        node = install_packages(folder, _NPM)
        for file in _PROGRAMS.glob("*.mjs"):  # they look for packages beside themselves
            shutil.copy(file, folder)
        return _started([node, str(folder / program)], home)

    return start


def _inspector(
    script: str, words: tuple[str, ...], kind: type[InspectorCommand]
) -> Callable[[Path, Path], InspectorCommand]:
    def start(cache: Path, home: Path) -> InspectorCommand:
        node = install_packages(cache / "npm", _NPM)
        package = cache / "npm" / "node_modules" / "@modelcontextprotocol" / "inspector" / "clients"
        return kind([node, str(package / script), *words], _environment(home))

    return start


def _fastmcp(cache: Path, home: Path) -> ClientProgram:
    folder = cache / f"fastmcp-{_FASTMCP}"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    done = folder / "installed"
    if not done.is_file():
        venv.create(folder, clear=True, with_pip=True)
        words = ["-m", "pip", "install", "--quiet", f"fastmcp=={_FASTMCP}"]
        subprocess.run([str(python), *words], check=True, stdout=sys.stderr)
        done.touch()
    return _started([str(python), str(_PROGRAMS / "fastmcp_program.py")], home)


def _rust(cache: Path, home: Path) -> ClientProgram:
    folder = cache / "rust"
    (folder / "src").mkdir(parents=True, exist_ok=True)
    _write_changed(folder / "Cargo.toml", _CARGO)
    _write_changed(folder / "src" / "main.rs", (_PROGRAMS / "rust_sdk.rs").read_text("utf-8"))
    subprocess.run(["cargo", "build", "--quiet"], cwd=folder, check=True, stdout=sys.stderr)
    return _started([str(folder / "target" / "debug" / "outside-client")], home)


def _write_changed(path: Path, text: str) -> None:
    if not path.is_file() or path.read_text("utf-8") != text:
        path.write_text(text, encoding="utf-8")


def _started(command: list[str], home: Path) -> ClientProgram:
    return ClientProgram(command, _environment(home), home / "errors")


def _environment(home: Path) -> Mapping[str, str]:
    """Give the user's environment with another home: a client keeps files there."""
    return {**os.environ, "HOME": str(home)}


CLIENTS = (
    OutsideClient(
        "typescript-1",
        "@modelcontextprotocol/sdk",
        _NPM["@modelcontextprotocol/sdk"],
        ("legacy",),
        _typescript("typescript_1.mjs"),
    ),
    OutsideClient(
        "typescript-2",
        "@modelcontextprotocol/client",
        _NPM["@modelcontextprotocol/client"],
        _ALL,
        _typescript("typescript_2.mjs"),
    ),
    OutsideClient("fastmcp", "fastmcp", _FASTMCP, _ALL, _fastmcp),
    OutsideClient("rust", "rmcp", _RMCP, _ALL, _rust),
    OutsideClient(
        "inspector",
        "@modelcontextprotocol/inspector --cli",
        _NPM["@modelcontextprotocol/inspector"],
        _ALL,
        _inspector("launcher/build/index.js", ("--cli",), InspectorCommand),
    ),
    OutsideClient(
        "mcpdo",
        "@modelcontextprotocol/inspector mcpdo",
        _NPM["@modelcontextprotocol/inspector"],
        _ALL,
        _inspector("mcpdo/build/mcp-bin.js", (), McpdoCommand),
    ),
)
"""All clients, by the order of the table."""
