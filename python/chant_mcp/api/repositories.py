"""Several workspaces that are open together: keys begin with the repository."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import chant_mcp
from chant_mcp._core import repository_names
from chant_mcp.errors import NotFoundError
from chant_mcp.graph import Graph
from chant_mcp.tables import RunList

__all__ = ["Repositories"]


class Repositories(Mapping[str, "chant_mcp.Workspace"]):
    """Workspaces by the names of their repositories, as `chant_mcp.open([…])` gives them.

    A name is that of the folder, with as much of the way to it as tells it from others. An item is named
    `repo/dialect:id`, also where one repository's item waits for another's.

    Example:
        >>> together = chant_mcp.open(["."])
        >>> list(together), together.item("project/chant:aaa").title
        (['project'], 'First')
    """

    __slots__ = ("_workspaces",)

    def __init__(self, workspaces: Iterable[chant_mcp.Workspace]) -> None:
        """Take workspaces; those of one folder are one."""
        roots = {workspace.root: workspace for workspace in workspaces}
        names = repository_names([str(root) for root in roots])
        self._workspaces = dict(zip(names, roots.values(), strict=True))

    def __getitem__(self, name: str) -> chant_mcp.Workspace:
        return self._workspaces[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._workspaces)

    def __len__(self) -> int:
        return len(self._workspaces)

    def __repr__(self) -> str:
        return f"<Repositories {', '.join(self)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Repositories, (tuple(self.values()),)

    def item(self, name: str) -> Any:
        """The item that a name means behind its repository: `app/chant:…`, or `app/` and any name there.

        Raises:
            NotFoundError: No such repository is open, or nothing is called so there.
            AmbiguousIdError: Several items are.
        """
        for repository in sorted(self, key=len, reverse=True):
            if name.startswith(f"{repository}/"):
                return self[repository][name[len(repository) + 1 :]]
        raise NotFoundError(f"'{name}' begins with no open repository. Open are: {', '.join(self)}.")

    def graph(self) -> Graph:
        """Everything of all of them, as it is now, and what waits for what."""
        return Graph.union([workspace.graph() for workspace in self.values()], names=list(self))

    def runs(self) -> RunList:
        """All runs of agents in all of them as of now; data frame libraries read a row a run."""
        graphs = ((repository, workspace.graph()) for repository, workspace in self.items())
        return RunList(
            {**run, "repo": repository, "key": f"{repository}/{run['key']}"}
            for repository, graph in graphs
            for run in graph.runs
        )
