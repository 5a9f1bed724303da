"""Builds the sample project: files as people and agents left them, and the commits that go with them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from datetime import date
from pathlib import Path

from chant_mcp.demo.specs import ARCHIVED, SPECS, UNREADABLE, UNREADABLE_TEXT, Sample
from chant_mcp.errors import GitError
from chant_mcp.init.console_script import Programs
from chant_mcp.init.plan import Machine, Wishes, plan

_OWN_SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

_PERSON = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
}


class SampleProject:
    """The sample project in a folder of its own."""

    def __init__(self, root: Path, environment: Mapping[str, str]) -> None:
        """Take an existing folder; nothing is written yet.

        Args:
            root: The project's folder.
            environment: For git and agents; variables of git and of ours are left out of it.
        """
        self.root = root
        kept = {name: value for name, value in environment.items() if not name.startswith(("CHANT_", "GIT_"))}
        self.environment = {**kept, **_OWN_SETTINGS}
        """For programs that work on it: nothing leads them astray."""

    def build(self, interpreter: str) -> None:
        """Write the files and commits.

        Raises:
            GitError: When git cannot be run.
        """
        self.git(ARCHIVED.id, "init", "-q", "-b", "main")
        # Agents commit as the repository says.
        self.git(ARCHIVED.id, "config", "user.name", _PERSON["GIT_AUTHOR_NAME"])
        self.git(ARCHIVED.id, "config", "user.email", _PERSON["GIT_AUTHOR_EMAIL"])
        machine = Machine(interpreter, Programs((), frozenset()), self.environment, _day(ARCHIVED.id))
        wishes = Wishes(name="ferry", provider="demo", clients=("claude",), merge_driver=False)
        # Without a state folder no record is kept: a sample is removed as a whole.
        plan(self.root, wishes, machine).carry_out({})
        self._write(".chant/archive/2026-01-12", ARCHIVED, self._worked(ARCHIVED))
        for sample in SPECS:
            self._write(
                ".chant/specs", sample, self._worked(sample) if sample.status == "completed" else None
            )
        (self.root / f".chant/specs/{UNREADABLE}.md").write_text(UNREADABLE_TEXT, encoding="utf-8")
        log = "# Agent Log: 2026-02-05-001-s6e\n# Started: 2026-02-10T08:00:00Z\n\nReading ferry/feed.py\n"
        (self.root / ".chant/logs/2026-02-05-001-s6e.log").write_text(log, encoding="utf-8")
        self.git("2026-02-10", "add", "-A")
        self.git("2026-02-10", "commit", "-qm", "Plan the week")

    def _worked(self, sample: Sample) -> str:
        """Commit work on a spec and give the commit's short hash."""
        for name in sample.files:
            file = self.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as text:
                text.write(f"# {sample.title}\n")
            self.git(sample.id, "add", name)
        self.git(sample.id, "commit", "-qm", f"chant({sample.id}): {sample.title}")
        return self.git(sample.id, "rev-parse", "--short", "HEAD").strip()

    def history(self) -> str:
        """Give the commits of the main branch as a graph, without those that only begin work."""
        words = ("--graph", "--format=%h %s", "--invert-grep", "--grep=^Chant-Bookkeeping: true")
        return self.git("2026-02-11", "log", *words, "main")

    def _write(self, folder: str, sample: Sample, commit: str | None) -> None:
        path = self.root / folder / f"{sample.id}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(sample, commit), encoding="utf-8")

    def git(self, day: str, *words: str, given: str = "") -> str:
        """Run git in the project, dated at ten o'clock of the day that a text begins with.

        Args:
            day: The text.
            words: The arguments.
            given: The standard input.

        Raises:
            GitError: When it cannot be run or fails.
        """
        moment = f"{day[:10]}T10:00:00Z"
        environment = {**self.environment, **_PERSON, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment}
        try:
            done = subprocess.run(
                ["git", *words],
                cwd=self.root,
                env=environment,
                input=given.encode(),
                capture_output=True,
                check=True,
            )
        except OSError as error:
            raise GitError(f"git cannot be run: {error.strerror}") from error
        except subprocess.CalledProcessError as error:
            raise GitError(
                f"git {words[0]} failed: {error.stderr.decode(errors='replace').strip()}"
            ) from error
        return done.stdout.decode()


def _day(id: str) -> date:
    return date.fromisoformat(id[:10])


def _text(sample: Sample, commit: str | None) -> str:
    front = f"type: {sample.type}\nstatus: {sample.status}\n"
    for key, values in (
        ("depends_on", sample.depends_on),
        ("labels", sample.labels),
        ("target_files", sample.files),
        ("commits", (commit,) if commit else ()),
    ):
        if values:
            # A hash of digits alone would be a number without the quotes.
            front += f"{key}:\n" + "".join(f"- '{v}'\n" if key == "commits" else f"- {v}\n" for v in values)
    if sample.status == "completed" and "completed_at" not in sample.further:
        front += f"completed_at: {sample.id[:10]}T16:00:00Z\n"
    body = f"# {sample.title}\n\n{sample.text}\n"
    if sample.criteria:
        body += "\n## Acceptance Criteria\n\n" + "".join(_criterion(sample, text) for text in sample.criteria)
    return f"---\n{front}{sample.further}---\n\n{body}"


def _criterion(sample: Sample, text: str) -> str:
    is_ticked = sample.status == "completed" or text.startswith("x ")
    return f"- [{'x' if is_ticked else ' '}] {text.removeprefix('x ')}\n"
