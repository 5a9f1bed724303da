"""The independent checker: reads files, records and git, and knows nothing of the program's own code.

It proves what the design of the runtime promises after one look by `watch --once`.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECORDS = Path(".git", "chant-mcp", "processes", "main", "_")
"""Where the records of runs lie, from the root; those in the project are copies."""

_STATUSES = {
    "pending",
    "in_progress",
    "blocked",
    "ready",
    "completed",
    "failed",
    "needs_attention",
    "cancelled",
    "paused",
}

_ENDS = {
    "completed": {"completed"},
    "failed": {
        "failed",
        "paused",
        "taken_over",
        "cancelled",
        "needs_attention",
        "awaiting_merge",
        "awaiting_approval",
        "lost",
    },
}
"""End states by the status of a record that ended."""

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scene:
    """Where torture took place, and what the person there did."""

    root: Path
    home: Path
    environment: Mapping[str, str]
    mine: Mapping[str, bytes]
    """What the person wrote, by path."""
    tips: list[str]
    """Where main stood, in order."""
    kept: list[tuple[str, str]]
    """Texts by spec of which a server said that they are written."""
    has_one_clock: bool
    """Whether moments that different processes wrote down can be compared."""


def check(scene: Scene) -> list[str]:
    """Look at everything; give what is wrong, in sentences."""
    records = _records(scene.root)
    return [
        *_specs(scene, records),
        *_commits(scene),
        *_main(scene),
        *_mine(scene),
        *_kept(scene),
        *_runs(scene, records),
        *_leavings(scene, records),
    ]


def git(root: Path, environment: Mapping[str, str], *words: str, check: bool = True) -> str:
    """Ask git in a folder."""
    done = subprocess.run(
        ["git", *words], cwd=root, env=dict(environment), capture_output=True, text=True, check=False
    )
    if check and done.returncode:
        raise RuntimeError(f"git {' '.join(words)}: {done.stderr}")
    return done.stdout


def living(home: Path) -> list[tuple[int, str]]:
    """Find the processes that know a home folder, with their commands."""
    mark = f"HOME={home}".encode()
    found: list[tuple[int, str]] = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if folder.name.isdigit() and mark in (folder / "environ").read_bytes().split(b"\0"):
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found.append((int(folder.name), command.strip()))
    return found


def _records(root: Path) -> list[Record]:
    paths = sorted((root / RECORDS).glob("*.json"))
    return [json.loads(path.read_text("utf-8")) for path in paths]


def _specs(scene: Scene, records: list[Record]) -> Iterator[str]:
    for path in sorted((scene.root / ".chant" / "specs").glob("*.md")):
        text = path.read_text("utf-8")
        parts = re.match(r"---\n(.*?\n)---\n(.*)", text, re.DOTALL)
        if parts is None:
            yield f"{path.name} has no front matter"
            continue
        front, body = parts.groups()
        statuses = re.findall(r"^status: *(\S+)$", front, re.MULTILINE)
        if len(statuses) != 1 or statuses[0] not in _STATUSES:
            yield f"{path.name} has no single known status: {statuses}"
            continue
        if re.search(r"^(<<<<<<<|>>>>>>>) ", text, re.MULTILINE):
            yield f"{path.name} holds marks of a conflict"
        if statuses[0] == "completed":
            yield from _evidence(scene, path.stem, body, records)


def _evidence(scene: Scene, id: str, body: str, records: list[Record]) -> Iterator[str]:
    done = [record for record in records if record["spec_id"] == id and record["end_state"] == "completed"]
    own = [record for record in done if record["mode"] == "single"]
    if not own:
        # Records are kept for the newest 200 runs; main remembers all.
        merges = git(scene.root, scene.environment, "log", "--format=%s", "main").splitlines()
        if not any(merge.startswith(f"Merge chant/{id}:") for merge in merges):
            yield f"{id} is completed, and no run of it is"
            return
    if "- [ ]" in body:
        yield f"{id} is completed with open criteria"
    for record in own:
        if not record["commits"]:
            yield f"run {record['process_id']} completed without a commit"
        for commit in [*record["commits"], record["merge"]["commit"]]:
            if not _contains(scene, "main", commit):
                yield f"{commit} of run {record['process_id']} is not on main"
        if any(entry["exit"] != 0 for entry in record["checks"]):
            yield f"run {record['process_id']} completed with a failed check"


def _contains(scene: Scene, branch: str, commit: str) -> bool:
    words = ["git", "merge-base", "--is-ancestor", commit, branch]
    return not subprocess.run(words, cwd=scene.root, env=dict(scene.environment), check=False).returncode


def _commits(scene: Scene) -> Iterator[str]:
    """No commit of an agent may be where no branch and no backup leads to."""
    found = git(scene.root, scene.environment, "fsck", "--unreachable", "--no-reflogs", "--no-progress")
    for line in found.splitlines():
        kind, commit = line.split()[1:3]
        if kind != "commit":
            continue
        subject = git(scene.root, scene.environment, "log", "-1", "--format=%s", commit).strip()
        if subject.startswith(("chant(", "Uncommitted work")):
            yield f"commit {commit} ({subject}) is lost"
    wrong = [line for line in found.splitlines() if not line.startswith("unreachable ")]
    yield from (f"git fsck: {line}" for line in wrong)


def _main(scene: Scene) -> Iterator[str]:
    for tip in dict.fromkeys(scene.tips):
        if not _contains(scene, "main", tip):
            yield f"main stood on {tip} and does not lead there any more"


def _mine(scene: Scene) -> Iterator[str]:
    for name, expected in scene.mine.items():
        path = scene.root / name
        if not path.exists() or path.read_bytes() != expected:
            yield f"{name} is not what was written there"


def _kept(scene: Scene) -> Iterator[str]:
    """What a server said to be written has to be there, whatever died since."""
    for id, text in scene.kept:
        path = scene.root / ".chant" / "specs" / f"{id}.md"
        if not path.exists() or text not in path.read_text("utf-8").splitlines():
            yield f"{id} does not hold `{text}`, which was said to be written"


def _runs(scene: Scene, records: list[Record]) -> Iterator[str]:
    by_spec: dict[str, list[Record]] = {}
    for record in records:
        status, end = record["status"], record["end_state"]
        if end not in _ENDS.get(status, set()):
            yield f"run {record['process_id']} is {status}, {end}"
        if record["mode"] == "single":
            by_spec.setdefault(record["spec_id"], []).append(record)
    for runs in by_spec.values():
        runs.sort(key=lambda record: record["token"])
        for earlier, later in itertools.pairwise(runs):
            if later["token"] == earlier["token"]:
                yield f"runs {earlier['process_id']} and {later['process_id']} have one token"
            adopted = later["adopted_at"] if scene.has_one_clock else None
            if adopted and adopted < (earlier["completed_at"] or "9"):
                yield f"runs {earlier['process_id']} and {later['process_id']} overlap"


def _leavings(scene: Scene, records: list[Record]) -> Iterator[str]:
    deadline = time.monotonic() + 10
    while living(scene.home) and time.monotonic() < deadline:
        time.sleep(0.1)
    yield from (
        f"process {pid} lives: {command}" for pid, command in living(scene.home) if pid != os.getpid()
    )
    for pattern in (
        ".git/chant-mcp/locks/_/*.lock",
        ".git/chant-mcp/watch/main/_.pid",
        ".git/index.lock",
        ".git/worktrees/*/index.lock",
    ):
        yield from (f"{path.relative_to(scene.root)} is left" for path in scene.root.glob(pattern))
    over = {record["branch"] for record in records if record["end_state"] == "completed"}
    open_ = {
        record["branch"]
        for record in records
        if record["branch"] and record["end_state"] not in ("completed", "cancelled")
    }
    listed = git(scene.root, scene.environment, "worktree", "list", "--porcelain")
    for block in listed.split("\n\n"):
        found = re.search(r"^worktree (.*)\n(?:.*\n)*branch refs/heads/(chant/.*)$", block, re.MULTILINE)
        if found is None or found[2] in open_ or found[2] not in over:
            continue
        is_clean = not git(Path(found[1]), scene.environment, "status", "--porcelain").strip()
        if is_clean and _contains(scene, "main", found[2]):
            yield f"worktree {found[1]} could be gone"
