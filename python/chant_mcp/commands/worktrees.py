"""`worktree list` and `worktree prune`: the worktrees that runs were given."""

from __future__ import annotations

import click

from chant_mcp.commands.answers import json_option, say_message
from chant_mcp.commands.asking import asks_for_trust
from chant_mcp.commands.groups import SentenceGroup
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.paging import Data
from chant_mcp.session import Session
from chant_mcp.terminal import say_json


@click.group(cls=SentenceGroup)
def worktree() -> None:
    """See and remove the git worktrees that agents worked in."""


@worktree.command("list")
@json_option
@on_project
def list_worktrees(session: Session, as_json: bool) -> None:
    """List the worktrees of runs, and why each is kept."""
    answer = session.chant.worktrees()
    if as_json:
        say_json(answer.text)
        return
    from chant_mcp.commands import display, run_display

    out = display.console()
    found: Data = answer.data
    if found["worktrees"]:
        out.print(run_display.worktrees(found["worktrees"]), soft_wrap=True)
    else:
        out.print("No worktrees.")
    if found["made_in_advance"]["folders"]:
        out.print(run_display.made_in_advance(found["made_in_advance"]), soft_wrap=True)


@worktree.command()
@json_option
@on_project
@changes_files
@asks_for_trust
def prune(session: Session, as_json: bool) -> None:
    """Remove the worktrees whose work is merged; what would lose anything stays."""
    say_message(session.chant.prune_worktrees().text, as_json)


@worktree.command(hidden=True)
@click.option("--trusted", metavar="HASH", hidden=True)
@on_project
def prepare(session: Session, trusted: str | None) -> None:
    """Make folders for runs to come, as far as the configuration gives room."""
    session.recovers = False  # the command that this follows has just recovered
    session.trust_named(trusted)
    session.chant.prepare_worktrees()
