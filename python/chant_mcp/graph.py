"""Questions about a whole dependency graph: what is free, what is late, what hangs on what.

An edge `(before, after)` leads from an item to one that waits for it, so that the order of the graph is
the order of work. Items are named by their keys; answers stand in the order in which the items were
made, and ties go to the one made first. Answers are sequences that make their keys when they are asked
for them, so that a large answer costs nothing until it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import chant_mcp
from chant_mcp import interchange, picture
from chant_mcp._core import Edges, Items, Layers, Network, Scores, Table
from chant_mcp.errors import InvalidArgumentError, RefusedError
from chant_mcp.graph_answers import (
    Attributes,
    BlockedItems,
    CriticalPath,
    Difference,
    EdgeList,
    Nodes,
    Schedule,
    Slot,
)
from chant_mcp.renamed import FormerName, find_former_name
from chant_mcp.tables import RunList
from chant_mcp.what_if import WhatIf

__all__ = [
    "BlockedItems",
    "CriticalPath",
    "Difference",
    "EdgeList",
    "Edges",
    "Graph",
    "Items",
    "Layers",
    "Nodes",
    "Progress",
    "RunList",
    "Schedule",
    "Scores",
    "Slot",
    "Table",
    "Weight",
]

Weight: TypeAlias = str | Mapping[str, float] | Callable[[str], float] | None
"""What an item weighs: the name of a numeric attribute, numbers by key, or a function of the key.

`None` is how long items take, in seconds, where durations are known (`Graph.durations`), else the attribute
`weight` where the graph has one, else 1 for each item. An item that a mapping or an attribute does not know
weighs 1, too. A mapping may name items by any name (`Graph.key`); a name that means none is refused.
"""

Progress: TypeAlias = Callable[[int, int], object] | None
"""Called now and then with how much of how much is done; an exception that it raises stops the work."""


class Graph:
    """A dependency graph as it was at one moment; nothing changes it.

    A pickled one is the same graph where it is unpickled, whatever its files say by then.

    Example:
        >>> graph = ws.graph()
        >>> list(graph.ancestors("vine:plan.vine#ship"))
        ['vine:plan.vine#log']
    """

    __slots__ = ("_attributes", "_is_past", "_learned", "_network", "_workspace")

    def __init__(
        self,
        network: Network,
        attributes: Mapping[str, Sequence[Any]] | None = None,
        *,
        learned: Mapping[str, Any] | None = None,
        workspace: chant_mcp.Workspace | None = None,
        is_past: bool = False,
    ) -> None:
        """Take a network of the core.

        Args:
            network: Items and edges.
            attributes: Columns of values in the order of the items.
            learned: What runs teach: see `learned`.
            workspace: Where the items lie.
            is_past: Whether they lie there no more as they are here, so that changes cannot be written.
        """
        self._network = network
        self._attributes = attributes if isinstance(attributes, Attributes) else dict(attributes or {})
        self._learned = dict(learned or {})
        self._workspace = workspace
        self._is_past = is_past

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[str, str]],
        *,
        nodes: Iterable[str] = (),
        done: Iterable[str] = (),
        attributes: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Graph:
        """Make a graph without files.

        Args:
            edges: Pairs `(before, after)`: the second waits for the first.
            nodes: Further items; they come first, in this order.
            done: Items that nothing waits for any more.
            attributes: For each name the values of items by their keys.

        Raises:
            TypeError: A key is no text.
            NotFoundError: An attribute is of what is no item.

        Example:
            >>> graph = Graph.from_edges([("design", "build"), ("build", "ship")], done=["design"])
            >>> list(graph.frontier())
            ['build']
            >>> list(graph.critical_path().items)
            ['build', 'ship']
        """
        network = Network(edges, nodes=nodes, done=done)
        for values in (attributes or {}).values():
            for key in values:
                network.index(key)  # or it is refused with the keys that are like it
        columns = {
            name: [values.get(key) for key in network.nodes()] for name, values in (attributes or {}).items()
        }
        return cls(network, columns)

    def __reduce__(self) -> tuple[Any, ...]:
        network = self._network
        known = (list(network.done()), list(network.elsewhere()))
        edges = list(network.edges())
        return _again, (
            list(self),
            edges,
            known,
            dict(self._attributes),
            self._learned,
            self._workspace,
            self._is_past,
        )

    @property
    def nodes(self) -> Nodes:
        """All items; data frame libraries read it as a table with a row an item."""
        return Nodes(self)

    @property
    def edges(self) -> EdgeList:
        """All edges `(before, after)`; data frame libraries read it as a table with a row an edge."""
        return EdgeList(self._network)

    @property
    def runs(self) -> RunList:
        """All runs of agents in its workspace as of now; data frame libraries read a row a run.

        A graph that does not come from files has none, and a workspace without specs neither.
        """
        workspace = self._workspace
        if workspace is None or "chant" not in workspace.dialects:
            return RunList([])
        return RunList(workspace.runs(include_completed=True)["processes"])

    def __len__(self) -> int:
        return len(self._network)

    def __contains__(self, key: object) -> bool:
        return key in self._network

    def __iter__(self) -> Iterator[str]:
        return iter(self._network.nodes())

    def __repr__(self) -> str:
        return f"<Graph of {len(self)} items and {self._network.edge_count()} edges>"

    def key(self, name: str) -> str:
        """The key of the item that a name means: the key itself, or in a workspace any name of its items.

        Raises:
            NotFoundError: Nothing is called so.
            AmbiguousIdError: Several items are.
        """
        if name in self._network or self._workspace is None:
            return name
        return self._workspace.core.handle(name)["key"]

    def attribute(self, key: str, name: str) -> Any:
        """The value of an attribute of an item, `None` where it has none.

        Raises:
            NotFoundError: No item has that key.
            KeyError: No item has that attribute.
        """
        return self._attributes[name][self._network.index(self.key(key))]

    def is_done(self, key: str) -> bool:
        """Whether nothing waits for an item any more.

        Raises:
            NotFoundError: No item has that key.
        """
        return self._network.is_done(self.key(key))

    def before(self, key: str) -> Items:
        """What an item waits for itself, done or not.

        Raises:
            NotFoundError: No item has that key.
        """
        return self._network.before(self.key(key))

    def after(self, key: str) -> Items:
        """What waits for an item itself.

        Raises:
            NotFoundError: No item has that key.
        """
        return self._network.after(self.key(key))

    def frontier(self) -> Items:
        """Open items that wait for nothing that is not done: what can be worked on now.

        What is only named, as an item that does not exist, is never part of it.
        """
        return self._network.frontier()

    def blocked(self) -> BlockedItems:
        """Open items that wait, each with what it still waits for."""
        return BlockedItems(self._network)

    def cycles(self) -> list[Items]:
        """Groups of items that wait for one another."""
        return self._network.cycles()

    def layers(self) -> Layers:
        """All items in layers, each in the earliest that it can be in.

        Raises:
            CycleError: Items wait for one another.
        """
        return self._network.layers()

    def critical_path(self, weight: Weight = None) -> CriticalPath:
        """The row of open items, each waiting for the one before it, that weighs most.

        Raises:
            CycleError: Items wait for one another.
            InvalidArgumentError: A weight is negative or not finite.
        """
        return CriticalPath(*self._network.critical_path(self.weights(weight)), self.unit_of(weight))

    def slack(self, weight: Weight = None) -> Scores:
        """How much later than it can each item may begin, without a later end of all.

        Raises:
            CycleError: Items wait for one another.
            InvalidArgumentError: A weight is negative or not finite.
        """
        return self._network.times(self.weights(weight))[2]

    def impact(self, *keys: str) -> Items:
        """All that waits for these items, directly or over others.

        Raises:
            NotFoundError: No item has that key.
        """
        return self._network.impact([self.key(key) for key in keys])

    def ancestors(self, *keys: str) -> Items:
        """All that these items wait for, directly or over others.

        Raises:
            NotFoundError: No item has that key.
        """
        return self._network.ancestors([self.key(key) for key in keys])

    def betweenness(
        self, *, sample: int | None = None, seed: int = 0, normalized: bool = True, progress: Progress = None
    ) -> Scores:
        """For each item the share of shortest ways between two others that lead over it.

        Args:
            sample: Look only at ways from so many items, drawn at random; exact without it.
            seed: Where drawing begins: the same number, the same answer.
            normalized: Divide by the number of pairs.
            progress: Called with how much of how much is done.

        Raises:
            InvalidArgumentError: The sample is empty or larger than the graph.
        """
        return self._network.betweenness(sample=sample, seed=seed, normalized=normalized, progress=progress)

    def pagerank(
        self, *, damping: float = 0.85, tolerance: float = 1e-6, rounds: int = 100, reverse: bool = False
    ) -> Scores:
        """How likely each item is met by somebody who goes along edges at random.

        Args:
            damping: The share of rank that is handed on.
            tolerance: The mean change of a rank at which it ends.
            rounds: How often ranks are handed on at most.
            reverse: Hand rank on from an item to what it waits for, so that what much hangs on ranks high.

        Raises:
            InvalidArgumentError: Ranks still change after the last round.
        """
        return self._network.pagerank(damping=damping, tolerance=tolerance, rounds=rounds, reverse=reverse)

    def redundant_edges(self, *, progress: Progress = None) -> Edges:
        """Edges that could be left out: another way leads from the one to the other.

        Raises:
            CycleError: Items wait for one another.
        """
        return self._network.redundant_edges(progress=progress)

    def schedule(
        self,
        agents: int = 3,
        *,
        duration: Weight = None,
        spread: float | None = None,
        rounds: int = 200,
        seed: int = 0,
        progress: Progress = None,
    ) -> Schedule:
        """Give each agent that becomes free the free item with the longest row of work behind it.

        Args:
            agents: How many work at the same time.
            duration: How long each item takes in half of all cases; without it as `durations` says.
                `Schedule.unit` says what they count.
            spread: How far durations may be off: the deviation of their logarithm. Without it what
                was learned from runs, with how little few runs teach, else 0.5.
            rounds: How often the plan is tried with durations drawn at random.
            seed: Where drawing begins: the same number, the same answer.
            progress: Called with how much of how much is done.

        Raises:
            CycleError: Items wait for one another.
            InvalidArgumentError: A duration is negative or not finite.
        """
        slots, unplanned, finish, utilisation, p50, p90 = self._network.schedule(
            self.weights(duration) or [1.0] * len(self),
            spread=self._spread(duration) if spread is None else spread,
            agents=agents,
            rounds=rounds,
            seed=seed,
            progress=progress,
        )
        planned = tuple(Slot(*slot) for slot in slots)
        unit = self.unit_of(duration)
        return Schedule(planned, tuple(unplanned), finish, utilisation, p50, p90, unit)

    def _spread(self, duration: Weight) -> float | list[float]:
        """How far durations may be off: as runs were, where these durations come from them."""
        if duration is None and self._learned.get("ratios"):
            return self._learned["ratios"]
        spread = self._learned.get("spread")
        return 0.5 if spread is None else spread

    @property
    def unit(self) -> str:
        """What counts where nothing else is asked for: `seconds` where durations are known, else `weight`.

        It is the same for schedules, what-if, critical paths, slack and pictures.
        """
        known = self._attributes.get("duration")
        is_known = known is not None and any(value is not None for value in known)
        return "seconds" if is_known or self._learned.get("median") is not None else "weight"

    def unit_of(self, weight: Weight) -> str:
        """What sums of weights count: the name of an attribute, or `given` for numbers by key."""
        if weight is None:
            return self.unit
        return weight if isinstance(weight, str) else "given"

    def durations(self) -> list[float]:
        """How long all items take, in `unit`.

        An item takes what is `expected` of it, which a workspace says by the runs of items like it, else its
        `duration`. One that has neither takes the median of what is known times its `weight`. Where nothing
        is known, weights count.
        """
        expected, known, given = (
            self._attributes.get(name) or [None] * len(self) for name in ("expected", "duration", "weight")
        )
        weights = [1.0 if weight is None else float(weight) for weight in given]
        if self.unit == "weight":
            return weights
        median = self._learned.get("median")
        usual = 1.0 if median is None else median
        values = (own if one is None else one for one, own in zip(expected, known, strict=True))
        return [
            usual * weight if value is None else float(value)
            for value, weight in zip(values, weights, strict=True)
        ]

    def what_if(self) -> WhatIf:
        """Begin changes of a copy: what would be free, critical and late if something changed.

        Example:
            >>> graph = Graph.from_edges([("design", "build"), ("build", "ship")])
            >>> list(graph.what_if().finish("design").graph().frontier())
            ['build']
        """
        return WhatIf(self)

    def diff(self, newer: Graph) -> Difference:
        """What is different in a newer graph."""
        return Difference(**self._network.difference(newer.network))

    @property
    def network(self) -> Network:
        """The graph as the core has it."""
        return self._network

    @property
    def learned(self) -> Mapping[str, Any]:
        """What runs teach about durations.

        The number of completed `runs`, their `median` in seconds with all attempts that it took, the `spread`
        of their logarithms, and `ratios`: each of them, divided by what was to be expected without it.
        """
        return self._learned

    @property
    def workspace(self) -> chant_mcp.Workspace | None:
        """Where changes of it are written; `None` for a graph that is not of files as they are now."""
        return None if self._is_past else self._workspace

    def read_revision(self, revision: str) -> Graph:
        """Read the graph of its workspace as of a git revision, without a checkout.

        Args:
            revision: Such as `HEAD~20`, a tag, a branch or a hash.

        Raises:
            NotFoundError: There is no such revision.
            RefusedError: The graph is not of files.
        """
        if self._workspace is None:
            raise RefusedError("The graph does not come from files, so it has no history.")
        return self._workspace.graph_at(revision)

    at = FormerName("read_revision")
    """The former name of `read_revision`."""

    @property
    def attributes(self) -> Mapping[str, Sequence[Any]]:
        """Columns of values, in the order of the items."""
        return self._attributes

    def weights(self, weight: Weight) -> list[float] | None:
        """The weights of all items; `None` where each weighs 1, and without a name how long they take.

        Raises:
            KeyError: No item has that attribute.
            NotFoundError: A mapping names what is no item here.
            InvalidArgumentError: It names an item twice.
        """
        if weight is None:
            is_bare = self.unit == "weight" and "weight" not in self._attributes
            return None if is_bare else self.durations()
        if callable(weight):
            return [float(weight(key)) for key in self]
        if isinstance(weight, str):
            return [1.0 if value is None else float(value) for value in self._attributes[weight]]
        by_key = self.resolve_keys(weight)
        return [float(by_key.get(key, 1.0)) for key in self]

    def resolve_keys(self, values: Mapping[str, float]) -> dict[str, float]:
        """Give values by the keys of the items that their names mean.

        Raises:
            NotFoundError: A name means no item here.
            AmbiguousIdError: It means several.
            InvalidArgumentError: Two names mean the same item.
        """
        found: dict[str, float] = {}
        for name, value in values.items():
            key = self.key(name)
            self._network.index(key)  # or it is refused with the names that are like it
            if key in found:
                raise InvalidArgumentError(f"'{name}' means '{key}', which has a value already.")
            found[key] = value
        return found

    by_key = FormerName("resolve_keys")
    """The former name of `resolve_keys`."""

    def show(
        self,
        *,
        color: str | Mapping[str, float] | None = None,
        focus: str | Sequence[str] = (),
        depth: int | None = None,
        limit: int = picture.LIMIT,
        theme: str = "auto",
        name: str = "",
    ) -> picture.Picture:
        """Draw the graph, or what of it is worth it.

        Args:
            color: What colours show in place of states: `slack`, `betweenness`, `pagerank`, the name of a
                numeric attribute, or numbers by key.
            focus: The item, or the items, that the picture is about, by any name (`key`).
            depth: How many steps from the focus are shown.
            limit: How many items are shown at most; of the others only their number is.
            theme: `auto`, `light` or `dark`.
            name: What the picture is called.

        Raises:
            NotFoundError: An item of the focus does not exist.
            InvalidArgumentError: The limit or the theme is none.
            KeyError: No item has that attribute.
            CycleError: Items wait for one another, and their slack is asked for.
        """
        return picture.draw(
            self,
            color=color,
            focus=[self.key(name) for name in ([focus] if isinstance(focus, str) else focus)],
            depth=depth,
            limit=limit,
            theme=theme,
            name=name,
        )

    def _repr_mimebundle_(
        self, include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
    ) -> dict[str, str]:
        """What a notebook shows."""
        return picture.graph_bundle(self, include, exclude)

    def to_mermaid(self) -> str:
        """The whole graph as a Mermaid flowchart; arrows lead to what waits."""
        return self._network.mermaid(labels=picture.labels(self, list(self)))

    def to_dot(self) -> str:
        """The whole graph in the DOT language of Graphviz; arrows lead to what waits."""
        return self._network.dot(labels=picture.labels(self, list(self)))

    def to_networkx(self) -> Any:
        """The graph as a `networkx.DiGraph`, with the attributes of its nodes."""
        return interchange.to_networkx(self)

    def to_rustworkx(self) -> Any:
        """The graph as a `rustworkx.PyDiGraph`, whose nodes are the keys."""
        return interchange.to_rustworkx(self)

    def to_json(self) -> str:
        """The graph as JSON: `{"nodes": [{"key", "done", …}], "edges": [["before", "after"]]}`."""
        return interchange.to_json(self)


def _again(
    keys: list[str],
    edges: list[tuple[str, str]],
    known: tuple[list[str], list[str]],
    attributes: Mapping[str, Sequence[Any]],
    learned: Mapping[str, Any],
    workspace: chant_mcp.Workspace | None,
    is_past: bool,
) -> Graph:
    done, elsewhere = known
    network = Network(edges, nodes=keys, done=done, elsewhere=elsewhere)
    return Graph(network, attributes, learned=learned, workspace=workspace, is_past=is_past)


_FORMER = {"Blocked": "BlockedItems"}


if not TYPE_CHECKING:  # or type checkers would take every misspelled name for one that there is

    def __getattr__(name: str) -> Any:
        """Give classes by their former names."""
        return find_former_name(__name__, _FORMER, name)
