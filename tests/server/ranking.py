"""How hosts that search tools find them: BM25 over names, descriptions and names of parameters."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "questions"

_FREQUENT = """
    a am an and are as at be been but by can do does for from had has have how i in into is it its me my not
    of off on or our so that the their them there these they this those to up was we were what when where
    which while who why will with you your
"""
"""Words that say nothing about what is looked for."""

_ENDINGS = (
    "ations",
    "ation",
    "ating",
    "ated",
    "ates",
    "ate",
    "ings",
    "ing",
    "ies",
    "ed",
    "es",
    "s",
    "e",
    "y",
)

_SATURATION = 1.2
_LENGTH_WEIGHT = 0.75


def questions(name: str) -> list[tuple[str, str]]:
    """Give the questions of a file, each after the tool that answers it."""
    return [(tool, text) for tool, text in json.loads((_FOLDER / f"{name}.json").read_text("utf-8"))]


def words(text: str) -> list[str]:
    """Give the stems of the words of a text, in their order, without those that say nothing."""
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).lower()
    return [_stem(word) for word in re.findall(r"[a-z0-9]+", apart) if word not in _FREQUENT.split()]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def searched(tool: Mapping[str, Any]) -> str:
    """Give what is searched of an entry of the listing."""
    return " ".join([tool["name"], tool["description"], *tool["inputSchema"]["properties"]])


def ranked(texts: Mapping[str, str], question: str) -> list[str]:
    """Give the names of texts, the one that fits a question best first."""
    counts = {name: Counter(words(text)) for name, text in texts.items()}
    lengths = {name: sum(found.values()) for name, found in counts.items()}
    mean = sum(lengths.values()) / len(lengths)

    def score(name: str) -> float:
        weight = 1 - _LENGTH_WEIGHT + _LENGTH_WEIGHT * lengths[name] / mean
        return sum(
            _rarity(word, counts)
            * counts[name][word]
            * (_SATURATION + 1)
            / (counts[name][word] + _SATURATION * weight)
            for word in words(question)
        )

    return sorted(texts, key=score, reverse=True)


def _rarity(word: str, counts: Mapping[str, Counter[str]]) -> float:
    holding = sum(word in found for found in counts.values())
    return math.log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))


def missed(
    texts: Mapping[str, str], asked: Sequence[tuple[str, str]], most: int = 3
) -> list[tuple[str, str, list[str]]]:
    """Give the questions whose tool is not among the first few, with those that are."""
    return [
        (tool, question, found)
        for tool, question in asked
        if tool not in (found := ranked(texts, question)[:most])
    ]
