"""A project of tickets, and clients of both eras on a server in memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness import Project
from server.conftest import serve as serve
from tickets.filing import Tickets


@pytest.fixture
def tickets(tmp_path: Path) -> Tickets:
    """A project `MDT` that has no ticket yet."""
    tickets = Tickets(tmp_path / "board")
    tickets.defines(name="Markdown Ticket Board")
    return tickets


@pytest.fixture
def project(tickets: Tickets) -> Project:
    """The folder of the project, as `call` serves it."""
    return Project(tickets.root)
