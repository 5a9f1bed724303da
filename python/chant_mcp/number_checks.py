"""Checks of numbers that scripts give, so that a wrong one is refused by its name."""

from __future__ import annotations

import math
import operator
from typing import Any

from chant_mcp.errors import InvalidArgumentError

__all__ = ["check_count", "check_number"]

_MOST = 2**32 - 1


def check_count(name: str, value: Any, least: int = 0, most: int = _MOST) -> int:
    """Give a whole number, which may be one of numpy.

    Raises:
        InvalidArgumentError: It is none, or not between these.
    """
    try:
        count = operator.index(value)
    except TypeError:
        count = least - 1
    if not least <= count <= most:
        raise InvalidArgumentError(f"`{name}` is {value!r}, expected a whole number from {least} to {most}")
    return count


def check_number(name: str, value: Any, least: float = 0.0) -> float:
    """Give a finite number, which may be one of numpy.

    Raises:
        InvalidArgumentError: It is none, or less than that.
    """
    try:
        number = math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (math.isfinite(number) and number >= least):
        raise InvalidArgumentError(f"`{name}` is {value!r}, expected a finite number from {least:g}")
    return number
