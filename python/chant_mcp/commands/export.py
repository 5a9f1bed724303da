"""`export`: items of whatever dialect for other programs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from chant_mcp import progress
from chant_mcp.commands.item_answers import ItemFilters
from chant_mcp.commands.project_options import on_project
from chant_mcp.commands.workspace import filters
from chant_mcp.session import Session
from chant_mcp.terminal import harmless, harmless_json, say

_OWN_FORMATS = ("json", "csv", "markdown")


@click.command()
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    default="json",
    show_default=True,
    help="json, a list of objects; csv, RFC 4180, lists joined by `; `; markdown, a table; or the name of an "
    "exporter, which a plugin has.",
)
@click.option(
    "--fields",
    metavar="NAMES",
    default="",
    help="Fields by name, separated by commas: key, dialect, id, title, status, done, ready, type, "
    "priority, assignee, labels, depends_on, waits_for, path, target_files, context, prompt, model, commits, "
    "completed_at, body; or `all`. All but body unless given.",
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
    if form not in _OWN_FORMATS:
        if names:
            raise click.UsageError("--fields is for json, csv and markdown; an exporter gets all columns.")
        _export_by_plugin(session, form, wanted.words(), output, force)
        return
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


def _export_by_plugin(
    session: Session, name: str, wanted: dict[str, Any], output: Path | None, force: bool
) -> None:
    from chant_mcp.plugins.formats import export_by_plugin, exporter_names, save_text
    from chant_mcp.plugins.plugin_process import PluginFailure

    known = exporter_names()
    if name not in known:
        formats = ", ".join([*_OWN_FORMATS, *known])
        raise click.UsageError(f"There is no format `{name}`. Formats are: {formats}.")
    try:
        text = export_by_plugin(session, name, wanted)
        if output is not None:
            save_text(text, output, force=force)
    except PluginFailure as failure:
        raise click.ClickException(str(failure)) from failure
    if output is None:
        click.echo((harmless(text) if sys.stdout.isatty() else text).encode(), nl=False)
    else:
        say(f"Written to {output}.", err=True)
