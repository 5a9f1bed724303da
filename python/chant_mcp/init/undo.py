"""Taking back what `init` wrote: by a record in the user's own state, else by what the files say."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chant_mcp.errors import ChantError, StorageError
from chant_mcp.init import agents, files, hosts, json_text
from chant_mcp.init.repository import Repository, Setting
from chant_mcp.user_folders import state_home

_VERSION = 1


@dataclass(slots=True)
class _FileSteps:
    """What was written into a file, the first time first."""

    base: Path
    name: str
    steps: list[tuple[bytes | None, str]] = field(default_factory=list[tuple[bytes | None, str]])
    """What stood there before, and the hash of what was written."""


@dataclass(slots=True)
class InitRecord:
    """What `init` wrote for a project, as far as nothing of it was taken back."""

    root: Path
    files: list[_FileSteps] = field(default_factory=list[_FileSteps])
    folders: list[str] = field(default_factory=list[str])
    """Those it made, relative to the root."""
    settings: list[tuple[str, str, str | None]] = field(default_factory=list[tuple[str, str, str | None]])
    """Name and value of each setting of git, and what it was before."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was written, as far as is known."""
        return not (self.files or self.folders or self.settings)

    def add_file(self, base: Path, change: files.FileChange) -> None:
        """Keep what a change replaces."""
        steps = next((one for one in self.files if (one.base, one.name) == (base, change.name)), None)
        if steps is None:
            steps = _FileSteps(base, change.name)
            self.files.append(steps)
        steps.steps.append((change.before, _hash(change.after)))

    def add_missing_folders(self, name: str) -> None:
        """Keep which folders above a name, itself included, are not there yet."""
        parts = name.split("/")
        above = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
        self.folders += [
            one for one in above if one not in self.folders and not files.place(self.root, one).exists()
        ]

    def write(self, path: Path) -> None:
        """Write the record, for its owner alone.

        Raises:
            StorageError: When it cannot be written.
        """
        document = {
            "version": _VERSION,
            "root": str(self.root),
            "files": [
                {
                    "base": str(one.base),
                    "name": one.name,
                    "steps": [{"before": _encoded(before), "after": after} for before, after in one.steps],
                }
                for one in self.files
            ],
            "folders": self.folders,
            "settings": [
                {"name": name, "value": value, "before": before} for name, value, before in self.settings
            ],
        }
        try:
            for each in (path.parent.parent, path.parent):
                each.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"Cannot make `{path.parent}`: {error.strerror}") from error
        content = json.dumps(document, indent=1).encode()
        files.write(path.parent, files.FileChange(path.name, None, content, 0o600))


def record_path(root: Path, environment: Mapping[str, str]) -> Path | None:
    """Say where the record of a project lies; none where no one says where the user's state is."""
    state = state_home(environment)
    named = hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:32]
    return None if state is None else Path(state, "chant-mcp", "init", f"{named}.json")


def read_record(root: Path, path: Path | None) -> InitRecord:
    """Read the record of a project; an empty one where there is none, or none that can be read."""
    record = InitRecord(root)
    if path is None:
        return record
    try:
        document: dict[str, Any] = json.loads(path.read_bytes())
        if document["version"] != _VERSION:
            return record
        record.files = [
            _FileSteps(
                Path(one["base"]),
                one["name"],
                [(_decoded(step["before"]), step["after"]) for step in one["steps"]],
            )
            for one in document["files"]
        ]
        record.folders = list(document["folders"])
        record.settings = [(one["name"], one["value"], one["before"]) for one in document["settings"]]
    except (OSError, ValueError, KeyError, TypeError):
        return InitRecord(root)
    return record


@dataclass(slots=True)
class Undone:
    """What was taken back."""

    said: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """A verb and what it was done to; `Kept` names what stays, with the reason."""


def undo(root: Path, environment: Mapping[str, str]) -> Undone:
    """Take back what `init` wrote, and nothing else.

    A file that says what was written gets what it said before, byte for byte; of one that was changed
    since, our section or entry is taken out, if that is as we wrote it. Without a record, as in a clone,
    that is all that is looked for. `.chant` stays where it holds specs.

    Raises:
        RefusedError: When a link leads out of the project.
        StorageError, GitError: When the disk or git refuses; what was taken back before stays so.
    """
    path = record_path(root, environment)
    record = read_record(root, path)
    undone = Undone()
    has_specs = _has_specs(root)
    known = {(one.base, one.name): one for one in record.files}
    for name in _own_files():
        known.setdefault((root, name), _FileSteps(root, name))
    for one in known.values():
        is_layout = one.base == root and one.name.startswith(".chant/")
        if not (is_layout and has_specs):
            _take_back(undone, one, root)
    for folder in sorted(record.folders, key=len, reverse=True):
        if not (has_specs and folder.startswith(".chant")):
            files.remove(root, folder)
    repository = Repository(root, environment, wanted_by="--undo")
    for name, value, before in reversed(record.settings):
        if Setting(repository, name, value).take_back(before):
            undone.said.append(("Took back", f"{name} in the git configuration of this clone"))
    if has_specs and any(one.name.startswith(".chant/") for one in record.files):
        undone.said.append(("Kept", ".chant/, which holds specs"))
    if path is not None:
        path.unlink(missing_ok=True)
    return undone


def _take_back(undone: Undone, one: _FileSteps, root: Path) -> None:
    present = files.read(one.base, one.name)
    shown = one.name if one.base == root else str(one.base / one.name)
    if present is None:
        return
    content: bytes | None = present
    steps = list(one.steps)
    while content is not None and steps and _hash(content) == steps[-1][1]:
        content = steps.pop()[0]
    # Where somebody changed it since, or there is no record, what is ours is known by what it says.
    if content is not None and (steps or not one.steps) and one.base == root:
        stripped = _stripped(one.name, content, is_recorded=bool(one.steps))
        if stripped is None:
            if steps:
                undone.said.append(("Kept", f"{shown}, which was changed since"))
        else:
            content = stripped or (content if not content.strip() else None)
    if content is None:
        files.remove(one.base, one.name)
        undone.said.append(("Removed", shown))
    elif content != present:
        files.write(one.base, files.FileChange(one.name, present, content))
        undone.said.append(("Took back", shown))


def _own_files() -> list[str]:
    """Name each file of a project in which something of ours may stand."""
    return [agents.INSTRUCTIONS, *agents.skills(), *(host.file for host in hosts.host_files(("all",)))]


def _stripped(name: str, content: bytes, *, is_recorded: bool) -> bytes | None:
    """Give a file without what is ours in it; none where nothing is, empty where nothing is left."""
    if name == agents.INSTRUCTIONS:
        return agents.without_section(content)
    if name in agents.skills():
        return b"" if content == agents.text("SKILL.md") else None
    host = next((host for host in hosts.host_files(("all",)) if host.file == name), None)
    if host is not None:
        return _without_server(content, host)
    return agents.without_import(name, content) if is_recorded else None


def _without_server(content: bytes, host: hosts.HostFile) -> bytes | None:
    try:
        text = hosts.text_of(content, host.file)
        entry = json_text.as_object(hosts.servers_of(text, host).get(hosts.NAME))
        if entry is None or not hosts.is_written_by_us(entry, host):
            return None
        if host.is_toml:
            return _without_table(text, hosts.words_of(entry))
        path = (host.key, hosts.NAME)
        after = json_text.without(text, path, host.file, has_comments=host.has_comments)
        after = hosts.without_instructions(after, host)
        left = json_text.value_at(after, (), host.file, has_comments=host.has_comments)
    except ChantError:
        return None
    # What is left of a file that held nothing else goes, too.
    return b"" if left in ({}, {host.key: {}}, {host.key: {}, "context": {}}) else after.encode()


def _without_table(text: str, words: list[str]) -> bytes | None:
    table = hosts.toml_table(words)
    line_end = "\r\n" if "\r\n" in text else "\n"
    table = table.replace("\n", line_end)
    if text.count(table) != 1:
        return None
    head, _, tail = text.partition(table)
    if head.endswith(line_end * 2):
        head = head.removesuffix(line_end)
    return (head + tail).encode()


def _has_specs(root: Path) -> bool:
    return any(next((root / ".chant" / name).rglob("*.md"), None) for name in ("specs", "archive"))


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _encoded(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _decoded(content: str | None) -> bytes | None:
    return None if content is None else base64.b64decode(content)
