"""Tables for data frame libraries: which columns there are, of which types, in which units.

The types are the same for every project, with values or without, so that tables of several projects can be
put together: `repo` and `key` name an item in all of them. A number's unit stands in the metadata of its
Arrow field, under `unit`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import make_dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias

from chant_mcp._core import Columns, Table, typed_table
from chant_mcp.errors import InvalidArgumentError
from chant_mcp.formats import key_of_work

__all__ = [
    "HANDLE_COLUMN_NAMES",
    "ITEM_COLUMNS",
    "ColumnKind",
    "ProblemRow",
    "RunList",
    "TableSource",
    "TypedColumn",
    "make_handle_table",
    "make_problem_table",
    "read_repos",
    "row_array",
    "table_rows",
    "type_attributes",
]

ColumnKind: TypeAlias = Literal["text", "word", "flag", "number", "count", "time"]
"""In Arrow: `string`, `dictionary<int32, string>`, `bool`, `double`, `int64`, `timestamp[us, tz=UTC]`."""


class TypedColumn(NamedTuple):
    """What a column is, whatever its values are."""

    name: str
    kind: ColumnKind = "text"
    unit: str | None = None


ITEM_COLUMNS = (
    TypedColumn("dialect", "word"),
    TypedColumn("title"),
    TypedColumn("status", "word"),
    TypedColumn("path"),
    TypedColumn("kind", "word"),
    TypedColumn("ready", "flag"),
    TypedColumn("priority", "word"),
    TypedColumn("assignee", "word"),
    TypedColumn("weight", "number", "weight"),
    TypedColumn("duration", "number", "seconds"),
    TypedColumn("expected", "number", "seconds"),
    TypedColumn("tone", "word"),
)
"""What `graph.nodes` says of an item of a workspace, beside `key`, `repo`, `done` and `elsewhere`."""

_HANDLE_COLUMNS = (
    TypedColumn("key"),
    TypedColumn("repo", "word"),
    TypedColumn("done", "flag"),
    TypedColumn("dialect", "word"),
    TypedColumn("id"),
    TypedColumn("title"),
    TypedColumn("status", "word"),
    TypedColumn("path"),
    TypedColumn("kind", "word"),
    TypedColumn("ready", "flag"),
    TypedColumn("priority", "word"),
    TypedColumn("assignee", "word"),
    TypedColumn("completed_at", "time"),
)

HANDLE_COLUMN_NAMES = tuple(column.name for column in _HANDLE_COLUMNS)
"""The columns of the table of a list of handles."""

_RUN_COLUMNS = (
    TypedColumn("run"),
    TypedColumn("repo", "word"),
    TypedColumn("key"),
    TypedColumn("status", "word"),
    TypedColumn("end_state", "word"),
    TypedColumn("stale", "flag"),
    TypedColumn("mode", "word"),
    TypedColumn("agent", "word"),
    TypedColumn("model", "word"),
    TypedColumn("branch"),
    TypedColumn("started_at", "time"),
    TypedColumn("completed_at", "time"),
    TypedColumn("duration", "number", "seconds"),
    TypedColumn("tokens", "number", "tokens"),
    TypedColumn("cost_usd", "number", "USD"),
)

_TOKEN_KEYS = ("input_tokens", "cached_tokens", "output_tokens")
"""The parts of a run's usage that together are its tokens."""

_PROBLEM_COLUMNS = (
    TypedColumn("repo", "word"),
    TypedColumn("place"),
    TypedColumn("path"),
    TypedColumn("line", "count"),
    TypedColumn("reason"),
)

_ITEM_TYPES = {column.name: column for column in ITEM_COLUMNS}


def table_rows(table: Table) -> list[Any]:
    """Give the rows of a table, each with its values by the names of the columns.

    They are instances of a dataclass: from such objects pandas makes a frame with these columns.
    """
    names = table.columns()
    row = make_dataclass("Row", names, frozen=True) if all(map(str.isidentifier, names)) else tuple
    columns = [table.column(name) for name in names]
    if row is tuple:
        return list(zip(*columns, strict=True))
    return [row(*values) for values in zip(*columns, strict=True)]


def row_array(table: Table) -> Any:
    """Give the rows of a table as an array of numpy, which whoever asks for one has."""
    import numpy as np

    rows = table_rows(table)
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


def type_attributes(
    attributes: Mapping[str, Sequence[Any]], laid: Columns | None = None
) -> list[tuple[str, Sequence[Any] | Columns, ColumnKind | None, str | None]]:
    """Give attributes of a graph their types: those of workspaces theirs, own ones that of their values.

    Where the core has all columns `laid` out, no values of Python are made of them.
    """
    typed = ((_ITEM_TYPES.get(name), name) for name in attributes if name != "repo")
    return [(name, laid or attributes[name], type and type.kind, type and type.unit) for type, name in typed]


def read_repos(attributes: Mapping[str, Sequence[Any]]) -> Sequence[str | None] | None:
    """Give the repositories of all items, where a graph knows them beside its keys.

    Raises:
        InvalidArgumentError: One is no text.
    """
    repos = attributes.get("repo")
    for repo in repos or ():
        if not (repo is None or isinstance(repo, str)):
            raise InvalidArgumentError(f"Column `repo` holds {repo!r}, expected texts")
    return repos


def make_handle_table(items: Iterable[Mapping[str, Any]], repo: str | None) -> Table:
    """Make the table of a list of handles of one repository from what the core says of them."""
    return _make_table(_HANDLE_COLUMNS, [{**item, "kind": item["type"], "repo": repo} for item in items])


class ProblemRow(NamedTuple):
    """What is wrong with a repository, or with a file of one."""

    repo: str | None
    place: str
    path: str | None
    line: int | None
    reason: str


def make_problem_table(rows: Iterable[ProblemRow]) -> Table:
    """Make the table of what could not be read of repositories."""
    return _make_table(_PROBLEM_COLUMNS, [row._asdict() for row in rows])


class TableSource(ABC):
    """What data frame libraries read as a table: as an Arrow stream, or as an array of rows."""

    __slots__ = ()

    @abstractmethod
    def table(self) -> Table:
        """Make the table."""

    def __array__(self, dtype: object = None, copy: bool | None = None) -> Any:
        """The rows of the table: `pandas.DataFrame` asks for them."""
        return row_array(self.table())

    def __arrow_c_schema__(self) -> object:
        return self.table().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table().__arrow_c_stream__(requested_schema)


class RunList(TableSource):
    """Runs of agents as of one moment, each a mapping; a table of them to data frame libraries."""

    __slots__ = ("_rows",)

    def __init__(self, runs: Iterable[Mapping[str, Any]], repo: str | None = None) -> None:
        """Take what `ws.runs` lists of a repository; runs may say theirs and their key themselves."""
        self._rows = [
            {"run": run["process_id"], "repo": repo, "key": key_of_work(run["spec_id"]), **run}
            for run in runs
        ]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return f"<{len(self)} runs>"

    def table(self) -> Table:
        """One row a run.

        Its `duration` is in seconds, null while it runs. `tokens` and `cost_usd` are what its agent
        reported so far, null where it reported none.
        """
        times = _make_table(_RUN_COLUMNS, self._rows)
        spans = zip(times.column("started_at"), times.column("completed_at"), strict=True)
        rows = zip(self._rows, spans, strict=True)
        known = [{**run, **_used(run), "duration": _seconds(*span)} for run, span in rows]
        return _make_table(_RUN_COLUMNS, known)


def _seconds(start: datetime | None, end: datetime | None) -> float | None:
    return None if start is None or end is None else (end - start).total_seconds()


def _used(run: Mapping[str, Any]) -> dict[str, Any]:
    """What the agent of a run reported of its means."""
    usage: Mapping[str, Any] = run.get("usage") or {}
    tokens = [usage[key] for key in _TOKEN_KEYS if usage.get(key) is not None]
    return {"tokens": sum(tokens) if tokens else None, "cost_usd": usage.get("cost_usd")}


def _make_table(columns: Sequence[TypedColumn], rows: Sequence[Mapping[str, Any]]) -> Table:
    return typed_table([(name, [row.get(name) for row in rows], kind, unit) for name, kind, unit in columns])
