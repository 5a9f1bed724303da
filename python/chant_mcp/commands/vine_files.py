"""Which task graph a command means, and how the first one is made."""

from __future__ import annotations

from pathlib import Path

import click

from chant_mcp._core import VineFiles
from chant_mcp.commands.answers import json_option
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json

_MOST_NAMED = 10

file_argument = click.argument("file", required=False)


def file_meant(session: Session, given: str | None) -> str:
    """Give the file that was named, or else the only one there is.

    Raises:
        click.UsageError: When there is none, or several.
    """
    if given is not None:
        return given
    found = VineFiles.found(session.place.root, most=_MOST_NAMED + 1)
    if len(found) == 1:
        return str(Path(session.place.root, found[0]))
    if not found:
        raise click.UsageError(
            "There is no .vine file in this project. `chant-mcp vine new plan.vine` makes the first one."
        )
    named = ", ".join(sorted(found)[:_MOST_NAMED]) + (", …" if len(found) > _MOST_NAMED else "")
    raise click.UsageError(f"Missing argument 'FILE'. There are several: {named}")


@click.command()
@click.argument("file")
@click.option("--id", "id", default="root", show_default=True, help="ID of its root task.")
@click.option("--title", metavar="TEXT", help="What it is about; else the file's name.")
@json_option
@on_project
@changes_files
def new(session: Session, file: str, id: str, title: str | None, as_json: bool) -> None:
    """Make a task graph that holds its root task; a file that is there is left as it is."""
    name = file if file.endswith(".vine") else f"{file}.vine"
    title = title or Path(name).stem.replace("-", " ").capitalize()
    task = {"op": "add_task", "id": id, "name": title}
    answer = session.vine.write(name, [{"op": "create"}, task])
    if as_json:
        say_json(answer.text)
        return
    say(f"Made {name} with the task {id}. Look at it with `chant-mcp vine show {name}`.")
