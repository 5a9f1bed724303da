"""Pictures and tables as the binding hands them out; what they look like is tested in Rust."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from chant_mcp import errors
from chant_mcp._core import Network, item_table

SVG = "{http://www.w3.org/2000/svg}"


def plan() -> Network:
    """Plan is done; build and docs wait for it, ship for both."""
    edges = [("plan", "build"), ("plan", "docs"), ("build", "ship"), ("docs", "ship")]
    return Network(edges, done=["plan"])


def words(svg: str) -> set[str]:
    """All texts of a picture."""
    return {text.text or "" for text in ET.fromstring(svg).iter(f"{SVG}text")}


@pytest.mark.requirement("graph:picture:stands_alone")
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


@pytest.mark.requirement("graph:picture:stands_alone")
def test_without_a_choice_all_items_are_shown_and_themes_differ() -> None:
    network = plan()
    assert {"plan", "build", "docs", "ship"} <= words(network.svg())
    assert network.svg() == network.svg()
    auto, light, dark = (network.svg(theme=theme) for theme in ("auto", "light", "dark"))
    assert "prefers-color-scheme" in auto
    assert "<style" not in light + dark
    assert light != dark


@pytest.mark.requirement("graph:picture:clipped_and_counted")
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


@pytest.mark.requirement("graph:picture:texts_for_mermaid_and_dot")
def test_texts_for_mermaid_and_dot() -> None:
    network = plan()
    assert network.mermaid().startswith("flowchart TD\n")
    mermaid = network.mermaid(["build", "ship"], labels=["Build", "Ship"], states=["active", "open"])
    assert '  n0["\u25d1 build<br/>Build"]:::active\n' in mermaid
    assert "  n0 --> n1\n" in mermaid
    assert '"build" -> "ship"\n' in network.dot()


@pytest.mark.requirement("graph:picture:wrong_words_are_refused")
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


@pytest.mark.requirement("graph:picture:lists_as_tables")
def test_a_list_is_a_table_in_html_and_as_text() -> None:
    html, text = item_table([("001", "Add <form>", "pending", ["002", "003"])], 12)
    table = ET.fromstring(html)
    cells = ["".join(cell.itertext()) for cell in table.iter("td")]
    assert cells == ["001", "Add <form>", "pending", "002, 003", "11 more"]
    assert text == "Key  Title       Status   Waits for\n001  Add <form>  pending  002, 003\n11 more\n"
