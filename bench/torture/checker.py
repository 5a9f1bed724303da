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

from bench.torture.item_plans import Record, check_items

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
    seen: list[tuple[str, str]]
    """Commits by spec that once were the newest in the folder of a run."""
    has_one_clock: bool
    """Whether moments that different processes wrote down can be compared."""


def check(scene: Scene) -> list[str]:
    """Look at everything; give what is wrong, in sentences."""
    records = _records(scene.root)
    return [
        *_specs(scene, records),
        *_items(scene, records),
        *_commits(scene),
        *_seen(scene),
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
    """Find the processes that know a home folder or work below it, with their commands."""
    mark = os.fsencode(home)
    found: list[tuple[int, str]] = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError):
            if not folder.name.isdigit():
                continue
            if mark in (folder / "environ").read_bytes() or (folder / "cwd").readlink().is_relative_to(home):
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found.append((int(folder.name), command.strip()))
    return found


def folders(home: Path) -> dict[str, Path]:
    """Find the folders that runs work in, or that are kept, by their specs: each has a mark beside it."""
    marks = (home / "state" / "chant-mcp" / "worktrees").glob("*/*.run.json")
    found = [mark.with_name(mark.name.removesuffix(".run.json")) for mark in marks]
    return {folder.name: folder for folder in found if folder.is_dir()}


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


def _items(scene: Scene, records: list[Record]) -> Iterator[str]:
    def read_main(name: str) -> str:
        return git(scene.root, scene.environment, "show", f"main:{name}")

    subjects = git(scene.root, scene.environment, "log", "--format=%s", "main").splitlines()
    yield from check_items(read_main, subjects, records if scene.has_one_clock else _without_times(records))


def _without_times(records: list[Record]) -> list[Record]:
    """Records as they are where moments cannot be compared."""
    return [{**record, "adopted_at": None} for record in records]


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


def _seen(scene: Scene) -> Iterator[str]:
    """A commit that an agent made is in the project, or in the folder that was kept."""
    refs = git(scene.root, scene.environment, "rev-list", "--all").split()
    reachable = set(refs)
    kept = folders(scene.home)
    for id, commit in sorted(set(scene.seen)):
        if commit not in reachable and not (id in kept and _holds(scene, kept[id], commit)):
            yield f"commit {commit} of an agent on {id} is lost"


def _holds(scene: Scene, folder: Path, commit: str) -> bool:
    """Whether the repository of a folder holds a commit, or one that was set aside beside it."""
    repositories = [folder / ".git", *folder.parent.glob(f"{folder.name}.git-*")]
    words = ["cat-file", "-e", f"{commit}^{{commit}}"]
    environment = dict(scene.environment)
    return any(
        not subprocess.run(
            ["git", f"--git-dir={one}", *words], env=environment, capture_output=True, check=False
        ).returncode
        for one in repositories
    )


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
    if not any(record.get("confinement") for record in records):
        yield "no run came so far that it was held"
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
    yield from (f"{path.relative_to(scene.root)} is left" for path in _locks(scene.root))
    yield from _bases(scene, records)
    yield from _folders(scene, records)


def _locks(root: Path) -> Iterator[Path]:
    """Locks of git, and of runs and watchers that ended; two of ours are files that stay.

    Those of our own refs that a killed process leaves are in nobody's way, and named by `doctor --deep`.
    """
    common = root / ".git"
    stay = {common / "chant-mcp" / "locks" / f"{name}.lock" for name in ("start", "merge")}
    left = (path for path in sorted(common.rglob("*.lock")) if path not in stay)
    yield from (path for path in left if common / "refs" / "chant" not in path.parents)
    yield from common.glob("chant-mcp/watch/main/_.pid")


def _names_branch(record: Record | None) -> bool:
    """Return whether a record says that a branch is kept, as a full disk has it."""
    return record is not None and "its branch was kept" in (record["reason"] or "")


def _bases(scene: Scene, records: list[Record]) -> Iterator[str]:
    """What a run began with is held while the work goes on, or its folder is kept."""
    kept = folders(scene.home)
    newest: dict[str, Record] = {}
    for record in records:
        known = newest.get(record["branch"])
        if record["branch"] and (known is None or known["token"] < record["token"]):
            newest[record["branch"]] = record
    refs = git(scene.root, scene.environment, "for-each-ref", "--format=%(refname)").split()
    for ref in refs:
        branch = ref.removeprefix("refs/chant/base/")
        if branch == ref:
            continue
        if f"refs/heads/{branch}" not in refs:
            yield f"{ref} is left, and there is no branch {branch}"
        elif branch.removeprefix("chant/") in kept or _names_branch(newest.get(branch)):
            continue
        elif branch in newest and newest[branch]["end_state"] in ("completed", "cancelled"):
            yield f"{ref} is left, and the work is {newest[branch]['end_state']}"


def _folders(scene: Scene, records: list[Record]) -> Iterator[str]:
    over = {record["branch"] for record in records if record["end_state"] == "completed"}
    open_ = {
        record["branch"]
        for record in records
        if record["branch"] and record["end_state"] not in ("completed", "cancelled")
    }
    # What a full disk kept from going is named.
    named = {record["branch"] for record in records if "its worktree was kept" in (record["reason"] or "")}
    for id, folder in folders(scene.home).items():
        branch = f"chant/{id}"
        if branch in open_ or branch in named or branch not in over:
            continue
        # A half removed one has no repository any more, and nothing in it that is not on main.
        is_clean = not git(folder, scene.environment, "status", "--porcelain", check=False).strip()
        if is_clean and _contains(scene, "main", branch):
            yield f"folder {folder} could be gone"
    listed = git(scene.root, scene.environment, "worktree", "list", "--porcelain")
    if listed.count("worktree ") != 1:
        yield f"a run made a linked worktree: {listed}"
