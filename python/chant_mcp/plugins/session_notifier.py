"""Notifiers while a server or a board is up: started when a project is used whose user asks for that."""

from __future__ import annotations

import threading
from contextlib import suppress

from chant_mcp._core import ChantProject
from chant_mcp.errors import ChantError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from chant_mcp.plugins.notifications import ChangeNotifier
    from chant_mcp.session import Session


class SessionNotifier:
    """Has notifiers hear of changes in the project that a session means; one configuration is read for it."""

    def __init__(self) -> None:
        """Begin nothing yet."""
        self._lock = threading.Lock()
        self._project: ChantProject | None = None
        self.current: ChangeNotifier | None = None
        """What was started in the project that is meant now."""

    def note_use(self, session: Session, project: ChantProject) -> None:
        """Begin in a project that was not used before, if the user's own configuration names a notifier."""
        with self._lock:
            if project is self._project:
                return
            self._project = project
            if self.current is not None:
                self.current.end()
                self.current = None
            with suppress(ChantError):  # a configuration that cannot be read is said elsewhere
                if project.plugin_settings()["notifiers"]:
                    from chant_mcp.plugins.notifications import ChangeNotifier

                    self.current = ChangeNotifier(session)
                    self.current.begin()
