"""Pictures and tables as the binding hands them out; what they look like is tested in Rust."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from chant_mcp import errors
from chant_mcp._core import Network, item_table
from chant_mcp.graph import Graph
from chant_mcp.notebook.explorer import GraphExplorer
from chant_mcp.notebook.widget import _widget_class  # pyright: ignore[reportPrivateUsage]
from chant_mcp.picture_levels import find_level, find_path

SVG = "{http://www.w3.org/2000/svg}"


def plan() -> Network:
    """Plan is done; build and docs wait for it, ship for both."""
    edges = [("plan", "build"), ("plan", "docs"), ("build", "ship"), ("docs", "ship")]
    return Network(edges, done=["plan"])


def words(svg: str) -> set[str]:
    """All texts of a picture."""
    return {text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text")}


def test_a_picture_says_what_it_was_told() -> None:
    svg = plan().svg(
        ["plan", "build", "docs", "ship"],
        labels=["Plan", "Build it", "Write <docs>", "Ship"],
        groups=["chant", "chant", "vine", "vine"],
        titles=["Why", "", "", ""],
        heat=[0.0, 0.5, 1.0, 0.2],
        heat_name="slack",
        focus=["docs"],
        critical=["build", "ship"],
        name="Release",
    )
    picture = ET.fromstring(svg)
    assert picture.get("aria-label") == "Release: 4 items; 1 done, 2 ready, 1 open"
    assert {"plan", "Build it", "Write <docs>", "vine", "slack: low", "critical path", "in focus"} <= words(
        svg
    )
    assert "Why" in {title.text for title in picture.iter(f"{SVG}title")}


def test_without_a_choice_all_items_are_shown_and_themes_differ() -> None:
    network = plan()
    assert {"plan", "build", "docs", "ship"} <= words(network.svg())
    assert network.svg() == network.svg()
    auto, light, dark = (network.svg(theme=theme) for theme in ("auto", "light", "dark"))
    assert "light-dark(" in auto
    assert "<style" not in light + dark
    assert light != dark


def test_a_large_graph_is_clipped_and_the_rest_counted() -> None:
    network = Network([(str(item // 2), str(item)) for item in range(1, 10_000)])
    shown = network.clip(20)
    assert len(shown) == 20
    others = [word for word in words(network.svg(shown.keys())) if word.startswith("+")]
    assert others
    assert list(network.clip(5, focus=["77"], depth=1)) == ["38", "77", "154", "155"]
    assert "9999" in network.clip(3, first=["9999"])
    with pytest.raises(errors.InvalidArgumentError, match="at most 500 for a picture; `clip` chooses them"):
        network.svg()


def test_texts_for_mermaid_and_dot() -> None:
    network = plan()
    assert network.mermaid().startswith("flowchart TD\n")
    mermaid = network.mermaid(["build", "ship"], labels=["Build", "Ship"], states=["active", "open"])
    assert '  n0["\u25d1 build<br/>Build"]:::active\n' in mermaid
    assert "  n0 --> n1\n" in mermaid
    assert '"build" -> "ship"\n' in network.dot()


def test_what_does_not_fit_is_refused() -> None:
    network = plan()
    with pytest.raises(
        errors.InvalidArgumentError, match="`labels` is 1 long for 4 items, expected none, or one"
    ):
        network.svg(labels=["only one"])
    with pytest.raises(
        errors.InvalidArgumentError, match="`theme` is blue, expected `auto`, `light` or `dark`"
    ):
        network.svg(theme="blue")
    with pytest.raises(errors.NotFoundError, match="Did you mean `build`"):
        network.svg(focus=["buidl"])


def test_a_list_is_a_table_in_html_and_as_text() -> None:
    html, text = item_table([("001", "Add <form>", "pending", ["002", "003"])], 12)
    table = ET.fromstring(html)
    cells = ["".join(cell.itertext()) for cell in table.iter("td")]
    assert cells == ["001", "Add <form>", "pending", "002, 003", "11 more"]
    assert text == "Key  Title       Status   Waits for\n001  Add <form>  pending  002, 003\n11 more\n"


def large_graph(items: int) -> Graph:
    """Three plans of tasks that wait for one another, and a tree of specs."""
    tasks = [f"vine:p{at % 3}.vine#t{at // 3}" for at in range(30)]
    chains = [(before, after) for before, after in zip(tasks, tasks[3:], strict=False)]
    specs = [f"chant:s{at}" for at in range(items - len(tasks))]
    tree = [(specs[at // 3], specs[at]) for at in range(1, len(specs))]
    return Graph.from_edges([*chains, *tree], done=specs[:10], attributes={"title": {specs[0]: "The <root>"}})


def test_thousands_of_items_are_shown_in_clusters() -> None:
    graph = large_graph(3000)
    picture = graph.show(limit=3000)
    assert len(set(picture.items)) == 3000
    root = ET.fromstring(picture.svg)
    label = root.get("aria-label") or ""
    assert label.startswith("Graph: 3,000 items as ")
    assert label.endswith("; 10 done, 23 ready, 2,967 open")
    level = find_level(graph)
    assert len(level.boxes) <= 40
    counts = [word for word in words(picture.svg) if re.match(r"\d+: ", word)]
    assert counts
    titles = [title.text or "" for title in root.iter(f"{SVG}title")]
    assert any(re.search(r"and \d+ more\n[\d,]+: .* open", title) for title in titles)
    assert graph.show(limit=500).items != picture.items, "at most 500 are shown one by one"


def test_a_plan_stays_together_and_each_item_is_found_in_the_end() -> None:
    graph = large_graph(600)
    plan = [box for box in find_level(graph, find_path(graph, "vine:p1.vine#t4")).boxes if box.items]
    assert {box.items[0] for box in plan} == {f"vine:p1.vine#t{at}" for at in range(10)}
    for key in ("chant:s0", "chant:s569"):
        path = find_path(graph, key)
        assert (key,) in [box.items for box in find_level(graph, path).boxes]
    with pytest.raises(errors.NotFoundError, match="no cluster 99 on this level"):
        find_level(graph, [99])


def test_what_a_widget_asks_is_answered_within_bounds() -> None:
    graph = large_graph(10_000)
    explorer = GraphExplorer(graph)
    view = explorer.answer({"ask": "look"})
    assert len(view["boxes"]) <= 40
    assert sum(box["count"] for box in view["boxes"]) == view["total"] == 10_000
    assert len(json.dumps(view)) < 200_000
    found = explorer.answer({"ask": "find", "text": "the <ROOT>"})
    assert found == {"items": [{"key": "chant:s0", "label": "The <root>", "state": "done"}], "total": 1}
    assert len(explorer.answer({"ask": "find", "text": "chant"})["items"]) == 20
    led = explorer.answer({"ask": "lead", "key": "chant:s9000"})
    assert "chant:s9000" in [box["key"] for box in led["boxes"]]
    chosen = explorer.answer({"ask": "select", "key": "chant:s1", "path": led["path"]})
    assert (chosen["before"], chosen["title"], chosen["text"]) == (1, "chant:s1", "")
    assert len(chosen["marks"]) == len(led["boxes"])
    assert explorer.answer({"ask": "select", "key": "chant:s9000"})["after"] == 0
    for wrong in (
        {"ask": "dance"},
        {"ask": "look", "path": "x"},
        {"ask": "look", "path": [-1]},
        {"ask": "lead", "key": "no"},
    ):
        assert explorer.answer(wrong)["error"]
    assert "no history" in explorer.answer({"ask": "look", "revision": "HEAD"})["error"]


def test_without_anywidget_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    _widget_class.cache_clear()
    with pytest.raises(errors.RefusedError, match=r"pip install 'chant-mcp\[notebook\]'"):
        large_graph(40).explore()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_widget_answers_what_its_page_asks() -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    _widget_class.cache_clear()
    widget = large_graph(40).explore()
    sent: list[Any] = []
    widget.send = sent.append
    widget._handle_custom_msg({"id": 3, "ask": "find", "text": "s7"}, [])
    assert sent[0]["id"] == 3
    assert sent[0]["answer"]["total"] == 1
    assert len(widget.opening["view"]["boxes"]) <= 40
    assert "export default" in widget._esm
    shown = widget._repr_mimebundle_()[0]
    assert {"application/vnd.jupyter.widget-view+json", "image/svg+xml", "text/plain"} <= set(shown)
