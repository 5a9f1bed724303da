"""`python -P -m chant_mcp.demo`: the same as `chant-mcp demo`."""

from __future__ import annotations

from chant_mcp.safe_path import leave_out_working_folder

leave_out_working_folder(is_module=True)

from chant_mcp.cli import main

if __name__ == "__main__":
    main("demo")
