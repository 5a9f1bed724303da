"""`board`: what the project holds, who works on it and what agents ask, in the terminal."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import click

from chant_mcp.commands.surroundings import Surroundings, project_option


@click.command()
@project_option
@click.option("--read-only", is_flag=True, help="Only show; nothing is completed or answered.")
@click.pass_obj
def board(surroundings: Surroundings, project: Path | None, read_only: bool) -> None:
    """Show specs, tasks and tickets, agents at work, and their questions, as they change."""
    if find_spec("textual") is None:
        raise click.ClickException(
            "The board needs Textual, which is not installed. Install it with the extra: "
            "pip install 'chant-mcp[board]'"
        )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.ClickException(
            "The board needs a terminal. Without one, `chant-mcp list` and `chant-mcp runs` tell the same."
        )
    from chant_mcp.board.app import BoardApp

    if project is not None:
        surroundings = replace(surroundings, project=project)
    is_read_only = read_only or surroundings.read_only
    session = replace(surroundings, read_only=is_read_only).session()
    BoardApp(session, is_read_only=is_read_only).run()
