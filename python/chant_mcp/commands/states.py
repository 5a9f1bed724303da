"""`finalize`, `cancel`, `reset`, `archive` and `unarchive`: an item changes its state or its place."""

from __future__ import annotations

import click

from chant_mcp.api.plans import PlanItem
from chant_mcp.commands.answers import exit_code_1, json_option, say_message
from chant_mcp.commands.edits import edited, find_item, refused
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.commands.run_names import run_name, spec_name
from chant_mcp.errors import NotFoundError
from chant_mcp.formats import is_item_key
from chant_mcp.paging import written
from chant_mcp.session import Session, dialects_in
from chant_mcp.terminal import say, say_json


@click.command()
@click.argument("id")
@click.option("--force", is_flag=True, help="Complete it without commits.")
@click.option(
    "--already-done", is_flag=True, help="Its work was done before: tick what is open, and ask for no commit."
)
@json_option
@on_project
@changes_files
def finalize(session: Session, id: str, force: bool, already_done: bool, as_json: bool) -> None:
    """Complete a spec whose criteria are all ticked."""
    what = "is done when its own document says so"
    id = spec_name(session, id, what, "`chant-mcp tick` and `chant-mcp edit {key} --status` change that.")
    say_message(session.chant.finalize(id, force=force, already_done=already_done).text, as_json)


@click.command()
@click.argument("id")
@json_option
@on_project
@changes_files
def cancel(session: Session, id: str, as_json: bool) -> None:
    """Cancel a spec, or the work on another item, and stop its agent."""
    say_message(session.chant.cancel(run_name(session, id)).text, as_json)


@click.command()
@click.argument("id")
@json_option
@on_project
@changes_files
def reset(session: Session, id: str, as_json: bool) -> None:
    """Set a failed spec, or one in progress, back to pending; its work is stopped and kept in a backup."""
    say_message(session.chant.reset(run_name(session, id)).text, as_json)


@click.command()
@click.argument("id", required=False)
@click.option("--completed", is_flag=True, help="Move all that is done; what is refused stays.")
@json_option
@on_project
@changes_files
@exit_code_1("`--completed` is given and something that is done has to stay")
def archive(session: Session, id: str | None, completed: bool, as_json: bool) -> None:
    """Move what is done into the archive: an item, or all that are done and whose format has one."""
    if completed == (id is not None):
        raise click.UsageError("Give either an ID or --completed.")
    from chant_mcp.api.workspace import Workspace

    if id is not None:
        id = run_name(session, id)
        if (item := _placed_item(session, id)) is not None:
            edited(item.archive(), as_json, "Archived")
        else:
            say_message(session.chant.archive(id).text, as_json)
        return
    moved = Workspace(session).archive_completed()
    if as_json:
        say_json(written(moved))
    else:
        say("\n".join([row["text"] for row in moved["archived"]] or ["Nothing was archived."]))
        for row in moved["left"]:
            say(f"{row['id']} stays: {row['text']}")
    if moved["left"]:
        raise click.exceptions.Exit(1)


@click.command()
@click.argument("id")
@json_option
@on_project
@changes_files
def unarchive(session: Session, id: str, as_json: bool) -> None:
    """Move an archived item back among the active ones; a spec with its members."""
    from chant_mcp.api.workspace import Workspace

    try:
        id = run_name(session, id)
    except NotFoundError:
        # The end of an archived spec's ID is known to the archive alone.
        if "chant" not in dialects_in(session.place.root):
            raise
    if (item := _placed_item(session, id)) is not None:
        edited(item.unarchive(), as_json, "Unarchived")
    else:
        edited(Workspace(session).unarchive(id), as_json, "Unarchived")


def _placed_item(session: Session, name: str) -> PlanItem | None:
    """Find the item of another format that a name means, if its format has an archive; `None` for a spec.

    Raises:
        RefusedError: Its format has none.
    """
    if not is_item_key(name):
        return None
    item = find_item(session, name)
    if isinstance(item, PlanItem):
        return item
    raise refused(item, "has no archive", f"`chant-mcp open {item.key}` opens its file.")
