"""The program `chant-mcp`. What needs no command is answered without importing them."""

from __future__ import annotations

from chant_mcp.safe_path import leave_out_working_folder

leave_out_working_folder(is_module=False)

import gc
import os
import sys

from chant_mcp.process_setup import inherit_nothing, prepare_process


def main() -> None:
    """Run what the arguments name."""
    inherit_nothing()
    if sys.argv[1:2] == ["complete-words"]:
        from chant_mcp.completion import print_words

        print_words(sys.argv[2:], os.environ)
        return
    if sys.argv[1:] == ["--version"]:
        from chant_mcp._core import VERSION

        sys.stdout.write(f"chant-mcp, version {VERSION}\n")
        return
    if sys.argv[1:2] == ["prime"] and not {"-h", "--help"} & set(sys.argv):
        # A hook of a host waits for it, and takes no error for an answer.
        from chant_mcp.prime import print_prime

        print_prime(sys.argv[2:], os.environ)
    read_or_run()


def read_or_run() -> None:
    """Run a command; one that only reads, without what it does not need."""
    prepare_process(os.environ)
    # What is imported stays: neither now nor at the end is it worth a look for garbage.
    gc.disable()
    from chant_mcp.reading_commands import read

    if (code := read(sys.argv[1:], os.environ)) is not None:
        # All that was printed is flushed.
        os._exit(code)
    gc.enable()
    from chant_mcp.cli import program

    program()
