"""Servers over HTTP that run in a project, and their figures, which each tells who has its token."""

from __future__ import annotations

import http.client
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from chant_mcp.init.discovery import running_records

_TIMEOUT = 2.0
"""Seconds in which a server has to answer."""

_MAX_BYTES = 64 * 1024

Figures = dict[str, Any]


def read_figures(folder: Path, root: Path) -> list[Figures]:
    """Ask the servers of a project that this user started.

    Args:
        folder: Where the user's servers have their records; one that others may write is not believed.
        root: The project.

    Returns:
        For each its address and its figures, or why there are none.
    """
    try:
        records = running_records(folder, root) if _is_private(folder) else []
    except OSError:
        return []
    return [_asked(record.url, record.token) for record in records if record.token]


def _is_private(folder: Path) -> bool:
    try:
        status = folder.stat()
    except OSError:
        return False
    return os.name != "posix" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _asked(url: str, token: str) -> Figures:
    address = urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname or "", address.port, timeout=_TIMEOUT)
    try:
        connection.request("GET", "/figures", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        text = answer.read(_MAX_BYTES)
        if answer.status != 200:
            return {"url": url, "problem": f"it answers with status {answer.status}"}
        return {"url": url, **json.loads(text)}
    except (OSError, ValueError, http.client.HTTPException) as error:
        return {"url": url, "problem": f"it does not answer: {error}"}
    finally:
        connection.close()
