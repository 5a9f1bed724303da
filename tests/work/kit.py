"""What the tests of runs share: a project that agents work on, and a look at everything they leave."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chant_mcp import resources
from chant_mcp._core import ChantProject
from chant_mcp.init.layout import ignore_file
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer
from harness import Caller, Project, started_process, user_config
from mcp import Client
from state_folder import part, record_file
from writing import Wire, git, tree

ID = "2026-01-22-001-x7m"
OTHER = "2026-01-22-002-k3f"
THIRD = "2026-01-22-003-b2q"
FOURTH = "2026-01-22-004-c9d"
FIFTH = "2026-01-22-005-n5t"

PATIENCE = 90.0
"""Seconds after which a test gives up on what should have happened."""

PROGRAM = [sys.executable, "-m", "chant_mcp"]

Record = dict[str, Any]


class Workshop:
    """A project in git whose specs the demo agent works on, and a look at all that runs of it leave.

    Specs are written with `spec`; `commit` makes the repository, or adds to it.
    """

    def __init__(self, project: Project) -> None:
        """Take an empty project."""
        self.project = project
        self.root = project.root
        ignored = ignore_file(self.root)
        assert ignored.after
        (self.root / ignored.name).write_bytes(ignored.after)
        (self.root / "ferry.txt").write_text("one\ntwo\n", encoding="utf-8")
        self.configure()

    def configure(self, yaml: str = "", *, provider: str = "demo") -> None:
        """Write the configuration: the provider, and what stands beside the defaults.

        Starts of work in parallel follow each other without a pause, unless `yaml` says otherwise.
        """
        hurry = "" if "parallel:" in yaml else "parallel:\n  stagger_delay_ms: 0\n  stagger_jitter_ms: 0\n"
        self.project.config(f"defaults:\n  provider: {provider}\n  main_branch: main\n{yaml}{hurry}")

    def spec(
        self,
        id: str,
        *behaviours: str,
        criteria: Iterable[str] = ("Works", "Tested"),
        targets: Iterable[str] | None = None,
        body: str | None = None,
        **keys: object,
    ) -> Path:
        """Write a spec that the demo agent works on in certain ways; it has a file of its own to change.

        `body` replaces everything below the front matter.
        """
        items = "".join(f"- [ ] {text}\n" for text in criteria)
        text = f"# Spec {id}\n\n## Acceptance Criteria\n\n{items}" if body is None else body
        labels = [f"demo:{behaviour}" for behaviour in behaviours]
        files = [f"work/{id}.txt"] if targets is None else list(targets)
        given = {"labels": labels or None, "target_files": files or None, **keys}
        return self.project.spec(id, body=text.rstrip("\n"), **given)

    def commit(self, message: str = "Specs") -> str:
        """Commit everything, in a new repository where there is none, and give the commit."""
        if not (self.root / ".git").exists():
            git(self.root, "init", "-q", "-b", "main")
            # The demo agent's signs are no files of the project.
            (self.root / ".git" / "info" / "exclude").write_text("/.chant/demo-go/\n", encoding="utf-8")
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", message)
        return git(self.root, "rev-parse", "HEAD").strip()

    # Who asks

    def server(self, start: Path | None = None, **offer: Any) -> ChantServer:
        """Make a server in this process, started in a folder, that can start runs."""
        place = Place(self.root, (start or self.root,), start=start)
        session = Session(place, environment=dict(os.environ), user_config=user_config(), program=PROGRAM)
        return ChantServer(session, Offer(**{"toolsets": ["auto"], **offer}))

    @asynccontextmanager
    async def client(self, **kwargs: Any) -> AsyncIterator[Caller]:
        """Connect a client to a server in this process."""
        async with Client(self.server(), mode="2026-07-28", **kwargs) as client:
            yield Caller(client, self.project)

    def handle(self, **variables: str) -> ChantProject:
        """Open the project as Python programs do, with some more variables in the environment."""
        return ChantProject(
            self.root,
            user_config=user_config(),
            environment={**os.environ, **variables},
            program=PROGRAM,
            prompts=Path(resources.__file__).parent / "prompts",
        )

    def started_before(self, id: str) -> Record:
        """Have a server that is gone by now start a run, and give its record."""
        server = started_process([*PROGRAM, "mcp"], self.root)
        try:
            started = json.loads(Wire(server).text("chant_work_start", id=id))
        finally:
            server.kill()
            server.communicate()
        return self.named(started["process_id"])

    # What runs leave

    def records(self) -> list[Record]:
        """Read all records, the oldest first."""
        found: list[Record] = []
        for path in part(self.root, "processes").glob("*.json"):
            # One that is being replaced is there under its old name or its new one.
            with suppress(FileNotFoundError):
                found.append(json.loads(path.read_text(encoding="utf-8")))
        return sorted(found, key=lambda record: (record["started_at"], record["token"]))

    def record(self, id: str) -> Record:
        """Read the record of the newest run that worked on a spec itself."""
        own = [record for record in self.records() if record["spec_id"] == id and record["mode"] == "single"]
        assert own, f"no run works on {id}"
        return max(own, key=lambda record: record["token"])

    def named(self, process_id: str) -> Record:
        """Read one record."""
        path = record_file(self.root, process_id)
        return json.loads(path.read_text(encoding="utf-8"))

    def ended(self, run: str) -> Record:
        """Wait until a run, named by itself or by its spec, has ended, and its runner is gone."""
        find = self.named if record_file(self.root, run).exists() else self.record
        wait_for(lambda: find(run)["status"] != "running", lambda: f"the end of {find(run)}")
        record = find(run)
        wait_for(lambda: not lives(record["pid"]), "the end of the runner")
        return record

    def log(self, id: str) -> str:
        """Read a spec's log; nothing while there is none."""
        path = self.root / ".chant" / "logs" / f"{id}.log"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def said(self, id: str, words: str) -> None:
        """Wait until the log of a spec holds certain words."""
        wait_for(lambda: words in self.log(id), lambda: f"`{words}` in {self.log(id)!r}")

    def go(self, *ids: str) -> None:
        """Let agents go on that wait, once and for all."""
        for id in ids:
            sign = self.root / ".chant" / "demo-go" / id
            sign.parent.mkdir(exist_ok=True)
            sign.touch()

    def branches(self) -> list[str]:
        """Name the branches that carry work."""
        return git(self.root, "branch", "--format=%(refname:short)", "--list", "chant/*").split()

    def worktrees(self) -> list[Path]:
        """Find the folders that runs work in: each has a repository of its own, and a mark beside it."""
        found = sorted(worktree_root().glob("*/*/.git"))
        return [git.parent for git in found if Path(f"{git.parent}.run.json").exists()]

    def main(self, name: str) -> str | None:
        """Read a file as the main branch has it; none when it has none."""
        listed = git(self.root, "ls-tree", "--name-only", "main", "--", name)
        return git(self.root, "show", f"main:{name}") if listed else None

    def committed(self, revisions: str) -> list[str]:
        """Give the subjects of commits, newest first."""
        return git(self.root, "log", "--format=%s", revisions).splitlines()

    @contextmanager
    def nothing_begins(self) -> Iterator[None]:
        """Check that no run leaves a trace: no file, record, branch, worktree or process."""

        def state() -> dict[str, object]:
            local = (".chant/.locks/", ".chant/.store/")
            is_git = (self.root / ".git").exists()
            refs = git(self.root, "for-each-ref") if is_git else ""
            trees = git(self.root, "worktree", "list") if is_git else ""
            files = {name: data for name, data in tree(self.root).items() if not name.startswith(local)}
            beside = sorted(tree(worktree_root())) if worktree_root().exists() else []
            return {"files": files, "refs": refs, "worktrees": trees, "beside": beside}

        before = state()
        yield
        after = state()
        assert after == before
        wait_for(lambda: not processes(), lambda: f"the end of {processes()}")


@dataclass(frozen=True)
class Process:
    """A process that a test brought about."""

    pid: int
    command: str


def processes(home: Path | None = None) -> list[Process]:
    """Find the processes that this test brought about: they know its home folder, or another one."""
    mark = f"HOME={home or os.environ['HOME']}".encode()
    found: list[Process] = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        with suppress(OSError):
            if mark in (folder / "environ").read_bytes().split(b"\0"):
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                found.append(Process(int(folder.name), command.strip()))
    return found


def lives(pid: int) -> bool:
    """Return whether a process runs; one that no one has noticed the end of does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False
    state, *facts = stat.rsplit(")", 1)[1].split()
    # Its locks go with the last of its threads, which may be later than the first.
    return state not in "ZX" or int(facts[16]) > 1


def wait_for_ends(records: Callable[[], list[Record]]) -> None:
    """Wait until no process of the test is left, and no runner of its records.

    One in its last instant has given its environment back, but not its locks: for the product it is alive.
    """
    wait_for(lambda: not processes(), lambda: f"the end of {processes()}")
    wait_for(lambda: not any(lives(record["pid"]) for record in records()), "the last instant of a runner")


def worktree_root() -> Path:
    """Name the folder that holds the worktrees of all projects."""
    return Path(os.environ["XDG_STATE_HOME"]) / "chant-mcp" / "worktrees"


def wait_for(
    condition: Callable[[], object], what: str | Callable[[], str], patience: float = PATIENCE
) -> None:
    """Wait until something is so.

    Raises:
        AssertionError: When it is not so in that time.
    """
    until = time.monotonic() + patience
    while not condition():
        if time.monotonic() > until:
            raise AssertionError(f"waited in vain for {what if isinstance(what, str) else what()}")
        time.sleep(0.02)


def kill(*pids: int) -> None:
    """Kill processes as a crash would, and wait until they are gone."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for pid in pids:
        wait_for(lambda pid=pid: not lives(pid), f"the end of process {pid}")
