"""A project in git, a worktree of it as a run makes one, and the demo agent at work there."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from harness import Project

ID = "2026-01-22-001-x7m"
OTHER = "2026-01-22-002-k3f"
PATIENCE = 60.0

BODY = """\
# Log in

## Acceptance Criteria

- [ ] Works
- [ ] Tested

## Notes

- [ ] not a criterion"""

TICKED = BODY.replace("[ ]", "[x]", 2)


class Workplace:
    """The user's checkout with two specs and a file `ferry.txt`, and a worktree on a branch of its own."""

    def __init__(self, folder: Path, below: str = "") -> None:
        """Take a folder to build in, and the project's place in the checkout."""
        self.checkout = folder / "checkout"
        self.project = Project(self.checkout / below)
        self.tree = folder / "tree"
        self.root = self.tree / below
        self.project.spec(ID, body=BODY, status="in_progress", target_files=["ferry.txt"])
        self.project.spec(OTHER)
        (self.project.root / "ferry.txt").write_bytes(b"one\ntwo\n")

    def spec(self, *behaviours: str, targets: Iterable[str] = ("ferry.txt",), body: str = BODY) -> Workplace:
        """Write the spec again: a label for each behaviour, and its target files."""
        labels = ["auth", *(f"demo:{behaviour}" for behaviour in behaviours)]
        self.project.spec(ID, body=body, status="in_progress", labels=labels, target_files=list(targets))
        return self

    def branched(self) -> Workplace:
        """Commit everything, and make the worktree."""
        Project(self.checkout).repository()
        git(self.checkout, "worktree", "add", "-q", "-b", f"chant/{ID}", str(self.tree))
        return self

    @property
    def spec_file(self) -> Path:
        """The copy of the spec that the agent works on."""
        return Project(self.root).path(ID)

    def text(self) -> str:
        """Read that copy, line ends as they are."""
        return self.spec_file.read_bytes().decode()

    def read(self, name: str = "ferry.txt") -> str:
        """Read a file of the worktree, line ends as they are."""
        return (self.root / name).read_bytes().decode()

    def start(self, folder: Path | None = None, /, **environment: str) -> subprocess.Popen[bytes]:
        """Start the agent as a run does. No one writes to its standard input, and no one closes it."""
        ours = {
            "CHANT_SPEC_ID": ID,
            "CHANT_SPEC_FILE": str(self.spec_file),
            "CHANT_PROJECT": str(self.project.root),
            "CHANT_WORKTREE": str(self.tree),
            "CHANT_BRANCH": f"chant/{ID}",
        }
        # Python has to hold back what it writes into a pipe, as it usually does.
        given = {**os.environ, **ours, "PYTHONUNBUFFERED": "", **environment}
        return subprocess.Popen(
            [sys.executable, "-m", "chant_mcp", "demo-agent"],
            cwd=folder or self.root,
            env={name: value for name, value in given.items() if value},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, folder: Path | None = None, /, code: int = 0, **environment: str) -> tuple[str, str]:
        """Run the agent, which ends with an exit code, and give what it writes to both outputs."""
        with self.start(folder, **environment) as agent:
            # `communicate` closes the input; a copy keeps it from ending.
            assert agent.stdin
            held = os.dup(agent.stdin.fileno())
            try:
                out, err = agent.communicate(timeout=PATIENCE)
            finally:
                agent.kill()
                os.close(held)
        assert agent.returncode == code, err.decode()
        return out.decode(errors="replace"), err.decode()

    def works(self, folder: Path | None = None, /, **environment: str) -> list[str]:
        """Run the agent, which succeeds without complaints, and give the lines it says."""
        out, err = self.run(folder, 0, **environment)
        assert err == ""
        assert out.endswith("\n")
        return out.splitlines()

    def refused(self, code: int = 2, /, **environment: str) -> str:
        """Run the agent, which says why it does nothing, and give what it says."""
        out, err = self.run(None, code, **environment)
        assert (out, self.commits(), self.changes()) == ("", [], [])
        assert "Traceback" not in err
        return err

    def commits(self) -> list[str]:
        """Give the messages of the branch's commits that the user's checkout has not, newest first."""
        return git(self.tree, "log", "--format=%s", f"main..chant/{ID}").splitlines()

    def committed(self) -> list[str]:
        """Give what the branch changes: for each file a letter and its name."""
        named = git(self.tree, "diff", "--name-status", "--no-renames", f"main...chant/{ID}")
        return [line.replace("\t", " ") for line in named.splitlines()]

    def tip(self, name: str) -> str:
        """Read a file as the branch has it."""
        return git(self.tree, "show", f"chant/{ID}:{name}")

    def changes(self) -> list[str]:
        """Give what is not committed in the worktree."""
        return git(self.tree, "status", "--porcelain", "--untracked-files=all").splitlines()


def git(folder: Path, *words: str) -> str:
    """Run git in a folder."""
    done = subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, encoding="utf-8")
    return done.stdout
