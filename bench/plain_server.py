"""The yardstick: tools that do nothing, in a plain server on the SDK's own stdio transport."""

from __future__ import annotations

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
    server.run("stdio")
