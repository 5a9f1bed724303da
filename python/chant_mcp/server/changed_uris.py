"""The resources that a change of an item is a change of."""

from __future__ import annotations

from chant_mcp.server.uris import uri_of


def uris_of(key: str) -> tuple[str, ...]:
    """Give the URIs of the documents that show an item.

    Args:
        key: The key of the item in the workspace.
    """
    uri = uri_of(key)
    if key.startswith("vine:"):
        return uri_of(key.rpartition("#")[0]), uri
    if key.startswith("speckit:"):
        return uri, f"{uri}/tasks"
    return (uri,)
