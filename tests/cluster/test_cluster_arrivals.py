"""`cluster up` says what is: each planted mistake is named before an agent starts."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from chant_mcp.cluster.arrivals import ExpectedWorkers, ProjectNeeds, faults_of, last_lines, wait_for_workers
from cluster.engine_kit import certificates
from cluster.test_engine_commands import run
from harness import user_config

SSH = """#!/bin/sh
# Stands in for ssh: each host is a home folder here, with its own mistake.
host=$2; shift 2
[ "$host" = unreachable ] && { echo "ssh: connect to host unreachable: No route to host" >&2; exit 255; }
export HOME="$HOSTS/${host%-twin}" HOST="$host"
unset XDG_STATE_HOME XDG_DATA_HOME XDG_CONFIG_HOME XDG_CACHE_HOME
mkdir -p "$HOME"
[ "$host" = no-program ] || PATH="$HOSTS/bin:$PATH"
exec sh -c "$*"
"""

PROGRAM = """#!{python}
import os, sys
words, host, hosts = sys.argv[1:], os.environ["HOST"], os.environ["HOSTS"]
def put(option, value):
    words[words.index(option) + 1] = value
if host in ("no-tls", "other-tls", "open-key"):
    put("--tls", hosts + "/" + host + "-files")
if host == "wrong-address":
    words[1] = "tls://127.0.0.1:1"
if host == "no-agent":
    put("--slots", "nobody=1")
if host.endswith("-twin"):
    put("--name", host.removesuffix("-twin"))
if host == "dies":
    sys.exit("Killed by the host's own rules")
if host == "no-extra":
    sys.modules["distributed"] = None
if host == "plain":
    words[1] = words[1].replace("tls:", "tcp:")
sys.argv = ["chant-mcp", *words]
from chant_mcp.entry import main
main()
"""

MISTAKES = {
    "no-program": "chant-mcp-there",
    "no-tls": "no-tls-files",
    "other-tls": "does not know our certificates",
    "open-key": "worker-key.pem",
    "wrong-address": "does not answer",
    "no-agent": "nothing to offer",
    "dies": "Killed by the host's own rules",
    "no-extra": "cluster",
    "plain": "does not speak TLS",
    "unreachable": "No route to host",
    "good-twin": "runs on this machine already",
}
"""What is said of each host, by its mistake."""


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Path]:
    """Hosts with a mistake each, and one without, in the configuration as the cluster `rack`."""
    folder = tmp_path / "hosts"
    (folder / "bin").mkdir(parents=True)
    (folder / "ssh").mkdir()
    for path, text in (
        (folder / "ssh" / "ssh", SSH),
        (folder / "bin" / "chant-mcp-there", PROGRAM.format(python=sys.executable)),
    ):
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    tls = certificates(folder / "tls")
    certificates(folder / "other-tls-files")
    shutil.copytree(tls, folder / "open-key-files")
    (folder / "open-key-files" / "worker-key.pem").chmod(0o644)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    names = ", ".join(("good", *MISTAKES))
    rack = (
        f"kind: ssh, address: 'tls://127.0.0.1:{port}', hosts: [{names}], slots: {{demo: 1}}, "
        f"program: chant-mcp-there, tls: {tls}"
    )
    user_config().write_text(f"---\ncluster: {{rack: {{{rack}}}}}\n---\n", encoding="utf-8")
    yield folder
    run(tmp_path, "cluster", "down", "rack")


def test_each_host_that_did_not_come_is_named_with_its_words(tmp_path: Path, hosts: Path) -> None:
    path = f"{hosts / 'ssh'}{os.pathsep}{os.environ['PATH']}"
    started = run(tmp_path, "cluster", "up", "rack", "--wait", "40", PATH=path, HOSTS=str(hosts))
    assert started.returncode == 1, started.stderr
    said = {line.split(" did not come", 1)[0]: line for line in started.stderr.splitlines()}
    assert set(said) == set(MISTAKES), started.stderr
    for host, words in MISTAKES.items():
        assert words in said[host], said[host]
    assert "good" in run(tmp_path, "cluster", "status", "rack").stdout


def test_hosts_that_are_named_twice_are_refused_before_anything_starts(tmp_path: Path) -> None:
    tls = certificates(tmp_path / "tls")
    rack = f"kind: ssh, address: 'tls://127.0.0.1:1', hosts: [a, b, a], slots: {{demo: 1}}, tls: {tls}"
    user_config().write_text(f"---\ncluster: {{rack: {{{rack}}}}}\n---\n", encoding="utf-8")
    refused = run(tmp_path, "cluster", "up", "rack")
    assert refused.returncode == 1
    assert "names a more than once" in " ".join(refused.stderr.split())


def worker(**more: object) -> dict[str, object]:
    """A worker as a scheduler lists it."""
    known = {"name": "one", "agents": {"demo": {}}, "release": "1", "silent": False, "trusted": []}
    return {**known, **more}


def test_what_keeps_a_worker_from_working_is_said() -> None:
    needs = ProjectNeeds(("demo",), "ab" * 32)
    assert faults_of(worker(trusts_any=True), "1", needs) == []
    assert faults_of(worker(trusted=["ab" * 32]), "1", needs) == []
    (release,) = faults_of(worker(release="2"), "1", None)
    assert "it runs release 2 of chant-mcp, and this machine 1" in release
    (untrusted,) = faults_of(worker(), "1", needs)
    assert f"--trust {'ab' * 32}" in untrusted
    (agent,) = faults_of(worker(agents={"codex": {}}, trusts_any=True), "1", needs)
    assert agent == "it offers codex, and this project works with demo"


def test_the_wait_ends_when_all_came_or_cannot_come() -> None:
    expected = ExpectedWorkers(("one", "two"))
    asked = iter([[worker()], [worker(), worker(name="two")]])
    assert len(wait_for_workers(expected, lambda: next(asked), 60, lambda: ())) == 2
    assert len(wait_for_workers(expected, lambda: [worker()], 60, lambda: ("two",))) == 1
    assert expected.missing([worker()]) == ["two"]
    assert ExpectedWorkers(count=3, prefix="pod-").missing([worker(name="pod-a")]) == ["pod-2", "pod-3"]
    assert last_lines("\n╭─ Error ─╮\n│ no   such file │\n╰──╯\n") == "╭─ Error ─╮ no such file"
