"""What a trial of the store counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Trial:
    """One kind of trouble, and what came of it."""

    name: str
    tries: int = 0
    notes: Counter[str] = field(default_factory=Counter[str])
    """How often what happened that may happen."""
    wrong: list[str] = field(default_factory=list[str])
    """Each violation, in a sentence."""
