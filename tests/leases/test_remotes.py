"""The remotes and the proxy of these tests do what their users take for granted."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from leases.remotes import Remote, run_git
from leases.tcp_proxy import ANSWER_LOST, HALF_OPEN, PASS, LinkMode, TcpProxy

LEASE = "refs/chant/leases/x"
MAIN = "refs/heads/main"

MakeRemote = Callable[..., Remote]
MakeProxy = Callable[[Remote], TcpProxy]


@dataclass(frozen=True)
class PushedRef:
    """A ref of a push: the value it has to have on the remote, and the one it is to get."""

    ref: str
    old: str
    new: str


class PushingClone:
    """A clone that pushes as the product does."""

    def __init__(self, folder: Path, remote: Remote, port: int | None = None) -> None:
        self.folder = remote.clone(folder, port)

    def git(self, *words: str) -> str:
        """Run git in the clone."""
        return run_git(self.folder, *words).strip()

    def object(self, subject: str) -> str:
        """Make a commit of the empty tree."""
        tree = self.git("hash-object", "-t", "tree", "-w", "/dev/null")
        return self.git("commit-tree", "-m", subject, tree)

    def long_line(self, commits: int) -> str:
        """Make a line of commits, the first with a file that does not shrink, and give its end."""
        author = b"committer Ada <ada@example.org> 2000000000 +0000\n"
        file = b"M 100644 inline large\ndata 300000\n" + os.urandom(300_000) + b"\n"
        stream = (
            b"commit refs/line\n" + author + b"data 1\nx\n" + (b"" if number else file)
            for number in range(commits)
        )
        subprocess.run(["git", "fast-import", "--quiet"], cwd=self.folder, input=b"".join(stream), check=True)
        return self.git("rev-parse", "refs/line")

    def landing(self, old_lease: str) -> list[PushedRef]:
        """Make what one push changes that lands: lease and target."""
        base = self.git("rev-parse", "origin/main")
        merge = self.git("commit-tree", "-p", base, "-m", "Land", f"{base}^{{tree}}")
        return [PushedRef(LEASE, old_lease, self.object("landed")), PushedRef(MAIN, base, merge)]

    def push(self, *refs: PushedRef) -> subprocess.CompletedProcess[str]:
        """Push and wait for the end."""
        process = self.begin(*refs)
        out, err = process.communicate(timeout=20)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def begin(self, *refs: PushedRef) -> subprocess.Popen[str]:
        """Begin a push of some refs, all or none."""
        leases = [f"--force-with-lease={ref.ref}:{ref.old}" for ref in refs]
        changes = [f"{ref.new}:{ref.ref}" for ref in refs]
        return subprocess.Popen(
            ["git", "push", "--atomic", "--porcelain", *leases, "origin", *changes],
            cwd=self.folder,
            env={**os.environ, "LC_ALL": "C"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )


def test_clone_push_and_compare_over_each_transport(tmp_path: Path, remote: Remote) -> None:
    clone = PushingClone(tmp_path / "clone", remote)
    first, second = clone.object("1"), clone.object("2")
    assert clone.push(PushedRef(LEASE, "", first)).returncode == 0
    landing = clone.landing(first)
    remote.refuse_connections()
    assert clone.push(*landing).returncode == 128
    remote.accept_connections()
    stale = clone.push(PushedRef(LEASE, second, second), landing[1])
    assert (stale.returncode, "(stale info)" in stale.stdout) == (1, True)
    assert remote.refs()[LEASE] == first
    assert clone.push(*landing).returncode == 0
    assert remote.refs() == {ref.ref: ref.new for ref in landing}
    assert [push.refs for push in remote.pushes()] == [(LEASE,), (LEASE, MAIN)]
    assert remote.connections == {"path": 0, "ssh": 5}.get(remote.transport, 4)


def test_reftable_remote(tmp_path: Path, make_remote: MakeRemote) -> None:
    remote = make_remote("git", "reftable")
    clone = PushingClone(tmp_path / "clone", remote)
    assert clone.push(*clone.landing("")).returncode == 0
    assert (remote.folder / "reftable").is_dir()
    assert set(remote.refs()) == {LEASE, MAIN}


def test_http_takes_chunked_and_compressed_requests(
    tmp_path: Path, make_remote: MakeRemote, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = make_remote("http")
    clone = PushingClone(tmp_path / "clone", remote)
    monkeypatch.setenv("GIT_TRACE_CURL", str(tmp_path / "trace"))
    # The names of many commits that the remote lacks make a request that git compresses.
    line = clone.long_line(commits=60)
    clone.git("update-ref", "refs/heads/line", line)
    remote.write_ref(MAIN, remote.git("commit-tree", "-p", MAIN, "-m", "Theirs", f"{MAIN}^{{tree}}"))
    clone.git("fetch", "-q")
    assert clone.git("rev-parse", "origin/main") == remote.refs()[MAIN]
    clone.git("config", "http.postBuffer", "65536")
    assert clone.push(PushedRef("refs/heads/line", "", line)).returncode == 0
    assert remote.refs()["refs/heads/line"] == line
    trace = (tmp_path / "trace").read_text("utf-8")
    assert "transfer-encoding: chunked" in trace.lower()
    assert "content-encoding: gzip" in trace.lower()


def test_remote_without_atomic_pushes_and_refused_refs(tmp_path: Path, make_remote: MakeRemote) -> None:
    remote = make_remote("git")
    clone = PushingClone(tmp_path / "clone", remote)
    remote.refuse_pushes("refs/heads/*", "protected branch")
    refused = clone.push(*clone.landing(""))
    assert "[remote rejected] (hook declined)" in refused.stdout
    assert "remote: protected branch" in refused.stderr
    assert set(remote.refs()) == {MAIN}
    remote.allow_pushes()
    remote.set_atomic(False)
    refused = clone.push(*clone.landing(""))
    assert "the receiving end does not support --atomic push" in refused.stderr
    remote.set_atomic(True)
    assert clone.push(*clone.landing("")).returncode == 0


@pytest.mark.parametrize("transport", ["path", "http"])
def test_held_push_loses_against_one_that_overtakes_it(
    tmp_path: Path, make_remote: MakeRemote, transport: str
) -> None:
    remote = make_remote(transport)
    clone = PushingClone(tmp_path / "clone", remote)
    first, second = clone.object("1"), clone.object("2")
    with remote.hold_next_push() as held:
        slow = clone.begin(PushedRef(LEASE, "", first))
        assert held.wait() == (LEASE,)
        assert clone.push(PushedRef(LEASE, "", second)).returncode == 0
        held.release()
        out, _ = slow.communicate(timeout=20)
    assert "[remote rejected] (atomic transaction failed)" in out
    assert remote.refs()[LEASE] == second
    with remote.hold_next_push():
        pass
    assert clone.push(PushedRef(LEASE, second, first)).returncode == 0


@pytest.mark.parametrize(("transport", "how"), [("path", "fails"), ("http", "dies")])
def test_server_that_breaks_between_two_refs_leaves_half_a_push(
    tmp_path: Path, make_remote: MakeRemote, transport: str, how: Literal["dies", "fails"]
) -> None:
    remote = make_remote(transport)
    clone = PushingClone(tmp_path / "clone", remote)
    held = clone.object("held")
    clone.push(PushedRef(LEASE, "", held))
    lease, target = clone.landing(held)
    with remote.break_at(MAIN, how):
        broken = clone.push(lease, target)
    assert broken.returncode != 0
    assert (LEASE in broken.stdout) == (how == "fails")
    assert remote.refs() == {LEASE: lease.new, MAIN: target.old}
    assert clone.push(target).returncode == 0


def test_http_throttles(tmp_path: Path, make_remote: MakeRemote) -> None:
    remote = make_remote("http")
    clone = PushingClone(tmp_path / "clone", remote)
    remote.status = 429
    assert "The requested URL returned error: 429" in clone.push(*clone.landing("")).stderr
    remote.status = None
    assert clone.push(*clone.landing("")).returncode == 0


@pytest.fixture(params=["git", "http"])
def proxied(
    request: pytest.FixtureRequest, tmp_path: Path, make_remote: MakeRemote, make_proxy: MakeProxy
) -> tuple[Remote, TcpProxy, PushingClone]:
    """A remote, a proxy before it and a clone behind that."""
    remote = make_remote(request.param)
    proxy = make_proxy(remote)
    return remote, proxy, PushingClone(tmp_path / "clone", remote, proxy.port)


Proxied = tuple[Remote, TcpProxy, PushingClone]


def test_proxy_swallows_the_answer_of_a_push_that_was_done(proxied: Proxied) -> None:
    remote, proxy, clone = proxied
    before = proxy.connections
    proxy.choose = lambda number: ANSWER_LOST if number == before + 2 else PASS
    lost = [clone.object(str(number)) for number in range(3)]
    codes = [clone.push(PushedRef(f"{LEASE}{oid}", "", oid)).returncode for oid in lost]
    assert [code == 0 for code in codes] == [True, False, True]
    assert set(remote.refs(f"{LEASE}*")) == {f"{LEASE}{oid}" for oid in lost}


def test_proxy_cuts_after_some_bytes_and_refuses_on_the_same_port(proxied: Proxied) -> None:
    remote, proxy, clone = proxied
    landing = clone.landing("")
    for mode in (LinkMode(limit_up=60), LinkMode(limit_down=60)):
        proxy.mode = mode
        assert clone.push(*landing).returncode != 0
    proxy.mode = PASS
    proxy.refuse()
    refused = clone.push(*landing).stderr
    assert "Connection refused" in refused or "Couldn't connect" in refused
    assert set(remote.refs()) == {MAIN}
    proxy.accept()
    assert clone.push(*landing).returncode == 0


def test_proxy_accepts_and_stays_silent(proxied: Proxied) -> None:
    remote, proxy, clone = proxied
    proxy.mode = HALF_OPEN
    push = clone.begin(*clone.landing(""))
    with pytest.raises(subprocess.TimeoutExpired):
        push.communicate(timeout=0.3)
    proxy.cut()
    push.communicate(timeout=20)
    assert push.returncode == 128
    assert set(remote.refs()) == {MAIN}


def test_proxy_delays_both_directions(proxied: Proxied) -> None:
    _, proxy, clone = proxied
    landing = clone.landing("")
    proxy.mode = LinkMode(delay_up=0.05, delay_down=0.1)
    started = time.monotonic()
    assert clone.push(*landing).returncode == 0
    assert time.monotonic() - started >= 0.3  # twice in each direction at least
