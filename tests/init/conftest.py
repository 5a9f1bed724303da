"""A folder for `init`, without a program named `chant` on the search path."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from init.kit import Folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """An empty folder that is the working directory; git is found, no `chant` is."""
    root = tmp_path / "my-app"
    root.mkdir()
    git = shutil.which("git")
    assert git, "the tests need git"
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / Path(git).name).symlink_to(git)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.chdir(root)
    return Folder(root)


@pytest.fixture
def home() -> Path:
    """The user's home folder, an empty one."""
    return Path(os.environ["HOME"])
