"""What graphs answer: paths, schedules, differences, and their items and edges as lists and tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, overload

import chant_mcp
from chant_mcp._core import Columns, Edges, Items, Network, Table
from chant_mcp.errors import InvalidArgumentError
from chant_mcp.number_checks import check_number
from chant_mcp.tables import TableSource, read_repos, type_attributes

__all__ = [
    "Attributes",
    "BlockedItems",
    "CriticalPath",
    "Difference",
    "EdgeList",
    "Nodes",
    "Schedule",
    "Slot",
    "UnitedAttributes",
]


@dataclass(frozen=True, slots=True)
class CriticalPath:
    """The open items, one after the other, that leave no time to lose."""

    items: Items
    """They, in the order of work."""
    length: float
    """The sum of what they weigh, in `unit`."""
    unit: str = "weight"
    """What numbers count: `seconds`, `weight`, the name of an attribute, or `given`."""

    def __iter__(self) -> Iterator[str]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, slots=True)
class Slot:
    """One item of a schedule."""

    key: str
    """Which item."""
    agent: int
    """Who does it, counted from 0."""
    start: float
    """When it starts."""
    end: float
    """When it is done."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """Who does what and when; all times are in `unit`."""

    slots: tuple[Slot, ...]
    """The open items, in the order of their beginning, but for those of `unplanned`."""
    unplanned: tuple[str, ...]
    """Open items whose start is unknown: they wait for something that is not here."""
    finish: float
    """When the last item is done."""
    utilisation: float
    """The share of the agents' time in which they work, from 0 to 1."""
    p50: float | None
    """When half of the rounds with durations drawn at random were done; `None` without rounds."""
    p90: float | None
    """When nine in ten of them were done."""
    unit: str = "weight"
    """What times count: `seconds` where durations are known, else as for `CriticalPath.unit`."""
    ends: tuple[float, ...] = field(default=(), repr=False)
    """When each of these rounds was done, the earliest first."""

    def __repr__(self) -> str:
        return f"<Schedule of {len(self.slots)} items until {self.finish:g} {self.unit}>"

    def quantile(self, share: float) -> float | None:
        """When a share of the rounds was done; `None` without rounds.

        Args:
            share: From 0 to 1: 0.8 is the end that eight in ten rounds keep.

        Raises:
            InvalidArgumentError: The share is out of bounds.

        Example:
            >>> plan = ws.graph().schedule()
            >>> plan.quantile(0.5) == plan.p50
            True
        """
        given = check_number("share", share)
        if given > 1:
            raise InvalidArgumentError(f"`share` is {share!r}, expected a number from 0 to 1")
        if not self.ends:
            return None
        return self.ends[max(ceil(len(self.ends) * given), 1) - 1]


@dataclass(frozen=True, slots=True)
class Difference:
    """What a newer graph has that an older one has not, and the other way round."""

    added: list[str]
    """Items that only the newer one has."""
    removed: list[str]
    """Items that only the older one has."""
    finished: list[str]
    """Items that are done now."""
    reopened: list[str]
    """Items that were done."""
    added_edges: list[tuple[str, str]]
    """Edges that only the newer one has."""
    removed_edges: list[tuple[str, str]]
    """Edges that only the older one has."""

    def __bool__(self) -> bool:
        return any(
            (
                self.added,
                self.removed,
                self.finished,
                self.reopened,
                self.added_edges,
                self.removed_edges,
            )
        )


class BlockedItems(Mapping[str, Items]):
    """Open items that wait, each with the open items that it waits for."""

    __slots__ = ("_keys", "_network")

    def __init__(self, network: Network) -> None:
        self._network = network
        self._keys = network.blocked()

    def __getitem__(self, key: str) -> Items:
        if key not in self._network or self._network.is_done(key):
            raise KeyError(key)
        unmet = self._network.unmet(key)
        if not len(unmet):
            raise KeyError(key)
        return unmet

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        return f"<{len(self)} blocked items>"

    def __reduce__(self) -> tuple[Any, ...]:
        return BlockedItems, (self._network,)


class Attributes(Mapping[str, Sequence[Any]]):
    """What is known of the items of a workspace, one column an attribute, made when it is asked for."""

    __slots__ = ("_columns", "_made")

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._made: dict[str, Sequence[Any]] = {}

    @property
    def columns(self) -> Columns:
        """The columns as the core has them."""
        return self._columns

    def __repr__(self) -> str:
        return f"<attributes {', '.join(self)}>"

    def __getitem__(self, name: str) -> Sequence[Any]:
        if name not in self._made:
            self._made[name] = self._columns.column(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._columns.names()

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns.names())

    def __len__(self) -> int:
        return len(self._columns.names())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class UnitedAttributes(Mapping[str, Sequence[Any]]):
    """The attributes of several graphs together, one column an attribute, made when it is asked for."""

    __slots__ = ("_made", "_names", "_origins", "_parts")

    def __init__(
        self,
        parts: Sequence[tuple[str | None, Mapping[str, Sequence[Any]]]],
        origins: Sequence[tuple[int, int]],
    ) -> None:
        """Take the names of the graphs and their attributes, and where each item comes from."""
        self._parts = parts
        self._origins = origins
        self._names = tuple(dict.fromkeys(name for _, attributes in parts for name in attributes))
        self._made: dict[str, Sequence[Any]] = {}

    def __getitem__(self, name: str) -> Sequence[Any]:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            # Keys of a graph with a name say the repository themselves.
            is_said = [name == "repo" and repo is not None for repo, _ in self._parts]
            columns = [
                None if said else attributes.get(name)
                for said, (_, attributes) in zip(is_said, self._parts, strict=True)
            ]
            found = ((columns[part], item) for part, item in self._origins)
            self._made[name] = [None if column is None else column[item] for column, item in found]
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)


class Nodes(TableSource):
    """The keys of all items; a table of them and their attributes to data frame libraries."""

    __slots__ = ("_graph", "_items")

    def __init__(self, graph: chant_mcp.Graph) -> None:
        self._graph = graph
        self._items = graph.network.nodes()

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Items: ...
    def __getitem__(self, index: int | slice) -> str | Items:
        return self._items[index]

    def __contains__(self, key: object) -> bool:
        return key in self._graph

    def __iter__(self) -> Iterator[str]:
        return iter(self._items.keys())

    def __repr__(self) -> str:
        return f"<{len(self)} nodes>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Nodes, (self._graph,)

    def table(self) -> Table:
        """`key`, `repo`, `done`, `elsewhere` and the attributes, one row an item.

        `repo` is the repository, null where neither an attribute `repo` nor the key says it; `elsewhere`
        items are only named. Attributes of workspaces (`ITEM_COLUMNS` of `chant_mcp.tables`) have the same
        types with values and without. Others have that of their values, and `null` where all are missing.
        """
        attributes = self._graph.attributes
        laid = attributes.columns if isinstance(attributes, Attributes) else None
        return self._graph.network.node_table(type_attributes(attributes, laid), repos=read_repos(attributes))


class EdgeList(TableSource):
    """All edges `(before, after)`; a table of them and their repositories to data frame libraries."""

    __slots__ = ("_edges", "_graph")

    def __init__(self, graph: chant_mcp.Graph) -> None:
        self._graph = graph
        self._edges = graph.network.edges()

    def __len__(self) -> int:
        return len(self._edges)

    @overload
    def __getitem__(self, index: int) -> tuple[str, str]: ...
    @overload
    def __getitem__(self, index: slice) -> Edges: ...
    def __getitem__(self, index: int | slice) -> tuple[str, str] | Edges:
        return self._edges[index]

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self._edges.pairs())

    def __repr__(self) -> str:
        return f"<{len(self)} edges>"

    def __reduce__(self) -> tuple[Any, ...]:
        return EdgeList, (self._graph,)

    def table(self) -> Table:
        """`before`, `after` and their repositories `before_repo` and `after_repo`, one row an edge."""
        return self._graph.network.edge_table(repos=read_repos(self._graph.attributes))
