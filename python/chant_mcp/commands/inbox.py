"""`inbox`: what waits for a person, each with the command to type."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import json_option
from chant_mcp.commands.project_options import on_project
from chant_mcp.inbox import waiting_for_person
from chant_mcp.paging import Data, written
from chant_mcp.session import Session
from chant_mcp.terminal import say_json


@click.command()
@json_option
@on_project
def inbox(session: Session, as_json: bool) -> None:
    """List what needs you, each with the command to type.

    Questions of agents, approvals, work that failed and why, merges, conflicts, paused work, and a folder
    that is not trusted.
    """
    found = waiting_for_person(session)
    if as_json:
        say_json(written(found))
        return
    from chant_mcp.commands import display

    out = display.console()
    entries: list[Data] = found["entries"]
    if not entries:
        out.print("Nothing needs you.")
    for entry in entries:
        title = display.plain(f"{entry['kind']}: ", "bold") + display.plain(entry["title"])
        out.print(title, soft_wrap=True)
        if entry["text"]:
            out.print(display.plain(f"  {entry['text']}", "dim"), soft_wrap=True)
        out.print(display.plain(f"  {entry['command']}", "cyan"), soft_wrap=True)
    if found["total"] > len(entries):
        out.print(f"{len(entries)} of {found['total']} are shown; the others come when these are done.")
