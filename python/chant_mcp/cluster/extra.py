"""The extra `cluster`: asked for before something of it is imported."""

from __future__ import annotations

from importlib.util import find_spec

from chant_mcp.errors import RefusedError

_NEEDED = ("distributed", "cryptography")


def require_cluster_extra() -> None:
    """Refuse to go on where the packages of the extra are not installed.

    Raises:
        RefusedError: One of them is not there; the message says what to install.
    """
    if any(find_spec(name) is None for name in _NEEDED):
        raise RefusedError("This needs the extra \"cluster\": pip install 'chant_mcp[cluster]'")
