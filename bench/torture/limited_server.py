"""A server over HTTP whose limits of sessions a trial can reach; arguments: root, idle seconds, count."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import anyio
from chant_mcp.server.app import ChantServer
from chant_mcp.server.http.address import Address, listen, names
from chant_mcp.server.http.app import Service, SessionLimits
from chant_mcp.session import Place, Session
from chant_mcp.tool_calls import Offer

TOKEN = "a-token-of-the-limited-server"


def main() -> None:
    """Serve until a signal comes; the port is printed first."""
    root = Path(sys.argv[1])
    limits = SessionLimits(idle_seconds=float(sys.argv[2]), max_count=int(sys.argv[3]))
    listener = listen(Address(port=0))
    service = Service(
        listener,
        names(listener, "127.0.0.1", ()),
        TOKEN,
        lambda: print(listener.port, flush=True),  # noqa: T201
        lambda: None,
        limits=limits,
    )
    program = [sys.executable, "-m", "chant_mcp"]
    session = Session(Place(root, (root,)), environment=dict(os.environ), program=program)
    server = ChantServer(session, Offer(toolsets=["auto"]))
    anyio.run(server.serve_http, service)


if __name__ == "__main__":
    main()
