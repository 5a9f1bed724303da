"""`python -m chant_mcp`: the same program as `chant-mcp`, and what runs start in the background."""

from __future__ import annotations

import os
import sys

from chant_mcp import background


def main() -> None:
    """Run what the arguments name."""
    background.enter(sys.argv[1:], dict(os.environ))
    from chant_mcp import cli

    cli.main()


if __name__ == "__main__":
    main()
