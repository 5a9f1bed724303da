"""`verify --drift --all` on a long history, against a checker of its own.

python -m bench.drift                           # 1,000 receipts, 10,000 commits
python -m bench.drift --specs 300 --changes 1000 --seed 7
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SECONDS = 10.0
"""The promise: for 1,000 receipts and 10,000 commits, at a load below 2."""

_FILES = 100
"""Files of code; each has one of tests."""


@dataclass
class Landing:
    """A spec with the lines that it wrote."""

    spec: str
    commit: str = ""
    base: str = ""
    tree: str = ""
    blocks: list[list[str]] = field(default_factory=list[list[str]])


class History:
    """A history in memory, written by one call of git."""

    def __init__(self, root: Path, seed: int) -> None:
        self.root, self.random = root, random.Random(seed)
        self.texts: dict[str, list[str]] = {}
        self.next = 0
        self.stream = subprocess.Popen(["git", "fast-import", "--quiet"], cwd=root, stdin=subprocess.PIPE)
        self.commits = 0

    def lines(self, count: int) -> list[str]:
        """Write lines that no other file has."""
        first = self.next
        self.next += count
        return [f"    value_{n} = compute(argument_{n})" for n in range(first, self.next)]

    def commit(self, paths: list[str]) -> None:
        """Commit files as they are now; one without lines is removed."""
        assert self.stream.stdin
        self.commits += 1
        parts = [f"commit refs/heads/main\ncommitter A <a@b> {self.commits} +0000\ndata 1\nx\n"]
        for path in paths:
            text = "".join(f"{line}\n" for line in self.texts.get(path, []))
            parts.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n" if text else f"D {path}\n")
        self.stream.stdin.write("".join(parts).encode())

    def insert(self, path: str, count: int) -> list[str]:
        """Write new lines somewhere into a file."""
        text, new = self.texts.setdefault(path, []), self.lines(count)
        at = self.random.randint(0, len(text))
        text[at:at] = new
        return new

    def change(self) -> None:
        """Change a file: add, rewrite or remove lines, rename it, or remove it and bring it back."""
        path = self.random.choice(sorted(self.texts))
        text, kind = self.texts[path], self.random.random()
        if kind < 0.7 or not text:
            self.insert(path, self.random.randint(1, 4))
        elif kind < 0.8:
            text[self.random.randrange(len(text))] = self.lines(1)[0]
        elif kind < 0.9:
            at = self.random.randrange(len(text))
            del text[at : at + 2]
        elif kind < 0.95:
            self.texts.pop(path)
            folder, _, name = path.partition("/")
            self.texts[f"{folder}/moved_{self.next}_{name.split('_')[-1]}"] = text
            self.next += 1
            self.commit([path, *(other for other in self.texts if self.texts[other] is text)])
            return
        else:
            kept = self.texts.pop(path)
            self.commit([path])
            self.texts[path] = kept
        self.commit([path])


def build(root: Path, specs: int, changes: int, seed: int) -> list[Landing]:
    """Make the project: landings at random among changes, then receipts."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    (root / ".chant" / "specs").mkdir(parents=True)
    (root / ".chant" / "config.md").write_text("---\ndefaults:\n  main_branch: main\n---\n", encoding="utf-8")
    history = History(root, seed)
    for n in range(_FILES):
        for path in (f"src/part_{n}.py", f"tests/test_{n}.py"):
            history.insert(path, 60)
    history.commit(sorted(history.texts))
    kinds = ["landing"] * specs + ["change"] * changes
    history.random.shuffle(kinds)
    landings: list[Landing] = []
    numbers: list[int] = []
    for kind in kinds:
        if kind == "change":
            history.change()
            continue
        landing = Landing(f"2026-01-22-{len(landings):04}-abc")
        code = sorted(path for path in history.texts if path.startswith("src/"))
        tests = sorted(path for path in history.texts if path.startswith("tests/"))
        paths = [history.random.choice(code), history.random.choice(tests)]
        landing.blocks = [history.insert(path, history.random.randint(2, 8)) for path in paths]
        history.commit(paths)
        landings.append(landing)
        numbers.append(history.commits)
    assert history.stream.stdin
    history.stream.stdin.close()
    assert history.stream.wait() == 0
    listed = _git(root, "log", "--reverse", "--format=%H %T", "main").split("\n")
    pairs = [line.split() for line in listed if line]
    for landing, number in zip(landings, numbers, strict=True):
        (landing.commit, landing.tree), landing.base = pairs[number - 1], pairs[number - 2][0]
    _keep(root, landings)
    texts = ["\n".join(text) + "\n" for text in history.texts.values()]
    whole = "\0".join(texts)
    for landing in landings:
        stale = any("\n".join(block) + "\n" not in whole for block in landing.blocks)
        landing.blocks = [["stale"]] if stale else []
    return landings


def _git(root: Path, *words: str, text: str = "") -> str:
    done = subprocess.run(["git", *words], cwd=root, input=text, capture_output=True, text=True, check=True)
    return done.stdout


def _keep(root: Path, landings: list[Landing]) -> None:
    """Write specs and receipts."""
    with tempfile.TemporaryDirectory() as folder:
        paths: list[str] = []
        for landing in landings:
            criteria = {"hash": hashlib.sha256(b"").hexdigest(), "count": 1, "ticked": 1}
            receipt: dict[str, Any] = {
                "format": 1,
                "spec": landing.spec,
                "completed": "run",
                "token": "1",
                "criteria": criteria,
                "commit": landing.commit,
                "tree": landing.tree,
                "base": landing.base,
                "commits": [landing.commit],
                "target": "main",
                "checks": [],
                "ended_at": "2026-01-22T10:05:00Z",
            }
            file = Path(folder) / landing.spec
            file.write_text(json.dumps(receipt, sort_keys=True, separators=(",", ":")), encoding="utf-8")
            paths.append(str(file))
            spec = root / ".chant" / "specs" / f"{landing.spec}.md"
            spec.write_text(
                "---\ntype: code\nstatus: completed\n---\n\n# Part\n\n- [x] Works\n", encoding="utf-8"
            )
        blobs = _git(root, "hash-object", "-w", "--no-filters", "--stdin-paths", text="\n".join(paths) + "\n")
    refs = zip(landings, blobs.split(), strict=True)
    updates = "".join(f"create refs/chant/receipts/{one.spec}/1 {blob}\n" for one, blob in refs)
    _git(root, "update-ref", "--stdin", text=updates)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> int:
    """Build, run the command three times, and compare with the checker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=1000)
    parser.add_argument("--changes", type=int, default=9000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        landings = build(root, given.specs, given.changes, given.seed)
        commits = int(_git(root, "rev-list", "--count", "main"))
        words = [sys.executable, "-P", "-m", "chant_mcp", "verify", "--drift", "--all", "--json"]
        taken: list[float] = []
        found: dict[str, Any] = {}
        for _ in range(3):
            start = time.monotonic()
            done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)
            taken.append(time.monotonic() - start)
            found = json.loads(done.stdout)["data"]
    verdicts = {spec["spec_id"]: spec["verdict"] == "stale" for spec in found["specs"]}
    wrong = [one.spec for one in landings if verdicts.get(one.spec) != bool(one.blocks)]
    moved = sum(spec["counts"]["moved"] for spec in found["specs"])
    _say(f"{len(landings)} receipts, {commits} commits, load {os.getloadavg()[0]:.1f}")
    _say(
        f"{found['hold']} hold, {found['stale']} stale, {moved} places moved; {len(wrong)} unlike the checker"
    )
    _say(f"{min(taken):.2f} to {max(taken):.2f} s; promised: {SECONDS:.0f} s")
    for spec in wrong[:10]:
        _say("unlike: " + json.dumps(next(one for one in found["specs"] if one["spec_id"] == spec)))
    return 1 if wrong or max(taken) > SECONDS else 0


if __name__ == "__main__":
    raise SystemExit(main())
