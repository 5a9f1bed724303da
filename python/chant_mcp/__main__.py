"""`python -P -m chant_mcp`: the same program as `chant-mcp`, and what runs start in the background.

Without `-P` Python takes a folder `chant_mcp` of the working folder for this one. No file of ours can see to
that, so that form is neither written nor shown anywhere.
"""

from __future__ import annotations

from chant_mcp.safe_path import leave_out_working_folder

leave_out_working_folder(is_module=True)

import os
import sys

from chant_mcp import background
from chant_mcp.process_setup import inherit_nothing


def main() -> None:
    """Run what the arguments name."""
    inherit_nothing()
    background.enter(sys.argv[1:], dict(os.environ))
    from chant_mcp.entry import read_or_run

    read_or_run()


if __name__ == "__main__":
    main()
