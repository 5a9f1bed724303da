"""The specs of the sample project: a booking site for ferries, some weeks after its start."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chant_mcp import resources


@dataclass(frozen=True, slots=True)
class Sample:
    """One spec."""

    id: str
    status: str
    title: str
    text: str
    criteria: Sequence[str] = ()
    """Each with an `x ` in front when it is ticked; those of a completed spec all are."""
    depends_on: Sequence[str] = ()
    labels: Sequence[str] = ()
    files: Sequence[str] = ()
    type: str = "code"
    further: str = ""
    """More lines of front matter."""


CHOSEN = "2026-02-09-002-s4p"
"""The spec that work begins with in the demo."""

WAITING = "2026-02-09-003-t8r"
"""A spec that waits for it."""

FAILING = "2026-02-10-003-h2x"
"""A spec whose agent is asked to fail."""

UNREADABLE = "2026-02-05-003-u0x"
"""A file whose front matter is no YAML."""

READY = ("2026-02-02-002-d7v.3", "2026-02-09-001-r6m", CHOSEN, "2026-02-10-001-z3b", FAILING)
"""What can be worked on at first, in the order of IDs."""

WORKED = tuple(sorted({*READY, "2026-02-02-002-d7v.4", WAITING} - {FAILING}))
"""What is completed when agents have worked on that and on what became ready."""

_ROWS: list[dict[str, Any]] = json.loads(resources.text("demo/specs.json"))
ARCHIVED, *SPECS = (Sample(**row) for row in _ROWS)
"""A spec that is archived, and the active ones that can be read, in the order of IDs."""

UNREADABLE_TEXT = """\
---
type: code
status: pending
labels: [web, search
---

# Remember the last search

The bracket above is not closed; other specs are not affected.
"""
