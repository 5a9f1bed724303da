"""Whole numbers as other libraries hold them, with 64 bits for each."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias

from chant_mcp.errors import InvalidArgumentError

__all__ = ["NumberArray", "pair_parts", "view_numbers"]

NumberArray: TypeAlias = Sequence[int] | Any
"""Whole numbers: a buffer such as `numpy.ndarray` or `array.array`, what has `to_numpy()`, or a sequence."""

_PART = 100_000
"""So many numbers are read at a time."""

_WHOLE = frozenset("bBhHiIlLqQnN")
"""What buffers call their whole numbers."""


def view_numbers(name: str, values: Any) -> memoryview:
    """The numbers of an argument as signed numbers of 64 bits, in this machine's order.

    Where they lie so already, nothing is copied.

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
            return memoryview(_counted(values))
        except (TypeError, OverflowError) as error:
            raise refused from error
    # A sign of the machine's own order may stand before the letter.
    kind = view.format.lstrip("@=" + ("<" if sys.byteorder == "little" else ">"))
    if view.ndim != 1 or kind not in _WHOLE:
        raise refused
    if view.itemsize == 8 and kind not in "LQN":
        return view if view.c_contiguous else memoryview(view.tobytes()).cast("q")
    if hasattr(values, "astype"):
        return memoryview(values.astype("int64"))
    try:
        return memoryview(_counted(view))
    except OverflowError as error:
        raise refused from error


def pair_parts(one: memoryview, other: memoryview) -> Iterator[tuple[bytes, bytes]]:
    """The bytes of two rows of numbers, part by part: a copy of all would cost more than a graph of them."""
    for start in range(0, len(one), _PART):
        part = slice(start, start + _PART)
        yield one[part].tobytes(), other[part].tobytes()


def _counted(values: Iterable[int]) -> array[int]:
    """The numbers of 64 bits, read in parts: other threads can run between two of them."""
    made, rest = array("q"), iter(values)
    length = -1
    while length != len(made):
        length = len(made)
        made.extend(islice(rest, _PART))
    return made
