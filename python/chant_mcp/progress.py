"""How far a call is, told while it runs, to whoever asked for it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar

told: ContextVar[Callable[[str], object] | None] = ContextVar("told", default=None)
"""Takes what is being done, in a few words; none where nobody wants to know. Set for one call."""
