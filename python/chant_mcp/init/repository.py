"""The git repository around a folder, asked through git itself."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from chant_mcp.errors import GitError, RefusedError

_KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_CEILING_DIRECTORIES")
"""Variables of git's that say nothing about which repository is meant."""

_QUIET = {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1"}
"""Variables that keep git from asking, locking and fetching."""


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository that a folder lies in."""

    folder: Path
    environment: Mapping[str, str]
    wanted_by: str
    """The flag that needs it, for error texts."""

    @property
    def exists(self) -> bool:
        """Whether the folder is in a checkout that git opens."""
        try:
            return _text(self.run("rev-parse", "--is-inside-work-tree")) == "true"
        except GitError:
            return False

    def shared(self, name: str) -> tuple[Path, str]:
        """Find a file of git's that all worktrees share, such as `info/exclude`.

        Returns:
            The repository's common folder, and the file's name inside it.

        Raises:
            GitError, RefusedError: As `ask`.
        """
        common = (self.folder / self.ask("rev-parse", "--git-common-dir")).resolve()
        file = (self.folder / self.ask("rev-parse", "--git-path", name)).resolve()
        return common, file.relative_to(common).as_posix()

    def tracks(self, name: str) -> bool:
        """Return whether git tracks a file of the folder, and others get what is written there.

        Raises:
            GitError: When git cannot be run.
        """
        return self.run("ls-files", "--error-unmatch", "--", name).returncode == 0

    def ignores(self, name: str) -> bool:
        """Return whether git leaves out a file of the folder that it does not track.

        Raises:
            GitError: When git cannot be run.
        """
        return self.run("check-ignore", "--quiet", "--", name).returncode == 0

    def ask(self, *words: str) -> str:
        """Run git and give what it prints, without the last line break.

        Raises:
            GitError: When git cannot be run.
            RefusedError: When git does not succeed, mostly as there is no repository.
        """
        done = self.run(*words)
        if done.returncode:
            why = done.stderr.decode(errors="replace").strip()
            raise RefusedError(f"{self.wanted_by} needs a git repository: {why}")
        return _text(done)

    def setting(self, name: str) -> str | None:
        """Read a setting from git's configuration, wherever it is said; none when nowhere.

        Raises:
            GitError: When git cannot be run.
        """
        done = self.run("config", "--get", name)
        return None if done.returncode else _text(done)

    def local_setting(self, name: str) -> str | None:
        """Read a setting from the repository's own configuration; none when it is not said there.

        Raises:
            GitError: When git cannot be run.
        """
        done = self.run("config", "--local", "--get", name)
        return None if done.returncode else _text(done)

    def run(self, *words: str) -> subprocess.CompletedProcess[bytes]:
        """Run git to its end, however that is.

        Raises:
            GitError: When git cannot be run.
        """
        kept = {
            name: value
            for name, value in self.environment.items()
            if not name.startswith("GIT_") or name in _KEPT
        }
        try:
            return subprocess.run(
                # A repository of somebody else's may name a program as its monitor, or as a way to a remote.
                ["git", "--no-pager", "-c", "core.fsmonitor=false", *words],
                cwd=self.folder,
                env={**kept, **_QUIET},
                capture_output=True,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except OSError as error:
            raise GitError(f"git cannot be run: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class Setting:
    """What a repository's own configuration shall say."""

    repository: Repository
    name: str
    value: str

    def write(self) -> None:
        """Write it.

        Raises:
            GitError: When git cannot be run, or refuses.
        """
        done = self.repository.run("config", "--local", self.name, self.value)
        if done.returncode:
            why = done.stderr.decode(errors="replace").strip()
            raise GitError(f"`{self.name}` cannot be written into the repository's configuration: {why}")

    def take_back(self, before: str | None) -> bool:
        """Set what stood there before, or nothing, where it still says what was written.

        Raises:
            GitError: When git cannot be run, or refuses.
        """
        if self.repository.local_setting(self.name) != self.value:
            return False
        if before is not None:
            Setting(self.repository, self.name, before).write()
        else:
            self.repository.run("config", "--local", "--unset", self.name)
        return True


def _text(done: subprocess.CompletedProcess[bytes]) -> str:
    return done.stdout.decode(errors="surrogateescape").rstrip("\r\n")
