"""The page of studies says and shows what its notebooks do; UPDATE_SNAPS=1 stores their pictures for it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from docs.pages import blocks

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "guide" / "studies.md"


def linked(ending: str) -> list[Path]:
    """The files with an ending that the page leads to."""
    links = re.findall(rf"\]\(([^)]+\.{ending})\)", PAGE.read_text("utf-8"))
    return [(PAGE.parent / link).resolve() for link in links]


def cells() -> Iterator[Any]:
    """The cells of code of its notebooks."""
    for path in linked("ipynb"):
        yield from (cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")


def printed() -> str:
    """What its notebooks print."""
    return "".join(output.get("text", "") for cell in cells() for output in cell.outputs)


def numbers(text: str) -> set[str]:
    """The numbers of a text, without the names of quantiles."""
    return set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?", text))


def test_the_page_prints_lines_of_its_notebooks() -> None:
    lines = set(printed().splitlines())
    shown = [line for block in blocks(PAGE) if block.is_output for line in block.text.splitlines()]
    assert len(shown) > 20
    assert [line for line in shown if line not in lines] == []


def test_the_page_says_numbers_of_its_notebooks() -> None:
    prose = re.sub(r"```.*?```|\]\([^)]*\)|`[^`]*`", "", PAGE.read_text("utf-8"), flags=re.DOTALL)
    said = numbers(prose)
    assert len(said) > 15
    assert said - numbers(printed()) == set()


@pytest.mark.parametrize("picture", linked("svg"), ids=lambda path: path.stem)
def test_a_picture_of_the_page_is_that_of_a_notebook(picture: Path) -> None:
    (cell,) = (cell for cell in cells() if cell.id == picture.stem)
    (drawn,) = (output.data["image/svg+xml"] for output in cell.outputs if "data" in output)
    if os.environ.get("UPDATE_SNAPS"):
        picture.write_text(drawn, "utf-8")
    assert picture.read_text("utf-8") == drawn
