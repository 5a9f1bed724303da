"""`connect`: an agent inside a run reaches its tools; `serve-run`: the server that its runner starts."""

from __future__ import annotations

import click

from chant_mcp.commands.surroundings import Surroundings


@click.command()
@click.argument("folder")
def connect(folder: str) -> None:
    """Connect standard input and output with the server of a run.

    A run names this command, with its own FOLDER, in the MCP configuration that it gives to its agent.
    """
    from chant_mcp.connect import connect as connected

    raise SystemExit(connected(folder))


@click.command(name="serve-run", hidden=True)
@click.argument("folder")
@click.pass_obj
def serve_run(surroundings: Surroundings, folder: str) -> None:
    """Serve the connections of a run, whose names come on standard input; its runner starts this."""
    from chant_mcp.background import serve_run as served

    root = surroundings.project or surroundings.working_directory
    served(str(root), folder, dict(surroundings.environment))
