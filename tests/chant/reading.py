"""What several tests of the reading tools share: IDs of an answer, bodies, JSON as the seed prints it."""

from __future__ import annotations

import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from harness import Caller
from laws import law
from mcp import Client
from state_folder import put_record

if TYPE_CHECKING:
    from pathlib import Path

    from chant_mcp.server.app import ChantServer
    from harness import Project

LAW = law(30, shares=True)

ONE_ERA = pytest.mark.parametrize("call", ["modern"], indirect=True)
"""For tables of cases about what the documents mean: the era of the protocol makes no difference there."""

DAY = "2026-01-22"

STATUSES = (
    "pending",
    "in_progress",
    "paused",
    "completed",
    "failed",
    "needs_attention",
    "ready",
    "blocked",
    "cancelled",
)


@dataclass(frozen=True)
class Reader:
    """A project and a way to list its specs that lives through the whole test."""

    project: Project
    list: Callable[[], Awaitable[Any]]

    async def titles(self) -> dict[str, str | None]:
        """List the specs and give their titles."""
        return {spec["id"]: spec["title"] for spec in (await self.list())["specs"]}

    async def statuses(self) -> dict[str, str]:
        """List the specs and give their statuses."""
        return {spec["id"]: spec["status"] for spec in (await self.list())["specs"]}

    async def problems(self) -> dict[str, str]:
        """List the specs and give what is wrong with files, by path."""
        return {problem["path"]: problem["message"] for problem in (await self.list()).get("problems", [])}


def ids(data: Any) -> list[str]:
    """Give the IDs of an answer's specs in their order."""
    return [spec["id"] for spec in data["specs"]]


def criteria(*items: str, title: str = "A spec") -> str:
    """Make a body with a title and a section of acceptance criteria."""
    return "\n".join([f"# {title}", "", "## Acceptance Criteria", "", *items])


async def listed(call: Caller, **arguments: Any) -> dict[str, str]:
    """Give the effective status of every listed spec."""
    data = await call.data("chant_spec_list", **{"limit": 1000, **arguments})
    return {spec["id"]: spec["status"] for spec in data["specs"]}


async def ready(call: Caller) -> list[str]:
    """Give the IDs of the ready specs."""
    return ids(await call.data("chant_ready", limit=1000))


async def reasons(call: Caller, id: str) -> list[str]:
    """Give what a spec waits for, one line of text a reason."""
    data = await call.data("chant_spec_get", id=id)
    return [json.dumps(wait) for wait in data["waiting_for"]]


def problem_of(data: Any, name: str) -> dict[str, Any]:
    """Give the one problem record of a file, by a part of its path."""
    found = [problem for problem in data.get("problems", []) if name in problem["path"]]
    assert len(found) == 1, data.get("problems")
    return found[0]


def archive(project: Project, id: str, *, status: str = "completed", day: str = DAY) -> Path:
    """Write an archived spec."""
    path = project.root / ".chant" / "archive" / day / f"{id}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\ntype: code\nstatus: {status}\n---\n# Archived {id}\n", encoding="utf-8")
    return path


def snapshot(root: Path) -> dict[str, bytes | str]:
    """Give all files below a folder with their content, links with their target."""
    found: dict[str, bytes | str] = {}
    for folder, folders, files in os.walk(root):
        here = root.__class__(folder)
        for name in [*files, *(name for name in folders if (here / name).is_symlink())]:
            path = here / name
            key = path.relative_to(root).as_posix()
            found[key] = str(path.readlink()) if path.is_symlink() else path.read_bytes()
    return found


ENDED = f"{datetime.now(timezone.utc):%Y-%m-%dT%H:%M:%SZ}"
"""When runs ended that are not pruned."""


def record(project: Project, process_id: str, /, **keys: object) -> Path:
    """Write the record of a run, as the runtime's design has it."""
    spec_id, _, pid = process_id.rpartition("-")
    run = {
        "schema": 1,
        "process_id": process_id,
        "spec_id": spec_id,
        "parent": None,
        "pid": int(pid),
        "pid_start": None,
        "boot_id": None,
        "status": "completed",
        "end_state": "completed",
        "generation": 1,
        "started_at": "2026-02-02T10:30:00Z",
        "updated_at": "2026-02-02T10:45:00Z",
        "completed_at": "2026-02-02T10:45:00Z",
        "mode": "single",
        "branch": f"chant/{spec_id}",
        **keys,
    }
    return put_record(project.root, run)


def clear(project: Project) -> None:
    """Delete every active and archived spec, so that one project serves many examples."""
    for folder in ("specs", "archive"):
        for path in sorted((project.root / ".chant" / folder).rglob("*"), reverse=True):
            if path.is_dir() and not path.is_symlink():
                path.rmdir()
            else:
                path.unlink()


def drive(project: Project, server: ChantServer, work: Callable[[Caller], Awaitable[None]]) -> None:
    """Run one example of a law with a client of its own."""

    async def example() -> None:
        async with Client(server, mode="2026-07-28") as client:
            await work(Caller(client, project))

    anyio.run(example)
