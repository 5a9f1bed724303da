"""The merge driver: where both sides changed a spec, git has it merged by what it means.

Two things make it work: an attribute of the files, which the team shares, and the command behind the
attribute's name, which stands in the configuration of each clone.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chant_mcp.errors import InvalidDocumentError
from chant_mcp.init import files
from chant_mcp.init.repository import Repository, Setting
from chant_mcp.program import own_program

_NAME = "chant-spec"
_TITLE = "chant specs, merged by what they mean"

_FILES = {".chant/specs/*.md": ".chant/specs/x.md", ".chant/archive/**/*.md": ".chant/archive/day/x.md"}
"""Which files are merged, and for each pattern a name that it covers."""

# Git takes most exit codes for a conflict whose markers are in the file. Where the program could not
# run, or is gone with its environment, ours would stand there unmarked, and committing it would drop
# theirs: so git's own merge steps in.
_DRIVER = (
    "{program} merge-driver --ours %X --theirs %Y --marker-size %L -- %O %A %B %P; "
    "code=$?; [ $code -le 1 ] && exit $code; "
    "echo 'chant-mcp did not run, so git merges line by line:' %P >&2; "
    "echo 'chant-mcp init --merge-driver sets it up again.' >&2; "
    "git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1"
)


def command(interpreter: str, script: Path | None) -> str:
    """Write the driver's command line, for the shell in which git runs it.

    Args:
        interpreter: The Python that runs this.
        script: The console script of this installation, if it has one.
    """
    # Git runs it at the top of a checkout: a script's first place of modules is its own folder.
    words = [str(script)] if script else own_program(interpreter)
    return _DRIVER.format(program=shlex.join(words).replace("%", "%%"))


@dataclass(frozen=True, slots=True)
class Found:
    """How git merges specs so far."""

    attributes: dict[str, str]
    """What git says of the attribute `merge`, by the pattern of the files."""
    driver: str | None
    """The command behind our name."""

    @property
    def is_foreign(self) -> bool:
        """Whether another program has the driver's name."""
        ours = r"chant[-_]mcp\b.* merge-driver "
        return self.driver is not None and not re.search(ours, self.driver)

    @property
    def missing(self) -> list[str]:
        """The patterns for which no one said how they are merged."""
        return [pattern for pattern, value in self.attributes.items() if value == "unspecified"]

    @property
    def is_unregistered(self) -> bool:
        """Whether the driver is asked for and git does not know it, as in a fresh clone."""
        return self.driver is None and _NAME in self.attributes.values()

    @property
    def can_be_added(self) -> bool:
        """Whether there is something left to set up."""
        return not self.is_foreign and (bool(self.missing) or self.is_unregistered)


def look(repository: Repository) -> Found:
    """See how git merges specs so far.

    Raises:
        GitError, RefusedError: As `Repository.ask`.
    """
    answer = repository.ask("check-attr", "-z", "merge", "--", *_FILES.values())
    values = answer.removesuffix("\0").split("\0")[2::3]
    attributes = dict(zip(_FILES, values, strict=True))
    return Found(attributes, repository.setting(f"merge.{_NAME}.driver"))


@dataclass(slots=True)
class Installation:
    """What is to be done for the driver."""

    changes: list[tuple[Path, files.FileChange]] = field(default_factory=list[tuple[Path, files.FileChange]])
    """Each with the folder that its name is relative to and that it may not leave."""
    settings: list[Setting] = field(default_factory=list[Setting])
    kept: list[str] = field(default_factory=list[str])
    """What stays although ours would say something else, and what to do about it."""


def installation(repository: Repository, driver: str, *, is_wanted: bool, is_silent: bool) -> Installation:
    """Plan the driver.

    Args:
        repository: The repository around the project's root.
        driver: The command line.
        is_wanted: Whether the attribute is given to specs that have none; else the command is
            registered where the attribute asks for it, as in a fresh clone.
        is_silent: Whether the attribute is for this clone alone.

    Raises:
        GitError, RefusedError: As `Repository.ask`.
        InvalidDocumentError: When the file of attributes is no text.
    """
    planned = Installation()
    found = look(repository)
    if not is_wanted and not found.is_unregistered:
        return planned
    if found.is_foreign:
        planned.kept.append(
            f"merge.{_NAME}.driver in git's configuration, which is another program: {found.driver}\n"
            "       To use ours, take it out there and run `init --merge-driver`"
        )
        return planned
    if is_wanted:
        planned.kept += [
            f"what git's attributes say of {pattern}: merge is {value}\n"
            f"       To use ours, write `{pattern} merge={_NAME}` behind it"
            for pattern, value in found.attributes.items()
            if value not in (_NAME, "unspecified")
        ]
        if found.missing:
            planned.changes.append(_attributes(repository, found.missing, is_silent))
    if len(planned.kept) == len(_FILES):
        return planned
    wanted = {f"merge.{_NAME}.name": _TITLE, f"merge.{_NAME}.driver": driver}
    planned.settings += [
        Setting(repository, name, value)
        for name, value in wanted.items()
        if repository.setting(name) != value
    ]
    return planned


def _attributes(
    repository: Repository, patterns: Sequence[str], is_silent: bool
) -> tuple[Path, files.FileChange]:
    if is_silent:
        folder, name = repository.shared("info/attributes")
        # Its patterns start at the top of the checkout, wherever the project is below it.
        lead = "**/" if repository.ask("rev-parse", "--show-prefix") else ""
    else:
        folder, name, lead = repository.folder, ".gitattributes", ""
    before = files.read(folder, name)
    if before is not None and b"\0" in before:
        raise InvalidDocumentError(
            f"`{name}` is not text that git can read. Nothing was changed.\n"
            "Save it as UTF-8, or omit the merge driver with --no-merge-driver."
        )
    lines = [f"{lead}{pattern} merge={_NAME}" for pattern in patterns]
    return folder, files.FileChange(name, before, _with_lines(before or b"", lines))


def _with_lines(before: bytes, lines: Sequence[str]) -> bytes:
    """Add lines at the end, with the line ends that are there, and a last one only if there is one."""
    line_end = b"\r\n" if before.count(b"\r\n") * 2 > before.count(b"\n") else b"\n"
    added = line_end.join(line.encode() for line in lines)
    if not before or before.endswith(b"\n"):
        return before + added + line_end
    return before + line_end + added
