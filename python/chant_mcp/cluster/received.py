"""Values that others sent, as what they should be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

Table = dict[str, Any]


def as_table(value: object) -> Table | None:
    """Return a table of JSON; `None` for anything else."""
    if not isinstance(value, Mapping):
        return None
    return {str(key): item for key, item in cast("Mapping[object, Any]", value).items()}


def as_items(value: object) -> list[Any]:
    """Return the items of a list; nothing for anything else."""
    return list(cast("list[Any]", value)) if isinstance(value, list | tuple) else []


def as_text(value: object) -> str | None:
    """Return a text; `None` for anything else."""
    return value if isinstance(value, str) else None
