"""Notifiers hear of changes: a thread waits for them, and nothing that writes waits for it."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from chant_mcp._core import Changes
from chant_mcp.errors import ChantError
from chant_mcp.init.held import hold
from chant_mcp.plugins.installed import InstalledPlugin
from chant_mcp.plugins.plugin_desk import PluginDesk
from chant_mcp.plugins.plugin_process import PluginFailure
from chant_mcp.session import Session

logger = logging.getLogger("chant_mcp")

_TURN = 5.0
"""Seconds of one wait."""

_RETRY = 30.0
"""Seconds after which it is tried once more: another process notifies, or the project cannot be read."""

_MOST = 100
"""Changes that a notifier gets at once; of more it gets the first."""

_RESET = {"key": "", "what": "reset", "state": None, "version": 0}
"""Stands for more changes than are remembered."""


def _log(sentence: str) -> None:
    logger.warning("%s", sentence)


class ChangeNotifier:
    """Hands each change of a project to the notifiers that the user's own configuration names.

    Of all processes on a project one does, so that a note comes once.
    """

    def __init__(self, session: Session, report: Callable[[str], object] | None = None) -> None:
        """Take the project; nothing is started yet.

        Args:
            session: The project.
            report: Is called with a sentence on each notifier that failed; the log has it without this.
        """
        self._session = session
        self._report = report or _log
        self._ended = threading.Event()
        self._changes: Changes | None = None
        self.listening = threading.Event()
        """Set when every change from now on is noticed."""

    def begin(self) -> None:
        """Notify in a thread of its own, until it is ended or the process ends."""
        threading.Thread(target=self._run, name="chant-notify", daemon=True).start()

    def end(self) -> None:
        """End, also a wait that is under way."""
        self._ended.set()
        if (changes := self._changes) is not None:
            changes.stop()

    def follow(self, began: Callable[[], object] | None = None, *, once: bool = False) -> bool:
        """Notify of changes from now on; say whether this process does.

        Args:
            began: Is called when every change from now on is noticed.
            once: Whether the first change is the last.

        Raises:
            ChantError: The project cannot be read.
        """
        try:
            held = hold(self._session.chant.state_part("notify") / "lock")
        except BlockingIOError:
            return False
        try:
            self._changes = changes = self._session.workspace_as_it_is.changes()
            self.listening.set()
            if began is not None:
                began()
            while not self._ended.is_set():
                found = changes.wait(_TURN)
                if found is not None and not self._ended.is_set():
                    self.notify([_RESET] if found["reset"] else found["changes"])
                    if once:
                        break
        finally:
            self._changes = None
            os.close(held)
        return True

    def notify(self, changes: Iterable[dict[str, Any]]) -> None:
        """Hand changes to each notifier; one that fails keeps none from the others."""
        rows = [self._described(change) for change in list(changes)[:_MOST]]
        desk = PluginDesk(self._session)
        for notifier in desk.usable("notifiers") if rows else ():
            self._hand_over(desk, notifier, rows)

    def _hand_over(self, desk: PluginDesk, notifier: InstalledPlugin, rows: list[dict[str, Any]]) -> None:
        try:
            options = desk.settings["notifiers"][notifier.name]
            for _ in desk.ask(notifier, changes=rows, options=options):
                pass
        except PluginFailure as failure:
            self._report(str(failure))

    def _described(self, change: dict[str, Any]) -> dict[str, Any]:
        title = ""
        with suppress(ChantError):  # it is gone
            title = self._session.workspace_as_it_is.handle(change["key"])["title"]
        return {**change, "title": title, "project": self._session.place.root.resolve().name}

    def _run(self) -> None:
        while not self._ended.is_set():
            try:
                self.follow()
            except (ChantError, OSError) as error:
                logger.debug("nothing is notified of: %s", error)
            self._ended.wait(_RETRY)
