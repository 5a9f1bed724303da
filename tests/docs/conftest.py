"""The sample project, made once by the command with which pages begin."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from docs.pages import SAMPLE, environment


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample project, which no test changes."""
    folder = tmp_path_factory.mktemp("sample")
    variables = environment(Path(os.environ["HOME"]), Path(sys.executable).parent)
    subprocess.run(["bash", "-euc", SAMPLE], cwd=folder, env=variables, check=True, capture_output=True)
    return folder / "ferry"
