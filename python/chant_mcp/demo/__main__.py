"""`python -m chant_mcp.demo`: the same as `chant-mcp demo`."""

from __future__ import annotations

from chant_mcp.cli import main

if __name__ == "__main__":
    main("demo")
