"""Changes of a graph, written to specs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chant_mcp.api.specs import Spec
from chant_mcp.errors import RefusedError

if TYPE_CHECKING:
    from chant_mcp.api.workspace import Workspace
    from chant_mcp.graph import Graph

_BEGUN = ("in_progress", "completed")


def apply_changes(workspace: Workspace, changes: Sequence[tuple[Any, ...]]) -> dict[str, str]:
    """Make changes in their order, all or none.

    Args:
        workspace: Where the specs lie.
        changes: Words and what they need, as `WhatIf.changes` has them.

    Returns:
        The keys of new specs by the names they were added under.

    Raises:
        RefusedError: An item is no spec, or a rule of the tools forbids a change.
    """
    plan = _Plan(workspace)
    with workspace.transaction():
        for word, *given in changes:
            getattr(plan, word)(*given)
    return plan.made


class _Plan:
    """Changes on their way into a transaction; the methods are called as the changes are."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._changed: set[str] = set()
        self.made: dict[str, str] = {}

    def finish(self, key: str) -> None:
        spec = self._spec(key)
        if spec.status not in _BEGUN:
            spec = spec.update(status="in_progress")
        if spec.status != "completed":
            spec.update(status="completed")

    def drop(self, key: str) -> None:
        self._spec(key).cancel()

    def depend_on(self, key: str, before: Iterable[str]) -> None:
        self._depend(self._spec(key), self._keys(before))

    def add(self, key: str, before: Iterable[str], after: Iterable[str]) -> None:
        self._new(key, before)
        for waiting in after:
            self._wait_for(self._spec(waiting), [key])

    def split(self, key: str, parts: Iterable[str], in_a_row: bool) -> None:
        old = self._spec(key)
        last: list[str] = list(old.depends_on)
        ends: list[str] = []
        for part in parts:
            self._new(part, last, like=old)
            ends = [part] if in_a_row else [*ends, part]
            last = [part] if in_a_row else last
        for waiting in self._named_by(old.key):
            self._wait_for(waiting, ends, instead_of=old.key)
        old.cancel()

    def _new(self, name: str, before: Iterable[str], *, like: Spec | None = None) -> None:
        spec = self._workspace.add(
            name,
            depends_on=self._keys(before) or None,
            labels=() if like is None else like.labels,
            target_files=() if like is None else like.target_files,
        )
        self.made[name] = spec.key

    def _named_by(self, key: str) -> list[Spec]:
        """The specs that name another one themselves, those of this transaction included."""
        waiting = self._graph.after(key) if key in self._graph else ()
        found = [self._spec(one) for one in sorted({*waiting, *self._changed, *self.made.values()})]
        return [spec for spec in found if key in spec.depends_on]

    @cached_property
    def _graph(self) -> Graph:
        return self._workspace.graph()

    def _wait_for(self, spec: Spec, names: Iterable[str], *, instead_of: str | None = None) -> None:
        kept = [key for key in spec.depends_on if key != instead_of]
        self._depend(spec, [*kept, *self._keys(names)])

    def _depend(self, spec: Spec, keys: Sequence[str]) -> None:
        spec.update(depends_on=keys)
        self._changed.add(spec.key)

    def _keys(self, names: Iterable[str]) -> list[str]:
        return [self.made.get(name, name) for name in names]

    def _spec(self, name: str) -> Spec:
        found = self._workspace[self.made.get(name, name)]
        if isinstance(found, Spec):
            return found
        raise RefusedError(
            f"{name} is not a spec; changes of a graph can be written only to specs. Nothing was changed."
        )
