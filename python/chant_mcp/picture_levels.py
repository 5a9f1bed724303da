"""Large graphs level by level: clusters first, and what is in one of them when it is opened."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chant_mcp.errors import NotFoundError

if TYPE_CHECKING:
    from chant_mcp._core import Network
    from chant_mcp.graph import Graph

__all__ = [
    "GraphLevel",
    "LevelBox",
    "count_states",
    "count_words",
    "find_level",
    "find_path",
    "name_state",
    "read_labels",
    "read_states",
    "summed_state",
]

MOST = 40
"""How many boxes a level has at most, but where a plan or a feature is one of more tasks."""

_WORDS = {"active": "in progress", "reviewed": "in review"}
_SETTLED = ("done", "cancelled", "elsewhere")
_ORDER = (
    "done",
    "reviewed",
    "active",
    "ready",
    "planned",
    "open",
    "blocked",
    "failed",
    "cancelled",
    "elsewhere",
)


@dataclass(frozen=True, slots=True)
class LevelBox:
    """An item, or a cluster of several."""

    key: str
    """What it is called in the network of its level; of an item alone its own key."""
    label: str
    items: tuple[str, ...]
    """The keys of what is in it."""

    @property
    def is_cluster(self) -> bool:
        """Whether it can be opened."""
        return len(self.items) > 1


@dataclass(frozen=True, slots=True)
class GraphLevel:
    """Boxes that are shown together, with everything else of the graph around them."""

    network: Network
    boxes: tuple[LevelBox, ...]


def find_level(graph: Graph, path: Sequence[int] = ()) -> GraphLevel:
    """Find the boxes of a level.

    Args:
        graph: The graph.
        path: The places of the clusters that are opened, from the first level on.

    Raises:
        NotFoundError: There is no such cluster.

    Example:
        >>> graph = chant_mcp.Graph.from_edges((str(item // 2), str(item)) for item in range(1, 3000))
        >>> level = find_level(graph)
        >>> len(level.boxes) <= 40, sum(len(box.items) for box in level.boxes)
        (True, 3000)
    """
    items = list(graph)
    for place in path:
        clusters = _divide(graph, items)
        if not 0 <= place < len(clusters) or len(clusters[place]) < 2:
            raise NotFoundError(f"There is no cluster {place} on this level of the graph.")
        items = clusters[place]
    clusters = _divide(graph, items)
    labels = read_labels(graph, [keys[0] for keys in clusters])
    names = [_name(keys, label) for keys, label in zip(clusters, labels, strict=True)]
    keyed = [keys[0] if len(keys) == 1 else name for keys, name in zip(clusters, names, strict=True)]
    network = graph.network.merge(clusters, keyed)
    known = network.nodes()[: len(clusters)].keys()
    boxes = zip(known, names, clusters, strict=True)
    return GraphLevel(network, tuple(LevelBox(key, name, tuple(keys)) for key, name, keys in boxes))


def find_path(graph: Graph, key: str) -> list[int]:
    """Find the clusters that have to be opened for an item to have a box of its own."""
    items, path = list(graph), list[int]()
    while True:
        clusters = _divide(graph, items)
        place = next(place for place, keys in enumerate(clusters) if key in keys)
        if len(clusters[place]) == 1:
            return path
        items = clusters[place]
        path.append(place)


def read_labels(graph: Graph, keys: Sequence[str]) -> list[str]:
    """Titles of items, keys where there is none."""
    if "title" not in graph.attributes:
        return list(keys)
    return [str(graph.attribute(key, "title") or key) for key in keys]


def read_states(graph: Graph) -> dict[str, str]:
    """The state of each item as it is drawn: as its documents say, else `done`, `ready` or `open`."""
    if "tone" in graph.attributes:
        return dict(zip(graph, map(str, graph.attributes["tone"]), strict=True))
    done, ready = set(graph.network.done()), set(graph.frontier())
    return {key: "done" if key in done else "ready" if key in ready else "open" for key in graph}


def count_states(states: Mapping[str, str], keys: Iterable[str]) -> list[tuple[str, int]]:
    """How many of these items have which state; of items without one nothing is said."""
    counts = Counter(states[key] for key in keys if key in states)
    return [(state, counts[state]) for state in _ORDER if counts[state]]


def count_words(counts: Sequence[tuple[str, int]]) -> str:
    """Numbers of items by their states, in words.

    Example:
        >>> count_words([("done", 1200), ("active", 2)])
        '1,200 done, 2 in progress'
    """
    return ", ".join(f"{count:,} {name_state(state)}" for state, count in counts)


def name_state(state: str) -> str:
    """What a state is called in legends."""
    return _WORDS.get(state, state)


def summed_state(counts: Sequence[tuple[str, int]]) -> str:
    """The state that a cluster is drawn in: the most frequent one of what is still to be done, if any is."""
    unsettled = [pair for pair in counts if pair[0] not in _SETTLED]
    return max(unsettled or counts, key=lambda pair: pair[1], default=("open", 0))[0]


def _divide(graph: Graph, items: Sequence[str]) -> list[list[str]]:
    units = [_unit(key) for key in items]
    return [found.keys() for found in graph.network.divide(items, units=units, most=MOST)]


def _unit(key: str) -> str:
    """What an item is a part of: the plan or the feature of a task, the spec that a member belongs to."""
    document, is_task, _ = key.partition("#")
    if is_task:
        return document
    return re.sub(r"(\.\d+)+$", "", key) if key.startswith("chant:") else ""


def _name(keys: Sequence[str], label: str) -> str:
    if len(keys) == 1:
        return label
    units = {_unit(key) for key in keys}
    if len(units) == 1 and (unit := units.pop()):
        return unit
    return f"{label} and {len(keys) - 1:,} more"
