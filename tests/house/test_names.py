"""The shape of the core: names are unique, comments say what things are, files form no circles."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from bench.shape import (
    find_circles,
    find_duplicates,
    find_public_types,
    first_doc_lines,
    is_one_word,
    list_duplicates,
    read_core,
)

ROOT = Path(__file__).parents[2]


def test_no_two_public_types_have_one_name() -> None:
    assert list_duplicates() == []


def test_files_of_specs_and_runs_are_short_and_form_no_large_circle() -> None:
    files = [file for file in read_core() if file.module[0] in ("specs", "spec-runs")]
    assert {file.module[0] for file in files} == {"specs", "spec-runs"}
    assert [circle for circle in find_circles(files) if len(circle) > 3] == []
    assert [file.name for file in files if file.text.count("\n") > 600] == []


def test_most_names_of_types_have_two_words() -> None:
    names = find_public_types(read_core())
    assert len(names) > 600
    assert sum(map(is_one_word, names)) < len(names) / 10


def test_comments_do_not_open_with_a_question() -> None:
    docs = [line for file in read_core() for line in first_doc_lines(file)]
    questions = [line for line in docs if re.match(r"(What|Whether|Who|How|That)\b", line)]
    assert len(docs) > 8_000
    assert len(questions) < len(docs) * 0.01, questions[:20]


def test_no_two_public_classes_of_the_package_have_one_name() -> None:
    files = sorted((ROOT / "python").rglob("*.py"))
    bodies = [ast.parse(file.read_text("utf-8")).body for file in files]
    names = [node.name for body in bodies for node in body if isinstance(node, ast.ClassDef)]
    public = [name for name in names if not name.startswith("_")]
    assert len(public) > 100
    assert find_duplicates(public) == {}
