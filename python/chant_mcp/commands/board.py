"""`board`: what the project holds, who works on it and what agents ask, in the terminal."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import click

from chant_mcp.commands.asking import is_person, show
from chant_mcp.commands.project_options import project_option
from chant_mcp.commands.surroundings import Surroundings
from chant_mcp.plugins.session_notifier import SessionNotifier
from chant_mcp.remote_looks import RemoteLooks
from chant_mcp.session import Session


@click.command()
@project_option
@click.option("--read-only", is_flag=True, help="Only show; nothing is completed or answered.")
@click.option("--web", is_flag=True, help="Serve the board to a browser on this machine.")
@click.option("--open", "opens", is_flag=True, help="With --web: open it in the browser.")
@click.option(
    "--port", type=click.IntRange(0, 65535), metavar="PORT", help="With --web: the port; 0 is a free one."
)
@click.pass_obj
def board(
    surroundings: Surroundings,
    project: Path | None,
    read_only: bool,
    web: bool,
    opens: bool,
    port: int | None,
) -> None:
    """Show specs, tasks and tickets, agents at work, and their questions, as they change.

    In the terminal, or with --web in a browser.
    """
    if web:
        from chant_mcp.commands.web_board import serve_board

        given = surroundings._replace(project=project or surroundings.project)
        serve_board(given._replace(read_only=read_only or surroundings.read_only), port, opens=opens)
        return
    if opens or port is not None:
        raise click.UsageError("These options are for the board in a browser: add --web.")
    if find_spec("textual") is None:
        raise click.ClickException(
            "The board needs Textual, which is not installed. Install it with the extra: "
            "pip install 'chant-mcp[board]'"
        )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.ClickException(
            "The board needs a terminal. Without one, `chant-mcp list` and `chant-mcp runs` show the same."
        )
    from chant_mcp.board.app import BoardApp

    if project is not None:
        surroundings = surroundings._replace(project=project)
    is_read_only = read_only or surroundings.read_only
    session = surroundings._replace(read_only=is_read_only).session()
    session.looks = RemoteLooks()
    session.notifier = SessionNotifier()
    if not is_read_only:
        _ask_once(session)
    # Textual takes the terminal's streams over, so that this is asked before.
    BoardApp(session, is_read_only=is_read_only, is_person=is_person(session)).run()


def _ask_once(session: Session) -> None:
    """Ask whether a folder that asks for something is trusted; the board says when it is not."""
    project = session.project_in(session.place.root.resolve())
    report = project.trust_report()
    if report["trusted"] or report["gaps"] or not report["listing"] or not is_person(session):
        return
    difference = report["difference"]
    shown = [*report["listing"], *report["instructions"]] if difference is None else difference
    show(shown, report["folder"], is_difference=difference is not None)
    if click.confirm("Trust this folder?", err=True):
        project.give_trust(report["hash"])
