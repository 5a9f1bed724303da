"""A disk whose writes are kept in the order in which they came, so that the power can be cut at any of them.

A file of a file system of our own (FUSE, spoken here in its own words) lies below a loop device. Whatever the
kernel writes there is noted, with the points at which it asked for all to be on the disk. A cut is then an
image: all that was written before the last such point, and of what came after it any part, in any order.
"""

from __future__ import annotations

import ctypes
import errno
import os
import random
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SECTOR = 4096
"""Bytes that a disk writes whole or not at all: smaller ones would tear what file systems take for whole."""

MAKERS = {
    "ext4": ("mkfs.ext4", "-q", "-F"),
    "xfs": ("mkfs.xfs", "-q", "-f"),
    "btrfs": ("mkfs.btrfs", "-q", "-f"),
}
SIZES = {"ext4": 96, "xfs": 320, "btrfs": 192}
"""MiB: little more than the least that each takes."""

FLUSH = -1
"""The place of a note that says that all before it is on the disk."""

_FILE = 2
_HEADER = struct.Struct("=IIQQIIIHH")
_WRITE_MAX = 1 << 20


@dataclass(frozen=True)
class Write:
    """One write of the kernel, or a flush of all that came before it."""

    at: int
    data: bytes


def why_not(kind: str) -> str | None:
    """Say why this machine cannot make such a disk; `None` where it can."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return "only root on Linux may mount a file system"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK) or not Path("/dev/loop-control").exists():
        return "there is no /dev/fuse or no loop device"
    if shutil.which(MAKERS[kind][0]) is None:
        return f"there is no {MAKERS[kind][0]}"
    return None


class Disk:
    """A mounted file system and all that was written below it."""

    def __init__(self, folder: Path, kind: str, control: socket.socket) -> None:
        """Take what `disk` made."""
        self.folder, self.kind, self._control = folder, kind, control
        self.top = folder / "top"

    def now(self) -> int:
        """Return how many writes there were until now."""
        self._control.sendall(b"n")
        return int(struct.unpack("=Q", self._control.recv(8))[0])

    def writes(self) -> list[Write]:
        """Read all writes."""
        self._control.sendall(b"w")
        self._control.recv(1)
        found: list[Write] = []
        raw = (self.folder / "writes").read_bytes()
        place = 0
        while place < len(raw):
            at, size = struct.unpack_from("=qQ", raw, place)
            place += 16
            found.append(Write(at, raw[place : place + size]))
            place += size
        return found


@contextmanager
def disk(folder: Path, kind: str) -> Generator[Disk]:
    """Make such a disk in an empty folder, which lies in memory, and mount it."""
    ours, theirs = socket.socketpair()
    served, top = folder / "served", folder / "top"
    served.mkdir()
    top.mkdir()
    server = subprocess.Popen(
        [sys.executable, __file__, str(folder), str(SIZES[kind] << 20), str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
    )
    theirs.close()
    device = ""
    try:
        ours.recv(1)
        image = served / "image"
        device = _run("losetup", "--find", "--show", str(image)).strip()
        _run(*MAKERS[kind], device)
        _run("mount", device, str(top))
        yield Disk(folder, kind, ours)
    finally:
        if top.is_mount():
            _unmount(top)
        if device:
            _run("losetup", "--detach", device)
        _unmount(served)
        ours.close()
        server.kill()
        server.wait()


def write_cut(file: Path, writes: list[Write], end: int, size: int, chance: random.Random) -> None:
    """Make the image that a loss of power after `end` writes leaves."""
    flushed = max((number for number in range(end) if writes[number].at == FLUSH), default=0)
    # Whichever arrive, a later write of a sector is never followed by an earlier one: the rest is any order.
    share = chance.choice([0.0, 0.2, 0.5, 0.8, 1.0])
    with file.open("wb") as image:
        image.truncate(size)
        for number, write in enumerate(writes[:end]):
            is_kept = number < flushed or chance.random() < share
            if write.at == FLUSH or not is_kept:
                continue
            # Now and then only some sectors of a write arrive.
            is_torn = number >= flushed and chance.random() < 0.2
            step = SECTOR if is_torn else len(write.data)
            for start in range(0, len(write.data), step):
                if not is_torn or chance.random() < 0.5:
                    image.seek(write.at + start)
                    image.write(write.data[start : start + step])


@contextmanager
def mounted(write: Callable[[Path], None], folder: Path) -> Generator[Path]:
    """Mount an image that `write` makes as the next start of the machine would."""
    # A name of its own: a loop device of the cut before may be there a moment longer.
    place = Path(tempfile.mkdtemp(dir=folder))
    file, top = place / "image", place / "top"
    write(file)
    top.mkdir()
    try:
        # So may the file system of the cut before, whose name is the same: confined processes that were
        # started meanwhile have it among their mounts as long as they live.
        said = ""
        for _ in range(300):
            tried = subprocess.run(
                ["mount", "-o", "loop", str(file), str(top)], capture_output=True, text=True, check=False
            )
            if tried.returncode == 0:
                break
            said = tried.stderr
            time.sleep(0.1)
        else:
            raise OSError(f"the file system does not start again: {said}")
        try:
            yield top
        finally:
            _unmount(top)
    finally:
        file.unlink()


def _unmount(top: Path) -> None:
    for _ in range(50):
        if subprocess.run(["umount", str(top)], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.05)
    subprocess.run(["umount", "--lazy", str(top)], check=True)


def _run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class _Server:
    """The file system with one file, in a process of its own."""

    def __init__(self, folder: Path, size: int, control: socket.socket) -> None:
        self.folder, self.size, self.control = folder, size, control
        self.image = bytearray(size)
        self.writes: list[Write] = []
        self.fuse = os.open("/dev/fuse", os.O_RDWR)
        options = f"fd={self.fuse},rootmode=40000,user_id=0,group_id=0,max_read={_WRITE_MAX}".encode()
        libc = ctypes.CDLL(None, use_errno=True)
        target = os.fsencode(folder / "served")
        if libc.mount(b"power-cuts", target, b"fuse", 0, options) != 0:
            raise OSError(ctypes.get_errno(), "mount")

    def serve(self) -> None:
        """Answer until the mount is gone."""
        import select

        self.control.sendall(b".")
        while True:
            ready, _, _ = select.select([self.fuse, self.control], [], [])
            if self.control in ready and not self._obey():
                return
            if self.fuse in ready:
                try:
                    request = os.read(self.fuse, _WRITE_MAX + 4096)
                except OSError as error:
                    if error.errno == errno.ENODEV:
                        return
                    continue
                self._answer(request)

    def _obey(self) -> bool:
        word = self.control.recv(1)
        if word == b"n":
            self.control.sendall(struct.pack("=Q", len(self.writes)))
        elif word == b"w":
            with (self.folder / "writes").open("wb") as file:
                for write in self.writes:
                    file.write(struct.pack("=qQ", write.at, len(write.data)) + write.data)
            self.control.sendall(b".")
        return bool(word)

    def _attributes(self, node: int) -> bytes:
        is_file = node == _FILE
        size, mode = (self.size, 0o100600) if is_file else (0, 0o040700)
        times = (0, 0, 0, 0, 0, 0)
        return struct.pack(
            "=6Q10I", node, size, size // 512, *times[:3], *times[:3], mode, 1, 0, 0, 0, 4096, 0
        )

    def _answer(self, request: bytes) -> None:
        _, code, unique, node, *_ = _HEADER.unpack_from(request)
        body = request[_HEADER.size :]
        answer: bytes | int = -errno.ENOSYS
        if code == 26:  # INIT
            flags = (1 << 5) | (1 << 22)
            answer = struct.pack("=4I2H2I2H8I", 7, 31, 0, flags, 16, 12, _WRITE_MAX, 1, 256, 0, *[0] * 8)
        elif code == 1:  # LOOKUP
            entry = struct.pack("=4Q2I", _FILE, 0, 60, 60, 0, 0) + self._attributes(_FILE)
            answer = entry if body.rstrip(b"\0") == b"image" else -errno.ENOENT
        elif code in (3, 4):  # GETATTR, SETATTR
            answer = struct.pack("=Q2I", 60, 0, 0) + self._attributes(node)
        elif code in (14, 27):  # OPEN, OPENDIR
            answer = struct.pack("=Q2I", 0, 1, 0)
        elif code == 15:  # READ
            at, size = struct.unpack_from("=QI", body, 8)
            answer = bytes(self.image[at : at + size])
        elif code == 16:  # WRITE
            at, size = struct.unpack_from("=QI", body, 8)
            data = body[40 : 40 + size]
            self.image[at : at + size] = data
            self.writes.append(Write(at, data))
            answer = struct.pack("=2I", size, 0)
        elif code == 20:  # FSYNC
            self.writes.append(Write(FLUSH, b""))
            answer = b""
        elif code in (18, 25, 28, 29, 38):  # RELEASE, FLUSH, READDIR, RELEASEDIR, DESTROY
            answer = b""
        elif code in (2, 36, 42):  # FORGET, INTERRUPT, BATCH_FORGET
            return
        error, data = (answer, b"") if isinstance(answer, int) else (0, answer)
        with suppress(FileNotFoundError):
            os.write(self.fuse, struct.pack("=IiQ", 16 + len(data), error, unique) + data)


if __name__ == "__main__":
    _Server(Path(sys.argv[1]), int(sys.argv[2]), socket.socket(fileno=int(sys.argv[3]))).serve()
