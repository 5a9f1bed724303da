"""`connect`: an agent inside a run reaches its tools; `serve-run`: the server that its runner starts."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from chant_mcp.commands import serving
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
@click.argument("folder", type=click.Path(path_type=Path))
@click.pass_obj
def serve_run(surroundings: Surroundings, folder: Path) -> None:
    """Serve the connections of a run, whose names come on standard input; its runner starts this."""
    import anyio

    from chant_mcp.run_rights import RunRights
    from chant_mcp.server.app import ChantServer
    from chant_mcp.server.connections import serve_connections

    serving.set_up_log(surroundings)
    told = surroundings.environment
    if not (told.get("CHANT_SPEC_ID") and told.get("CHANT_WORKTREE")):
        raise click.UsageError("Only the runner of a run starts this.")
    rights = RunRights(
        surroundings.session(may_leave=False), told["CHANT_SPEC_ID"], Path(told["CHANT_WORKTREE"])
    )
    offer = serving.offer(surroundings)
    anyio.run(serve_connections, folder, partial(ChantServer, rights.project, offer, rights=rights))
