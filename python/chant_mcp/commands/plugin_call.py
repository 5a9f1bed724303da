"""`plugin-call`: the process in which a plugin's function runs; only our own program starts it."""

from __future__ import annotations

import sys

import click

from chant_mcp.commands.project_options import on_project
from chant_mcp.session import Session


@click.command("plugin-call", hidden=True)
@on_project
def plugin_call(session: Session) -> None:
    """Call the function of a plugin that a request on standard input names, and print what it answers."""
    from chant_mcp.api.workspace import Workspace
    from chant_mcp.plugins.plugin_host import serve_call
    from chant_mcp.plugins.quiet_output import silence_output

    session.recovers = False
    serve_call(Workspace(session), silence_output(), sys.stdin.buffer)
