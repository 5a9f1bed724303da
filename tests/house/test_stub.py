"""The type stub says what the binary has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from chant_mcp import _core, errors

ROOT = Path(__file__).parents[2]


def test_the_stub_matches_the_binary() -> None:
    words = [sys.executable, "-m", "mypy.stubtest", "chant_mcp._core"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_kind_of_error_has_an_exception_and_each_exception_a_kind() -> None:
    classes = [getattr(errors, name) for name in errors.__all__ if name != "ChantError"]
    assert sorted(cls.code for cls in classes) == sorted(_core.error_codes())
    assert all(issubclass(cls, errors.ChantError) for cls in classes)
