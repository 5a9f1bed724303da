"""Attempts on files outside of the run's folder."""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
import stat
import struct
from pathlib import Path

from .table import (
    CALLS,
    NEVER,
    World,
    attempt,
    several,
    system_call,
)


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
