"""Another kernel, started as a program (user mode Linux), for file systems that this one does not know.

Its root is this machine's, so that it runs what is installed here; what it writes lies in memory, in `/mnt`.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
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


def is_possible() -> bool:
    """Return whether such a kernel can be started at all."""
    return os.uname().machine == "x86_64" and None not in map(shutil.which, (_PROGRAM, "cc"))


def booted(folder: Path, init: Path, memory: str, seconds: float) -> str:
    """Start a kernel that runs `init`, with its own files in a folder; return what it prints until its end.

    Raises:
        subprocess.TimeoutExpired: If it has not ended after so many seconds; then it is ended.
    """
    library = folder / "registers.so"
    source = Path(__file__).with_name("registers.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    root = ("root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw", "quiet")
    kernel = subprocess.Popen(
        [_PROGRAM, f"mem={memory}", *root, f"init={init}", "con=null", "con0=null,fd:1"],
        env={**os.environ, "LD_PRELOAD": str(library)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        return kernel.communicate(timeout=seconds)[0]
    finally:
        # Each of its processes is one of this machine's.
        with suppress(ProcessLookupError):
            os.killpg(kernel.pid, signal.SIGKILL)
        kernel.communicate()


def why_not(kind: str) -> str | None:
    """Say why no such kernel can try a file system; `None` where one can."""
    if not is_possible():
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
        printed = booted(Path(name), init, "1200M", _TIMEOUT)
        return said.read_text("utf-8") if said.exists() else printed
