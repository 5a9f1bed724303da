"""Writes docs/tree.md: every source file with the first sentence of what it says of itself.

`python docs/tree.py` writes the page; `tests/house/test_tree.py` fails when it is not what this gives.
"""

from __future__ import annotations

import ast
import re
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "tree.md"
FOLDERS = (
    *sorted(f"rust/{crate.parent.name}/src" for crate in (ROOT / "rust").glob("*/src")),
    "python/chant_mcp",
    "bench",
    "release",
)
"""Folders whose files are listed; tests say by their names what they are."""

HEAD = """\
# The tree of files

Every source file with the first sentence of its own documentation. `python docs/tree.py` writes this page.
[ARCHITECTURE.md](../ARCHITECTURE.md) says what the folders own and what they must not know.
"""


def describe_file(file: Path) -> str:
    """Give the first sentence of a file's documentation.

    Args:
        file: A file of Rust or Python.

    Returns:
        The sentence on one line, without its full stop; empty where the file says nothing of itself.
    """
    text = file.read_text("utf-8")
    if file.suffix == ".rs":
        lines = takewhile(lambda line: line.startswith("//!"), text.splitlines())
        text = "\n".join(line.removeprefix("//!").strip() for line in lines)
    else:
        text = ast.get_docstring(ast.parse(text)) or ""
    paragraph = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=\.)\s", paragraph)[0].rstrip(".:")


def write_tree() -> str:
    """Give the page as it has to be.

    Returns:
        Markdown: a heading for each folder with files, a line for each file.
    """
    parts = [HEAD]
    for top in FOLDERS:
        files = sorted(file for kind in ("*.rs", "*.py") for file in (ROOT / top).rglob(kind))
        for folder in sorted({file.parent for file in files}):
            parts.append(f"\n## {folder.relative_to(ROOT).as_posix()}/\n\n")
            parts.extend(
                f"- `{file.name}`: {describe_file(file)}\n" for file in files if file.parent == folder
            )
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(write_tree(), "utf-8")
