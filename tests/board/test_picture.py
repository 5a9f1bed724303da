"""The board as it looks: compared with pictures, one of which stands in the README."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from board import scene
from board.showing import NARROW, WIDE, Board, rows, shown

pytestmark = pytest.mark.anyio

HERE = Path(__file__).parent
README_PICTURE = HERE.parents[1] / "docs" / "board.svg"


def masked(svg: str) -> str:
    """Give a picture a name of its own that is the same each time."""
    return re.sub(r"terminal-\d+", "terminal-board", svg)


def check(board: Board, path: Path) -> None:
    """Compare what is seen with a picture; `UPDATE_SNAPS=1` accepts it.

    The words and their places count: colours and the drawing of boxes are Textual's own.
    """
    svg = masked(board.app.export_screenshot(title="chant-mcp board"))
    if os.environ.get("UPDATE_SNAPS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(svg, encoding="utf-8")
    assert path.exists(), f"{path.name} is missing; UPDATE_SNAPS=1 makes it"
    now, before = rows(svg), rows(path.read_text(encoding="utf-8"))
    assert now == before, "UPDATE_SNAPS=1 pytest tests/board/test_picture.py accepts this"


async def test_the_picture_in_the_readme_is_what_one_sees(root: Path) -> None:
    scene.everything(root)
    async with shown(root, (120, 30)) as board:
        await board.sees("Being worked on 2", "q Quit")
        await board.press("right")
        await board.sees("Needed by", "Works", "Column")
        check(board, README_PICTURE)
    assert "docs/board.svg" in (HERE.parents[1] / "README.md").read_text(encoding="utf-8")


async def test_nothing_is_cut_on_a_small_screen(root: Path) -> None:
    scene.everything(root)
    async with shown(root, NARROW) as board:
        await board.sees("Can begin 3", "q Quit", "Column", "w Start")
        check(board, HERE / "snapshots" / "plan-80x24.svg")
        await board.press("2")
        await board.sees("T005", "x Complete task")
        check(board, HERE / "snapshots" / "tasks-80x24.svg")


async def test_a_large_screen_has_the_item_beside_the_columns(root: Path) -> None:
    scene.everything(root)
    async with shown(root, WIDE) as board:
        await board.press("right")
        await board.sees("Show departures", "Needed by", "q Quit", "Column", "t Take over")
        check(board, HERE / "snapshots" / "plan-140x45.svg")
