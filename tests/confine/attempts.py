"""What a hostile run tries: a script that runs confined and tries each move in a process of its own.

It is given the paths and processes of a world outside as JSON (`World` in `world.py`). For each attempt it
prints `refused` when the system refused it, `possible` when it was done, or what else happened.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import json
import mmap
import os
import signal
import socket
import stat
import struct
import sys
import termios
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

NEVER = 99
"""The version of Landlock for what is never refused."""

LANDLOCK = 3
"""The lowest version that runs are held with."""

SCOPES = 6
"""The version from which on signals and abstract sockets stay inside."""

LONGEST = 5
"""Seconds for one attempt."""


class World:
    """What the attempts are made on."""

    def __init__(self, told: dict[str, Any]) -> None:
        """Take it from what the test tells."""
        self.home = Path(told["home"])
        self.project = Path(told["project"])
        self.run = Path(told["run"])
        self.victims: list[int] = told["victims"]
        self.terminal: str = told["terminal"]
        self.named: str = told["named"]
        self.abstract: str = told["abstract"]
        self.code: str = told["code"]

    @property
    def victim(self) -> int:
        """A process outside that no attempt ends."""
        return self.victims[0]


Act = Callable[[World], object]


@dataclass(frozen=True)
class Attempt:
    """One move."""

    act: Act
    since: int
    """From which version of Landlock on it is refused."""


ATTEMPTS: dict[str, Attempt] = {}
"""All attempts by their names."""


def attempt(since: int = LANDLOCK) -> Callable[[Act], Act]:
    """Add a function to the attempts."""

    def named(act: Act) -> Act:
        ATTEMPTS[act.__name__] = Attempt(act, since)
        return act

    return named


def several(
    prefix: str, paths: dict[str, Callable[[World], str | Path]], act: Callable[[Path], object]
) -> None:
    """Add an attempt for each path."""
    for name, path in paths.items():

        def one(world: World, path: Callable[[World], str | Path] = path) -> object:
            return act(Path(path(world)))

        one.__name__ = f"{prefix}_{name}"
        ATTEMPTS[one.__name__] = Attempt(one, LANDLOCK)


_LIBC = ctypes.CDLL(None, use_errno=True)


def system_call(number: int, *arguments: Any) -> int:
    """Make a system call by its number.

    Raises:
        OSError: As the system says.
    """
    words = [ctypes.c_long(argument) if isinstance(argument, int) else argument for argument in arguments]
    result = _LIBC.syscall(ctypes.c_long(number), *words)
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result


_NUMBERS = """
ptrace 101 117, sched_setscheduler 144 119, setpriority 141 140, mount 165 40, ioprio_set 251 30,
add_key 248 217, request_key 249 218, keyctl 250 219, unshare 272 97, prlimit64 302 261, setns 308 268,
process_vm_readv 310 270, process_vm_writev 311 271, kcmp 312 272, renameat2 316 276, io_uring_setup 425 425,
pidfd_send_signal 424 424, pidfd_open 434 434, pidfd_getfd 438 438, tgkill 234 131, bpf 321 280,
name_to_handle_at 303 264, open_by_handle_at 304 265, sched_setattr 314 274
"""
_MACHINE = {"x86_64": 1, "aarch64": 2}.get(os.uname().machine, 1)
CALLS = {words[0]: int(words[_MACHINE]) for words in map(str.split, _NUMBERS.split(","))}
"""Numbers of system calls on this machine."""


def _append(path: Path) -> None:
    with path.open("a") as file:
        file.write("x")


def _create(path: Path) -> None:
    path.write_text("x")


def _read(path: Path) -> None:
    path.read_bytes()


# Files outside are written

several(
    "append_to",
    {
        "file": lambda w: w.project / "ferry.txt",
        "spec": lambda w: w.project / ".chant/specs/one.md",
        "configuration": lambda w: w.project / ".chant/config.md",
        "git_configuration": lambda w: w.project / ".git/config",
        "branch": lambda w: w.project / ".git/refs/heads/main",
        "head": lambda w: w.project / ".git/HEAD",
        "index": lambda w: w.project / ".git/index",
        "record": lambda w: w.project / ".git/chant-mcp/records/one.json",
        "mirror_of_record": lambda w: w.project / ".chant/processes/one.json",
        "log": lambda w: w.project / ".chant/logs/one.log",
        "object": lambda w: w.project / ".git/objects/info/packs",
        "users_configuration": lambda w: w.home / ".config/chant/config.md",
        "shell_start": lambda w: w.home / ".bashrc",
        "other_run": lambda w: w.home / ".local/state/chant-mcp/worktrees/other/file.txt",
        "file_by_root": lambda w: f"/proc/self/root{w.project}/ferry.txt",
        "file_by_root_of_process": lambda w: f"/proc/{w.victim}/root{w.project}/ferry.txt",
        "file_by_folder_of_process": lambda w: f"/proc/{w.victim}/cwd/ferry.txt",
        "password_file": lambda w: "/etc/passwd",
        "score_of_process": lambda w: f"/proc/{w.victim}/oom_score_adj",
        "kernel_setting": lambda w: "/proc/sys/kernel/core_pattern",
        "device_of_kernel": lambda w: "/dev/kmsg",
    },
    _append,
)
several(
    "create_in",
    {
        "project": lambda w: w.project / "new.txt",
        "hooks": lambda w: w.project / ".git/hooks/post-merge",
        "objects": lambda w: w.project / ".git/objects/new",
        "branches": lambda w: w.project / ".git/refs/heads/new",
        "specs": lambda w: w.project / ".chant/specs/new.md",
        "records": lambda w: w.project / ".git/chant-mcp/records/new.json",
        "home": lambda w: w.home / ".profile",
        "trust": lambda w: w.home / ".local/state/chant-mcp/trust/new.json",
        "folder_of_temporary_files": lambda w: f"/tmp/attempt-{w.victim}",
        "other_folder_of_temporary_files": lambda w: f"/var/tmp/attempt-{w.victim}",
        "folder_beside": lambda w: w.run.parent / "new.txt",
        "system": lambda w: f"/usr/local/bin/attempt-{w.victim}",
        "timetable": lambda w: f"/etc/cron.d/attempt-{w.victim}",
    },
    _create,
)


@attempt()
def truncate_file(world: World) -> None:
    os.truncate(world.project / "ferry.txt", 0)


@attempt()
def open_file_to_truncate(world: World) -> None:
    os.close(os.open(world.project / "ferry.txt", os.O_RDONLY | os.O_TRUNC))


@attempt()
def delete_file(world: World) -> None:
    (world.project / "ferry.txt").unlink()


@attempt()
def delete_folder(world: World) -> None:
    (world.project / "empty").rmdir()


@attempt()
def rename_file(world: World) -> None:
    (world.project / "ferry.txt").rename(world.project / "other.txt")


@attempt()
def move_folder(world: World) -> None:
    (world.project / "folder").rename(world.project / "elsewhere")


@attempt()
def move_folder_here(world: World) -> None:
    (world.project / "folder").rename(world.run / "folder")


@attempt()
def move_git_folder_here(world: World) -> None:
    (world.project / ".git").rename(world.run / "git")


@attempt()
def replace_file(world: World) -> None:
    own = world.run / "own.txt"
    own.write_text("x")
    own.replace(world.project / "ferry.txt")


@attempt()
def exchange_files(world: World) -> None:
    own = world.run / "exchanged.txt"
    own.write_text("x")
    other = world.project / "ferry.txt"
    system_call(CALLS["renameat2"], -100, os.fsencode(own), -100, os.fsencode(other), 2)


@attempt()
def link_out(world: World) -> None:
    own = world.run / "linked.txt"
    own.write_text("x")
    os.link(own, world.project / "linked.txt")


@attempt()
def link_in(world: World) -> None:
    os.link(world.project / "ferry.txt", world.run / "in.txt")


@attempt()
def make_folder(world: World) -> None:
    (world.project / "new").mkdir()


@attempt()
def make_link(world: World) -> None:
    (world.project / "link").symlink_to("/etc/passwd")


@attempt()
def write_through_own_link(world: World) -> None:
    link = world.run / "to-file"
    link.symlink_to(world.project / "ferry.txt")
    _append(link)


@attempt()
def make_pipe(world: World) -> None:
    os.mkfifo(world.project / "pipe")


@attempt()
def make_file_without_name(world: World) -> None:
    os.close(os.open(world.project, os.O_TMPFILE | os.O_RDWR))


@attempt()
def make_device(world: World) -> None:
    os.mknod(world.run / "device", stat.S_IFBLK | 0o600, os.makedev(8, 0))


# Files outside are read

several(
    "read",
    {
        "key": lambda w: w.home / ".ssh/id",
        "cloud_key": lambda w: w.home / ".aws/credentials",
        "login_of_agent": lambda w: w.home / ".claude.json",
        "history": lambda w: w.home / ".bash_history",
        "other_projects_secrets": lambda w: w.home / "other/.env",
        "git_configuration": lambda w: w.project / ".git/config",
        "project": lambda w: w.project / "ferry.txt",
        "record": lambda w: w.project / ".git/chant-mcp/records/one.json",
        "users_configuration": lambda w: w.home / ".config/chant/config.md",
        "token_of_server": lambda w: w.home / ".local/state/chant-mcp/servers/one.json",
        "other_run": lambda w: w.home / ".local/state/chant-mcp/worktrees/other/file.txt",
        "key_by_root": lambda w: f"/proc/self/root{w.home}/.ssh/id",
        "key_by_root_of_process": lambda w: f"/proc/{w.victim}/root{w.home}/.ssh/id",
        "environment_of_process": lambda w: f"/proc/{w.victim}/environ",
        "memory_map_of_process": lambda w: f"/proc/{w.victim}/maps",
        "passwords": lambda w: "/etc/shadow",
    },
    _read,
)


@attempt()
def read_key_through_own_link(world: World) -> None:
    link = world.run / "to-key"
    link.symlink_to(world.home / ".ssh/id")
    _read(link)


@attempt()
def read_key_through_folder_link(world: World) -> None:
    link = world.run / "to-home"
    link.symlink_to(world.home)
    _read(link / ".ssh/id")


@attempt()
def link_key_here(world: World) -> None:
    os.link(world.home / ".ssh/id", world.run / "id")


@attempt()
def move_key_here(world: World) -> None:
    (world.home / ".ssh/id").rename(world.run / "id")


@attempt()
def map_key(world: World) -> None:
    file = os.open(world.home / ".ssh/id", os.O_RDONLY)
    mmap.mmap(file, 1, prot=mmap.PROT_READ)


@attempt()
def execute_program_of_home(world: World) -> None:
    os.execv(world.home / "program", ["program"])


@attempt()
def open_key_by_handle(world: World) -> None:
    handle = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount = ctypes.c_int()
    key = os.fsencode(world.home / ".ssh/id")
    system_call(CALLS["name_to_handle_at"], -100, key, handle, ctypes.byref(mount), 0)
    folder = os.open(world.run, os.O_RDONLY)
    os.read(system_call(CALLS["open_by_handle_at"], folder, handle, os.O_RDONLY), 1)


@attempt(NEVER)
def list_names(world: World) -> None:
    assert ".ssh" in [path.name for path in world.home.iterdir()]


@attempt()
def lock_record(world: World) -> None:
    with (world.project / ".git/chant-mcp/records/one.json").open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


# What is not contents stays possible under Landlock


@attempt(NEVER)
def change_rights(world: World) -> None:
    (world.home / "residual.txt").chmod(0o644)


@attempt(NEVER)
def change_times(world: World) -> None:
    os.utime(world.home / "residual.txt", (1, 1))


# Processes outside


@attempt()
def read_memory(world: World) -> None:
    with Path(f"/proc/{world.victim}/mem").open("rb") as memory:
        memory.read(0)


@attempt()
def look_at_descriptors(world: World) -> None:
    Path(f"/proc/{world.victim}/fd/0").readlink()


@attempt()
def trace(world: World) -> None:
    system_call(CALLS["ptrace"], 16, world.victim, 0, 0)


@attempt()
def seize(world: World) -> None:
    system_call(CALLS["ptrace"], 0x4206, world.victim, 0, 0)


def _copies(call: str, world: World) -> None:
    own = ctypes.create_string_buffer(8)
    local = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(own), 8))
    # The address of the buffer here stands for any: who may not look is refused before.
    system_call(CALLS[call], world.victim, local, 1, local, 1, 0)


@attempt()
def copy_memory_from(world: World) -> None:
    _copies("process_vm_readv", world)


@attempt()
def copy_memory_to(world: World) -> None:
    _copies("process_vm_writev", world)


@attempt()
def compare_with(world: World) -> None:
    system_call(CALLS["kcmp"], os.getpid(), world.victim, 1, 0, 0)


@attempt()
def take_descriptor(world: World) -> None:
    process = system_call(CALLS["pidfd_open"], world.victim, 0)
    system_call(CALLS["pidfd_getfd"], process, 0, 0)


@attempt()
def enter_namespace(world: World) -> None:
    process = system_call(CALLS["pidfd_open"], world.victim, 0)
    system_call(CALLS["setns"], process, 0x20000)


@attempt(SCOPES)
def kill(world: World) -> None:
    os.kill(world.victims[1], signal.SIGKILL)


@attempt(SCOPES)
def stop(world: World) -> None:
    os.kill(world.victims[2], signal.SIGSTOP)


@attempt(SCOPES)
def ask_whether_it_lives(world: World) -> None:
    os.kill(world.victim, 0)


@attempt(SCOPES)
def kill_by_descriptor(world: World) -> None:
    process = system_call(CALLS["pidfd_open"], world.victims[3], 0)
    system_call(CALLS["pidfd_send_signal"], process, signal.SIGTERM, 0, 0)


@attempt(SCOPES)
def kill_thread(world: World) -> None:
    victim = world.victims[4]
    system_call(CALLS["tgkill"], victim, victim, signal.SIGTERM)


@attempt(SCOPES)
def kill_group(world: World) -> None:
    os.killpg(world.victims[5], signal.SIGTERM)


@attempt()
def limit_process(world: World) -> None:
    limits = ctypes.create_string_buffer(struct.pack("QQ", 1, 1))
    system_call(CALLS["prlimit64"], world.victim, 0, limits, 0)


@attempt()
def read_limits_of_process(world: World) -> None:
    limits = ctypes.create_string_buffer(16)
    system_call(CALLS["prlimit64"], world.victim, 0, 0, limits)


@attempt()
def slow_down_process(world: World) -> None:
    os.setpriority(os.PRIO_PROCESS, world.victim, 19)


@attempt()
def slow_down_group(world: World) -> None:
    os.setpriority(os.PRIO_PGRP, world.victims[5], 19)


@attempt()
def slow_down_user(world: World) -> None:
    # Of a user without processes: a failed test must not slow down the machine.
    os.setpriority(os.PRIO_USER, 54321, 19)


@attempt()
def slow_down_reading(world: World) -> None:
    system_call(CALLS["ioprio_set"], 1, world.victim, 3 << 13)


@attempt()
def bind_to_processor(world: World) -> None:
    os.sched_setaffinity(world.victim, {0})


@attempt()
def change_schedule(world: World) -> None:
    os.sched_setscheduler(world.victim, os.SCHED_IDLE, os.sched_param(0))


@attempt()
def change_attributes_of_schedule(world: World) -> None:
    attributes = ctypes.create_string_buffer(struct.pack("IIQiI", 48, 5, 0, 0, 0) + bytes(24))
    system_call(CALLS["sched_setattr"], world.victim, attributes, 0)


# The system


@attempt()
def mount(world: World) -> None:
    folder = world.run / "mounted"
    folder.mkdir()
    system_call(CALLS["mount"], b"none", os.fsencode(folder), b"tmpfs", 0, 0)


@attempt()
def mount_in_own_namespace(world: World) -> None:
    user, group = os.getuid(), os.getgid()
    system_call(CALLS["unshare"], 0x10000000 | 0x20000)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    system_call(CALLS["mount"], b"none", os.fsencode(world.run), b"tmpfs", 0, 0)


@attempt()
def mount_in_namespace_without_map(world: World) -> None:
    system_call(CALLS["unshare"], 0x10000000 | 0x20000)
    system_call(CALLS["mount"], b"none", os.fsencode(world.run), b"tmpfs", 0, 0)


@attempt()
def change_root(world: World) -> None:
    os.chroot(world.home)


@attempt()
def rename_machine(world: World) -> None:
    socket.sethostname(socket.gethostname())


@attempt()
def keep_key(world: World) -> None:
    system_call(CALLS["add_key"], b"user", b"chant-attempt", b"x", 1, -1)


@attempt()
def ask_for_key(world: World) -> None:
    system_call(CALLS["request_key"], b"user", b"chant-attempt", 0, -1)


@attempt()
def list_keys(world: World) -> None:
    system_call(CALLS["keyctl"], 0, -3, 1)


@attempt()
def make_ring(world: World) -> None:
    system_call(CALLS["io_uring_setup"], 1, ctypes.create_string_buffer(120))


@attempt()
def load_program_into_kernel(world: World) -> None:
    system_call(CALLS["bpf"], 0, ctypes.create_string_buffer(struct.pack("IIII", 1, 4, 4, 1)), 16)


@attempt()
def take_capabilities(world: World) -> None:
    held = Path("/proc/self/status").read_text()
    own = next(line for line in held.splitlines() if line.startswith("CapEff:"))
    if int(own.split()[1], 16) == 0:
        raise PermissionError
    assert "NoNewPrivs:\t0" in held


@attempt()
def call_in_another_way(world: World) -> None:
    if os.uname().machine != "x86_64":
        raise PermissionError
    child = os.fork()
    if not child:
        system_call(0x40000000 + 39)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGSYS:
        raise PermissionError


# Sockets


def _connect(address: str | bytes) -> None:
    with socket.socket(socket.AF_UNIX) as own:
        own.connect(address)


@attempt()
def connect_to_named_socket(world: World) -> None:
    _connect(world.named)


@attempt()
def connect_to_abstract_socket(world: World) -> None:
    _connect(f"\0{world.abstract}")


@attempt()
def send_to_named_socket(world: World) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as own:
        own.sendto(b"x", world.named)


@attempt(NEVER)
def make_pair_of_sockets(world: World) -> None:
    one, other = socket.socketpair()
    one.close()
    other.close()


def _family(name: str, family: int, kind: int, protocol: int = 0) -> None:
    def one(world: World) -> None:
        socket.socket(family, kind, protocol).close()

    one.__name__ = f"make_socket_{name}"
    ATTEMPTS[one.__name__] = Attempt(one, LANDLOCK)


_family("of_virtual_machines", 40, socket.SOCK_STREAM)
_family("of_packets", 17, socket.SOCK_RAW)
_family("of_ciphers", 38, socket.SOCK_SEQPACKET)
_family("of_bluetooth", 31, socket.SOCK_RAW, 1)
_family("of_kernel_events", 16, socket.SOCK_RAW, 15)
_family("of_audit", 16, socket.SOCK_RAW, 9)


@attempt(NEVER)
def serve_here(world: World) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass


# Terminals


@attempt()
def make_terminal(world: World) -> None:
    os.openpty()


@attempt()
def read_terminal(world: World) -> None:
    os.close(os.open(world.terminal, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY))


@attempt()
def write_to_terminal(world: World) -> None:
    os.write(os.open(world.terminal, os.O_WRONLY | os.O_NOCTTY), b"Trust this folder? [y/N] ")


@attempt()
def type_into_terminal(world: World) -> None:
    # The command is refused for what is no terminal, too: by another error without a filter.
    try:
        fcntl.ioctl(0, termios.TIOCSTI, b"y")
    except OSError as error:
        if error.errno != errno.EPERM:
            return
        raise


def outcome(act: Act, world: World) -> str:
    """Try one move in a process of its own."""
    child = os.fork()
    if not child:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LONGEST)
        code = 0
        try:
            act(world)
        except OSError as error:
            sys.stderr.write(f"{act.__name__}: {error}\n")
            code = 1 if error.errno in _REFUSALS or isinstance(error, PermissionError) else 2
        except BaseException as error:
            sys.stderr.write(f"{act.__name__}: {error!r}\n")
            code = 3
        os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return f"ended by signal {os.WTERMSIG(status)}"
    return {0: "possible", 1: "refused", 2: "failed otherwise"}.get(os.WEXITSTATUS(status), "broke")


_REFUSALS = {errno.EACCES, errno.EPERM, errno.EXDEV, errno.EROFS}
"""What the system says when it refuses; a link or a move from one reach into another is EXDEV."""


def main() -> None:
    """Try them all, or those that are named, and print how each went."""
    told = json.loads(sys.argv[1])
    world = World(told)
    names = told.get("names") or ATTEMPTS
    sys.stdout.write(json.dumps({name: outcome(ATTEMPTS[name].act, world) for name in names}))


if __name__ == "__main__":
    main()
