"""What would be if: changes of a copy of a graph, and what they would mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import chant_mcp
from chant_mcp._core import Network
from chant_mcp.errors import RefusedError
from chant_mcp.graph_answers import CriticalPath

if TYPE_CHECKING:
    import chant_mcp.graph

__all__ = ["Delta", "WhatIf"]


@dataclass(frozen=True, slots=True)
class Delta:
    """What changes would mean."""

    freed: list[str]
    """Items that could be worked on and cannot now."""
    held: list[str]
    """Items that can be worked on now and could not."""
    path: CriticalPath
    """The critical path as it would be."""
    path_before: CriticalPath
    """The critical path as it is."""
    finish: float
    """When all would be done, with as many agents as asked for."""
    finish_before: float
    """When all will be done as it is."""
    unit: str = "weight"
    """What all these numbers count: `seconds` where durations are known, as in schedules, else weights."""

    @property
    def saved(self) -> float:
        """How much earlier all would be done; negative when it would be later."""
        return self.finish_before - self.finish


class WhatIf:
    """Changes of a copy; the graph stays as it is, and the files do until `commit`.

    Each change answers the same object, so that they can be written in a row. New items weigh what
    their `weight` says, 1 without it.
    """

    __slots__ = ("_changes", "_draft", "_graph", "_made", "_weights")

    def __init__(self, graph: chant_mcp.Graph) -> None:
        self._graph = graph
        self._changes: list[tuple[Any, ...]] = []
        self._weights: dict[str, float] = {}
        self._draft = graph.network.draft()
        self._made: chant_mcp.Graph | None = graph

    def finish(self, *keys: str) -> WhatIf:
        """The items are done.

        Raises:
            NotFoundError: No item has that key.
        """
        return self._with(*(("finish", key) for key in self._keys(keys)))

    def add(
        self, key: str, *, before: Iterable[str] = (), after: Iterable[str] = (), weight: float = 1.0
    ) -> WhatIf:
        """There is a new item that waits for `before`, and for which `after` waits.

        Raises:
            InvalidArgumentError: There is an item of that key.
            NotFoundError: No item has a key that is named.
        """
        added = ("add", key, self._keys(before), self._keys(after))
        return self._with(added, weights={key: weight})

    def split(self, key: str, parts: Iterable[str], *, in_a_row: bool = False, weight: float = 1.0) -> WhatIf:
        """Several items stand where one stood; each weighs `weight`.

        Raises:
            InvalidArgumentError: There are no parts, or there is an item of that key.
            NotFoundError: No item has that key.
        """
        parts = list(parts)
        split = ("split", *self._keys([key]), parts, in_a_row)
        return self._with(split, weights=dict.fromkeys(parts, weight))

    def drop(self, *keys: str) -> WhatIf:
        """The items are gone; nothing waits for them any more.

        Raises:
            NotFoundError: No item has that key.
        """
        return self._with(*(("drop", key) for key in self._keys(keys)))

    def depend_on(self, key: str, *before: str) -> WhatIf:
        """The item waits for these and nothing else.

        Raises:
            NotFoundError: No item has a key that is named.
        """
        return self._with(("depend_on", *self._keys([key]), self._keys(before)))

    def graph(self) -> chant_mcp.Graph:
        """The graph as it would be."""
        if self._made is None:
            self._made = self._build()
        return self._made

    def delta(self, weight: chant_mcp.graph.Weight = None, *, agents: int | None = None) -> Delta:
        """What the changes would mean for what is free, for the critical path and the end of all.

        Args:
            weight: What items weigh; without it durations count where they are known, as in schedules.
            agents: How many work at the same time; as many as needed without it.

        Raises:
            CycleError: Items would wait for one another.
        """
        new, old = self.graph(), self._graph
        weights, weights_before = self._weigh(weight)
        unit = old.unit_of(weight)
        free, was_free = set(new.frontier()), set(old.frontier())
        path = replace(new.critical_path(weights), unit=unit)
        path_before = replace(old.critical_path(weights_before), unit=unit)
        if agents is None:
            finish, finish_before = path.length, path_before.length
        else:
            finish = new.schedule(agents, duration=weights, rounds=0).finish
            finish_before = old.schedule(agents, duration=weights_before, rounds=0).finish
        return Delta(
            freed=[key for key in new.frontier() if key not in was_free],
            held=[key for key in old.frontier() if key not in free],
            path=path,
            path_before=path_before,
            finish=finish,
            finish_before=finish_before,
            unit=unit,
        )

    def commit(self) -> dict[str, str]:
        """Write the changes to the specs of the workspace, all or none, and start again.

        `finish` begins a spec that was not and completes it, `drop` cancels it, `depend_on` names what it
        waits for, `add` makes a spec of that title, and `split` makes one of each part, lets what waited
        wait for them, and cancels the old one. The rules of the tools hold: a spec with open criteria is
        not completed.

        Returns:
            The keys of the specs that were made, by the names they were added under.

        Raises:
            RefusedError: The graph is not of files, an item is no spec, or a rule of the tools forbids it.
            IllegalTransitionError: A state may not change like that.
        """
        workspace = self._graph.workspace
        if workspace is None:
            raise RefusedError(
                "The graph does not come from the current files, so there is nothing to write to."
            )
        made = workspace.apply_changes(self._changes)
        self.discard()
        return made

    def discard(self) -> None:
        """Take all changes back."""
        self._changes.clear()
        self._weights.clear()
        self._draft = self._graph.network.draft()
        self._made = self._graph

    def __len__(self) -> int:
        return len(self._changes)

    def __repr__(self) -> str:
        return f"<WhatIf with {len(self)} changes of {self._graph!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._graph, self._changes, self._weights)

    @property
    def changes(self) -> list[tuple[Any, ...]]:
        """The changes so far: a word and what it needs."""
        return list(self._changes)

    def _keys(self, names: Iterable[str]) -> list[str]:
        """The keys of items as they would be, or of those of the graph by any name."""
        return [name if name in self._draft else self._graph.key(name) for name in names]

    def _with(self, *changes: tuple[Any, ...], weights: Mapping[str, float] | None = None) -> WhatIf:
        """Take changes that fit; nothing of those that do not."""
        self._draft.apply(list(changes))
        self._changes += changes
        self._weights.update(weights or {})
        self._made = None
        return self

    def _build(self) -> chant_mcp.Graph:
        network = self._draft.network()
        old = {key: index for index, key in enumerate(self._graph)}
        places = [old.get(key) for key in network.nodes()]
        attributes: dict[str, list[Any]] = {
            name: [None if place is None else column[place] for place in places]
            for name, column in self._graph.attributes.items()
        }
        if self._weights:
            attributes["weight"] = self._heavy(network, attributes.get("weight"))
        if "tone" in attributes:
            attributes["tone"] = self._tones(network, attributes["tone"])
        return type(self._graph)(network, attributes, learned=self._graph.learned)

    def _heavy(self, network: Network, known: Sequence[Any] | None) -> list[float | None]:
        """The column of weights, with those of new items."""
        weights: Sequence[float | None] = [None] * len(network) if known is None else known
        return [self._weights.get(key, weight) for key, weight in zip(network.nodes(), weights, strict=True)]

    def _tones(self, changed: Network, tones: list[str | None]) -> list[str]:
        """How items are drawn: as before, but for what is done, freed or held by the changes."""
        free, was_free = set(changed.frontier()), set(self._graph.frontier())
        return [
            self._tone(changed, key, tone, is_free=key in free, was_free=key in was_free)
            for key, tone in zip(changed.nodes(), tones, strict=True)
        ]

    def _tone(self, changed: Network, key: str, tone: str | None, *, is_free: bool, was_free: bool) -> str:
        if changed.is_done(key):
            return tone if tone and key in self._graph and self._graph.is_done(key) else "done"
        if tone is None or is_free != was_free:
            return "ready" if is_free else "open"
        return tone

    def _weigh(self, weight: chant_mcp.graph.Weight) -> tuple[dict[str, float], dict[str, float]]:
        """What items weigh by their keys, as it would be and as it is."""
        new, old = self.graph(), self._graph
        if weight is None:
            return dict(zip(new, new.durations(), strict=True)), dict(zip(old, old.durations(), strict=True))
        added: dict[str, float] = {key: value for key, value in self._weights.items() if key in new}
        if not isinstance(weight, str) and not callable(weight):
            own = {name: value for name, value in weight.items() if name in added}
            weight, added = {name: weight[name] for name in weight if name not in own}, {**added, **own}
        known = dict(zip(old, old.weights(weight) or [1.0] * len(old), strict=True))
        return {**{key: known[key] for key in new if key in known}, **added}, known


def _again(graph: chant_mcp.Graph, changes: list[tuple[Any, ...]], weights: Mapping[str, float]) -> WhatIf:
    return WhatIf(graph)._with(*changes, weights=weights)  # pyright: ignore[reportPrivateUsage]
