"""The ready-made notifier `webhook`: changes as JSON to an address of the user's."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

_SECONDS = 10.0
"""Seconds that the address may take for each step of a connection."""


def notify_webhook(changes: Sequence[Mapping[str, Any]], options: Mapping[str, str]) -> None:
    """Post `{"changes": [...]}` to the address under `url` of the options.

    Raises:
        ValueError: There is no `url`, or it begins with neither `http://` nor `https://`.
        OSError: The address does not answer, or with another code than one of success.
    """
    url = options.get("url", "")
    if not url.startswith(("http://", "https://")):
        raise ValueError("`plugins.notifiers.webhook.url` has to begin with http:// or https://")
    body = json.dumps({"changes": list(changes)}, ensure_ascii=False).encode()
    headers = {"Content-Type": "application/json", "User-Agent": "chant-mcp"}
    request = urllib.request.Request(url, data=body, headers=headers, method="POST")
    # Changes are for this address alone; another one that it names gets none.
    with urllib.request.build_opener(_NoRedirect).open(request, timeout=_SECONDS):
        pass


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        return None
