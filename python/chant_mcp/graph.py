"""Questions about a whole dependency graph: what is free, what is late, what hangs on what.

An edge `(before, after)` leads from an item to one that waits for it, so that the order of the graph is
the order of work. Items are named by their keys; answers stand in the order in which the items were
made, and ties go to the one made first. Answers are sequences that make their keys when they are asked
for them, so that a large answer costs nothing until it is read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

import chant_mcp
from chant_mcp import interchange, picture
from chant_mcp._core import (
    Edges,
    Items,
    Layers,
    Network,
    Scores,
    Table,
    repository_names,
    unite_networks,
)
from chant_mcp.arrow_tables import read_graph
from chant_mcp.errors import InvalidArgumentError, NotFoundError, RefusedError
from chant_mcp.filter_expressions import parse_filter
from chant_mcp.graph_answers import (
    Attributes,
    BlockedItems,
    CriticalPath,
    Difference,
    EdgeList,
    Nodes,
    Schedule,
    Slot,
    UnitedAttributes,
)
from chant_mcp.notebook.widget import make_widget
from chant_mcp.number_arrays import NumberArray, pair_parts, view_numbers
from chant_mcp.number_checks import check_count, check_number
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


_MOST_SEED = 2**64 - 1


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
        is_lazy = isinstance(attributes, (Attributes, UnitedAttributes))
        self._attributes = attributes if is_lazy else dict(attributes or {})
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
            InvalidArgumentError: A key is no text, or an edge no pair.
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

    @classmethod
    def from_arrays(
        cls, count: int, sources: NumberArray, targets: NumberArray, *, done: NumberArray = ()
    ) -> Graph:
        """Make a graph of numbered items; keys are the numbers as texts, made when one is asked for.

        Args:
            count: How many items there are, numbered from 0.
            sources: For each edge the item that comes before: a one-dimensional array of whole numbers, such
                as of numpy, Arrow or `array`, or a sequence.
            targets: For each edge the item that waits.
            done: Items that nothing waits for any more.

        Raises:
            InvalidArgumentError: Ends differ in number, a number is no item, or an array holds others.

        Example:
            >>> graph = Graph.from_arrays(3, [0, 1], [1, 2], done=[0])
            >>> graph.frontier().indices()
            [1]
        """
        before, after = view_numbers("sources", sources), view_numbers("targets", targets)
        if len(before) != len(after):
            raise InvalidArgumentError("`sources` and `targets` differ in length. Give one of each an edge.")
        done_bytes = view_numbers("done", done).tobytes()
        return cls(Network.of_numbers(count, pair_parts(before, after), done=done_bytes))

    @classmethod
    def union(cls, graphs: Iterable[Graph], *, names: Sequence[str | None] | None = None) -> Graph:
        """Put graphs together, each under the name of its repository: keys become `repo/dialect:id`.

        What one repository names of another, as `repo/dialect:id` or a spec's `repo:id`, is the item there;
        of one that is not among them it is a missing item under that name.

        Args:
            graphs: The graphs.
            names: The name of each; `None` leaves the keys of that graph as they are. Without it graphs of
                files have the names of their folders, and the others none: their equal keys mean one item.

        Raises:
            InvalidArgumentError: There is not one name for each graph, or two are the same.

        Example:
            >>> lib = Graph.from_edges([], nodes=["chant:api"], done=["chant:api"])
            >>> app = Graph.from_edges([("lib/chant:api", "chant:page")])
            >>> list(Graph.union([lib, app], names=["lib", "app"]).frontier())
            ['app/chant:page']
        """
        parts = list(graphs)
        found = _names(parts) if names is None else list(names)
        given = [name for name in found if name is not None]
        if len(found) != len(parts) or len(set(given)) != len(given):
            raise InvalidArgumentError("Expected one name for each graph, all different.")
        network, origins = unite_networks(
            [(name, part.network) for name, part in zip(found, parts, strict=True)]
        )
        known = [(name, part.attributes) for name, part in zip(found, parts, strict=True)]
        attributes = UnitedAttributes(known, origins)
        return cls(network, attributes, learned=_united_durations(parts))

    @classmethod
    def from_arrow(cls, nodes: object, edges: object) -> Graph:
        """Make the graph whose `nodes` and `edges` these tables were, such as out of Parquet files.

        Where rows of several repositories were put together, keys become `repo/dialect:id`. What a
        workspace learned of the spread of durations is in no table.

        Args:
            nodes: A table of pyarrow, polars, pandas, duckdb or another library that gives an Arrow stream.
                `key` has to be there; `repo`, `done` and `elsewhere` may be, and other columns become
                attributes.
            edges: Likewise, with `before` and `after`; `before_repo` and `after_repo` may be there.

        Raises:
            InvalidArgumentError: A column is missing or holds what it may not.
            RefusedError: Neither pyarrow nor polars is installed.

        Example:
            >>> graph = Graph.from_edges([("design", "build")], done=["design"])
            >>> list(Graph.from_arrow(graph.nodes, graph.edges).frontier())
            ['build']
        """
        return cls(*read_graph(nodes, edges))

    def __reduce__(self) -> tuple[Any, ...]:
        known = (dict(self._attributes), self._learned, self._workspace, self._is_past)
        return _again, (self._network, *known)

    @property
    def nodes(self) -> Nodes:
        """All items; data frame libraries read it as a table with a row an item."""
        return Nodes(self)

    @property
    def edges(self) -> EdgeList:
        """All edges `(before, after)`; data frame libraries read it as a table with a row an edge."""
        return EdgeList(self)

    @property
    def runs(self) -> RunList:
        """All runs of agents in its workspace as of now; data frame libraries read a row a run.

        A graph that does not come from files has none, and a workspace without specs neither.
        """
        workspace = self._workspace
        if workspace is None or "chant" not in workspace.dialects:
            return RunList([])
        return RunList(workspace.runs(include_completed=True)["processes"], workspace.repo)

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
            InvalidArgumentError: The name is no text.
            NotFoundError: Nothing is called so.
            AmbiguousIdError: Several items are.
        """
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InvalidArgumentError(f"`key` is {name!r}, expected a text")
        if name in self._network or self._workspace is None:
            return name
        return self._workspace.core.handle(name)["key"]

    def attribute(self, key: str, name: str) -> Any:
        """The value of an attribute of an item, `None` where it has none.

        Raises:
            NotFoundError: No item has that key, or that attribute.
        """
        return self.attribute_column(name)[self._network.index(self.key(key))]

    def attribute_column(self, name: str) -> Sequence[Any]:
        """The values of an attribute, in the order of the items.

        Raises:
            NotFoundError: No item has that attribute.
        """
        if name not in self._attributes:
            known = ", ".join(self._attributes) or "none"
            raise NotFoundError(f"No item has an attribute {name!r}; there are: {known}.")
        return self._attributes[name]

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

    def components(self) -> Layers:
        """The strongly connected components: groups of items that wait for one another, or one item alone.

        They stand in an order of work: each group waits only for earlier ones.

        Example:
            >>> graph = Graph.from_edges([("a", "b"), ("b", "a"), ("b", "ship")])
            >>> [list(group) for group in graph.components()]
            [['a', 'b'], ['ship']]
        """
        return self._network.components()

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

    def descendants(self, *keys: str) -> Items:
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

    def filter(self, expression: str) -> Graph:
        """The graph of the items that a filter keeps and the edges between them, as `subgraph` gives it.

        Args:
            expression: Such as `ready and kind in ("code", "task")`, in the syntax of Python: columns of
                `nodes`, texts, numbers, `True`, `False` and `None`, compared by `==`, `!=`, `<`, `<=`, `>`,
                `>=`, `in`, joined by `and`, `or` and `not`. Values that are missing are `None`.

        Raises:
            InvalidArgumentError: It is no such expression, or names what is no column.

        Example:
            >>> days = {"design": 2, "build": 5, "ship": 1}
            >>> graph = Graph.from_edges([("design", "build"), ("build", "ship")], attributes={"days": days})
            >>> list(graph.filter("1 < days <= 5 and not done").edges)
            [('design', 'build')]
        """
        nodes = self.nodes.table()
        own = {name: nodes.column(name) for name in ("key", "repo", "done", "elsewhere")}
        columns: dict[str, Sequence[Any]] = {**own, **self._attributes, **own}
        keeps = parse_filter(expression, columns)
        rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
        return self.subgraph(row["key"] for row in rows if keeps(row))

    def subgraph(self, nodes: Iterable[str]) -> Graph:
        """The graph of some items and the edges between them, with their attributes.

        Items stand in the order in which they stand here. What lies outside holds nothing up.

        Args:
            nodes: Names of items (`key`).

        Raises:
            NotFoundError: No item has that key.

        Example:
            >>> graph = Graph.from_edges([("design", "build"), ("build", "ship")])
            >>> list(graph.subgraph(["ship", "build"]).edges)
            [('build', 'ship')]
        """
        network = self._network.subgraph([self.key(name) for name in nodes])
        places = [self._network.index(key) for key in network.nodes()]
        attributes = {name: [column[place] for place in places] for name, column in self._attributes.items()}
        return Graph(
            network, attributes, learned=self._learned, workspace=self._workspace, is_past=self._is_past
        )

    def betweenness(
        self, *, k: int | None = None, seed: int = 0, normalized: bool = True, progress: Progress = None
    ) -> Scores:
        """For each item the share of shortest ways between two others that lead over it.

        Args:
            k: Look only at ways from so many items, drawn at random; exact without it.
            seed: Where drawing begins: the same number, the same answer.
            normalized: Divide by the number of pairs.
            progress: Called with how much of how much is done.

        Raises:
            InvalidArgumentError: The sample is empty or larger than the graph.
        """
        sample = None if k is None else check_count("k", k)
        seed = check_count("seed", seed, most=_MOST_SEED)
        return self._network.betweenness(
            sample=sample, seed=seed, normalized=bool(normalized), progress=progress
        )

    def pagerank(
        self, *, alpha: float = 0.85, tol: float = 1e-6, max_iter: int = 100, reverse: bool = False
    ) -> Scores:
        """How likely each item is met by somebody who goes along edges at random.

        Args:
            alpha: The share of rank that is handed on.
            tol: The mean change of a rank at which it ends.
            max_iter: How often ranks are handed on at most.
            reverse: Hand rank on from an item to what it waits for, so that what much hangs on ranks high.

        Raises:
            InvalidArgumentError: Ranks still change after the last time, or a number is out of bounds.
        """
        damping, tolerance = check_number("alpha", alpha), check_number("tol", tol)
        rounds = check_count("max_iter", max_iter)
        return self._network.pagerank(
            damping=damping, tolerance=tolerance, rounds=rounds, reverse=bool(reverse)
        )

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
            InvalidArgumentError: A duration is negative or not finite, or a number is out of bounds.
        """
        agents, rounds = check_count("agents", agents, 1), check_count("rounds", rounds)
        seed = check_count("seed", seed, most=_MOST_SEED)
        slots, unplanned, finish, utilisation, p50, p90, ends = self._network.schedule(
            self.weights(duration) or [1.0] * len(self),
            spread=self._spread(duration) if spread is None else check_number("spread", spread),
            agents=agents,
            rounds=rounds,
            seed=seed,
            progress=progress,
        )
        planned = tuple(Slot(*slot) for slot in slots)
        unit = self.unit_of(duration)
        return Schedule(planned, tuple(unplanned), finish, utilisation, p50, p90, unit, tuple(ends))

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
            usual * weight if value is None else _weight(key, value)
            for key, value, weight in zip(self, values, weights, strict=True)
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

    @property
    def root(self) -> Path | None:
        """The folder of its files; `None` for a graph that is not of files."""
        return None if self._workspace is None else self._workspace.root

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

    @property
    def attributes(self) -> Mapping[str, Sequence[Any]]:
        """Columns of values, in the order of the items."""
        return self._attributes

    def weights(self, weight: Weight) -> list[float] | None:
        """The weights of all items; `None` where each weighs 1, and without a name how long they take.

        Raises:
            NotFoundError: No item has that attribute, or a mapping names what is no item here.
            InvalidArgumentError: A mapping names an item twice, or a weight is no number.
        """
        if weight is None:
            is_bare = self.unit == "weight" and "weight" not in self._attributes
            return None if is_bare else self.durations()
        if callable(weight):
            return [_weight(key, weight(key)) for key in self]
        if isinstance(weight, str):
            values = zip(self, self.attribute_column(weight), strict=True)
            return [1.0 if value is None else _weight(key, value) for key, value in values]
        if not isinstance(weight, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            expected = "the name of an attribute, numbers by key, or a function of the key"
            raise InvalidArgumentError(f"`weight` is {weight!r}, expected {expected}")
        by_key = self.resolve_keys(weight)
        return [_weight(key, by_key.get(key, 1.0)) for key in self]

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
            limit: How many items are shown at most; of the others only their number is. Above 500 all are
                shown, in clusters where there are more.
            theme: `auto`, `light` or `dark`.
            name: What the picture is called.

        Raises:
            NotFoundError: An item of the focus does not exist, or no item has that attribute.
            InvalidArgumentError: The limit, the depth or the theme is none.
            CycleError: Items wait for one another, and their slack is asked for.
        """
        return picture.draw(
            self,
            color=color,
            focus=[self.key(name) for name in ([focus] if isinstance(focus, str) else focus)],
            depth=None if depth is None else check_count("depth", depth),
            limit=check_count("limit", limit),
            theme=theme,
            name=name,
        )

    def explore(self, revisions: Sequence[str] | None = None) -> Any:
        """Make a widget for notebooks: the graph level by level, with search, items' texts and time.

        Args:
            revisions: The commits of its time slider, the oldest first; the last 40 without them.

        Raises:
            RefusedError: anywidget is not installed; it comes with the extra `notebook`.
        """
        return make_widget(self, revisions)

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


def _names(graphs: Sequence[Graph]) -> list[str | None]:
    """The names of the folders of graphs of files, made different; none for others."""
    roots = [graph.root for graph in graphs]
    names = iter(repository_names([str(root) for root in roots if root is not None]))
    return [None if root is None else next(names) for root in roots]


def _united_durations(graphs: Sequence[Graph]) -> dict[str, Any]:
    """What is known of durations together: the middle of the medians, the largest spread, and all ratios."""
    medians = [known for graph in graphs if (known := graph.learned.get("median")) is not None]
    spreads = [known for graph in graphs if (known := graph.learned.get("spread")) is not None]
    ratios = [ratio for graph in graphs for ratio in graph.learned.get("ratios") or ()]
    return {
        "median": median(medians) if medians else None,
        "spread": max(spreads, default=None),
        "ratios": ratios,
    }


def _weight(key: str, value: Any) -> float:
    """The weight of an item; what is no number is refused, and the core says which numbers are weights."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgumentError(f"The weight of `{key}` is {value!r}, expected a number") from None


def _again(
    network: Network,
    attributes: Mapping[str, Sequence[Any]],
    learned: Mapping[str, Any],
    workspace: chant_mcp.Workspace | None,
    is_past: bool,
) -> Graph:
    return Graph(network, attributes, learned=learned, workspace=workspace, is_past=is_past)
