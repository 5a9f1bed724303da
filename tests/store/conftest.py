"""Folders on a disk: what is promised of writes is promised of disks."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder of the test on the disk that temporary files usually lie on."""
    with tempfile.TemporaryDirectory(prefix="chant-test-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()
