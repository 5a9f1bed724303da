"""The map of the code: a short page that names what is there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")


def test_the_architecture_is_short_and_names_what_is_there() -> None:
    assert len(ARCHITECTURE.split()) <= 1_200
    package = ROOT / "python" / "chant_mcp"
    named = re.findall(r"`([\w/<>]+(?:/|\.rs|\.py))`", ARCHITECTURE)
    missing = [
        name
        for name in {re.sub(r"<\w+>", "vine", name) for name in named}
        if not any((top / _in_sources(name)).exists() for top in (ROOT, ROOT / "rust", package))
    ]
    assert len(named) > 40
    assert missing == []


def _in_sources(name: str) -> str:
    """Say where a file of a crate lies: below its `src`."""
    crate, _, rest = name.partition("/")
    return f"{crate}/src/{rest}" if (ROOT / "rust" / crate / "src").is_dir() else name
