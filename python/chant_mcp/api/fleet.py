"""Many repositories as one set of tables, read from git without a checkout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, environ, fspath
from pathlib import Path
from typing import Any, NamedTuple

from chant_mcp._core import FleetGraph, Table
from chant_mcp.errors import InvalidArgumentError
from chant_mcp.fleet_places import find_places
from chant_mcp.graph import Graph
from chant_mcp.graph_answers import Attributes, EdgeList, Nodes
from chant_mcp.tables import ProblemRow, RunList, make_problem_table
from chant_mcp.user_folders import cache_home

__all__ = ["Fleet", "FleetRepository"]


class FleetRepository(NamedTuple):
    """A repository of a fleet."""

    name: str
    """Its name in keys: that of the folder, with as much of the way to it as tells it from others."""
    place: str
    """The folder or the address."""
    commit: str
    """The full ID of the commit that was read."""


class Fleet:
    """The items of many repositories, each as its newest commit has it.

    A repository is read when a table is first asked for, and again by `refresh`; until then all tables are of
    one moment. It is read from the objects of the commit in its HEAD, at the top folder: uncommitted work is
    not seen, no file is checked out, and nothing of the repository acts: no hook, no filter, no monitor, no
    program. What a commit holds is kept in the user's cache folder (`chant-mcp/fleet`, at most 512 MiB), so
    that a second look costs those repositories that moved. One that cannot be read is a row in `problems`.

    Keys are `repo/dialect:id`. What one repository names so of another is the item there; the columns
    `status` and `ready` are what each repository says by itself.

    Example:
        >>> fleet = chant_mcp.Fleet(["~/nowhere/*"])
        >>> len(fleet.items()), fleet.problems.column("reason")
        (0, ['nothing is there'])
    """

    def __init__(
        self,
        places: str | PathLike[str] | Iterable[str | PathLike[str]],
        *,
        on: str | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Take places; nothing is read yet.

        Args:
            places: Folders of repositories, or patterns of them as a shell has (`~`, `*`, `**`); and files
                that list addresses, one a line, `#` before a remark. Addresses are cloned into the cache
                folder, bare and without history; git asks for no password.
            on: Who reads what is not known yet: the workers of `local`, a cluster that this starts on this
                machine, of a cluster of the user's configuration by its name, or of the scheduler at an
                address such as `tls://head:8786`. They read what their owners offer (`chant-mcp worker
                --reads`). Without it this process reads.
            environment: Variables that say where the home and the cache folder are; those of this process
                without it.

        Raises:
            InvalidArgumentError: `on` is empty.
        """
        if on is not None and not on:
            raise InvalidArgumentError(
                "`on` has to be `local`, the name of a cluster of your configuration, or an address such as "
                "tls://head:8786."
            )
        named = [places] if isinstance(places, (str, PathLike)) else places
        self._places = [fspath(place) for place in named]
        self._on = on
        self._environment = environ if environment is None else environment
        self._read: tuple[FleetGraph, Graph, list[ProblemRow]] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        # It is read again where it is opened. The variables of this process stay here.
        given = None if self._environment is environ else dict(self._environment)
        return _open_again, (self._places, self._on, given)

    def refresh(self) -> Fleet:
        """Look for repositories again and read those that moved; gives the fleet itself.

        Raises:
            RefusedError: The extra `cluster` is missing, or the scheduler of the cluster does not answer.
            InvalidArgumentError: There is no cluster of that name.
        """
        found = find_places(self._places, self._environment)
        cache = cache_home(self._environment)
        folder = Path(cache, "chant-mcp", "fleet") if cache else None
        if self._on is None:
            core = FleetGraph(found.folders, found.addresses, cache=folder)
        else:
            from chant_mcp.fleet_cluster import read_on_cluster

            core = read_on_cluster(found, folder, self._on, self._environment)
        graph = Graph(core.network(), Attributes(core.columns()))
        self._read = core, graph, [*found.problems, *(ProblemRow(*row) for row in core.problems())]
        return self

    def graph(self) -> Graph:
        """Everything and what waits for what; durations are not known, as runs' records are no commits."""
        return self._state()[1]

    def items(self) -> Nodes:
        """All items; data frame libraries read it as a table with a row an item."""
        return self.graph().nodes

    def edges(self) -> EdgeList:
        """All edges `(before, after)`; data frame libraries read it as a table with a row an edge."""
        return self.graph().edges

    def runs(self) -> RunList:
        """Runs of agents that landed, by the receipts in the repositories; a table to data frame libraries.

        Runs that failed or are under way leave no receipt; `ws.runs` of a clone knows its own.
        """
        return RunList(self._state()[0].runs())

    @property
    def problems(self) -> Table:
        """What could not be read: `repo`, `place`, `path`, `line`, `reason`.

        `path` is null where that is the whole repository, `repo` where it has no name as it was not read.
        """
        return make_problem_table(self._state()[2])

    @property
    def repositories(self) -> tuple[FleetRepository, ...]:
        """The repositories that were read, in the order of the places."""
        return tuple(FleetRepository(*row) for row in self._state()[0].repositories())

    @property
    def read(self) -> int:
        """How many repositories the last look read, as their commits were not known."""
        return self._state()[0].read

    def __len__(self) -> int:
        return len(self.repositories)

    def __repr__(self) -> str:
        state = "not read yet" if self._read is None else f"of {len(self)} repositories"
        return f"<Fleet {state}>"

    def _state(self) -> tuple[FleetGraph, Graph, list[ProblemRow]]:
        if self._read is None:
            self.refresh()
        assert self._read is not None
        return self._read


def _open_again(places: list[str], on: str | None, environment: Mapping[str, str] | None) -> Fleet:
    return Fleet(places, on=on, environment=environment)
