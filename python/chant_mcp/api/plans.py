"""Items of plans whose formats have no class of their own: OpenSpec, Kiro and others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from chant_mcp.api.handles import Handle, refuse_open
from chant_mcp.api.transactions import within
from chant_mcp.errors import IllegalTransitionError
from chant_mcp.parameters import ItemEditsOfHandle

_DONE_FOLDER = "completed"
_OPEN_FOLDER = "tasks"


@dataclass(frozen=True, slots=True)
class PlanCriterion:
    """A box below an item that is no item."""

    name: str
    """What `tick` takes: its number, behind the name of its list where that is not the first one."""
    text: str
    """What it says."""
    is_ticked: bool
    """Whether it is ticked."""


@dataclass(init=False, frozen=True, slots=True, eq=False, repr=False)
class PlanItem(Handle):
    """An item of a plan: a change, a spec, a task. `edits` says what can be done to it.

    Example:
        >>> task = ws["openspec:add-login#1.1"]
        >>> task.tick().status
        'done'
        >>> task.untick().status
        'open'
    """

    @property
    def dialect(self) -> str:
        """The word of its format."""
        return self._data["dialect"]

    @property
    def type(self) -> str:
        """What it is, in the word of its format."""
        return self._data["type"]

    @property
    def line(self) -> int:
        """Its line in its file, counted from 1."""
        return self._data["line"]

    @property
    def labels(self) -> tuple[str, ...]:
        """Its labels."""
        return tuple(self._data["labels"])

    @property
    def assignee(self) -> str | None:
        """Who is on it."""
        return self._data["assignee"]

    @property
    def priority(self) -> str | None:
        """How pressing it is, in its document's word."""
        return self._data["priority"]

    @property
    def criteria(self) -> tuple[PlanCriterion, ...]:
        """The boxes below it that are no items."""
        return tuple(PlanCriterion(*row) for row in self._data["criteria"])

    @property
    def parent(self) -> str | None:
        """The key of the item that it is a part of."""
        return self._data["parent"]

    @property
    def parts(self) -> tuple[str, ...]:
        """The keys of its parts."""
        return tuple(self._data["parts"])

    @property
    def attributes(self) -> dict[str, tuple[str, ...]]:
        """Its attributes by the document's keys, each with its values."""
        return {name: tuple(values) for name, values in self._data["attributes"].items()}

    @property
    def documents(self) -> tuple[str, ...]:
        """The documents that belong to it, from the root."""
        return tuple(self._data["documents"])

    @property
    def edits(self) -> tuple[str, ...]:
        """The kinds of edits that its format takes."""
        return tuple(self._data["edits"])

    @property
    def statuses(self) -> tuple[str, ...]:
        """The states that items of its format can have."""
        return tuple(self._data["statuses"])

    def tick(self, *criteria: int | str, with_parents: bool = False) -> PlanItem:
        """Tick its own box, or criteria.

        Args:
            criteria: Numbers of criteria; `"list:2"` where it has several lists. Its own box without any.
            with_parents: Whether those above are ticked, too, all of whose required parts are ticked then.

        Raises:
            RefusedError: It has no box.
            NotFoundError: It has no such criterion.
        """
        return self.edit(tick=_boxes(criteria, with_parents))

    def untick(self, *criteria: int | str, with_parents: bool = False) -> PlanItem:
        """Take ticks back; arguments and errors as for `tick`."""
        return self.edit(untick=_boxes(criteria, with_parents))

    def set_status(self, status: str) -> PlanItem:
        """Set its state, in a word of its format.

        Raises:
            InvalidArgumentError: The format has no such state; `statuses` lists them.
        """
        return self.edit(status=status)

    def set(self, attribute: str, value: str | Iterable[str] | None) -> PlanItem:
        """Set an attribute of its document; None takes it out.

        Raises:
            InvalidArgumentError: The format has no such attribute.
        """
        given: Any = value if value is None or isinstance(value, str) else list(value)
        return self.edit(set={attribute: given})

    def set_title(self, title: str) -> PlanItem:
        """Set its title. An item without a number is named by it, so its key may be another then."""
        return self.edit(title=title)

    def section(self, name: str, text: str, *, append: bool = False) -> PlanItem:
        """Put a text into a section of its documents.

        Args:
            name: The heading; `proposal.md#Why` where several documents have it.
            text: The text.
            append: Whether it comes behind what is there.

        Raises:
            NotFoundError: There is no such section.
        """
        return self.edit(section=name, text=text, append=append)

    def add(
        self,
        title: str,
        *,
        text: str = "",
        criteria: Iterable[str] = (),
        depends_on: Iterable[str] = (),
        labels: Iterable[str] = (),
        heading: str | None = None,
    ) -> PlanItem:
        """Add a part of it.

        Args:
            title: Its title.
            text: Its description.
            criteria: Texts of its criteria.
            depends_on: Names of what it waits for.
            labels: Its labels.
            heading: The heading below which it stands.

        Raises:
            RefusedError: The format has no place for such a part.
        """
        parent = self.key if heading is None else f"{self.key}#{heading}"
        return self.workspace.add_item(
            title, parent=parent, text=text, criteria=criteria, depends_on=depends_on, labels=labels
        )

    def move(self, to: str) -> PlanItem:
        """Move it to another folder of its format, such as `completed`.

        Raises:
            RefusedError: The format leaves that to its own program.
        """
        return self.edit(move_to=to)

    @property
    def is_archived(self) -> bool:
        """Whether it lies where its format keeps what is done."""
        return PurePosixPath(self.path).parent.name == _DONE_FOLDER

    def archive(self) -> PlanItem:
        """Move it to where its format keeps what is done.

        Raises:
            IllegalTransitionError: It is not done.
            RefusedError: The format has no such place, or leaves that to its own program.
        """
        if not self.is_done:
            raise IllegalTransitionError(
                f"{self.key} is not done ({self.status}), so it cannot be archived. Only what is done can."
            )
        return self.move(_DONE_FOLDER)

    def unarchive(self) -> PlanItem:
        """Move it back among the open ones; its state stays.

        Raises:
            RefusedError: As for `archive`.
        """
        return self.move(_OPEN_FOLDER)

    def reopen(self) -> PlanItem:
        """Go on with one that is done: its own box is unticked, or its state is the first one again.

        Raises:
            IllegalTransitionError: It is not done.
            RefusedError: It is done by its parts alone.
        """
        refuse_open(self)
        return self.set_status(self.statuses[0])

    def work(
        self,
        *,
        chain: bool = False,
        parallel: int | None = None,
        skip_criteria: bool = False,
        fresh: bool = False,
        base: str | None = None,
        agent: str | None = None,
        prompt: str | None = None,
        progress: Callable[[str], object] | None = None,
    ) -> dict[str, Any]:
        """Start an agent on it and return at once (`chant_work_start`); its marks are set by the landing.

        Args:
            chain: Go on with what becomes ready; of a holder its parts one by one.
            parallel: So many workers at once.
            skip_criteria: Start although it has no box that says when it is done.
            fresh: Start again, without the work of earlier runs.
            base: The branch to start from and land on, instead of the configured or the present one.
            agent: The agent of that name in the configuration.
            prompt: The prompt of that name.
            progress: Called with a few words on each step.

        Returns:
            The run: `process_id`, `pid`, `spec_id` (its key), `mode`, `branch`, `target`, `worktree`, `log`.

        Raises:
            RefusedError: It waits for something, is in work, is not committed, or has no box.
            ConfigError: No agent is configured.
        """
        answer = self.workspace.session.chant.work_start(
            self.key,
            chain=chain,
            parallel=parallel,
            skip_criteria=skip_criteria,
            fresh=fresh,
            base=base,
            agent=agent,
            prompt=prompt,
            progress=progress,
        )
        return answer.data

    def reset(self) -> PlanItem:
        """Take the sign away that somebody works on it."""
        return self.edit(reset=True)

    def edit(self, **edits: Any) -> PlanItem:
        """Make several edits, all or none (`item_update`); keywords are those of the tool, and more.

        Args:
            edits: Those of the tool (status, tick, untick, set, section, text, append), and title,
                add_criteria, move_to, reset.

        Raises:
            InvalidArgumentError: Nothing is asked for, or a value has no sense.
            RefusedError: The format does not take it.
        """
        given: ItemEditsOfHandle = edits  # pyright: ignore[reportAssignmentType]
        transaction = within(self.workspace)
        if transaction is not None:
            return PlanItem(self.workspace, transaction.staged.edit_item(self.key, **given))
        answer = self.workspace.core.item_update(self.key, **given)
        changed: Any = self.workspace[answer.data["item"]["key"]]
        notes = "".join(f"Warning: {note}\n" for note in answer.data.get("notes", ()))
        return replace(changed, response=notes)


def _boxes(criteria: Iterable[int | str], with_parents: bool) -> list[str]:
    return [str(one) for one in criteria] or ["parents" if with_parents else "self"]
