"""Spec-kit features and their tasks as handles."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from chant_mcp.api.handles import Listed, shortened
from chant_mcp.api.specs import Criterion
from chant_mcp.api.transactions import refuse_within
from chant_mcp.errors import NotFoundError

if TYPE_CHECKING:
    from chant_mcp.api.workspace import Workspace


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Feature:
    """A feature of a spec-kit project as it was at one moment."""

    workspace: Workspace
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
    def tasks(self) -> Listed[FeatureTask]:
        """Its tasks, as they are now; none without a list of them."""
        try:
            answer = self._tools.tasks(self.id)
        except NotFoundError:
            return Listed(())
        return Listed(FeatureTask(self, row) for row in answer.data["tasks"])

    def task(self, id: str) -> FeatureTask:
        """One of them.

        Raises:
            NotFoundError: None is called so.
        """
        for task in self.tasks:
            if task.id == id:
                return task
        raise NotFoundError(f"{self.id} has no task '{id}'.")

    def next(self) -> Listed[FeatureTask]:
        """The tasks that can be done now, all at once."""
        return Listed(task for task in self.tasks if task.is_ready)

    def complete(
        self, task_id: str, *, skip_validation: bool = False, agent: str | None = None
    ) -> FeatureTask:
        """Tick a task when its checks hold (`rstn_complete_task`).

        Args:
            task_id: Such as `T001`.
            skip_validation: Tick it without checks.
            agent: Who did it, for the log.

        Raises:
            RefusedError: A check failed, or something has to be done before it.
            NotFoundError: There is no such task.
        """
        refuse_within(self.workspace, "A change of a feature")
        answer = self._tools.complete(task_id, skip_validation=skip_validation, feature=self.id, agent=agent)
        done = self.task(answer.data["task_id"])
        return FeatureTask(self, done.row, answer.text)

    def read(self, artifact: str = "spec") -> str:
        """One of its documents, whole (`rstn_read_spec`).

        Args:
            artifact: `spec`, `plan`, `tasks`, `checklist` or `analysis`.

        Raises:
            NotFoundError: There is no such document.
            InvalidArgumentError: There is no such kind of document.
        """
        pieces: list[str] = []
        offset: int | None = 0
        while offset is not None:
            answer = self._tools.read(artifact, feature=self.id, offset=offset)
            data = answer.data
            pieces.append(answer.text if data is None else data["content"])
            offset = None if data is None else data.get("next_offset")
        return "".join(pieces)

    def context(self) -> dict[str, Any]:
        """What is known of it (`rstn_get_context`)."""
        return self._tools.context(self.id).data

    @property
    def _tools(self) -> Any:
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
        return f"<Feature {self.id} {self.status}>"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return operator.getitem, (self.workspace, self.key)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FeatureTask:
    """A task of a feature as it was at one moment."""

    feature: Feature
    """The feature that it is a task of."""
    row: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the list says of it."""
    told: str = ""
    """What the edit that gave this handle answered."""

    @property
    def id(self) -> str:
        """Such as `T001`."""
        return self.row["id"]

    @property
    def key(self) -> str:
        """Its name in the workspace, such as `speckit:060-login#T001`."""
        return f"{self.feature.key}#{self.id}"

    @property
    def title(self) -> str:
        """The first line of what is to be done."""
        return self.body.split("\n", 1)[0]

    @property
    def body(self) -> str:
        """What is to be done."""
        return self.row["description"]

    @property
    def status(self) -> str:
        """`open`, `partial`, `done` or `skipped`."""
        return self.row["status"]

    @property
    def is_done(self) -> bool:
        """Whether nobody waits for it any more."""
        return self.status in ("done", "skipped")

    @property
    def is_ready(self) -> bool:
        """Whether it can be done now."""
        return self.row["ready"]

    @property
    def depends_on(self) -> tuple[str, ...]:
        """What it names itself, as the list has it."""
        return tuple(self.row["depends_on"])

    @property
    def waits_for(self) -> tuple[str, ...]:
        """What it still waits for, also because of its phase."""
        return tuple(self.row["waits_for"])

    @property
    def labels(self) -> tuple[str, ...]:
        """Its labels."""
        return tuple(self.row["labels"])

    @property
    def stories(self) -> tuple[str, ...]:
        """The user stories it belongs to."""
        return tuple(self.row["stories"])

    @property
    def phase(self) -> str | None:
        """The phase it stands in."""
        return self.row["phase"]

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """What it has to meet."""
        rows = self.row["criteria"]
        return tuple(Criterion(row["text"], row["status"] == "done") for row in rows)

    @property
    def path(self) -> str:
        """Its file, relative to the project's root."""
        return f"{self.feature.path}/tasks.md"

    @property
    def line(self) -> int:
        """Its line there."""
        return self.row["line"]

    def complete(self, *, skip_validation: bool = False, agent: str | None = None) -> FeatureTask:
        """Tick it when its checks hold; errors as for `Feature.complete`."""
        return self.feature.complete(self.id, skip_validation=skip_validation, agent=agent)

    def fresh(self) -> FeatureTask:
        """The same task as it is now."""
        return self.feature.task(self.id)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FeatureTask):
            return NotImplemented
        return (self.id, self.feature) == (other.id, other.feature)

    def __lt__(self, other: FeatureTask) -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"<FeatureTask {self.id} {self.status}: {shortened(self.title)}>"

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return operator.getitem, (self.feature.workspace, self.key)
