"""Which repository of a forge is meant: a remote of this clone that the user's own configuration names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from chant_mcp.errors import RefusedError
from chant_mcp.init.repository import Repository

SETTING = "chant.issues"
"""The setting of the user's own git configuration that names repositories, once for each."""

_PART = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}"
_NAME = re.compile(rf"(?:({_PART})/)?({_PART})/({_PART})")
_URL = re.compile(rf"(?:https://|ssh://)(?:[^/@\s]+@)?({_PART})(?::\d+)?/({_PART})/({_PART}?)(?:\.git)?/?")
_SHORT_URL = re.compile(rf"(?:[^/@\s]+@)?({_PART}):({_PART})/({_PART}?)(?:\.git)?/?")

_USUAL_HOST = "github.com"


@dataclass(frozen=True, slots=True)
class ForgeRepository:
    """A repository of a forge."""

    host: str
    owner: str
    name: str

    def __str__(self) -> str:
        return f"{self.host}/{self.owner}/{self.name}"

    @property
    def shown(self) -> str:
        """Its name as people write it."""
        return f"{self.owner}/{self.name}" if self.host == _USUAL_HOST else str(self)


def repository_named(text: str) -> ForgeRepository | None:
    """Read `OWNER/NAME` or `HOST/OWNER/NAME`; none where it is neither."""
    found = _NAME.fullmatch(text.strip())
    return ForgeRepository((found[1] or _USUAL_HOST).lower(), found[2], found[3]) if found else None


def find_repository(root: Path, environment: Mapping[str, str], wanted: str | None) -> ForgeRepository:
    """Find the repository whose issues are meant.

    A file of the project chooses none: it has to be a remote of this clone, and the user's own git
    configuration has to name it.

    Args:
        root: The project.
        environment: Variables for git.
        wanted: The one that was named, where there are several.

    Raises:
        RefusedError: Where there is none, or more than one.
        GitError: When git cannot be run.
    """
    repository = Repository(root, environment, wanted_by="issue")
    remotes = _remotes(repository)
    listed = repository.run("config", "--global", "--get-all", SETTING).stdout.decode(errors="replace")
    allowed = {found for line in listed.splitlines() if (found := repository_named(line)) is not None}
    if wanted is not None:
        named = repository_named(wanted)
        if named is None:
            raise RefusedError(f"`{wanted[:200]}` is no name of a repository: expected OWNER/NAME.")
        candidates = [named] if named in remotes else []
        if not candidates:
            raise RefusedError(f"{named.shown} is no remote of this clone: {_words(remotes)}.")
    else:
        candidates = [one for one in remotes if one in allowed] or remotes
    if not candidates:
        raise RefusedError(
            "No remote of this clone is a repository of a forge. `git remote -v` lists remotes."
        )
    if len(candidates) > 1:
        raise RefusedError(f"Several remotes are meant: {_words(candidates)}. Name one with --repository.")
    [found] = candidates
    if found not in allowed:
        raise RefusedError(
            f"Issues of {found.shown} are read and written only where you said so yourself:\n"
            f"  git config --global --add {SETTING} {found.shown}"
        )
    return found


def _remotes(repository: Repository) -> list[ForgeRepository]:
    listed = repository.run("config", "--get-regexp", r"^remote\..*\.url$").stdout.decode(errors="replace")
    found = [_of_url(line.partition(" ")[2]) for line in listed.splitlines()]
    return list(dict.fromkeys(one for one in found if one is not None))


def _of_url(url: str) -> ForgeRepository | None:
    found = _URL.fullmatch(url) or _SHORT_URL.fullmatch(url)
    return ForgeRepository(found[1].lower(), found[2], found[3]) if found else None


def _words(found: list[ForgeRepository]) -> str:
    return ", ".join(one.shown for one in found) or "there is none"
