"""Attempts on processes outside."""

from __future__ import annotations

import ctypes
import os
import signal
import struct
from pathlib import Path

from .table import (
    CALLS,
    SCOPES,
    World,
    attempt,
    system_call,
)


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
