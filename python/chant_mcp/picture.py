"""Graphs as people see them: in a notebook, as a file, as text for other programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chant_mcp._core import item_table
from chant_mcp.errors import CycleError

if TYPE_CHECKING:
    from chant_mcp.graph import Graph

__all__ = ["LIMIT", "ROWS", "Picture", "graph_bundle", "table_bundle"]

LIMIT = 60
"""How many items a picture shows by default."""

ROWS = 50
"""How many rows a table shows."""

_SVG = "image/svg+xml"
_HTML = "text/html"
_MERMAID = "text/vnd.mermaid"
_PLAIN = "text/plain"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of a graph. Notebooks show it; it is static, so that it survives saving."""

    svg: str = field(repr=False)
    """The picture, with its own colours for light and dark."""
    mermaid: str = field(repr=False)
    """The same as a Mermaid flowchart."""
    text: str = field(repr=False)
    """The items as a table for a terminal."""
    items: tuple[str, ...]
    """The keys of the items shown."""

    def save(self, path: str | Path) -> Path:
        """Write the picture as an SVG file.

        Raises:
            OSError: The file cannot be written.
        """
        target = Path(path)
        target.write_text(self.svg, encoding="utf-8")
        return target

    def _repr_mimebundle_(
        self, include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
    ) -> dict[str, str]:
        """The picture and a table as text; Mermaid when it is asked for, as notebooks would prefer it."""
        return _wanted({_SVG: self.svg, _PLAIN: self.text}, {_MERMAID: self.mermaid}, include, exclude)


def draw(
    graph: Graph,
    *,
    color: str | Mapping[str, float] | None = None,
    focus: Sequence[str] = (),
    depth: int | None = None,
    limit: int = LIMIT,
    theme: str = "auto",
    name: str = "",
) -> Picture:
    """Draw the items of a graph that are worth it.

    Args:
        graph: The graph.
        color: What colours show in place of states: `slack`, `betweenness`, `pagerank`, the name of a
            numeric attribute, or numbers by key.
        focus: Items that the picture is about.
        depth: How many steps from the focus are shown.
        limit: How many items are shown at most; of others only their number is.
        theme: `auto`, `light` or `dark`.
        name: What the picture is called.

    Raises:
        NotFoundError: An item of the focus does not exist.
        InvalidArgumentError: The limit or the theme is none.
        KeyError: No item has that attribute.
        CycleError: Items wait for one another, and their slack is asked for.
    """
    network = graph.network
    critical = _critical(graph)
    shown = network.clip(limit, focus=focus, depth=depth, first=critical).keys()
    visible = set(shown)
    heat = _heat(graph, shown, color)
    words = {"labels": labels(graph, shown), "states": _column(graph, "tone", shown)}
    svg = network.svg(
        shown,
        **words,
        groups=_column(graph, "dialect", shown),
        titles=[_tooltip(graph, key) for key in shown],
        heat=heat.values,
        heat_name=heat.name,
        heat_ends=heat.ends,
        focus=[key for key in focus if key in visible],
        critical=[key for key in critical if key in visible],
        theme=theme,
        name=name,
    )
    return Picture(svg, network.mermaid(shown, **words), _text(graph, shown), tuple(shown))


def graph_bundle(
    graph: Graph, include: Sequence[str] | None, exclude: Sequence[str] | None
) -> dict[str, str]:
    """What a notebook shows of a graph: its picture, and a line as text."""
    picture = draw(graph)
    always = {_SVG: picture.svg, _PLAIN: f"{graph!r}\n{picture.text}"}
    return _wanted(always, {_MERMAID: picture.mermaid}, include, exclude)


def table_bundle(
    rows: Sequence[tuple[str, str, str, list[str]]],
    total: int,
    include: Sequence[str] | None,
    exclude: Sequence[str] | None,
) -> dict[str, str]:
    """What a notebook shows of a list: key, title, status and what is waited for, one row an item."""
    html, text = item_table(rows[:ROWS], total)
    return _wanted({_HTML: html, _PLAIN: text}, {}, include, exclude)


def _wanted(
    always: Mapping[str, str],
    on_request: Mapping[str, str],
    include: Sequence[str] | None,
    exclude: Sequence[str] | None,
) -> dict[str, str]:
    known = {**always, **on_request}
    wanted = set(always) if include is None else set(include)
    return {kind: text for kind, text in known.items() if kind in wanted and kind not in (exclude or ())}


def _critical(graph: Graph) -> list[str]:
    try:
        return list(graph.critical_path())
    except CycleError:
        return []


def labels(graph: Graph, keys: Sequence[str]) -> list[str]:
    """Titles of items, keys where there is none; nothing where the graph knows no titles."""
    titles = _column(graph, "title", keys)
    return [title or key for key, title in zip(keys, titles, strict=True)] if titles else []


def _column(graph: Graph, name: str, keys: Sequence[str]) -> list[str]:
    """The values of an attribute as texts; none where the graph does not have it."""
    if name not in graph.attributes:
        return []
    values: list[Any] = [graph.attribute(key, name) for key in keys]
    return ["" if value is None else str(value) for value in values]


def _tooltip(graph: Graph, key: str) -> str:
    known = [name for name in ("title", "status", "assignee") if name in graph.attributes]
    values = (graph.attribute(key, name) for name in known)
    return " · ".join([key, *(str(value) for value in values if value)])


@dataclass(frozen=True, slots=True)
class _Heat:
    """What colours show in place of states."""

    values: list[float | None]
    """For each item a number from 0 to 1, for none that has no number."""
    name: str = ""
    ends: tuple[str, str] = ("", "")
    """The numbers that 0 and 1 stand for."""


def _heat(graph: Graph, keys: Sequence[str], color: str | Mapping[str, float] | None) -> _Heat:
    if color is None:
        return _Heat([])
    values = _measured(graph, color) if isinstance(color, str) else graph.resolve_keys(color)
    numbers = [None if (value := values.get(key)) is None else float(value) for key in keys]
    known = [number for number in numbers if number is not None]
    cold, hot = min(known, default=0.0), max(known, default=0.0)
    if color == "slack":  # what has none is what matters
        cold, hot = hot, cold
    span = hot - cold
    shares = [None if number is None else (number - cold) / span if span else 0.0 for number in numbers]
    return _Heat(shares, _legend_name(graph, color), (f"{cold:g}", f"{hot:g}"))


def _legend_name(graph: Graph, color: str | Mapping[str, float]) -> str:
    """What colours show, with the unit of times."""
    if color == "slack":
        return f"slack, {graph.unit}"
    return color if isinstance(color, str) else "value"


def _measured(graph: Graph, name: str) -> Mapping[str, float | None]:
    if name == "slack":
        slack = graph.slack()
        return {key: slack[key] for key in graph if not graph.is_done(key)}
    measures = {"betweenness": graph.betweenness, "pagerank": graph.pagerank}
    if name in measures:
        return dict(measures[name]().items())
    return dict(zip(graph, graph.attributes[name], strict=True))


def _text(graph: Graph, keys: Sequence[str]) -> str:
    """The items as a table in plain text."""
    titles = _column(graph, "title", keys) or ["" for _ in keys]
    states = _column(graph, "status", keys)
    if not states:
        states = ["done" if graph.is_done(key) else "open" for key in keys]
    rows = [
        (key, title, state, graph.network.unmet(key).keys())
        for key, title, state in zip(keys, titles, states, strict=True)
    ]
    return item_table(rows[:ROWS], len(graph))[1]
