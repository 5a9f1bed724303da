"""Parts of graphs and of lists: by name, by what leads there, and by a filter."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import networkx as nx
import pytest
from api.projects import FIRST, fill
from chant_mcp import Graph, errors, open
from harness import Project
from hypothesis import given, settings
from hypothesis import strategies as st

KEYS = st.sampled_from("abcdef")
VALUES: dict[str, dict[str, Any]] = {
    "days": {"a": 1, "b": 5, "c": 2.5},
    "team": {"a": "web", "b": "core", "d": "web"},
    "late": {"a": True, "b": False, "c": False, "d": True},
}
TEXTS = ["days", "team", "late", "done", "3", "2.5", "'web'", "None", "True", "('web', 'core')"]


def plan() -> Graph:
    return Graph.from_edges([("a", "b"), ("b", "c"), ("a", "d")], done=["a"], attributes=VALUES)


@settings(max_examples=40)
@given(st.lists(st.tuples(KEYS, KEYS)), st.sets(KEYS))
def check_subgraph(edges: list[tuple[str, str]], wanted: set[str]) -> None:
    graph = Graph.from_edges(edges, nodes="abcdef", done="ab", attributes={"days": {"c": 3, "d": 4}})
    part, other = graph.subgraph(wanted), graph.to_networkx().subgraph(wanted)
    assert list(part) == [key for key in graph if key in wanted]
    assert set(part.edges) == set(other.edges)
    assert {key: part.is_done(key) for key in part} == {key: graph.is_done(key) for key in part}
    assert {key: part.attribute(key, "days") for key in part} == dict(other.nodes(data="days"))
    for key in part:
        assert set(part.descendants(key)) == nx.descendants(other, key) - {key}
        assert set(part.ancestors(key)) == nx.ancestors(other, key) - {key}


def test_a_part_has_its_items_their_edges_and_attributes() -> None:
    check_subgraph()


@pytest.mark.parametrize(
    ("expression", "keys"),
    [
        ("days > 2", "bc"),
        ("not done", "bcd"),
        ("1 <= days < 5", "ac"),
        ("days == None", "d"),
        ("team is not None and (late or days == 5)", "abd"),
        ("team in ('web', \"core\")", "abd"),
        ("team not in ['web']", "b"),
        ("'e' in team", "abd"),
        ("days != 5 and days > -1", "ac"),
        ("key >= 'b' and elsewhere == False and repo is None", "bcd"),
        ("True", "abcd"),
    ],
)
def test_a_filter_keeps_what_it_says(expression: str, keys: str) -> None:
    assert list(plan().filter(expression)) == list(keys)


@st.composite
def expressions(draw: st.DrawFn) -> str:
    """Comparisons of columns and values, joined."""
    words = st.sampled_from(["==", "!=", "<", ">=", "in", "not in", "is"])
    pairs = draw(st.lists(st.tuples(st.sampled_from(TEXTS), words, st.sampled_from(TEXTS)), min_size=1))
    joined = [f"{draw(st.sampled_from(['', 'not ']))}({' '.join(pair)})" for pair in pairs]
    return draw(st.sampled_from([" and ", " or "])).join(joined)


@settings(max_examples=40)
@given(expressions())
def check_answer_or_refusal(expression: str) -> None:
    with suppress(errors.InvalidArgumentError):
        assert set(plan().filter(expression)) <= set("abcd")


def test_a_filter_answers_or_is_refused() -> None:
    check_answer_or_refusal()


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (
            "dyas > 2",
            "names `dyas`, expected one of the columns: key, repo, done, elsewhere, days, team, late",
        ),
        ("days >", "is no expression: invalid syntax"),
        ("", "is no expression"),
        ("len(team) > 2", r"holds `len\(team\)`, expected names of columns, values, comparisons"),
        ("team.__class__", "holds `team.__class__`"),
        ("[key for key in team]", "holds `\\[key for key in team\\]`"),
        ("team[0] == 'w'", "holds `team\\[0\\]`"),
        ("(lambda: 1)()", "holds"),
        ("days is 3", "holds `days is 3`"),
        ("days > 'x'", "compares what it cannot: '>' not supported"),
        ("not " * 600, "at most 2000 characters"),
        ("(" * 600, "is no expression"),
        (3, "A filter is a text"),
    ],
)
def test_what_is_no_filter_is_refused(expression: Any, words: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=words):
        plan().filter(expression)


def test_lists_of_handles_have_the_same_filters(project: Project) -> None:
    ws = open(fill(project).root)
    assert [spec.id for spec in ws.specs.filter("'api' in labels and status == 'pending'")] == [FIRST]
    expression = "dialect != 'chant' and ready"
    assert {item.key for item in ws.items.filter(expression)} == set(ws.graph().filter(expression))
    assert len(ws.items.filter("repo == 'elsewhere' or completed_at > '2026'")) == 0
    with pytest.raises(
        errors.InvalidArgumentError, match="names `body`, expected one of the columns: key, repo"
    ):
        ws.items.filter("'x' in body")
