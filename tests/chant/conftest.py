"""A project whose specs are listed by a server and by a handle."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from chant.reading import Reader
from chant_mcp import ChantProject
from harness import Caller, Project, user_config
from mcp import Client


@pytest.fixture(params=["client", "scan"])
async def reader(request: pytest.FixtureRequest, project: Project) -> AsyncIterator[Reader]:
    """A client of a server that hears of changes; and a handle that compares stamps only."""
    if request.param == "scan":
        handle = ChantProject(project.root, user_config=user_config(), events=False)

        async def scan() -> Any:
            return handle.spec_list(limit=1000).data

        yield Reader(project, scan)
        return
    async with Client(project.server(), mode="2026-07-28") as client:
        call = Caller(client, project)

        async def ask() -> Any:
            return await call.data("chant_spec_list", limit=1000)

        yield Reader(project, ask)
