"""`export`: items of whatever dialect for other programs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from chant_mcp import progress
from chant_mcp.commands.surroundings import on_project
from chant_mcp.commands.workspace import ItemFilters, filters
from chant_mcp.session import Session
from chant_mcp.terminal import harmless, harmless_json, say


@click.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "csv", "markdown"]),
    default="json",
    show_default=True,
    help="A list of objects; RFC 4180, lists joined by `; `; or a table.",
)
@click.option(
    "--fields",
    metavar="NAMES",
    default="",
    help="Fields by name, separated by commas: key, dialect, id, title, status, done, ready, type, "
    "priority, assignee, labels, depends_on, waits_for, path, body. All but body unless given.",
)
@filters
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file, whole or not at all, instead of printing.",
)
@click.option("--force", is_flag=True, help="Replace the file if it is there already.")
@on_project
def export(
    session: Session,
    form: str,
    fields: str,
    statuses: tuple[str, ...],
    labels: tuple[str, ...],
    dialects: tuple[str, ...],
    ready: bool,
    output: Path | None,
    force: bool,
) -> None:
    """Write specs, tasks and tickets out as JSON, CSV or Markdown, one after the other."""
    names = [name for part in fields.split(",") if (name := part.strip())]
    if output is None and sys.stdout.isatty():
        progress.report_nowhere()  # what is written stands on the same lines
    wanted = ItemFilters(statuses, labels, dialects, ready)
    found = session.workspace.export(form, fields=names, **wanted.words())
    if output is None:
        is_shown = sys.stdout.isatty()
        for piece in found:
            text = harmless_json(piece) if form == "json" else harmless(piece) if is_shown else piece
            # Bytes keep their line ends, which belong to the format.
            click.echo(text.encode(), nl=False)
        return
    count = found.save(output, force=force)
    say(f"{count} {'item' if count == 1 else 'items'} written to {output}.", err=True)
