"""What the four documents promise is proven: a line for each in `seed_promises.tsv`, which tests name.

A line has the name of a promise, its source (`seed chant:412` is a line of that document), and what a user
sees. All other
tests say by their own names what they promise.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from proofs import ProvingTest, StrayProof, python_tests, python_tests_in, rust_tests, rust_tests_in

TABLE = Path(__file__).with_name("seed_promises.tsv")
ROWS = [line.split("\t") for line in TABLE.read_text("utf-8").splitlines()]


def test_every_promise_is_proven_and_every_name_is_a_promise() -> None:
    named = {id: test.place for test in [*python_tests(), *rust_tests()] for id in test.ids}
    promised = {name for name, _, _ in ROWS}
    assert sorted(promised - set(named)) == [], "no test names these promises"
    assert {id: place for id, place in named.items() if id not in promised} == {}


def test_every_promise_has_a_name_of_its_own_a_source_and_a_sentence() -> None:
    assert len({row[0] for row in ROWS}) == len(ROWS) > 300
    for name, source, sentence in ROWS:
        assert re.fullmatch(r"\w+(:\w+){2}", name), name
        assert re.search(r"\bseed (chant|vine|speckit|tickets):\d+", source), name
        assert sentence.endswith((".", "`")), name


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
    source = "\n    // proves: a, b\n    /// What it is about.\n    #[test]\n    fn one() {}\n"
    assert rust_tests_in(source, "f.rs") == [ProvingTest("f.rs::one", ("a", "b"))]


@pytest.mark.parametrize(
    "source", ["// proves: a\nfn helper() {}", "// proves: a\n\n#[test]\nfn one() {}", "// proves: a"]
)
def test_a_comment_above_no_rust_test_is_refused(source: str) -> None:
    with pytest.raises(StrayProof, match=r"^f\.rs"):
        rust_tests_in(source, "f.rs")
