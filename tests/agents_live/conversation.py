"""What a model is asked, and what it answers, in no protocol's words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class ToolOffer:
    """A tool as a request announces it."""

    name: str
    properties: Json = field(default_factory=dict[str, Any])
    required: tuple[str, ...] = ()
    space: str | None = None
    """The namespace in which the program announces it, where a protocol has such."""
    is_freeform: bool = False
    """Whether its input is a text instead of arguments."""


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool, of a step of the script."""

    step: str
    tool: ToolOffer
    arguments: Json | str

    @property
    def id(self) -> str:
        """Say the identifier under which the result comes back."""
        return f"call_{self.step}"


@dataclass(frozen=True)
class ToolResult:
    """What became of a call."""

    step: str
    text: str
    failed: bool = False


@dataclass(frozen=True)
class ModelRequest:
    """A request to a model."""

    protocol: str
    model: str
    tools: tuple[ToolOffer, ...]
    text: str
    """All that it says, tools left out."""
    results: tuple[ToolResult, ...]
    streams: bool

    def step_is_done(self, step: str) -> bool:
        """Say whether the conversation holds the result of a step."""
        return any(result.step == step for result in self.results)

    def result_of(self, step: str) -> str:
        """Give the result of a step; empty where there is none."""
        return next((result.text for result in self.results if result.step == step), "")


@dataclass(frozen=True)
class ModelReply:
    """A reply: a text, or a call."""

    text: str = ""
    call: ToolCall | None = None
    is_refusal: bool = False


def step_of(call_id: object) -> str:
    """Give the step of a call's identifier; empty for one that is not of the script."""
    name = str(call_id)
    # Some programs put their own words around an identifier.
    return name.split("call_", 1)[1].split("|", 1)[0] if "call_" in name else ""


def text_of(content: object) -> str:
    """Give the text of a content, whether that is a text, a block or a list of blocks."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, dict):
        known = (content.get(key) for key in ("text", "content", "output"))
        return "\n".join(text_of(value) for value in known if value)
    return ""


def offered(name: str, schema: object, **more: Any) -> ToolOffer:
    """Make a tool of its name and the schema of its arguments."""
    schema = schema if isinstance(schema, dict) else {}
    properties = schema.get("properties") or {}
    return ToolOffer(name, properties, tuple(schema.get("required") or ()), **more)
