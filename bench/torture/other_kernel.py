"""Another kernel, started as a program (user mode Linux), for file systems that this one does not know.

Its root is this machine's, so that it runs what is installed here; what it writes lies in memory, in `/mnt`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

_PROGRAM = "linux.uml"
_MODULES = Path("/usr/lib/uml/modules")
_TIMEOUT = 900
"""Seconds: everything takes several times as long there."""

_INIT = """#!{python}
import ctypes, os, subprocess, sys
os.environ["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
libc = ctypes.CDLL(None, use_errno=True)
try:
    for kind, place in (("proc", "/proc"), ("sysfs", "/sys"), ("tmpfs", "/run"), ("tmpfs", "/mnt")):
        subprocess.run(["mount", "-t", kind, kind, place], check=True)
    for module in {modules!r}:
        if libc.syscall({finit_module}, os.open(module, os.O_RDONLY), b"", 0) != 0:
            raise OSError(ctypes.get_errno(), module)
    environment = dict(os.environ, HOME="/mnt", TMPDIR="/mnt")
    with open({said!r}, "w") as said:
        subprocess.run({command!r}, cwd={folder!r}, env=environment, stdout=said, stderr=said)
finally:
    os.sync()
    libc.reboot({power_off})
"""

_FINIT_MODULE = 313
_POWER_OFF = 0x4321FEDC

_LOOP = ("drivers/block/loop",)
_NEEDED = {
    "vfat": ("fs/fat/fat", "fs/fat/vfat", "fs/nls/nls_cp437", "fs/nls/nls_iso8859-1", "fs/nls/nls_utf8")
}


def why_not(kind: str) -> str | None:
    """Say why no such kernel can try a file system; `None` where one can."""
    if shutil.which(_PROGRAM) is None or os.uname().machine != "x86_64":
        return f"there is no {_PROGRAM}"
    if kind not in _NEEDED or len(_modules(kind)) < len(_LOOP + _NEEDED[kind]):
        return f"{_PROGRAM} knows no {kind}, either"
    return None


def _modules(kind: str) -> list[str]:
    names = (*_LOOP, *_NEEDED[kind])
    found = (next(_MODULES.glob(f"*/kernel/{name}.ko"), None) for name in names)
    return [str(path) for path in found if path is not None]


def run(kind: str, command: Sequence[str]) -> str:
    """Run a command of root under a kernel that knows a kind of file system; return all that it prints."""
    with tempfile.TemporaryDirectory(prefix="chant-kernel-") as name:
        init, said = Path(name, "init"), Path(name, "said")
        init.write_text(
            _INIT.format(
                python=sys.executable,
                modules=_modules(kind),
                finit_module=_FINIT_MODULE,
                power_off=_POWER_OFF,
                said=str(said),
                command=list(command),
                folder=str(Path.cwd()),
            ),
            encoding="utf-8",
        )
        init.chmod(0o700)
        root = ("root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw")
        booted = subprocess.run(
            [_PROGRAM, "mem=1200M", *root, f"init={init}", "con=null", "con0=null,fd:1"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_TIMEOUT,
            check=False,
        )
        return said.read_text("utf-8") if said.exists() else booted.stdout + booted.stderr
