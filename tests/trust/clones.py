"""A clone in a world of its own: what lies beside it, a program that must go on, and what may not get out."""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import Project, user_config
from writing import git

SPEC, NEXT = "2026-01-22-001-x7m", "2026-01-22-002-k3f"
RUN = f"{SPEC}-4194301"
"""The run that forged records tell of."""

SECRET, KEY = "secret-of-the-server-4711", "key-of-the-user-4712"
PRIVATE = "dear-diary-4713"
"""What stands in every file of the neighbour folder."""

_PLAN = "vine 1.0.0\n---\n[a] A (notstarted)\n-> c\n---\nref [b] B (child.vine)\n---\n[c] C (complete)\n"
_TICKET = """---
code: FER-001
title: Pay
status: Proposed
dateCreated: 2026-02-01T10:00:00.000Z
type: Feature Enhancement
priority: Low
---

# Pay

## 1. Description

By card.
"""
_PARTLY = 1 << 20


@dataclass(frozen=True)
class Clone:
    """A folder that a stranger wrote, and the world around it."""

    place: Path
    innocent: int
    """Number of a process that has nothing to do with it."""
    listener: socket.socket
    """Where no call may arrive."""

    @property
    def root(self) -> Path:
        """The clone."""
        return self.place / "clone"

    @property
    def project(self) -> Project:
        """The clone as a project."""
        return Project(self.root)

    @property
    def documents(self) -> Path:
        """A folder of the user beside the clone."""
        return self.place / "Documents"

    @property
    def neighbour(self) -> Path:
        """A repository of the user beside the clone, which they trust."""
        return self.place / "neighbour"

    @property
    def mark(self) -> Path:
        """What every program makes that an attack names."""
        return self.place / "ran"

    @property
    def trap(self) -> Path:
        """A program that leaves the mark."""
        return self.place / "trap"

    @property
    def endpoint(self) -> str:
        """Where an attacker listens."""
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of the user's programs."""
        return {**os.environ, "AWS_SECRET_ACCESS_KEY": SECRET, "OPENAI_API_KEY": KEY}

    def write(self, name: str, text: str | bytes, mode: int = 0o644) -> Path:
        """Write a file of the clone."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        path.chmod(mode)
        return path

    def config(self, yaml: str) -> None:
        """Write the clone's configuration."""
        self.project.config(yaml)

    def link(self, name: str, target: str | Path) -> None:
        """Put a link in the place of something of the clone."""
        path = self.root / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def commit(self) -> None:
        """Commit what the clone holds, as its author did."""
        git(self.root, "add", "-A", "-f")
        git(self.root, "commit", "-q", "--allow-empty", "-m", "Hostile")

    def git(self, *words: str) -> str:
        """Run git in the clone."""
        return git(self.root, *words)


def template(folder: Path) -> Path:
    """Make a world once; tests copy it."""
    if folder.exists():
        return folder
    building = folder.with_name(f"{folder.name}.{os.getpid()}")
    documents = building / "Documents"
    for name in ("letter.txt", "deep/letter.txt", "tasks.md", "spec.md", "logs/x.log"):
        (documents / name).parent.mkdir(parents=True, exist_ok=True)
        (documents / name).write_text(f"# {PRIVATE}\n\n- [ ] T001 {PRIVATE}\n", encoding="utf-8")
    (documents / "plan.vine").write_text(
        f"vine 1.0.0\ntitle: {PRIVATE}\n---\n[d] {PRIVATE} (notstarted)\n", encoding="utf-8"
    )
    (documents / "FER-009-x.md").write_text(_TICKET.replace("Pay", PRIVATE), encoding="utf-8")
    own = f"---\ntype: code\nstatus: completed\n---\n\n# {PRIVATE}\n"
    for name in (f"{NEXT}.md", "2026-01-22-009-doc.md", ".chant/specs/2026-01-22-009-doc.md"):
        (documents / name).parent.mkdir(parents=True, exist_ok=True)
        (documents / name).write_text(own, encoding="utf-8")
    for name in ("clone", "neighbour"):
        project = Project(building / name)
        fill(project)
        git(project.root, "init", "-q", "-b", "main", "--template=")
        (project.root / ".git" / "info").mkdir()
        (project.root / ".git" / "hooks").mkdir()
        git(project.root, "add", "-A")
        git(project.root, "commit", "-qm", "Begin")
        git(project.root, "switch", "-qc", f"chant/{SPEC}")
        (project.root / "unfinished.txt").write_text("half\n", encoding="utf-8")
        git(project.root, "add", "-A")
        git(project.root, "commit", "-qm", f"chant({SPEC}): half")
        git(project.root, "branch", "unfinished")
        git(project.root, "switch", "-q", "main")
    building.rename(folder)
    return folder


def fill(project: Project) -> None:
    """Put documents of all dialects into a project."""
    criteria = "# One\n\nWhat.\n\n## Acceptance Criteria\n\n- [x] Works\n- [ ] Tested"
    project.spec(SPEC, body=criteria, status="in_progress", branch=f"chant/{SPEC}")
    project.spec(NEXT, body="# Two\n\n## Acceptance Criteria\n\n- [ ] Works", depends_on=["docs:x"])
    project.spec("2026-01-22-003-b2q", body="# Three", status="completed")
    files = {
        "plan.vine": _PLAN,
        "child.vine": "vine 1.0.0\n---\n[x] X (notstarted)\n",
        "specs/060-login/spec.md": "# Login\n",
        "specs/060-login/plan.md": "# Plan\n",
        "specs/060-login/tasks.md": "# Tasks\n\n## Phase 1: Setup\n\n- [ ] T001 First\n- [ ] T002 Second\n",
        ".specify/feature.json": '{"feature_directory": "specs/060-login"}\n',
        ".mdt-config.toml": '[project]\nname = "Ferry"\ncode = "FER"\n',
        "docs/CRs/FER-001-pay.md": _TICKET,
        ".chant/config.md": "---\ndefaults:\n  main_branch: main\n---\n",
    }
    for name, text in files.items():
        path = project.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    project.log(SPEC, "2026-01-22T10:00:00.000Z out Begun\n")


@contextmanager
def settled(place: Path, template: Path) -> Iterator[Clone]:
    """Put a world into a folder, with a process that lives in it."""
    shutil.copytree(template, place, symlinks=True, dirs_exist_ok=True)
    settings = user_config()
    settings.write_text(f"---\ntrust: {{roots: ['{place / 'neighbour'}']}}\n---\n", encoding="utf-8")
    # It looks as an agent of the forged run would.
    environment = {**os.environ, "CHANT_RUN": RUN, "CHANT_SPEC_ID": SPEC, "CHANT_WORKTREE": "x"}
    process = subprocess.Popen(["sleep", "600"], start_new_session=True, env=environment)
    try:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.setblocking(False)
            clone = Clone(place, process.pid, listener)
            clone.trap.write_text(f"#!/bin/sh\necho \"$0 $*\" >> '{clone.mark}'\nexit 1\n", encoding="utf-8")
            clone.trap.chmod(0o755)
            yield clone
        assert process.poll() is None, "a process that has nothing to do with the clone was ended"
    finally:
        process.kill()
        process.wait()


Entries = dict[str, tuple[Any, ...]]


def world(folder: Path) -> Entries:
    """Take down everything below a folder: kinds, rights, owners, sizes, texts, targets of links."""
    found: Entries = {}
    left = [folder]
    while left:
        with os.scandir(left.pop()) as entries:
            for entry in entries:
                found[entry.path] = _entry(Path(entry.path))
                if entry.is_dir(follow_symlinks=False):
                    left.append(Path(entry.path))
    return found


def _entry(path: Path) -> tuple[Any, ...]:
    facts = path.lstat()
    kind = (stat.filemode(facts.st_mode), facts.st_uid)
    if stat.S_ISLNK(facts.st_mode):
        return (*kind, str(path.readlink()))
    if not stat.S_ISREG(facts.st_mode):
        return kind
    data = path.read_bytes()
    return (*kind, facts.st_ino, data if len(data) < _PARTLY else hashlib.sha256(data).hexdigest())


@dataclass
class Watch:
    """The world as it was, and what was answered since."""

    clone: Clone
    before: Entries
    told: list[str]

    def hears(self, *answers: object) -> None:
        """Take down what was answered."""
        self.told += map(str, answers)

    def nothing_changed(self, but: Iterable[str] = (), *, state: bool = False) -> None:
        """Check that all is as it was, but for documents of the clone at these places and below.

        With `state`, our own state of the clone, and what the user's own says of it, may have started.
        """
        git_folder, homes = self.clone.root / ".git", Path(os.environ["HOME"]) / ".local"
        # What the system allows is tried once a machine, whatever the folder holds.
        below = [*(self.clone.root / name for name in but), homes / "state" / "chant-mcp" / "namespaces.json"]
        made = [homes, homes / "state", homes / "state" / "chant-mcp"]
        if state:
            below += [git_folder / f"chant-mcp{end}" for end in ("", ".set-aside-1")]
            below.append(homes / "state" / "chant-mcp")
            made.append(git_folder / "chant-mcp.lock")
        after = _worlds(self.clone)
        changed = [
            Path(name) for name in self.before.keys() | after if self.before.get(name) != after.get(name)
        ]
        wrong = [
            f"{path}: {self.before.get(str(path))!s:.300} -> {after.get(str(path))!s:.300}"
            for path in sorted(changed)
            if path not in made and not any(path == place or place in path.parents for place in below)
        ]
        assert not wrong, "\n".join(wrong)
        assert not self.clone.mark.exists(), self.clone.mark.read_text("utf-8")
        self._nothing_got_out(after)

    def _nothing_got_out(self, after: Entries) -> None:
        for word in (SECRET, KEY, PRIVATE):
            for answer in self.told:
                assert word not in answer, f"{word} was answered: {answer[:2000]}"
        for name, entry in after.items():
            text = entry[-1]
            if isinstance(text, bytes) and self.before.get(name) != entry:
                for word in (SECRET, KEY, PRIVATE):
                    assert word.encode() not in text, f"{word} was written to {name}"
        try:
            connection, _ = self.clone.listener.accept()
        except BlockingIOError:
            return
        connection.close()
        raise AssertionError("somebody called where the attacker listens")


def _worlds(clone: Clone) -> Entries:
    return world(clone.place) | world(Path(os.environ["HOME"]))


def watched(clone: Clone) -> Watch:
    """Take down the world before somebody looks at a clone."""
    clone.mark.unlink(missing_ok=True)
    return Watch(clone, _worlds(clone), [])


def ticks(pid: int) -> str:
    """Say when a process began, as records have it."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()[19]


def now() -> str:
    """Say the moment as records have it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
