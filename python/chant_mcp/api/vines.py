"""Task graphs and their tasks as handles."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import chant_mcp
from chant_mcp._core import VineDocument, VineFiles
from chant_mcp.api.handles import Handle, Handles, ItemQuery, Problem, refuse_open, shortened, words
from chant_mcp.api.transactions import refuse_within, within
from chant_mcp.errors import InvalidArgumentError, NotFoundError
from chant_mcp.paging import EVERYTHING
from chant_mcp.terminal import harmless


@dataclass(frozen=True, slots=True)
class Attachment:
    """Something outside that belongs to a task."""

    cls: str
    """`artifact`, `guidance` or `file`."""
    mime: str
    """Its media type."""
    uri: str
    """Where it is."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Vine:
    """A `.vine` file as it was at one moment; an edit gives a new handle.

    Example:
        >>> plan = ws.vine("plan")
        >>> [task.id for task in plan.tasks if task.is_ready]
        ['log']
        >>> plan.set({"log": "complete"}).progress["complete"]
        1
    """

    workspace: chant_mcp.Workspace
    """Where it lies."""
    path: str
    """The file, relative to the root."""
    _document: VineDocument
    response: str = ""
    """What the edit that gave this handle answered."""

    @classmethod
    def read(cls, workspace: chant_mcp.Workspace, path: str, response: str = "") -> Vine:
        """Read a file.

        Raises:
            NotFoundError: There is no such file.
            InvalidDocumentError: It is no valid graph.
        """
        transaction = within(workspace)
        document = None if transaction is None else transaction.staged.plan(path)
        document = document or workspace.session.vine.document(_place(workspace, path))
        return cls(workspace, path, document, response)

    @property
    def key(self) -> str:
        """Its name in the workspace: `vine:` and its path."""
        return f"vine:{self.path}"

    @property
    def title(self) -> str | None:
        """Its title."""
        return self._head["title"]

    @property
    def version(self) -> str:
        """The version of the format."""
        return self._head["version"]

    @property
    def prefix(self) -> str | None:
        """What its tasks' IDs begin with when it is put into another graph."""
        return self._head["prefix"]

    @property
    def blob(self) -> str:
        """What git calls its text."""
        return self._document.blob()

    @property
    def progress(self) -> dict[str, Any]:
        """How far it is."""
        return dict(self._head["progress"])

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with its file."""
        return tuple(one for one in self.workspace.problems if one.path == self.path)

    @property
    def tasks(self) -> Handles[Task]:
        """Its tasks and references, as they are now."""
        return Handles(self.workspace, ItemQuery(dialect="vine", path=self.path))

    def task(self, id: str) -> Task:
        """One of them.

        Raises:
            NotFoundError: None is called so.
        """
        found: Any = self.workspace[f"{self.key}#{id}"]
        return found

    def ask(self, action: str, **question: Any) -> dict[str, Any]:
        """Ask as `vine_read` does: `summary`, `context`, `descendants`, `validate` and others.

        Args:
            action: What is asked.
            question: `id`, `status`, `query`, `limit`, `offset`, as the action needs them.

        Raises:
            InvalidArgumentError: There is no such action, or it needs something else.
        """
        return self._tools.read(self._file, action, **question).data

    def next(self) -> dict[str, Any]:
        """What can be acted on now (`vine_next`)."""
        found = self._tools.next(self._file, limit=EVERYTHING).data
        page, offset = found, 0
        totals = {name: found.pop(f"{name}_total") for name in list(found) if f"{name}_total" in found}
        while cut := [name for name, total in totals.items() if page[name] and len(found[name]) < total]:
            offset += max(len(page[name]) for name in cut)
            page = self._tools.next(self._file, limit=EVERYTHING, offset=offset).data
            for name in cut:
                found[name] = found[name] + page[name]
        return found

    def write(
        self, operations: Sequence[Mapping[str, Any]], *, expect: str | None = None, dry_run: bool = False
    ) -> Vine:
        """Carry out operations in order, all or none (`vine_write`).

        Args:
            operations: Such as `{"op": "set_status", "id": "a", "status": "complete"}`.
            expect: The `blob` of the text they are meant for; none for the text as it is now.
            dry_run: Only say, in `response`, what would change.

        Raises:
            ConflictError: The file holds another text than expected, or a task is taken.
            InvalidArgumentError: An operation is none, or cannot be carried out.
        """
        response = _write_operations(self.workspace, self.path, operations, expect=expect, dry_run=dry_run)
        return Vine.read(self.workspace, self.path, response)

    def add(
        self,
        id: str,
        name: str,
        *,
        status: str | None = None,
        description: str | None = None,
        depends_on: str | Iterable[str] = (),
        needed_by: str | Iterable[str] = (),
        annotations: Mapping[str, Sequence[str]] | None = None,
    ) -> Task:
        """Add a task.

        Args:
            id: Its ID.
            name: Its name.
            status: Its state; `notstarted` without it.
            description: What it is about.
            depends_on: IDs of what it waits for.
            needed_by: IDs of tasks that wait for it from now on.
            annotations: Keys with their values.

        Raises:
            InvalidArgumentError: The graph would not be valid, as without anybody who waits for the task.
        """
        task: dict[str, Any] = {"op": "add_task", "id": id, "name": name}
        given = {"status": status, "description": description, "annotations": annotations}
        task.update((key, value) for key, value in given.items() if value is not None)
        if depends_on:
            task["dependsOn"] = words(depends_on)
        wiring = [{"op": "add_dep", "taskId": other, "depId": id} for other in words(needed_by)]
        response = _write_operations(self.workspace, self.path, [task, *wiring])
        return replace(self.task(id), response=response)

    def set(self, statuses: Mapping[str, str]) -> Vine:
        """Give tasks other states, all or none.

        Args:
            statuses: States by IDs.
        """
        return self.write([{"op": "set_status", "id": id, "status": word} for id, word in statuses.items()])

    def claim(self, id: str, *, owner: str | None = None, force: bool = False) -> Task:
        """Begin a task; two who claim the same at once do not both get it.

        Args:
            id: Its ID.
            owner: Who begins it.
            force: Also when it is taken or waits for something.

        Raises:
            ConflictError: It is taken.
            RefusedError: It waits for something.
        """
        response = _write_operations(self.workspace, self.path, [_claim(id, owner, force)])
        return replace(self.task(id), response=response)

    def expand(self, ref_id: str, child: str | Path | None = None) -> Vine:
        """Put the tasks of another file in the place of a reference (`vine_expand`).

        Args:
            ref_id: The reference.
            child: The other file, from the root; the one that the reference names without it.
        """
        refuse_within(self.workspace, "`expand`", "it reads a second file, which is not held meanwhile")
        file = None if child is None else _place(self.workspace, _inside(self.workspace, child))
        answer = self._tools.expand(self._file, ref_id, file)
        return Vine.read(self.workspace, self.path, answer.text)

    def reload(self) -> Vine:
        """Read the same file as it is now."""
        return Vine.read(self.workspace, self.path)

    @property
    def _head(self) -> dict[str, Any]:
        return self._document.head().data

    @property
    def _tools(self) -> VineFiles:
        return self.workspace.session.vine

    @property
    def _file(self) -> str:
        return _place(self.workspace, self.path)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vine):
            return NotImplemented
        return (self.path, self.workspace) == (other.path, other.workspace)

    def __lt__(self, other: Vine) -> bool:
        return self.path < other.path

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return harmless(f"<Vine {self.path}: {shortened(self.title or '')}>")

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return operator.getitem, (self.workspace, self.key)


@dataclass(init=False, frozen=True, slots=True, eq=False, repr=False)
class Task(Handle):
    """A task of a task graph, or a reference in one.

    Example:
        >>> task = ws.vine("plan").task("log").claim(owner="ada")
        >>> task.status, task.owner
        ('started', 'ada')
    """

    @property
    def vine(self) -> Vine:
        """Its file, as it is now."""
        return Vine.read(self.workspace, self.path)

    @property
    def is_root(self) -> bool:
        """Whether it is the first of its file, the one that all others lead to."""
        return self._data["is_root"]

    @property
    def is_ref(self) -> bool:
        """Whether it stands for another file."""
        return self._data["type"] == "ref"

    @property
    def child(self) -> str | None:
        """The file that a reference stands for."""
        return self._data["vine"]

    @property
    def description(self) -> str:
        """What it is about: its body."""
        return self.body

    @property
    def owner(self) -> str | None:
        """Who has it."""
        return self._data["assignee"]

    @property
    def decisions(self) -> tuple[str, ...]:
        """What was decided."""
        return tuple(self._data["decisions"])

    @property
    def annotations(self) -> dict[str, tuple[str, ...]]:
        """Its annotations by their keys."""
        return {key: tuple(values) for key, values in self._data["annotations"].items()}

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """What belongs to it outside of the file."""
        rows = self._data["attachments"]
        return tuple(Attachment(row["class"], row["mime"], row["uri"]) for row in rows)

    def update(
        self,
        *,
        name: str | None = None,
        status: str | None = None,
        description: str | None = None,
        decisions: Iterable[str] | None = None,
        add_decisions: Iterable[str] = (),
        annotations: Mapping[str, Sequence[str]] | None = None,
        attachments: Iterable[Mapping[str, str]] | None = None,
        add_attachments: Iterable[Mapping[str, str]] = (),
        remove_attachments: Iterable[str] = (),
        add_dependencies: Iterable[str] = (),
        remove_dependencies: Iterable[str] = (),
    ) -> Task:
        """Change what is given, all or nothing (`vine_write`).

        Raises:
            ConflictError: There is a `description`, and it is another one by now than this handle shows.
            InvalidArgumentError: Nothing is given, or the graph would not be valid.
        """
        given: dict[str, Any] = {
            "name": name,
            "description": description,
            "decisions": None if decisions is None else list(decisions),
            "addDecisions": list(add_decisions) or None,
            "annotations": annotations,
            "attachments": None if attachments is None else list(attachments),
            "addAttachments": list(add_attachments) or None,
            "removeAttachments": list(remove_attachments) or None,
        }
        changes = {key: value for key, value in given.items() if value is not None}
        operations: list[dict[str, Any]] = []
        if changes:
            operations.append({"op": "update", "id": self.id, **changes})
        for op, names in (("add_dep", add_dependencies), ("remove_dep", remove_dependencies)):
            operations += [{"op": op, "taskId": self.id, "depId": name} for name in names]
        if status is not None:
            operations.append({"op": "set_status", "id": self.id, "status": status})
        expected = None if description is None else (self.id, self.body)
        return self._changed(operations, expect_description=expected)

    def set(self, status: str) -> Task:
        """Give it another state."""
        return self.update(status=status)

    def reopen(self) -> Task:
        """Make a done one `notstarted` again.

        Raises:
            IllegalTransitionError: It is not done.
        """
        refuse_open(self)
        return self.set("notstarted")

    def claim(self, *, owner: str | None = None, force: bool = False) -> Task:
        """Begin it; errors as for `Vine.claim`."""
        return self._changed([_claim(self.id, owner, force)])

    def remove(self) -> Vine:
        """Take it out of its file, and out of what waits for it."""
        response = _write_operations(self.workspace, self.path, [{"op": "remove_task", "id": self.id}])
        return Vine.read(self.workspace, self.path, response)

    def rename(self, id: str) -> Task:
        """Give it another ID, in all that waits for it, too."""
        response = _write_operations(
            self.workspace, self.path, [{"op": "rename_task", "id": self.id, "newId": id}]
        )
        found: Any = self.workspace[f"vine:{self.path}#{id}"]
        return replace(found, response=response)

    def _changed(
        self, operations: Sequence[Mapping[str, Any]], *, expect_description: tuple[str, str] | None = None
    ) -> Task:
        response = _write_operations(
            self.workspace, self.path, operations, expect_description=expect_description
        )
        return replace(self.reload(), response=response)

    def context(self) -> dict[str, Any]:
        """It with what it builds on and who builds on it, whole."""
        file = _place(self.workspace, self.path)
        return self.workspace.session.vine.task(file, self.id).data


def _claim(id: str, owner: str | None, force: bool) -> dict[str, Any]:
    claim: dict[str, Any] = {"op": "claim", "id": id, "force": force}
    return claim if owner is None else {**claim, "owner": owner}


def _write_operations(
    workspace: chant_mcp.Workspace,
    path: str,
    operations: Sequence[Mapping[str, Any]],
    *,
    expect: str | None = None,
    expect_description: tuple[str, str] | None = None,
    dry_run: bool = False,
) -> str:
    """Carry out operations on a file; gives what was answered, nothing inside a transaction."""
    file = _place(workspace, path)
    expected: dict[str, Any] = {"expect": expect, "expect_description": expect_description}
    if dry_run:
        refuse_within(workspace, "A dry run", "it would look at the file as it is on disk")
    transaction = within(workspace)
    if transaction is not None:
        transaction.staged.write(file, list(operations), **expected)
        return ""
    return workspace.session.vine.write(file, list(operations), **expected, dry_run=dry_run).text


def _place(workspace: chant_mcp.Workspace, path: str) -> str:
    return str(workspace.root / path)


def _inside(workspace: chant_mcp.Workspace, path: str | Path) -> str:
    """A path from the root as every file has one, without dots.

    Raises:
        InvalidArgumentError: It leads out of the root.
    """
    place = Path(os.path.normpath(workspace.root / path))
    if not place.is_relative_to(workspace.root):
        raise InvalidArgumentError(
            f"`{path}` lies outside of the workspace; name a file below `{workspace.root}`."
        )
    return place.relative_to(workspace.root).as_posix()


def create_vine(
    workspace: chant_mcp.Workspace, path: str | Path, operations: Sequence[Mapping[str, Any]]
) -> Vine:
    """Make a new file (`vine_write` with `create`).

    Raises:
        ConflictError: There is one of that name.
        InvalidArgumentError: It would lie outside of the root.
    """
    refuse_within(workspace, "A new task graph", "only task graphs that are there take part")
    name = _inside(workspace, str(path) if str(path).endswith(".vine") else f"{path}.vine")
    answer = workspace.session.vine.write(_place(workspace, name), [{"op": "create"}, *operations])
    return Vine.read(workspace, name, answer.text)


def find_vine(workspace: chant_mcp.Workspace, name: str) -> Vine:
    """The file that a path means, the ending left out or not.

    Raises:
        NotFoundError: There is none.
        InvalidArgumentError: It would lie outside of the root.
    """
    name = _inside(workspace, name)
    for path in (name, f"{name}.vine"):
        if (workspace.root / path).is_file():
            return Vine.read(workspace, path)
    raise NotFoundError(f"There is no task graph `{name}` here.")
