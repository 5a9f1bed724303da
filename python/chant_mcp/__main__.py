"""`python -m chant_mcp`: the same program as `chant-mcp`."""

from __future__ import annotations

from chant_mcp.cli import main

if __name__ == "__main__":
    main()
