"""`python -m bench.torture.power_cuts`: a loss of power at any write, over what says that something is done.

Deeds are done once on a disk that notes its writes (see `block_device.py`); then the disk is cut at many
places, mounted as after a start, and held against what was said by then.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import click

from bench.torture.block_device import MAKERS, SIZES, Disk, disk, mounted, why_not, write_cut
from bench.torture.sample_project import CONFIG, SPEC

AGENT, BY_HAND, LATER = "2026-01-22-001-x7m", "2026-01-22-002-k3f", "2026-01-22-003-b2q"
COMMENTED, RESET, SHARED = "2026-01-22-004-p5d", "2026-01-22-005-c8s", "2026-01-22-006-t4w"

_LEASES = CONFIG.replace("defaults:", "leases: {remote: origin}\ndefaults:")

_IMPORTED = 40

Check = Callable[[Path], str | None]


@dataclass
class Saying:
    """Something that was said to be done after so many writes, and how to see whether it is."""

    what: str
    after: int
    check: Check


@dataclass
class Trial:
    """A project on such a disk, and what was said about it."""

    disk: Disk
    sayings: list[Saying] = field(default_factory=list[Saying])
    by_hand: range = range(0)
    """The writes of a person's own git, whose commits last as its own settings say: no cut is among them."""

    @property
    def root(self) -> Path:
        """The project."""
        return self.disk.top / "project"

    def play(self) -> int:
        """Do the deeds; return the number of writes after which the project was there and on the disk."""
        specs = self.root / ".chant" / "specs"
        specs.mkdir(parents=True)
        (self.disk.top / "home").mkdir()
        (self.root / ".chant" / "config.md").write_text(CONFIG)
        for id in (AGENT, BY_HAND, LATER, COMMENTED, RESET, SHARED):
            (specs / f"{id}.md").write_text(SPEC.format(id))
        self.git("config", "--global", "user.name", "Ada")
        self.git("config", "--global", "user.email", "ada@localhost")
        self.git("init", "--quiet", "--initial-branch", "main")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Specs")
        self.trust()
        os.sync()
        start = self.disk.now()

        for id in (AGENT, LATER):
            self.ours("work", id, "--wait")
            tip = self.git("rev-parse", "main").strip()
            self.say(f"work {id}", lambda root, id=id, tip=tip: landed(root, id, tip))
        self.ours("finalize", BY_HAND, "--already-done")
        self.say("finalize", lambda root: is_completed(root / ".chant" / "specs", BY_HAND, receipt=True))
        self.ours("archive", AGENT)
        self.say("archive", is_archived)
        self.ours("add", "Paint the ferry")
        self.say("add", lambda root: has_text(root / ".chant" / "specs", "Paint the ferry"))
        # More files than are flushed one by one.
        source = self.disk.top / "issues.jsonl"
        lines = (f'{{"id": "bd-{number}", "title": "Plank {number}"}}\n' for number in range(_IMPORTED))
        source.write_text("".join(lines))
        self.ours("import", str(source))
        self.say("import", are_imported)
        self.play_review()
        self.play_leases()
        # What the system writes in the half minute after that.
        os.sync()
        return start

    def play_review(self) -> None:
        """Have work wait for a person: it lands in the end, or is taken back."""
        for id in (COMMENTED, RESET):
            self.ours("comment", id, "Say which harbour.")
            self.say("comment", self.has_refs(f"refs/chant/review/{id}"))
            self.ours("work", id, "--wait", code=1)
            self.say("work that waits", self.has_refs(f"refs/heads/chant/{id}", f"refs/chant/backup/{id}"))
        self.ours("review", COMMENTED, "--resolve", "all")
        tip = self.git("rev-parse", "main").strip()
        self.say("merge", lambda root: landed(root, COMMENTED, tip))
        self.ours("reset", RESET)
        self.say("reset", self.has_refs(f"refs/chant/backup/{RESET}"))

    def play_leases(self) -> None:
        """Share the specs by a remote, which is another machine's."""
        remote = str(self.disk.folder / "remote.git")
        start = self.disk.now()
        self.git("init", "--quiet", "--bare", "--initial-branch", "main", remote)
        self.git("remote", "add", "origin", remote)
        (self.root / ".chant" / "config.md").write_text(_LEASES)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Share specs")
        self.git("push", "--quiet", "origin", "main")
        os.sync()
        self.by_hand = range(start, self.disk.now())
        self.trust()
        self.ours("work", SHARED, "--wait")
        tip = self.git("rev-parse", "main").strip()
        assert self.git("ls-remote", "origin", "refs/heads/main").split()[0] == tip
        self.say("work with a lease", lambda root: landed(root, SHARED, tip))

    def trust(self) -> None:
        """Trust the project as it is."""
        shown = self.ours("trust", "--show")
        found = re.search("^hash: (.*)$", shown, re.MULTILINE)
        assert found is not None, shown
        self.ours("trust", "--yes", found.group(1))

    def has_refs(self, *names: str) -> Check:
        """Return a check that some ref leads to what refs below names hold now."""
        held = self.git("for-each-ref", "--format=%(objectname)", *names).split()
        assert held, names
        return lambda root: next((lost for one in held if (lost := is_lost(root, one))), None)

    def say(self, what: str, check: Check) -> None:
        """Note that something was said to be done just now."""
        self.sayings.append(Saying(what, self.disk.now(), check))

    def ours(self, *words: str, code: int = 0) -> str:
        """Run the command of ours in the project, which ends with a code."""
        return self._run(sys.executable, "-m", "chant_mcp", *words, code=code)

    def git(self, *words: str) -> str:
        """Run git in the project."""
        return self._run("git", *words)

    def _run(self, *command: str, code: int = 0) -> str:
        home = str(self.disk.top / "home")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "XDG_"))}
        environment = {**kept, "HOME": home, "CHANT_NO_COLOR": "1"}
        done = subprocess.run(
            command, cwd=self.root, env=environment, capture_output=True, text=True, check=False
        )
        if done.returncode != code:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        return done.stdout


def landed(root: Path, id: str, tip: str) -> str | None:
    """See whether a branch has a commit, and the spec and its file say so."""
    now = _git(root, "rev-parse", "main").stdout.strip()
    if _git(root, "merge-base", "--is-ancestor", tip, now or "none").returncode != 0:
        return f"main is at {now or 'nothing'}, without {tip}"
    if not (root / "work" / f"{id}.txt").stat().st_size:
        return "a file that landed is empty"
    places = [root / ".chant" / "specs", root / ".chant" / "archive"]
    seen = [is_completed(place, id, receipt=True) for place in places]
    return None if None in seen else seen[0]


def is_lost(root: Path, commit: str) -> str | None:
    """See whether no ref leads to a commit."""
    found = _git(root, "for-each-ref", "--contains", commit, "--format=%(refname)")
    return None if found.stdout.strip() else f"no ref leads to {commit}: {found.stderr.strip()[:200]}"


def is_completed(folder: Path, id: str, *, receipt: bool) -> str | None:
    """See whether a spec says that it is completed, with its receipt."""
    root = folder.parents[1]
    for path in folder.rglob(f"{id}.md"):
        if "status: completed" not in path.read_text():
            return f"{path.name} does not say that it is completed"
        found = _git(
            root, "for-each-ref", "--format=%(objectname)", f"refs/chant/receipts/{id}"
        ).stdout.split()
        if receipt and not found:
            return f"{id} has no receipt"
        if receipt and _git(root, "cat-file", "blob", found[0]).stdout == "":
            return f"the receipt of {id} is gone"
        return None
    return f"{id} is not there"


def is_archived(root: Path) -> str | None:
    """See whether the spec was moved, in the folder and in the index."""
    if list((root / ".chant" / "specs").glob(f"{AGENT}.md")):
        return "the archived spec is in its old place"
    if not list((root / ".chant" / "archive").rglob(f"{AGENT}.md")):
        return "the archived spec is gone"
    return None


def are_imported(root: Path) -> str | None:
    """See whether all that was imported is there."""
    texts = [path.read_text() for path in (root / ".chant" / "specs").glob("*.md")]
    missing = [
        number for number in range(_IMPORTED) if not any(f"# Plank {number}\n" in text for text in texts)
    ]
    return f"planks {missing} are gone" if missing else None


def has_text(folder: Path, text: str) -> str | None:
    """See whether a spec has a text."""
    return None if any(text in path.read_text() for path in folder.glob("*.md")) else f"no spec says {text!r}"


def wrong_in(root: Path, sayings: list[Saying]) -> list[str]:
    """Look at a project after a cut; return what is wrong."""
    wrong = [f"{path.name} is empty" for path in (root / ".chant").rglob("*.md") if not path.stat().st_size]
    checked = _git(root, "fsck", "--full", "--no-dangling", "--no-progress")
    if checked.returncode != 0:
        wrong.append(f"git fsck: {checked.stderr.strip()[:300]}")
    if _git(root, "status", "--porcelain").returncode != 0:
        wrong.append("git status fails")
    for saying in sayings:
        found = saying.check(root)
        if found:
            wrong.append(f"{saying.what}: {found}")
    return wrong


def _git(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["git", "-c", "safe.directory=*", *words], cwd=root, capture_output=True, text=True, check=False
    )


def try_cuts(kind: str, cuts: int, seed: int) -> tuple[list[str], Counter[str]]:
    """Do the deeds on a file system and cut it so often; return what is wrong, and what was said before."""
    chance = random.Random(seed)
    wrong: list[str] = []
    said: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = Path(name)
        with disk(folder, kind) as made:
            trial = Trial(made)
            start = trial.play()
            writes = made.writes()
        for number in range(cuts):
            end = _moment(trial, start, len(writes), chance, is_near=number % 2 == 1)
            sayings = [saying for saying in trial.sayings if saying.after <= end]
            said[sayings[-1].what if sayings else "nothing yet"] += 1

            def write(file: Path, end: int = end) -> None:
                write_cut(file, writes, end, SIZES[kind] << 20, chance)

            with mounted(write, folder) as top:
                found = wrong_in(top / "project", sayings)
            wrong += [f"{kind}, cut {number} of seed {seed}, after write {end}: {line}" for line in found]
    return wrong, said


def _moment(trial: Trial, start: int, count: int, chance: random.Random, *, is_near: bool) -> int:
    """Choose the write that a cut comes behind, or one soon after something was said."""
    end = (
        chance.choice(trial.sayings).after + chance.randrange(12) if is_near else chance.randint(start, count)
    )
    return trial.by_hand.stop if end in trial.by_hand else min(end, count)


def main() -> None:
    """Try cuts on each file system; print what is wrong, and end with 1 if anything is."""
    parser = argparse.ArgumentParser(prog="python -m bench.torture.power_cuts", description=__doc__)
    parser.add_argument("--cuts", type=int, default=50, help="cuts of each file system")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", default=list(MAKERS), choices=list(MAKERS))
    given = parser.parse_args()
    failed = False
    for kind in given.kinds:
        refused = why_not(kind)
        if refused is not None:
            click.echo(f"{kind}: not tried, {refused}")
            continue
        wrong, said = try_cuts(kind, given.cuts, given.seed)
        for line in wrong:
            click.echo(f"WRONG {line}")
        failed = failed or bool(wrong)
        click.echo(f"{kind}: {given.cuts} cuts, {len(wrong)} violations; last said before them: {dict(said)}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
