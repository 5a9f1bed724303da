"""A task graph for the tests of its commands."""

from __future__ import annotations

from pathlib import Path

from harness import Project

PLAN = """\
vine 1.2.0
title: Release 2.0
---
[ship] Ship the release (planning)
Publish the package and *announce* it.
-> changelog
-> docs
-> site
> On a Tuesday
---
[changelog] Write the changelog (notstarted)
-> freeze
---
ref [docs] Update the manual (./parts/docs.vine)
-> freeze
---
[site] Renew the web site (started) @owner(bob)
-> texts
---
[texts] Collect texts (blocked)
---
[freeze] Freeze features (reviewing) @owner(ada) @tags(a,b)
> Only fixes of reported faults go in
@artifact text/markdown ./freeze-list.md
"""

DOCS = """\
vine 1.2.0
prefix: d
---
[manual] Manual (notstarted)
-> index
---
[index] Index (notstarted)
"""


def write_plan(project: Project, text: str = PLAN, name: str = "plan.vine") -> Path:
    """Write a file of the project."""
    path = project.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def plan_of(*tasks: str) -> str:
    """Make a plan of words like `r:started>a,b` (r depends on a and b) and `e:ref`."""
    blocks: list[str] = []
    for task in tasks:
        head, _, needed = task.partition(">")
        id, status = head.split(":")
        header = (
            f"ref [{id}] {id.upper()} (./{id}.vine)" if status == "ref" else f"[{id}] {id.upper()} ({status})"
        )
        blocks.append("\n".join([header, *(f"-> {other}" for other in needed.split(",") if other)]))
    return "vine 1.2.0\n---\n" + "\n---\n".join(blocks) + "\n"
