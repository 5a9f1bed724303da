"""Answers to the widget of a notebook: levels of a graph, what hangs on an item, its text, former states.

It knows nothing of notebooks. Questions and answers are plain values, and each answer is bounded, however
large the graph is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from chant_mcp.errors import ChantError, InvalidArgumentError
from chant_mcp.picture_levels import (
    GraphLevel,
    LevelBox,
    count_states,
    count_words,
    find_level,
    find_path,
    name_state,
    read_labels,
    read_states,
    summed_state,
)

if TYPE_CHECKING:
    from chant_mcp.graph import Graph

__all__ = ["GraphExplorer"]

Data: TypeAlias = dict[str, Any]

_FOUND = 20
"""How many items a search gives."""

_TEXT = 20_000
"""How many characters of an item's text are given."""

_TITLE = 300

_COMMITS = 40
"""How many commits the time slider has by default."""

_KEPT = 8
"""Of how many revisions and levels the last answers are kept."""


class GraphExplorer:
    """Answers the questions of a widget.

    Args:
        graph: The graph.
        revisions: Commits, the oldest first, as revisions of git; the last 40 without them.

    Example:
        >>> graph = chant_mcp.Graph.from_edges([("design", "build"), ("build", "ship")], done=["design"])
        >>> explorer = GraphExplorer(graph)
        >>> answer = explorer.answer({"ask": "select", "key": "build"})
        >>> answer["before"], answer["after"]
        (1, 1)
    """

    def __init__(self, graph: Graph, revisions: Sequence[str] | None = None) -> None:
        """Read the commits; states of the past are read when they are asked for."""
        self._graph = graph
        self._levels: dict[tuple[int, ...], GraphLevel] = {}
        self._states: dict[str, dict[str, str]] = {"": read_states(graph)}
        self.commits = self._read_commits(revisions)
        """The steps of the time slider, the oldest first: `revision`, `time` (ISO 8601) and `subject`."""

    def answer(self, question: Mapping[str, Any]) -> Data:
        """Answer a question; what went wrong is an `error` in words.

        Args:
            question: `ask` is `look`, `select`, `find` or `lead`; each has keywords of its own.
        """
        answers: dict[str, Callable[[Mapping[str, Any]], Data]] = {
            "look": self._look,
            "select": self._select,
            "find": self._find,
            "lead": self._lead,
        }
        try:
            answer = answers.get(str(question.get("ask")))
            if answer is None:
                raise InvalidArgumentError("The question is none of: look, select, find, lead.")
            return answer(question)
        except ChantError as error:
            return {"error": str(error)}

    def _look(self, question: Mapping[str, Any]) -> Data:
        """A level: its picture, its boxes, and the way to it."""
        path = _path_of(question)
        level = self._level(path)
        then = self._states_at(str(question.get("revision") or ""))
        boxes = [self._row(place, box, then) for place, box in enumerate(level.boxes)]
        figures = [_figure(box, row) for box, row in zip(level.boxes, boxes, strict=True)]
        scene = level.network.scene([box.key for box in level.boxes], figures)
        crumbs: list[Data] = [{"label": "All", "path": []}]
        for end in range(1, len(path) + 1):
            label = self._level(path[: end - 1]).boxes[path[end - 1]].label
            crumbs.append({"label": _shortened(label), "path": path[:end]})
        return {
            "path": path,
            "scene": json.loads(scene),
            "boxes": boxes,
            "crumbs": crumbs,
            "total": len(self._graph),
            "states": count_words(count_states(then, self._graph)) or "none of them there yet",
        }

    def _row(self, place: int, box: LevelBox, then: Mapping[str, str]) -> Data:
        shares = count_states(then, box.items)
        key = "" if box.is_cluster else box.items[0]
        return {
            "place": place,
            "key": key,
            "label": _shortened(box.label),
            "count": len(box.items),
            "shares": shares,
            "words": _words(box, shares),
        }

    def _select(self, question: Mapping[str, Any]) -> Data:
        """What an item or a cluster waits for and holds up, here and in all, and the item's text."""
        keys = self._keys_of(question)
        network = self._graph.network
        before, after = set(network.ancestors(keys)), set(network.impact(keys))
        level = self._level(_path_of(question))
        marks = [_mark(box.items, before, after) for box in level.boxes]
        answer: Data = {"before": len(before), "after": len(after), "marks": marks}
        if len(keys) == 1:
            answer |= self._item(keys[0])
        return answer

    def _keys_of(self, question: Mapping[str, Any]) -> list[str]:
        if "key" in question:
            return [self._key_of(question)]
        boxes = self._level(_path_of(question)).boxes
        place = question.get("place")
        if not isinstance(place, int) or not 0 <= place < len(boxes):
            raise InvalidArgumentError("There is no such box on this level of the graph.")
        return list(boxes[place].items)

    def _item(self, key: str) -> Data:
        graph = self._graph
        status = graph.attribute(key, "status") if "status" in graph.attributes else None
        item = {
            "key": key,
            "title": _shortened(read_labels(graph, [key])[0]),
            "status": str(status or self._states[""].get(key, "")),
        }
        return item | self._text(key)

    def _text(self, key: str) -> Data:
        """The text of an item as it is now; none where it has no file here."""
        workspace = self._graph.workspace
        try:
            body = "" if workspace is None else str(getattr(workspace[key], "body", "")).strip("\n")
        except ChantError:
            body = ""  # such as one that is only named, or one that is gone since
        return {"text": body[:_TEXT], "left_out": max(0, len(body) - _TEXT)}

    def _find(self, question: Mapping[str, Any]) -> Data:
        """Items whose title or key has these words."""
        words = str(question.get("text") or "").casefold().split()
        keys = list(self._graph)
        labels = read_labels(self._graph, keys)
        rows = zip(keys, labels, strict=True)
        found = [row for row in rows if words and all(word in " ".join(row).casefold() for word in words)]
        states = self._states[""]
        shown = [
            {"key": key, "label": _shortened(label), "state": states[key]} for key, label in found[:_FOUND]
        ]
        return {"items": shown, "total": len(found)}

    def _lead(self, question: Mapping[str, Any]) -> Data:
        """The level on which an item has a box of its own."""
        return self._look({**question, "path": find_path(self._graph, self._key_of(question))})

    def _key_of(self, question: Mapping[str, Any]) -> str:
        key = self._graph.key(str(question.get("key")))
        self._graph.network.index(key)  # or it is refused with the names that are like it
        return key

    def _level(self, path: Sequence[int]) -> GraphLevel:
        return _kept(self._levels, tuple(path), lambda: find_level(self._graph, path))

    def _states_at(self, revision: str) -> dict[str, str]:
        return _kept(self._states, revision, lambda: read_states(self._graph.read_revision(revision)))

    def _read_commits(self, revisions: Sequence[str] | None) -> list[Data]:
        workspace = self._graph.workspace
        if revisions is not None:
            return [{"revision": revision, "time": "", "subject": revision} for revision in revisions]
        if workspace is None:
            return []
        return [
            {"revision": commit.id, "time": commit.time.isoformat(), "subject": _shortened(commit.subject)}
            for commit in reversed(workspace.recent_commits(_COMMITS))
        ]


def _kept(known: dict[Any, Any], key: Any, make: Callable[[], Any]) -> Any:
    """What is known already, else made; the oldest makes room, but not what the whole graph is now."""
    if key not in known:
        made = make()
        if len(known) > _KEPT:
            del known[next(other for other in known if other)]
        known[key] = made
    return known[key]


def _path_of(question: Mapping[str, Any]) -> list[int]:
    path: Any = question.get("path") or []
    try:
        return [int(place) for place in path]
    except (TypeError, ValueError):
        raise InvalidArgumentError("The path is none; a list of numbers was expected.") from None


def _figure(box: LevelBox, row: Data) -> tuple[str, str, str, str, str, list[tuple[str, int]]]:
    shares: list[tuple[str, int]] = row["shares"]
    state = summed_state(shares)
    words = f"{row['count']:,}: {row['words']}" if box.is_cluster else row["words"]
    look = f"tone-{state}" if shares else "absent"
    return row["label"], words, f"{row['label']}\n{words}", look, state, shares if box.is_cluster else []


def _words(box: LevelBox, shares: Sequence[tuple[str, int]]) -> str:
    """The states of what is in a box; of an item alone its state without a number."""
    if not shares:
        return "not there yet"
    return count_words(shares) if box.is_cluster else name_state(shares[0][0])


def _mark(items: Sequence[str], before: set[str], after: set[str]) -> str:
    """How a box stands to what is chosen: it waits for it, is waited for, both or neither."""
    is_before, is_after = not before.isdisjoint(items), not after.isdisjoint(items)
    return "both" if is_before and is_after else "before" if is_before else "after" if is_after else ""


def _shortened(text: str) -> str:
    return text if len(text) <= _TITLE else text[: _TITLE - 1] + "…"
