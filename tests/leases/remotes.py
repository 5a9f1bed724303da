"""Real remotes for tests: a bare repository by path, `git://`, smart HTTP and a stand-in for ssh."""

from __future__ import annotations

import contextlib
import os
import re
import select
import shlex
import signal
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast

import pytest
from leases.git_http import serve_http
from leases.listener import LOOPBACK, LoopbackListener

Transport = Literal["path", "git", "http", "ssh"]
RefFormat = Literal["files", "reftable"]

TRANSPORTS: tuple[Transport, ...] = ("path", "git", "http", "ssh")
REF_FORMATS: tuple[RefFormat, ...] = ("files", "reftable")

LIMIT = 20.0
"""Seconds after which what a test waits for counts as lost."""

# Counts the push; holds it back where a test asked for that, one push for each `hold`.
_PRE_RECEIVE = """\
#!/bin/sh
refs=$(while read -r old new ref; do printf ' %s' "$ref"; done)
printf '%s%s\\n' "$(date +%s.%N)" "$refs" >> pushes
if mv hold held 2>/dev/null; then
    printf '%s\\n' "$refs" > held/arrived
    read -r _ < held/released
fi
exit 0
"""

_UPDATE = """\
#!/bin/sh
[ -e refused-refs ] || exit 0
while IFS='\t' read -r pattern words; do
    case "$1" in
        $pattern) printf '%s\\n' "$words" >&2; exit 1;;
    esac
done < refused-refs
exit 0
"""

# The last word is the command, as ssh has it; the far side is a session of its own with its own environment.
_SSH = """\
#!/bin/sh
here=$(dirname "$0")
echo >> "$here/connections"
if [ -e "$here/refuses" ]; then
    echo "ssh: connect to host remote.example port 22: Connection refused" >&2
    exit 255
fi
while [ $# -gt 1 ]; do shift; done
exec setsid --wait env -i PATH="$PATH" HOME="$HOME" LC_ALL=C GIT_CONFIG_NOSYSTEM=1 \\
    GIT_CONFIG_GLOBAL="${GIT_CONFIG_GLOBAL-}" GIT_PROTOCOL="${GIT_PROTOCOL-}" sh -c "$1"
"""


@dataclass(frozen=True)
class CountedPush:
    """A push that reached the remote with commands; one that the client itself gave up is none."""

    time: float  # seconds since 1970
    refs: tuple[str, ...]

    @property
    def is_probe(self) -> bool:
        """Whether it only asked what the remote takes, and could not go through."""
        return any("/probe/" in ref for ref in self.refs)


@dataclass
class HeldPush:
    """The next push to a remote, held back on the server before it changes a ref."""

    folder: Path
    _arrived: int = field(init=False)
    _released: int = field(init=False)
    _is_there: bool = field(init=False, default=False)
    _is_let_go: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Lay the trap. Both pipes stay open here, so that no opening blocks on either side."""
        making = self.folder / "making"
        making.mkdir()
        for name in ("arrived", "released"):
            os.mkfifo(making / name)
        self._arrived = os.open(making / "arrived", os.O_RDWR)
        self._released = os.open(making / "released", os.O_RDWR)
        making.rename(self.folder / "hold")

    def wait(self, seconds: float = LIMIT) -> tuple[str, ...]:
        """Wait until a push is held; give the refs it wants to change.

        Raises:
            TimeoutError: No push came in time.
        """
        ready, _, _ = select.select([self._arrived], [], [], seconds)
        if not ready:
            raise TimeoutError(f"No push came within {seconds} seconds.")
        self._is_there = True
        return tuple(os.read(self._arrived, 1 << 16).decode().split())

    def release(self) -> None:
        """Let the push go on; when there is none yet, it will not be held at all."""
        if self._is_let_go:
            return
        self._is_let_go = True
        with contextlib.suppress(FileNotFoundError):
            (self.folder / "hold").rename(self.folder / "unused")
        os.write(self._released, b"go\n")

    def close(self) -> None:
        """Let the push go on, and leave nothing of the trap."""
        self.release()
        if (self.folder / "held").exists() and not self._is_there:
            self.wait()
        for name in ("held", "unused"):
            for file in (self.folder / name).glob("*"):
                file.unlink()
            with contextlib.suppress(FileNotFoundError):
                (self.folder / name).rmdir()
        os.close(self._arrived)
        os.close(self._released)


class Remote:
    """A bare repository and the way to it.

    Example:
        with open_remote(tmp_path, "git") as remote:
            clone = remote.clone(tmp_path / "clone")
    """

    def __init__(self, folder: Path, transport: Transport, ref_format: RefFormat) -> None:
        """Make the repository `remote.git` in a folder, with an empty commit on `main`, and serve it."""
        self.folder = folder / "remote.git"
        self.transport: Transport = transport
        self.ref_format: RefFormat = ref_format
        self.status: int | None = None
        """What HTTP answers instead of git: 429, 503; None is the usual."""
        self.listener: LoopbackListener | None = None
        self._programs: set[subprocess.Popen[bytes]] = set()
        self._ssh = folder / "far" / "ssh"
        self._make_repository()
        self._write_hooks()
        if transport == "git":
            self.listener = LoopbackListener(self._serve_git)
        elif transport == "http":
            self.listener = LoopbackListener(self._serve_http)
        elif transport == "ssh":
            _write_program(self._ssh, _SSH)

    @property
    def port(self) -> int:
        """The port on loopback, for a proxy before it; only `git://` and HTTP have one."""
        assert self.listener is not None, f"{self.transport} has no port"
        return self.listener.port

    def url(self, port: int | None = None) -> str:
        """Give the address; `port` is that of a proxy."""
        if self.transport == "path":
            return str(self.folder)
        if self.transport == "ssh":
            return f"ssh://remote.example{self.folder}"
        return f"{self.transport}://{LOOPBACK}:{port or self.port}/{self.folder.name}"

    @property
    def settings(self) -> dict[str, str]:
        """What a clone's git configuration needs to reach it."""
        return {"core.sshCommand": shlex.quote(str(self._ssh))} if self.transport == "ssh" else {}

    @property
    def environment(self) -> dict[str, str]:
        """The same for git's environment."""
        return {"GIT_SSH_COMMAND": shlex.quote(str(self._ssh))} if self.transport == "ssh" else {}

    @property
    def connections(self) -> int:
        """How many connections there were, also those that pushed nothing; none are counted by path."""
        if self.listener is not None:
            return self.listener.connections
        counted = self._ssh.with_name("connections")
        return counted.read_bytes().count(b"\n") if counted.exists() else 0

    def clone(self, folder: Path, port: int | None = None) -> Path:
        """Clone it; what the clone needs to reach it stands in its configuration."""
        settings = [word for key, value in self.settings.items() for word in ("-c", f"{key}={value}")]
        run_git(folder.parent, "clone", "-q", *settings, self.url(port), str(folder))
        return folder

    def git(self, *words: str, given: str = "") -> str:
        """Run git in the repository itself, past hooks and transports; it reads what is given."""
        return run_git(self.folder, *words, given=given).strip()

    def refs(self, pattern: str = "refs") -> dict[str, str]:
        """Read the refs as they are, with their objects."""
        lines = self.git("for-each-ref", "--format=%(refname) %(objectname)", pattern).splitlines()
        return dict(line.split(" ", 1) for line in lines)

    def write_ref(self, ref: str, oid: str | None) -> None:
        """Move a ref as no client may, to make a state by hand; None deletes it."""
        self.git("update-ref", *(["-d", ref] if oid is None else [ref, oid]))

    def set_atomic(self, speaks: bool) -> None:
        """Have it offer atomic pushes or not."""
        self.git("config", "receive.advertiseAtomic", "true" if speaks else "false")

    def pushes(self) -> list[CountedPush]:
        """Give the pushes that reached it, in their order."""
        file = self.folder / "pushes"
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        words = [line.split() for line in lines]
        return [CountedPush(float(time), tuple(refs)) for time, *refs in words]

    def refuse_pushes(self, pattern: str, words: str = "protected branch") -> None:
        """Refuse every change of refs that a shell pattern fits; `*` is all, slashes too."""
        with (self.folder / "refused-refs").open("a", encoding="utf-8") as file:
            file.write(f"{pattern}\t{words}\n")

    def allow_pushes(self) -> None:
        """Refuse no change of a ref any more."""
        (self.folder / "refused-refs").unlink(missing_ok=True)

    def refuse_connections(self) -> None:
        """Have connections refused, as when the host's service is down; by path the repository is away."""
        if self.listener is not None:
            self.listener.refuse()
        elif self.transport == "ssh":
            self._ssh.with_name("refuses").touch()
        else:
            self.folder.rename(self.folder.with_suffix(".away"))

    def accept_connections(self) -> None:
        """Undo `refuse_connections`."""
        if self.listener is not None:
            self.listener.accept()
        elif self.transport == "ssh":
            self._ssh.with_name("refuses").unlink()
        else:
            self.folder.with_suffix(".away").rename(self.folder)

    @contextlib.contextmanager
    def hold_next_push(self) -> Iterator[HeldPush]:
        """Hold the next push back before it changes a ref, until it is released or the block ends."""
        held = HeldPush(self.folder)
        try:
            yield held
        finally:
            held.close()

    @contextlib.contextmanager
    def break_at(self, ref: str, how: Literal["dies", "fails"] = "dies") -> Iterator[None]:
        """Break every push just before it moves a ref; what the push moves before it has moved.

        A push moves refs in the order of their names, and then those that are new on the remote.
        `dies`: receive-pack is killed by a signal, the client has no answer. `fails`: its disk is full, and
        the client hears that all refs were rejected, though some moved. Linux and the files format only:
        there git writes each ref's log just before it renames the ref; the log leads into a pipe without a
        reader, or to a full device.
        """
        if self.ref_format != "files" or not Path("/dev/full").exists():
            pytest.skip("a push is halved with the files format on Linux only")
        log = self.folder / "logs" / ref
        log.parent.mkdir(parents=True, exist_ok=True)
        log.unlink(missing_ok=True)
        reader, writer = os.pipe()
        os.close(reader)
        log.symlink_to("/dev/full" if how == "fails" else f"/proc/{os.getpid()}/fd/{writer}")
        self.git("config", "core.logAllRefUpdates", "always")
        try:
            yield
        finally:
            self.git("config", "--unset", "core.logAllRefUpdates")
            log.unlink()
            os.close(writer)

    def leave_lock(self, ref: str) -> Path:
        """Leave a lock on a ref, as a server that was killed does; give its file (files format only)."""
        lock = self.folder / f"{ref}.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.touch()
        return lock

    def close(self) -> None:
        """End what serves it, with the programs that still run."""
        for program in list(self._programs):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
        if self.listener is not None:
            self.listener.close()

    def _make_repository(self) -> None:
        words = ["init", "-q", "--bare", "-b", "main"]
        if self.ref_format != "files":
            needs_git(2, 45, what="the reftable format")
            words.append(f"--ref-format={self.ref_format}")
        run_git(self.folder.parent, *words, str(self.folder))
        with (self.folder / "config").open("a", encoding="utf-8") as config:
            config.write("[http]\n\treceivepack = true\n[receive]\n\tautogc = false\n")
        tree = self.git("hash-object", "-t", "tree", "-w", "/dev/null")
        self.write_ref("refs/heads/main", self.git("commit-tree", "-m", "Begin", tree))

    def _write_hooks(self) -> None:
        for name, text in (("pre-receive", _PRE_RECEIVE), ("update", _UPDATE)):
            _write_program(self.folder / "hooks" / name, text)

    def _serve_git(self, connection: socket.socket, _: int) -> None:
        base = f"--base-path={self.folder.parent}"
        words = ["--inetd", "--export-all", "--enable=receive-pack", "--log-destination=none", base]
        with self._program(["git", "daemon", *words], stdin=connection, stdout=connection) as daemon:
            daemon.wait()

    def _serve_http(self, connection: socket.socket, _: int) -> None:
        serve_http(connection, self.folder.parent, self._program, lambda: self.status)

    @contextlib.contextmanager
    def _program(self, words: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
        """Run a program of the server in a process group of its own; it is ended with the block."""
        options = {"stderr": subprocess.DEVNULL, "start_new_session": True, **options}
        program = cast("subprocess.Popen[bytes]", subprocess.Popen(words, **options))
        self._programs.add(program)
        try:
            yield program
        finally:
            if program.poll() is None:
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()
            self._programs.discard(program)


@contextlib.contextmanager
def open_remote(folder: Path, transport: Transport, ref_format: RefFormat = "files") -> Iterator[Remote]:
    """Make a remote below a folder; what serves it is ended with the block."""
    remote = Remote(folder, transport, ref_format)
    try:
        yield remote
    finally:
        remote.close()


def run_git(folder: Path, *words: str, given: str = "") -> str:
    """Run git in a folder on some input, and give what it prints; its words for people are English."""
    done = subprocess.run(
        ["git", *words],
        input=given,
        cwd=folder,
        env={**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"git {shlex.join(words)} exits with {done.returncode}:\n{done.stderr}"
    return done.stdout


def needs_git(*least: int, what: str) -> None:
    """Skip the test where git is too old for what it tries."""
    found = tuple(int(number) for number in re.findall(r"\d+", run_git(Path(), "version"))[:2])
    if found < least:
        pytest.skip(f"{what} needs git {least[0]}.{least[1]}, this is {found[0]}.{found[1]}")


def _write_program(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
