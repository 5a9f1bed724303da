"""A workshop for every test, a client of it, and the proof that no test leaves a process behind."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from harness import Caller, Project
from work.item_kit import Plans
from work.kit import Workshop, kill, processes, wait_for


@pytest.fixture(autouse=True)
def _nothing_is_left(_sealed: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep the worktrees in the test's own home; fail when a process of the test lives on.

    It is set up first, so that it looks when all other fixtures have ended what they started.
    """
    monkeypatch.setenv("XDG_STATE_HOME", f"{os.environ['HOME']}/.local/state")
    yield
    try:
        # A runner's last act is to write its record; it needs an instant to be gone.
        wait_for(lambda: not processes(), lambda: f"the end of {processes()}")
    finally:
        kill(*(process.pid for process in processes()))


@pytest.fixture
def shop(project: Project) -> Workshop:
    """A project that is no repository yet, worked on by the demo agent."""
    return Workshop(project)


@pytest.fixture
async def call(shop: Workshop) -> AsyncIterator[Caller]:
    """A client of a server in this process."""
    async with shop.client() as call:
        yield call


@pytest.fixture
def plans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plans:
    """An empty folder, in which commands are typed."""
    root = tmp_path / "ferry"
    root.mkdir()
    monkeypatch.chdir(root)
    return Plans(Project(root))
