"""`search` and `status` over everything in a project, of whatever dialect."""

from __future__ import annotations

import click

from chant_mcp.commands import specs
from chant_mcp.commands.answers import format_option, json_option, limit_option, search_all_option
from chant_mcp.commands.plan_findings import findings_line, plan_findings
from chant_mcp.commands.surroundings import on_project
from chant_mcp.commands.workspace import holds_specs_alone, show_page, spec_as_item, status_option, with_more
from chant_mcp.paging import EVERYTHING, Data, gathered
from chant_mcp.session import Session, dialects_in
from chant_mcp.terminal import say_json


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
    if len(statuses) <= 1 and holds_specs_alone(session) and not as_json:
        specs.show_found(session, query, statuses[0] if statuses else None, limit, show_all, as_json)
        return
    workspace = session.workspace
    text, data = gathered(
        lambda limit, offset: workspace.search(query, statuses=list(statuses), limit=limit, offset=offset),
        EVERYTHING if show_all else limit,
        "items",
    )
    if show_all and "chant" in dialects_in(session.place.root):
        archived = specs.archived_matches(session, query, statuses)
        text, data = with_more(data, [spec_as_item(spec) for spec in archived])
    show_page(text, data, "Nothing matches.", as_json)


@click.command()
@click.option("--activity", is_flag=True, help="Of specs: also show when something last happened.")
@json_option
@on_project
def status(session: Session, activity: bool, as_json: bool) -> None:
    """Count the specs, tasks and tickets in each state; cancelled specs are left out beside others."""
    if activity or (holds_specs_alone(session) and not as_json):
        specs.show_status(session, activity, as_json)
        return
    answer = session.workspace.board()
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, workspace_display

    counts: Data = answer.data
    out = display.console()
    out.print(workspace_display.states_table(counts["dialects"]))
    if waiting := display.waiting_line(session):
        out.print(waiting)
    if (problems := display.problems_block(counts)) is not None:
        out.print(problems)
    if line := findings_line(plan_findings(session)):
        out.print(line)
