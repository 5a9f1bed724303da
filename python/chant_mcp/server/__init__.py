"""The MCP server; nothing outside this package talks to the SDK.

Importing the SDK builds some five hundred classes. Two settings during that import make a server
answer its first request about a hundred milliseconds sooner: pydantic builds a model's validator
when it is first used, and the garbage collector does not look at what will live for ever.
"""

from __future__ import annotations

import gc

import pydantic

gc.disable()
pydantic.BaseModel.model_config["defer_build"] = True
try:
    import mcp.server.mcpserver  # pyright: ignore[reportUnusedImport]  # noqa: F401
finally:
    pydantic.BaseModel.model_config.pop("defer_build", None)
    gc.enable()
    gc.freeze()
