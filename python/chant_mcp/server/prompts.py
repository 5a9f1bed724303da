"""Prompts for the menus of hosts: work, plan, review, unblock, standup, prime (issue 23: point 8)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp import MCPError
from mcp_types import (
    INVALID_PARAMS,
    EmbeddedResource,
    GetPromptResult,
    Prompt,
    PromptArgument,
    PromptMessage,
    TextContent,
    TextResourceContents,
)

from chant_mcp.formats import toolset_of_format
from chant_mcp.prime import prime_text
from chant_mcp.resources import text as resource_text
from chant_mcp.server.documents import META, text_of
from chant_mcp.server.uris import MARKDOWN, TEXT_IS_DATA, document_of, uri_of
from chant_mcp.session import Session

_SHOWN = 20
"""Rows of a list that a prompt shows."""

_MOST_NAME = 2_000

PRIME_URI = "chant://prime"
"""What the prompt `prime` says, as a resource."""

Writer = Callable[[Session, list[str], Mapping[str, str]], list[PromptMessage]]


@dataclass(frozen=True, slots=True)
class PromptEntry:
    """A prompt: what menus show of it, and what writes its messages."""

    title: str
    description: str
    write: Writer
    argument: PromptArgument | None = None
    changes: bool = False
    """Whether it asks for what a read-only server refuses."""


_ITEM = PromptArgument(
    name="id",
    title="Item",
    description="A spec's ID or a part of it; vine:plan.vine#task, speckit:001-x#T001, tickets:MDT-001",
    required=True,
)


def listed(*, read_only: bool) -> list[Prompt]:
    """List the prompts."""
    return [
        Prompt(
            name=name,
            title=entry.title,
            description=entry.description,
            arguments=[entry.argument] if entry.argument else [],
        )
        for name, entry in PROMPTS.items()
        if not (read_only and entry.changes)
    ]


def written(
    session: Session, toolsets: list[str], name: str, arguments: Mapping[str, str], *, read_only: bool
) -> GetPromptResult:
    """Write a prompt.

    Raises:
        MCPError: When there is no such prompt, or an argument is missing or unknown.
        ChantError: When there is no such item.
    """
    entry = PROMPTS.get(name)
    if entry is None or (read_only and entry.changes):
        raise MCPError(INVALID_PARAMS, f"Unknown prompt: {name[:100]}")
    wanted = entry.argument.name if entry.argument else None
    if wanted and not arguments.get(wanted, "").strip():
        raise MCPError(INVALID_PARAMS, f"Missing required argument: {wanted}")
    if surplus := [given for given in arguments if given != wanted]:
        raise MCPError(INVALID_PARAMS, f"Unknown argument of {name}: {surplus[0][:100]}")
    return GetPromptResult(description=entry.description, messages=entry.write(session, toolsets, arguments))


def _say(text: str) -> PromptMessage:
    return PromptMessage(role="user", content=TextContent(type="text", text=text))


def _text(name: str, **values: str) -> str:
    """Give a text of ours with names of documents in it: on one line each, and not longer than names are."""
    found = resource_text(f"menu/{name}.md")
    for value, text in values.items():
        found = found.replace(f"{{{value}}}", " ".join(text.split())[:_MOST_NAME])
    return found.strip()


def _found(session: Session, arguments: Mapping[str, str]) -> dict[str, Any]:
    return session.workspace.show(arguments["id"]).data


def _embedded(session: Session, item: Mapping[str, Any]) -> PromptMessage:
    uri = uri_of(item["key"])
    document = document_of(uri)
    if document is None:
        raise MCPError(INVALID_PARAMS, f"{item['key']} is not in a document of this project")
    contents = TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text_of(session, document), _meta=META)
    return PromptMessage(role="user", content=EmbeddedResource(type="resource", resource=contents))


def _work(session: Session, toolsets: list[str], arguments: Mapping[str, str]) -> list[PromptMessage]:
    item = _found(session, arguments)
    which = toolset_of_format(item["dialect"])
    text = _text(f"work-{which}", id=item["id"], path=item["path"], key=item["key"])
    return [_say(f"{text}\n\n{TEXT_IS_DATA}"), _embedded(session, item)]


def _review(session: Session, toolsets: list[str], arguments: Mapping[str, str]) -> list[PromptMessage]:
    item = _found(session, arguments)
    return [_say(f"{_text('review', key=item['key'])}\n\n{TEXT_IS_DATA}"), _embedded(session, item)]


def _unblock(session: Session, toolsets: list[str], arguments: Mapping[str, str]) -> list[PromptMessage]:
    item = _found(session, arguments)
    waits = {name: item[name][:_SHOWN] for name in ("waits_for", "needed_by")}
    text = _text("unblock", key=item["key"], waits=json.dumps(waits, ensure_ascii=False))
    return [_say(f"{text}\n\n{TEXT_IS_DATA}"), _embedded(session, item)]


def _plan(session: Session, toolsets: list[str], arguments: Mapping[str, str]) -> list[PromptMessage]:
    # The goal is the user's own words: it may hold anything, also braces.
    format = next((name for name in ("chant", "vine", "tickets") if name in toolsets), "chant")
    return [_say(f"{_text(f'plan-{format}')}\n\nThe goal:\n\n{arguments['goal']}")]


def _standup(session: Session, toolsets: list[str], arguments: Mapping[str, str]) -> list[PromptMessage]:
    touched = session.workspace.touched(limit=_SHOWN).data
    rows = [{name: row[name] for name in ("key", "title", "status", "modified")} for row in touched["items"]]
    shown = json.dumps({"open": touched["total"], "touched_last": rows}, ensure_ascii=False)
    return [_say(f"{_text('standup')}\n\nOpen items, as data:\n\n{shown}\n\n{TEXT_IS_DATA}")]


def _prime(session: Session, toolsets: list[str], arguments: Mapping[str, str]) -> list[PromptMessage]:
    text = prime_text(session, session.environment)
    return [_say(text or "No plans are in this folder: nothing is at work and nothing is ready.")]


PROMPTS: dict[str, PromptEntry] = {
    "work": PromptEntry(
        title="Work on an item",
        description="Carry out a spec, a task of a plan, a task of a feature or a ticket, to its end.",
        write=_work,
        argument=_ITEM,
        changes=True,
    ),
    "plan": PromptEntry(
        title="Plan a goal",
        description="Turn a goal into items that can be worked on, with criteria and dependencies.",
        write=_plan,
        argument=PromptArgument(
            name="goal", title="Goal", description="What is to be reached, in your words", required=True
        ),
        changes=True,
    ),
    "review": PromptEntry(
        title="Review an item",
        description="Compare the criteria of an item with what was really changed.",
        write=_review,
        argument=_ITEM,
    ),
    "unblock": PromptEntry(
        title="Unblock an item",
        description="Find out why an item does not go on, and what would help.",
        write=_unblock,
        argument=_ITEM,
    ),
    "standup": PromptEntry(
        title="Standup",
        description="What changed since yesterday, what is being worked on, what waits for a person.",
        write=_standup,
    ),
    "prime": PromptEntry(
        title="Where things stand",
        description="What is worked on here, what waits for a person, what is ready, and with which tools.",
        write=_prime,
    ),
}
"""All prompts, in the order of menus."""
