"""Words of formats stand in their crates; elsewhere only in places that may get fewer."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chant_mcp.formats import formats

ROOT = Path(__file__).parents[2]

FEWEST: dict[str, int] = {
    "vine": 61,
    "speckit": 52,
    "tickets": 68,
    "openspec": 8,
    "kiro": 8,
    "backlog": 2,
}
"""Files outside of a format's crate that name it: a number here may only get smaller."""


def places(word: str) -> list[str]:
    """Name the files of the product outside of a format's crate that name it."""
    files = [
        *(ROOT / "rust").glob("*/src/**/*.rs"),
        *(ROOT / "python").rglob("*.py"),
        *(ROOT / "python").rglob("*.pyi"),
    ]
    own = ROOT / "rust" / word
    sought = re.compile(rf"\b{word}\b", re.I)
    found = (
        path for path in files if not path.is_relative_to(own) and sought.search(path.read_text("utf-8"))
    )
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


@pytest.mark.parametrize("word", sorted(FEWEST))
def test_formats_are_named_in_no_new_places(word: str) -> None:
    found = places(word)
    assert len(found) <= FEWEST[word], found
    assert len(found) == FEWEST[word], f"There are fewer places now; set FEWEST[{word!r}] to {len(found)}"


PLACES = {"Cargo.toml", "rust/workspace/Cargo.toml", "rust/workspace/src/formats.rs"}
"""Where a format that comes through the interface is registered, beside its word in `format_words.rs`."""


@pytest.mark.parametrize("word", [row["word"] for row in formats() if not row["own_tools"]])
def test_a_format_is_registered_in_few_places(word: str) -> None:
    files = [
        ROOT / "Cargo.toml",
        *(ROOT / "rust").glob("*/Cargo.toml"),
        *(ROOT / "rust").glob("*/src/**/*.rs"),
    ]
    outside = (path for path in files if not path.is_relative_to(ROOT / "rust" / word))
    sought = re.compile(rf"chant[-_]{word}\b")
    found = {path.relative_to(ROOT).as_posix() for path in outside if sought.search(path.read_text("utf-8"))}
    assert found == PLACES
    words = (ROOT / "rust" / "base" / "src" / "format_words.rs").read_text("utf-8")
    assert f'"{word}"' in words
