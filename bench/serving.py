"""A server of ours over HTTP, as long as it is asked."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from bench.wire import OURS


@contextmanager
def served_over_http(root: Path, *options: str) -> Generator[str]:
    """Serve a project on a free port, to everybody on this machine.

    Args:
        root: The project.
        options: Further options of `serve`.

    Returns:
        The address.

    Raises:
        RuntimeError: When the server does not start.
    """
    words = ("serve", "--http", "127.0.0.1:0", "--no-auth", *options)
    server = subprocess.Popen([*OURS, *words], cwd=root, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        said = ""
        for line in server.stderr:
            said += line
            if found := re.search(r"at (http://\S+/mcp)", line):
                yield found[1]
                return
        raise RuntimeError(f"The server did not start. It said:\n{said}")
    finally:
        server.terminate()
        server.communicate()
