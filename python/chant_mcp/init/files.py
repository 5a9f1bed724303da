"""Reading and writing inside a folder and nowhere else, each file whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from chant_mcp.errors import RefusedError, StorageError


@dataclass(frozen=True, slots=True)
class FileChange:
    """What a file shall hold."""

    name: str
    """The file, relative to the root, with `/`."""
    before: bytes | None
    """What it holds now; none when there is no such file."""
    after: bytes
    mode: int = 0o666
    """Who may do what with it where it is new, less what the process withholds from new files."""

    @property
    def verb(self) -> str:
        """What happens to the file, in a word."""
        return "Created" if self.before is None else "Updated"


def place(root: Path, name: str) -> Path:
    """Find where a name inside a folder really is, links followed.

    Raises:
        RefusedError: When a link leads out of the folder.
    """
    try:
        base = root.resolve()
        path = (base / name).resolve()
    except (OSError, RuntimeError) as error:
        raise RefusedError(f"`{name}` cannot be followed: {error}") from error
    if path != base and base not in path.parents:
        raise RefusedError(f"`{name}` is a link that leads out of the project: {path}\nNothing was changed.")
    return path


def read(root: Path, name: str) -> bytes | None:
    """Read a file inside a folder; none when it does not exist.

    Raises:
        RefusedError: When a link leads out of the folder.
        StorageError: When it cannot be read.
    """
    path = place(root, name)
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StorageError(f"Cannot read `{name}`: {error.strerror}") from error


def write(root: Path, change: FileChange) -> None:
    """Put a file in place, whole, with the mode of the one it replaces.

    Raises:
        RefusedError: When a link leads out of the folder.
        StorageError: When the disk refuses; then the old file stands.
    """
    path = place(root, change.name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".chant-{secrets.token_hex(8)}.tmp")
        try:
            _write_new(temporary, change.after, change.mode)
            if path.exists():
                temporary.chmod(stat.S_IMODE(path.stat().st_mode))
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StorageError(f"Cannot write `{change.name}`: {error.strerror}") from error


def make_folder(root: Path, name: str) -> None:
    """Make a folder inside another, if it is not there.

    Raises:
        RefusedError: When a link leads out of the folder.
        StorageError: When the disk refuses.
    """
    try:
        place(root, name).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"Cannot make `{name}`: {error.strerror}") from error


def remove(root: Path, name: str) -> None:
    """Remove a file inside a folder, or an empty folder; one that is not there, or holds something, stays so.

    Raises:
        RefusedError: When a link leads out of the folder.
        StorageError: When the disk refuses.
    """
    path = place(root, name)
    try:
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise StorageError(f"Cannot remove `{name}`: {error.strerror}") from error


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """Write a file that is not there yet."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
