"""Measures of the sources: how large they are, how names and paths are written, where formats are named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

FOUR_FORMATS = ("chant", "vine", "speckit", "tickets")

UNUSUAL_WORDS = (
    r"\bMOST_\w+|\bLONGEST\b|\bLARGEST\b|\bDEEPEST\b|\bELSEWHERE\b|\bwish\b|\bsights?\b|\bscenery\b|\bdesk\b"
    r"|\bbriefing\b|\bworkplace\b|\btold\b|\bsettled?\b|\bswept\b|\blets go\b|\blet go\b|\bfor ever\b"
    r"|\bunder way\b|\bthe other way round\b|\bby now\b|\bends in peace\b|\btaken in\b|\bput by\b"
)
"""Words that only this project uses where engineers have a common one."""


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the table."""

    name: str
    value: Callable[[], float]
    limit: float
    """The value may not get worse than this; set it anew when it gets better."""
    goal: float
    more_is_better: bool = False

    def holds(self) -> bool:
        """Return true unless the value fell back."""
        value = self.value()
        return value >= self.limit if self.more_is_better else value <= self.limit


@cache
def rust_files() -> dict[Path, str]:
    """Read the sources of all crates, without the tests inside of files."""
    files = sorted((ROOT / "rust").glob("*/src/**/*.rs"))
    return {file: file.read_text("utf-8").partition("\n#[cfg(test)]\nmod ")[0] for file in files}


@cache
def python_files() -> dict[Path, str]:
    """Read the sources of the package."""
    files = sorted((ROOT / "python").rglob("*.py"))
    return {file: file.read_text("utf-8") for file in files}


def _lines(files: dict[Path, str]) -> int:
    return sum(text.count("\n") for text in files.values())


def _crate_lines() -> dict[str, int]:
    crates: dict[str, int] = {}
    for file, text in rust_files().items():
        crate = file.relative_to(ROOT / "rust").parts[0]
        crates[crate] = crates.get(crate, 0) + text.count("\n")
    return crates


def _matches(pattern: str) -> Iterator[re.Match[str]]:
    sought = re.compile(pattern, re.MULTILINE)
    return (found for text in rust_files().values() for found in sought.finditer(text))


def _one_word_share(pattern: str) -> float:
    names = [found[1] for found in _matches(pattern)]
    return 100 * sum("_" not in name for name in names) / len(names)


def _count(pattern: str) -> int:
    return sum(1 for _ in _matches(pattern))


def _files_with(words: tuple[str, ...], crate: str | None = None) -> int:
    texts = [
        text
        for file, text in [*rust_files().items(), *python_files().items()]
        if crate is None or not file.is_relative_to(ROOT / "rust" / crate)
    ]
    sought = [re.compile(rf"\b{word}\b") for word in words]
    return sum(all(word.search(text) for word in sought) for text in texts)


def _why_comments() -> float:
    reason = re.compile(
        r"^\s*// .*\b(because|so that|since|otherwise|else|would|may|can|could|must|only|until)\b"
    )
    lines = [line for text in rust_files().values() for line in text.splitlines()]
    return 100 * sum(reason.match(line) is not None for line in lines) / len(lines)


def _unusual_words() -> int:
    documents = [path.read_text("utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))]
    sought = re.compile(UNUSUAL_WORDS)
    texts = [*rust_files().values(), *python_files().values(), *documents]
    return sum(len(sought.findall(text)) for text in texts)


def _git_lines() -> int:
    tests = sorted((ROOT / "rust" / "git").glob("tests/**/*.rs"))
    return _crate_lines()["git"] + sum(file.read_text("utf-8").count("\n") for file in tests)


MEASURES = (
    Measure("lines of Rust without tests", lambda: _lines(rust_files()), 203_190, 128_000),
    Measure("lines of the Python package", lambda: _lines(python_files()), 45_572, 35_500),
    Measure("lines of the largest crate", lambda: max(_crate_lines().values()), 43_580, 13_000),
    Measure(
        "constants of one word, %",
        lambda: _one_word_share(r"^\s*(?:pub(?:\([^)]*\))? )?(?:const|static) ([A-Z]\w*):"),
        49.5,
        15,
    ),
    Measure("functions of one word, %", lambda: _one_word_share(r"\bfn ([a-z]\w*)"), 50.8, 30),
    Measure("parameters that are tuples", lambda: _count(r"^\s+\(\w+, [\w, ]+\): &?\("), 0, 5),
    Measure("paths that climb with super::super", lambda: _count(r"super::super"), 0, 20),
    Measure("results with a text as error", lambda: _count(r"Result<[^<>\n]*, String>"), 44, 10),
    Measure("results in results", lambda: _count(r"Result<Result<"), 10, 0),
    Measure(
        "files that name speckit outside of its crate", lambda: _files_with(("speckit",), "speckit"), 50, 20
    ),
    Measure("files that name all four first formats", lambda: _files_with(FOUR_FORMATS), 28, 8),
    Measure("lines compiled before tests of git run", _git_lines, 15_400, 25_000),
    Measure("lines with a comment that gives a reason, %", _why_comments, 0.15, 2.5, more_is_better=True),
    Measure("uses of words that only this project has", _unusual_words, 750, 300),
)


def table() -> str:
    """Give the table: each measure, its value, the limit, the goal."""
    width = max(len(one.name) for one in MEASURES)
    rows = [f"{'':{width}}  {'now':>9}  {'limit':>9}  {'goal':>9}"]
    for one in MEASURES:
        sign = "" if one.holds() else "  fell back"
        rows.append(f"{one.name:{width}}  {one.value():9,.1f}  {one.limit:9,.1f}  {one.goal:9,.1f}{sign}")
    return "\n".join(rows)
