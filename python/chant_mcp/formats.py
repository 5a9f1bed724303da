"""The formats of plans: which there are, and which a folder holds."""

from __future__ import annotations

import os
from functools import cache

from chant_mcp import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SPEC = "chant"
"""The word of specs, whose keys may be left out."""

_OWN_TOOLS = {
    _SPEC: ("chant_spec_update", "chant_add"),
    "vine": ("vine_write", "vine_write"),
    "speckit": ("rstn_complete_task", "spec-kit's own commands"),
    "tickets": ("update_cr_attrs, update_cr_status or manage_cr_sections", "create_cr"),
}
"""What edits items of a format with tools of its own, and what adds them."""

FIRST_ITEM = {
    _SPEC: "`chant-mcp add TEXT`",
    "vine": "`chant-mcp vine new plan.vine`",
    "tickets": "`chant-mcp tickets add TITLE`",
    "speckit": "spec-kit's `specify` command",
}
"""What creates the first item of a format with tools of its own, for people."""


@cache
def formats() -> tuple[dict[str, Any], ...]:
    """Give all formats, those with tools of their own first.

    Returns:
        A row for each: `word` (what keys begin with), `title`, `noun`, `plural`, `markers` (paths that say
        that a folder has it), `intents` (the edits that it takes), `statuses`, `own_tools` (whether it has
        tools of its own) and `example` (of a key).

    Example:
        >>> from chant_mcp.formats import formats
        >>> [row["word"] for row in formats()][:4]
        ['chant', 'vine', 'speckit', 'tickets']
    """
    return tuple(_core.formats())


def forget_formats() -> None:
    """Ask the core again: it has taken the format of a plugin."""
    formats.cache_clear()


def format_words() -> tuple[str, ...]:
    """Give the words of all formats, in the order of lists."""
    return tuple(row["word"] for row in formats())


def is_item_key(name: str) -> bool:
    """Return true for the key of an item of another format than specs."""
    word, colon, _ = name.partition(":")
    word = word.rpartition("/")[2]
    return bool(colon) and word != _SPEC and word in format_words()


def key_of_work(name: str) -> str:
    """Give the key of what a run works on, which lists of runs call by a spec's ID or by the key itself."""
    return name if is_item_key(name) else f"{_SPEC}:{name}"


def plan_formats_in(folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """Give the words of the formats without tools of their own that a folder holds."""
    found = (row for row in formats() if not row["own_tools"])
    return tuple(
        row["word"]
        for row in found
        if any(os.path.exists(os.path.join(folder, path)) for path in row["markers"])
    )


def own_tools_of(word: str) -> tuple[str, str] | None:
    """Give the tools that edit and add items of a format, if it has some of its own."""
    return _OWN_TOOLS.get(word)


def toolset_of_format(word: str) -> str:
    """Name the toolset with the tools for items of a format."""
    return word if word in _OWN_TOOLS else "items"


def title_of(word: str) -> str:
    """Give the name of a format, as people write it."""
    return next((row["title"] for row in formats() if row["word"] == word), word)
