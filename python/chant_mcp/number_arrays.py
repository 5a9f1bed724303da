"""Whole numbers as other libraries hold them, as bytes of 64 bits each."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, TypeAlias

from chant_mcp.errors import InvalidArgumentError

__all__ = ["NumberArray", "number_bytes"]

NumberArray: TypeAlias = Sequence[int] | Any
"""Whole numbers: a buffer such as `numpy.ndarray` or `array.array`, what has `to_numpy()`, or a sequence."""

_PART = 100_000
"""So many numbers are read at a time."""

_WHOLE = frozenset("bBhHiIlLqQnN")
"""What buffers call their whole numbers."""


def number_bytes(name: str, values: Any) -> bytes:
    """The numbers of an argument as bytes of signed numbers of 64 bits, in this machine's order.

    Raises:
        InvalidArgumentError: They are no whole numbers in a row.
    """
    refused = InvalidArgumentError(f"Invalid `{name}`: expected whole numbers in one dimension.")
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    try:
        view = memoryview(values)
    except TypeError:
        try:
            return _counted(values).tobytes()
        except (TypeError, OverflowError) as error:
            raise refused from error
    # A sign of the machine's own order may stand before the letter.
    kind = view.format.lstrip("@=" + ("<" if sys.byteorder == "little" else ">"))
    if view.ndim != 1 or kind not in _WHOLE:
        raise refused
    if view.itemsize == 8 and kind not in "LQN":
        return view.tobytes()
    if hasattr(values, "astype"):
        return values.astype("int64").tobytes()
    try:
        return _counted(view).tobytes()
    except OverflowError as error:
        raise refused from error


def _counted(values: Iterable[int]) -> array[int]:
    """The numbers of 64 bits, read in parts: other threads can run between two of them."""
    made, rest = array("q"), iter(values)
    length = -1
    while length != len(made):
        length = len(made)
        made.extend(islice(rest, _PART))
    return made
