"""The table of attacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trust.clones import Clone

Act = Callable[[Clone], None]
"""What turns a clone into a hostile one."""


@dataclass(frozen=True)
class Attack:
    """One way to have something done that no person asked for."""

    name: str
    act: Act
    is_forged: bool = False
    """Whether it is about state alone: even a trusted folder does nothing about it."""
    is_dangerous: bool = False
    """Whether it is tried at every door."""


ATTACKS: dict[str, Attack] = {}
"""All attacks by their names."""


def attack(*, forged: bool = False, dangerous: bool = False) -> Callable[[Act], Act]:
    """Add a function to the attacks."""

    def named(act: Act) -> Act:
        name = act.__name__.strip("_")
        ATTACKS[name] = Attack(name, act, forged, dangerous)
        return act

    return named
