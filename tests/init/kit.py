"""`init` in a new folder, and what folders hold before and after."""

from __future__ import annotations

import os
from pathlib import Path

from chant_mcp.cli import program
from click.testing import CliRunner, Result


class Folder:
    """A folder in which `chant-mcp init` is typed."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, *words: str) -> str:
        """Run `init`, which succeeds, and give what it prints to standard output."""
        result = self.run(*words)
        assert result.exit_code == 0, result.output
        return result.stdout

    def run(self, *words: str) -> Result:
        """Run `init`."""
        words = ("init", *words)
        return CliRunner().invoke(program, words, catch_exceptions=False, prog_name="chant-mcp")

    def refused(self, *words: str, code: int = 1) -> str:
        """Run `init`, which changes nothing, and give what it says."""
        before = tree(self.root)
        result = self.run(*words)
        assert result.exit_code == code, result.output
        assert tree(self.root) == before, "something was written"
        return result.stderr

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file as it is."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def read(self, name: str) -> str:
        """Read a file, line ends as they are."""
        return (self.root / name).read_bytes().decode()

    def has(self, name: str) -> bool:
        """Whether there is such a file or folder."""
        return (self.root / name).exists()


def tree(root: Path) -> dict[str, bytes | None]:
    """Give every file below a folder with its content, folders with none, git's own left out."""
    found: dict[str, bytes | None] = {}
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in [*folders, *files]:
            path = Path(folder) / name
            found[path.relative_to(root).as_posix()] = path.read_bytes() if path.is_file() else None
    return found
