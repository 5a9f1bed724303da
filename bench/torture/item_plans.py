"""Plans of other formats in the project under torture, and what has to be true of them in the end."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Record = dict[str, Any]

_COUNT = 12
"""Tasks in each list."""

_NUMBERS = range(1, _COUNT + 1)

_CHANGE = "openspec/changes/add-ferry"
_KIRO = ".kiro/specs/ferry"
_FEATURE = "specs/001-ferry"

_TASK = """---
id: TASK-{number}
title: Paint boat {number}
status: To Do
assignee: []
created_date: '2026-01-01'
labels: []
dependencies: []
---

## Acceptance Criteria
<!-- AC:BEGIN -->
- [ ] #1 It is painted
- [ ] #2 It is dry
<!-- AC:END -->
"""

_TICKET = """---
code: FER-{number:03}
title: Mend oar {number}
status: Approved
type: Feature Enhancement
priority: Medium
---

# Mend oar {number}

## 5. Acceptance Criteria

- [ ] It holds
"""

_GRAPH = (
    "vine 1.1.0\ntitle: Ferry\n---\n[root] Ferry (notstarted)\n"
    + "".join(f"-> rope{n}\n" for n in _NUMBERS)
    + "".join(f"---\n[rope{n}] Splice rope {n} (notstarted)\n" for n in _NUMBERS)
)

DOCUMENTS: dict[str, str] = {
    f"{_CHANGE}/proposal.md": "# Change: A ferry\n\n## Why\n\nThe river is wide.\n",
    f"{_CHANGE}/tasks.md": "## 1. Boats\n\n" + "".join(f"- [ ] 1.{n} Build boat {n}\n" for n in _NUMBERS),
    f"{_KIRO}/requirements.md": "# Requirements\n\n### Requirement 1\n\n#### Acceptance Criteria\n\n"
    "1. WHEN a person waits THEN the system SHALL carry the person\n",
    f"{_KIRO}/tasks.md": "# Implementation Plan\n\n- [ ] 1. Landings\n"
    + "".join(f"  - [ ] 1.{n} Dig landing {n}\n" for n in _NUMBERS),
    f"{_FEATURE}/spec.md": "# Ferry\n",
    f"{_FEATURE}/tasks.md": "# Tasks: Ferry\n\n## Phase 1: Bells\n\n"
    + "".join(f"- [ ] T{n:03} Cast bell {n}\n" for n in _NUMBERS),
    ".specify/memory/constitution.md": "# Ferry\n",
    "backlog/config.yml": 'project_name: "Ferry"\nstatuses: ["To Do", "In Progress", "Done"]\nlabels: []\n',
    **{f"backlog/tasks/task-{n} - Paint-boat-{n}.md": _TASK.format(number=n) for n in _NUMBERS},
    "ferry.vine": _GRAPH,
    ".mdt-config.toml": '[project]\ncode = "FER"\npath = "docs/CRs"\n',
    **{f"docs/CRs/FER-{n:03}-mend-oar-{n}.md": _TICKET.format(number=n) for n in _NUMBERS},
}
"""The documents, by their paths."""

KEYS: list[str] = [
    key
    for n in _NUMBERS
    for key in (
        f"openspec:add-ferry#1.{n}",
        f"kiro:ferry#1.{n}",
        f"speckit:001-ferry#T{n:03}",
        f"backlog:TASK-{n}",
        f"tickets:FER-{n:03}",
        f"vine:ferry.vine#rope{n}",
    )
] + ["openspec:add-ferry", "kiro:ferry#1"]
"""The items that agents are given; the last two hold others."""

_BOXES: list[tuple[str, Callable[[re.Match[str]], str], str]] = [
    (f"{_CHANGE}/tasks.md", lambda box: f"openspec:add-ferry#{box[2]}", r"- \[(.)\] (1\.\d+) "),
    (f"{_KIRO}/tasks.md", lambda box: f"kiro:ferry#{box[2]}", r"  - \[(.)\] (1\.\d+) "),
    (f"{_FEATURE}/tasks.md", lambda box: f"speckit:001-ferry#{box[2]}", r"- \[(.)\] (T\d+) "),
]
"""Lists of boxes, each the item that a key names."""

_CHANGING = re.compile(
    r"- \[.\]|\((notstarted|started|reviewing)\)$"
    r"|^(status|updated_date|lastModified|implementationDate|started)\b.*\n",
    re.MULTILINE,
)
"""What a landing may change in a document: marks, statuses and moments."""


def write_plans(root: Path) -> None:
    """Write the documents into a project."""
    for name, text in DOCUMENTS.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def check_items(read_main: Callable[[str], str], subjects: list[str], records: list[Record]) -> Iterator[str]:
    """Say what is wrong with items on main: `read_main` reads a file there, `subjects` name its merges."""
    done = {record["item"]["key"] for record in records if _is_landed(record)}
    landed = {subject.split(": ", 1)[0].removeprefix("Merge ") for subject in subjects if ": " in subject}
    for name, text in DOCUMENTS.items():
        now = read_main(name)
        if _CHANGING.sub("", now) != _CHANGING.sub("", text):
            yield f"{name} was changed in more than its marks"
        if re.search(r"^(<<<<<<<|>>>>>>>) ", now, re.MULTILINE):
            yield f"{name} holds marks of a conflict"
    ticked = set(_ticked(read_main))
    for key in sorted(done - ticked):
        yield f"a run completed {key}, and main does not say so"
    # Whoever holds others is done with the last of them.
    for key in sorted(ticked - done - landed - {*KEYS[-2:]}):
        if not any(key.startswith((f"{holder}#", f"{holder}.")) for holder in done | landed):
            yield f"{key} is done on main, and no run of it is"
    yield from _overlaps(records)


def _is_landed(record: Record) -> bool:
    item = record.get("item")
    return bool(item) and record["mode"] == "single" and record["end_state"] == "completed"


def _ticked(read_main: Callable[[str], str]) -> Iterator[str]:
    """The keys of items whose boxes are ticked on main."""
    for name, key_of, pattern in _BOXES:
        boxes = [*re.finditer(pattern, read_main(name), re.MULTILINE)]
        yield from (key_of(box) for box in boxes if box[1] != " ")
        if all(box[1] != " " for box in boxes):
            yield from ("openspec:add-ferry",) if name.startswith(_CHANGE) else ("kiro:ferry#1",)
    for n in _NUMBERS:
        if "status: Done" in read_main(f"backlog/tasks/task-{n} - Paint-boat-{n}.md"):
            yield f"backlog:TASK-{n}"
        if "status: Implemented" in read_main(f"docs/CRs/FER-{n:03}-mend-oar-{n}.md"):
            yield f"tickets:FER-{n:03}"
        # Without a check a person says whether a task of a graph is complete.
        if f"[rope{n}] Splice rope {n} (reviewing)" in read_main("ferry.vine"):
            yield f"vine:ferry.vine#rope{n}"


def _overlaps(records: list[Record]) -> Iterator[str]:
    """No two runs may have an item, its holder or its part at one time."""
    runs = [record for record in records if record.get("item") and record["adopted_at"]]
    for one, other in itertools.combinations(runs, 2):
        shared = {*one["item"]["locked_keys"]} & {*other["item"]["locked_keys"]}
        ends = [record["completed_at"] or "9" for record in (one, other)]
        if shared and one["adopted_at"] < ends[1] and other["adopted_at"] < ends[0]:
            yield f"runs {one['process_id']} and {other['process_id']} overlap in {sorted(shared)[0]}"
