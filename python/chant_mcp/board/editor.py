"""The person's own editor on the file of an item."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from chant_mcp.errors import RefusedError


def editor_of(environment: Mapping[str, str]) -> list[str]:
    """Give the program and the arguments that the person's environment names; none where it names none.

    Nothing of the project is asked: its files choose nothing that is run.
    """
    named = environment.get("VISUAL") or environment.get("EDITOR") or ""
    try:
        return shlex.split(named, posix=os.name != "nt")
    except ValueError:  # a quotation mark without its other half
        return []


def file_of(root: Path, path: str) -> Path:
    """Give the file of an item.

    Raises:
        RefusedError: When it is no file inside of the project.
    """
    file = (root / path).resolve()
    if not file.is_relative_to(root.resolve()) or not file.is_file():
        raise RefusedError(f"`{path}` is no longer a file of this project. Press 5 to see problems of files.")
    return file


def open_in_editor(argv: list[str], file: Path, environment: Mapping[str, str]) -> int:
    """Run the editor until the person leaves it; gives its exit code.

    Raises:
        OSError: When there is no such program.
    """
    return subprocess.run([*argv, str(file)], env=dict(environment), check=False).returncode
