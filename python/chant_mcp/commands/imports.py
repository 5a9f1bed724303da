"""`import`: work of other places becomes specs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from chant_mcp._core import Answer
from chant_mcp.commands.answers import exit_code_1, json_option
from chant_mcp.commands.project_options import on_project, refuse_read_only
from chant_mcp.formats import formats
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import say_json

_OWN_FORMATS = (
    "chant",
    "vine",
    "beads",
    *(row["word"] for row in formats() if not row["own_tools"]),
    "csv",
    "json",
    "taskmaster",
    "taskwarrior",
    "github",
)


def _mapped(context: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Give the statuses by the words of the source."""
    pairs = [value.rpartition("=") for value in values]
    for (word, _, status), value in zip(pairs, values, strict=True):
        if not (word.strip() and status.strip()):
            raise click.BadParameter(f"{value!r} is not of the form WORD=STATUS.")
    return {word.strip(): status.strip() for word, _, status in pairs}


@click.command("import")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--from",
    "source",
    metavar="FORMAT",
    help=f"What it is: {', '.join(_OWN_FORMATS)} or the importer of a plugin; else what it looks like.",
)
@click.option("--dry-run", is_flag=True, help="Show what would become a spec; write nothing.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    metavar="WORD=STATUS",
    callback=_mapped,
    help='The status for a word of the source, such as "Shipped=completed"; repeatable.',
)
@click.option("--update", is_flag=True, help="Import later changes of the source; your edits stay.")
@click.option("--strict", is_flag=True, help="Write nothing if anything would be lost, or conflicts.")
@json_option
@on_project
@click.pass_context
@exit_code_1("`--strict` is given and something would be lost, or was changed here and there")
def import_specs(
    context: click.Context,
    session: Session,
    path: Path,
    source: str | None,
    dry_run: bool,
    statuses: dict[str, str],
    update: bool,
    strict: bool,
    as_json: bool,
) -> None:
    """Import the items of another program or project as specs.

    PATH is a project with .chant/specs, a .vine file, a folder with .beads/issues.jsonl, .taskmaster or plans
    of a format that --from names, a CSV or JSON that `export` wrote, the JSON of `task export` or of
    `gh issue list --json`, or one of these files and folders itself. All of it becomes specs or none. What
    was imported before stays as it is, but for --update. What has no counterpart in specs is reported.
    """
    if not dry_run:
        refuse_read_only(context)
    importing = partial(_import, session, source, path, statuses, update)
    answer = importing(dry_run or strict)
    is_lossy = bool(answer.data["unmapped"] or answer.data["conflicts"])
    if strict and not (is_lossy or dry_run):
        answer = importing(False)
    if as_json:
        say_json(answer.text)
    else:
        _show(answer)
    context.exit(1 if strict and is_lossy else 0)


def _import(
    session: Session, source: str | None, path: Path, statuses: dict[str, str], update: bool, dry_run: bool
) -> Answer:
    if source is None or source in _OWN_FORMATS:
        return session.workspace.import_specs(
            path, source=source, dry_run=dry_run, update=update, statuses=statuses
        )
    return _import_by_plugin(session, source, path, statuses, update, dry_run)


def _show(answer: Answer) -> None:
    from chant_mcp.commands import display, import_display

    found: Data = answer.data
    display.print_parts(import_display.imported(found))


def _import_by_plugin(
    session: Session, source: str, path: Path, statuses: dict[str, str], update: bool, dry_run: bool
) -> Answer:
    from chant_mcp.plugins.formats import import_by_plugin, importer_names
    from chant_mcp.plugins.plugin_process import PluginFailure

    if source not in importer_names():
        # The core says which formats there are.
        return session.workspace.import_specs(path, source=source, dry_run=dry_run)
    try:
        return import_by_plugin(session, source, path, dry_run=dry_run, update=update, statuses=statuses)
    except PluginFailure as failure:
        raise click.ClickException(str(failure)) from failure
