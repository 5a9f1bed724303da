"""Work items as the board's questions answer them, made up: a booking site for ferries, or 20,000 rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Data = dict[str, Any]

MEANINGS = ("can_begin", "being_worked_on", "waits_for_you", "waits", "done")
LOOK = {"can_begin": "▸", "being_worked_on": "◐", "waits_for_you": "!", "waits": "⋯", "done": "✓"}
_DATA: Data = json.loads(Path(__file__).with_name("ferry.json").read_text("utf-8"))

BODY: str = _DATA["body"]
RUNS: Data = _DATA["runs"]
INBOX: Data = _DATA["inbox"]
DIFF: Data = _DATA["diff"]
TIMELINE: Data = _DATA["timeline"]
PROBLEMS: Data = _DATA["problems"]


def card(meaning: str, key: str, title: str, status: str, more: Data) -> Data:
    """Make what a row of a column knows."""
    dialect, _, id = key.partition(":")
    return {
        "key": key,
        "dialect": dialect,
        "id": id,
        "title": title,
        "status": status,
        "symbol": LOOK[meaning],
        "ready": meaning == "can_begin",
        "waits": 0,
        "labels": [],
        "meaning": meaning,
        **more,
    }


def ferry() -> list[Data]:
    """Make sixteen items of all formats."""
    return [card(*row) for row in _DATA["rows"]]


def many(count: int) -> list[Data]:
    """Make this many specs, half of them ready."""
    kinds = ["can_begin"] * 5 + ["waits"] * 3 + ["done"] * 2
    return [
        card(
            kinds[number % 10],
            f"chant:2026-01-01-{number:05}-abc",
            f"Item {number}",
            "pending",
            {"labels": [f"area-{number % 7}"]},
        )
        for number in range(count)
    ]


def item(found: Data) -> Data:
    """Make what the drawer of a card knows."""
    is_long = found["id"].endswith("-boo")
    done, total = (found.get("criteria") or {"done": 0, "total": 0}).values()
    texts = ["Free places are counted per crossing", "A held place is free again after ten minutes"]
    texts += [
        "The price does not change while a place is held",
        *(f"Criterion {number}" for number in range(4, 9)),
    ]
    criteria = [
        {"text": texts[number], "done": number < done, "line": 20 + number} for number in range(total)
    ]
    tree = [
        {
            "depth": 0,
            "key": "chant:2026-11-20-001-log",
            "title": "Log in with a password or a key",
            "status": "pending",
            "symbol": "▸",
            "leads": "here",
        },
        {
            "depth": 1,
            "key": "chant:2026-11-20-008-ske",
            "title": "Sketch of all pages",
            "status": "completed",
            "symbol": "✓",
            "leads": "here",
        },
    ]
    after = [
        {
            "depth": 0,
            "key": "chant:2026-11-20-007-rel",
            "title": "Release to the first port",
            "status": "blocked",
            "symbol": "⋯",
            "leads": "here",
        }
    ]
    return {
        **({"work": found["status"]} if found["dialect"] == "chant" else {}),
        **{name: value for name, value in found.items() if name != "criteria"},
        "depends_on": [],
        "waits_for": [],
        "needed_by": [],
        "path": f".chant/specs/{found['id']}.md",
        "assignee": "ada" if is_long else None,
        "body": BODY,
        "version": "v1",
        "document": _DATA["document"],
        "criteria": criteria,
        "sections": [{"name": "## Rules", "level": 2}, {"name": "## Acceptance Criteria", "level": 2}],
        "around": {
            "key": found["key"],
            "waits_for": tree,
            "waits_for_more": False,
            "needed_by": after,
            "needed_by_more": False,
        },
    }


def picture(items: list[Data]) -> Data:
    """Lay a graph out, as simply as will do: the core does it well."""
    ranks = {
        "008-ske": 0,
        "001-log": 1,
        "004-tim": 1,
        "002-boo": 2,
        "003-pri": 3,
        "005-can": 3,
        "006-mai": 4,
        "007-rel": 5,
    }
    known = {one["key"][17:]: one for one in items if one["key"][17:] in ranks}
    seen: dict[int, int] = {}
    places: dict[str, tuple[int, int]] = {}
    for end in sorted(known, key=lambda end: ranks[end]):
        rank = ranks[end]
        places[end] = (rank * 210 + 10, seen.setdefault(rank, 0) * 90 + 40)
        seen[rank] += 1
    critical = {"008-ske", "001-log", "002-boo", "003-pri", "006-mai", "007-rel"}
    edges = [
        _edge(known, places, critical, *link)
        for link in _DATA["links"]
        if link[0] in known and link[1] in known
    ]
    figures = [_figure(known[end], places[end], end in critical) for end in places]
    marker = [
        "marker",
        {
            "id": "arrow",
            "viewBox": "0 0 8 8",
            "refX": 8,
            "refY": 4,
            "markerWidth": 8,
            "markerHeight": 8,
            "orient": "auto",
        },
        [["path", {"d": "M0 0 L8 4 L0 8 Z"}, []]],
    ]
    scene = ["svg", {"viewBox": "0 0 1260 240"}, [["defs", {}, [marker]], *edges, *figures]]
    rows = [
        {
            "key": known[end]["key"],
            "title": known[end]["title"],
            "status": known[end]["status"],
            "meaning": known[end]["meaning"],
            "slack": 0 if end in critical else 4.5 * 3600,
            "critical": end in critical,
        }
        for end in places
    ]
    return {"scene": scene, "items": rows, "total": len(items), "shown": len(rows)}


def _edge(
    known: dict[str, Data], places: dict[str, tuple[int, int]], critical: set[str], before: str, after: str
) -> list[Any]:
    (x, y), (to_x, to_y) = places[before], places[after]
    path = f"M{x + 170} {y + 24} C{x + 190} {y + 24} {to_x - 20} {to_y + 24} {to_x} {to_y + 24}"
    word = " critical" if {before, after} <= critical else ""
    ends = {"data-from": known[before]["key"], "data-to": known[after]["key"]}
    return ["path", {"class": f"edge{word}", "d": path, "marker-end": "url(#arrow)", **ends}, []]


def _figure(one: Data, place: tuple[int, int], is_critical: bool) -> list[Any]:
    x, y = place
    word = " critical" if is_critical else ""
    return [
        "g",
        {"class": f"meaning-{one['meaning']}{word}", "data-key": one["key"]},
        [
            ["title", {}, [one["title"]]],
            ["rect", {"class": "box", "x": x, "y": y, "width": 170, "height": 48, "rx": 6}, []],
            ["text", {"x": x + 10, "y": y + 20, "class": "label", "font-size": 12}, [one["title"][:24]]],
            ["text", {"x": x + 10, "y": y + 37, "class": "sub", "font-size": 10}, [one["status"]]],
        ],
    ]
