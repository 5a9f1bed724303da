"""The process in which a plugin's format reads and edits texts, held by the kernel.

It reads a question in a line and answers in one. What the plugin prints goes nowhere. Plugins count letters;
who asks counts bytes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate
from pathlib import Path
from typing import Any

from chant_mcp.plugins.quiet_output import failure_in_words, silence_output

_SPANS = ("span", "mark", "title_span", "details")


class LetterPlaces:
    """Turns places in letters of a text into places in bytes, and back."""

    def __init__(self, text: str) -> None:
        """Count once."""
        self._text = text
        sizes = (len(letter.encode()) for letter in text)
        self._bytes = None if text.isascii() else [0, *accumulate(sizes)]

    def span(self, given: Any) -> list[int]:
        """Give the first byte of a span, and the one behind its last.

        Raises:
            ValueError: It is no pair of numbers that lie in the text.
        """
        start, end = given
        if not 0 <= start <= end <= len(self._text):
            raise ValueError(f"the letters {start}..{end} lie outside of the text")
        return [start, end] if self._bytes is None else [self._bytes[start], self._bytes[end]]


def main() -> None:
    """Answer questions about the format that the arguments name, until nobody asks."""
    place, root = sys.argv[1:3]
    answers = silence_output()
    questions = sys.stdin.buffer
    given = _load(place, Path(root))

    def put(answer: Mapping[str, Any]) -> None:
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()

    put({"up": True})
    while line := questions.readline():
        question: dict[str, Any] = json.loads(line)
        try:
            if isinstance(given, BaseException):
                raise given
            put(_ANSWERS[question["ask"]](given, question))
        except BaseException as error:
            put({"failure": failure_in_words(error)})


def _load(place: str, root: Path) -> Any:
    """Import what an entry point names; give the error instead, for the first question."""
    from importlib.metadata import EntryPoint

    from chant_mcp.plugins.installed import drop_folders_in

    try:
        # A folder never chooses what is imported.
        drop_folders_in(root)
        return EntryPoint("format", place, "").load()
    except BaseException as error:
        return error


def _scope(given: Any, question: Mapping[str, Any]) -> dict[str, Any]:
    return {"scope": dict(given.scope)}


def _read(given: Any, question: Mapping[str, Any]) -> dict[str, Any]:
    places = LetterPlaces(question["text"])
    return {"items": [_item(item, places) for item in given.read(question["path"], question["text"])]}


def _item(item: Mapping[str, Any], places: LetterPlaces) -> dict[str, Any]:
    spans = {name: places.span(item[name]) for name in _SPANS if item.get(name) is not None}
    inner = {
        name: [{**one, **_spans_of(one, places)} for one in _listed(item.get(name))]
        for name in ("criteria", "attributes")
    }
    return {**item, **spans, **inner}


def _spans_of(one: Mapping[str, Any], places: LetterPlaces) -> dict[str, Any]:
    return {name: places.span(one[name]) for name in _SPANS if name in one}


def _listed(given: Any) -> Iterable[Mapping[str, Any]]:
    return () if given is None else given


def _edit(given: Any, question: Mapping[str, Any]) -> dict[str, Any]:
    places = LetterPlaces(question["text"])
    asked = (question["path"], question["text"], question["item"], question["intent"])
    answer = given.edit(*asked)
    edits = [[*places.span((start, end)), text] for start, end, text in answer["edits"]]
    return {"edit": {"edits": edits, "added": answer.get("added")}}


_ANSWERS: dict[str, Callable[[Any, Mapping[str, Any]], dict[str, Any]]] = {
    "scope": _scope,
    "read": _read,
    "edit": _edit,
}

if __name__ == "__main__":
    main()
