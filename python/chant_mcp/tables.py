"""Tables for data frame libraries: which columns there are, of which types, in which units.

The types are the same for every project, with values or without, so that tables of several projects can be
put together. A number's unit stands in the metadata of its Arrow field, under `unit`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypeAlias

from chant_mcp._core import Table, typed_table

__all__ = ["ITEM_COLUMNS", "ColumnKind", "RunList", "TypedColumn", "make_handle_table", "type_attributes"]

ColumnKind: TypeAlias = Literal["text", "flag", "number", "time"]
"""In Arrow: `string`, `bool`, `double`, `timestamp[us, tz=UTC]`."""


class TypedColumn(NamedTuple):
    """What a column is, whatever its values are."""

    name: str
    kind: ColumnKind = "text"
    unit: str | None = None


ITEM_COLUMNS = (
    TypedColumn("dialect"),
    TypedColumn("title"),
    TypedColumn("status"),
    TypedColumn("path"),
    TypedColumn("kind"),
    TypedColumn("ready", "flag"),
    TypedColumn("priority"),
    TypedColumn("assignee"),
    TypedColumn("weight", "number", "weight"),
    TypedColumn("duration", "number", "seconds"),
    TypedColumn("expected", "number", "seconds"),
    TypedColumn("tone"),
)
"""What `graph.nodes` says of an item of a workspace, beside `key` and `done`."""

_HANDLE_COLUMNS = (
    TypedColumn("key"),
    TypedColumn("done", "flag"),
    TypedColumn("dialect"),
    TypedColumn("id"),
    TypedColumn("title"),
    TypedColumn("status"),
    TypedColumn("path"),
    TypedColumn("kind"),
    TypedColumn("ready", "flag"),
    TypedColumn("priority"),
    TypedColumn("assignee"),
    TypedColumn("completed_at", "time"),
)

_RUN_COLUMNS = (
    TypedColumn("run"),
    TypedColumn("key"),
    TypedColumn("status"),
    TypedColumn("end_state"),
    TypedColumn("stale", "flag"),
    TypedColumn("mode"),
    TypedColumn("agent"),
    TypedColumn("model"),
    TypedColumn("branch"),
    TypedColumn("started_at", "time"),
    TypedColumn("completed_at", "time"),
    TypedColumn("duration", "number", "seconds"),
)

_ITEM_TYPES = {column.name: column for column in ITEM_COLUMNS}


def type_attributes(
    attributes: Mapping[str, Sequence[Any]],
) -> list[tuple[str, Sequence[Any], ColumnKind | None, str | None]]:
    """Give attributes of a graph their types: those of workspaces theirs, own ones that of their values."""
    typed = ((_ITEM_TYPES.get(name), name, values) for name, values in attributes.items())
    return [(name, values, type and type.kind, type and type.unit) for type, name, values in typed]


def make_handle_table(items: Iterable[Mapping[str, Any]]) -> Table:
    """Make the table of a list of handles from what the core says of them."""
    return _make_table(_HANDLE_COLUMNS, [{**item, "kind": item["type"]} for item in items])


class RunList:
    """Runs of agents as of one moment, each a mapping; a table of them to data frame libraries."""

    __slots__ = ("_rows",)

    def __init__(self, runs: Iterable[Mapping[str, Any]]) -> None:
        """Take what `ws.runs` lists."""
        self._rows = [{**run, "run": run["process_id"], "key": f"chant:{run['spec_id']}"} for run in runs]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return f"<{len(self)} runs>"

    def table(self) -> Table:
        """One row a run, with its start, its end and its `duration` in seconds; null while it runs."""
        times = _make_table(_RUN_COLUMNS, self._rows)
        spans = zip(times.column("started_at"), times.column("completed_at"), strict=True)
        rows = zip(self._rows, spans, strict=True)
        return _make_table(_RUN_COLUMNS, [{**run, "duration": _seconds(*span)} for run, span in rows])

    def __arrow_c_schema__(self) -> object:
        return self.table().__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table().__arrow_c_stream__(requested_schema)


def _seconds(start: datetime | None, end: datetime | None) -> float | None:
    return None if start is None or end is None else (end - start).total_seconds()


def _make_table(columns: Sequence[TypedColumn], rows: Sequence[Mapping[str, Any]]) -> Table:
    return typed_table([(name, [row.get(name) for row in rows], kind, unit) for name, kind, unit in columns])
