"""Texts that the package hands out as they are."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def text(path: str) -> str:
    """Give a text by its path below this folder, with `/`."""
    return files(__name__).joinpath(*path.split("/")).read_text("utf-8")
