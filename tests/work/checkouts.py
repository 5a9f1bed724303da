"""The user's checkout of a project, what has to stay as it is there, and runs in it."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chant_mcp import resources
from chant_mcp._core import ChantProject
from chant_mcp.init.layout import ignore_file
from harness import Project, user_config
from state_folder import part
from work.kit import ID, OTHER, PROGRAM, Record, lives, wait_for
from writing import git

TARGET = "ferry.txt"
PROMPTS = Path(resources.__file__).parent / "prompts"

BODY = """\
# Row across

Carry people over the river.

## Acceptance Criteria

- [ ] Boat floats
- [ ] People arrive

## Notes

The river is wide."""

OURS = ("logs", "processes", ".locks", ".store", "demo-go")
"""Folders of `.chant` that runs write into and git does not see."""


@dataclass
class Checkout:
    """A checkout of the user's that holds a project."""

    top: Path
    below: str = ""
    target: str = TARGET
    """The file that the work changes."""
    main: str = "main"
    elsewhere: list[Path] = field(default_factory=list)
    """Other checkouts of the same repository."""
    remote: Path | None = None
    is_tracked: bool = True
    """Whether git tracks the spec."""
    waits: str | None = None
    """What a merge waits for, in the words of its reason."""
    blocked_by: Sequence[str] = ()
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def project(self) -> Project:
        """The project in it."""
        return Project(self.top / self.below)

    def inside(self, name: str) -> str:
        """Name a file of the project as git does."""
        return str(Path(self.below, name))

    @property
    def spec(self) -> str:
        """The worked spec as git names it."""
        return self.inside(f".chant/specs/{ID}.md")

    def git(self, *words: str) -> str:
        """Run git here."""
        return git(self.top, *words)

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file, its folder made if need be."""
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def label(self, *behaviours: str, id: str = ID) -> None:
        """Say in the spec how the demo agent is to work."""
        path = self.project.path(id)
        lines = path.read_bytes().splitlines(keepends=True)
        end = b"\r\n" if lines[0].endswith(b"\r\n") else b"\n"
        lines = [line for line in lines if not line.startswith(b"labels:")]
        labels = ", ".join(f"demo:{behaviour}" for behaviour in behaviours)
        lines.insert(2, f"labels: [{labels}]".encode() + end)
        path.write_bytes(b"".join(lines))

    # Runs

    def chant(self, root: Path | None = None, **environment: str) -> ChantProject:
        """Open the project, as a server does."""
        return ChantProject(
            root or self.project.root,
            user_config=user_config(),
            environment={**os.environ, **self.environment, **environment},
            program=PROGRAM,
            prompts=PROMPTS,
        )

    def start(self, id: str = ID, **wish: Any) -> Record:
        """Start work on a spec, and give the record."""
        self.chant().work_start(id, **wish)
        return self.record(id)

    def record(self, id: str = ID) -> Record:
        """Read the newest record of a spec."""
        return max(self.records(id), key=lambda record: record["token"])

    def records(self, id: str = ID) -> list[Record]:
        """Read all records of a spec."""
        folder = part(self.project.root, "processes")
        read = [json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")]
        return [record for record in read if record["spec_id"] == id]

    def ended(self, id: str = ID) -> Record:
        """Wait for the end of a spec's newest run, and of its runner."""
        wait_for(lambda: self.record(id)["status"] != "running", lambda: f"the end of {self.record(id)}")
        record = self.record(id)
        wait_for(lambda: not lives(record["pid"]), "the end of the runner")
        return record

    def said(self, words: str, id: str = ID) -> None:
        """Wait until the log of a spec holds certain words."""
        log = self.project.root / ".chant" / "logs" / f"{id}.log"
        wait_for(lambda: log.exists() and words in log.read_text("utf-8"), f"`{words}` in the log")

    def run(self, id: str = ID, **wish: Any) -> Record:
        """Run a spec to its end."""
        self.start(id, **wish)
        return self.ended(id)

    def go(self, id: str = ID) -> Record:
        """Let an agent go on that waits, and wait for the end of its run."""
        self.sign(id).touch()
        record = self.ended(id)
        self.sign(id).unlink()
        return record

    def sign(self, id: str = ID) -> Path:
        """Give the file that says to an agent that waits that it may go on; its folder is there."""
        path = self.project.root / ".chant" / "demo-go" / id
        path.parent.mkdir(exist_ok=True)
        return path

    # What is looked at

    def tip(self) -> str:
        """Give where the main branch stands."""
        return self.git("rev-parse", self.main).strip()

    def tree_files(self, commit: str) -> dict[str, str]:
        """List what a commit holds: for each path its mode and its blob."""
        rows = self.git("ls-tree", "-rz", "--full-tree", commit).split("\0")[:-1]
        return {name: head for head, name in (row.split("\t", 1) for row in rows)}

    def stood_on_main(self) -> list[Path]:
        """List the checkouts that stand on the main branch."""
        tops = [self.top, *self.elsewhere]
        head = f"refs/heads/{self.main}"
        return [top for top in tops if git(top, "symbolic-ref", "-q", "HEAD", check=False).strip() == head]

    def seen(self) -> dict[str, Any]:
        """Look at everything that is the user's, but for the spec that is worked on and the main branch."""
        found: dict[str, Any] = {}
        for top in (self.top, *self.elsewhere):
            found[f"files of {top.name}"] = self.files(top)
            found[f"index of {top.name}"] = self.index(top)
            found[f"status of {top.name}"] = self.status(top)
            found[f"HEAD of {top.name}"] = self.head(top)
            found[f"under way in {top.name}"] = self.under_way(top)
        found["refs"] = self.refs(self.top)
        stash = self.common_dir / "logs" / "refs" / "stash"
        found["stash"] = stash.read_bytes() if stash.exists() else None
        found["config"] = (self.common_dir / "config").read_bytes()
        if self.remote is not None:
            found["remote"] = git(self.remote, "for-each-ref")
        return found

    def files(self, top: Path) -> dict[str, tuple[int, bytes]]:
        """Read every file, with what may be done with it; git's own and those of runs left out."""
        found: dict[str, tuple[int, bytes]] = {}
        ours = [str(top / self.below / ".chant" / name) for name in OURS]
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name != ".git" and str(Path(folder, name)) not in ours]
            for name in names:
                path = Path(folder, name)
                mode = path.lstat().st_mode
                data = os.fsencode(path.readlink()) if stat.S_ISLNK(mode) else path.read_bytes()
                found[path.relative_to(top).as_posix()] = (mode, data)
        found.pop(self.spec, None)
        return found

    def index(self, top: Path) -> dict[str, str]:
        """List the entries of an index, with their flags."""
        rows = git(top, "ls-files", "--stage", "-z", "-v").split("\0")[:-1]
        entries: dict[str, str] = {}
        for row in rows:
            head, name = row.split("\t", 1)
            entries[name] = entries.get(name, "") + head + "\n"
        entries.pop(self.spec, None)
        return entries

    def status(self, top: Path) -> list[str]:
        """List what git says about a checkout's files."""
        # Looking must not refresh the index.
        words = ("--no-optional-locks", "status", "--porcelain", "-z", "--ignored", "--untracked-files=all")
        ours = tuple(str(Path(self.below, ".chant", name)) + "/" for name in OURS)
        rows = git(top, *words).split("\0")
        return [row for row in rows if row[3:] != self.spec and not row[3:].startswith(ours)]

    def head(self, top: Path) -> str:
        """Tell what a checkout stands on; of the main branch only that it does."""
        name = git(top, "symbolic-ref", "-q", "HEAD", check=False).strip()
        return (
            name if name == f"refs/heads/{self.main}" else f"{name} {git(top, 'rev-parse', 'HEAD').strip()}"
        )

    def under_way(self, top: Path) -> dict[str, bytes]:
        """Read what git keeps of a rebase, a merge or a bisection."""
        git_dir = git_dir_of(top)
        kept = ("MERGE_", "BISECT_", "CHERRY_", "REVERT_", "REBASE_", "rebase-", "AUTO_MERGE", "sequencer")
        paths = [path for path in git_dir.rglob("*") if path.relative_to(git_dir).parts[0].startswith(kept)]
        return {str(path.relative_to(git_dir)): path.read_bytes() for path in paths if path.is_file()}

    def refs(self, top: Path) -> list[str]:
        """List all references but those that runs move."""
        moved = (f"refs/heads/{self.main}", "refs/heads/chant/", "refs/chant/")
        rows = git(top, "for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        return [row for row in rows if not row.startswith(moved)]

    def others(self) -> dict[str, bytes]:
        """Read all specs but the one that is worked on."""
        return {path.name: path.read_bytes() for path in self.project.specs.glob("*.md") if path.stem != ID}

    def check_sound(self) -> None:
        """Check the repository, and that nothing of a run is left but what is reported of it."""
        said = self.git("fsck", "--strict", "--no-progress", "--no-dangling")
        assert said.strip() in ("", "notice: No default references")

        # A runner whose run is reported to have ended may still be writing its last words, whoever recovers a
        # run holds its lock for an instant longer than the record says, and what a failing disk kept a dead
        # process from removing goes when the project is opened the next time.
        def unfinished() -> list[Path]:
            self.chant()
            locks = self.common_dir.rglob("*.lock")
            held = [path for path in locks if path.name not in ("merge.lock", "start.lock")]
            return [*held, *self.project.root.rglob("*.tmp")]

        wait_for(lambda: not unfinished(), lambda: f"locks and temporary files to go: {unfinished()}")

    @property
    def common_dir(self) -> Path:
        """The repository's own folder."""
        git_dir = git_dir_of(self.top)
        named = git_dir / "commondir"
        return (git_dir / named.read_text("utf-8").strip()).resolve() if named.exists() else git_dir

    def worktrees(self) -> list[str]:
        """List the worktrees of runs, each by its folder's name."""
        entries = self.chant().worktrees().data["worktrees"]
        return [Path(entry["path"]).name for entry in entries]


def git_dir_of(top: Path) -> Path:
    """Find where the index and HEAD of a checkout lie, without asking git: tests ask this often."""
    path = top / ".git"
    if path.is_dir():
        return path
    named = path.read_text("utf-8").removeprefix("gitdir: ").rstrip("\n")
    return (top / named).resolve()


def made(
    folder: Path,
    *,
    below: str = "",
    main: str = "main",
    target: str = TARGET,
    config: str = "",
    ignored: str = "",
    words: Sequence[str] = (),
    spec: Callable[[bytes], bytes] = lambda text: text,
    is_tracked: bool = True,
    name: str = "checkout",
) -> Checkout:
    """Make a repository whose one commit holds a project with two specs, a target and a file to keep.

    Args:
        folder: Where to make it.
        below: The project's place in it.
        main: The name of its branch.
        target: The file that the work changes.
        config: Lines of the configuration.
        ignored: Lines of its ignore file.
        words: More words for `git init`.
        spec: What is done to the spec's bytes before they are written.
        is_tracked: Whether the spec is committed.
        name: The folder of the checkout.
    """
    checkout = Checkout(folder / name, below=below, main=main, target=target, is_tracked=is_tracked)
    root = checkout.project.root
    root.mkdir(parents=True)
    planned = ignore_file(root)
    assert planned.after
    checkout.write(checkout.inside(planned.name), planned.after + b"demo-go/\n")
    checkout.project.specs.mkdir()
    # One of its old name is found without being named.
    named = "  main_branch: main\n" if main == "main" else ""
    checkout.project.config(f"defaults:\n  provider: demo\n{named}{config}")
    checkout.project.spec(OTHER, body="# Another one", status="blocked")
    checkout.write(checkout.inside(TARGET), "one\ntwo\nthree\n")
    checkout.write("kept.txt", "kept\n")
    checkout.write("more/kept.txt", "kept, too\n")
    checkout.write(".gitignore", f"build/\n{ignored}")
    path = checkout.project.spec(
        ID, body=BODY, labels="[auth]", target_files=[f"{target!r}" if "[" in target else target]
    )
    path.write_bytes(spec(path.read_bytes()))
    git(checkout.top, "init", "-q", "-b", main, *words)
    git(root, "add", "-A", ":/")
    if not is_tracked:
        git(root, "rm", "-q", "-f", "--cached", "--ignore-unmatch", f".chant/specs/{ID}.md")
    git(root, "commit", "-qm", "Begin")
    return checkout
