"""Our own program, as other processes start it."""

from __future__ import annotations

import sys

_MAIN = "import sys; sys.path[:] = filter(None, sys.path); from chant_mcp.cli import main; main()"


def own_program(interpreter: str) -> tuple[str, ...]:
    """Give our own program as it is started in folders of others: nothing that lies there is a part of it."""
    has_option = sys.version_info >= (3, 11)
    return (interpreter, "-P", "-m", "chant_mcp") if has_option else (interpreter, "-c", _MAIN)
