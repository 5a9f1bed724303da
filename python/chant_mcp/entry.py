"""The program `chant-mcp`. What a shell asks while a command is typed is answered without the commands."""

from __future__ import annotations

from chant_mcp.safe_path import leave_out_working_folder

leave_out_working_folder(is_module=False)

import os
import sys


def main() -> None:
    """Run what the arguments name."""
    if sys.argv[1:2] == ["complete-words"]:
        from chant_mcp.completion import print_words

        print_words(sys.argv[2:], os.environ)
        return
    if sys.argv[1:2] == ["prime"] and not {"-h", "--help"} & set(sys.argv):
        # A hook of a host waits for it, and takes no error for an answer.
        from chant_mcp.prime import print_prime

        print_prime(sys.argv[2:], os.environ)
    from chant_mcp import cli

    cli.main()
