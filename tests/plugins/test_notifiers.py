"""Notifiers hear of changes: ready-made ones and those of packages."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer
from cli.kit import Cli, Running
from harness import Caller, Project, user_config
from mcp import Client
from plugins.conftest import Install

A = "2026-01-22-001-aaa"
Heard = SimpleQueue[dict[str, Any]]


@pytest.fixture
def address() -> Iterator[tuple[str, Heard]]:
    """An address on this machine, and what is posted to it."""
    heard: Heard = SimpleQueue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/", heard
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_change_reaches_an_address_a_desktop_and_a_package(
    project: Project,
    install: Install,
    choose: Callable[[str], None],
    address: tuple[str, Heard],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run_server: Callable[..., Any],
) -> None:
    url, heard = address
    note, own = tmp_path / "note", tmp_path / "own"
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "notify-send").write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {note}\n')
    (programs / "notify-send").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    code = (
        "import time\n"
        "def own(changes, options): open(options['f'], 'w').write(changes[0]['key'])\n"
        "def broken(changes, options): raise OSError('no line')\n"
    )
    install(code, notifiers=["own", "broken"])
    choose(f"{{notifiers: {{broken: {{}}, desktop: {{}}, own: {{f: {own}}}, webhook: {{url: '{url}'}}}}}}")
    project.spec(A, body="# Sail & land")
    running = Running(run_server(project.root, "notify", "--once"))
    assert running.line() == "Notifying broken, desktop, own, webhook of changes.\n"
    project.spec(A, body="# Sail & land", status="failed")
    _, complaints = running.end()
    wrong = "The notifier `broken` of ferry-rules 1.0 raised OSError: no line (ferry_rules.py:3)."
    assert complaints.strip() == wrong
    (change,) = heard.get(timeout=30)["changes"]
    assert (change["key"], change["what"], change["state"]) == (f"chant:{A}", "changed", "failed")
    assert (change["title"], change["project"]) == ("Sail & land", "project")
    assert own.read_text() == f"chant:{A}"
    assert note.read_text().splitlines()[-2:] == ["project: 1 change", "Sail &amp; land: failed"]


@pytest.mark.anyio
async def test_a_server_notifies_while_it_is_up(
    project: Project, choose: Callable[[str], None], address: tuple[str, Heard]
) -> None:
    url, heard = address
    choose(f"{{notifiers: {{webhook: {{url: '{url}'}}}}}}")
    project.spec(A)
    session = Session(Place(project.root, (project.root,)), environment={}, user_config=user_config())
    async with Client(ChantServer(session, Offer(["auto"])), mode="2026-07-28") as client:
        caller = Caller(client, project)
        await caller.data("chant_status")
        assert session.notifier is not None
        notifier = session.notifier.current
        assert notifier is not None
        assert notifier.listening.wait(30)
        await caller.text("chant_spec_update", id=A, output="Sailed")
        assert heard.get(timeout=30)["changes"][0]["key"] == f"chant:{A}"
        notifier.end()


def test_a_desktop_without_its_program_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from chant_mcp.plugins.desktop import notify_desktop

    monkeypatch.setenv("PATH", str(tmp_path))
    change = {"key": "a", "title": "", "what": "added", "state": None, "project": "p"}
    with pytest.raises(FileNotFoundError, match="is not on the PATH; it shows notes on the desktop"):
        notify_desktop([change], {})


def test_only_the_user_names_notifiers(project: Project, cli: Cli) -> None:
    project.config("plugins: {notifiers: {webhook: {url: 'http://127.0.0.1:9/'}}}\n")
    assert "Your own configuration names no notifier." in cli.error("notify", "--once")
    findings = cli.json("config", "check")["findings"]
    assert [one["kind"] for one in findings] == ["no_effect"]
