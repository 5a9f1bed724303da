"""Whole answers where the core gives pages, which are bounded in size."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chant_mcp._core import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any
else:
    Any = object  # `typing` takes longer to import than all that a command that only reads needs

Data = dict[str, Any]
"""An answer's object; its keys are those of the seed."""

USUAL_LIMIT = 50
"""Entries of a list that commands show unless they are told another number."""

EVERYTHING = 1_000_000_000
"""More entries, and more characters, than anything has."""


def gathered(ask: Callable[[int, int], Answer], wanted: int, *lists: str) -> tuple[str, Data]:
    """Ask for a list until as much came as is wanted.

    Answers are bounded in size, so that one page may hold less than its limit.

    Args:
        ask: Gives the page of a limit and an offset.
        wanted: Most entries.
        lists: Keys of the lists that go on from page to page.

    Returns:
        The answer as JSON and as data: that of the core itself where one page is enough.
    """
    pages = _pages(ask, wanted)
    first = next(pages)
    data: Data = first.data
    if data.get("next_offset") is None or _length(data, lists) >= wanted:
        return first.text, data
    for page in pages:
        more: Data = page.data
        for key in lists:
            data[key] += more[key]
        data["next_offset"] = more.get("next_offset")
    if data["next_offset"] is None:
        del data["next_offset"]
    if "returned" in data:
        data["returned"] = len(data[lists[0]])
    return written(data), data


def _pages(ask: Callable[[int, int], Answer], wanted: int) -> Iterator[Answer]:
    offset: int | None = 0
    while offset is not None and (offset < wanted or offset == 0):
        answer = ask(wanted - offset, offset)
        yield answer
        offset = answer.data.get("next_offset")


def _length(data: Data, lists: tuple[str, ...]) -> int:
    return max(len(data[key]) for key in lists)


def pieces(ask: Callable[[int], Answer]) -> Iterator[str]:
    """Ask for a long text piece by piece.

    Args:
        ask: Gives the piece from an offset in characters on; its note says that there is more.
    """
    offset, is_cut = 0, True
    while is_cut:
        answer = ask(offset)
        yield answer.text
        offset += len(answer.text)
        is_cut = answer.note is not None and bool(answer.text)


def written(data: Data | list[Data]) -> str:
    """Write data as JSON, indented by two blanks."""
    import json  # one page of the core is JSON already

    return json.dumps(data, indent=2, ensure_ascii=False)
