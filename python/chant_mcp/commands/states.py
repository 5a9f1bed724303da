"""`finalize`, `cancel`, `reset` and `archive`: a spec changes its state."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import json_option, say_message
from chant_mcp.commands.surroundings import changes_files, on_project
from chant_mcp.session import Session


@click.command()
@click.argument("id")
@click.option("--force", is_flag=True, help="Complete it without commits.")
@click.option(
    "--already-done",
    is_flag=True,
    help="Its work was done before: tick what is open, and ask for no commit.",
)
@json_option
@on_project
@changes_files
def finalize(session: Session, id: str, force: bool, already_done: bool, as_json: bool) -> None:
    """Complete a spec whose criteria are all ticked."""
    say_message(session.chant.finalize(id, force=force, already_done=already_done).text, as_json)


@click.command()
@click.argument("id")
@json_option
@on_project
@changes_files
def cancel(session: Session, id: str, as_json: bool) -> None:
    """Cancel a spec and stop the work on it."""
    say_message(session.chant.cancel(id).text, as_json)


@click.command()
@click.argument("id")
@json_option
@on_project
@changes_files
def reset(session: Session, id: str, as_json: bool) -> None:
    """Make a failed spec, or one in progress, pending again; work on it is stopped and kept aside."""
    say_message(session.chant.reset(id).text, as_json)


@click.command()
@click.argument("id")
@json_option
@on_project
@changes_files
def archive(session: Session, id: str, as_json: bool) -> None:
    """Move a completed spec into the archive."""
    say_message(session.chant.archive(id).text, as_json)
