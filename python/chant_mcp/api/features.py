"""Spec-kit features and their tasks as handles."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import chant_mcp
from chant_mcp._core import Answer, SpeckitFeatures
from chant_mcp.api.handles import Handle, Handles, ItemQuery
from chant_mcp.api.specs import Criterion
from chant_mcp.api.transactions import refuse_within, within
from chant_mcp.paging import EVERYTHING, pieces
from chant_mcp.terminal import harmless


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Feature:
    """A feature of a spec-kit project as it was at one moment.

    Example:
        >>> feature = ws.feature("060-login")
        >>> [task.id for task in feature.next()]
        ['T001']
    """

    workspace: chant_mcp.Workspace
    """Where it lies."""
    _data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def path(self) -> str:
        """Its directory, such as `specs/060-login`."""
        return self._data["spec_dir"]

    @property
    def id(self) -> str:
        """Its directory's name."""
        return self.path.rsplit("/", 1)[-1]

    @property
    def key(self) -> str:
        """Its name in the workspace: `speckit:` and its ID."""
        return f"speckit:{self.id}"

    @property
    def number(self) -> str | None:
        """Its number."""
        return self._data["feature_number"]

    @property
    def title(self) -> str:
        """Its name without the number."""
        return self._data["feature_name"] or ""

    @property
    def status(self) -> str:
        """The phase it is in."""
        return self._data["phase"]

    @property
    def is_current(self) -> bool:
        """Whether it is the one that is worked on."""
        return self._data["current"]

    @property
    def progress(self) -> dict[str, Any] | None:
        """How far its tasks are; `None` without any."""
        return self._data["progress"]

    @property
    def tasks(self) -> Handles[FeatureTask]:
        """Its tasks, in the order of the list; none without a list of them."""
        return Handles(self.workspace, ItemQuery(dialect="speckit", path=f"{self.path}/tasks.md"))

    def task(self, id: str) -> FeatureTask:
        """One of them.

        Raises:
            NotFoundError: None is called so.
        """
        found: Any = self.workspace[f"{self.key}#{id}"]
        return found

    def next(self) -> Handles[FeatureTask]:
        """The tasks that can be done now, all at once."""
        return self.tasks.where(ready=True)

    def complete(
        self, task_id: str, *, skip_validation: bool = False, agent: str | None = None
    ) -> FeatureTask:
        """Tick a task when its checks hold (`rstn_complete_task`).

        Inside a transaction a task that has to pass checks is refused: they would run before anything is
        written.

        Args:
            task_id: Such as `T001`.
            skip_validation: Tick it without checks.
            agent: Who did it, for the log.

        Raises:
            RefusedError: A check failed, or something has to be done before it.
            NotFoundError: There is no such task.
        """
        transaction = within(self.workspace)
        if transaction is not None:
            would_be = transaction.staged.complete(
                self.id,
                task_id,
                session=self.workspace.session.name,
                skip_validation=skip_validation,
                agent=agent,
            )
            return FeatureTask(self.workspace, would_be)
        answer = self._tools.complete(task_id, skip_validation=skip_validation, feature=self.id, agent=agent)
        return replace(self.task(answer.data["task_id"]), response=answer.text)

    def reopen(self, task_id: str, *, agent: str | None = None) -> FeatureTask:
        """Take the tick of a task back; what waited for it waits again.

        Args:
            task_id: Such as `T001`.
            agent: Who did it, for the log.

        Raises:
            NotFoundError: There is no such task.
        """
        refuse_within(self.workspace, "`reopen` of a feature's task")
        answer = self._tools.reopen(task_id, feature=self.id, agent=agent)
        return replace(self.task(answer.data["task_id"]), response=answer.text)

    def read(self, artifact: str = "spec") -> str:
        """One of its documents, whole (`rstn_read_spec`).

        Args:
            artifact: `spec`, `plan`, `tasks`, `checklist` or `analysis`.

        Raises:
            NotFoundError: There is no such document.
            InvalidArgumentError: There is no such kind of document.
        """

        def piece(offset: int) -> Answer:
            return self._tools.read(artifact, feature=self.id, offset=offset, max_chars=EVERYTHING)

        return "".join(pieces(piece))

    def context(self) -> dict[str, Any]:
        """What is known of it (`rstn_get_context`)."""
        return self._tools.context(self.id).data

    @property
    def _tools(self) -> SpeckitFeatures:
        return self.workspace.session.speckit

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Feature):
            return NotImplemented
        return (self.key, self.workspace) == (other.key, other.workspace)

    def __lt__(self, other: Feature) -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return harmless(f"<Feature {self.id} {self.status}>")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return operator.getitem, (self.workspace, self.key)


@dataclass(init=False, frozen=True, slots=True, eq=False, repr=False)
class FeatureTask(Handle):
    """A task of a feature as it was at one moment. Its ID is such as `T001`, its body its description.

    Example:
        >>> ws.feature("060-login").task("T001").complete(agent="ada").is_done
        True
    """

    @property
    def feature(self) -> Feature:
        """Its feature, as it is now."""
        return self.workspace.feature(self._data["feature"])

    @property
    def line(self) -> int:
        """Its line in its file."""
        return self._data["line"]

    @property
    def phase(self) -> str | None:
        """The phase it stands in."""
        return self._data["phase"]

    @property
    def part_of(self) -> str | None:
        """The ID of the task it is a part of."""
        return self._data["part_of"]

    @property
    def is_parallel(self) -> bool:
        """Whether it is marked `[P]`."""
        return self._data["is_parallel"]

    @property
    def labels(self) -> tuple[str, ...]:
        """Its user stories and labels."""
        return tuple(self._data["labels"])

    @property
    def stories(self) -> tuple[str, ...]:
        """The user stories it belongs to."""
        return tuple(self._data["stories"])

    @property
    def files(self) -> tuple[str, ...]:
        """The files that its text names."""
        return tuple(self._data["files"])

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """What it has to meet."""
        return tuple(Criterion(*criterion) for criterion in self._data["criteria"])

    def complete(self, *, skip_validation: bool = False, agent: str | None = None) -> FeatureTask:
        """Tick it when its checks hold; errors as for `Feature.complete`."""
        return self.feature.complete(self.id, skip_validation=skip_validation, agent=agent)

    def reopen(self, *, agent: str | None = None) -> FeatureTask:
        """Take its tick back; errors as for `Feature.reopen`."""
        return self.feature.reopen(self.id, agent=agent)
