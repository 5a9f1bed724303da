"""How hosts find a server that runs: its entries in their files, and its own record.

The record says where the server is and what its entries are. Its server holds it, so a record that
no one holds is that of a server which was killed; the next one takes the entries out that it left. A record
stays until that is done.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from chant_mcp.errors import ChantError, ConflictError, StorageError
from chant_mcp.init import files, hosts, json_text
from chant_mcp.init.held import hold, turn

_NAME = "chant-mcp"
"""Under which a server is listed, with a number behind it where that is taken."""

_ATTEMPTS = 5
"""How often a host's file is read again that was changed meanwhile."""


@dataclass(frozen=True, slots=True)
class HostEntry:
    """An entry of ours in a host's file."""

    file: str
    """The file, relative to the project."""
    key: str
    """The key under which it lists servers."""
    name: str


@dataclass(frozen=True, slots=True)
class _Record:
    pid: int
    url: str
    token: str | None
    project: str
    listed: tuple[HostEntry, ...] = ()

    def entry(self, listed: HostEntry) -> hosts.Entry:
        """Give the entry as it stands in a host's file: with a reference to the token."""
        reference = None if self.token is None else hosts.token_reference(listed.file, listed.name)
        return hosts.entry_over_http(self.url, reference)

    def is_of(self, listed: HostEntry, present: hosts.Entry) -> bool:
        """Return whether an entry is as it was written, also by a release that wrote the token into it."""
        known = (self.entry(listed), hosts.entry_over_http(self.url, self.token))
        return any(all(present.get(name) == one.get(name) for name in ("url", "headers")) for one in known)


class Presence:
    """A server that can be found, as long as it runs."""

    def __init__(self, folder: Path, root: Path, url: str, token: str | None) -> None:
        """Write the record.

        Args:
            folder: Where the user's servers have their records; for the user alone.
            root: The project.
            url: Where it is served.
            token: What clients have to show.

        Raises:
            StorageError: When the record cannot be written.
        """
        self._folder, self.root = folder, root
        self._record = _Record(os.getpid(), url, token, str(root))
        self._replaced: dict[str, tuple[bytes | None, bytes]] = {}
        self._is_withdrawn = False
        self.left: list[str] = []
        """What killed servers left in files of hosts and could not be taken out, and why."""
        self.path = folder / f"{secrets.token_hex(8)}.json"
        try:
            # Parents that `mkdir` makes by itself have the usual rights.
            for each in (folder.parent, folder):
                each.mkdir(mode=0o700, parents=True, exist_ok=True)
            with turn(folder / ".lock"):
                self._held = hold(self.path)
                self._write_record(self._record)
        except OSError as error:
            raise StorageError(f"Cannot write `{self.path}`: {error.strerror}") from error

    def register(self, clients: tuple[str, ...]) -> list[HostEntry]:
        """Write entries into the files of hosts, and take those out that killed servers left in them.

        Raises:
            InvalidDocumentError: When a host's file is no plain JSON object.
            ConflictError: When somebody else goes on changing it.
            RefusedError, StorageError: When it cannot be read or written.
        """
        with turn(self._folder / ".lock"):
            self.left += _take_out_dead(self._folder, self.root, self.path)
            for file, key in hosts.places(clients):
                self._list_in(file, key)
        return list(self._record.listed)

    def withdraw(self) -> list[str]:
        """Take out what is still as it was written, and the record.

        Returns:
            What could not be taken out, and why.
        """
        if self._is_withdrawn:
            return []
        self._is_withdrawn = True
        with turn(self._folder / ".lock"):
            problems = _take_out(self.root, self._record, self._replaced)
            os.close(self._held)
            if not problems:
                self.path.unlink(missing_ok=True)
        return problems

    def _list_in(self, file: str, key: str) -> None:
        before = self._record
        listed = HostEntry(file, key, self._free_name(file, key))
        # Recorded before it is done: a process that finds the record of a dead server looks for it.
        self._write_record(replace(before, listed=(*before.listed, listed)))
        entry = before.entry(listed)
        try:
            self._replaced[file] = _changed(
                self.root, file, lambda text: hosts.with_running(text or "", key, listed.name, entry, file)
            )
        except ChantError:
            self._write_record(before)
            raise

    def _free_name(self, file: str, key: str) -> str:
        taken = hosts.listed(hosts.text_of(files.read(self.root, file) or b"", file), key, file)
        number = 1
        while (name := _NAME if number == 1 else f"{_NAME}-{number}") in taken:
            number += 1
        return name

    def _write_record(self, record: _Record) -> None:
        """Put the record in place, whole.

        Who calls has the turn, so that no one takes it for a dead server's meanwhile.
        """
        content = json.dumps(asdict(record), indent=2).encode() + b"\n"
        os.close(self._held)
        try:
            files.write(self._folder, files.FileChange(self.path.name, None, content, 0o600))
            self._record = record
        finally:
            self._held = hold(self.path)


def tidy_up(folder: Path, root: Path) -> list[str]:
    """Take out what killed servers of a project left, for a server that has no record itself.

    Returns:
        What could not be taken out, and why.
    """
    if not folder.is_dir():
        return []
    try:
        with turn(folder / ".lock"):
            return _take_out_dead(folder, root, None)
    except OSError as error:
        return [f"Cannot look for it in `{folder}`: {error.strerror}"]


def running_records(folder: Path, root: Path) -> list[_Record]:
    """Read the records of a project's servers that run."""
    if not folder.is_dir():
        return []
    # In turn with servers that start and end: the record of a dead one is theirs to remove.
    with turn(folder / ".lock"):
        paths = [path for path in sorted(folder.glob("*.json")) if _is_held(path)]
        records = [_read(path) for path in paths]
    return [record for record in records if record is not None and record.project == str(root)]


def _is_held(path: Path) -> bool:
    try:
        os.close(hold(path))
    except BlockingIOError:
        return True
    return False


def _take_out_dead(folder: Path, root: Path, own: Path | None) -> list[str]:
    """Take out what killed servers of a project left, while it is our turn; give what stays, and why."""
    problems: list[str] = []
    for path in sorted(folder.glob("*.json")):
        if path == own:
            continue
        try:
            held = hold(path)
        except OSError:  # its server runs
            continue
        record = _read(path)
        is_done = record is None or not record.listed
        if record is not None and record.project == str(root):
            left = _take_out(root, record, {})
            problems += left
            is_done = not left
        os.close(held)
        if is_done:
            path.unlink(missing_ok=True)
    return problems


def _read(path: Path) -> _Record | None:
    """Read a record; none that a crash cut off."""
    try:
        given: dict[str, Any] = json.loads(path.read_bytes())
        given["listed"] = tuple(HostEntry(**listed) for listed in given["listed"])
        return _Record(**given)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _take_out(root: Path, record: _Record, replaced: dict[str, tuple[bytes | None, bytes]]) -> list[str]:
    """Take a server's entries out; a file that no one changed since is again what it was."""
    problems: list[str] = []
    for listed in record.listed:
        before, after = replaced.get(listed.file, (None, b""))
        with _noting(problems):
            if after and files.read(root, listed.file) == after:
                _restore(root, listed.file, before, after)
            else:
                _changed(root, listed.file, lambda text, of=listed: _without_entry(text, of, record))
    return problems


@contextmanager
def _noting(problems: list[str]) -> Generator[None]:
    try:
        yield
    except (ChantError, OSError) as error:
        problems.append(error.describe() if isinstance(error, ChantError) else str(error))


def _restore(root: Path, file: str, before: bytes | None, after: bytes) -> None:
    if before is None:
        with suppress(FileNotFoundError):
            files.place(root, file).unlink()
    else:
        files.write(root, files.FileChange(file, after, before))


def _without_entry(text: str | None, listed: HostEntry, record: _Record) -> str | None:
    if text is None or not text.strip():
        return text
    path = (listed.key, listed.name)
    present = json_text.as_object(json_text.value_at(text, path, listed.file)) or {}
    if not record.is_of(listed, present):
        return text
    return hosts.without_running(text, listed.key, listed.name, listed.file)


def _changed(root: Path, file: str, change: Callable[[str | None], str | None]) -> tuple[bytes | None, bytes]:
    """Change a host's file; try again if another program changed it meanwhile.

    Returns:
        What it held, and what it holds.
    """
    for _ in range(_ATTEMPTS):
        before = files.read(root, file)
        text = change(None if before is None else hosts.text_of(before, file))
        after = before if text is None else text.encode()
        if after is None or after == before:
            return before, after or b""
        if files.read(root, file) == before:
            files.write(root, files.FileChange(file, before, after, 0o600))
            return before, after
    raise ConflictError(f"`{file}` is changed again and again by another program. Close it, and try again.")
