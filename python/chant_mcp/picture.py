"""Graphs as people see them: in a notebook, as a file, as text for other programs."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chant_mcp
from chant_mcp._core import item_table, page_themes
from chant_mcp.errors import CycleError, InvalidArgumentError
from chant_mcp.picture_levels import (
    count_states,
    count_words,
    find_level,
    name_state,
    read_states,
    summed_state,
)

__all__ = ["LIMIT", "ROWS", "Picture", "graph_bundle", "table_bundle"]

LIMIT = 60
"""How many items a picture shows by default."""

MOST = 500
"""How many items a picture can show one by one."""

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
        return _wanted(self.shown(), {_MERMAID: self.mermaid}, include, exclude)

    def shown(self) -> dict[str, str]:
        """What a notebook shows: an image that takes the theme of its page, the same as SVG, and text."""
        return {_HTML: _image(self.svg), _SVG: self.svg, _PLAIN: self.text}


def draw(
    graph: chant_mcp.Graph,
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
        limit: How many items are shown at most; of others only their number is. Of more than 500 none is
            left out, and they are shown in clusters.
        theme: `auto`, `light` or `dark`.
        name: What the picture is called.

    Raises:
        NotFoundError: An item of the focus does not exist, or no item has that attribute.
        InvalidArgumentError: The limit or the theme is none.
        CycleError: Items wait for one another, and their slack is asked for.
    """
    if limit > MOST and len(graph) > MOST and not focus:
        return _draw_clusters(graph, color, theme, name)
    limit = min(limit, MOST)
    network = graph.network
    critical = _critical(graph)
    shown = network.clip(limit, focus=focus, depth=depth, first=critical).keys()
    visible = set(shown)
    heat = _heat(graph, [[key] for key in shown], color)
    texts, tones = labels(graph, shown), _column(graph, "tone", shown)
    svg = network.svg(
        shown,
        labels=texts,
        states=tones,
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
    mermaid = network.mermaid(shown, labels=texts, states=tones)
    return Picture(svg, mermaid, _text(graph, shown), tuple(shown))


def _draw_clusters(
    graph: chant_mcp.Graph, color: str | Mapping[str, float] | None, theme: str, name: str
) -> Picture:
    """Draw all items in clusters, each of which says how many it has in which state."""
    level = find_level(graph)
    states, critical = read_states(graph), set(_critical(graph))
    shares = [count_states(states, box.items) for box in level.boxes]
    keys = [box.key for box in level.boxes]
    heat = _heat(graph, [box.items for box in level.boxes], color)
    texts = [_sum_up(len(box.items), share) for box, share in zip(level.boxes, shares, strict=True)]
    tones = [summed_state(share) for share in shares]
    svg = level.network.svg(
        keys,
        labels=texts,
        states=tones,
        titles=[f"{box.label}\n{text}" for box, text in zip(level.boxes, texts, strict=True)],
        heat=heat.values,
        heat_name=heat.name,
        heat_ends=heat.ends,
        critical=[box.key for box in level.boxes if not critical.isdisjoint(box.items)],
        theme=theme,
        name=name,
        shares=[share if box.is_cluster else [] for box, share in zip(level.boxes, shares, strict=True)],
    )
    items = tuple(key for box in level.boxes for key in box.items)
    mermaid = level.network.mermaid(keys, labels=texts, states=tones)
    return Picture(svg, mermaid, _text(graph, items[:ROWS]), items)


def _sum_up(count: int, shares: Sequence[tuple[str, int]]) -> str:
    return name_state(shares[0][0]) if count == 1 else f"{count:,}: {count_words(shares)}"


def _image(svg: str) -> str:
    """An image that takes the colours of the page around it, also of one that has no `color-scheme`.

    Nothing of the picture is markup of the page, and readers that drop the style still show it.
    """
    dark, light = page_themes()
    label = re.search(r'aria-label="([^"]*)"', svg)
    data = base64.b64encode(svg.encode()).decode()
    return (
        f"<style>:is({light}) .chant-picture{{color-scheme:light}}"
        f":is({dark}) .chant-picture{{color-scheme:dark}}</style>"
        f'<img class="chant-picture" alt="{label[1] if label else ""}" style="max-width:100%;height:auto" '
        f'src="data:image/svg+xml;base64,{data}">'
    )


def graph_bundle(
    graph: chant_mcp.Graph, include: Sequence[str] | None, exclude: Sequence[str] | None
) -> dict[str, str]:
    """What a notebook shows of a graph: its picture, and a line as text."""
    picture = draw(graph)
    always = {**picture.shown(), _PLAIN: f"{graph!r}\n{picture.text}"}
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


def _critical(graph: chant_mcp.Graph) -> list[str]:
    try:
        return list(graph.critical_path())
    except CycleError:
        return []


def labels(graph: chant_mcp.Graph, keys: Sequence[str]) -> list[str]:
    """Titles of items, keys where there is none; nothing where the graph knows no titles."""
    titles = _column(graph, "title", keys)
    return [title or key for key, title in zip(keys, titles, strict=True)] if titles else []


def _column(graph: chant_mcp.Graph, name: str, keys: Sequence[str]) -> list[str]:
    """The values of an attribute as texts; none where the graph does not have it."""
    if name not in graph.attributes:
        return []
    values: list[Any] = [graph.attribute(key, name) for key in keys]
    return ["" if value is None else str(value) for value in values]


def _tooltip(graph: chant_mcp.Graph, key: str) -> str:
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


def _heat(
    graph: chant_mcp.Graph, groups: Sequence[Sequence[str]], color: str | Mapping[str, float] | None
) -> _Heat:
    if color is None:
        return _Heat([])
    values = _measured(graph, color) if isinstance(color, str) else graph.resolve_keys(color)
    numbers = [
        _mean([_number(key, value) for key in keys if (value := values.get(key)) is not None])
        for keys in groups
    ]
    known = [number for number in numbers if number is not None]
    cold, hot = min(known, default=0.0), max(known, default=0.0)
    if color == "slack":  # what has none is what matters
        cold, hot = hot, cold
    span = hot - cold
    shares = [None if number is None else (number - cold) / span if span else 0.0 for number in numbers]
    return _Heat(shares, _legend_name(graph, color), (f"{cold:g}", f"{hot:g}"))


def _legend_name(graph: chant_mcp.Graph, color: str | Mapping[str, float]) -> str:
    """What colours show, with the unit of times."""
    if color == "slack":
        return f"slack, {graph.unit}"
    return color if isinstance(color, str) else "value"


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _number(key: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise InvalidArgumentError(f"The colour of `{key}` is {value!r}, expected a number") from None


def _measured(graph: chant_mcp.Graph, name: str) -> Mapping[str, float | None]:
    if name == "slack":
        slack = graph.slack()
        return {key: slack[key] for key in graph if not graph.is_done(key)}
    measures = {"betweenness": graph.betweenness, "pagerank": graph.pagerank}
    if name in measures:
        return dict(measures[name]().items())
    return dict(zip(graph, graph.attribute_column(name), strict=True))


def _text(graph: chant_mcp.Graph, keys: Sequence[str]) -> str:
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
