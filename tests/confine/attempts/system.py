"""Attempts on the system: its file systems, keys, sockets and terminals."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import signal
import socket
import struct
import termios
from pathlib import Path

from .table import (
    ATTEMPTS,
    CALLS,
    LANDLOCK,
    NEVER,
    Attempt,
    World,
    attempt,
    system_call,
)


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
