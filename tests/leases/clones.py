"""Clones of one project that share its specs by leases on a remote."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from chant_mcp.errors import ChantError
from harness import Project
from leases.remotes import Remote, run_git
from work.kit import Record, Workshop, lives, wait_for

TARGET = "refs/heads/main"

LEASES = "leases: {remote: origin, beat: 1s, ttl: 10s, push_interval: 200ms}\n"
"""Small times, for tests."""

SLOW_BEAT = "leases: {remote: origin, beat: 60s, ttl: 5m, push_interval: 200ms}\n"
"""The same, but no push comes by itself, and no holder falls silent."""

QUICK_TTL = "leases: {remote: origin, beat: 300ms, ttl: 1200ms, push_interval: 200ms}\n"
"""The same, for tests in which a holder falls silent."""

Lease = dict[str, Any]


class LeaseClone(Workshop):
    """A clone of a project on a remote, worked on by the demo agent."""

    def __init__(self, root: Path) -> None:
        """Take a clone as it is."""
        self.root = root
        self.project = Project(root)
        (root / ".git" / "info" / "exclude").write_text("/.chant/demo-go/\n", encoding="utf-8")

    def start(self, id: str, **wish: Any) -> Record:
        """Start work on a spec, and give its record."""
        self.handle().work_start(id, **wish)
        return self.record(id)

    def ended_anyhow(self, id: str) -> None:
        """Wait until the newest run of a spec has ended, or its runner is gone."""

        def is_over() -> bool:
            record = self.record(id)
            return record["status"] != "running" or not lives(record["pid"])

        wait_for(is_over, f"the end of work on {id}")

    def refused(self, id: str, **wish: Any) -> str:
        """Give the words with which work on a spec is refused."""
        try:
            self.handle().work_start(id, **wish)
        except ChantError as error:
            return str(error)
        raise AssertionError(f"work on {id} was started")

    def status_of(self, id: str) -> str:
        """Give the state of a spec as its file here says it."""
        return self.handle().spec_get(id).data["status"]

    def agents_started(self, id: str) -> int:
        """Count the agents that began on a spec here: each says so in its log."""
        return self.log(id).count("out Working on ")

    def git(self, *words: str) -> str:
        """Run git here."""
        return run_git(self.root, *words).strip()

    def tip(self) -> str:
        """Give the newest commit of the local target."""
        return self.git("rev-parse", TARGET)


class SharedProject:
    """A project on a remote, and clones of it.

    Example:
        shared = SharedProject(tmp_path, make_remote("git"))
        shared.publish(ID, "wait")
        first, second = shared.clone(), shared.clone()
    """

    def __init__(self, folder: Path, remote: Remote, settings: str = LEASES) -> None:
        """Put an empty project on the remote; `settings` are lines of its configuration."""
        self.folder = folder
        self.remote = remote
        self._clones = 0
        self._known: dict[str, bool] = {}
        root = remote.clone(folder / "author")
        (root / ".chant" / "specs").mkdir(parents=True)
        self.author = Workshop(Project(root))
        self.author.configure(settings)

    def publish(self, ids: Iterable[str], *behaviours: str, **keys: Any) -> None:
        """Write specs, with these keys besides, and put them on the remote."""
        for id in ids:
            self.author.spec(id, *behaviours, **keys)
        self.author.commit()
        run_git(self.author.root, "push", "-q", "origin", "HEAD:main")

    def clone(self, port: int | None = None) -> LeaseClone:
        """Clone it, trusted; `port` is that of a proxy before the remote."""
        self._clones += 1
        return LeaseClone(self.remote.clone(self.folder / f"clone-{self._clones}", port))

    # What the remote says

    def lease(self, id: str) -> Lease:
        """Read the lease of a spec."""
        return json.loads(self.remote.git("log", "-1", "--format=%s", f"refs/chant/leases/{id}"))

    def write_lease(self, id: str, **changes: object) -> str:
        """Write the lease of a spec past all rules, as anybody with push rights may; give its object."""
        ref = f"refs/chant/leases/{id}"
        old = self.remote.refs(ref).get(ref)
        known = self.lease(id) if old else {"schema": 1, "kind": "lease", "spec": id, "state": "held"}
        line = json.dumps({**known, "nonce": uuid.uuid4().hex, **changes})
        tree = self.remote.git("hash-object", "-t", "tree", "-w", "/dev/null")
        parents = ["-p", old] if old else []
        object = self.remote.git("commit-tree", *parents, "-m", line, tree)
        self.remote.write_ref(ref, object)
        return object

    def tokens(self, id: str) -> list[int]:
        """Give the different tokens that a lease had, the oldest first."""
        return list(dict.fromkeys(lease["token"] for lease in self.history(id)))

    def history(self, id: str) -> list[Lease]:
        """Give what a lease said, the oldest first."""
        words = ("log", "--reverse", "--first-parent", "--format=%s", f"refs/chant/leases/{id}")
        lines = self.remote.git(*words).splitlines()
        return [json.loads(line) for line in lines if line.startswith("{")]

    def completions(self, id: str) -> int:
        """Count how often the target's line of commits makes a spec completed."""
        name = f".chant/specs/{id}.md"
        commits = self.remote.git("rev-list", "--first-parent", "--reverse", TARGET).splitlines()
        asked = "".join(f"{commit}:{name}\n" for commit in commits)
        listed = self.remote.git("cat-file", "--batch-check=%(objectname)", given=asked).splitlines()
        states = [self._is_completed(object) for object in listed]
        return sum(now and not before for before, now in zip([False, *states], states, strict=False))

    def completed(self) -> set[str]:
        """Name the specs that the target has completed."""
        listed = self.remote.git("ls-tree", "-r", "--format=%(objectname) %(path)", TARGET, ".chant/specs")
        texts = dict(line.split(" ", 1) for line in listed.splitlines())
        return {Path(name).stem for object, name in texts.items() if self._is_completed(object)}

    def _is_completed(self, object: str) -> bool:
        """Return whether a text says so; one that is missing does not."""
        if object not in self._known:
            is_there = not object.endswith(" missing")
            self._known[object] = is_there and "status: completed" in self.remote.git(
                "cat-file", "blob", object
            )
        return self._known[object]

    def landings(self, id: str) -> list[str]:
        """Give the merges of a spec's work on the target."""
        found = self.remote.git("log", "--first-parent", "--format=%s", TARGET).splitlines()
        return [subject for subject in found if subject.startswith(f"Merge chant/{id}")]

    def shown(self, commit: str, name: str) -> str:
        """Read a file of a commit; empty where it has none."""
        listed = self.remote.git("ls-tree", "--name-only", commit, "--", name)
        return self.remote.git("show", f"{commit}:{name}") if listed else ""


def environment(**variables: str) -> dict[str, str]:
    """Give the environment of this test with some more variables."""
    return {**os.environ, **variables}
