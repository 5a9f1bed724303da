"""Looks at the remote that clones of a project share, in the background while somebody asks for its specs."""

from __future__ import annotations

import logging
import threading
import time

from chant_mcp._core import ChantProject
from chant_mcp.errors import ChantError

logger = logging.getLogger("chant_mcp")

_INTERVAL = 30.0
"""Seconds between the beginnings of two looks."""

_UNSHARED = 1.0
"""Seconds until a project is asked again that shares nothing, or that no person trusts."""


class RemoteLooks:
    """The looks of one session: one at a time, and who asks for specs waits for none of them."""

    def __init__(self) -> None:
        """Begin; the first use of a project that shares its specs looks at once."""
        self._lock = threading.Lock()
        self._next = 0.0
        self._is_looking = False

    def for_new_session(self) -> RemoteLooks:
        """Make those of another session."""
        return RemoteLooks()

    def note_use(self, project: ChantProject) -> None:
        """Look aside, if it is time for that and the project's remote may be looked at."""
        with self._lock:
            now = time.monotonic()
            if self._is_looking or now < self._next:
                return
            # A fetch runs programs that the repository's configuration names.
            may_look = project.may_look_at_leases()
            self._next = now + (_INTERVAL if may_look else _UNSHARED)
            self._is_looking = may_look
        if may_look:
            threading.Thread(target=self._look, args=(project,), name="chant-look", daemon=True).start()

    def _look(self, project: ChantProject) -> None:
        try:
            project.look_at_leases()
        except ChantError as error:
            logger.info("the remote was not looked at: %s", error.message)
        finally:
            self._is_looking = False
