"""Completion of arguments of templates and prompts: by IDs and titles, what can be worked on first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mcp import MCPError
from mcp_types import INVALID_PARAMS, CompleteRequestParams, Completion, PromptReference

from chant_mcp.formats import plan_formats_in
from chant_mcp.server.prompts import PROMPTS
from chant_mcp.server.uris import template_named
from chant_mcp.session import Session
from chant_mcp.toolsets.speckit import ARTIFACTS

MOST = 100
"""Values of one answer (the protocol allows no more)."""

Values = tuple[list[str], int]
"""Values, and how many there are in all."""


def completion_of(session: Session, params: CompleteRequestParams) -> Completion:
    """Complete an argument.

    Raises:
        MCPError: Where there is no such prompt or template.
        ChantError: Where the project cannot be read.
    """
    name, text = params.argument.name, params.argument.value
    given = (params.context.arguments if params.context else None) or {}
    if isinstance(params.ref, PromptReference):
        if params.ref.name not in PROMPTS:
            raise MCPError(INVALID_PARAMS, f"Unknown prompt: {params.ref.name}")
        values, total = _any_item(session, text, given) if name == "id" else ([], 0)
    else:
        template = template_named(params.ref.uri)
        if template is None:
            raise MCPError(INVALID_PARAMS, f"Unknown resource template: {params.ref.uri}")
        complete = _ARGUMENTS.get((template.toolset, name), _nothing)
        values, total = complete(session, text, given)
    return Completion(values=values[:MOST], total=total, has_more=total > min(len(values), MOST))


def _nothing(session: Session, text: str, given: Mapping[str, str]) -> Values:
    return [], 0


def _ids(found: dict[str, Any]) -> Values:
    return [row["id"] for row in found["items"]], found["total"]


def _any_item(session: Session, text: str, given: Mapping[str, str]) -> Values:
    found = session.workspace.mention(text, limit=MOST).data
    values = [row["id"] if row["dialect"] == "chant" else row["key"] for row in found["items"]]
    return values, found["total"]


def _spec(session: Session, text: str, given: Mapping[str, str]) -> Values:
    return _ids(session.workspace.mention(text, dialect="chant", limit=MOST).data)


def _plan(session: Session, text: str, given: Mapping[str, str]) -> Values:
    return _ids(session.workspace.mention_plans(text, limit=MOST).data)


def _task(session: Session, text: str, given: Mapping[str, str]) -> Values:
    path = given.get("path")
    return _ids(session.workspace.mention(text, dialect="vine", path=path, limit=MOST).data)


def _feature(session: Session, text: str, given: Mapping[str, str]) -> Values:
    features = session.speckit.features().data
    names = [(one["spec_dir"].rpartition("/")[2], one["progress"]) for one in features]
    wanted = [(name, progress) for name, progress in names if _fits(text, name)]
    wanted.sort(key=lambda one: _is_done(one[1]))
    return [name for name, _ in wanted], len(wanted)


def _is_done(progress: dict[str, Any] | None) -> bool:
    return progress is not None and progress["done"] > 0 and not progress["open"] and not progress["partial"]


def _document(session: Session, text: str, given: Mapping[str, str]) -> Values:
    there = session.speckit.context(given["name"]).data["artifacts"] if "name" in given else ARTIFACTS
    wanted = [document for document in there if _fits(text, document)]
    return wanted, len(wanted)


def _project(session: Session, text: str, given: Mapping[str, str]) -> Values:
    projects = session.enclosed.tickets.list_projects().data["projects"]
    codes = [one["project"]["code"] for one in projects]
    names = [one["project"]["name"] for one in projects]
    wanted = [code for code, name in zip(codes, names, strict=True) if _fits(text, f"{code}\n{name}")]
    return wanted, len(wanted)


def _ticket(session: Session, text: str, given: Mapping[str, str]) -> Values:
    return _ids(session.workspace.mention(text, dialect="tickets", limit=MOST).data)


def _format(session: Session, text: str, given: Mapping[str, str]) -> Values:
    wanted = [word for word in plan_formats_in(Path(session.place.root)) if _fits(text, word)]
    return wanted, len(wanted)


def _plan_item(session: Session, text: str, given: Mapping[str, str]) -> Values:
    return _ids(session.workspace.mention(text, dialect=given.get("format"), limit=MOST).data)


def _fits(text: str, name: str) -> bool:
    name = name.lower()
    return all(word in name for word in text.lower().split())


_ARGUMENTS: dict[tuple[str, str], Callable[[Session, str, Mapping[str, str]], Values]] = {
    ("chant", "id"): _spec,
    ("vine", "path"): _plan,
    ("vine", "id"): _task,
    ("speckit", "name"): _feature,
    ("speckit", "document"): _document,
    ("tickets", "project"): _project,
    ("tickets", "id"): _ticket,
    ("items", "format"): _format,
    ("items", "path"): _plan_item,
}
"""By toolset and argument what completes it."""
