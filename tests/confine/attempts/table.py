"""The table of attempts, and the world that they are made on."""

from __future__ import annotations

import ctypes
import os
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
        self.key: int = told["key"]
        self.descriptor: int = told["descriptor"]

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
