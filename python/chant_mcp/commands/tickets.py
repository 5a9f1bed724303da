"""`tickets list`, `ready`, `show`, `sections`, `graph`, `advice` and `projects`."""

from __future__ import annotations

from typing import Any

import click

from chant_mcp.commands.answers import (
    all_option,
    format_option,
    json_option,
    limit_option,
    limited_to,
    picture_option,
)
from chant_mcp.commands.project_options import on_tickets
from chant_mcp.paging import EVERYTHING, Data, gathered, written
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json

_raw_option = click.option("--raw", is_flag=True, help="Print the text alone, as it is written.")


def _filter_option(name: str, key: str, what: str) -> Any:
    text = f"Only tickets of this {what}, in any case of letters; repeatable."
    return click.option(name, key, multiple=True, metavar=what.upper(), help=text)


@click.command("list")
@_filter_option("--status", "status", "status")
@_filter_option("--type", "type", "type")
@_filter_option("--priority", "priority", "priority")
@_filter_option("--assignee", "assignee", "assignee")
@_filter_option("--phase-epic", "phaseEpic", "phase")
@limited_to(20, "entries")
@all_option
@format_option
@json_option
@on_tickets
def list_tickets(
    session: Session, project: str | None, limit: int, show_all: bool, as_json: bool, **words: tuple[str, ...]
) -> None:
    """List tickets, the highest number first.

    Several values of one option are alternatives; different options all have to fit.
    """
    tickets = session.tickets
    filters = {name: list(given) for name, given in words.items() if given}
    text, data = gathered(
        lambda limit, offset: tickets.list_crs(project, filters=filters, limit=limit, offset=offset),
        EVERYTHING if show_all else limit,
        "crs",
    )
    _show_tickets(text, data, as_json, "No tickets match." if filters else "No tickets.")


@click.command()
@limit_option
@all_option
@format_option
@json_option
@on_tickets
def ready(session: Session, project: str | None, limit: int, show_all: bool, as_json: bool) -> None:
    """List what is approved and waits for nothing."""
    tickets = session.tickets
    text, data = gathered(
        lambda limit, offset: tickets.ready(project, limit=limit, offset=offset),
        EVERYTHING if show_all else limit,
        "crs",
    )
    _show_tickets(text, data, as_json, "No tickets are ready.")


def _show_tickets(text: str, data: Data, as_json: bool, when_none: str) -> None:
    if as_json:
        say_json(text)
        return
    from chant_mcp.commands import display, ticket_display

    listed = {**data, "tickets": data["crs"], "total": data["filtered"]}
    display.print_list(listed, "tickets", ticket_display.ticket_table, when_none)


@click.command()
@click.argument("key")
@click.option("--section", metavar="NAME", help="Show this section of the body alone.")
@_raw_option
@json_option
@on_tickets
def show(
    session: Session, project: str | None, key: str, section: str | None, raw: bool, as_json: bool
) -> None:
    """Show one ticket with what it waits for and its body.

    KEY is a code, such as DEM-7, or its number alone.
    """
    if section is not None:
        _show_section(session, project, key, section, raw, as_json)
        return
    answer = session.tickets.ticket(project, key)
    ticket: Data = answer.data
    if as_json:
        say_json(answer.text)
        return
    body: str = ticket["content"]
    if raw:
        say(body, nl=not body.endswith("\n"))
        return
    from chant_mcp.commands import display, ticket_display

    out = display.console()
    out.print(ticket_display.ticket_fields(ticket))
    if (problems := display.problems_block(ticket)) is not None:
        out.print(problems)
    out.print()
    out.print(display.rendered(body))


@click.command()
@click.argument("key")
@click.argument("name", required=False)
@_raw_option
@json_option
@on_tickets
def sections(
    session: Session, project: str | None, key: str, name: str | None, raw: bool, as_json: bool
) -> None:
    """List the sections of a ticket, or show the one of a NAME.

    NAME is as the list shows it; marks and numbers before it, and all but its beginning, may be left out.
    """
    if name is not None:
        _show_section(session, project, key, name, raw, as_json)
        return
    tickets = session.tickets
    _, data = gathered(
        lambda limit, offset: tickets.manage_cr_sections(project, key, "list", offset=offset),
        EVERYTHING,
        "sections",
    )
    if as_json:
        say_json(written(data))
        return
    from chant_mcp.commands import display, ticket_display

    out = display.console()
    if data["sections"]:
        out.print(ticket_display.section_table(data["sections"]))
    else:
        out.print("No sections: there are no headings outside of code.")


def _show_section(
    session: Session, project: str | None, key: str, name: str, raw: bool, as_json: bool
) -> None:
    tickets = session.tickets
    _, section = gathered(
        lambda limit, offset: tickets.manage_cr_sections(
            project, key, "get", section=name, offset=offset, max_chars=limit
        ),
        EVERYTHING,
        "content",
    )
    if as_json:
        say_json(written(section))
        return
    if raw:
        say(section["content"])
        return
    from chant_mcp.commands import display

    out = display.console()
    out.print(display.plain(f"{section['code']}: {section['path']}", "bold"))
    out.print()
    out.print(display.rendered(section["content"]))


@click.command()
@picture_option
@click.option(
    "--all",
    "show_all",
    is_flag=True,
    help="Draw all tickets, also those that wait for nothing and those that are done.",
)
@json_option
@on_tickets
def graph(session: Session, project: str | None, form: str, show_all: bool, as_json: bool) -> None:
    """Draw the dependencies between tickets.

    What a ticket waits for stands below it, or where its arrows end; tickets in a
    cycle are named. With `--json` all tickets are listed, each with what it waits for.
    """
    tickets = session.tickets
    if as_json:
        if form != "tree":
            raise click.UsageError(f"--json lists tickets and --format {form} draws them; give one of them.")
        text, _ = gathered(
            lambda limit, offset: tickets.graph(project, limit=limit, offset=offset), EVERYTHING, "nodes"
        )
        say_json(text)
        return
    answer = tickets.picture(project, form, all=show_all)
    from chant_mcp.commands import display, ticket_display

    display.show_picture(answer, ticket_display.waits)


@click.command()
@click.argument("key")
@json_option
@on_tickets
def advice(session: Session, project: str | None, key: str, as_json: bool) -> None:
    """Suggest improvements to a ticket, with a score."""
    answer = session.tickets.suggest_cr_improvements(project, key)
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, ticket_display

    found: Data = answer.data
    display.print_parts(ticket_display.advice(found))


@click.command()
@click.argument("code", required=False)
@json_option
@on_tickets
def projects(session: Session, project: str | None, code: str | None, as_json: bool) -> None:
    """List ticket projects, or show the one of a CODE."""
    tickets = session.tickets
    code = code or project
    answer = tickets.list_projects() if code is None else tickets.get_project_info(code)
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, ticket_display

    out = display.console()
    found: Data = answer.data
    if code is not None:
        out.print(ticket_display.project_fields(found["project"]))
        return
    if found["projects"]:
        out.print(ticket_display.project_table(found["projects"]))
    else:
        out.print("No projects: a project has a `.mdt-config.toml` or the folder `docs/CRs`.")
    passed_over = [{**problem, "message": problem["why"]} for problem in found.get("problems", ())]
    if (problems := display.problems_block({"problems": passed_over})) is not None:
        out.print(problems)
