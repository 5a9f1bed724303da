"""The tools as data: what they are called, what they change, which function answers.

A toolset is the tuple `TOOLS` of a dialect's module, in the order of its seed. Functions take the
session first and their tool's parameters after it; the server derives schemas from their types and
descriptions from their docstrings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chant_mcp._core import Answer, tool_hints


@dataclass(frozen=True, slots=True)
class Hints:
    """What a host may assume of a tool (all four hints of the protocol)."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    open_world: bool = False

    def published(self) -> dict[str, bool]:
        """Give them as a list of tools has them, which is paid for by the byte.

        Hints whose absence means no say yes alone; one that reads may be repeated anyway.
        """
        alone = {"readOnlyHint": self.read_only, "idempotentHint": self.idempotent and not self.read_only}
        said = {name: True for name, holds in alone.items() if holds}
        return {**said, "destructiveHint": self.destructive, "openWorldHint": self.open_world}


def hints_of(name: str) -> Hints:
    """Say what a tool may do: the core's table of effects, which its check of trust asks, too.

    Raises:
        LookupError: When the table does not have the tool.
    """
    found = tool_hints(name)
    if found is None:
        raise LookupError(f"the table of effects has no tool {name}")
    return Hints(*found)


@dataclass(frozen=True, slots=True)
class Question:
    """What a person is asked to agree to."""

    about: str
    """Names the very thing they agree to."""
    text: str


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool."""

    run: Callable[..., Answer]
    own_hints: Hints | None = None
    """What it may do, for a tool that is none of the core's."""
    files: tuple[str, ...] = ()
    """Parameters that name files, which may lie in the client's folders."""
    asks: Callable[..., Question | None] | None = None
    """What a person is asked before a call, if anything. Takes what `run` takes; `run` finds what they agreed
    to in `progress.agreed`."""
    asks_people: bool = False
    """Whether its calls may wait for a person, so that no other call waits for them."""
    missing: str = "Missing required parameter: {}"
    """What is said of an argument that is not there, or of the wrong type although it has to be there."""
    error_prefix: str = ""
    """What stands before what is said of arguments."""
    errors_are_data: bool = False
    """Whether a refusal is an object `{error, code, details}` (seed tickets, "Error Handling")."""

    @property
    def name(self) -> str:
        """The tool's name on the wire."""
        return self.run.__name__

    @property
    def hints(self) -> Hints:
        """What it may do."""
        return self.own_hints or hints_of(self.name)


def toolsets() -> dict[str, tuple[ToolEntry, ...]]:
    """Give all tools by dialect, in the order in which they are listed."""
    from chant_mcp.toolsets import chant, items, speckit, tickets, vine

    return {
        "chant": chant.TOOLS,
        "vine": vine.TOOLS,
        "speckit": speckit.TOOLS,
        "tickets": tickets.TOOLS,
        "items": items.TOOLS,
    }
