"""Each row of the guide's table of refused system calls, tried by a confined program."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from confine.world import World, configured, made

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the filter is of Linux"),
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler"),
]

GUIDE = Path(__file__).parents[2] / "docs" / "guide"

ARGUMENTS = {
    "ioctl": ["-1, 0x5412, -1", "-1, 0x541C, -1"],
    "socket": ["40, 1, 0", "16, 3, 9"],
    "socketpair": ["2, 1, 0, -1"],
    "personality": ["0x0040000"],
    "setpriority": ["0, 1, 5", "1, 0, 5"],
    "ioprio_set": ["1, 1, 0", "2, 0, 0"],
    "clone": [f"{flag:#x} | 17, 0, 0, 0, 0" for flag in (0x20000, 0x08000000, 0x10000000, 0x20000000)],
    "unshare": [f"{flag:#x}" for flag in (0x80, 0x20000, 0x08000000, 0x10000000, 0x50000000)],
}
"""Arguments with which calls are refused that are not refused with any."""

USUAL = "1, -1, -1, -1, -1, -1"
"""Arguments for the others: no kernel does anything with them."""

IPC = re.compile(r"shm|sem|msg|mq_")


def rows() -> dict[str, str]:
    """Read the table: each call with its error."""
    text = (GUIDE / "confinement.md").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for line in text.split("## Refused system calls")[1].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            found |= dict.fromkeys(re.findall(r"`(\w+)`", cells[0]), cells[2])
    return found


def program() -> str:
    """Write a program that makes each call and prints what it got."""
    lines = [
        f'#ifdef SYS_{name}\n  tried("{name}", syscall(SYS_{name}, {arguments}));\n#endif'
        for name in rows()
        for arguments in ARGUMENTS.get(name, [USUAL])
    ]
    calls = "\n".join(lines)
    return f"""
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
static const char *separator = "";
static void tried(const char *name, long got) {{
  printf("%s[\\"%s\\", \\"%s\\"]", separator, name, got == -1 ? strerrorname_np(errno) : "none");
  separator = ", ";
}}
int main(void) {{
  printf("[");
{calls}
  tried("later", syscall(467, -1));
  printf("]");
  return 0;
}}
"""


def tried(world: World) -> list[tuple[str, str]]:
    """Have the confined program make all calls; each with its error."""
    source = world.run / "calls.c"
    source.write_text(program(), encoding="utf-8")
    subprocess.run(["cc", "-o", world.run / "calls", source], check=True)
    done = world.confine("--", "./calls")
    assert done.returncode == 0, done.stderr
    return [(name, error) for name, error in json.loads(done.stdout)]


def test_each_call_of_the_table_is_refused_from_inside(tmp_path: Path) -> None:
    wanted = rows() | {"later": "ENOSYS"}
    assert len(wanted) > 70
    found = tried(made(tmp_path))
    assert len(found) > 70
    wrong = [
        (name, error)
        for name, error in found
        # In a namespace of its own a run has IPC of its own.
        if error != wanted[name] and not (IPC.match(name) and error in {"EINVAL", "EFAULT", "none"})
    ]
    assert wrong == []


def test_the_user_opens_ipc(tmp_path: Path) -> None:
    world = made(tmp_path)
    configured("confine: {ipc: open}\n")
    refused = [name for name, error in tried(world) if IPC.match(name) and error == "EPERM"]
    assert refused == []
