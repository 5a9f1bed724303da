"""`search` and `status` over everything in a project, of whatever dialect."""

from __future__ import annotations

import click

from chant_mcp.commands import item_answers
from chant_mcp.commands.answers import format_option, json_option, limit_option, search_all_option
from chant_mcp.commands.project_options import on_project
from chant_mcp.commands.workspace import status_option
from chant_mcp.session import Session


@click.command()
@click.argument("query")
@status_option
@limit_option
@search_all_option
@format_option
@json_option
@on_project
def search(
    session: Session, query: str, statuses: tuple[str, ...], limit: int, show_all: bool, as_json: bool
) -> None:
    """Search titles, texts and labels of specs, tasks and tickets; upper and lower case are the same."""
    item_answers.show_found(session, query, statuses, limit, show_all, as_json)


@click.command()
@click.option("--activity", is_flag=True, help="Of specs: also show when something last happened.")
@json_option
@on_project
def status(session: Session, activity: bool, as_json: bool) -> None:
    """Count the specs, tasks and tickets in each state; cancelled specs are left out beside others."""
    item_answers.show_status(session, activity, as_json)
