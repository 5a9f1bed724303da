"""Done is a query: what is promised is proven, and every test says what it proves."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from proofs import ProvingTest, StrayProof, python_tests, python_tests_in, rust_tests, rust_tests_in
from requirements import AREAS, REQUIREMENTS, RepeatedPromise, Requirement, merged

pytestmark = pytest.mark.requirement("house:tests:promises_are_proven")

TABLES = Path(__file__).with_name("requirements")


@pytest.fixture(scope="module")
def tests() -> list[ProvingTest]:
    """All Python tests, and the Rust tests that name a promise."""
    return [*python_tests(), *rust_tests()]


def test_every_promise_that_is_built_is_proven(tests: list[ProvingTest]) -> None:
    proven = {id for test in tests for id in test.ids}
    missing = [id for id, requirement in REQUIREMENTS.items() if requirement.built and id not in proven]
    assert not missing, f"no test names these promises:\n{_lines(missing)}"


def test_every_promise_that_a_test_names_exists(tests: list[ProvingTest]) -> None:
    unknown = [f"{id} in {test.place}" for test in tests for id in test.ids if id not in REQUIREMENTS]
    assert not unknown, f"tests/requirements has no such promises:\n{_lines(unknown)}"


def test_no_promise_that_is_not_built_is_named(tests: list[ProvingTest]) -> None:
    unbuilt = {id for id, requirement in REQUIREMENTS.items() if not requirement.built}
    named = [f"{id} in {test.place}" for test in tests for id in test.ids if id in unbuilt]
    assert not named, f"these promises are flagged as not built, yet tests prove them:\n{_lines(named)}"


def test_every_python_test_names_a_promise() -> None:
    nameless = [test.place for test in python_tests() if not test.ids]
    assert not nameless, f"these tests name no promise:\n{_lines(nameless)}"


def test_every_promise_has_a_name_a_sentence_and_a_source() -> None:
    source = re.compile(r"(seed \w+:\d+|decisions \d|reference \w+|issue|house)\b.*")
    wrong = [
        id
        for id, requirement in REQUIREMENTS.items()
        if not re.fullmatch(r"\w+(:\w+){2}", id)
        or not requirement.sentence.endswith((".", "`"))
        or not all(source.fullmatch(part) for part in requirement.source.split("; "))
    ]
    assert not wrong, f"ill-formed promises:\n{_lines(wrong)}"


def test_every_file_of_promises_is_listed() -> None:
    files = {file for file in TABLES.rglob("*.py") if not file.name.startswith("__")}
    areas = {".".join(file.relative_to(TABLES).with_suffix("").parts) for file in files}
    unlisted = sorted(areas - set(AREAS))
    assert not unlisted, f"these files have no line in AREAS of tests/requirements:\n{_lines(unlisted)}"


def test_no_file_has_a_promise_twice() -> None:
    twice = [
        f"{id} in tests/requirements/{file.relative_to(TABLES).as_posix()}"
        for file in sorted(TABLES.rglob("*.py"))
        for id in _repeated_keys(file.read_text("utf-8"))
    ]
    assert not twice, f"these promises stand twice in their file:\n{_lines(twice)}"


def test_no_two_files_have_the_same_promise() -> None:
    promise = {"a:b:c": Requirement("It works.", "house")}
    with pytest.raises(
        RepeatedPromise, match=r"^a:b:c stands in tests/requirements/x/y\.py and in tests/requirements/z\.py$"
    ):
        merged({"x.y": promise, "other": {}, "z": promise})


def test_the_query_can_be_printed() -> None:
    done = subprocess.run([sys.executable, TABLES], check=True, capture_output=True, encoding="utf-8")
    built = sum(requirement.built for requirement in REQUIREMENTS.values())
    assert f"\nall: {len(REQUIREMENTS)} promises, {built} built, " in done.stdout


# The scan itself


def test_a_key_that_stands_twice_is_found() -> None:
    assert _repeated_keys('REQUIREMENTS: dict[str, int] = {"a": 1, "b": 2, "a": 1}') == ["a"]
    assert _repeated_keys('REQUIREMENTS: dict[str, int] = {"a": 1, "b": 2}') == []


def test_marks_are_read_from_test_class_and_module() -> None:
    source = """
pytestmark = [pytest.mark.anyio, pytest.mark.requirement("m")]

@pytest.mark.requirement("a", "b")
@pytest.mark.requirement("c")
async def test_one(): ...

def helper(): ...

@pytest.mark.requirement("k")
class TestMany:
    pytestmark = pytest.mark.requirement("p")

    @pytest.mark.parametrize("x", [1])
    def test_two(self, x): ...
"""
    assert python_tests_in(source, "f.py") == [
        ProvingTest("f.py::test_one", ("m", "a", "b", "c")),
        ProvingTest("f.py::TestMany::test_two", ("m", "k", "p")),
    ]
    assert python_tests_in("def test_bare(): ...", "f.py") == [ProvingTest("f.py::test_bare", ())]


@pytest.mark.parametrize(
    "source",
    [
        '@pytest.mark.requirement("a")\ndef helper(): ...',
        'ALL = [pytest.param(1, marks=pytest.mark.requirement("a"))]',
        "@pytest.mark.requirement(NAME)\ndef test_one(): ...",
        "@pytest.mark.requirement()\ndef test_one(): ...",
    ],
)
def test_a_mark_that_proves_nothing_is_refused(source: str) -> None:
    with pytest.raises(StrayProof, match=r"^f\.py:\d+: "):
        python_tests_in(source, "f.py")


def test_comments_above_rust_tests_are_read() -> None:
    source = """
    // proves: a, b
    // proves: c
    /// What it is about.
    #[test]
    fn one() {}

    #[test]
    fn two() {}
"""
    assert rust_tests_in(source, "f.rs") == [ProvingTest("f.rs::one", ("a", "b", "c"))]


@pytest.mark.parametrize(
    "source", ["// proves: a\nfn helper() {}", "// proves: a\n\n#[test]\nfn one() {}", "// proves: a"]
)
def test_a_comment_above_no_rust_test_is_refused(source: str) -> None:
    with pytest.raises(StrayProof, match=r"^f\.rs"):
        rust_tests_in(source, "f.rs")


def _repeated_keys(source: str) -> list[str]:
    """The keys that a table names again: Python itself keeps the last and says nothing."""
    tables = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Dict))
    keys = [key.value for table in tables for key in table.keys if isinstance(key, ast.Constant)]
    return [str(key) for number, key in enumerate(keys) if key in keys[:number]]


def _lines(items: list[str]) -> str:
    return "\n".join(f"  {item}" for item in items)
