"""`leases`: which clone of the repository works on what."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import json_option, say_message
from chant_mcp.commands.asking import asks_for_trust
from chant_mcp.commands.project_options import on_project, refuse_read_only
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json


@click.command()
@click.option("--look", is_flag=True, help="Read the remote first.")
@click.option("--all", "shows_ended", is_flag=True, help="Show those that landed or were given back, too.")
@click.option("--free", "freed", metavar="ID", help="Give back a spec whose holder is dead.")
@click.option("--pull", "follows", is_flag=True, help="Bring this checkout up to what landed on the remote.")
@click.option("--settle", is_flag=True, hidden=True)
@click.option("--trusted", metavar="HASH", hidden=True)
@json_option
@on_project
@asks_for_trust
@click.pass_context
def leases(
    context: click.Context,
    session: Session,
    look: bool,
    shows_ended: bool,
    freed: str | None,
    follows: bool,
    settle: bool,
    trusted: str | None,
    as_json: bool,
) -> None:
    """List which clone works on which spec, as last read from the shared remote."""
    if settle:
        session.recovers = False  # who started this has just done so
        session.trust_named(trusted)
        session.chant.settle_leases()
        return
    if freed is not None:
        refuse_read_only(context)
        say(session.chant.free_lease(freed).text)
        return
    if follows:
        refuse_read_only(context)
        say_message(session.chant.follow_remote().text, as_json)
        return
    answer = session.chant.leases(look=look, all=shows_ended)
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, run_display

    found: Data = answer.data
    out = display.console()
    if found["leases"]:
        out.print(run_display.leases_table(found["leases"]))
    else:
        out.print("No clone works on a spec.")
    out.print(run_display.look_words(found), style="dim")
    for problem in found.get("problems", ()):
        out.print(display.plain("✗ ", "red") + display.plain(problem), soft_wrap=True)
