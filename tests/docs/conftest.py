"""A copy of the sample project for each test."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
from chant_mcp.demo.sample import SampleProject


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample project, which no test changes."""
    root = tmp_path_factory.mktemp("sample") / "ferry"
    root.mkdir()
    SampleProject(root, dict(os.environ)).build(sys.executable)
    return root


@pytest.fixture
def ferry(sample: Path, tmp_path: Path) -> Path:
    """A copy of the sample project."""
    return Path(shutil.copytree(sample, tmp_path / "ferry", symlinks=True))
