"""`tickets add`, `set`, `status` and `delete`."""

from __future__ import annotations

from typing import IO

import click

from chant_mcp.commands.answers import json_option
from chant_mcp.commands.project_options import changes_files, on_tickets
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json


@click.command()
@click.argument("title")
@click.option(
    "--type",
    "kind",
    metavar="TYPE",
    default="Feature Enhancement",
    show_default=True,
    help="Architecture, Feature Enhancement, Bug Fix, Technical Debt, Documentation or Research.",
)
@click.option("--priority", metavar="PRIORITY", help="Low, Medium (the default), High or Critical.")
@click.option("--phase-epic", "phaseEpic", metavar="TEXT", help="Phase or epic it belongs to.")
@click.option("--assignee", metavar="NAME", help="Who is to do it.")
@click.option(
    "--depends-on", "dependsOn", multiple=True, metavar="KEY", help="Ticket it waits for; repeatable."
)
@click.option("--blocks", multiple=True, metavar="KEY", help="Ticket that waits for it; repeatable.")
@click.option(
    "--related",
    "relatedTickets",
    multiple=True,
    metavar="KEY",
    help="Ticket that has to do with it; repeatable.",
)
@click.option(
    "--content",
    "file",
    type=click.File("rb"),
    metavar="FILE",
    help="File that holds the body, `-` for standard input; else the template of the type.",
)
@json_option
@on_tickets
@changes_files
def add(
    session: Session,
    project: str | None,
    title: str,
    kind: str,
    file: IO[bytes] | None,
    as_json: bool,
    **attributes: str | tuple[str, ...] | None,
) -> None:
    """Create a ticket under the next number; it is Proposed."""
    data: Data = {"title": title}
    for name, value in attributes.items():
        if value:
            data[name] = list(value) if isinstance(value, tuple) else value
    if file is not None:
        data["content"] = _text(file)
    answer = session.tickets.create_cr(project, kind, data)
    if as_json:
        say_json(answer.text)
        return
    made: Data = answer.data
    _say(f"Created {made['cr']['code']}: {made['cr']['title']}\n{made['cr']['filePath']}", made)


def _text(file: IO[bytes]) -> str:
    try:
        return file.read().decode()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"The content is not UTF-8 text: {error.reason}.") from error


@click.command("set")
@click.argument("key")
@click.argument("words", nargs=-1, required=True, metavar="NAME=VALUE...")
@json_option
@on_tickets
@changes_files
def set_attributes(
    session: Session, project: str | None, key: str, words: tuple[str, ...], as_json: bool
) -> None:
    """Change attributes of a ticket, all or none.

    Names are title, priority, phaseEpic, assignee, relatedTickets, dependsOn, blocks, implementationDate
    and implementationNotes. An empty value removes an attribute; separate several tickets by commas,
    as in dependsOn=DEM-3,7.
    """
    attributes: Data = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise click.UsageError(f"Expected NAME=VALUE, got '{word}'.")
        if name in attributes:
            raise click.UsageError(f"'{name}' is given twice.")
        attributes[name] = value
    answer = session.tickets.update_cr_attrs(project, key, attributes)
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, ticket_display

    updated: Data = answer.data
    code: str = updated["cr"]["code"]
    if updated["changed"]:
        out = display.console()
        out.print(display.plain(code, "bold"))
        out.print(ticket_display.changes_table(updated["changed"]))
        _say(None, updated)
    else:
        _say(f"{code}: nothing changed; it already has these values.", updated)


@click.command()
@click.argument("key")
@click.argument("words", nargs=-1, required=True, metavar="STATUS")
@json_option
@on_tickets
@changes_files
def status(session: Session, project: str | None, key: str, words: tuple[str, ...], as_json: bool) -> None:
    """Move a ticket to another status, such as in progress."""
    answer = session.tickets.update_cr_status(project, key, " ".join(words))
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display

    updated: Data = answer.data
    code, now = updated["cr"]["code"], updated["cr"]["status"]
    before = updated["changed"].get("status", {}).get("from")
    moved = display.plain("") if before is None else display.status_text(before) + display.plain(" → ")
    already = display.plain(" already" if before is None else "")
    display.console().print(display.plain(f"{code}: ") + moved + display.status_text(now) + already)


@click.command()
@click.argument("key")
@click.option("--yes", "-y", "is_sure", is_flag=True, help="Do not ask.")
@json_option
@on_tickets
@changes_files
def delete(session: Session, project: str | None, key: str, is_sure: bool, as_json: bool) -> None:
    """Delete a ticket's file for good; its number is not given again."""
    if not is_sure:
        # What is deleted is what the question named, whatever KEY means by then.
        key = _asked(session, project, key)
    answer = session.tickets.delete_cr(project, key)
    if as_json:
        say_json(answer.text)
        return
    deleted: Data = answer.data
    _say(f"{deleted['message']}\n{deleted['deletedFile']}", deleted)


def _asked(session: Session, project: str | None, key: str) -> str:
    """Ask whether a ticket is to be deleted, and give its code."""
    ticket: Data = session.tickets.ticket(project, key).data
    cr: Data = ticket["cr"]
    said = f"{cr['code']}: {cr['title']} ({cr['status']})\n{ticket['filePath']}"
    if ticket["neededBy"]:
        said += f"\nStill needed by {', '.join(ticket['neededBy'])}"
    say(said, err=True)
    click.confirm("Delete it for good?", abort=True, err=True)
    return cr["code"]


def _say(text: str | None, data: Data) -> None:
    """Say what was done, and what an answer warns of."""
    from chant_mcp.commands import display

    out = display.console()
    if text is not None:
        out.print(display.plain(text), soft_wrap=True)
    for warning in data.get("warnings", ()):
        out.print(display.plain("Warning: ", "yellow") + display.plain(warning))
