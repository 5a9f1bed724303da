"""The board as a person sees and uses it."""

from __future__ import annotations

import html
import re
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from board import scene
from chant_mcp.board.app import BoardApp
from textual.pilot import Pilot

PATIENCE = 60.0
"""Seconds after which a test gives up on what should have happened."""

NARROW, WIDE = (80, 24), (140, 45)

_PIECE = re.compile(r'<text class="[^"]*-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)</text>')


def rows(svg: str) -> list[str]:
    """Read the lines of a screenshot."""
    lines: dict[float, list[tuple[float, str]]] = {}
    for x, y, text in _PIECE.findall(svg):
        lines.setdefault(float(y), []).append((float(x), html.unescape(text).replace("\xa0", " ")))
    cell = 12.2
    shown: list[str] = []
    for _, pieces in sorted(lines.items()):
        line = ""
        for x, text in sorted(pieces):
            line += " " * (round(x / cell) - len(line)) + text
        shown.append(line.rstrip())
    return shown


@dataclass
class Board:
    """A board under the hands of a person."""

    app: BoardApp
    pilot: Pilot[None]

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(rows(self.app.export_screenshot()))

    async def press(self, *keys: str) -> None:
        """Press keys."""
        await self.pilot.press(*keys)

    async def type(self, text: str) -> None:
        """Type a text, character by character."""
        await self.pilot.press(*("space" if letter == " " else letter for letter in text))

    async def until(self, holds: Callable[[], Any], what: str = "") -> float:
        """Wait until something holds; gives the seconds it took."""
        start = time.monotonic()
        while not holds():
            assert time.monotonic() - start < PATIENCE, f"{what or 'that'} for {PATIENCE} s:\n{self.text}"
            await self.pilot.pause(0.05)
        return time.monotonic() - start

    async def sees(self, *texts: str) -> float:
        """Wait until texts stand on the screen."""

        def stand() -> bool:
            shown = self.text  # a picture of the screen takes longer than all else here
            return all(text in shown for text in texts)

        return await self.until(stand, f"nothing like {texts}")

    async def sees_no(self, text: str) -> None:
        """Wait until a text does not stand on the screen any more."""
        await self.until(lambda: text not in self.text, f"still {text!r}")


@asynccontextmanager
async def shown(
    root: Path, size: tuple[int, int] = NARROW, *, is_read_only: bool = False, is_person: bool = True
) -> AsyncIterator[Board]:
    """Show the board of a project, once it has looked for the first time."""
    app = BoardApp(scene.session(root), is_read_only=is_read_only, is_person=is_person)
    async with app.run_test(size=size, notifications=True) as pilot:
        board = Board(app, pilot)
        await board.sees(root.name, "Quit")
        yield board
