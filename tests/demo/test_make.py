"""The two targets that a newcomer types."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def _recipe(target: str) -> str:
    """Give the commands that a target would run."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    # These tests may run inside a make themselves, whose flags are not this one's.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "--dry-run", "--always-make", target]
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_make_demo_builds_and_runs_the_demo() -> None:
    *build, demo = _recipe("demo").strip().splitlines()
    assert demo.endswith("/chant-mcp demo")
    assert any("pip install" in line or "maturin" in line for line in build)


def test_make_test_builds_and_runs_the_tests() -> None:
    recipe = _recipe("test")
    assert "pytest" in recipe or ".ci/run" in recipe
    assert ".venv" in recipe
