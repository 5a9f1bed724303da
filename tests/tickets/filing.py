"""What tests of tickets share: a project of tickets on disk, answers and refusals taken whole."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from chant_mcp._core import TicketProjects
from chant_mcp.errors import ChantError
from chant_mcp.server.app import ChantServer
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer
from harness import Caller, text_of
from laws import law
from mcp_types import CallToolResult, TextContent
from writing import answer_text

STATUSES = (
    "Proposed",
    "Approved",
    "In Progress",
    "Implemented",
    "Rejected",
    "On Hold",
    "Partially Implemented",
)
TYPES = ("Architecture", "Feature Enhancement", "Bug Fix", "Technical Debt", "Documentation", "Research")
PRIORITIES = ("Low", "Medium", "High", "Critical")

ROW = [
    "code",
    "title",
    "status",
    "type",
    "priority",
    "dateCreated",
    "lastModified",
    "assignee",
    "phaseEpic",
]
"""The keys of a ticket in a list, as the seed has them."""

MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
"""A moment as files and answers have it."""

LONG_AGO = "2025-09-07T10:00:00.000Z"

ONE_ERA = pytest.mark.parametrize("call", ["modern"], indirect=True)
"""For tables of cases about what the documents mean: the era of the protocol makes no difference there."""

LAW = law(30, shares=True)


@dataclass(frozen=True)
class Tickets:
    """A project of tickets on disk."""

    root: Path
    code: str = "MDT"
    folder: str = "docs/CRs"

    def defines(self, **keys: object) -> None:
        """Write the project's configuration: its code and these keys."""
        lines = [
            f"{key} = {json.dumps(value, ensure_ascii=False)}"
            for key, value in {"code": self.code, **keys}.items()
        ]
        self.root.mkdir(parents=True, exist_ok=True)
        text = "\n".join(["[project]", *lines, ""])
        (self.root / ".mdt-config.toml").write_text(text, encoding="utf-8")

    def path(self, name: str) -> Path:
        """The file of a ticket, named without its ending."""
        return self.root / self.folder / f"{name}.md"

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a ticket's file as it is."""
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def ticket(self, number: int, title: str = "Ticket", *, body: str = "", **keys: object) -> Path:
        """Write a ticket from its keys, its body below an H1."""
        code = f"{self.code}-{number:03}"
        front = {"code": code, "status": "Proposed", "dateCreated": LONG_AGO, **keys}
        lines = "".join(f"{key}: {value}\n" for key, value in front.items() if value is not None)
        below = f"\n\n{body}" if body else ""
        return self.write(
            f"{code}-{title.lower().replace(' ', '-')}", f"---\n{lines}---\n\n# {title}{below}\n"
        )

    def bytes(self, name: str) -> bytes:
        """Read a ticket's file."""
        return self.path(name).read_bytes()

    def text(self, name: str) -> str:
        """Read a ticket's file as text, line ends as they are."""
        return self.bytes(name).decode()

    def names(self) -> list[str]:
        """Name all files and folders beside the tickets, without the ending of the tickets."""
        return sorted(path.name.removesuffix(".md") for path in (self.root / self.folder).iterdir())

    def server(self, **offer: Any) -> ChantServer:
        """Make a server on the project, in this process."""
        return server_of(self.root, **offer)

    def handle(self, **variables: str) -> TicketProjects:
        """Open the tickets without a server."""
        return TicketProjects(self.root, variables=variables)


def server_of(root: Path, *, home: Path | None = None, **offer: Any) -> ChantServer:
    """Make a server in this process, with or without a user's home folder."""
    config_home = home and home / ".config"
    session = Session(Place(root, (root,)), environment={}, config_home=config_home, home=home)
    return ChantServer(session, Offer(**{"toolsets": ["auto"], **offer}))


def whole(result: CallToolResult) -> Any:
    """Give the data of a result, which its text and its structured part both hold, key for key."""
    assert len(result.content) == 1
    text = text_of(result)
    found = json.loads(text)
    assert text == answer_text(found)
    assert json.dumps(result.structured_content) == json.dumps(found)
    return found


async def answer(call: Caller, tool: str, /, **arguments: Any) -> Any:
    """Call a tool that answers with data and give it."""
    result = await call(tool, **arguments)
    assert not result.is_error, text_of(result)
    return whole(result)


async def refused(call: Caller, tool: str, /, **arguments: Any) -> Any:
    """Call a tool that is refused and give the error object."""
    result = await call(tool, **arguments)
    assert result.is_error, text_of(result)
    error = whole(result)
    assert list(error) == ["error", "code", "details"]
    assert isinstance(error["error"], str)
    assert isinstance(error["details"], dict)
    return error


async def invalid(call: Caller, tool: str, /, **arguments: Any) -> dict[str, str]:
    """Call a tool with values that it refuses and give its words by field."""
    error = await refused(call, tool, **arguments)
    assert (error["error"], error["code"]) == ("Validation failed", "VALIDATION_ERROR")
    assert error["details"]
    return error["details"]


async def told(call: Caller, **arguments: Any) -> tuple[str, Any]:
    """Ask for sections and give the words and the data."""
    result = await call("manage_cr_sections", **arguments)
    assert not result.is_error, text_of(result)
    assert len(result.content) == 1
    return text_of(result), result.structured_content


def note_of(result: CallToolResult) -> str:
    """Give what stands beside the text of a result."""
    assert len(result.content) == 2
    block = result.content[1]
    assert isinstance(block, TextContent)
    return block.text


def refusal_of(act: Callable[[], object]) -> Any:
    """Make a call of a handle and give the error object, or `None` when it succeeds."""
    try:
        act()
    except ChantError as error:
        return error.object
    return None


def codes(listed: Any) -> list[str]:
    """Give the codes of a list of tickets."""
    return [row["code"] for row in listed["crs"]]
