"""The folders that a client works in, asked for when nothing else says which project is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import url2pathname

import anyio
from mcp import MCPError
from mcp.server.mcpserver import Context
from mcp_types import InputRequiredResult, ListRootsRequest, ListRootsResult, Result
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import BaseModel, ValidationError

_QUESTION = "roots"
"""Under which the question and its answer travel in the modern era."""

_PATIENCE = 5.0
"""Seconds that a client is given to answer."""


async def roots_of(context: Context[Any, Any]) -> list[Path] | InputRequiredResult:
    """Ask the client for its roots.

    Returns:
        The roots, none of a client that has or tells none; or the question, to be returned in place of
        an answer: in the modern era the client calls again and brings the roots along.
    """
    capabilities = context.client_capabilities
    if capabilities is None or capabilities.roots is None:
        return []
    if context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS:
        answer = await _asked(context)
    else:
        answers = context.input_responses
        if answers is None:
            return InputRequiredResult(input_requests={_QUESTION: ListRootsRequest()})
        answer = answers.get(_QUESTION)
    if isinstance(answer, ListRootsResult):
        return _folders([str(root.uri) for root in answer.roots])
    return _folders([root.uri for root in answer.roots]) if isinstance(answer, _Roots) else []


def folders_only(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out of a client's answers the roots that are no folders: the SDK would refuse the whole call."""
    told = answers.get(_QUESTION)
    roots = cast(dict[str, Any], told).get("roots") if isinstance(told, dict) else None
    if not isinstance(roots, list):
        return dict(answers)
    folders = [root for root in cast(list[Any], roots) if _is_folder(root)]
    return {**answers, _QUESTION: {**cast(dict[str, Any], told), "roots": folders}}


def _is_folder(root: Any) -> bool:
    uri = cast(dict[str, Any], root).get("uri") if isinstance(root, dict) else None
    return isinstance(uri, str) and _folder(uri) is not None


class _Root(BaseModel):
    uri: str


class _Roots(Result):
    """Roots of any scheme: one that is no folder says nothing against the others."""

    roots: list[_Root]


def _folders(uris: Sequence[str]) -> list[Path]:
    return [folder for uri in uris if (folder := _folder(uri)) is not None]


def _folder(uri: str) -> Path | None:
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path = Path(url2pathname(parts.path))
    return path if parts.scheme == "file" and path.is_absolute() and "\0" not in str(path) else None


async def _asked(context: Context[Any, Any]) -> _Roots | None:
    with anyio.move_on_after(_PATIENCE):
        try:
            return await context.session.send_request(ListRootsRequest(), _Roots)
        except (MCPError, ValidationError):
            pass  # who announces roots and does not tell them has none
    return None
