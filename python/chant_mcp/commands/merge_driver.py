"""`merge-driver`: git runs it where both sides of a merge changed a spec file."""

from __future__ import annotations

import os
from pathlib import Path

import click

from chant_mcp._core import merge_specs
from chant_mcp.errors import ChantError
from chant_mcp.init import files
from chant_mcp.terminal import say

_CANNOT_RUN = 129
"""Git takes an exit code above 128 for a failure of the driver, any other but 0 for a conflict."""

_FILE = click.Path(path_type=Path)


def _name(context: click.Context, parameter: click.Parameter, value: str) -> str:
    """Give what a side is called; an older git leaves `%X` and `%Y` as they stand."""
    name = os.fsencode(value).decode(errors="replace")
    return str(parameter.name) if name in ("", "%X", "%Y") else name


@click.command("merge-driver", hidden=True)
@click.argument("base", type=_FILE)
@click.argument("our_file", metavar="OURS", type=_FILE)
@click.argument("their_file", metavar="THEIRS", type=_FILE)
@click.argument("path", required=False)
@click.option("--ours", callback=_name, default="ours", metavar="NAME", help="What our side is called.")
@click.option("--theirs", callback=_name, default="theirs", metavar="NAME", help="What the other is called.")
@click.option("--marker-size", type=click.IntRange(1), default=7, help="Length of conflict markers.")
@click.pass_context
def merge_driver(
    context: click.Context,
    base: Path,
    our_file: Path,
    their_file: Path,
    path: str | None,
    ours: str,
    theirs: str,
    marker_size: int,
) -> None:
    """Merge three versions of a spec by what they mean, into the file OURS.

    Git runs this for spec files once `init` has registered it. Exit code 1 leaves conflicts in OURS,
    between markers. PATH is what the file is called in messages.
    """
    try:
        before = our_file.read_bytes()
        after, conflicts = merge_specs(
            base.read_bytes(),
            before,
            their_file.read_bytes(),
            our_name=ours,
            their_name=theirs,
            marker_size=marker_size,
        )
        if after != before:
            files.write(our_file.parent, files.FileChange(our_file.name, before, after))
    except (OSError, RuntimeError, ChantError) as error:
        why = f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else error
        say(f"Cannot merge {path or our_file}: {why}", err=True)
        context.exit(_CANNOT_RUN)
    if conflicts:
        for sentence in conflicts:
            say(f"{path or our_file}: {sentence}", err=True)
        context.exit(1)
