"""Answers of the core for commands: whole ones where an agent gets pages, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import click

from chant_mcp._core import Answer

Data = dict[str, Any]
"""An answer's object; its keys are those of the seed."""

EVERYTHING = 1_000_000_000
"""More entries than any list has."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON.")
limit_option = click.option(
    "--limit", type=click.IntRange(min=0), default=50, show_default=True, help="Most entries to show."
)
all_option = click.option("--all", "show_all", is_flag=True, help="Show all entries, however many.")


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


def written(data: Data | list[Data]) -> str:
    """Write data as the tools do: JSON, indented by two blanks."""
    return json.dumps(data, indent=2, ensure_ascii=False)


def left_out(data: Data, noun: str, shown: int) -> str | None:
    """Say what a list does not show and how to get it."""
    total = data.get("total", shown)
    return f"{shown} of {total} {noun} shown; --all shows the rest." if shown < total else None
