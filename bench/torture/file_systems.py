"""`python -m bench.torture.file_systems`: every deed on every file system that can be mounted here.

What is done on ext4 has to come out the same on the others, or to be refused with a reason before anything
is changed. Home and the state of the user lie on a disk of the machine, as where a stick is mounted.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import click

from bench.torture import other_kernel
from bench.torture.sample_project import CONFIG, SPEC
from bench.torture.together import Together

_DEEDS = ("edit", "transaction", "crash in it", "three writers", "run", "remount")

_WORK, _TEXT, _LATER = "2026-01-22-001-x7m", "2026-01-22-002-k3f", "2026-01-22-003-b2q"
_WAITING = "2026-01-22-004-p5d"

_LOOKED_AT = 20
"""Folders whose numbers a mount gives out before those of the project."""

_WRITER = """
import sys
from chant_mcp import ChantProject
from chant_mcp.errors import ChantError
root, id, name = sys.argv[1:]
for number in range(3):
    try:
        ChantProject(root).spec_update(id, output=f"<{name}:{number}>")
        print(f"<{name}:{number}>", flush=True)
    except ChantError as error:
        print("refused:", str(error).replace(chr(10), " "), flush=True)
"""

_TRANSACTION = """
import sys, resource, chant_mcp
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
root, title, *ids = sys.argv[1:]
ws = chant_mcp.open(root)
with ws.transaction():
    for id in ids:
        ws[id].update(labels=[title])
"""


@dataclass(frozen=True)
class FileSystem:
    """A kind of file system, and how it is mounted in an empty folder."""

    name: str
    programs: tuple[str, ...]
    mount: Callable[[Path, Path], Sequence[Sequence[str]]]
    """The commands that mount it, given a folder for what lies below it and the place of the mount."""
    make: Callable[[Path], Sequence[Sequence[str]]] = lambda _: ()
    """The commands that make it, once."""
    lasts: bool = True
    """False where nothing outlives the mount."""
    kernel: str = ""
    """What the kernel has to know, if the kind is its own."""

    def why_not(self) -> str | None:
        """Say why it cannot be mounted here; `None` where it can."""
        if sys.platform != "linux" or os.geteuid() != 0:
            return "only root on Linux may mount a file system"
        missing = [program for program in self.programs if shutil.which(program) is None]
        if missing:
            return f"there is no {' and no '.join(missing)}"
        known = re.findall(r"^(?:nodev)?\t(\w+)$", Path("/proc/filesystems").read_text("utf-8"), re.M)
        if self.kernel and self.kernel not in known:
            return f"this kernel knows no {self.kernel}"
        if not self.kernel and not os.access("/dev/fuse", os.R_OK | os.W_OK):
            return "there is no /dev/fuse"
        return None


def _image(below: Path) -> str:
    return str(below / "image")


def _made_by(*maker: str, megabytes: int = 320) -> Callable[[Path], Sequence[Sequence[str]]]:
    return lambda below: (("truncate", "-s", f"{megabytes}M", _image(below)), (*maker, _image(below)))


def _loop(kind: str) -> Callable[[Path, Path], Sequence[Sequence[str]]]:
    return lambda below, top: (("mount", "-t", kind, "-o", "loop", _image(below), str(top)),)


def _overlay(below: Path, top: Path) -> Sequence[Sequence[str]]:
    parts = {name: below / name for name in ("lower", "upper", "work")}
    for part in parts.values():
        part.mkdir(exist_ok=True)
    options = ",".join(f"{name}dir={part}" for name, part in parts.items())
    return (("mount", "-t", "overlay", "-o", options, "overlay", str(top)),)


def _open_to_all(below: Path, top: Path) -> Sequence[Sequence[str]]:
    return (("bindfs", "-o", "perms=0777", _served(below), str(top)),)


def _sshfs(below: Path, top: Path) -> Sequence[Sequence[str]]:
    program = below / "serve"
    program.write_text(f"#!/bin/sh\nexec {_SFTP_SERVER}\n", encoding="utf-8")
    program.chmod(0o700)
    return (("sshfs", "-o", f"ssh_command={program}", f"here:{_served(below)}", str(top)),)


def _served(below: Path) -> str:
    served = below / "served"
    served.mkdir(exist_ok=True)
    return str(served)


def _exfat(below: Path, top: Path) -> Sequence[Sequence[str]]:
    program = 'mount.exfat-fuse "$(losetup --find --show "$1")" "$2"'
    return (("sh", "-c", program, "sh", _image(below), str(top)),)


_SFTP_SERVER = "/usr/lib/openssh/sftp-server"

FILE_SYSTEMS = (
    FileSystem("ext4", ("mkfs.ext4",), _loop("ext4"), _made_by("mkfs.ext4", "-q", "-F"), kernel="ext4"),
    FileSystem(
        "ext4 without journal",
        ("mkfs.ext4",),
        _loop("ext4"),
        _made_by("mkfs.ext4", "-q", "-F", "-O", "^has_journal"),
        kernel="ext4",
    ),
    FileSystem(
        "tmpfs",
        (),
        lambda _, top: (("mount", "-t", "tmpfs", "tmpfs", str(top)),),
        lasts=False,
        kernel="tmpfs",
    ),
    FileSystem("xfs", ("mkfs.xfs",), _loop("xfs"), _made_by("mkfs.xfs", "-q", "-f"), kernel="xfs"),
    FileSystem("btrfs", ("mkfs.btrfs",), _loop("btrfs"), _made_by("mkfs.btrfs", "-q", "-f"), kernel="btrfs"),
    FileSystem("overlay", (), _overlay, kernel="overlay"),
    FileSystem("bindfs 777", ("bindfs",), _open_to_all),
    FileSystem("sshfs", ("sshfs", _SFTP_SERVER), _sshfs),
    FileSystem("exfat-fuse", ("mkfs.exfat", "mount.exfat-fuse"), _exfat, _made_by("mkfs.exfat")),
    FileSystem(
        "ntfs-3g",
        ("mkfs.ntfs", "ntfs-3g"),
        lambda below, top: (("ntfs-3g", _image(below), str(top)),),
        _made_by("mkfs.ntfs", "--quiet", "--fast", "--force"),
    ),
    FileSystem("vfat", ("mkfs.vfat",), _loop("vfat"), _made_by("mkfs.vfat"), kernel="vfat"),
)


class CannotMount(Exception):
    """The file system was not mounted, for this reason."""


@dataclass
class Mounted:
    """A file system with a project on it."""

    kind: FileSystem
    below: Path
    top: Path
    home: Path
    said: dict[str, str] = field(default_factory=dict[str, str])
    """What came of each deed: `holds`, `refused: …` or `WRONG: …`."""

    @property
    def root(self) -> Path:
        """The project."""
        return self.top / "project"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of the user who works in it."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "XDG_"))}
        return {**kept, "HOME": str(self.home), "CHANT_NO_COLOR": "1", "COLUMNS": "2000"}

    def mount(self) -> None:
        """Mount it."""
        for command in self.kind.mount(self.below, self.top):
            _done(command)

    def unmount(self) -> None:
        """Take it away; what it is on stays."""
        for _ in range(100):
            done = subprocess.run(["umount", str(self.top)], capture_output=True, check=False)
            if done.returncode == 0:
                break
            time.sleep(0.05)
        else:
            subprocess.run(["umount", "--lazy", str(self.top)], check=False)
        image = _image(self.below)
        found = subprocess.run(["losetup", "-j", image, "-n", "-O", "NAME"], capture_output=True, text=True)
        for device in found.stdout.split():
            subprocess.run(["losetup", "--detach", device], check=False, capture_output=True)

    def ours(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run the command of ours in the project."""
        return self.python("-m", "chant_mcp", *words)

    def python(self, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python in the project, with some more variables."""
        command = [sys.executable, *words]
        return subprocess.run(
            command,
            cwd=self.root,
            env={**self.environment, **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=180,
        )

    def git(self, *words: str) -> str:
        """Run git in the project."""
        command = ["git", *words]
        done = subprocess.run(
            command, cwd=self.root, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise CannotMount(f"{shlex.join(command)}: {done.stderr.strip()}")
        return done.stdout

    def prepare(self) -> None:
        """Make a project that is trusted."""
        specs = self.root / ".chant" / "specs"
        specs.mkdir(parents=True)
        (self.root / ".chant" / "config.md").write_text(CONFIG)
        for id in (_WORK, _TEXT, _LATER, _WAITING):
            (specs / f"{id}.md").write_text(SPEC.format(id))
        self.git("config", "--global", "user.name", "Ada")
        self.git("config", "--global", "user.email", "ada@localhost")
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Specs")
        found = re.search("^hash: (.*)$", self.ours("trust", "--show").stdout, re.MULTILINE)
        assert found is not None
        self.ours("trust", "--yes", found.group(1))

    def text(self, id: str) -> str:
        """Read a spec."""
        return (self.root / ".chant" / "specs" / f"{id}.md").read_text("utf-8")

    def set_aside(self) -> list[str]:
        """List the states that were given up: none should be."""
        places = [self.root / ".git", self.home / ".local" / "state" / "chant-mcp" / "projects"]
        found = [path for place in places if place.is_dir() for path in place.glob("*set-aside*")]
        return [path.name for path in found]

    def try_all(self, deeds: Sequence[str] = _DEEDS) -> None:
        """Do all deeds and note what came of each."""
        tries: dict[str, Callable[[], str]] = {
            "edit": self._edit,
            "transaction": self._transaction,
            "crash in it": self._crash,
            "three writers": self._writers,
            "run": self._run,
            "remount": self._remount,
        }
        for deed in deeds:
            self.said[deed] = tries[deed]()
            if left := self.set_aside():
                self.said[deed] = f"WRONG: {left} was set aside"

    def _edit(self) -> str:
        before = self.text(_TEXT)
        done = self.ours("label", _TEXT, "quay")
        return self._outcome(done, "quay" in self.text(_TEXT), self.text(_TEXT) == before)

    def _transaction(self) -> str:
        before = [self.text(id) for id in (_TEXT, _LATER)]
        done = self.python("-c", _TRANSACTION, str(self.root), "together", _TEXT, _LATER)
        after = [self.text(id) for id in (_TEXT, _LATER)]
        return self._outcome(done, all("together" in text for text in after), before == after)

    def _crash(self) -> str:
        together = Together(self.root, self.environment, {}, random.Random(3))
        for _ in range(6):
            together.change()
        together.settle()
        shutil.rmtree(self.root / "together")
        if together.wrong:
            return f"WRONG: {'; '.join(together.wrong)}"
        return "holds" if together.ends["died"] and together.ends["made"] else f"WRONG: {dict(together.ends)}"

    def _writers(self) -> str:
        command = [sys.executable, "-c", _WRITER, str(self.root), _TEXT]
        started = [
            subprocess.Popen([*command, str(number)], env=self.environment, stdout=subprocess.PIPE, text=True)
            for number in range(3)
        ]
        said = [line for one in started for line in one.communicate(timeout=180)[0].splitlines()]
        text = self.text(_TEXT)
        lost = [word for word in said if text.count(f"{word}\n") != 1]
        return f"WRONG: {lost}" if lost or len(said) != 9 else "holds"

    def _run(self) -> str:
        tip = self.git("rev-parse", "main").strip()
        done = self.ours("work", _WORK, "--wait")
        is_done = "status: completed" in self.text(_WORK)
        return self._outcome(done, is_done, self.git("rev-parse", "main").strip() == tip and not is_done)

    def _remount(self) -> str:
        if not self.kind.lasts:
            return "nothing outlives the mount"
        has_runs = self.said.get("run") == "holds"
        before = [self.text(id) for id in (_TEXT, _LATER)]
        if has_runs:
            self.ours("comment", _WAITING, "Which harbour?")
            self.ours("work", _WAITING, "--wait")
        # It dies between the first file and the second.
        moment = "journal-step"
        died = self.python("-c", _TRANSACTION, str(self.root), "apart", _TEXT, _LATER, CHANT_STOP_AT=moment)
        if died.returncode == 0 or [self.text(id) for id in (_TEXT, _LATER)] == before:
            return f"WRONG: it did not crash between two files: {died.stderr}"
        self._mount_again()
        status = self.ours("status")
        if "not believed" in status.stdout + status.stderr:
            return f"WRONG: {status.stdout}"
        self.ours("label", _WORK, "later")
        if [self.text(id) for id in (_TEXT, _LATER)] != before:
            return "WRONG: a change that crashed before the mount is half made after it"
        return self._remounted_runs() if has_runs else "holds"

    def _mount_again(self) -> None:
        self.unmount()
        self.mount()
        # What lies above gets other numbers where a mount gives them.
        for number in range(_LOOKED_AT):
            (self.top / f"other-{number}").mkdir(exist_ok=True)
            (self.top / f"other-{number}").stat()

    def _remounted_runs(self) -> str:
        """See that runs go on: one that is over is known, one that waits lands, a new one works."""
        log = self.ours("log", _WORK)
        if log.returncode != 0:
            return f"WRONG: the run is forgotten: {log.stderr}"
        resolved = self.ours("review", _WAITING, "--resolve", "all")
        if "status: completed" not in self.text(_WAITING):
            return f"WRONG: work that waited does not land: {resolved.stdout}{resolved.stderr}"
        before = self.git("rev-parse", "main").strip()
        done = self.ours("work", _LATER, "--wait")
        is_done = "status: completed" in self.text(_LATER)
        return self._outcome(done, is_done, self.git("rev-parse", "main").strip() == before and not is_done)

    def _outcome(self, done: subprocess.CompletedProcess[str], is_done: bool, is_unchanged: bool) -> str:
        told = (done.stderr or done.stdout).strip()
        if done.returncode == 0:
            return "holds" if is_done else f"WRONG: success was said, and nothing is there: {told}"
        if is_unchanged:
            return f"refused: {told}"
        return f"WRONG: refused after a change: {told}"


def _done(command: Sequence[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise CannotMount(f"{shlex.join(command)}: {(done.stderr or done.stdout).strip()}")


@contextmanager
def mounted(kind: FileSystem, folder: Path) -> Generator[Mounted]:
    """Make and mount a file system in an empty folder, with a project on it.

    Raises:
        CannotMount: The system does not let us.
    """
    below, top, home = folder / "below", folder / "top", folder / "home"
    for part in (below, top, home):
        part.mkdir()
    for command in kind.make(below):
        _done(command)
    made = Mounted(kind, below, top, home)
    made.mount()
    try:
        made.prepare()
        yield made
    finally:
        made.unmount()


def try_file_systems(names: Sequence[str]) -> Iterator[tuple[FileSystem, dict[str, str]]]:
    """Try file systems, all without names; give what came of each deed, or below `skipped` why not."""
    for kind in FILE_SYSTEMS:
        if names and kind.name not in names:
            continue
        if why := kind.why_not():
            other = other_kernel.why_not(kind.kernel)
            yield kind, {"skipped": f"{why}, and {other}"} if other else _try_elsewhere(kind)
            continue
        with tempfile.TemporaryDirectory(prefix="chant-fs-", ignore_cleanup_errors=True) as folder:
            try:
                with mounted(kind, Path(folder)) as made:
                    made.try_all()
                    yield kind, made.said
            except CannotMount as error:
                yield kind, {"skipped": str(error)}


def _try_elsewhere(kind: FileSystem) -> dict[str, str]:
    """Have a kernel that knows a file system try it."""
    told = other_kernel.run(kind.kernel, [sys.executable, "-m", "bench.torture.file_systems", kind.name])
    said: dict[str, str] = {}
    for line in told.splitlines():
        if line.startswith(f"| {kind.name} |"):
            said.update(zip(_DEEDS, (cell.strip() for cell in line.split("|")[2:-1]), strict=False))
        elif line.startswith(f"{kind.name}, "):
            deed, _, outcome = line.removeprefix(f"{kind.name}, ").partition(": ")
            said[deed] = outcome
    return said if len(said) == len(_DEEDS) else {"skipped": f"another kernel said: {told.strip()[-500:]}"}


def main() -> None:
    """Try file systems; print a row for each, and end with 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m bench.torture.file_systems", description=__doc__)
    parser.add_argument("names", nargs="*", help="file systems; all without any")
    given = parser.parse_args()
    is_wrong = False
    notes: list[str] = []
    click.echo(f"| file system | {' | '.join(_DEEDS)} |\n|{' --- |' * (len(_DEEDS) + 1)}")
    for kind, said in try_file_systems(given.names):
        words = [said["skipped"]] if "skipped" in said else [said[deed].partition(":")[0] for deed in _DEEDS]
        click.echo(f"| {kind.name} | {' | '.join(words)} |")
        notes += [f"{kind.name}, {deed}: {outcome}" for deed, outcome in said.items() if ": " in outcome]
        is_wrong = is_wrong or any(outcome.startswith("WRONG") for outcome in said.values())
    for note in notes:
        click.echo(note)
    sys.exit(1 if is_wrong else 0)


if __name__ == "__main__":
    main()
