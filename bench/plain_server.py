"""The yardstick: tools that do nothing, in a plain server on the SDK's own transports."""

from __future__ import annotations

import logging
import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("plain")


@server.tool()
def noop() -> str:
    """Do nothing."""
    return "ok"


@server.tool()
async def noop_on_loop() -> str:
    """Do nothing, without the hop to a worker thread that a plain function costs."""
    return "ok"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--http"]:
        logging.basicConfig(level=logging.WARNING)
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run("stdio")
