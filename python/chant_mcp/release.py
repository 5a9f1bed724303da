"""The release of this program."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version


@cache
def release() -> str:
    """Give the release that is installed, such as `0.1.0`."""
    return version("chant-mcp")
