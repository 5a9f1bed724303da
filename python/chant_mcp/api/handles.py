"""What all handles have, and lists of them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Generic, TypeVar, overload

import chant_mcp
from chant_mcp._core import Answer, Selection, Table, body_section, body_sections
from chant_mcp.errors import IllegalTransitionError
from chant_mcp.filter_expressions import parse_filter
from chant_mcp.formats import formats
from chant_mcp.picture import ROWS, table_bundle
from chant_mcp.tables import HANDLE_COLUMN_NAMES, make_handle_table
from chant_mcp.terminal import harmless

T = TypeVar("T")
AnyHandle = TypeVar("AnyHandle", bound="Handle")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file, which hides nothing else."""

    path: str
    """The file, relative to the root."""
    line: int | None
    """The line, counted from 1."""
    message: str
    """What is wrong."""

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Problem:
        """Take what the core says."""
        return cls(row["path"], row.get("line"), row["message"])


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it."""

    level: int
    """How deep its heading is, from 1."""
    title: str
    """Its heading."""
    name: str
    """What means this section and no other of its document."""
    text: str
    """What stands below the heading, sub-sections included, without blank lines around it."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Handle:
    """One item as it was at one moment; nothing changes it, and an edit gives a new one.

    Two handles are the same when they mean the same item, whatever it said when they were read; they
    are ordered by their keys. A pickled handle is read again where it is unpickled.
    """

    workspace: chant_mcp.Workspace
    """Where it lies."""
    _data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    response: str = ""
    """What the edit that gave this handle answered, warnings included."""

    @property
    def key(self) -> str:
        """Its name in the workspace, such as `chant:2026-01-22-001-x7m`."""
        return self._data["key"]

    @property
    def id(self) -> str:
        """What its own documents call it."""
        return self._data["id"]

    @property
    def title(self) -> str:
        """Its title, empty where it has none."""
        return self._data["title"]

    @property
    def status(self) -> str:
        """Its state, in the word of its documents; a spec that waits is `blocked`, whatever is stored."""
        return self._data["status"]

    @property
    def is_done(self) -> bool:
        """Whether nothing waits for it any more."""
        return self._data["done"]

    @property
    def is_ready(self) -> bool:
        """Whether work on it can begin now."""
        return self._data["ready"]

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The keys of what it names itself, met or not."""
        return tuple(self._data["depends_on"])

    @property
    def waits_for(self) -> tuple[str, ...]:
        """The keys of what it still waits for, from all sources."""
        return tuple(self._data["waits_for"])

    @property
    def path(self) -> str:
        """Its file, relative to the root."""
        return self._data["path"]

    @property
    def body(self) -> str:
        """Its text behind the front matter, byte for byte; of a task its description."""
        return self._data["body"]

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections of its body, in their order."""
        return tuple(Section(*section) for section in body_sections(self.body))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with its file."""
        return tuple(map(Problem.from_row, self._data["problems"]))

    def section_text(self, name: str) -> str:
        """The text of a section, by any name that means only one.

        Raises:
            NotFoundError: No section is called so.
            AmbiguousIdError: Several are.
        """
        return body_section(self.body, name, self.id)[1]

    def reload(self: AnyHandle, answer: Answer | None = None) -> AnyHandle:
        """Read the same item as it is now.

        Args:
            answer: What an edit answered, for `response`.

        Raises:
            NotFoundError: It is gone.
        """
        found: Any = self.workspace[self.key]
        return found if answer is None else replace(found, response=answer.text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Handle):
            return NotImplemented
        return (self.key, self.workspace) == (other.key, other.workspace)

    def __lt__(self, other: Handle) -> bool:
        return self.key < other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return harmless(f"<{type(self).__name__} {self.id} {self.status}: {shortened(self.title)}>")

    def _repr_mimebundle_(
        self, include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
    ) -> dict[str, str]:
        """What a notebook shows: one row of a list."""
        return table_bundle([row(self)], 1, include, exclude)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return operator.getitem, (self.workspace, self.key)


def refuse_open(item: Handle) -> None:
    """Refuse to open what is open.

    Raises:
        IllegalTransitionError: The item is not done.
    """
    if not item.is_done:
        raise IllegalTransitionError(
            f"{item.key} is not done ({item.status}), so it cannot be reopened. "
            "Only a completed or cancelled item can."
        )


def row(item: Handle) -> tuple[str, str, str, list[str]]:
    """An item as a row of a table: key, title, status, and what it still waits for."""
    return item.key, item.title, item.status, list(item.waits_for)


H = TypeVar("H", bound=Handle)


def shortened(text: str) -> str:
    """The beginning of a title."""
    return text if len(text) <= 50 else f"{text[:49]}…"


def words(given: str | Iterable[str] | None) -> list[str]:
    """One word or several as a list."""
    if given is None:
        return []
    return [given] if isinstance(given, str) else list(given)


@dataclass(frozen=True, slots=True)
class ItemQuery:
    """Which items are meant."""

    dialect: str | None = None
    statuses: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    ready: bool = False
    include_held: bool = False
    path: str | None = None


_SHOWN = 10
"""Items that the text of a list has at most."""


class Handles(Sequence[H], Generic[H]):
    """Items of a workspace, as of the moment at which the list is first looked at.

    Handles are made when they are asked for, so that a long list costs little until it is gone through.
    Cancelled specs are in it when their state is asked for. A pickled list is read again where it is
    unpickled.
    """

    def __init__(self, workspace: chant_mcp.Workspace, wanted: ItemQuery) -> None:
        """Remember what is wanted; nothing is read yet."""
        self._workspace = workspace
        self._wanted = wanted

    @cached_property
    def _selection(self) -> Selection:
        wanted = self._wanted
        return self._workspace.core.select(
            statuses=wanted.statuses,
            labels=wanted.labels,
            dialects=[] if wanted.dialect is None else [wanted.dialect],
            ready=wanted.ready,
            include_held=wanted.include_held,
            path=wanted.path,
        )

    @cached_property
    def _set(self) -> frozenset[str]:
        return frozenset(self._selection.keys())

    def where(
        self,
        *,
        status: str | Iterable[str] | None = None,
        label: str | Iterable[str] | None = None,
        dialect: str | None = None,
        ready: bool | None = None,
        include_held: bool | None = None,
    ) -> Handles[H]:
        """Those that fit, as of now; a filter given again takes the place of the earlier one.

        Args:
            status: A state or several, any of which will do.
            label: A label or several, any of which will do.
            dialect: The word of a format, such as `openspec`.
            ready: Whether only what can be started now is wanted; what another clone works on cannot.
            include_held: Whether `ready` takes in what another clone works on.

        Raises:
            InvalidArgumentError: A word names no state; raised when the list is first looked at.
        """
        wanted = self._wanted
        if status is not None:
            wanted = replace(wanted, statuses=tuple(words(status)))
        if label is not None:
            wanted = replace(wanted, labels=tuple(words(label)))
        if dialect is not None:
            wanted = replace(wanted, dialect=dialect)
        if ready is not None:
            wanted = replace(wanted, ready=ready)
        if include_held is not None:
            wanted = replace(wanted, include_held=include_held)
        return Handles(self._workspace, wanted)

    def filter(self, expression: str) -> FoundItems[H]:
        """Those that a filter keeps, as of the moment at which this list was first looked at.

        Args:
            expression: As for `Graph.filter`; it names columns of `table`, and `labels`. Time stamps are
                texts, such as in `completed_at > "2026-02"`.

        Raises:
            InvalidArgumentError: It is no such expression, or names what is no column.

        Example:
            >>> [item.title for item in ws.items.filter("dialect == 'chant' and 'First' in title")]
            ['First']
        """
        keeps = parse_filter(expression, (*HANDLE_COLUMN_NAMES, "labels"))
        own = {"repo": self._workspace.repo}
        rows = (self._selection.at(place) for place in range(len(self)))
        kept = (row for row in rows if keeps({**row, **own, "kind": row["type"]}))
        return FoundItems(self._make(row) for row in kept)

    def keys(self) -> list[str]:
        """Their keys, in order."""
        return self._selection.keys()

    def __len__(self) -> int:
        return len(self._selection)

    def __bool__(self) -> bool:
        return bool(self._selection)

    @overload
    def __getitem__(self, index: int) -> H: ...
    @overload
    def __getitem__(self, index: slice) -> list[H]: ...
    def __getitem__(self, index: int | slice) -> H | list[H]:
        if isinstance(index, slice):
            return [self._at(place) for place in range(*index.indices(len(self)))]
        try:
            return self._at(index + len(self) if index < 0 else index)
        except (IndexError, OverflowError):
            raise IndexError(f"{index} is beyond a list of {len(self)} items") from None

    def table(self) -> Table:
        """One row an item, with the same columns and types for every list.

        They are `key`, `repo`, `done`, `dialect`, `id`, `title`, `status`, `path`, `kind`, `ready`,
        `priority`, `assignee` and `completed_at` (in UTC, of specs).
        """
        return make_handle_table(map(self._selection.at, range(len(self))), self._workspace.repo)

    def _at(self, place: int) -> H:
        return self._make(self._selection.at(place))

    def _make(self, data: Mapping[str, Any]) -> H:
        made: Any = self._workspace.make_handle(data)
        return made

    def __iter__(self) -> Iterator[H]:
        return map(self._at, range(len(self)))

    def __contains__(self, item: object) -> bool:
        key = item.key if isinstance(item, Handle) else item
        return key in self._set

    def __reduce__(self) -> tuple[Any, ...]:
        return Handles, (self._workspace, self._wanted)

    def __repr__(self) -> str:
        rows = (row for row in formats() if row["own_tools"] and row["word"] == self._wanted.dialect)
        noun = next((row["plural"] for row in rows), "items")
        return f"<{len(self)} {noun if len(self) != 1 else noun.removesuffix('s')}>"

    def _repr_mimebundle_(
        self, include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
    ) -> dict[str, str]:
        """What a notebook shows: a table of the first items."""
        return table_bundle([row(item) for item in self[:ROWS]], len(self), include, exclude)


class FoundItems(Sequence[T], Generic[T]):
    """Things found at one moment, with a filter by any of their attributes."""

    def __init__(self, found: Iterable[T]) -> None:
        """Take what was found."""
        self._found = tuple(found)

    def where(self, **wanted: object) -> FoundItems[T]:
        """Those whose attributes have these values, such as `where(status="open")`.

        Raises:
            AttributeError: They have no such attribute.
        """

        def fits(one: T) -> bool:
            return all(getattr(one, name) == value for name, value in wanted.items())

        return FoundItems(filter(fits, self._found))

    def __len__(self) -> int:
        return len(self._found)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> FoundItems[T]: ...
    def __getitem__(self, index: int | slice) -> T | FoundItems[T]:
        if isinstance(index, slice):
            return FoundItems(self._found[index])
        return self._found[index]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self._found[:_SHOWN]))
        more = f", … {len(self)} in all" if len(self) > _SHOWN else ""
        return f"[{shown}{more}]"
