"""What the tests of the vine dialect share: plans on disk, plans from few words, the plans of the vectors."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from harness import Caller, Project, text_of
from laws import law
from mcp_types import TextContent
from server.pipes import Pipes

ONE_ERA = pytest.mark.parametrize("call", ["modern"], indirect=True)
"""For tables of cases about what the documents mean: the era of the protocol makes no difference there."""

LAW = law(60, shares=True)

Operation = dict[str, Any]

Serve = Callable[..., Pipes]
"""`serve(root, *words)`: a server process in a folder, started with these words."""

DEMO = """\
vine 1.2.0
title: Demo
prefix: dm
---
[root] Root Task (planning) @sprite(./r.svg) @tags(a, b,,c) @flag()
The root.

Second paragraph.
-> zeta
-> alpha
-> ext
> Decision one
@file text/plain ./notes.txt
@artifact text/html https://e.x/a.html
@guidance text/markdown ./g.md
---
[alpha] Alpha (reviewing)
Do alpha.
-> leaf
---
[zeta] Zeta Task (started)
-> leaf
---
ref [ext] External (./child.vine) @sprite(./e.svg)
Ref description.
-> leaf
> ref decision
---
[leaf] Leaf (complete)
> used PostgreSQL
@artifact application/pdf ./out.pdf
"""
"""The plan of reference vine 12.1."""

SMALL = """\
vine 1.2.0
---
[root] Root (planning)
-> mid
-> ext
---
[mid] Mid (notstarted)
-> leaf
---
ref [ext] Ext (./ext.vine)
-> leaf
---
[leaf] Leaf (complete)
"""
"""The plan of reference vine 12.5."""

SHIP = """\
vine 1.2.0
---
[ship] Ship (notstarted)
-> build
---
[build] Build (notstarted)
Compile all.
-> spec
---
[spec] Write spec (reviewing)
> keep it short
@artifact text/markdown ./spec.md
"""
"""The plan of reference vine 12.6."""

LISTS = ("ready_to_start", "ready_to_complete", "needs_expansion", "blocked")
"""The lists of the frontier that the seed names, in its order."""

NODE = ["id", "kind", "shortName", "description", "dependencies", "decisions"]
"""The first keys of every node in an answer; tasks and references differ behind them."""

TASK = [*NODE, "status", "attachments"]
REFERENCE = [*NODE, "vine"]


@dataclass(frozen=True)
class Plans:
    """A folder of plans."""

    root: Path

    def path(self, name: str) -> Path:
        """The file of a plan, named without its ending."""
        return self.root / f"{name}.vine"

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a plan's file as it is."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def bytes(self, name: str) -> bytes:
        """Read a plan's file."""
        return self.path(name).read_bytes()

    def text(self, name: str) -> str:
        """Read a plan's file as text, line ends as they are."""
        return self.bytes(name).decode()

    def server(self, **offer: Any) -> Any:
        """Make a server on the folder, in this process."""
        return Project(self.root).server(**offer)


def plan_of(words: str) -> str:
    """Write a plan of few words: `r:started>a,e` depends on a and e, `e:ref` is a reference."""
    blocks: list[str] = []
    for word in words.split():
        head, _, needs = word.partition(">")
        id, kind = head.split(":")
        header = (
            f"ref [{id}] {id.upper()} (./{id}.vine)" if kind == "ref" else f"[{id}] {id.upper()} ({kind})"
        )
        blocks.append("\n".join([header, *(f"-> {need}" for need in needs.split(",") if need)]))
    return "vine 1.2.0\n---\n" + "\n---\n".join(blocks) + "\n"


def wide(count: int, status: str = "notstarted", *, description: str = "") -> str:
    """Write a plan whose root depends on so many leaves, `t0` onwards."""
    below = f"{description}\n" if description else ""
    needs = "".join(f"-> t{number}\n" for number in range(count))
    leaves = "".join(f"---\n[t{number}] Leaf {number} ({status})\n{below}" for number in range(count))
    return f"vine 1.2.0\n---\n[root] Root (planning)\n{needs}{leaves}"


def ids(nodes: list[dict[str, Any]]) -> list[str]:
    """Give the IDs of the nodes of an answer."""
    return [node["id"] for node in nodes]


async def listed(call: Caller, file: str, action: str, **arguments: Any) -> list[Any]:
    """Ask a question whose answer is a list, and give it whole."""
    result = await call("vine_read", file=file, action=action, **arguments)
    assert not result.is_error, text_of(result)
    assert len(result.content) == 1, "nothing was cut"
    found = json.loads(text_of(result))
    structured = result.structured_content
    assert structured == {"result": found, "total": len(found), "returned": len(found)}
    return found


async def write(call: Caller, file: str, *operations: Operation, **arguments: Any) -> Any:
    """Carry out operations, and give the answer."""
    return await call.data("vine_write", file=file, operations=list(operations), **arguments)


async def refused(call: Caller, file: str, *operations: Operation, **arguments: Any) -> str:
    """Have operations refused, and give the words."""
    return await call.error("vine_write", file=file, operations=list(operations), **arguments)


def texts_of(result: Any) -> list[str]:
    """Give the texts of all blocks of a result."""
    assert all(isinstance(block, TextContent) for block in result.content)
    return [block.text for block in result.content]


def task(id: str, name: str = "Name", **fields: Any) -> Operation:
    """Add a task."""
    return {"op": "add_task", "id": id, "name": name, **fields}


def dep(task_id: str, dep_id: str, op: str = "add_dep") -> Operation:
    """Add a dependency, or remove it."""
    return {"op": op, "taskId": task_id, "depId": dep_id}


def status(id: str, to: str) -> Operation:
    """Say how far a task is."""
    return {"op": "set_status", "id": id, "status": to}


def claim(id: str, **fields: Any) -> Operation:
    """Take a task."""
    return {"op": "claim", "id": id, **fields}


def update(id: str, **fields: Any) -> Operation:
    """Change what a node says."""
    return {"op": "update", "id": id, **fields}
