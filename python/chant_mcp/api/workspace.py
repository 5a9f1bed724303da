"""A folder with work files of whatever dialect, as one object."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike, environ
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, overload

from chant_mcp import _core
from chant_mcp.api import commits, vines
from chant_mcp.api.changes import Changes
from chant_mcp.api.features import Feature, FeatureTask
from chant_mcp.api.handles import AnyHandle, FoundItems, Handle, Handles, ItemQuery, Problem, words
from chant_mcp.api.plans import PlanItem
from chant_mcp.api.recent import RecentCommit, read_recent_commits
from chant_mcp.api.repositories import Repositories
from chant_mcp.api.specs import Spec, linted, own_id
from chant_mcp.api.tickets import Ticket, attribute
from chant_mcp.api.transactions import Result, Transaction, attempted, refuse_within, staged, within
from chant_mcp.api.vines import Task, Vine
from chant_mcp.errors import (
    AmbiguousIdError,
    ChantError,
    InvalidArgumentError,
    InvalidDocumentError,
    NotFoundError,
)
from chant_mcp.formats import plan_formats_in
from chant_mcp.graph import Graph
from chant_mcp.graph_answers import Attributes
from chant_mcp.paging import EVERYTHING, gathered
from chant_mcp.picture import graph_bundle
from chant_mcp.session import Session, dialects_in, find_place, may_have_features
from chant_mcp.terminal import harmless
from chant_mcp.user_folders import home_folder

if TYPE_CHECKING:
    from chant_mcp.parameters import NewItem, NewSpecOfPerson

AnyItem: TypeAlias = Spec | Task | FeatureTask | Ticket | PlanItem | Vine | Feature | Handle
"""What a name may mean; a phase of a feature is a `Handle` and nothing more."""

_HANDLES: dict[str, type[Handle]] = {"chant": Spec, "vine": Task, "speckit": FeatureTask, "tickets": Ticket}

# Logging is off until a script turns it on; without this Python prints warnings.
logging.getLogger("chant_mcp").addHandler(logging.NullHandler())


@overload
def open(
    folder: str | PathLike[str] = ".",
    *,
    environment: Mapping[str, str] | None = None,
    exactly: bool = False,
    trust: str | None = None,
) -> Workspace: ...
@overload
def open(
    folder: Iterable[str | PathLike[str]],
    *,
    environment: Mapping[str, str] | None = None,
    exactly: bool = False,
) -> Repositories: ...
def open(
    folder: str | PathLike[str] | Iterable[str | PathLike[str]] = ".",
    *,
    environment: Mapping[str, str] | None = None,
    exactly: bool = False,
    trust: str | None = None,
) -> Workspace | Repositories:
    """Open the project that a folder belongs to, as the command `chant-mcp` would there.

    Args:
        folder: Where to begin. Several folders are opened together: keys then begin with the repository.
        environment: Variables that say where the user's configuration lies and that configurations refer
            to; those of this process without it.
        exactly: Whether the folder itself is the project; else the nearest one upwards that holds work
            files, else the top of the git checkout, else the folder.
        trust: The hash that `chant-mcp trust --show` printed. Without it what the folder asks for is run
            only where a person said yes to it before (`NotTrustedError`); reading and editing needs neither.

    Returns:
        The workspace, which need not hold any work files yet; for several folders `Repositories`.

    Raises:
        NotFoundError: There is no such folder.
        InvalidArgumentError: A hash is given for several folders.

    Example:
        >>> import chant_mcp
        >>> ws = chant_mcp.open(".")
        >>> ws.dialects
        ('chant', 'vine', 'speckit', 'tickets')
    """
    if not isinstance(folder, (str, PathLike)):
        if trust is not None:
            raise InvalidArgumentError("A hash is of one folder. Trust each with `chant-mcp trust` first.")
        return Repositories(open(one, environment=environment, exactly=exactly) for one in folder)
    start = Path(folder).resolve()
    if not start.is_dir():
        raise NotFoundError(f"There is no folder `{start}`.")
    place = find_place(start, start if exactly else None)
    if environment is None:
        return Workspace(Session.of_process(place, environ, home_folder(), trust=trust, door="scripts"))
    home = environment.get("HOME") or environment.get("USERPROFILE")
    return Workspace(Session.of_process(place, environment, home or None, trust=trust, door="scripts"))


class Workspace:
    """A folder with chant specs, task graphs, spec-kit features and tickets.

    It is safe to share between threads. Every answer is as of the moment it is asked for; nothing is
    printed, and every refusal is an exception of `chant_mcp.errors`. Two workspaces on the same folder
    are equal; a pickled one is opened again.

    Example:
        >>> ws = chant_mcp.open(".")
        >>> for item in ws.ready:
        ...     print(item.key, item.title)
        chant:2026-01-22-001-aaa First
        vine:plan.vine#log Write it
        speckit:060-login#T001 Make the folder
        tickets:DEM-007 Log in
    """

    def __init__(self, session: Session) -> None:
        """Take a session; `chant_mcp.open` makes one."""
        self._session = session

    @property
    def root(self) -> Path:
        """The folder."""
        return self._session.place.root

    @property
    def repo(self) -> str:
        """The name of its repository in keys and tables, which is that of the folder."""
        return self.core.repository_name

    @property
    def session(self) -> Session:
        """The project's handles as the tools use them."""
        return self._session

    @property
    def core(self) -> _core.Workspace:
        """The workspace as the core has it."""
        return self._session.workspace

    @property
    def dialects(self) -> tuple[str, ...]:
        """The dialects whose files are here."""
        return dialects_in(self.root)

    @property
    def items(self) -> Handles[Handle]:
        """Specs, tasks of task graphs and features, tickets, and items of other plans, in this order."""
        return Handles(self, ItemQuery())

    @property
    def specs(self) -> Handles[Spec]:
        """The active specs, in the order of their IDs."""
        return Handles(self, ItemQuery(dialect="chant"))

    @property
    def tickets(self) -> Handles[Ticket]:
        """The tickets of the project that lies here."""
        return Handles(self, ItemQuery(dialect="tickets"))

    def plans(self, dialect: str) -> Handles[PlanItem]:
        """The items of a format such as `openspec` that has no property of its own here.

        Raises:
            InvalidArgumentError: There is no such format; raised when the list is first looked at.
        """
        return Handles(self, ItemQuery(dialect=dialect))

    @property
    def vines(self) -> FoundItems[Vine]:
        """The task graphs that can be read; `problems` lists the others."""
        paths = _core.VineFiles.found(self.root)
        broken = {problem.path for problem in self.problems}
        return FoundItems(Vine.read(self, path) for path in paths if path not in broken)

    @property
    def features(self) -> FoundItems[Feature]:
        """The spec-kit features, by the names of their directories."""
        if not may_have_features(self.root):
            return FoundItems(())
        return FoundItems(Feature(self, row) for row in self._session.speckit.features().data)

    @property
    def ready(self) -> Handles[Handle]:
        """What can be started now, of whatever dialect (`chant_ready`)."""
        return self.items.where(ready=True)

    def leases(self, *, look: bool = False, all: bool = False) -> dict[str, Any]:
        """Say which clone of the repository works on which spec, by the last look at their remote.

        Args:
            look: Whether the remote is looked at first.
            all: Whether leases are wanted, too, that landed or were given back.

        Returns:
            `leases`, each with `spec_id`, `state`, `token`, `orchestrator`, `host`, `since`, `here` and,
            where known, `line`, `commit` and `request`; `remote`, `orchestrator` (the name of this clone),
            `beat_seconds`, `looked_seconds_ago` (None before the first look), and `problems`.

        Raises:
            RefusedError: Clones share nothing, or the remote does not answer.
        """
        return self._session.chant.leases(look=look, all=all).data

    def review_queue(self) -> list[dict[str, Any]]:
        """List the specs whose work waits to be read, first what is to be read first.

        Returns:
            Of each spec `spec_id`, `title`, `state`, `why`, `risk`, `hunks`, `new`, `open`, `stops`, `asked`,
            `not_delivered`, `holds_up` and `since`.
        """
        return self._session.chant.review_queue().data["entries"]

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything that is wrong with files, unreadable ones included."""
        return tuple(map(Problem.from_row, self.core.problems()))

    def __getitem__(self, name: str) -> AnyItem:
        """The item that a name means: a key, an ID, a ticket's code, a part of a spec's ID.

        `vine:<path>` is a task graph, `speckit:<directory>` a feature. `spec`, `task`, `ticket`, `vine` and
        `feature` give what they are called, for type checkers, too.

        Raises:
            NotFoundError: Nothing is called so; `KeyError` is no base of it.
            AmbiguousIdError: Several items are; `details` names them.
        """
        dialect, _, rest = name.partition(":")
        if dialect == "vine" and "#" not in rest:
            return vines.find_vine(self, rest)
        if dialect == "speckit" and "#" not in rest:
            return self.feature(rest)
        return self.make_handle(staged(self, name) or self.core.handle(name))

    def _item(self, name: str, *kinds: type[AnyHandle]) -> AnyHandle:
        """The item that a name means, which has to be of one of these kinds."""
        item = self[name]
        for kind in kinds:
            if isinstance(item, kind):
                return item
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise NotFoundError(f"'{name}' is a {type(item).__name__}, expected a {wanted}.")

    def make_handle(self, data: Mapping[str, Any]) -> Handle:
        """Make the handle of what the core says of an item; a phase of a feature is no task of it."""
        kind = Handle if data["type"] == "phase" else _HANDLES.get(data["dialect"], PlanItem)
        return kind(self, data)

    def spec(self, id: str) -> Spec:
        """The spec that a full or partial ID means; errors as for `ws[…]`."""
        return self._item(f"chant:{own_id(id)}", Spec)

    def task(self, name: str) -> Task | FeatureTask:
        """The task of a task graph or of a feature that a name means; errors as for `ws[…]`.

        Example:
            >>> ws.task("vine:plan.vine#log").title, ws.task("T001").title
            ('Write it', 'Make the folder')
        """
        return self._item(name, Task, FeatureTask)

    def ticket(self, code: str) -> Ticket:
        """The ticket that a code means; errors as for `ws[…]`."""
        return self._item(f"tickets:{code.removeprefix('tickets:')}", Ticket)

    def vine(self, path: str | PathLike[str]) -> Vine:
        """The task graph of a path from the root; errors as for `ws[…]`."""
        return vines.find_vine(self, Path(path).as_posix())

    def feature(self, id: str) -> Feature:
        """The feature of a directory's name; errors as for `ws[…]`."""
        for feature in self.features:
            if feature.id == id:
                return feature
        raise NotFoundError(f"There is no feature '{id}' here.")

    def archive_completed(self) -> dict[str, list[dict[str, str]]]:
        """Archive all completed specs and all done items of plans whose format has an archive.

        Each is moved by itself; what is refused stays and hinders no other.

        Returns:
            `archived` and `left`, each row with `id` (a spec's ID, an item's key) and `text`: what was done,
            or why it was not.
        """
        refuse_within(self, "`archive_completed`")
        archived: list[dict[str, str]] = []
        left: list[dict[str, str]] = []
        for item in self._archivable():
            name = item.id if isinstance(item, Spec) else item.key
            if isinstance(item, Spec) and any(name.startswith(f"{row['id']}.") for row in archived):
                continue  # it went with the one that it is inside
            try:
                archived.append({"id": name, "text": self._archived(item)})
            except ChantError as error:
                left.append({"id": name, "text": error.message})
        return {"archived": archived, "left": left}

    def _archived(self, item: Spec | PlanItem) -> str:
        if isinstance(item, Spec):
            return self._session.chant.archive(item.id).text
        return f"Archived {item.key}: {item.archive().path}"

    def _archivable(self) -> Iterator[Spec | PlanItem]:
        """Give what is done and not archived, specs before those inside them."""
        if "chant" in dialects_in(self.root):
            yield from sorted(self.specs.where(status="completed"), key=lambda one: len(one.id))
        items = (item for word in plan_formats_in(self.root) for item in self.plans(word))
        yield from [item for item in items if item.is_done and "move" in item.edits and not item.is_archived]

    def unarchive(self, id: str) -> Spec:
        """Move an archived spec back among the active ones, with what is inside it; its state stays.

        Args:
            id: Its ID, or the end of it.

        Raises:
            RefusedError: No archived spec is called so, or an active one is, too.
        """
        refuse_within(self, "`unarchive`")
        answer = self._session.chant.unarchive(own_id(id))
        made = self.spec(answer.text.partition("\n")[0].rpartition(" ")[2])
        return replace(made, response=answer.text)

    def add(
        self,
        description: str,
        *,
        criteria: Iterable[str] = (),
        depends_on: Iterable[str] | None = None,
        labels: str | Iterable[str] = (),
        target_files: Iterable[str] = (),
        prompt: str | None = None,
        type: str | None = None,
        parent: str | None = None,
        needs_approval: bool = False,
        refuse_broken: bool = False,
    ) -> Spec:
        """Write a new spec (`chant_add`).

        Args:
            description: What is to be done; its first line becomes the title.
            criteria: Acceptance criteria.
            depends_on: IDs or keys that it waits for.
            labels: Labels.
            target_files: Files that the work touches.
            prompt: The name of a prompt template.
            type: What kind of work it is; `code` without it.
            parent: The spec it becomes a member of.
            needs_approval: Whether a person has to agree before work begins.
            refuse_broken: Whether an unknown type, prompt or dependency is refused.

        Returns:
            The spec; its `response` says what lint finds. Inside a transaction the spec as it would be, whose
            ID stays.

        Raises:
            NotInitializedError: There is no `.chant/specs`.
            InvalidArgumentError: The description is empty, something would not read back, or `refuse_broken`
                is given and a name is unknown.

        Example:
            >>> spec = ws.add("Log out", criteria=["The session ends"], depends_on=["aaa"])
            >>> spec.status, spec.waits_for
            ('blocked', ('chant:2026-01-22-001-aaa',))
        """
        given: NewSpecOfPerson = {
            "criteria": words(criteria),
            "depends_on": None if depends_on is None else [own_id(name) for name in words(depends_on)],
            "labels": words(labels),
            "target_files": words(target_files),
            "prompt": prompt,
            "type": type,
            "parent": None if parent is None else own_id(parent),
            "needs_approval": needs_approval,
            "refuse_broken": refuse_broken,
        }
        transaction = within(self)
        if transaction is not None:
            return Spec(self, transaction.staged.add(description, **given))
        answer = self._session.chant.add(description, **given)
        id = answer.text.splitlines()[0].removeprefix("Created spec: ")
        return replace(self.spec(id), response=answer.text)

    def add_item(
        self,
        title: str,
        *,
        parent: str | None = None,
        text: str = "",
        criteria: Iterable[str] = (),
        depends_on: Iterable[str] = (),
        labels: str | Iterable[str] = (),
    ) -> PlanItem:
        """Add an item to a plan (`item_add`).

        Args:
            title: Its title.
            parent: The item of which it is a part, with a heading behind `#` perhaps; the word of a format
                for a change, spec or file of its own. Not needed where the folder has one such format.
            text: Its description.
            criteria: Texts of its criteria.
            depends_on: Names of what it waits for.
            labels: Its labels.

        Raises:
            InvalidArgumentError: No parent is named, and several formats are here or none.
            RefusedError: The format has no place for it.
        """
        given: NewItem = {
            "parent": parent,
            "text": text,
            "criteria": words(criteria),
            "depends_on": words(depends_on),
            "labels": words(labels),
        }
        transaction = within(self)
        if transaction is not None:
            return PlanItem(self, transaction.staged.add_item(title, **given))
        answer = self.core.item_add(title, **given)
        made = self._item(answer.data["item"]["key"], PlanItem)
        return replace(made, response="".join(f"Warning: {note}\n" for note in answer.data.get("notes", ())))

    def add_ticket(
        self, title: str, *, type: str = "Feature Enhancement", project: str | None = None, **data: Any
    ) -> Ticket:
        """Write a new ticket under the next number (`create_cr`).

        Inside a transaction it has its code at once and keeps it; when other tickets are given numbers
        meanwhile, the end of the transaction raises `ConflictError`.

        Args:
            title: Its title.
            type: What kind of change it asks for.
            project: The project's code; that which lies here without it.
            data: `content`, `priority`, `phaseEpic`, `assignee`, `dependsOn`, `blocks`, `relatedTickets`.

        Raises:
            InvalidArgumentError: A value is none that its key may have.
        """
        given = {name: attribute(value) for name, value in data.items() if value is not None}
        transaction = within(self)
        if transaction is not None:
            return Ticket(self, transaction.staged.add_ticket(type, {"title": title, **given}, project))
        answer = self._session.tickets.create_cr(project, type, {"title": title, **given})
        return replace(self.ticket(answer.data["cr"]["code"]), response=answer.text)

    def add_vine(self, path: str | PathLike[str], operations: Sequence[Mapping[str, Any]]) -> Vine:
        """Make a new task graph (`vine_write` with `create`).

        Args:
            path: From the root; the ending may be left out.
            operations: What comes in; the first `add_task` makes the root.

        Raises:
            ConflictError: There is a file of that name.
            InvalidDocumentError: The graph would not be valid.
        """
        return vines.create_vine(self, Path(path).as_posix(), operations)

    def search(self, query: str, *, status: str | None = None) -> list[Spec]:
        """Specs whose title or body holds a text, the best first (`chant_search`)."""

        def page(limit: int, offset: int) -> _core.Answer:
            return self._session.chant.search(query, status, limit=limit, offset=offset)

        _, found = gathered(page, EVERYTHING, "specs")
        return [self.spec(row["id"]) for row in found["specs"]]

    def status(self, *, include_activity: bool = False) -> dict[str, Any]:
        """How many specs are in each state (`chant_status`)."""
        return self._session.chant.status(include_activity=include_activity).data

    def lint(self) -> dict[str, Any]:
        """Look how well all specs are written (`chant_lint`)."""
        return linted(self._session, None)

    def runs(self, *, process_id: str | None = None, include_completed: bool = False) -> dict[str, Any]:
        """Runs of agents (`chant_work_list`)."""
        self._session.look_after_runs()

        def page(_: int, offset: int) -> _core.Answer:
            return self._session.chant.work_list(
                process_id=process_id, include_completed=include_completed, offset=offset
            )

        return gathered(page, EVERYTHING, "processes")[1]

    def watch_status(self) -> dict[str, Any]:
        """Whether the watch process runs, and what it does (`chant_watch_status`)."""
        return self._session.chant.watch_status().data

    def watch_start(self) -> str:
        """Start the watch process (`chant_watch_start`); what became of it, in words."""
        refuse_within(self, "Starting the watch process")
        return self._session.chant.watch_start().text

    def watch_stop(self) -> str:
        """Stop the watch process (`chant_watch_stop`); what became of it, in words."""
        refuse_within(self, "Stopping the watch process")
        return self._session.chant.watch_stop().text

    def ticket_projects(self) -> list[dict[str, Any]]:
        """All ticket projects that the user's configuration knows (`list_projects`)."""
        return self._session.tickets.list_projects().data["projects"]

    def ticket_project(self, code: str) -> dict[str, Any]:
        """One of them, with the numbers of its tickets by state (`get_project_info`)."""
        return self._session.tickets.get_project_info(code).data

    def list_tickets(self, project: str, **filters: Any) -> list[dict[str, Any]]:
        """List the tickets of any project, as rows (`list_crs`).

        Args:
            project: Its code.
            filters: `status`, `type`, `priority`: a word or a list of them.
        """

        def page(limit: int, offset: int) -> _core.Answer:
            return self._session.tickets.list_crs(project, filters=filters, limit=limit, offset=offset)

        return gathered(page, EVERYTHING, "crs")[1]["crs"]

    def report_status(
        self,
        status: str,
        *,
        prompt: str | None = None,
        message: str | None = None,
        question: str | None = None,
        agent: str | None = None,
    ) -> dict[str, Any]:
        """Report to a person how far an agent is, or ask one and wait (`rstn_report_status`).

        Args:
            status: `needs_input`, `completed` or `error`.
            prompt: What is asked.
            message: What went wrong.
            question: The ID of a question that was asked before.
            agent: Who reports.
        """
        refuse_within(self, "A report of a status")
        answer = self._session.speckit.report_status(
            status, prompt=prompt, message=message, question=question, agent=agent
        )
        return {"text": answer.text} if answer.data is None else answer.data

    def context(self) -> dict[str, Any]:
        """The current feature (`rstn_get_context`)."""
        return self._session.speckit.context().data

    def transaction(self) -> Transaction:
        """Begin edits that are made together or not at all, in a `with` statement.

        Example:
            >>> with ws.transaction():
            ...     spec = ws["aaa"].update(labels=["late"])
            ...     task = ws.vine("plan").claim("log", owner="ada")
            >>> ws["aaa"].labels, ws.vine("plan").task("log").owner
            (('late',), 'ada')
        """
        return Transaction(self)

    def run_transaction(self, function: Callable[[Transaction], Result], *, attempts: int = 5) -> Result:
        """Make the edits of a function together, and call it again when others were faster.

        What it edits it has to read itself, so that it sees fresh texts each time; what else it does happens
        each time, too. Only a `ConflictError` is a reason to try again: texts that others changed, numbers
        that they took, files that they hold. All other exceptions end it, and nothing is written.

        Args:
            function: Called inside of a transaction, which it is given.
            attempts: How often at most.

        Returns:
            What the function returned when its edits were written.

        Raises:
            ConflictError: Others were faster each time.
            InvalidArgumentError: `attempts` is less than 1.
            RefusedError: A transaction is open already.
        """
        return attempted(self, function, attempts)

    def changes(self) -> Changes:
        """What changes from now on: `await` it once, or go through it with `async for`."""
        return Changes(self)

    def _repr_mimebundle_(
        self, include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
    ) -> dict[str, str]:
        """What a notebook shows: the graph of everything."""
        return graph_bundle(self.graph(), include, exclude)

    def graph(self) -> Graph:
        """Everything and what waits for what, as it is now.

        `Graph.read_revision` gives it as of a git revision.

        Attributes of its items are `repo`, `dialect`, `title`, `status`, `path`, `kind`, `ready`, `priority`,
        `assignee`, `weight`, `duration` (seconds, of specs that runs completed), and `tone`, as it is drawn.
        """
        network, columns, learned = self.core.network()
        return Graph(network, Attributes(columns), learned=learned, workspace=self)

    def graph_at(self, revision: str) -> Graph:
        """The same as of a git revision, such as `HEAD~20`, read without a checkout.

        Durations are learned from the runs that ended by the time of its commit, so that a schedule says what
        it would have said then.

        Raises:
            NotFoundError: There is no such revision.
        """
        network, columns, learned = self.core.network_at(revision)
        return Graph(network, Attributes(columns), learned=learned, workspace=self, is_past=True)

    def recent_commits(self, most: int = 40) -> tuple[RecentCommit, ...]:
        """The last commits that led to what is checked out, along first parents, the newest first.

        There are none outside of a git checkout.

        Args:
            most: How many at most.

        Raises:
            InvalidArgumentError: That is no whole number.
            GitError: The repository cannot be read.

        Example:
            >>> for commit in ws.recent_commits(10):
            ...     print(commit.time, len(ws.graph_at(commit.id)))
        """
        return tuple(read_recent_commits(self, most))

    def apply_changes(self, changes: Sequence[tuple[Any, ...]]) -> dict[str, str]:
        """Write changes of a graph (`Graph.what_if`) to the specs, all or none; see `WhatIf.commit`."""
        return commits.apply_changes(self, changes)

    def export(self, format: str = "json", *, fields: Sequence[str] = (), **filters: Any) -> Iterator[str]:
        """All items as a text, in pieces.

        Args:
            format: `json`, `csv` or another that `chant-mcp export` knows.
            fields: Which fields; all without them.
            filters: `statuses`, `labels`, `dialects`, `ready`.
        """
        return iter(self.core.export(format, fields=fields, **filters))

    def import_specs(
        self, path: str | PathLike[str], *, source: str | None = None, dry_run: bool = False
    ) -> dict[str, Any]:
        """Bring work of another place into the specs, all or none.

        Args:
            path: What is brought in.
            source: What kind it is; recognised without it.
            dry_run: Only say what would come in.
        """
        refuse_within(self, "An import")
        return self.core.import_specs(path, source=source, dry_run=dry_run).data

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        try:
            self[name]
        except NotFoundError:
            return False
        except (AmbiguousIdError, InvalidDocumentError):
            pass  # something is there, more than one or unreadable
        return True

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Handle]:
        return iter(self.items)

    def __eq__(self, other: object) -> bool:
        return self.root == other.root if isinstance(other, Workspace) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.root)

    def __repr__(self) -> str:
        return harmless(f"<Workspace {self.root.name}: {', '.join(self.dialects) or 'empty'}>")

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return _again, (str(self.root),)


def _again(root: str) -> Workspace:
    return open(root, exactly=True)
