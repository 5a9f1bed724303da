"""The folders that a client works in, asked for when nothing else says which project is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mcp.server.mcpserver import Context
from mcp_types import InputRequiredResult, ListRootsRequest, ListRootsResult, Result
from pydantic import BaseModel

from chant_mcp.server.asking import ask, is_live

_QUESTION = "roots"
"""Under which the question and its answer travel in the modern era."""

_TIMEOUT = 5.0
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
    is_told_live = is_live(context)
    if not is_told_live and _QUESTION not in (context.input_responses or {_QUESTION: None}):
        return []
    kind = _Roots if is_told_live else ListRootsResult
    answer = await ask(context, _QUESTION, ListRootsRequest(), kind, _TIMEOUT)
    if answer is None or isinstance(answer, InputRequiredResult):
        return answer or []
    return _folders([str(root.uri) for root in answer.roots])


def asked_along(context: Context[Any, Any], question: InputRequiredResult) -> InputRequiredResult:
    """Ask for the roots once more where the client sent them with this call.

    It brings the answers to the last questions alone, and over HTTP no one remembers it without a session.
    """
    if question.input_requests is None or _QUESTION not in (context.input_responses or {}):
        return question
    requests = {**question.input_requests, _QUESTION: ListRootsRequest()}
    return question.model_copy(update={"input_requests": requests})


def folders_only(answers: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out of a client's answers the roots that are no folders: the SDK would refuse the whole call."""
    answer = answers.get(_QUESTION)
    roots = cast(dict[str, Any], answer).get("roots") if isinstance(answer, dict) else None
    if not isinstance(roots, list):
        return dict(answers)
    folders = [root for root in cast(list[Any], roots) if _is_folder(root)]
    return {**answers, _QUESTION: {**cast(dict[str, Any], answer), "roots": folders}}


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
