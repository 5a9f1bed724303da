"""Graphs for other libraries, which are imported when they are asked for."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chant_mcp.graph import Graph

__all__ = ["rows", "to_json", "to_networkx", "to_rustworkx"]


def rows(graph: Graph) -> list[dict[str, Any]]:
    """What is known of each item: its key, whether it is done, and its attributes."""
    done = set(graph.network.done())
    found: list[dict[str, Any]] = [{"key": key, "done": key in done} for key in graph]
    for name, column in graph.attributes.items():
        for row, value in zip(found, column, strict=True):
            row[name] = value
    return found


def to_networkx(graph: Graph) -> Any:
    """A `networkx.DiGraph` with edges from an item to those that wait for it.

    Raises:
        ModuleNotFoundError: networkx is not installed.
    """
    made = import_module("networkx").DiGraph()
    made.add_nodes_from((row.pop("key"), row) for row in rows(graph))
    made.add_edges_from(graph.edges)
    return made


def to_rustworkx(graph: Graph) -> Any:
    """A `rustworkx.PyDiGraph` whose nodes are the keys, in the order of the items.

    Raises:
        ModuleNotFoundError: rustworkx is not installed.
    """
    made = import_module("rustworkx").PyDiGraph(multigraph=False)
    made.add_nodes_from(list(graph))
    made.add_edges_from_no_data(graph.network.edges().indices())
    return made


def to_json(graph: Graph) -> str:
    """Nodes as objects and edges as pairs of keys."""
    return json.dumps({"nodes": rows(graph), "edges": list(graph.edges)}, ensure_ascii=False)
