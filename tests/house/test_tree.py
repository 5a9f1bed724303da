"""The map of the code: a short page, and a line for every file; UPDATE_SNAPS=1 writes the lines."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ARCHITECTURE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
TREE = runpy.run_path(str(ROOT / "docs" / "tree.py"))


@pytest.mark.requirement("docs:architecture:is_short_and_names_every_file")
def test_every_file_has_its_line() -> None:
    expected = TREE["write_tree"]()
    if os.environ.get("UPDATE_SNAPS"):
        TREE["PAGE"].write_text(expected, "utf-8")
    assert TREE["PAGE"].read_text("utf-8") == expected
    lines = [line for line in expected.splitlines() if line.startswith("- `")]
    assert len(lines) > 500
    assert [line for line in lines if line.endswith(": ")] == []


@pytest.mark.requirement("docs:architecture:is_short_and_names_every_file")
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
