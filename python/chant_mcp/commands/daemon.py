"""`watch`: what dead runs left is looked after, and failed work tried again, as long as it runs."""

from __future__ import annotations

import signal

import click

from chant_mcp.commands.answers import json_option, say_message
from chant_mcp.commands.asking import asks_for_trust
from chant_mcp.commands.project_options import changes_files, on_project
from chant_mcp.session import Session
from chant_mcp.terminal import say, say_json


@click.command()
@click.option("--once", is_flag=True, help="Check once, then exit.")
@click.option("--status", is_flag=True, help="Show whether a daemon watches, and which worktrees.")
@click.option("--stop", is_flag=True, help="Stop the daemon in the background.")
@click.option("--background", is_flag=True, help="Watch in the background.")
@click.option("--runner", is_flag=True, hidden=True)
@click.option("--trusted", metavar="HASH", hidden=True)
@click.option("--quiet", is_flag=True, help="Print nothing; .chant/logs/watch.log has the same lines.")
@json_option
@on_project
@changes_files
@asks_for_trust
def watch(
    session: Session,
    once: bool,
    status: bool,
    stop: bool,
    background: bool,
    runner: bool,
    trusted: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Watch over runs until Ctrl-C: finish interrupted work and retry failed work.

    It is optional: runs finish their own business, and every command looks after dead ones once.
    """
    if status:
        (say_json if as_json else say)(session.chant.watch_status().text)
    elif stop:
        say_message(session.chant.watch_stop().text, as_json)
    elif background:
        say_message(session.chant.watch_start().text, as_json)
    elif as_json:
        raise click.UsageError("Give --status, --stop or --background with --json.")
    else:
        if runner:
            session.trust_named(trusted)
        session.recovers = False  # it does so itself, and says so
        # The core listens to it; an exception of Python's own would only cut its last words off.
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            session.chant.watch(once=once, started=runner, tell=None if quiet or runner else say)
        finally:
            signal.signal(signal.SIGINT, before)
