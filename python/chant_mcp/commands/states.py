"""`finalize`, `cancel`, `reset` and `archive`: a spec changes its state."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import exit_code_1, json_option, say_message
from chant_mcp.commands.surroundings import changes_files, on_project
from chant_mcp.paging import written
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json


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
    """Set a failed spec, or one in progress, back to pending; its work is stopped and kept in a backup."""
    say_message(session.chant.reset(id).text, as_json)


@click.command()
@click.argument("id", required=False)
@click.option("--completed", is_flag=True, help="Move all completed specs; those that are refused stay.")
@json_option
@on_project
@changes_files
@exit_code_1("`--completed` is given and a completed spec has to stay")
def archive(session: Session, id: str | None, completed: bool, as_json: bool) -> None:
    """Move a completed spec into the archive, or all of them."""
    if completed == (id is not None):
        raise click.UsageError("Give either an ID or --completed.")
    if id is not None:
        say_message(session.chant.archive(id).text, as_json)
        return
    from chant_mcp.api.workspace import Workspace

    moved = Workspace(session).archive_completed()
    if as_json:
        say_json(written(moved))
    else:
        say("\n".join([row["text"] for row in moved["archived"]] or ["No spec was archived."]))
        for row in moved["left"]:
            say(f"{row['id']} stays: {row['text']}")
    if moved["left"]:
        raise click.exceptions.Exit(1)
