"""The way of an act: ask before it, do it off the screen's thread, show what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, cast

from textual.app import App

from chant_mcp.board import acts, words
from chant_mcp.board.acts import ActOutcome, Data, ItemAct
from chant_mcp.board.dialogs import ChoiceDialog, ConsentDialog, TextDialog
from chant_mcp.errors import ChantError, NotTrustedError
from chant_mcp.session import Session
from chant_mcp.terminal import harmless


class ActFlow:
    """Carries out acts for a person who sits at the board."""

    def __init__(self, app: App[None], session: Session, *, is_person: bool) -> None:
        """Take where to ask, and whether a person is asked.

        Args:
            app: The board.
            session: The project.
            is_person: Whether what only a person may do can be done here.
        """
        self._app = app
        self._session = session
        self.is_person = is_person
        self._undo: Callable[[], ActOutcome] | None = None

    @property
    def can_undo(self) -> bool:
        """Whether there is a way back from the last act."""
        return self._undo is not None

    async def carry_out(self, act: ItemAct, item: Data) -> None:
        """Do an act to an item, if the person still wants it."""
        given = await self._ask(act, item)
        if given is not None:
            await self._do(lambda given: act.run(self._session, item, given), given)

    async def add(self) -> None:
        """Add a spec."""
        text = await self._app.push_screen_wait(TextDialog("Add a spec", "What has to be done?", "One line"))
        if text is not None:
            await self._do(lambda text: acts.add_spec(self._session, text), text)

    async def undo(self) -> None:
        """Take the last act back."""
        undo, self._undo = self._undo, None
        if undo is not None:
            await self._do(lambda _: undo(), "")

    async def _ask(self, act: ItemAct, item: Data) -> str | None:
        """Ask what the act needs; nothing where the person leaves."""
        title = f"{act.label}: {item['title'] or item['key']}"
        match act.asks:
            case "reason":
                return await self._app.push_screen_wait(TextDialog(title, "What has to change?", "Reason"))
            case "choice":
                return await self._app.push_screen_wait(ChoiceDialog(title, act.choices(item)))
            case "consent":
                return (
                    "" if await self._app.push_screen_wait(ConsentDialog(title, list(_facts(item)))) else None
                )
            case "nothing":
                return ""

    async def _do(self, act: Callable[[str], ActOutcome], given: str) -> None:
        self._undo = None
        try:
            outcome = await asyncio.to_thread(act, given)
        except ChantError as error:
            again = await self._agreed(error)
            if again is None:
                self._say(error.describe(), "error")
            else:
                await self._do(act, again or given)
            return
        self._undo = outcome.undo
        self._say(outcome.text)

    async def _agreed(self, error: ChantError) -> str | None:
        """Show a person what a refusal has them agree to; nothing where there is none, or they leave."""
        if not self.is_person:
            return None
        if isinstance(error, NotTrustedError) and "folder" in error.details:
            return "" if await self._trusted(error.details) else None
        agreement = error.details.get("agreement")
        if not isinstance(agreement, str):
            return None
        lines = [error.message, "", *_listing(error.details.get("shown"))]
        return agreement if await self._app.push_screen_wait(ConsentDialog("Merge this?", lines)) else None

    async def _trusted(self, details: Data) -> bool:
        asked = "changed since you trusted it" if details["is_difference"] else "asks for"
        lines = [f"{details['folder']} {asked}:", "", *_listing(details["shown"])]
        if not await self._app.push_screen_wait(ConsentDialog("Trust this folder?", lines)):
            return False
        project = self._session.project_in(Path(details["folder"]))
        try:
            # What was shown is what is trusted: a folder that changed meanwhile is refused.
            await asyncio.to_thread(project.give_trust, details["hash"])
        except ChantError as refusal:
            self._say(refusal.describe(), "error")
            return False
        return True

    def _say(self, text: str, severity: Literal["information", "error"] = "information") -> None:
        self._app.notify(harmless(text), severity=severity, markup=False)


def _facts(item: Data) -> Iterator[str]:
    """Say what is about to be acted on."""
    yield item["title"] or "(no title)"
    yield f"{item['key']} · {item['status']}"
    for row in item["criteria"]:
        yield f"[{'x' if row['done'] else ' '}] {row['text']}"
    if why := item.get("why"):
        yield f"Needs you: {words.WHY.get(why, why)}"


def _listing(shown: Any) -> list[str]:
    lines = cast("list[Any]", shown) if isinstance(shown, list) else [shown]
    return [f"  {line}" for line in lines if line]
