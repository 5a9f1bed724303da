"""What the job client takes over of a worker's bundle, and what it believes of a placer."""

from __future__ import annotations

import hashlib
import socket
import subprocess
import threading
import zlib
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import NoReturn

import pytest
from chant_mcp.cluster import job_client
from chant_mcp.cluster.job_client import JobLost, PlacerSocket, RunFolder, WorkRejected
from writing import git

BRANCH = "chant/one"


class Bundles:
    """The folder of a run, and bundles of a worker that continues its work."""

    def __init__(self, folder: Path) -> None:
        """Make the folder of a run with a commit, and the worker's clone of it."""
        self.root = folder / "run"
        self.root.mkdir()
        git(self.root, "init", "-q", "-b", BRANCH)
        git(self.root, "commit", "-q", "--allow-empty", "-m", "Start")
        self.start = git(self.root, "rev-parse", "HEAD").strip()
        self.worker = folder / "worker"
        git(folder, "clone", "-q", str(self.root), str(self.worker))
        self.run_folder = RunFolder(self.root, BRANCH)

    def commit(self, name: str = "done.txt") -> str:
        """Commit a file on the worker, and give the commit."""
        (self.worker / name).write_text("done\n", encoding="utf-8")
        git(self.worker, "add", "-A")
        git(self.worker, "commit", "-q", "-m", "Done")
        return git(self.worker, "rev-parse", "HEAD").strip()

    def bundle(self, *revisions: str) -> bytes:
        """Pack what the worker has."""
        git(self.worker, "bundle", "create", "-q", ".git/result", *revisions)
        return (self.worker / ".git" / "result").read_bytes()

    def rejected(self, bundle: bytes, tip: str) -> str:
        """Say why a bundle is not taken over; nothing has changed then."""
        with pytest.raises(WorkRejected) as caught:
            self.run_folder.take(bundle, self.start, tip)
        assert git(self.root, "rev-parse", BRANCH).strip() == self.start
        assert not git(self.root, "status", "--porcelain")
        return str(caught.value)


@pytest.fixture
def bundles(tmp_path: Path) -> Bundles:
    """A run and its worker."""
    return Bundles(tmp_path)


def test_commits_that_continue_the_work_come_back_with_their_files(bundles: Bundles) -> None:
    (bundles.root / ".git/hooks").mkdir(exist_ok=True)
    hook = bundles.root / ".git/hooks/post-merge"
    hook.write_text("#!/bin/sh\ntouch hooked\n", encoding="utf-8")
    hook.chmod(0o755)
    tip = bundles.commit()
    bundles.run_folder.take(bundles.bundle(BRANCH, f"^{bundles.start}"), bundles.start, tip)
    assert git(bundles.root, "rev-parse", BRANCH).strip() == tip
    assert (bundles.root / "done.txt").read_text(encoding="utf-8") == "done\n"
    assert not (bundles.root / "hooked").exists()


def _two_refs(bundles: Bundles) -> tuple[bytes, str]:
    tip = bundles.commit()
    git(bundles.worker, "branch", "other")
    return bundles.bundle(BRANCH, "other", f"^{bundles.start}"), tip


def _other_tip(bundles: Bundles) -> tuple[bytes, str]:
    bundles.commit()
    return bundles.bundle(BRANCH, f"^{bundles.start}"), bundles.start


def _other_history(bundles: Bundles) -> tuple[bytes, str]:
    git(bundles.worker, "checkout", "-q", "--orphan", "strange")
    tip = bundles.commit()
    return bundles.bundle("strange"), tip


def _broken_object(bundles: Bundles) -> tuple[bytes, str]:
    blob = git(bundles.worker, "hash-object", "-w", "--", ".git/HEAD").strip()
    tree = b"100644 .git\0" + bytes.fromhex(blob)
    made = subprocess.run(
        ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
        cwd=bundles.worker,
        input=tree,
        capture_output=True,
        check=True,
    )
    words = ("commit-tree", "-p", bundles.start, "-m", "Bad", made.stdout.decode().strip())
    tip = git(bundles.worker, *words).strip()
    git(bundles.worker, "update-ref", f"refs/heads/{BRANCH}", tip)
    return bundles.bundle(BRANCH, f"^{bundles.start}"), tip


def _no_bundle(bundles: Bundles) -> tuple[bytes, str]:
    return b"# v2 git bundle\nnothing\n\nPACKnothing", bundles.start


def _bomb(bundles: Bundles) -> tuple[bytes, str]:
    tip = bundles.commit()
    blob = _pack_object(3, bytes(64 * 1024 * 1024))
    pack = b"PACK" + (2).to_bytes(4, "big") + (20).to_bytes(4, "big") + blob * 20
    head = f"# v2 git bundle\n{tip} refs/heads/{BRANCH}\n\n".encode()
    return head + pack + hashlib.sha1(pack, usedforsecurity=False).digest(), tip


def _pack_object(kind: int, content: bytes) -> bytes:
    size = len(content)
    head = [kind << 4 | size & 15]
    size >>= 4
    while size:
        head[-1] |= 128
        head.append(size & 127)
        size >>= 7
    return bytes(head) + zlib.compress(content, 1)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (_two_refs, "its bundle has 2 refs, and one was expected"),
        (_other_tip, "its bundle has another commit than its result names"),
        (_other_history, "its commits do not continue those that were sent"),
        (_broken_object, "git fetch"),
        (_no_bundle, "the pack of its bundle is broken"),
        (_bomb, "the objects of its bundle are larger than 1073741824 bytes together"),
    ],
)
def test_bundles_with_a_fault_change_nothing(
    bundles: Bundles, make: Callable[[Bundles], tuple[bytes, str]], why: str
) -> None:
    assert why in bundles.rejected(*make(bundles))


def test_a_bundle_that_is_too_large_is_not_looked_into(
    bundles: Bundles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job_client, "MAX_BUNDLE", 10)
    tip = bundles.commit()
    assert "larger than 10 bytes" in bundles.rejected(bundles.bundle(BRANCH), tip)


@pytest.mark.parametrize(
    "said",
    [
        {"pushed": "a1" * 20, "tip": "b2" * 20},
        {"pushed": "a1" * 20, "tip": None},
        {"pushed": "--upload-pack=touch x", "tip": "--upload-pack=touch x"},
        {"pushed": "HEAD", "tip": "HEAD"},
        {"pushed": f"{'a1' * 20}\n", "tip": f"{'a1' * 20}\n"},
        {"pushed": "a" * 200_000, "tip": "a" * 200_000},
        {"pushed": ["a1" * 20], "tip": ["a1" * 20]},
        {"pushed": None, "tip": None},
    ],
)
def test_a_worker_that_says_it_pushed_names_its_newest_commit_by_its_id(said: dict[str, object]) -> None:
    with pytest.raises(WorkRejected, match="its result says that it pushed"):
        job_client.check_pushed(said)
    job_client.check_pushed({"pushed": "a1" * 32, "tip": "a1" * 32, "ref": "refs/heads/main"})


def test_what_is_not_committed_goes_along(bundles: Bundles) -> None:
    (bundles.root / "left.txt").write_text("left\n", encoding="utf-8")
    git(bundles.root, "commit", "-q", "--allow-empty", "-m", "Own")
    own = git(bundles.root, "rev-parse", "HEAD").strip()
    base, start = bundles.run_folder.commits(own)
    assert base == bundles.start
    assert git(bundles.root, "show", f"{start}:left.txt") == "left\n"


def test_what_a_machine_says_that_it_has_is_looked_up_here(bundles: Bundles) -> None:
    foreign = bundles.commit()
    git(bundles.root, "commit", "-q", "--allow-empty", "-m", "Landed")
    later = git(bundles.root, "rev-parse", "HEAD").strip()
    git(bundles.root, "commit", "-q", "--allow-empty", "-m", "Own")
    start = git(bundles.root, "rev-parse", "HEAD").strip()
    strange: list[object] = ["--all", BRANCH, 7, None, "0" * 40, foreign, start[:10]]
    below = bundles.run_folder.newest_below([*strange, later, bundles.start], start)
    assert below == later
    assert f"-{later}" in bundles.run_folder.bundle(below).split(b"\n\n")[0].decode()
    for none in (strange, [], "x", None, ["0" * 40] * job_client.MAX_KNOWN + [later]):
        assert bundles.run_folder.newest_below(none, start) is None


@pytest.mark.parametrize(
    "sent",
    [
        b"x" * (job_client.MAX_LINE + 2),
        b"[" * 100_000 + b"\n",
        b'{"is":"page","bytes":-1}\n',
        b'{"is":"page","bytes":99999999999}\n',
        b"[]\n",
        b"",
    ],
)
def test_a_placer_that_does_not_keep_to_the_protocol_is_left(sent: bytes) -> None:
    with ExitStack() as stack:
        own, other = map(stack.enter_context, socket.socketpair())
        sending = threading.Thread(target=_send_and_close, args=(other, sent))
        sending.start()
        with pytest.raises(JobLost):
            _hear_all(PlacerSocket(own))
        own.close()
        sending.join()


def _send_and_close(connected: socket.socket, sent: bytes) -> None:
    with suppress(OSError):
        connected.sendall(sent)
    connected.close()


def _hear_all(placer: PlacerSocket) -> NoReturn:
    while True:
        list(placer.hear())
