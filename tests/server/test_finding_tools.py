"""Tools are found by the words that people use, in hosts that search instead of listing all of them."""

from __future__ import annotations

from chant_mcp.run_server import listed
from chant_mcp.toolsets import toolsets
from server.ranking import missed, questions, searched, words

NAMES = [entry.name for tools in toolsets().values() for entry in tools]


def test_questions_are_about_every_tool_and_use_no_word_of_its_name() -> None:
    asked, kept = questions("asked"), questions("kept")
    assert len(asked) >= 40
    assert len(kept) == 10
    assert {tool for tool, _ in asked} == set(NAMES)
    assert {tool for tool, _ in kept} <= set(NAMES)
    everything = [*asked, *kept]
    assert len({text for _, text in everything}) == len(everything)
    assert [(tool, text) for tool, text in everything if set(words(tool)) & set(words(text))] == []


def test_the_right_tool_is_among_the_first_three() -> None:
    listing = [listed(entry) for tools in toolsets().values() for entry in tools]
    texts = {tool["name"]: searched(tool) for tool in listing}
    asked, kept = questions("asked"), questions("kept")
    assert len(wrong := missed(texts, asked)) <= len(asked) // 10, wrong
    # Fewer of those that the descriptions were not written for.
    assert len(wrong := missed(texts, kept)) <= 3, wrong
