"""`sessions`: what is kept of agents' sessions for their next turn."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import json_option, say_message
from chant_mcp.commands.groups import SentenceGroup
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import say_json


@click.group(cls=SentenceGroup, invoke_without_command=True)
@click.pass_context
def sessions(context: click.Context) -> None:
    """List the sessions of agents that are kept, so that comments reach the one that did the work."""
    if context.invoked_subcommand is None:
        context.invoke(list_sessions)


@sessions.command("list")
@json_option
@on_project
def list_sessions(session: Session, as_json: bool) -> None:
    """List the kept sessions, one of each spec at most."""
    answer = session.chant.sessions()
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display
    from chant_mcp.commands.text_layout import Table

    found: list[Data] = answer.data["sessions"]
    out = display.console()
    if not found:
        out.print("No session is kept.")
        return
    table = Table()
    for name in ("Spec", "Agent", "Kept at", "Transcript"):
        table.add_column(name, overflow="fold")
    for one in found:
        size = one["why_not"] or f"{one['bytes'] // 1024 + 1} KiB"
        row = (one["spec_id"], one["agent"], one["kept_at"], size)
        table.add_row(*(display.plain(text) for text in row))
    out.print(table)


@sessions.command()
@click.argument("id", required=False)
@json_option
@on_project
@changes_files
def clear(session: Session, id: str | None, as_json: bool) -> None:
    """Remove the kept session of a spec, or all of them."""
    say_message(session.chant.clear_sessions(id).text, as_json)
