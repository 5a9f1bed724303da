"""`finalize`, `cancel`, `reset` and `archive`: a spec changes its state."""

from __future__ import annotations

import click

from chant_mcp.commands.surroundings import changes_files, on_project
from chant_mcp.session import Session
from chant_mcp.terminal import say


@click.command()
@click.argument("id")
@click.option("--force", is_flag=True, help="Complete it without commits.")
@click.option(
    "--already-done",
    is_flag=True,
    help="Its work was done before: tick what is open, and ask for no commit.",
)
@on_project
@changes_files
def finalize(session: Session, id: str, force: bool, already_done: bool) -> None:
    """Complete a spec whose criteria are all ticked."""
    _say(session.chant.finalize(id, force=force, already_done=already_done).text)


@click.command()
@click.argument("id")
@on_project
@changes_files
def cancel(session: Session, id: str) -> None:
    """Cancel a spec and stop the work on it."""
    _say(session.chant.cancel(id).text)


@click.command()
@click.argument("id")
@on_project
@changes_files
def reset(session: Session, id: str) -> None:
    """Make a failed spec, or one in progress, pending again; work on it is stopped and kept aside."""
    _say(session.chant.reset(id).text)


@click.command()
@click.argument("id")
@on_project
@changes_files
def archive(session: Session, id: str) -> None:
    """Move a completed spec into the archive."""
    _say(session.chant.archive(id).text)


def _say(text: str) -> None:
    say(text)
