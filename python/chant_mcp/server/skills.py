"""The skills of this package over the protocol (`io.modelcontextprotocol/skills`), with hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cache
from typing import Any

from mcp import MCPError
from mcp.server.context import HandlerResult, ServerRequestContext
from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver.resources import TextResource
from mcp_types import INVALID_PARAMS, PaginatedRequestParams, RequestParams

from chant_mcp.resources import text
from chant_mcp.server.uris import MARKDOWN

EXTENSION_ID = "io.modelcontextprotocol/skills"

MODERN = "2026-07-28"
"""The revision that the extension is written for."""

_PREFIX = "skill://chant-mcp"

_TEXTS = {
    "skill://chant/SKILL.md": "host/SKILL.md",
    **{
        f"{_PREFIX}/{name}/SKILL.md": f"host/skills/{name}/SKILL.md"
        for name in ("work", "plan", "review", "verify")
    },
}
"""The text of each skill, by its URI; the first is listed among the resources, too, as before."""

_FRESH = {"ttlMs": 300_000, "cacheScope": "public"}
"""Texts of a release are the same for everyone, and stay."""

Entry = dict[str, Any]


class SkillParams(RequestParams):
    """Which skill is meant."""

    uri: str


class DirectoryParams(PaginatedRequestParams):
    """Which folder is meant."""

    uri: str


class Skills(Extension):
    """Lists the skills and their files; a file is read as any resource is."""

    identifier = EXTENSION_ID

    def settings(self) -> dict[str, Any]:
        """Say that folders can be read, too."""
        return {"directoryRead": True}

    def methods(self) -> Sequence[MethodBinding]:
        """Serve lists, entries and folders."""
        versions = frozenset({MODERN})
        return (
            MethodBinding("skills/list", PaginatedRequestParams, self._list, versions),
            MethodBinding("skills/get", SkillParams, self._get, versions),
            MethodBinding("resources/directory/read", DirectoryParams, self._read_directory, versions),
        )

    async def _list(
        self, ctx: ServerRequestContext[Any, Any], params: PaginatedRequestParams
    ) -> HandlerResult:
        if params.cursor is not None:
            raise MCPError(INVALID_PARAMS, "Unknown cursor: all skills are on one page")
        return {"resultType": "complete", "skills": [_entry(uri) for uri in _TEXTS], **_FRESH}

    async def _get(self, ctx: ServerRequestContext[Any, Any], params: SkillParams) -> HandlerResult:
        if params.uri not in _TEXTS:
            raise MCPError(INVALID_PARAMS, f"Unknown skill: {params.uri[:200]}")
        return {"resultType": "complete", "skill": _entry(params.uri), **_FRESH}

    async def _read_directory(
        self, ctx: ServerRequestContext[Any, Any], params: DirectoryParams
    ) -> HandlerResult:
        if f"{params.uri}/SKILL.md" in _TEXTS:
            children = [{"uri": f"{params.uri}/SKILL.md", "name": "SKILL.md", "mimeType": MARKDOWN}]
        elif params.uri == _PREFIX:
            folders = [uri.removesuffix("/SKILL.md") for uri in _TEXTS if uri.startswith(f"{_PREFIX}/")]
            children = [
                {"uri": uri, "name": uri.rpartition("/")[2], "mimeType": "inode/directory"} for uri in folders
            ]
        else:
            raise MCPError(INVALID_PARAMS, f"No folder of a skill: {params.uri[:200]}")
        return {"resultType": "complete", "resources": children}


def further_skills() -> list[TextResource]:
    """Give the skills that are read as resources and not listed among them: `skills/list` does that."""
    return [
        TextResource(
            uri=uri,
            name=_frontmatter(text(path))["name"],
            description=_frontmatter(text(path))["description"],
            mime_type=MARKDOWN,
            text=text(path),
        )
        for uri, path in _TEXTS.items()
        if is_further_skill(uri)
    ]


def is_further_skill(uri: str) -> bool:
    """Whether a URI is one of those that `further_skills` gives."""
    return uri.startswith(f"{_PREFIX}/")


@cache
def _entry(uri: str) -> Entry:
    content = text(_TEXTS[uri])
    raw = content.encode()
    digest = f"sha256:{hashlib.sha256(raw).hexdigest()}"
    return {
        "uri": uri,
        "frontmatter": _frontmatter(content),
        "resources": [{"uri": uri, "digest": digest, "size": len(raw)}],
    }


def _frontmatter(content: str) -> dict[str, str]:
    """Read the front matter of a text of ours: plain values, a line each."""
    lines = content.split("---\n", 2)[1].splitlines()
    return {key: value for key, _, value in (line.partition(": ") for line in lines)}
