"""What does not come in over HTTP, and how that is said: raw requests (issue 8, HTTP)."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chant_mcp.errors import InvalidArgumentError, RefusedError
from chant_mcp.server.http import address
from chant_mcp.server.http.address import Address
from harness import Project
from server.over_http import BOTH, TOKEN, Listen, Listening, client_of, enveloped, modern_headers, started
from server.pipes import call, initialize, request, text_of
from server.test_stdio import ODD_ENVELOPES

BEARER = {"authorization": f"Bearer {TOKEN}"}

ALL = [
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
    ("GET", "/"),
    ("GET", "/sse"),
    ("POST", "/messages"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listening]:
    """A server that asks for a token which the tests know, and logs all it can."""
    root = tmp_path_factory.mktemp("door")
    Project(root).spec("2026-01-22-001-x7m")
    file = root / "token"
    file.touch(0o600)
    file.write_text(TOKEN + "\n", encoding="ascii")
    server = started(root, "--token-file", str(file), env={**os.environ, "MCP_LOG_LEVEL": "DEBUG"})
    yield server
    server.discard()


@pytest.mark.parametrize(("method", "path"), ALL)
@pytest.mark.parametrize("given", [None, "Bearer ", f"Bearer {TOKEN}x", f"Basic {TOKEN}", "Bearer \xe4"])
def test_without_the_token_nobody_comes_in(
    server: Listening, method: str, path: str, given: str | None
) -> None:
    body = initialize(1) if method == "POST" else None
    headers = {} if given is None else {"authorization": given}
    status, told, _ = server.ask(method, path, body, accept=BOTH, **headers)
    assert status == 401
    assert told["www-authenticate"].startswith("Bearer ")


def test_the_token_is_in_no_log_and_no_url(server: Listening) -> None:
    session = server.begin(**BEARER)
    server.answer(call(1, "chant_status"), **session)
    server.ask("GET", f"/mcp?token={TOKEN}")
    assert server.ask("POST", f"/mcp?access_token={TOKEN}", initialize(1))[0] == 401
    assert "DEBUG" in server.errors
    assert TOKEN not in server.errors


def test_health_needs_no_token_and_tells_nothing_of_the_project(server: Listening) -> None:
    status, _, body = server.ask("GET", "/health")
    assert status == 200
    assert set(json.loads(body)) == {"status", "name", "version"}


FOREIGN = ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.evil.example:{port}"]


@pytest.mark.parametrize("host", FOREIGN)
@pytest.mark.parametrize(("method", "path"), [*ALL, ("GET", "/health")])
def test_foreign_hosts_are_refused(server: Listening, method: str, path: str, host: str) -> None:
    body = initialize(1) if method == "POST" else None
    headers = {"accept": BOTH, "host": host.format(port=server.port), **BEARER}
    assert server.ask(method, path, body, **headers)[0] == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost", "https://localhost:{port}"]
)
@pytest.mark.parametrize(("method", "path"), [*ALL, ("OPTIONS", "/mcp")])
def test_foreign_origins_are_refused(server: Listening, method: str, path: str, origin: str) -> None:
    body = initialize(1) if method == "POST" else None
    headers = {"accept": BOTH, "origin": origin.format(port=server.port), **BEARER}
    status, told, _ = server.ask(method, path, body, **headers)
    assert status == 403
    assert not [name for name in told if name.startswith("access-control")]


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
def test_own_names_are_answered(server: Listening, name: str) -> None:
    here = f"{name}:{server.port}"
    headers = {"host": here, "origin": f"http://{here}", **BEARER}
    status, told, _ = server.ask("POST", "/mcp", initialize(1), **headers)
    assert status == 200
    assert not [name for name in told if name.startswith("access-control")]


def test_what_is_no_request_is_told_and_no_traceback(server: Listening) -> None:
    session = server.begin(**BEARER)
    json_type = {"content_type": "application/json", "accept": BOTH}
    status, _, body = server.ask("POST", "/mcp", b'{"jsonrpc', **json_type, **session)
    assert (status, json.loads(body)["error"]["code"], json.loads(body)["id"]) == (400, -32700, None)
    modern = modern_headers(enveloped(request(1, "tools/list")), **BEARER)
    status, _, body = server.ask("POST", "/mcp", b'{"jsonrpc', **json_type, **modern)
    assert (status, json.loads(body)["error"]["code"]) == (400, -32700)
    status, _, body = server.ask("POST", "/messages", b'{"jsonrpc', **json_type, **BEARER)
    assert (status, json.loads(body)["error"]["code"]) == (400, -32700)
    status, _, body = server.ask("POST", "/messages", b'{"id": 7}', **json_type, **BEARER)
    assert (status, json.loads(body)["error"]["code"], json.loads(body)["id"]) == (400, -32600, 7)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""):
        for path in ("/mcp", "/messages"):
            assert server.ask("POST", path, b"{}", content_type=kind, **session)[0] == 415, kind
    assert server.ask("GET", "/nowhere", None, **BEARER)[0] == 404
    assert server.ask("GET", "/.well-known/oauth-protected-resource")[0] == 404
    assert server.ask("POST", "/", initialize(1), **BEARER)[0] == 405
    assert server.ask("PUT", "/mcp", None, **BEARER)[0] == 405
    assert server.ask("GET", "/messages", None, **BEARER)[0] == 405
    status, _, body = server.ask("GET", "/", None, accept="text/html", **BEARER)
    assert status == 406
    assert b"/mcp" in body
    unknown = {**session, "mcp_session_id": "0" * 32}
    assert server.ask("POST", "/mcp", call(1, "chant_status"), **unknown)[0] == 404
    assert server.ask("POST", f"/messages?session_id={'0' * 32}", initialize(1), **BEARER)[0] == 404
    assert "Traceback" not in server.errors
    assert text_of(server.answer(call(1, "chant_status", brief=True), **session)) == "1 pending"


def test_odd_envelopes_are_answered_under_their_own_ids_over_http(server: Listening) -> None:
    session = server.begin(**BEARER)
    headers = {"content_type": "application/json", "accept": BOTH}
    for line, id, why in ODD_ENVELOPES:
        status, _, body = server.ask("POST", "/mcp", line, **headers, **session)
        text = body.decode()
        answer = json.loads(text if status == 400 else "{" + text.partition("data: {")[2])
        assert (answer["id"], status) == (id, 400 if why else 200), line[:100]
        assert why in json.dumps(answer)
    assert "Traceback" not in server.errors


def test_long_requests_are_refused(server: Listening) -> None:
    session = server.begin(**BEARER)
    most = 4 * 1024 * 1024
    fits = json.dumps(call(1, "chant_spec_get", id="")).encode()
    fits = fits.replace(b'""', b'"' + b"x" * (most - len(fits)) + b'"')
    assert len(fits) == most
    headers = {"content_type": "application/json", "accept": BOTH, **session}
    assert server.ask("POST", "/mcp", fits, **headers)[0] == 200
    for path in ("/mcp", "/messages"):
        status, _, _ = server.ask("POST", path, fits + b" ", **headers)
        assert status == 413
    with server.connection() as connection:  # of a length that is not reported before
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request("POST", "/mcp", iter([fits, b" "]), given, encode_chunked=True)
        assert connection.getresponse().status == 413


@pytest.mark.anyio
@pytest.mark.parametrize("kind", ["streamable", "modern", "sse"])
async def test_with_the_token_every_client_comes_in(server: Listening, kind: str) -> None:
    async with client_of(server.url, kind, TOKEN) as client:
        assert (await client.list_tools()).tools


@pytest.mark.requirement("http:address:default_and_forms")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Address("127.0.0.1", None)),
        ("8000", Address("127.0.0.1", 8000)),
        ("0", Address("127.0.0.1", 0)),
        ("localhost:8000", Address("localhost", 8000)),
        ("0.0.0.0:1", Address("0.0.0.0", 1)),
        ("localhost", Address("localhost", None)),
        ("[::1]:8000", Address("::1", 8000)),
        ("[::1]", Address("::1", None)),
    ],
)
def test_addresses_are_read(text: str, expected: Address) -> None:
    assert address.address(text) == expected
    assert address.PORT == 19560


@pytest.mark.requirement("http:address:default_and_forms")
@pytest.mark.parametrize(
    "text", ["::1:80", ":80", "host:", "host:x", "70000", "http://host:80", "a b:1:2", "-1"]
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentError, match="Expected PORT or HOST:PORT"):
        address.address(text)


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program listens at."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_a_free_port_is_used_when_the_usual_one_is_taken(taken: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "PORT", taken)
    listener = address.listen(Address())
    with listener.socket:
        assert listener.port not in (0, taken)
        # Else asyncio leaves answers to Nagle's algorithm: 40 ms more a call.
        assert listener.socket.proto == socket.IPPROTO_TCP
        assert listener.url == f"http://127.0.0.1:{listener.port}"
        with socket.create_connection(("127.0.0.1", listener.port)):
            pass


def test_a_taken_port_that_was_asked_for_is_an_error(taken: int, listen: Listen, project: Project) -> None:
    server = listen(project.root, "--http", str(taken), "--no-auth")
    assert server.ended() == 1
    assert f"127.0.0.1:{taken} is taken by another program.\n" in server.errors
    assert "Use `--http 127.0.0.1:0` for a free port." in server.errors
    assert "Traceback" not in server.errors


def test_hosts_that_are_none_of_ours_are_refused() -> None:
    for host in ("192.0.2.1", "no-such-host.invalid"):
        with pytest.raises(RefusedError, match=host):
            address.listen(Address(host, 0))


def test_no_auth_is_for_this_machine_alone(listen: Listen, project: Project) -> None:
    server = listen(project.root, "--http", "0.0.0.0:0", "--no-auth")
    assert server.ended() == 1
    assert "--no-auth works only on this machine" in server.errors


def test_other_names_are_answered_when_the_user_allows_them(listen: Listen, project: Project) -> None:
    server = listen(
        project.root, "--http", "0.0.0.0:0", "--allow-host", "box.example", "--allow-host", "proxy:80"
    )
    for host, expected in (
        (f"box.example:{server.port}", 401),
        ("proxy:80", 401),
        (f"localhost:{server.port}", 401),
        (f"0.0.0.0:{server.port}", 401),
        ("other.example", 421),
    ):
        assert server.ask("POST", "/mcp", initialize(1), host=host)[0] == expected, host


def test_a_proxy_with_the_usual_port_is_answered(listen: Listen, project: Project) -> None:
    """Clients leave 443 out of both headers, and a proxy hands them on as they are."""
    server = listen(project.root, "--no-auth", "--allow-host", "proxy.example", "--allow-host", "box:8443")

    def status(host: str, origin: str | None = None) -> int:
        headers = {"host": host} if origin is None else {"host": host, "origin": origin}
        return server.ask("POST", "/mcp", initialize(1), **headers)[0]

    here = f"127.0.0.1:{server.port}"
    for host in ("proxy.example", f"proxy.example:{server.port}", "box:8443"):
        assert [status(host), status(host, f"https://{host}"), status(host, f"http://{host}")] == [200] * 3, (
            host
        )
    for host in ("box", f"box:{server.port}", "proxy.example:8443", "127.0.0.1", "x.proxy.example"):
        assert status(host) == 421, host
    for origin in ("https://box", "https://x.proxy.example", "https://localhost", f"https://{here}"):
        assert status("proxy.example", origin) == 403, origin


@pytest.mark.requirement("http:address:default_and_forms")
def test_the_sixth_version_of_the_protocol_is_served(listen: Listen, project: Project) -> None:
    if not socket.has_ipv6:
        pytest.skip("there is no IPv6 here")
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("there is no IPv6 here")
    server = listen(project.root, "--http", "[::1]:0", "--no-auth")
    assert server.url.startswith("http://[::1]:")
    assert text_of(server.answer(call(1, "chant_status", brief=True), **server.begin())) == "No specs"


def test_a_token_file_is_made_and_used_again(listen: Listen, project: Project, tmp_path: Path) -> None:
    file = tmp_path / "token"
    for _ in range(2):
        server = listen(project.root, "--token-file", str(file))
        assert server.url
        token = file.read_text("ascii").strip()
        assert len(token) > 30
        assert file.stat().st_mode & 0o777 == 0o600
        assert server.ask("POST", "/mcp", initialize(1), authorization=f"Bearer {token}")[0] == 200
        assert token not in server.errors
        assert server.stop() == 0


def test_a_token_file_that_others_may_read_is_refused(
    listen: Listen, project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(TOKEN, encoding="ascii")
    file.chmod(0o644)
    server = listen(project.root, "--token-file", str(file))
    assert server.ended() == 1
    assert f"chmod 600 {file}" in server.errors
    file.write_text("short", encoding="ascii")
    file.chmod(0o600)
    server = listen(project.root, "--token-file", str(file))
    assert server.ended() == 1
    assert "holds no token" in server.errors


def test_options_of_http_need_it(listen: Listen, project: Project) -> None:
    command = [sys.executable, "-m", "chant_mcp", "serve", "--no-auth"]
    server = listen(project.root, command=command)
    assert server.ended() == 2
    assert "add --http" in server.errors
