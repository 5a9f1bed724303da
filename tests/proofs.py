"""Which tests name which promises, read from their sources without running anything.

A Python test names its promises with `@pytest.mark.requirement("…")` on itself or its class, or in the
module's `pytestmark`; a Rust test with a comment `// proves: …, …` above it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]


class StrayProof(Exception):
    """A promise is named where no test is."""


@dataclass(frozen=True, slots=True)
class ProvingTest:
    """A test and the promises it names."""

    place: str
    """File and name, as pytest writes them."""
    ids: tuple[str, ...]


def python_tests() -> list[ProvingTest]:
    """Find all Python tests, also those that name no promise."""
    files = sorted((ROOT / "tests").rglob("test_*.py"))
    return [test for file in files for test in python_tests_in(file.read_text("utf-8"), _shown(file))]


def rust_tests() -> list[ProvingTest]:
    """Find the Rust tests that name a promise."""
    folders = (crate / kind for crate in (ROOT / "rust").iterdir() for kind in ("tests", "src"))
    files = sorted(file for folder in folders for file in folder.rglob("*.rs"))
    return [test for file in files for test in rust_tests_in(file.read_text("utf-8"), _shown(file))]


def _shown(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def python_tests_in(source: str, file: str) -> list[ProvingTest]:
    """Find the tests of a Python module.

    Raises:
        StrayProof: For a mark that stands elsewhere, or does not spell out its promises.
    """
    module = ast.parse(source)
    found: list[ProvingTest] = []
    read: set[ast.expr] = set()

    def visit(body: list[ast.stmt], place: str, inherited: list[ast.Call]) -> None:
        for node in body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark":
                values = node.value.elts if isinstance(node.value, ast.List | ast.Tuple) else [node.value]
                inherited = [*inherited, *_marks(values)]
        read.update(inherited)
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
                visit(node.body, f"{place}::{node.name}", [*inherited, *_marks(node.decorator_list)])
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                marks = [*inherited, *_marks(node.decorator_list)]
                read.update(marks)
                ids = [id for mark in marks for id in _ids(mark, file)]
                found.append(ProvingTest(f"{place}::{node.name}", tuple(ids)))

    visit(module.body, file, [])
    for node in ast.walk(module):
        if isinstance(node, ast.expr) and _marks([node]) and node not in read:
            raise StrayProof(f"{file}:{node.lineno}: the mark stands on no test, class or module")
    return found


def _marks(nodes: Iterable[ast.expr]) -> list[ast.Call]:
    calls = (node for node in nodes if isinstance(node, ast.Call))
    return [call for call in calls if ast.unparse(call.func) == "pytest.mark.requirement"]


def _ids(mark: ast.Call, file: str) -> list[str]:
    ids = [id.value for id in mark.args if isinstance(id, ast.Constant) and isinstance(id.value, str)]
    if not ids or len(ids) != len(mark.args):
        raise StrayProof(f"{file}:{mark.lineno}: the mark does not spell out its promises")
    return ids


def rust_tests_in(source: str, file: str) -> list[ProvingTest]:
    """Find the tests of a Rust file that name a promise.

    Raises:
        StrayProof: For a comment that stands above no test.
    """
    found: list[ProvingTest] = []
    ids: list[str] = []
    is_test = False
    for number, line in enumerate(source.splitlines(), 1):
        words = line.strip()
        if words.startswith("// proves:"):
            ids += [id.strip() for id in words.removeprefix("// proves:").split(",")]
        elif words.startswith(("#[", "//")):
            is_test |= words.startswith("#[test]")
        elif function := re.match(r"fn (\w+)", words):
            if ids and not is_test:
                raise StrayProof(f"{file}:{number}: `{function[1]}` is no test")
            if ids:
                found.append(ProvingTest(f"{file}::{function[1]}", tuple(ids)))
            ids, is_test = [], False
        elif ids:
            raise StrayProof(f"{file}:{number}: `// proves:` stands above no test")
        else:
            is_test = False
    if ids:
        raise StrayProof(f"{file}: `// proves:` stands above no test")
    return found
