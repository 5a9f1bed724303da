"""`env -- COMMAND` and `open --preview`: what a person sees of a run's environment."""

from __future__ import annotations

import asyncio
import http.client
import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from chant_mcp.preview import Preview
from cli.at_work import FIRST, AtWork

CONFIG = """\
environment:
  recipes:
    deps:
      inputs: [deps.txt]
      steps: [[sh, -c, "mkdir node_modules; cp deps.txt node_modules/list.txt"]]
      outputs: [node_modules]
  ports: [web]
  services:
    site:
      start: [PYTHON, -m, http.server, "{port.web}", --bind, 127.0.0.1]
      ready: {http: web/deps.txt}
"""


def write(agents: AtWork, name: str, text: str) -> None:
    """Write a file of the project."""
    path = agents.project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def typed(agents: AtWork, *words: str) -> subprocess.CompletedProcess[str]:
    """Run a command as a process of its own: one that it starts writes to the same streams."""
    argv = [sys.executable, "-m", "chant_mcp", *words]
    return subprocess.run(argv, cwd=agents.project.root, capture_output=True, text=True, check=False)


def test_a_command_sees_what_an_agent_sees_and_its_exit_code_is_kept(agents: AtWork) -> None:
    agents.begin()
    config = agents.project.root / ".chant" / "config.md"
    text = config.read_text("utf-8").replace("---\n", f"---\n{CONFIG}", 1)
    config.write_text(text.replace("PYTHON", json.dumps(sys.executable)), encoding="utf-8")
    write(agents, "deps.txt", "one\n")
    write(agents, ".gitignore", "node_modules/\n")
    agents.project.git("add", "-A")
    agents.project.git("commit", "-qm", "Recipe")
    write(agents, "uncommitted.txt", "")
    fetch = "import os, urllib.request as r; print(r.urlopen(os.environ['SITE']).read().decode(), end='')"
    look = (
        "cat node_modules/list.txt; test ! -e uncommitted.txt || exit 8; echo x > made.txt;"
        f' SITE=http://127.0.0.1:$CHANT_PORT_WEB/deps.txt {sys.executable} -c "{fetch}"; exit 3'
    )
    for words in (["env", "--"], ["env", "run", "--"]):
        ran = typed(agents, *words, "sh", "-c", look)
        assert (ran.returncode, ran.stdout) == (3, "one\none\n"), ran.stderr
        assert "onfined: " in ran.stderr, "how it is held is said"
    assert not (agents.project.root / "made.txt").exists()
    assert typed(agents, "env", "--", "no-such-program").returncode in (126, 127)
    assert "services: site" in agents("env", "show")


class _Site(BaseHTTPRequestHandler):
    """A server of a run."""

    server: ThreadingHTTPServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        """Answer with what was asked, or lead elsewhere."""
        port = self.server.server_port
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{port}/there")
            self.end_headers()
            return
        body = f"{self.path} {self.headers['Host'] == f'localhost:{port}'}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[Preview]:
    """Serve a preview of a site."""
    site = ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    threading.Thread(target=site.serve_forever).start()
    address = ("127.0.0.1", site.server_address[1])

    def connect(_: int) -> int:
        return socket.create_connection(address).detach()

    preview = Preview("2026-01-22-001-x7m", address[1], connect)
    is_begun, ends = threading.Event(), threading.Event()
    served = preview.serve(lambda _: is_begun.set(), lambda: not ends.is_set())
    serving = threading.Thread(target=lambda: asyncio.run(served))
    serving.start()
    try:
        assert is_begun.wait(30)
        yield preview
    finally:
        ends.set()
        serving.join()
        site.shutdown()
        site.server_close()


def asked(address: str, path: str, **headers: str) -> http.client.HTTPResponse:
    """Ask a server of the preview as a browser would, which finds names of `localhost` by itself."""
    host = address.removeprefix("http://")
    connection = http.client.HTTPConnection("127.0.0.1", int(host.rpartition(":")[2]), timeout=30)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in {"Host": host, **headers}.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    return connection.getresponse()


def test_a_preview_is_a_sandboxed_frame_that_leads_nowhere_else() -> None:
    with served() as preview:
        frame = asked(preview.frame, "/")
        page = frame.read().decode()
        assert 'sandbox="allow-scripts allow-forms allow-same-origin"' in page
        assert f'src="{preview.address}/"' in page
        assert f"frame-src {preview.address}" in frame.headers["Content-Security-Policy"]
        assert preview.address.startswith("http://2026-01-22-001-x7m.localhost:"), "cookies do not mix"
        shown = asked(preview.address, "/page", Sec_Fetch_Dest="iframe")
        assert (shown.status, shown.read()) == (200, b"/page True")
        policy = shown.headers["Content-Security-Policy"]
        assert policy == (
            f"default-src 'self' 'unsafe-inline'; form-action 'self'; frame-ancestors {preview.frame}"
        )
        moved = asked(preview.address, "/away", Sec_Fetch_Dest="iframe")
        assert (moved.status, moved.headers["Location"]) == (302, "/there")


def test_a_preview_is_no_page_by_itself_and_has_one_name() -> None:
    with served() as preview:
        for headers in ({}, {"Sec_Fetch_Dest": "document"}):
            refused = asked(preview.address, "/", **headers)
            assert (refused.status, preview.frame.encode() in refused.read()) == (403, True)
        port = preview.address.rpartition(":")[2]
        other = asked(preview.address, "/", Host=f"evil.example:{port}", Sec_Fetch_Dest="iframe")
        assert other.status == 421
        assert asked(preview.frame, "/", Host="evil.example").status == 421


def test_a_preview_needs_a_run(agents: AtWork) -> None:
    agents.spec(FIRST, "A form")
    agents.begin()
    assert "No run works on" in agents.error("open", FIRST, "--preview")
    assert "--port goes with --preview" in agents.run("open", FIRST, "--port", "web").stderr
