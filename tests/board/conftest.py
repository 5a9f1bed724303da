"""A folder to fill, and the screens a board is used on."""

from __future__ import annotations

from pathlib import Path

import pytest
from board.showing import NARROW, WIDE


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "ferry"
    folder.mkdir()
    return folder


@pytest.fixture(params=[NARROW, WIDE], ids=["80x24", "140x45"])
def size(request: pytest.FixtureRequest) -> tuple[int, int]:
    """Cells of the screen."""
    return request.param
