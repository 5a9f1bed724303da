"""Tables of other libraries as graphs: which columns they need, and what is wrong with one that does not fit.

Arrow's stream is read by the library that the script has, as this package needs none: pyarrow or polars.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from chant_mcp._core import Network, Table
from chant_mcp.errors import InvalidArgumentError, RefusedError
from chant_mcp.tables import ITEM_COLUMNS

__all__ = ["ReadGraph", "read_graph"]

Columns = Mapping[str, Sequence[Any]]


class ReadGraph(NamedTuple):
    """A graph as tables have it."""

    network: Network
    attributes: dict[str, Sequence[Any]]


def read_graph(nodes: object, edges: object) -> ReadGraph:
    """Read the tables of `Graph.nodes` and `Graph.edges`, wherever they have been meanwhile.

    Raises:
        InvalidArgumentError: A column is missing or holds what it may not.
        RefusedError: There is no library that reads Arrow.
    """
    items, pairs = _GivenTable("nodes", nodes), _GivenTable("edges", edges)
    repos = items.read("repo", "texts", _is_text_or_none, default=None)
    is_of_many = len({repo for repo in repos if repo is not None}) > 1
    keys = _name_keys(items.read("key", "texts", _is_text), repos if is_of_many else ())
    places = _number_keys(keys)
    ends: list[list[str]] = []
    for end in ("before", "after"):
        found = pairs.read(f"{end}_repo", "texts", _is_text_or_none, default=None)
        named = _name_keys(pairs.read(end, "texts", _is_text), found if is_of_many else ())
        for row, key in enumerate(named):
            if key not in places:
                raise pairs.unfit(end, row, key, "a key of the table of nodes")
        ends.append(named)
    done, elsewhere = (
        [
            key
            for key, holds in zip(keys, items.read(name, "flags", _is_flag, default=False), strict=True)
            if holds
        ]
        for name in ("done", "elsewhere")
    )
    network = Network(zip(*ends, strict=True), nodes=keys, done=done, elsewhere=elsewhere)
    return ReadGraph(network, _read_attributes(items, keys, repos))


def _read_attributes(
    items: _GivenTable, keys: list[str], repos: Sequence[str | None]
) -> dict[str, Sequence[Any]]:
    """The columns beside those of every graph; numbers of workspaces have to be some."""
    for column in ITEM_COLUMNS:
        if column.kind == "number":
            items.read(column.name, "numbers", _is_number_or_none, default=None)
    own = {
        name: values
        for name, values in items.columns.items()
        if name not in ("key", "repo", "done", "elsewhere")
    }
    says_more = any(
        repo is not None and not key.startswith(f"{repo}/") for key, repo in zip(keys, repos, strict=True)
    )
    return {"repo": list(repos), **own} if says_more else own


class _GivenTable:
    """A table with the name that errors call it by."""

    def __init__(self, name: str, table: object) -> None:
        self.name = name
        self.columns = _read_columns(name, table)
        self._length = len(next(iter(self.columns.values()), ()))

    def read(self, name: str, expected: str, fits: Callable[[Any], bool], **default: Any) -> Sequence[Any]:
        """The values of a column, which all have to fit; without a default it has to be there."""
        if name not in self.columns:
            if default:
                return [default["default"]] * self._length
            known = ", ".join(self.columns) or "none"
            raise InvalidArgumentError(
                f"The table of {self.name} has no column `{name}`, expected {expected}; its columns are: "
                f"{known}"
            )
        values = self.columns[name]
        for row, value in enumerate(values):
            if not fits(value):
                raise self.unfit(name, row, value, expected)
        return values

    def unfit(self, column: str, row: int, value: object, expected: str) -> InvalidArgumentError:
        """The error that names a column, its first wrong value, and what was expected."""
        return InvalidArgumentError(
            f"Column `{column}` of the table of {self.name} holds {value!r} in row {row}, expected {expected}"
        )


def _read_columns(name: str, table: object) -> Columns:
    made = getattr(table, "table", None)
    if callable(made) and type(table).__module__.startswith("chant_mcp."):
        table = made()
    if isinstance(table, Table):
        return {column: table.column(column) for column in table.columns()}
    if not hasattr(table, "__arrow_c_stream__"):
        raise InvalidArgumentError(
            f"`{name}` is of type {type(table).__name__}, expected a table of pyarrow, polars, pandas, "
            "duckdb or another library that gives an Arrow stream"
        )
    for library in sorted(_READERS, key=lambda library: library not in sys.modules):
        try:
            module = import_module(library)
        except ModuleNotFoundError:
            continue
        return _READERS[library](module, table)
    raise RefusedError("Tables are read by pyarrow or polars, and none of them is installed. Install one.")


_READERS: dict[str, Callable[[Any, object], Columns]] = {
    "pyarrow": lambda pyarrow, table: pyarrow.table(table).to_pydict(),
    "polars": lambda polars, table: polars.DataFrame(table).to_dict(as_series=False),
}


def _name_keys(keys: Iterable[str], repos: Sequence[str | None]) -> list[str]:
    """Keys with their repository before them, where tables of several were put together."""
    if not repos:
        return list(keys)
    return [
        key if repo is None or "/" in key.partition(":")[0] else f"{repo}/{key}"
        for key, repo in zip(keys, repos, strict=True)
    ]


def _number_keys(keys: list[str]) -> dict[str, int]:
    places: dict[str, int] = {}
    for row, key in enumerate(keys):
        if places.setdefault(key, row) != row:
            raise InvalidArgumentError(
                f"Column `key` of the table of nodes holds {key!r} in rows {places[key]} and {row}, expected "
                "each key once"
            )
    return places


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_text_or_none(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_number_or_none(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
