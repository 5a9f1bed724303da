"""What the demo agent was given to do, and what its work is made of: lines, ticks and commits."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from chant_mcp.demo.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_MARKER = re.compile(rb"^(?:<{7} .*|={7}|>{7} .*)\r?\n", re.MULTILINE)
"""A line between which git leaves the sides of a conflict."""


class Halt(Exception):
    """Why the agent goes no further."""

    def __init__(self, reason: str, code: int) -> None:
        """Take the sentence, and the exit code: 1 when something fails, 2 when it is asked wrongly."""
        super().__init__(reason)
        self.code = code


def say(text: str) -> None:
    """Print what is done, at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def line_added(content: bytes, line: bytes) -> bytes:
    """Add a line at the end of a file."""
    end = b"\r\n" if b"\r\n" in content else b"\n"
    glue = end if content and not content.endswith(b"\n") else b""
    return content + glue + line + end


def first_line_changed(content: bytes, line: bytes) -> bytes:
    """Put a line in the place of a file's first one."""
    return line + b"\n" + content.partition(b"\n")[2]


class DemoTask:
    """A spec to work on."""

    def __init__(
        self,
        id: str,
        spec: Path,
        document: Document,
        root: Path,
        targets: Sequence[Path],
        environment: Mapping[str, str],
    ) -> None:
        """Take what is to be done.

        Args:
            id: The spec.
            spec: The copy of it that is read and ticked.
            document: What that says.
            root: The project's root in the folder that is worked in.
            targets: The files to change.
            environment: What the run gives the agent.
        """
        self.id = id
        self.spec = spec
        self.document = document
        self.root = root
        self.targets = targets
        self.environment = environment

    @classmethod
    def given(cls, environment: Mapping[str, str], folder: Path) -> DemoTask:
        """Read what the environment names; the work is done in a folder and never outside of it.

        Raises:
            Halt: When something is missing, or a target file lies elsewhere.
        """
        id = _value(environment, "CHANT_SPEC_ID")
        spec = folder / _value(environment, "CHANT_SPEC_FILE")
        document = Document(_read(spec).decode("utf-8", "surrogateescape"))
        root = _root(spec, folder.resolve())
        names = document.values("target_files") or [f"demo/{id}.txt"]
        return cls(id, spec, document, root, [_target(root, name) for name in names], environment)

    @property
    def title(self) -> str:
        """What the spec is called."""
        return self.document.title or self.id

    @property
    def go_file(self) -> Path:
        """The file in the user's checkout that says that waiting is over."""
        return Path(_value(self.environment, "CHANT_PROJECT"), ".chant", "demo-go", self.id)

    def shown(self, path: Path) -> str:
        """Name a file as people know it."""
        return os.path.relpath(path, self.root)

    def edit(self, change: Callable[[bytes, bytes], bytes] = line_added) -> list[Path]:
        """Change every target file by a line, and give the files."""
        line = f"# {self.title} ({self.id})".encode("utf-8", "surrogateescape")
        for path in self.targets:
            self.change(path, line, change)
        return list(self.targets)

    def change(self, path: Path, line: bytes, change: Callable[[bytes, bytes], bytes] = line_added) -> None:
        """Change a file by a line, or create it."""
        _write(path, change(_read(path) if path.exists() else b"", line))
        say(f"Wrote a line into {self.shown(path)}")

    def tick(self, most: int | None = None) -> list[Path]:
        """Tick the criteria, or only so many of the open ones, and give the files to commit."""
        paths = self.rewrite(self.document.ticked(most))
        say("Ticked the criteria" if most is None else f"Ticked no more than {most} of the criteria")
        return paths

    def rewrite(self, document: Document) -> list[Path]:
        """Write the spec, and give the files to commit: none when git does not track it."""
        _write(self.spec, document.text.encode("utf-8", "surrogateescape"))
        return self._tracked([self.spec])

    def need_criterion(self) -> None:
        """Go on only with a criterion to change."""
        if not self.document.criteria:
            raise Halt(f"{self.shown(self.spec)} has no acceptance criterion. Add one.", 2)

    def other_specs(self) -> list[Path]:
        """Find the other specs that git tracks; there has to be one."""
        listed = self._ask("ls-files", "-z", "--", _literal(self.spec.parent)) or b""
        paths = [self.root / os.fsdecode(name) for name in listed.split(b"\0") if name.endswith(b".md")]
        others = [path for path in paths if path.resolve() != self.spec.resolve()]
        if not others:
            raise Halt(f"Git tracks no other spec in {self.shown(self.spec.parent)}. Commit one.", 2)
        return others

    def commit(self, paths: Sequence[Path], *options: str) -> None:
        """Commit files, if they differ from what is committed."""
        tracked = self._tracked(paths)
        # Git adds a file that it tracks in an ignored folder only when it is made to.
        for force, some in ([], [path for path in paths if path not in tracked]), (["-f"], tracked):
            if some:
                self.git("add", *force, "--", *map(_literal, some))
        is_same = not options and self._ask("diff", "--cached", "--quiet") is not None
        if is_same and self._ask("rev-parse", "-q", "--verify", "MERGE_HEAD") is None:
            say("Nothing to commit")
            return
        message = f"chant({self.id}): {self.title}"
        self.git(*self._author(), "commit", "-q", *options, "-m", message)
        say(f"Committed {message}")

    def merge(self, branch: str) -> list[Path]:
        """Merge a branch, keep what both sides say where they conflict, and give the files to commit."""
        strategy = ["-c", "merge.conflictStyle=merge", *self._author()]
        if self._ask(*strategy, "merge", "-q", "--no-ff", "--no-commit", branch) is not None:
            say(f"Merged {branch} without conflicts")
            return []
        listed = self._ask("diff", "--name-only", "--relative", "--diff-filter=U", "-z") or b""
        paths = [self.root / os.fsdecode(name) for name in listed.split(b"\0") if name]
        if not paths:
            raise Halt(f"{branch} cannot be merged", 1)
        for path in paths:
            _write(path, _MARKER.sub(b"", _read(path)))
            say(f"Kept both sides of {self.shown(path)}")
        return paths

    def remove(self, paths: Sequence[Path]) -> None:
        """Delete files, to be committed with the next commit."""
        self.git("rm", "-q", "--", *map(_literal, paths))
        say(f"Deleted {', '.join(map(self.shown, paths))}")

    def git(self, *words: str) -> None:
        """Have git change something; what it and hooks complain of is seen."""
        done = self._run(words, stdout=subprocess.DEVNULL)
        if done.returncode:
            raise Halt(f"git {' '.join(words)}\nended with exit code {done.returncode}.", 1)

    def _tracked(self, paths: Sequence[Path]) -> list[Path]:
        """Give those of the files that git tracks."""
        if not paths:
            return []
        listed = self._ask("ls-files", "-z", "--", *map(_literal, paths)) or b""
        known = {str(self.root / os.fsdecode(name)) for name in listed.split(b"\0") if name}
        return [path for path in paths if str(path.parent.resolve() / path.name) in known]

    def _ask(self, *words: str) -> bytes | None:
        """Give what git answers; nothing when it says no."""
        done = self._run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return None if done.returncode else done.stdout

    def _run(
        self, words: Sequence[str], stdout: int, stderr: int | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                ["git", *words],
                cwd=self.root,
                env=self.environment,
                # What git starts may read from standard input; the prompt is not for it.
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                check=False,
            )
        except OSError as error:
            raise Halt(f"git cannot be run: {error.strerror}", 1) from error

    def _author(self) -> list[str]:
        """Give the words that name an author to git where no one is configured."""
        roles = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
        if all(self.environment.get(role) for role in roles):
            return []
        # Without this git would make up a person from the machine's names; what EMAIL says is not made up.
        strict = () if self.environment.get("EMAIL") else ("-c", "user.useConfigOnly=true")
        if all(self._ask(*strict, "var", f"GIT_{role}_IDENT") for role in ("AUTHOR", "COMMITTER")):
            return []
        return ["-c", "user.name=Demo agent", "-c", "user.email=demo-agent@localhost"]


def _value(environment: Mapping[str, str], name: str) -> str:
    value = environment.get(name)
    if not value:
        raise Halt(f"{name} is not set. Start the demo agent by a run, which sets it.", 2)
    return value


def _root(spec: Path, folder: Path) -> Path:
    """Find the project of the spec if that is in the folder; else the folder itself."""
    projects = (path.parent for path in spec.resolve().parents if path.name == ".chant")
    return next((project for project in projects if project.is_relative_to(folder)), folder)


def _target(root: Path, name: str) -> Path:
    """Find the file that a name means, links followed."""
    path = Path(os.path.realpath(root / name))
    if not path.is_relative_to(root):
        raise Halt(f"The target file {name} leads out of the project. Name one inside it.", 2)
    if ".git" in map(str.lower, path.relative_to(root).parts):
        raise Halt(f"The target file {name} is git's own. Name one of the project.", 2)
    return path


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Halt(f"{path} cannot be read: {error.strerror}", 1) from error


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    except OSError as error:
        raise Halt(f"{path} cannot be written: {error.strerror}", 1) from error


def _literal(path: Path) -> str:
    """Word a path so that git takes no character in it for a pattern."""
    return f":(literal){path}"
