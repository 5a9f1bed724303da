"""The world that hostile agents are let loose on: a project, its user's home, and what lies beside."""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chant_mcp import resources
from confine.attempts import ipc
from harness import user_config
from state_folder import record_file, state_folder
from work.kit import OTHER, THIRD, Record, Workshop, processes, wait_for
from writing import git

CODE = Path(resources.__file__).parent.parent.parent
"""Where our own code lies, which an agent may read."""

HOME = {
    ".ssh/id_ed25519": "SECRET-KEY\n",
    ".aws/credentials": "SECRET-KEY\n",
    ".bashrc": "# mine\n",
    ".profile": "# mine\n",
    ".gitconfig": "[user]\n\tname = Ada\n\temail = ada@example.org\n",
    ".local/state/chant-mcp/trust/other.json": '{"trusted": "SECRET-KEY"}\n',
    ".local/state/chant-mcp/worktrees/other/one/file.txt": "SECRET-KEY\n",
}
"""Files of the user's home."""

LARGE = 1 << 28
"""A file of more bytes is not read."""

SECOND = {".env": "TOKEN=SECRET-KEY\n", "code.py": "1\n", ".chant/processes/one.json": "{}\n"}
"""Files of another project of the user."""


def called(tool: str, **arguments: object) -> str:
    """Give the words of a shell that calls a tool by the run's own server, and prints the answer."""
    opening = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "x", "version": "1"},
    }
    asked = [("initialize", opening), ("tools/call", {"name": tool, "arguments": arguments})]
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": at, "method": method, "params": params})
        for at, (method, params) in enumerate(asked)
    ]
    # What stands in capitals is filled in by the shell.
    return '$OURS connect "$CHANT_WORKTREE.connect" <<END\n' + "\n".join(lines) + "\nEND\n"


REACH = """
import ctypes, os
libc, key = ctypes.CDLL(None), KEY
libc.shmat.restype = ctypes.c_void_p
memory = libc.shmget(key, 0, 0)
if memory != -1:
    ctypes.memmove(libc.shmat(memory, None, 0), b"evil", 4)
libc.msgrcv(libc.msgget(key, 0), ctypes.create_string_buffer(64), 32, 0, 0o4000)
libc.semctl(libc.semget(key, 0, 0), 0, 0)
queue = libc.mq_open(f"/chant-attempt-{key}".encode(), 2)
libc.mq_receive(queue, ctypes.create_string_buffer(8192), 8192, None)
file = f"/dev/shm/chant-attempt-{key}"
if os.path.exists(file):
    print(open(file).read())
    open(file, "w").write("evil")
"""
"""A program that reaches for what the user shares by names."""

WORK = r"""
cd "$CHANT_WORKTREE" && mkdir -p work && echo "by $CHANT_SPEC_ID" > "work/$CHANT_SPEC_ID.txt"
sed -i 's/- \[ \]/- [x]/' "$CHANT_SPEC_FILE"
git add -A . && git commit -qm "chant($CHANT_SPEC_ID): Work"
"""
"""What the agent does when it has made its move, as if nothing had been."""


@dataclass(frozen=True)
class Move:
    """What a hostile agent does, in the words of a shell, and how its run ends."""

    words: str
    end: str = "completed"
    reason: str | None = None
    """A part of what is said at the end; none when nothing is said."""
    works: bool = True
    """Whether the agent goes on to do its work."""
    rights: str | None = None
    """The end of the path of a file whose rights the move changes: Landlock holds contents alone."""


@dataclass(frozen=True)
class World:
    """What lies outside of a run."""

    shop: Workshop
    second: Path
    beside: Path
    """A folder in the machine's own folder for temporary files."""
    victim: int
    """A process of the user."""
    descriptor: int
    """A descriptor of a file of the user that is open in the process that starts runs."""

    def prepare(self, moves: Iterable[Move]) -> None:
        """Write the specs of all moves, and what their agents do."""
        for number, move in enumerate(moves):
            self._give(_id(number), move)
        self.shop.commit()

    def let_loose(self, number: int, move: Move) -> Iterator[str]:
        """Have an agent make a move, and say what is not as it should be."""
        id = _id(number)
        before, main, moved = self._outside(id), self._main(), self._moves_of_main()
        record = self._end_of(self.shop.handle().work_start(id).data["process_id"])
        wait_for(lambda: len(processes()) <= 1, lambda: f"the end of {processes()}")
        yield from _differences(before, self._outside(id), move.rights)
        yield from self._judged(id, move, record)
        yield from self._landed(id, move, main)
        yield from (line for line in self._moves_of_main()[len(moved) :] if "\tchant-mcp: merge" not in line)
        if "SECRET-KEY" in self.shop.log(id):
            yield "the log holds a secret"
        if not _lives(self.victim):
            yield "a process of the user is gone or stopped"

    def _give(self, id: str, move: Move) -> None:
        """Write the spec and what its agent does."""
        home = os.environ["HOME"]
        names = {
            "PROJECT": self.shop.root,
            "KEYS": home,
            "SECOND": self.second,
            "BESIDE": self.beside,
            "STATE": state_folder(self.shop.root),
            "VICTIM": self.victim,
            "DESCRIPTOR": self.descriptor,
            "PYTHON": sys.executable,
            "OURS": f"env -i PATH=$PATH PYTHONPATH={CODE} HOME={home} {sys.executable} -m chant_mcp",
            "OTHER": OTHER,
            "WAITS": THIRD,
        }
        given = "".join(f'{name}="{value}"\n' for name, value in names.items())
        end = WORK if move.works else ""
        # A move that is refused is no reason to stop.
        words = f"{given}(\n{move.words}\n)\n{end}"
        (self.shop.root / "moves" / f"{id}.sh").write_text(words, encoding="utf-8")
        self.shop.spec(id, criteria=["Works"])

    def _end_of(self, run: str) -> Record:
        """Wait for the end of a run, and give its record."""
        path = record_file(self.shop.root, run)
        wait_for(lambda: '"status": "running"' not in path.read_text(encoding="utf-8"), f"the end of {run}")
        return self.shop.ended(run)

    def _outside(self, id: str) -> dict[str, str]:
        """Give everything by path but what the run of a spec changes by right."""
        root = self.shop.root
        tops = (root.parent, Path(os.environ["HOME"]), self.beside)
        paths = (path for top in tops for path in top.rglob("*") if not self._is_own(str(path), id))
        return {str(path): _what_is(path) for path in paths}

    def _is_own(self, path: str, id: str) -> bool:
        """Whether a run of the spec, or its landing, changes this file."""
        git_folder = f"{self.shop.root}/.git/"
        return (
            id in path
            or path.startswith((f"{git_folder}objects/", f"{git_folder}logs/"))
            or path in [f"{git_folder}{name}" for name in ("index", "refs/heads/main", "ORIG_HEAD")]
            # A lock that is free holds the words of who had it last.
            or path in [f"{git_folder}chant-mcp/locks/{name}.lock" for name in ("start", "merge")]
            or (path.startswith(f"{git_folder}refs/") and Path(path).is_dir())
        )

    def _main(self) -> str:
        return git(self.shop.root, "rev-parse", "main").strip()

    def _moves_of_main(self) -> list[str]:
        log = self.shop.root / ".git" / "logs" / "refs" / "heads" / "main"
        return log.read_text(encoding="utf-8").splitlines()

    def _judged(self, id: str, move: Move, record: Record) -> Iterator[str]:
        end, reason = record["end_state"], record["reason"]
        if end != move.end:
            yield f"it ended as {end} ({reason}), not as {move.end}"
        if (move.reason is None) != (reason is None) or (move.reason or "") not in (reason or ""):
            yield f"it was said `{reason}`, not `{move.reason}`"
        confinement = record["confinement"] or ""
        if not confinement.startswith("confined"):
            yield f"it was {confinement}"

    def _landed(self, id: str, move: Move, main: str) -> Iterator[str]:
        names = set(git(self.shop.root, "diff", "--name-only", main, "main").split())
        own = {f"work/{id}.txt", f".chant/specs/{id}.md"} if move.end == "completed" else set()
        if names != own:
            yield f"what landed is {sorted(names)}"


@contextmanager
def made(shop: Workshop, folder: Path, beside: Path, moves: Iterable[Move]) -> Iterator[World]:
    """Make a world whose user trusts the project, and opens nothing to runs."""
    user_config().write_text(f"---\ntrust: {{roots: ['{shop.root}']}}\n---\n", encoding="utf-8")
    home, second = Path(os.environ["HOME"]), folder / "second"
    key = 0x20000000 + os.getpid()
    for top, files in ((home, HOME), (second, SECOND)):
        for name, text in files.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    git(second, "init", "-q", "-b", "main")
    (beside / "file.txt").write_text("mine\n", encoding="utf-8")
    (shop.root / "moves").mkdir()
    (shop.root / "moves" / "agent.sh").write_text(
        'cd "$CHANT_WORKTREE"; . "./moves/$CHANT_SPEC_ID.sh"\n', encoding="utf-8"
    )
    (shop.root / "moves" / "reach.py").write_text(REACH.replace("KEY", str(key)), encoding="utf-8")
    agent = shop.root / "moves" / "agent.sh"
    shop.configure(
        f"agents:\n  bad:\n    command: [sh, '{agent}']\nlimits:\n  file_megabytes: 1\n", provider="bad"
    )
    shop.spec(OTHER, status="failed", body=f"# Spec {OTHER}\n\n## Acceptance Criteria\n\n- [x] Works\n")
    shop.spec(THIRD, approval="{required: true, status: pending}")
    shop.commit()
    hook = shop.root / ".git" / "hooks" / "post-rewrite"
    hook.write_text("#!/bin/sh\n", encoding="utf-8")
    hook.chmod(0o755)
    victim = subprocess.Popen(["sleep", "600"], cwd=second, start_new_session=True)
    try:
        with ipc.made(key), _inherited(second / "code.py") as descriptor:
            world = World(shop, second, beside, victim.pid, descriptor)
            world.prepare([Move("true"), *moves])
            # What an honest run makes for all that follow.
            list(world.let_loose(0, Move("true")))
            yield world
    finally:
        victim.kill()
        victim.wait()


@contextmanager
def _inherited(path: Path) -> Iterator[int]:
    """Have a file open for the programs that this process starts, as a shell does by `exec 9<>file`."""
    opened = os.open(path, os.O_RDWR)
    os.set_inheritable(opened, True)
    try:
        yield opened
    finally:
        os.close(opened)


def _id(number: int) -> str:
    return f"2026-01-22-{number + 100}-bad"


def _differences(before: dict[str, str], after: dict[str, str], rights: str | None) -> Iterator[str]:
    for path in sorted({*before, *after}):
        old, new = before.get(path, "nothing"), after.get(path, "nothing")
        if rights is not None and path.endswith(rights):
            old, new = old.split()[-1], new.split()[-1]
        if old != new:
            yield f"{path} was {old} and is {new}"


def _what_is(path: Path) -> str:
    """Say what a file is: its kind, its rights, its content."""
    found = path.lstat()
    kind = stat.filemode(found.st_mode)
    if stat.S_ISLNK(found.st_mode):
        return f"{kind} to {path.readlink()}"
    if found.st_size > LARGE:
        return f"{kind} of {found.st_size} bytes"
    if stat.S_ISREG(found.st_mode):
        return f"{kind} {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
    return kind


def _lives(pid: int) -> bool:
    """Return whether a process is there and goes on."""
    state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[0]
    return state in "SR"
