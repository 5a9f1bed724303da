"""Endpoints that have to prove who they are, and the command behind the agents over HTTP."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from work.kit import PROGRAM
from work.models import Model, Refuses, calls, done

HOUR = timedelta(hours=1)

NETWORK = {"SSL_CERT_FILE", *(f"{kind}_PROXY" for kind in ("HTTP", "HTTPS", "ALL", "NO"))}
NETWORK |= {name.lower() for name in NETWORK}
"""Variables of the machine's own network."""


def name(text: str) -> x509.Name:
    """Make the name of somebody."""
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def certificate(
    of: str, key: ec.EllipticCurvePrivateKey, by: str, signer: ec.EllipticCurvePrivateKey
) -> x509.Certificate:
    """Have somebody say who somebody is: an authority of itself, or a server on this machine."""
    is_authority = of == by
    now = datetime.now(timezone.utc)
    draft = (
        x509.CertificateBuilder()
        .subject_name(name(of))
        .issuer_name(name(by))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - HOUR)
        .not_valid_after(now + HOUR)
        .add_extension(x509.BasicConstraints(is_authority, None), critical=True)
    )
    if not is_authority:
        here = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
        draft = draft.add_extension(here, critical=False)
    return draft.sign(signer, hashes.SHA256())


@pytest.fixture
def authority(tmp_path: Path) -> Path:
    """Make an authority of one's own and a server that it vouches for; gives the authority's certificate."""
    own, servers = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    pem = serialization.Encoding.PEM
    root = certificate("Own", own, "Own", own).public_bytes(pem)
    key = servers.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    server = certificate("Server", servers, "Own", own).public_bytes(pem)
    (tmp_path / "server.pem").write_bytes(key + server)
    (tmp_path / "root.pem").write_bytes(root)
    return tmp_path / "root.pem"


def agent(model: Model, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Have a model work in a folder, without a run around it."""
    words = ["http-agent", "--provider", "openai", "--endpoint", f"{model.url}/v1", "--model", "small"]
    return subprocess.run(
        [*PROGRAM, *words, "--retries", "0"],
        cwd=folder,
        env={**{name: value for name, value in os.environ.items() if name not in NETWORK}, **variables},
        input="Paint the ferry",
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_an_endpoint_has_to_prove_who_it_is(tmp_path: Path, authority: Path) -> None:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(tmp_path / "server.pem")
    with Model(done("Blue.")).served(tls) as model:
        refused = agent(model, tmp_path)
        assert refused.returncode == 1
        assert f"{model.url}/v1/chat/completions gave no answer: " in refused.stderr
        assert "UnknownIssuer" in refused.stderr
        assert model.requests == []
        trusted = agent(model, tmp_path, SSL_CERT_FILE=str(authority))
        assert (trusted.returncode, trusted.stderr) == (0, "")
        assert "Blue." in trusted.stdout
        wrong = agent(model, tmp_path, SSL_CERT_FILE=str(tmp_path / "none.pem"))
        assert wrong.returncode == 1
        assert "the certificates that SSL_CERT_FILE names" in wrong.stderr


def test_a_server_that_wants_a_key_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with Model(Refuses(401, "who are you?")).served() as model:
        refused = agent(model, tmp_path)
    assert refused.returncode == 1
    assert "401 Unauthorized: who are you?; set OPENAI_API_KEY where runs are started" in refused.stderr
    assert model.keys == [None]


def test_what_it_tells_are_messages_as_other_agents_tell_them(tmp_path: Path) -> None:
    with Model(calls("list_files"), calls("read_file", path="../x"), done("Blue.")).served() as model:
        told = agent(model, tmp_path).stdout.splitlines()
    assert told[1] == "[result] The folder is empty."
    messages = [json.loads(line) for line in told if line.startswith("{")]
    parts = [message["message"]["content"][0] for message in messages]
    assert [part.get("name") for part in parts] == ["list_files", "read_file", None, "task_complete", None]
    assert (parts[2]["is_error"], messages[2]["type"]) == (True, "user")
    assert parts[-1] == {"type": "text", "text": "Blue."}


def test_a_proxy_is_used_but_not_for_this_machine(tmp_path: Path) -> None:
    with Model(done()).served() as model:
        assert agent(model, tmp_path, HTTP_PROXY="http://127.0.0.1:1").returncode == 0
        model.url = "http://model.example"
        away = agent(model, tmp_path, HTTP_PROXY="http://127.0.0.1:1")
        assert away.returncode == 1
        assert "refused" in away.stderr, "who was asked is the proxy, which is not there"
        nonsense = agent(model, tmp_path, HTTP_PROXY="ftp://x")
        assert "the proxy that HTTP_PROXY names cannot be used" in nonsense.stderr
