"""What documents say when they are read as resources, and which are listed."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote

from mcp import MCPError
from mcp_types import INVALID_PARAMS, Annotations, Resource, ResourceTemplate

from chant_mcp.formats import toolset_of_format
from chant_mcp.server.uris import MARKDOWN, TEMPLATES, TEXT_IS_DATA, DocumentName, uri_of
from chant_mcp.session import Session, dialects_in
from chant_mcp.tool_calls import shown

PAGE = 100
"""Documents of a page of the listing."""

_MOST_TEXT = 400_000
"""Characters of a document that are given."""

_LOG_LINES = 1_000

META = {"chant-mcp/note": TEXT_IS_DATA}
"""What stands beside the text of every document."""


def templates(toolsets: list[str]) -> list[ResourceTemplate]:
    """List the templates of toolsets."""
    return [
        ResourceTemplate(
            uri_template=template.uri,
            name=template.name,
            title=template.title,
            description=template.description,
            mime_type=template.mime_type,
        )
        for template in TEMPLATES
        if template.toolset in toolsets
    ]


def page_of(session: Session, toolsets: list[str], offset: int) -> tuple[list[Resource], int | None]:
    """List open items, those whose files were changed last first.

    Returns:
        The items of a page that belong to the toolsets, and where the next page begins, if there is one.
    """
    if not dialects_in(session.place.root):  # a home folder, say, which is not to be searched for items
        return [], None
    found = session.workspace.touched(limit=PAGE, offset=offset).data
    rows = [_listed(row) for row in found["items"] if toolset_of_format(row["dialect"]) in toolsets]
    return rows, found.get("next_offset")


def _listed(row: dict[str, Any]) -> Resource:
    uri = uri_of(row["key"])
    is_feature = row["dialect"] == "speckit"
    feature = row["key"].partition(":")[2].partition("#")[0]
    modified = row["modified"]
    return Resource(
        uri=uri,
        name=feature if is_feature else row["key"].partition(":")[2],
        title=shown((feature if is_feature else row["title"]) or row["id"], 300),
        description="open" if is_feature else row["status"],
        mime_type=MARKDOWN,
        annotations=None if modified is None else Annotations(last_modified=_moment(modified)),
    )


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def cursor_at(offset: int) -> str:
    """Write down where a page begins."""
    return base64.urlsafe_b64encode(f"items:{offset}".encode()).decode()


def offset_at(cursor: str | None) -> int:
    """Say where the page of a cursor begins.

    Raises:
        MCPError: For a cursor that is none of ours.
    """
    if cursor is None:
        return 0
    try:
        word, _, offset = base64.urlsafe_b64decode(cursor.encode()).decode().partition(":")
        if word == "items" and offset.isascii() and offset.isdigit() and len(offset) < 10:
            return int(offset)
    except (ValueError, binascii.Error):
        pass
    raise MCPError(INVALID_PARAMS, "Unknown cursor: list the resources again without one")


def text_of(session: Session, document: DocumentName) -> str:
    """Read a document, in the words of the tool that reads the same.

    Raises:
        ChantError: As that tool.
    """
    text = _READERS[document.template.name](session, document.values)
    if len(text) > _MOST_TEXT:
        rest = f"{document.template.tool} reads the rest."
        text = f"{text[:_MOST_TEXT]}\n\n[Cut after {_MOST_TEXT} of {len(text)} characters; {rest}]"
    return shown(text, len(text))


def _spec(session: Session, values: dict[str, str]) -> str:
    return session.chant.document(values["id"]).text


def _log(session: Session, values: dict[str, str]) -> str:
    return session.chant.log(values["id"], lines=_LOG_LINES).data["content"]


def _plan(session: Session, values: dict[str, str]) -> str:
    return session.enclosed.vine.text(values["path"]).text


def _task(session: Session, values: dict[str, str]) -> str:
    if "id" not in values:
        raise MCPError(INVALID_PARAMS, "The URI names no task. Expected vine://task/PATH?id=ID")
    return session.enclosed.vine.text(values["path"], values["id"]).text


def _feature(session: Session, values: dict[str, str]) -> str:
    name = values["name"]
    context = session.speckit.context(name).data
    uri = uri_of(f"speckit:{name}")
    links = [f"- [{document}]({uri}/{document})" for document in context["artifacts"]]
    parts = [f"# {name}", f"Phase: {context['phase']}", "\n".join(links)]
    if "spec" in context["artifacts"]:
        parts.append(session.speckit.document("spec", feature=name).text)
    return "\n\n".join(filter(None, parts)).rstrip() + "\n"


def _feature_document(session: Session, values: dict[str, str]) -> str:
    return session.speckit.document(values["document"], feature=values["name"]).text


def _ticket(session: Session, values: dict[str, str]) -> str:
    return session.enclosed.tickets.document(values["project"], values["id"]).text


def _plan_document(session: Session, values: dict[str, str]) -> str:
    format, path = values["format"], values["path"]
    if "/" in path:
        return session.workspace.plan_document(format, path).text
    item = session.workspace.item_get(f"{format}:{path}").data
    uri = f"plan://{format}"
    links = [f"- [{document}]({uri}/{quote(document)})" for document in item["documents"]]
    parts = [f"# {item['title']}", f"Status: {item['status']}", "\n".join(links), item["body"]]
    return "\n\n".join(filter(None, parts)).rstrip() + "\n"


_READERS: dict[str, Callable[[Session, dict[str, str]], str]] = {
    "spec": _spec,
    "log": _log,
    "plan": _plan,
    "task": _task,
    "feature": _feature,
    "feature-document": _feature_document,
    "ticket": _ticket,
    "plan-document": _plan_document,
}
"""By the name of a template what reads its documents."""
