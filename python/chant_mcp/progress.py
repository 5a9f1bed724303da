"""What a running call and whoever asked for it tell each other."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

told: ContextVar[Callable[[str], object] | None] = ContextVar("told", default=None)
"""Takes what is being done, in a few words; none where nobody wants to know. Set for one call."""

has_left: ContextVar[Callable[[], bool] | None] = ContextVar("has_left", default=None)
"""Says whether whoever asked for it waits no more; none where that is not known. Set for one call."""

agent: ContextVar[str | None] = ContextVar("agent", default=None)
"""The name of the client that asked for it. Set for one call."""

agreed: ContextVar[str | None] = ContextVar("agreed", default=None)
"""Names what a person agreed to when the tool asked; none where nobody did. Set for one call."""
