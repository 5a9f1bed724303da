"""Attempts on shared memory, messages and semaphores of the user, and on what the starter had open."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from .table import World, attempt

_LIBC: Any = ctypes.CDLL(None, use_errno=True)
_LIBC.shmat.restype = ctypes.c_void_p
_NEW = 0o1000 | 0o600
_REMOVE = 0
_NO_WAIT = 0o4000
_SET_VALUE = 16
_FILE = Path("/dev/shm")
SECRET = b"SECRET-KEY"


class _Message(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_long), ("text", ctypes.c_char * 32))


def _called(result: int | None) -> int:
    if result in (None, -1, ctypes.c_void_p(-1).value):
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return int(result or 0)


def _memory(number: int) -> Any:
    place = _called(_LIBC.shmat(number, None, 0))
    return (ctypes.c_char * 32).from_address(place)


@contextmanager
def made(key: int) -> Iterator[None]:
    """Make the user's, and look whether they are as they were."""
    name = f"chant-attempt-{key}"
    with ExitStack() as stack:
        memory = _called(_LIBC.shmget(key, 4096, _NEW))
        stack.callback(_LIBC.shmctl, memory, _REMOVE, None)
        _memory(memory).value = SECRET
        queue = _called(_LIBC.msgget(key, _NEW))
        stack.callback(_LIBC.msgctl, queue, _REMOVE, None)
        message = _Message(1, SECRET)
        _called(_LIBC.msgsnd(queue, ctypes.byref(message), 32, 0))
        semaphores = _called(_LIBC.semget(key, 1, _NEW))
        stack.callback(_LIBC.semctl, semaphores, 0, _REMOVE)
        _called(_LIBC.semctl(semaphores, 0, _SET_VALUE, 1))
        posix = _called(_LIBC.mq_open(f"/{name}".encode(), os.O_RDWR | os.O_CREAT, 0o600, None))
        stack.callback(_LIBC.mq_unlink, f"/{name}".encode())
        stack.callback(os.close, posix)
        _called(_LIBC.mq_send(posix, SECRET, len(SECRET), 1))
        file = _FILE / name
        file.write_bytes(SECRET)
        stack.callback(file.unlink, missing_ok=True)
        yield
        assert _memory(memory).value == SECRET
        assert _called(_LIBC.msgrcv(queue, ctypes.byref(message), 32, 0, _NO_WAIT)) == 32
        assert _called(_LIBC.semctl(semaphores, 0, 12)) == 1
        assert _called(_LIBC.mq_receive(posix, ctypes.create_string_buffer(8192), 8192, None)) == len(SECRET)
        assert file.read_bytes() == SECRET


@attempt()
def read_shared_memory(world: World) -> None:
    assert _memory(_called(_LIBC.shmget(world.key, 0, 0))).value == SECRET


@attempt()
def write_shared_memory(world: World) -> None:
    _memory(_called(_LIBC.shmget(world.key, 0, 0))).value = b"evil"


@attempt()
def take_message(world: World) -> None:
    queue = _called(_LIBC.msgget(world.key, 0))
    _called(_LIBC.msgrcv(queue, ctypes.byref(_Message()), 32, 0, _NO_WAIT))


@attempt()
def remove_semaphores(world: World) -> None:
    _called(_LIBC.semctl(_called(_LIBC.semget(world.key, 0, 0)), 0, _REMOVE))


@attempt()
def take_posix_message(world: World) -> None:
    queue = _called(_LIBC.mq_open(f"/chant-attempt-{world.key}".encode(), os.O_RDWR | os.O_NONBLOCK))
    _called(_LIBC.mq_receive(queue, ctypes.create_string_buffer(8192), 8192, None))


@attempt()
def read_file_in_memory(world: World) -> None:
    assert (_FILE / f"chant-attempt-{world.key}").read_bytes() == SECRET


@attempt()
def overwrite_file_in_memory(world: World) -> None:
    with (_FILE / f"chant-attempt-{world.key}").open("r+b") as file:
        file.write(b"evil")


@attempt()
def remove_file_in_memory(world: World) -> None:
    (_FILE / f"chant-attempt-{world.key}").unlink()


@attempt()
def use_descriptor_of_starter(world: World) -> None:
    try:
        os.write(world.descriptor, b"evil")
    except OSError as error:
        if error.errno == errno.EBADF:
            raise PermissionError from error
        raise


@attempt()
def find_descriptors_of_starter(world: World) -> None:
    opened: list[str] = []
    for one in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            opened.append(str(one.readlink()))
    if not any(path.startswith(str(world.home)) for path in opened):
        raise PermissionError
